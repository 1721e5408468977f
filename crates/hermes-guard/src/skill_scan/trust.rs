//! Where a skill comes from, and how far that place is trusted.

/// How far a source is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SkillTrust {
    /// Shipped with the program.
    Builtin,
    /// A repository of a vendor that answers for its skills.
    Trusted,
    /// Anybody.
    Community,
    /// Written by the agent itself.
    AgentCreated,
}

impl SkillTrust {
    /// The word in reports, JSON and lock files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Trusted => "trusted",
            Self::Community => "community",
            Self::AgentCreated => "agent-created",
        }
    }
}

/// Repositories that answer for their skills.
pub const TRUSTED_REPOSITORIES: [&str; 4] =
    ["openai/skills", "anthropics/skills", "huggingface/skills", "NVIDIA/skills"];

/// Spellings under which a directory of skills hands on identifiers of repositories.
const DIRECTORIES: [&str; 4] = ["skills-sh/", "skills.sh/", "skils-sh/", "skils.sh/"];

/// How far the source behind an identifier is trusted. `also` are repositories the user trusts
/// (`skills.trusted_repos`).
///
/// The identifier is taken apart first: one with a dot segment, however encoded, names another
/// repository than it seems to and is never trusted.
#[must_use]
pub fn trust_of<S: AsRef<str>>(identifier: &str, also: &[S]) -> SkillTrust {
    let identifier = identifier.trim();
    if identifier.eq_ignore_ascii_case("agent-created") {
        return SkillTrust::AgentCreated;
    }
    let mut rest = identifier;
    while let Some(shorter) = DIRECTORIES.iter().find_map(|name| strip_prefix_folded(rest, name)) {
        rest = shorter;
    }
    if !is_plain(rest) {
        return SkillTrust::Community;
    }
    let mut parts = rest.split('/');
    let (Some(owner), repository) = (parts.next(), parts.next()) else {
        return SkillTrust::Community;
    };
    if owner == "official" {
        return SkillTrust::Builtin;
    }
    let Some(repository) = repository else { return SkillTrust::Community };
    let is_same = |known: &str| {
        known.split_once('/').is_some_and(|(known_owner, known_repository)| {
            known_owner.eq_ignore_ascii_case(owner)
                && known_repository.eq_ignore_ascii_case(repository)
        })
    };
    let listed = TRUSTED_REPOSITORIES.iter().any(|known| is_same(known))
        || also.iter().any(|known| is_same(known.as_ref().trim()));
    if listed { SkillTrust::Trusted } else { SkillTrust::Community }
}

fn strip_prefix_folded<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

/// Whether every part of an identifier means what it says.
fn is_plain(identifier: &str) -> bool {
    !identifier.is_empty()
        && identifier.split('/').all(|part| {
            !part.is_empty()
                && part != "."
                && part != ".."
                && part.bytes().all(|byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'@' | b'+')
                })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trust(identifier: &str) -> SkillTrust {
        trust_of(identifier, &["Acme/Skills"])
    }

    #[test]
    fn only_whole_names_of_repositories_are_trusted() {
        for trusted in [
            "anthropics/skills/skills/pdf",
            "Anthropics/Skills/x",
            "skills-sh/openai/skills/x",
            "skils.sh/skills.sh/nvidia/skills/y",
            "acme/skills/z",
        ] {
            assert_eq!(trust(trusted), SkillTrust::Trusted, "{trusted}");
        }
        for stranger in [
            "anthropics/skills-evil/x",
            "anthropics-x/skills",
            "evil/anthropics/skills",
            "anthropics",
            "",
            "https://github.com/anthropics/skills",
        ] {
            assert_eq!(trust(stranger), SkillTrust::Community, "{stranger}");
        }
        assert_eq!(trust("official/devops/x"), SkillTrust::Builtin);
        assert_eq!(trust("agent-created"), SkillTrust::AgentCreated);
    }

    #[test]
    fn dot_segments_in_an_identifier_do_not_keep_trust() {
        for sly in [
            "anthropics/skills/../../evil/repo",
            "anthropics/./skills/x",
            "official/../evil/repo/x",
            "anthropics/skills/%2e%2e/%2e%2e/evil/repo",
            "anthropics//skills",
            "anthropics\\skills/x",
        ] {
            assert_eq!(trust(sly), SkillTrust::Community, "{sly}");
        }
    }
}

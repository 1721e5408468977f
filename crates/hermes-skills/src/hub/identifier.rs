//! Identifiers, taken apart before anything is believed about them.
//!
//! `openai/skills/../../evil/repo` begins like a trusted repository and is fetched from another one. So an identifier
//! is cut into parts first; a part that means "up" or "here", in whatever spelling, ends the matter, and trust is
//! computed from the parts alone.

use hermes_guard::skill_scan::{SkillTrust, trust_of};

use super::error::HubError;
use super::record::TrustLevel;

/// The spellings of the prefix of one registry; what follows is a repository.
const SKILLS_SH: [&str; 4] = ["skills-sh/", "skills.sh/", "skils-sh/", "skils.sh/"];

/// Longest identifier that is looked at.
const LONGEST: usize = 2048;

/// A folder of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepoFolder {
    /// A user or an organisation.
    pub owner: String,
    /// The repository's own name.
    pub repo: String,
    /// The folder, without slashes at its ends; empty is the root.
    pub path: String,
}

impl RepoFolder {
    /// Reads `owner/repo[/path…]`.
    ///
    /// # Errors
    /// There are fewer than two parts, or one of them is none.
    pub fn parse(identifier: &str) -> Result<Self, HubError> {
        let parts = parts(identifier)?;
        let [owner, repo, path @ ..] = parts.as_slice() else {
            return Err(wrong(identifier, "owner/repository/folder is expected"));
        };
        for name in [owner, repo] {
            let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            if !name.chars().all(fits) {
                return Err(wrong(
                    identifier,
                    "an owner or repository has other characters than GitHub allows",
                ));
            }
        }
        Ok(Self { owner: (*owner).to_owned(), repo: (*repo).to_owned(), path: path.join("/") })
    }

    /// `owner/repo`.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.owner, self.repo)
    }

    /// The same repository, another folder.
    #[must_use]
    pub fn at(&self, path: &str) -> Self {
        Self { path: path.trim_matches('/').to_owned(), ..self.clone() }
    }

    /// The identifier of this folder.
    #[must_use]
    pub fn identifier(&self) -> String {
        if self.path.is_empty() {
            self.full_name()
        } else {
            format!("{}/{}", self.full_name(), self.path)
        }
    }
}

fn wrong(identifier: &str, why: &str) -> HubError {
    let shown: String = identifier.chars().take(200).collect();
    HubError::Identifier { identifier: shown.escape_debug().to_string(), why: why.to_owned() }
}

/// The parts between slashes, each of them plain.
///
/// # Errors
/// A part is empty, a dot segment in any spelling, or holds what no name holds.
pub fn parts(identifier: &str) -> Result<Vec<&str>, HubError> {
    if identifier.len() > LONGEST {
        return Err(wrong(identifier, "it is too long"));
    }
    let parts: Vec<&str> = identifier.trim().trim_matches('/').split('/').collect();
    for part in &parts {
        if part.is_empty() {
            return Err(wrong(identifier, "a part between two slashes is empty"));
        }
        if part.chars().any(|c| c.is_control() || matches!(c, '\\' | '?' | '#' | ' ')) {
            return Err(wrong(identifier, "it holds characters that no part of a path has"));
        }
        // `%2e%2e` becomes `..` somewhere on its way; nothing we name needs escapes at all.
        if part.contains('%') {
            return Err(wrong(identifier, "escapes are not allowed in it"));
        }
        if part.chars().all(|c| c == '.') {
            return Err(wrong(identifier, "`.` and `..` are not allowed in it"));
        }
    }
    Ok(parts)
}

/// The identifier without the registry in front of it, if it is one of these.
#[must_use]
pub fn without_registry(identifier: &str) -> Option<&str> {
    SKILLS_SH.iter().find_map(|prefix| {
        let head = identifier.get(..prefix.len())?;
        head.eq_ignore_ascii_case(prefix).then(|| &identifier[prefix.len()..])
    })
}

/// How far a repository is believed: by its whole name, in any case, never by how it begins.
#[must_use]
pub fn trust_of_repo(owner: &str, repo: &str, also_trusted: &[String]) -> TrustLevel {
    match trust_of(&format!("{owner}/{repo}"), also_trusted) {
        SkillTrust::Trusted => TrustLevel::Trusted,
        // `official/x` on a code host is anybody's; ours come from a folder of this machine.
        _ => TrustLevel::Community,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dot_segments_in_an_identifier_do_not_keep_the_trust_of_where_it_begins() {
        for identifier in [
            "openai/skills/../../evil/repo/x",
            "openai/skills/./x",
            "openai/skills/%2e%2e/x",
            "openai/skills/%2E%2E/x",
            "openai/skills/.%2e/x",
            "openai/skills/..%2fx",
            "openai/skills/...",
            "openai/skills//x",
            "openai/skills/a\\..\\b",
            "openai/skills/x?ref=evil",
            "openai/skills/x#y",
            "openai/skills/a\u{0}",
            "openai",
            "",
        ] {
            assert!(RepoFolder::parse(identifier).is_err(), "{identifier}");
        }
    }

    #[test]
    fn repositories_are_trusted_by_their_whole_name() {
        let trust = |owner, repo| trust_of_repo(owner, repo, &["Acme/Tools".to_owned()]);
        assert_eq!(trust("OpenAI", "Skills"), TrustLevel::Trusted);
        assert_eq!(trust("nvidia", "skills"), TrustLevel::Trusted);
        assert_eq!(trust("acme", "tools"), TrustLevel::Trusted);
        for (owner, repo) in [("openai", "skills-evil"), ("openai-x", "skills"), ("evil", "openai")]
        {
            assert_eq!(trust(owner, repo), TrustLevel::Community, "{owner}/{repo}");
        }
    }

    #[test]
    fn the_registry_in_front_is_taken_off_in_its_four_spellings() {
        for prefix in ["skills-sh", "skills.sh", "skils-sh", "skils.sh", "Skills.SH"] {
            assert_eq!(without_registry(&format!("{prefix}/o/r/s")), Some("o/r/s"));
        }
        assert_eq!(without_registry("skillssh/o/r/s"), None);
    }

    proptest! {
        #[test]
        fn whatever_is_read_has_only_plain_parts(text in "[a-z./%~ -]{0,40}|\\PC{0,40}") {
            if let Ok(folder) = RepoFolder::parse(&text) {
                for part in folder.identifier().split('/') {
                    prop_assert!(!part.is_empty() && part != "." && part != ".." && !part.contains('%'));
                }
            }
        }
    }
}

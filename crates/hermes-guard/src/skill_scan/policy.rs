//! What follows from a verdict: the table of sources and verdicts.

use super::finding::SkillVerdict;
use super::trust::SkillTrust;

/// What happens to a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkillDecision {
    /// It may be installed.
    Allow,
    /// A person has to agree; to an agent this is a refusal.
    Ask,
    /// It is not installed, unless the user forces it.
    BlockUnlessForced,
    /// It is not installed, and force does not help. Only naming the exact content does.
    Block,
}

impl SkillDecision {
    /// The word in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::BlockUnlessForced | Self::Block => "block",
        }
    }

    /// How reports begin the line about it.
    #[must_use]
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Allow => "ALLOWED",
            Self::Ask => "NEEDS CONFIRMATION",
            Self::BlockUnlessForced | Self::Block => "BLOCKED",
        }
    }

    /// One sentence on why, and what can be done.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Allow => "nothing speaks against this source with this verdict",
            Self::Ask => "a person has to look at the findings and agree",
            Self::BlockUnlessForced => "look at the findings; --force installs it all the same",
            Self::Block => {
                "--force does not lift this; only --accept-hash with the hash of exactly this content does"
            }
        }
    }
}

/// What a person brought along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PolicyOverride {
    /// Nothing.
    #[default]
    None,
    /// `--force`
    Force,
    /// `--accept-hash` with the hash of this very content, typed by a person.
    AcceptedHash,
}

/// What the table says about a source and a verdict.
#[must_use]
pub const fn decide(trust: SkillTrust, verdict: SkillVerdict) -> SkillDecision {
    match (trust, verdict) {
        (SkillTrust::Builtin, _)
        | (_, SkillVerdict::Safe)
        | (SkillTrust::Trusted | SkillTrust::AgentCreated, SkillVerdict::Caution) => {
            SkillDecision::Allow
        }
        (SkillTrust::AgentCreated, SkillVerdict::Dangerous) => SkillDecision::Ask,
        (SkillTrust::Community, SkillVerdict::Caution) => SkillDecision::BlockUnlessForced,
        (SkillTrust::Trusted | SkillTrust::Community, SkillVerdict::Dangerous) => {
            SkillDecision::Block
        }
    }
}

/// The same with what a person brought along.
#[must_use]
pub const fn decide_with(
    trust: SkillTrust,
    verdict: SkillVerdict,
    brought: PolicyOverride,
) -> SkillDecision {
    let decision = decide(trust, verdict);
    match (decision, brought) {
        (_, PolicyOverride::AcceptedHash)
        | (SkillDecision::BlockUnlessForced, PolicyOverride::Force) => SkillDecision::Allow,
        _ => decision,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_sources_and_verdicts() {
        use SkillDecision::{Allow, Ask, Block, BlockUnlessForced};
        let rows = [
            (SkillTrust::Builtin, [Allow, Allow, Allow]),
            (SkillTrust::Trusted, [Allow, Allow, Block]),
            (SkillTrust::Community, [Allow, BlockUnlessForced, Block]),
            (SkillTrust::AgentCreated, [Allow, Allow, Ask]),
        ];
        for (trust, decisions) in rows {
            let verdicts = [SkillVerdict::Safe, SkillVerdict::Caution, SkillVerdict::Dangerous];
            for (verdict, decision) in verdicts.into_iter().zip(decisions) {
                assert_eq!(decide(trust, verdict), decision, "{trust:?} {verdict:?}");
            }
        }
    }

    #[test]
    fn force_lifts_caution_and_only_the_hash_lifts_danger() {
        let with = |verdict, brought| decide_with(SkillTrust::Community, verdict, brought);
        assert_eq!(with(SkillVerdict::Caution, PolicyOverride::Force), SkillDecision::Allow);
        assert_eq!(with(SkillVerdict::Dangerous, PolicyOverride::Force), SkillDecision::Block);
        assert_eq!(
            with(SkillVerdict::Dangerous, PolicyOverride::AcceptedHash),
            SkillDecision::Allow
        );
    }
}

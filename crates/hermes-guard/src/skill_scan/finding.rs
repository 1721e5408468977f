//! What the scan says: findings, and the verdict that follows from them.

use std::fmt;

/// How much a finding weighs. One [`SkillSeverity::Critical`] makes a skill dangerous, one
/// [`SkillSeverity::High`] asks for caution; the others inform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkillSeverity {
    /// Worth knowing: a secret is read, a home folder is mentioned.
    Low,
    /// Worth a look: software without a version, administrator rights.
    Medium,
    /// A person should agree first.
    High,
    /// Nothing honest looks like this.
    Critical,
}

impl SkillSeverity {
    /// The word in reports and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }

    /// The severity for a word of a report; a model's answer is read with it.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Low, Self::Medium, Self::High, Self::Critical]
            .into_iter()
            .find(|severity| severity.as_str().eq_ignore_ascii_case(word.trim()))
    }

    /// So many steps lower, and never nothing.
    pub(super) const fn lowered(self, steps: u8) -> Self {
        match (self as u8).saturating_sub(steps) {
            0 => Self::Low,
            1 => Self::Medium,
            2 => Self::High,
            _ => Self::Critical,
        }
    }
}

impl fmt::Display for SkillSeverity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What kind of harm a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkillRisk {
    /// Secrets or private text leave the machine.
    Exfiltration,
    /// Text that takes over the agent.
    Injection,
    /// Data or the system is lost.
    Destructive,
    /// Something stays after the skill is gone.
    Persistence,
    /// Doors for others into the machine.
    Network,
    /// Code that hides what it does.
    Obfuscation,
    /// Commands built from text of others.
    Execution,
    /// Code of others, fetched when the skill is used.
    SupplyChain,
    /// More rights than the user gave.
    PrivilegeEscalation,
    /// Files outside the project.
    Traversal,
    /// Somebody else's coins.
    Mining,
    /// Secrets in the skill itself.
    CredentialExposure,
    /// The shape of the bundle: sizes, binaries, links.
    Structure,
}

impl SkillRisk {
    /// The word in reports and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exfiltration => "exfiltration",
            Self::Injection => "injection",
            Self::Destructive => "destructive",
            Self::Persistence => "persistence",
            Self::Network => "network",
            Self::Obfuscation => "obfuscation",
            Self::Execution => "execution",
            Self::SupplyChain => "supply_chain",
            Self::PrivilegeEscalation => "privilege_escalation",
            Self::Traversal => "traversal",
            Self::Mining => "mining",
            Self::CredentialExposure => "credential_exposure",
            Self::Structure => "structure",
        }
    }
}

/// Longest [`SkillFinding::matched`], in characters.
pub const MAX_MATCH_CHARS: usize = 120;

/// One thing that was found in a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFinding {
    /// The rule, by its stable name.
    pub pattern_id: &'static str,
    /// After the place it was found in is taken into account.
    pub severity: SkillSeverity,
    /// What kind of harm it is about.
    pub category: SkillRisk,
    /// Path inside the bundle.
    pub file: String,
    /// Line of the file as it is on disk, from 1; 0 for the file or bundle as a whole.
    pub line: usize,
    /// The text that was found, at most [`MAX_MATCH_CHARS`] long, on one line.
    pub matched: String,
    /// One sentence for people.
    pub description: &'static str,
}

/// What the findings come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkillVerdict {
    /// Nothing that a person has to look at.
    Safe,
    /// A person has to look at it.
    Caution,
    /// Not to be installed.
    Dangerous,
}

impl SkillVerdict {
    /// The word in reports, JSON and lock files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Caution => "caution",
            Self::Dangerous => "dangerous",
        }
    }

    /// The verdict for a word that was stored or that a model answered.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Safe, Self::Caution, Self::Dangerous]
            .into_iter()
            .find(|verdict| verdict.as_str().eq_ignore_ascii_case(word.trim()))
    }

    /// The verdict on a bundle with these findings.
    #[must_use]
    pub fn of(findings: &[SkillFinding]) -> Self {
        match findings.iter().map(|finding| finding.severity).max() {
            Some(SkillSeverity::Critical) => Self::Dangerous,
            Some(SkillSeverity::High) => Self::Caution,
            _ => Self::Safe,
        }
    }

    /// The same where every finding counts, whatever it weighs (`skills.guard_strict`).
    #[must_use]
    pub fn strictly_of(findings: &[SkillFinding]) -> Self {
        match Self::of(findings) {
            Self::Safe if !findings.is_empty() => Self::Caution,
            verdict => verdict,
        }
    }
}

impl fmt::Display for SkillVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Text as findings show it: one line, without control characters, cut to `most` characters.
pub(super) fn shown(text: &str, most: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(most * 4));
    let mut count = 0;
    let mut blank = true;
    for character in text.trim().chars() {
        let character = if character.is_whitespace() { ' ' } else { character };
        if character == ' ' && blank {
            continue;
        }
        blank = character == ' ';
        if count == most {
            shown.push('…');
            break;
        }
        count += 1;
        if character.is_control() || super::fold::is_hidden(character) {
            shown.push('\u{fffd}');
        } else {
            shown.push(character);
        }
    }
    shown
}

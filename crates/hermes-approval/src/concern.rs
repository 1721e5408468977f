//! One reason to hesitate about a command.

use hermes_guard::command::{CommandFinding, OWN_RULES_KEY, Severity, categories};
use serde_json::{Value, json};

/// One reason to hesitate, with the key under which a yes to it is remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Concern {
    /// What a yes covers: a category, `tirith:<rule>`, `ask:<pattern>` or a key of the caller.
    pub key: String,
    /// The words of the command that caused it.
    pub words: String,
    /// What could go wrong, as a sentence.
    pub why: String,
    /// Who brought it up.
    pub source: ConcernSource,
}

/// Who brought up a concern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConcernSource {
    /// The analysis of the command.
    Category,
    /// The same, about the agent's own rules.
    OwnRules,
    /// The external scanner.
    Scanner,
    /// A rule of the user's: ask about such commands.
    AskRule,
    /// A plugin, an MCP server, or the rule about whole scripts.
    Consent,
}

impl ConcernSource {
    /// The longest-lasting yes to a concern from here. The scanner's rules change without notice,
    /// so a yes to one of them ends with the session; and who has told us to ask would be
    /// contradicted by a yes for ever. A yes to changing the rules is for one command: a lasting one
    /// would be a yes to everything.
    pub(crate) fn widest(self) -> crate::GrantScope {
        match self {
            Self::OwnRules => crate::GrantScope::Once,
            Self::Category | Self::Consent => crate::GrantScope::Always,
            Self::Scanner | Self::AskRule => crate::GrantScope::Session,
        }
    }
}

impl Concern {
    pub(crate) fn from_finding(finding: &CommandFinding) -> Self {
        Self {
            key: finding.category.to_owned(),
            words: finding.words.clone(),
            why: finding.why.to_owned(),
            source: match finding.category {
                OWN_RULES_KEY => ConcernSource::OwnRules,
                _ => ConcernSource::Category,
            },
        }
    }

    pub(crate) fn from_ask_rule(pattern: &str, command: &str) -> Self {
        Self {
            key: format!("ask:{pattern}"),
            words: command.to_owned(),
            why: format!("The rule `{pattern}` says to ask (approvals.ask)."),
            source: ConcernSource::AskRule,
        }
    }

    /// For programs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let words = crate::display::shown(&self.words);
        let is_floor =
            categories().any(|known| known.key == self.key && known.severity == Severity::Floor);
        let severity = if is_floor { "floor" } else { "dangerous" };
        json!({"category": self.key, "words": words, "severity": severity, "why": self.why})
    }
}

/// The findings of a given weight, one a category: the first stands for those that repeat it.
pub(crate) fn concerns(findings: &[CommandFinding], severity: Severity) -> Vec<Concern> {
    let mut concerns: Vec<Concern> = Vec::new();
    for finding in findings.iter().filter(|finding| finding.severity == severity) {
        if concerns.iter().all(|concern| concern.key != finding.category) {
            concerns.push(Concern::from_finding(finding));
        }
    }
    concerns
}

/// The keys, separated by `; `.
pub(crate) fn keys(concerns: &[Concern]) -> String {
    concerns.iter().map(|concern| concern.key.as_str()).collect::<Vec<_>>().join("; ")
}

/// What is wrong, each with the words that caused it, in a line.
#[must_use]
pub fn describe(concerns: &[Concern]) -> String {
    let describe = |concern: &Concern| {
        let words = crate::display::brief(&concern.words);
        format!("{}: `{words}` ({})", concern.key, concern.why.trim_end_matches('.'))
    };
    concerns.iter().map(describe).collect::<Vec<_>>().join("; ")
}

//! The approval prompt in words: what would run, what speaks against it, and which answers there are.
//!
//! Two things stop and ask a person: the gate for commands (`hermes-approval`) and rules of plugins
//! (`hermes-runtime`). Both become an [`ApprovalPrompt`], so that a question reads the same wherever it
//! comes from and wherever it is shown: in the chat, at a terminal, in the form of an MCP client.
//! [`choice`] reads what a person typed. Whatever is no clear yes is a no.

use std::fmt::Write as _;
use std::time::Duration;

use hermes_approval::{ApprovalAnswer, ApprovalQuestion, GrantScope};
use hermes_runtime::approval::{ApprovalRequest, Decision};

/// How long the question of a plugin's rule stays open.
pub const PLUGIN_WAIT: Duration = hermes_approval::DEFAULT_TIMEOUT;

/// One question, ready to be drawn.
#[derive(Clone, Debug)]
pub struct ApprovalPrompt {
    /// What wants to happen, in a line.
    pub headline: String,
    /// The command or the arguments, as they may be shown.
    pub subject: String,
    /// What speaks against it: a name and a sentence each.
    pub reasons: Vec<(String, String)>,
    /// The longest-lasting yes that is offered.
    pub widest: GrantScope,
}

impl ApprovalPrompt {
    /// About a command that the gate has flagged.
    #[must_use]
    pub fn about_command(question: &ApprovalQuestion) -> Self {
        let mut reasons: Vec<(String, String)> = question
            .concerns
            .iter()
            .map(|concern| (concern.key.clone(), concern.why.clone()))
            .collect();
        if question.reviewer_said_no {
            let why = "The model that reviews commands says no. You can overrule it once.";
            reasons.push(("review".to_owned(), why.to_owned()));
        }
        let headline = match question.purpose {
            hermes_approval::Purpose::Background => "A command wants to run in the background:",
            hermes_approval::Purpose::Input => "Text for a program that runs:",
            _ => "A command wants to run:",
        };
        Self {
            headline: headline.to_owned(),
            subject: question.command.clone(),
            reasons,
            widest: question.widest,
        }
    }

    /// About a tool call that a plugin's rule has stopped.
    #[must_use]
    pub fn about_call(request: &ApprovalRequest) -> Self {
        Self {
            headline: format!("{} wants to run with:", request.tool),
            subject: serde_json::to_string(&request.args).unwrap_or_default(),
            reasons: vec![(request.rule_key.clone(), request.reason.clone())],
            widest: GrantScope::Session,
        }
    }

    /// What wants to happen, and what speaks against it, without colour.
    #[must_use]
    pub fn statement(&self) -> String {
        let mut text = format!("! {}\n\n", self.headline);
        for line in self.subject.lines() {
            let _ = writeln!(text, "    {line}");
        }
        text.push('\n');
        for (name, why) in &self.reasons {
            let _ = writeln!(text, "  {name}: {why}");
        }
        text
    }

    /// The answers there are; everything else is a no.
    #[must_use]
    pub fn choices(&self) -> &'static str {
        match self.widest {
            GrantScope::Once => "Allow? [o]nce, [N]o",
            GrantScope::Session => "Allow? [o]nce, for the [s]ession, [N]o",
            GrantScope::Always => "Allow? [o]nce, for the [s]ession, [a]lways, [N]o",
        }
    }
}

/// What somebody typed, as an answer: everything that is no clear yes is a no.
#[must_use]
pub fn choice(typed: &str) -> ApprovalAnswer {
    match typed.to_lowercase().as_str() {
        "o" | "once" => ApprovalAnswer::Allowed(GrantScope::Once),
        "s" | "session" => ApprovalAnswer::Allowed(GrantScope::Session),
        "a" | "always" => ApprovalAnswer::Allowed(GrantScope::Always),
        _ => ApprovalAnswer::no(),
    }
}

/// An answer, in the words of plugins' rules.
#[must_use]
pub fn decision(answer: &ApprovalAnswer) -> Decision {
    match answer {
        ApprovalAnswer::Allowed(GrantScope::Once) => Decision::Once,
        ApprovalAnswer::Allowed(GrantScope::Session | GrantScope::Always) => Decision::ForSession,
        ApprovalAnswer::Denied { .. } | ApprovalAnswer::Failed(_) => Decision::Denied,
        ApprovalAnswer::TimedOut => Decision::TimedOut,
        ApprovalAnswer::NobodyThere => Decision::NobodyThere,
    }
}

#[cfg(test)]
mod tests {
    use hermes_approval::{Concern, ConcernSource, Purpose};
    use tokio_util::sync::CancellationToken;

    use super::*;

    fn question(widest: GrantScope) -> ApprovalQuestion {
        ApprovalQuestion {
            session: "s".to_owned(),
            purpose: Purpose::Foreground,
            command: "rm -r build\nls".to_owned(),
            concerns: vec![Concern {
                key: "recursive delete".to_owned(),
                words: "rm -r build".to_owned(),
                why: "It deletes a folder.".to_owned(),
                source: ConcernSource::Category,
            }],
            widest,
            reviewer_said_no: widest == GrantScope::Once,
            call: hermes_tool::CallIds::default(),
            wait: Duration::from_secs(60),
            cancellation: CancellationToken::new(),
        }
    }

    fn text(widest: GrantScope) -> String {
        let prompt = ApprovalPrompt::about_command(&question(widest));
        format!("{}{}", prompt.statement(), prompt.choices())
    }

    #[test]
    fn everything_a_person_has_to_know_is_shown() {
        assert_eq!(
            text(GrantScope::Always),
            "! A command wants to run:\n\n    rm -r build\n    ls\n\n  recursive delete: It deletes \
             a folder.\nAllow? [o]nce, for the [s]ession, [a]lways, [N]o"
        );
    }

    #[test]
    fn a_yes_that_would_not_count_is_not_offered() {
        assert!(!text(GrantScope::Session).contains("[a]lways"));
        let once = text(GrantScope::Once);
        assert!(!once.contains("[s]ession") && once.contains("You can overrule it once"), "{once}");
    }

    #[test]
    fn only_a_clear_yes_is_one() {
        assert_eq!(choice("O"), ApprovalAnswer::Allowed(GrantScope::Once));
        assert_eq!(choice("session"), ApprovalAnswer::Allowed(GrantScope::Session));
        assert_eq!(choice("a"), ApprovalAnswer::Allowed(GrantScope::Always));
        for typed in ["", "n", "no", "on", "y", "yes", "oo", "alway", "once please"] {
            assert_eq!(choice(typed), ApprovalAnswer::no(), "{typed:?}");
        }
    }
}

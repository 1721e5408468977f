//! The prompt: what would run, what speaks against it, and which answers there are.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use hermes_approval::{Answer, Question, Scope};
use hermes_runtime::approval::ApprovalRequest;
use owo_colors::OwoColorize;
use tokio_util::sync::CancellationToken;

use super::line::{Line, forget_typed, next_line};

/// A question as it is shown.
#[derive(Debug)]
pub(crate) struct Prompt {
    /// What wants to happen, in a line.
    headline: String,
    /// The command or the arguments, as they may be shown.
    subject: String,
    /// What speaks against it: a name and a sentence each.
    reasons: Vec<(String, String)>,
    /// The longest-lasting yes that is offered.
    widest: Scope,
}

impl Prompt {
    /// About a command that the gate has flagged.
    pub(crate) fn about_command(question: &Question) -> Self {
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
    pub(crate) fn about_call(request: &ApprovalRequest) -> Self {
        Self {
            headline: format!("{} wants to run with:", request.tool),
            subject: serde_json::to_string(&request.args).unwrap_or_default(),
            reasons: vec![(request.rule_key.clone(), request.reason.clone())],
            widest: Scope::Session,
        }
    }

    /// Shows the question and waits for the answer.
    pub(super) fn put(&self, wait: Duration, over: &CancellationToken) -> Answer {
        let input = std::io::stdin();
        forget_typed(&input);
        let mut err = anstream::stderr();
        let shown = write!(err, "{}", self.text(wait)).and_then(|()| err.flush());
        if let Err(problem) = shown {
            return Answer::Failed(problem.to_string());
        }
        let answer = match next_line(&input, wait, over) {
            Line::Typed(text) => return choice(&text),
            Line::Ended | Line::Over => Answer::no(),
            Line::TimedOut => Answer::TimedOut,
        };
        // The question is still on the screen; say that it no longer counts.
        let _ = writeln!(err, "\n{}", "no answer: it does not run".dimmed());
        answer
    }

    fn text(&self, wait: Duration) -> String {
        format!("\n{}{} ({} s): ", self.statement(), self.choices(), wait.as_secs())
    }

    /// What wants to happen, and what speaks against it.
    pub(crate) fn statement(&self) -> String {
        let mut text = format!("{} {}\n\n", "!".yellow().bold(), self.headline.bold());
        for line in self.subject.lines() {
            let _ = writeln!(text, "    {line}");
        }
        text.push('\n');
        for (name, why) in &self.reasons {
            let _ = writeln!(text, "  {}: {why}", name.yellow());
        }
        text
    }

    /// The answers there are; everything else is a no.
    pub(crate) fn choices(&self) -> &'static str {
        match self.widest {
            Scope::Once => "Allow? [o]nce, [N]o",
            Scope::Session => "Allow? [o]nce, for the [s]ession, [N]o",
            Scope::Always => "Allow? [o]nce, for the [s]ession, [a]lways, [N]o",
        }
    }
}

/// What somebody typed, as an answer: everything that is no clear yes is a no.
pub(crate) fn choice(typed: &str) -> Answer {
    match typed.to_lowercase().as_str() {
        "o" | "once" => Answer::Allowed(Scope::Once),
        "s" | "session" => Answer::Allowed(Scope::Session),
        "a" | "always" => Answer::Allowed(Scope::Always),
        _ => Answer::no(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hermes_approval::{Concern, Purpose, Source};

    fn question(widest: Scope) -> Question {
        Question {
            session: "s".to_owned(),
            purpose: Purpose::Foreground,
            command: "rm -r build\nls".to_owned(),
            concerns: vec![Concern {
                key: "recursive delete".to_owned(),
                words: "rm -r build".to_owned(),
                why: "It deletes a folder.".to_owned(),
                source: Source::Category,
            }],
            widest,
            reviewer_said_no: widest == Scope::Once,
            call: hermes_tool::CallIds::default(),
            wait: Duration::from_secs(60),
            cancellation: CancellationToken::new(),
        }
    }

    fn text(widest: Scope) -> String {
        let shown = Prompt::about_command(&question(widest)).text(Duration::from_secs(60));
        anstream::adapter::strip_str(&shown).to_string()
    }

    #[test]
    fn everything_a_person_has_to_know_is_shown() {
        assert_eq!(
            text(Scope::Always),
            "\n! A command wants to run:\n\n    rm -r build\n    ls\n\n  recursive delete: It deletes \
             a folder.\nAllow? [o]nce, for the [s]ession, [a]lways, [N]o (60 s): "
        );
    }

    #[test]
    fn a_yes_that_would_not_count_is_not_offered() {
        assert!(!text(Scope::Session).contains("[a]lways"));
        let once = text(Scope::Once);
        assert!(!once.contains("[s]ession") && once.contains("You can overrule it once"), "{once}");
    }

    #[test]
    fn only_a_clear_yes_is_one() {
        assert_eq!(choice("O"), Answer::Allowed(Scope::Once));
        assert_eq!(choice("session"), Answer::Allowed(Scope::Session));
        assert_eq!(choice("a"), Answer::Allowed(Scope::Always));
        for typed in ["", "n", "no", "on", "y", "yes", "oo", "alway", "once please"] {
            assert_eq!(choice(typed), Answer::no(), "{typed:?}");
        }
    }
}

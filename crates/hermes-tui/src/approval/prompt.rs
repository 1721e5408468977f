//! The approval prompt at a terminal: drawn in colour, answered with a typed line.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use hermes_approval::ApprovalAnswer;
use hermes_protocol::ApprovalPrompt;
use hermes_protocol::approval::choice;
use owo_colors::OwoColorize;
use tokio_util::sync::CancellationToken;

use crate::terminal::line::{LineInput, forget_typed, next_line};

/// Shows the question on stderr and waits for a line on stdin.
pub(super) fn put(
    prompt: &ApprovalPrompt,
    wait: Duration,
    over: &CancellationToken,
) -> ApprovalAnswer {
    let input = std::io::stdin();
    forget_typed(&input);
    let mut err = anstream::stderr();
    let shown = write!(err, "{}", text(prompt, wait)).and_then(|()| err.flush());
    if let Err(problem) = shown {
        return ApprovalAnswer::Failed(problem.to_string());
    }
    let answer = match next_line(&input, wait, over) {
        LineInput::Typed(text) => return choice(&text),
        LineInput::Ended | LineInput::Over => ApprovalAnswer::no(),
        LineInput::TimedOut => ApprovalAnswer::TimedOut,
    };
    // The question is still on the screen; say that it no longer counts.
    let _ = writeln!(err, "\n{}", "no answer: it does not run".dimmed());
    answer
}

fn text(prompt: &ApprovalPrompt, wait: Duration) -> String {
    format!("\n{}{} ({} s): ", statement(prompt), prompt.choices(), wait.as_secs())
}

/// What wants to happen, and what speaks against it, in colour.
pub(crate) fn statement(prompt: &ApprovalPrompt) -> String {
    let mut text = format!("{} {}\n\n", "!".yellow().bold(), prompt.headline.bold());
    for line in prompt.subject.lines() {
        let _ = writeln!(text, "    {line}");
    }
    text.push('\n');
    for (name, why) in &prompt.reasons {
        let _ = writeln!(text, "  {}: {why}", name.yellow());
    }
    text
}

#[cfg(test)]
mod tests {
    use hermes_approval::GrantScope;

    use super::*;

    #[test]
    fn the_coloured_prompt_says_what_the_plain_one_does_and_how_long_there_is() {
        let prompt = ApprovalPrompt {
            headline: "A command wants to run:".to_owned(),
            subject: "rm -r build\nls".to_owned(),
            reasons: vec![("recursive delete".to_owned(), "It deletes a folder.".to_owned())],
            widest: GrantScope::Always,
        };
        let shown = text(&prompt, Duration::from_secs(60));
        let expected = format!("\n{}{} (60 s): ", prompt.statement(), prompt.choices());
        assert_eq!(anstream::adapter::strip_str(&shown).to_string(), expected);
        assert_ne!(shown, expected);
    }
}

//! Small things: notices, what a turn cost, the list of steps, what was said before.

use std::time::Duration;

use hermes_llm::{Message, Role, TokenUsage};
use hermes_protocol::NoticeLevel;
use hermes_protocol::text::{amount, dollars, seconds};
use serde_json::Value;

use super::fit::{cut, on_one_line, shown, wrap_text};
use super::style::{Ink, Style};

/// A notice: one line, and its advice below.
pub(crate) fn notice(level: NoticeLevel, text: &str, style: &Style) -> Vec<String> {
    let (sign, ink) = match level {
        NoticeLevel::Info => ("·", Ink::DIM),
        NoticeLevel::Warning => ("!", Ink::YELLOW),
    };
    let mut rows = Vec::new();
    for line in text.lines() {
        for row in wrap_text(&shown(line), style.width - 2) {
            let lead = if rows.is_empty() { sign } else { " " };
            rows.push(style.paint(ink, &format!("{lead} {}", row.trim_start())));
        }
    }
    rows
}

/// What a turn has used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TurnCost {
    pub(crate) usage: TokenUsage,
    /// Tokens the conversation takes up, and how many there is room for.
    pub(crate) context: u64,
    pub(crate) window: Option<u64>,
    /// Dollars, where prices are known.
    pub(crate) dollars: Option<f64>,
    pub(crate) took: Duration,
}

/// One line about what a turn has used.
pub(crate) fn cost(cost: &TurnCost, style: &Style) -> String {
    let usage = &cost.usage;
    let cached = match usage.cache_read_tokens {
        0 => String::new(),
        cached => format!(" ({} cached)", amount(cached)),
    };
    let mut parts = vec![format!(
        "{} in{cached}, {} out",
        amount(usage.prompt_tokens()),
        amount(usage.output_tokens)
    )];
    parts.push(context(cost.context, cost.window));
    parts.extend(cost.dollars.filter(|dollars| *dollars > 0.0).map(dollars));
    parts.push(seconds(cost.took));
    parts.retain(|part| !part.is_empty());
    style.paint(Ink::DIM, &format!("┊ {}", parts.join(" · ")))
}

/// How full the window is.
pub(crate) fn context(used: u64, window: Option<u64>) -> String {
    match window.filter(|window| *window > 0) {
        Some(window) => {
            format!("context {}% of {}", used.saturating_mul(100) / window, amount(window))
        }
        None if used > 0 => format!("context {}", amount(used)),
        None => String::new(),
    }
}

/// The steps of the task at hand, from the result of `todo`.
pub(crate) fn todos(result: &Value, style: &Style) -> Vec<String> {
    let items = result.get("todos").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let row = |item: &Value| {
        let text = |key: &str| item.get(key).and_then(Value::as_str).map(on_one_line);
        let (mark, ink) = match text("status").as_deref() {
            Some("completed") => ("[x]", Ink::DIM),
            Some("in_progress") => ("[>]", Ink::BOLD),
            Some("cancelled") => ("[~]", Ink::DIM.and(Ink::STRIKE)),
            _ => ("[ ]", Ink::PLAIN),
        };
        let content = cut(&text("content").unwrap_or_default(), style.width.saturating_sub(6));
        format!("  {mark} {}", style.paint(ink, &content))
    };
    items.iter().map(row).collect()
}

/// Messages at the end of a conversation that a recap shows.
const RECAP_MESSAGES: usize = 6;
/// Rows of each.
const RECAP_ROWS: usize = 3;

/// What was said last in a conversation that goes on.
pub(crate) fn recap(messages: &[Message], style: &Style) -> Vec<String> {
    let said: Vec<&Message> = messages
        .iter()
        .filter(|message| matches!(message.role, Role::User | Role::Assistant))
        .filter(|message| !message.text().trim().is_empty())
        .collect();
    let from = said.len().saturating_sub(RECAP_MESSAGES);
    let mut rows = Vec::new();
    if from > 0 {
        rows.push(style.paint(Ink::DIM, &format!("… {from} earlier messages")));
    }
    for message in &said[from..] {
        let lead = if message.role == Role::User { "❯ " } else { "  " };
        let text = shown(&message.text());
        let all: Vec<String> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .flat_map(|line| wrap_text(line, style.width - 4))
            .collect();
        for (at, row) in all.iter().take(RECAP_ROWS).enumerate() {
            let lead = if at == 0 { lead } else { "  " };
            let more = if at + 1 == RECAP_ROWS && all.len() > RECAP_ROWS { " …" } else { "" };
            rows.push(style.paint(Ink::DIM, &format!("{lead}{row}{more}")));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::display::style::Colour;

    const STYLE: Style = Style::new(Colour::Off, 40);

    #[test]
    fn a_notice_has_its_advice_below() {
        let text = "The provider is overloaded; trying again in 4 s.\nAnother model helps: /model";
        assert_eq!(
            notice(NoticeLevel::Warning, text, &STYLE),
            [
                "! The provider is overloaded; trying",
                "  again in 4 s.",
                "  Another model helps: /model",
            ]
        );
    }

    #[test]
    fn a_turn_is_accounted_for_in_a_line() {
        let usage = TokenUsage {
            input_tokens: 400,
            output_tokens: 53,
            cache_read_tokens: 12_000,
            ..TokenUsage::default()
        };
        let mut spent = TurnCost {
            usage,
            context: 12_453,
            window: Some(200_000),
            dollars: Some(0.0123),
            took: Duration::from_millis(4_210),
        };
        let expected = "┊ 12.4k in (12.0k cached), 53 out · context 6% of 200k · $0.01 · 4.2s";
        assert_eq!(cost(&spent, &STYLE), expected);
        spent = TurnCost {
            usage: TokenUsage { output_tokens: 1, ..TokenUsage::default() },
            ..TurnCost::default()
        };
        assert_eq!(cost(&spent, &STYLE), "┊ 0 in, 1 out · 0.0s");
        assert_eq!((dollars(0.00042), dollars(0.0)), ("$0.0004".into(), "$0.00".into()));
    }

    #[test]
    fn steps_are_listed_with_their_state() {
        let result = json!({"todos": [
            {"id": "1", "content": "read", "status": "completed"},
            {"id": "2", "content": "write something that is far too long for a row", "status": "in_progress"},
            {"id": "3", "content": "rest", "status": "cancelled"},
            {"id": "4", "content": "日本"},
        ]});
        assert_eq!(
            todos(&result, &STYLE),
            ["  [x] read", "  [>] write something that is far too l…", "  [~] rest", "  [ ] 日本",]
        );
    }

    #[test]
    fn a_recap_shows_the_end_of_the_conversation() {
        let mut messages = vec![Message::user("old"), Message::assistant("older answer")];
        for number in 0..3 {
            messages.push(Message::user(format!("question {number}")));
            messages.push(Message::tool("id", "todo", "{}"));
            messages.push(Message::assistant("line\n\n".repeat(6)));
        }
        insta::assert_snapshot!(recap(&messages, &STYLE).join("\n"));
    }
}

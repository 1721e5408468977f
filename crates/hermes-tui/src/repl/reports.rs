//! What commands tell: status, usage, sessions, what was said.

use anyhow::Context;
use hermes_llm::{Message, Role};
use hermes_protocol::text::amount;
use hermes_protocol::{Planning, SessionEntry, SessionStatus, Yolo};

use super::outcome::CommandOutcome;
use super::printed::RowSource;
use super::{ChatTerminal, Repl};
use crate::display::fit::{columns, cut, on_one_line, padded};
use crate::display::markdown::{MarkdownMode, render};
use crate::display::{Ink, Style};
use crate::slash::effort_name;

impl<S: ChatTerminal> Repl<S> {
    /// The last words: how to come back.
    pub(super) fn farewell(&self) -> Vec<String> {
        let status = self.conversation.status();
        if status.messages == 0 || status.session_id.is_empty() {
            return Vec::new();
        }
        let text = format!("To go on later: hermes --resume {}", status.session_id);
        vec![self.style().paint(Ink::DIM, &text)]
    }
}

impl<S: ChatTerminal> Repl<S> {
    /// What fills the window: a bar, and whose words they are.
    pub(super) fn show_context(&mut self) {
        let status = self.conversation.status();
        self.ask_agent(move |agent| async move {
            let messages = agent.history().await?;
            let draw = move |style: &Style| context_rows(&status, &messages, style);
            Ok(CommandOutcome::Drawn(RowSource::new(draw)))
        });
    }
}

/// The bar of the window, and the shares of what was said, by characters.
fn context_rows(status: &SessionStatus, messages: &[Message], style: &Style) -> Vec<String> {
    const BAR: usize = 40;
    let mut rows = vec![format!("  {}", context(status))];
    let chars = |role: Role| -> u64 {
        let said = messages.iter().filter(|message| message.role == role);
        let calls = |message: &Message| -> usize {
            message.tool_calls.iter().map(|call| call.arguments.len()).sum()
        };
        let sent = |message: &Message| match &message.api_content {
            Some(sent) => sent.chars().count(),
            None => message.text().chars().count(),
        };
        said.map(|message| (sent(message) + calls(message)) as u64).sum()
    };
    let parts = [
        ("you", Ink::GREEN, chars(Role::User)),
        ("the model", Ink::CYAN, chars(Role::Assistant)),
        ("results of tools", Ink::YELLOW, chars(Role::Tool)),
    ];
    // Four characters are about a token; what the request holds beyond that are instructions and tools.
    let said: u64 = parts.iter().map(|(.., chars)| chars / 4).sum();
    let own = ("instructions, tools", Ink::RED, status.context_tokens.saturating_sub(said) * 4);
    let parts: Vec<(&str, Ink, u64)> = std::iter::once(own).chain(parts).collect();
    let all = parts.iter().map(|(.., chars)| chars / 4).sum::<u64>().max(1);
    let window = status.window.filter(|window| *window > 0).unwrap_or(all).max(all);
    let mut bar = String::from("  ");
    let (mut drawn, mut tokens) = (0, 0);
    for (_, ink, chars) in &parts {
        tokens += chars / 4;
        let until = usize::try_from(tokens * BAR as u64 / window).unwrap_or(BAR).min(BAR);
        bar.push_str(&style.paint(*ink, &"█".repeat(until - drawn)));
        drawn = until;
    }
    bar.push_str(&style.paint(Ink::DIM, &"░".repeat(BAR - drawn)));
    rows.push(bar);
    let widest = parts.iter().map(|(name, ..)| columns(name)).max().unwrap_or(0);
    rows.extend(parts.iter().map(|(name, ink, chars)| {
        let share = (chars / 4) * 100 / window;
        let mark = style.paint(*ink, "█");
        let name = padded(name, widest);
        format!("  {mark} {name}  about {} tokens ({share}%)", amount(chars / 4))
    }));
    let free = window.saturating_sub(all);
    let share = free * 100 / window;
    let mark = style.paint(Ink::DIM, "░");
    rows.push(format!("  {mark} {}  {} tokens ({share}%)", padded("free", widest), amount(free)));
    rows
}

/// Model, session and context in use.
pub(super) fn status(status: &SessionStatus, style: &Style) -> Vec<String> {
    let title = status.title.as_deref().map(|title| format!(" “{title}”")).unwrap_or_default();
    let yolo = match status.yolo {
        Yolo::On => "run without asking",
        Yolo::Off => "are asked about",
    };
    let goal = status.goal.clone().map(|goal| ("goal", goal));
    let mut facts = vec![
        ("model", format!("{} ({})", status.model, status.provider)),
        ("session", format!("{}{title}", status.session_id)),
        ("messages", status.messages.to_string()),
        ("context", context(status)),
        ("thinking", status.effort.map_or("as the provider sees fit", effort_name).to_owned()),
        ("tools", status.tools.to_string()),
        ("flagged commands", yolo.to_owned()),
    ];
    if status.planning == Planning::On {
        facts
            .push(("plan", "being made; tools that change something wait for your yes".to_owned()));
    }
    facts.extend(goal);
    pairs(&facts, style)
}

/// Tokens and cost.
pub(super) fn usage(status: &SessionStatus, style: &Style) -> Vec<String> {
    let usage = &status.usage;
    let cost = status
        .dollars
        .map_or("not known for this model".to_owned(), hermes_protocol::text::dollars);
    let cached = amount(usage.cache_read_tokens);
    pairs(
        &[
            ("calls to the model", status.calls.to_string()),
            ("tokens sent", format!("{} ({cached} from the cache)", amount(usage.prompt_tokens()))),
            ("tokens received", received(usage.output_tokens, usage.reasoning_tokens)),
            ("context", context(status)),
            ("cost", cost),
        ],
        style,
    )
}

fn received(all: u64, thinking: u64) -> String {
    match thinking {
        0 => amount(all),
        thinking => format!("{} ({} thinking)", amount(all), amount(thinking)),
    }
}

fn context(status: &SessionStatus) -> String {
    let used = amount(status.context_tokens);
    match status.window.filter(|window| *window > 0) {
        Some(window) => {
            let share = status.context_tokens.saturating_mul(100) / window;
            format!("{used} of {} tokens ({share}%)", amount(window))
        }
        None => format!("{used} tokens"),
    }
}

pub(super) fn pairs(pairs: &[(&str, String)], style: &Style) -> Vec<String> {
    let widest = pairs.iter().map(|(name, _)| columns(name)).max().unwrap_or(0);
    let row = |(name, value): &(&str, String)| {
        let value = cut(value, style.width.saturating_sub(widest + 4));
        format!("  {}  {value}", style.paint(Ink::DIM, &padded(name, widest)))
    };
    pairs.iter().map(row).collect()
}

/// Sessions, newest first.
pub(super) fn sessions(sessions: &[SessionEntry], style: &Style) -> Vec<String> {
    if sessions.is_empty() {
        return vec![style.paint(Ink::DIM, "· There are no sessions yet.")];
    }
    let widest = |text: fn(&SessionEntry) -> &str| {
        sessions.iter().map(|session| columns(text(session))).max().unwrap_or(0)
    };
    let (ids, whens) = (widest(|session| &session.id), widest(|session| &session.when));
    let mut rows: Vec<String> = sessions
        .iter()
        .map(|session| {
            let about = session.title.as_deref().unwrap_or(&session.preview);
            let about = cut(&on_one_line(about), style.width.saturating_sub(ids + whens + 6));
            let id = style.paint(Ink::CYAN, &padded(&session.id, ids));
            format!("  {id}  {}  {about}", style.paint(Ink::DIM, &padded(&session.when, whens)))
        })
        .collect();
    rows.push(style.paint(Ink::DIM, "  /resume ID or title goes on with one."));
    rows
}

/// Everything that was said.
pub(super) fn said(messages: &[Message], mode: MarkdownMode, style: &Style) -> Vec<String> {
    let mut rows = Vec::new();
    for message in messages {
        let text = message.text();
        match message.role {
            Role::User => {
                rows.push(String::new());
                for (at, line) in render(&text, MarkdownMode::Raw, style).iter().enumerate() {
                    let lead = if at == 0 { "❯ " } else { "  " };
                    rows.push(style.paint(Ink::BOLD, &format!("{lead}{line}")));
                }
            }
            Role::Assistant => {
                if !text.trim().is_empty() {
                    rows.push(String::new());
                    rows.extend(render(text.trim(), mode, style));
                }
                let tools: Vec<&str> =
                    message.tool_calls.iter().map(|call| call.name.as_str()).collect();
                if !tools.is_empty() {
                    let row = format!("┊ {}", on_one_line(&tools.join(", ")));
                    rows.push(style.paint(Ink::DIM, &cut(&row, style.width)));
                }
            }
            Role::System | Role::Tool => {}
        }
    }
    if rows.is_empty() {
        rows.push(style.paint(Ink::DIM, "· Nothing was said yet."));
    }
    rows
}

/// The conversation as a document.
pub(super) fn document(messages: &[Message]) -> String {
    let mut text = String::from("# Conversation\n");
    for message in messages {
        let who = match message.role {
            Role::User => "You",
            Role::Assistant => "Hermes",
            Role::System | Role::Tool => continue,
        };
        let said = message.text();
        if !said.trim().is_empty() {
            text.push_str(&format!("\n## {who}\n\n{}\n", said.trim()));
        }
        for call in &message.tool_calls {
            text.push_str(&format!("\n- called `{}`\n", call.name));
        }
    }
    text
}

/// One of the last answers, counted from the end.
pub(super) fn answer(messages: &[Message], number: usize) -> anyhow::Result<String> {
    let answers = messages
        .iter()
        .rev()
        .filter(|message| message.role == Role::Assistant && !message.text().trim().is_empty());
    let found = answers.into_iter().nth(number.saturating_sub(1));
    let found = found.context("There is no such answer yet.")?;
    Ok(found.text().into_owned())
}

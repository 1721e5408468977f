//! The first rows: of a conversation, and of a program that has nobody to talk with yet.

use hermes_protocol::SessionStatus;
use hermes_protocol::text::count;

use super::display::{Ink, Style};

/// A model server found on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerChoice {
    /// The provider's name, for `--provider`.
    pub provider: String,
    /// Where it answers.
    pub address: String,
    /// Models it has.
    pub models: Vec<String>,
}

/// How a conversation begins.
pub fn greeting(status: &SessionStatus, style: &Style) -> Vec<String> {
    let name = concat!("Hermes ", env!("CARGO_PKG_VERSION"));
    let mut about = vec![format!("{} ({})", status.model, status.provider)];
    about.push(count(status.tools, "tool"));
    about.push(format!("session {}", status.session_id));
    vec![
        format!("{}  {}", style.paint(Ink::BOLD, name), style.paint(Ink::DIM, &about.join(" · "))),
        style
            .paint(Ink::DIM, "Ask anything. /help lists commands, ? shows the keys, Ctrl-C stops."),
    ]
}

/// What can be done without a model, and the shortest ways to one.
pub fn without_model(servers: &[ServerChoice], style: &Style) -> Vec<String> {
    let bold = |text: &str| style.paint(Ink::BOLD, text);
    let command = |text: &str, about: &str| {
        format!("  {}{}  {about}", style.paint(Ink::CYAN, text), " ".repeat(pad(text)))
    };
    let mut rows = vec![
        bold("Welcome to Hermes. There is no model to talk with yet."),
        String::new(),
        bold("The shortest ways to one"),
        command("hermes setup", "choose a provider and store its key"),
        command("ollama serve", "or any local server; Hermes finds it by itself"),
        command("hermes --provider P -m MODEL", "name one for a single conversation"),
    ];
    if !servers.is_empty() {
        rows.extend([String::new(), bold("Found on this machine, ready to use")]);
        for server in servers {
            let model = server.models.first().map_or("MODEL", String::as_str);
            let start = format!("hermes --provider {} -m {model}", server.provider);
            rows.push(format!("  {}", style.paint(Ink::CYAN, &start)));
            let more = match server.models.len() {
                0 => "no model is loaded".to_owned(),
                1 => "one model".to_owned(),
                models => format!("{models} models"),
            };
            rows.push(style.paint(Ink::DIM, &format!("    {} · {more}", server.address)));
        }
    }
    rows.extend([
        String::new(),
        bold("What works right now"),
        command("hermes tools list", "the tools a model would get"),
        command("hermes tools call NAME", "call one by hand"),
        command("hermes mcp serve", "offer them to your editor or agent"),
        command("hermes doctor", "check this installation"),
    ]);
    rows
}

fn pad(text: &str) -> usize {
    const WIDEST: usize = 28;
    WIDEST.saturating_sub(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::Colour;

    #[test]
    fn the_page_without_a_model() {
        let style = Style::new(Colour::Off, 80);
        let servers = [
            ServerChoice {
                provider: "ollama".into(),
                address: "http://127.0.0.1:11434".into(),
                models: vec!["qwen3:8b".into(), "llama3".into()],
            },
            ServerChoice {
                provider: "lmstudio".into(),
                address: "http://127.0.0.1:1234".into(),
                models: Vec::new(),
            },
        ];
        insta::assert_snapshot!(without_model(&servers, &style).join("\n"));
        let without = without_model(&[], &style).join("\n");
        assert!(!without.contains("Found on this machine"), "{without}");
    }

    #[test]
    fn a_conversation_begins_with_who_answers() {
        let status = SessionStatus {
            model: "some-model".into(),
            provider: "openrouter".into(),
            session_id: "20260101_120000_abcdef".into(),
            tools: 12,
            ..SessionStatus::default()
        };
        let rows = greeting(&status, &Style::new(Colour::Off, 80));
        assert!(
            rows[0]
                .ends_with("some-model (openrouter) · 12 tools · session 20260101_120000_abcdef")
        );
    }
}

//! Opening lists and doing what was chosen.

use crossterm::event::KeyEvent;
use hermes_protocol::NoticeLevel;
use serde_json::Value;

use super::outcome::CommandOutcome;
use super::picker::{Picker, PickerEvent, PickerItem};
use super::{ChatTerminal, Repl};
use crate::display::Style;

impl<S: ChatTerminal> Repl<S> {
    /// Opens a list; says so where there is nothing to choose.
    pub(super) fn pick(&mut self, picker: Picker) {
        if picker.is_empty() {
            let text = format!("{}: there is nothing to choose from.", picker.title());
            self.notice(NoticeLevel::Info, &text);
            return;
        }
        self.picker = Some(picker);
    }

    pub(super) fn on_picker_key(&mut self, key: KeyEvent) {
        let Some(picker) = &mut self.picker else { return };
        match picker.on_key(key) {
            PickerEvent::Moved => {}
            PickerEvent::Closed => self.picker = None,
            PickerEvent::Chosen(line) => {
                self.picker = None;
                self.on_plain_line(&line, &line);
            }
        }
    }

    /// Opens a list of what a command of the command line prints as JSON.
    pub(super) fn pick_from(
        &mut self,
        title: &'static str,
        words: &'static [&'static str],
        item: fn(&Value) -> Option<PickerItem>,
    ) {
        let run = self.terminal.command_line();
        let style = Style { colour: crate::display::Colour::Off, ..self.style() };
        self.ask_agent(move |_| async move {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let printed = tokio::task::spawn_blocking(move || run(&words, &style)).await?;
            let listed: Vec<Value> = match serde_json::from_str(&printed.join("\n")) {
                Ok(listed) => listed,
                // It said something else, such as why there is no list.
                Err(_) => return Ok(CommandOutcome::Rows(printed)),
            };
            let items = listed.iter().filter_map(item).collect();
            Ok(CommandOutcome::Pick(Picker::new(title, items)))
        });
    }
}

/// A tool, in the list of `/tools`.
pub(super) fn tool_item(listed: &Value) -> Option<PickerItem> {
    let text = |key: &str| listed.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let name = text("name");
    Some(PickerItem {
        about: format!("{} · {}", text("toolset"), text("status")),
        preview: text("description"),
        line: format!("/tools show {name}"),
        name: Some(name).filter(|name| !name.is_empty())?,
        is_current: false,
    })
}

/// A checkpoint, in the list of `/rollback`.
pub(super) fn checkpoint_item(listed: &Value) -> Option<PickerItem> {
    let text = |key: &str| listed.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let hash = text("hash");
    Some(PickerItem {
        about: format!("{} · {}", text("time"), text("reason")),
        preview: format!(
            "{} files changed, +{} −{}. Enter puts the project's files back to this state.",
            listed["files_changed"], listed["insertions"], listed["deletions"]
        ),
        line: format!("/rollback {hash}"),
        name: Some(text("short")).filter(|name| !name.is_empty())?,
        is_current: false,
    })
}

/// An MCP server, in the list of `/mcp`.
pub(super) fn server_item(listed: &Value) -> Option<PickerItem> {
    let text = |key: &str| listed.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let name = text("name");
    Some(PickerItem {
        about: format!("{} · {}", text("transport"), text("state")),
        preview: text("target"),
        line: format!("/mcp test {name}"),
        name: Some(name).filter(|name| !name.is_empty())?,
        is_current: false,
    })
}

/// A profile, in the list of `/profile`.
pub(super) fn profile_item(listed: &Value) -> Option<PickerItem> {
    let text = |key: &str| listed.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let name = text("name");
    Some(PickerItem {
        about: Some(text("description"))
            .filter(|about| !about.is_empty())
            .unwrap_or_else(|| text("home")),
        preview: format!(
            "State is kept in {}.\nEnter: from the next start on; `hermes -p {name}` for one conversation.",
            text("home")
        ),
        line: format!("/profile use {name}"),
        name: Some(name).filter(|name| !name.is_empty())?,
        is_current: listed["is_active"] == true,
    })
}

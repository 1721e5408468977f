//! `hermes memory`: the notes that sessions begin with, by hand.
//!
//! Changes take the same way as the agent's own: the same limits, the same lock, the same refusals.
//! What the agent wanted to change while nobody could be asked is in [`pending`].

mod pending;

use hermes_tools::memory::{
    Memory, MemoryAction, MemorySettings, MemoryStore, MemoryTarget, entries,
};
use owo_colors::OwoColorize;
use serde_json::{Value, json};

use crate::args::{MemoryCommand, MemoryOptions, MemoryWhose};
use crate::exit::Exit;
use crate::host::{self, Host};
use crate::ui::Ui;
use pending::Word;

/// Runs one of the subcommands.
pub(crate) fn run(command: &MemoryCommand, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    let store = MemoryStore::new(host.home(), MemorySettings::from_config(host.config().value()));
    match command {
        MemoryCommand::Show { json } => show(&store, *json, ui),
        MemoryCommand::Pending { json } => pending::list(&store, *json, ui),
        MemoryCommand::Approve(choice) => pending::decide(&store, Word::Yes, choice, ui),
        MemoryCommand::Reject(choice) => pending::decide(&store, Word::No, choice, ui),
        MemoryCommand::Path { json } => path(&store, *json, ui),
        MemoryCommand::Add { text, options } => {
            change(&store, MemoryAction::Add, Some(text), None, options, ui)
        }
        MemoryCommand::Replace { old, new, options } => {
            change(&store, MemoryAction::Replace, Some(new), Some(old), options, ui)
        }
        MemoryCommand::Remove { old, options } => {
            change(&store, MemoryAction::Remove, None, Some(old), options, ui)
        }
    }
}

/// Both kinds of notes, with their names for people and for programs.
const KINDS: [(MemoryTarget, &str, &str); 2] = [
    (MemoryTarget::Memory, "memory", "What the agent noted for itself"),
    (MemoryTarget::User, "user", "What the agent knows of you"),
];

fn show(store: &MemoryStore, as_json: bool, ui: &mut Ui) -> anyhow::Result<Exit> {
    let mut all = serde_json::Map::new();
    for (target, name, title) in KINDS {
        let list = store.entries(target)?;
        let (size, limit) = (entries::size(&list), store.settings().limit(target));
        if as_json {
            let path = store.path(target);
            let off = store.settings().turned_off_by(target).is_some();
            all.insert(
                name.into(),
                json!({"entries": list, "chars": size, "limit": limit, "enabled": !off, "path": path}),
            );
            continue;
        }
        ui.line(format_args!("{} ({size} of {limit} characters)", title.bold()))?;
        for entry in &list {
            ui.prose(&format!("- {}", entry.replace('\n', "\n  ")))?;
        }
        if list.is_empty() {
            ui.line("  nothing yet")?;
        }
        if let Some(key) = store.settings().turned_off_by(target) {
            ui.note(format_args!("turned off; `hermes config set {key} true` turns it on"))?;
        }
    }
    if as_json {
        ui.json(&all)?;
    }
    Ok(Exit::Done)
}

fn path(store: &MemoryStore, as_json: bool, ui: &mut Ui) -> anyhow::Result<Exit> {
    let paths = KINDS.map(|(target, name, _)| (name, store.path(target)));
    if as_json {
        ui.json(&Value::from_iter(paths.map(|(name, path)| (name, json!(path)))))?;
    } else {
        for (_, path) in paths {
            ui.line(path.display())?;
        }
    }
    Ok(Exit::Done)
}

fn change(
    store: &MemoryStore,
    action: MemoryAction,
    content: Option<&String>,
    old_text: Option<&String>,
    options: &MemoryOptions,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let target = match options.target {
        MemoryWhose::Memory => MemoryTarget::Memory,
        MemoryWhose::User => MemoryTarget::User,
    };
    let answer = store.call(Memory {
        action: Some(action),
        target: Some(target),
        content: content.cloned(),
        old_text: old_text.cloned(),
        operations: None,
    });
    let entries = answer["current_entries"].as_array().into_iter().flatten();
    let names_one = |old: &String| {
        entries.filter_map(Value::as_str).filter(|entry| entry.contains(old.as_str())).count() == 1
    };
    let exit = match answer["success"] == true {
        true => Exit::Done,
        // No note, or several, hold what is to name one.
        false if !old_text.is_none_or(names_one) => Exit::Usage,
        false => Exit::Failed,
    };
    if options.json {
        ui.json(&answer)?;
        return Ok(exit);
    }
    let text = |key: &str| answer[key].as_str().unwrap_or_default();
    if exit == Exit::Done {
        ui.line(format_args!("{} {}", text("message"), text("usage").dimmed()))?;
        return Ok(exit);
    }
    ui.note(format_args!("{} {}", "error:".red().bold(), text("error")))?;
    for list in ["matches", "current_entries"] {
        for entry in answer[list].as_array().into_iter().flatten().filter_map(Value::as_str) {
            ui.note(format_args!("  - {}", entry.replace('\n', " ")))?;
        }
    }
    Ok(exit)
}

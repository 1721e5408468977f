//! `hermes memory pending|approve|reject`: changes of the notes that wait for a person's word.

use hermes_store::clock::local_time;
use hermes_store::pending::Pending;
use hermes_tools::memory::MemoryStore;
use owo_colors::OwoColorize;
use serde_json::{Value, json};

use crate::args::MemoryChoice;
use crate::exit::{Exit, UsageError};
use crate::ui::{Ui, count};

/// The word for every change.
const ALL: &str = "all";

/// What becomes of a change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Yes,
    No,
}

/// Lists what waits.
pub(super) fn list(store: &MemoryStore, as_json: bool, ui: &mut Ui) -> anyhow::Result<Exit> {
    let waiting = store.pending().list()?;
    if as_json {
        ui.json(&waiting)?;
        return Ok(Exit::Done);
    }
    for pending in &waiting {
        let about = format!("{}, session {}", local_time(pending.created_at), pending.origin);
        ui.line(format_args!("{}  {}", pending.id.bold(), about.dimmed()))?;
        for line in pending.summary.lines() {
            ui.prose(&format!("  {line}"))?;
        }
    }
    if waiting.is_empty() {
        ui.note("no change waits for your word")?;
    } else {
        ui.note("`memory approve ID` makes a change, `memory reject ID` throws it away")?;
    }
    Ok(Exit::Done)
}

/// Makes changes, or throws them away.
pub(super) fn decide(
    store: &MemoryStore,
    word: Word,
    choice: &MemoryChoice,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let chosen = match choice.id.as_str() {
        ALL => store.pending().list()?,
        id => {
            vec![store.pending().find(id).map_err(|problem| UsageError::new(problem.to_string()))?]
        }
    };
    let mut answers = Vec::new();
    for pending in &chosen {
        answers.push(match word {
            Word::Yes => store.replay(pending)?,
            Word::No => {
                store.pending().remove(pending)?;
                json!({"success": true, "message": "Thrown away."})
            }
        });
    }
    let is_done = |answer: &Value| answer["success"] == true;
    let exit = if answers.iter().all(is_done) { Exit::Done } else { Exit::Failed };
    if choice.json {
        let told =
            |(pending, answer): (&Pending, &Value)| json!({"id": pending.id, "answer": answer});
        let all: Vec<Value> = chosen.iter().zip(&answers).map(told).collect();
        ui.json(&all)?;
        return Ok(exit);
    }
    for (pending, answer) in chosen.iter().zip(&answers) {
        let text = |key: &str| answer[key].as_str().unwrap_or_default();
        if is_done(answer) {
            ui.line(format_args!("{}  {}", pending.id.bold(), text("message")))?;
        } else {
            let why = text("error");
            ui.note(format_args!("{} {}: {why}", "error:".red().bold(), pending.id))?;
        }
    }
    if chosen.len() != 1 {
        ui.note(count(chosen.len(), "change"))?;
    }
    Ok(exit)
}

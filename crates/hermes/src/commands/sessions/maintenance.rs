//! Titles, archive, numbers and upkeep.

use hermes_sessions::{Act, Archive, SessionDatabase};
use hermes_store::clock::local_time;

use super::args::Filter;
use super::{filter, look};
use crate::exit::{Exit, UsageError};
use crate::ui::{Table, Ui, count};

pub(super) fn rename(
    store: &SessionDatabase,
    wanted: &str,
    title: &str,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let session = store.find(wanted)?;
    let title = store.set_title(&session.id, title)?;
    ui.line(format_args!("{} is now {title}", session.id))?;
    Ok(Exit::Done)
}

pub(super) fn archive(
    store: &SessionDatabase,
    wanted: &str,
    undo: bool,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let session = store.find(wanted)?;
    let (state, word) =
        if undo { (Archive::Listed, "listed again") } else { (Archive::Hidden, "archived") };
    store.archive(&session.id, state)?;
    ui.line(format_args!("{} is {word}", session.id))?;
    Ok(Exit::Done)
}

pub(super) fn archive_all(
    store: &SessionDatabase,
    args: &Filter,
    is_dry: bool,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    if filter::is_empty(args) {
        return Err(UsageError::new(
            "say which session to archive, or which ones: `--older-than 30d`, `--source cron`",
        )
        .into());
    }
    let act = if is_dry { Act::Pretend } else { Act::Perform };
    let chosen = store.archive_all(&filter::read(args, None)?, act)?;
    look::table(&chosen, ui)?;
    let done = if is_dry { "would be archived" } else { "archived" };
    ui.note(format_args!("{} {done}", count(chosen.len(), "session")))?;
    Ok(Exit::Done)
}

pub(super) fn stats(store: &SessionDatabase, as_json: bool, ui: &mut Ui) -> anyhow::Result<Exit> {
    let stats = store.stats()?;
    if as_json {
        ui.json(&stats)?;
        return Ok(Exit::Done);
    }
    ui.line(format_args!(
        "{} sessions ({} archived), {} messages, {} tool calls",
        stats.sessions, stats.archived, stats.messages, stats.tool_calls
    ))?;
    if let (Some(oldest), Some(newest)) = (stats.oldest, stats.newest) {
        ui.line(format_args!("from {} to {}", local_time(oldest), local_time(newest)))?;
    }
    ui.line(format_args!(
        "{} tokens in, {} out, ${:.2}",
        stats.input_tokens, stats.output_tokens, stats.cost_usd
    ))?;
    ui.line(format_args!("{} in {}", size(stats.bytes), store.path().display()))?;
    for (name, rows) in [("source", &stats.by_source), ("model", &stats.by_model)] {
        if rows.is_empty() {
            continue;
        }
        let mut table = Table::new([name, "sessions"]).right(&[1]);
        for (value, number) in rows {
            let value = if value.is_empty() { "unknown" } else { value };
            table.row([value.into(), number.to_string().into()]);
        }
        ui.line("")?;
        ui.table(&table)?;
    }
    Ok(Exit::Done)
}

pub(super) fn optimize(store: &SessionDatabase, ui: &mut Ui) -> anyhow::Result<Exit> {
    if !store.path().exists() {
        ui.note("there is no sessions database yet")?;
        return Ok(Exit::Done);
    }
    let done = store.optimize()?;
    ui.line(format_args!("{} before, {} now", size(done.bytes_before), size(done.bytes_after)))?;
    Ok(Exit::Done)
}

pub(super) fn repair(
    store: &SessionDatabase,
    only_check: bool,
    as_json: bool,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    if !store.path().exists() {
        ui.note("there is no sessions database yet")?;
        return Ok(Exit::Done);
    }
    // A file that cannot even be opened is a complaint as well.
    let complaints = store.check().unwrap_or_else(|problem| vec![problem.to_string()]);
    if only_check || complaints.is_empty() {
        if as_json {
            ui.json(&serde_json::json!({"complaints": complaints}))?;
        } else if complaints.is_empty() {
            ui.line("the sessions database is sound")?;
        } else {
            complaints.iter().try_for_each(|complaint| ui.line(complaint))?;
        }
        return Ok(if complaints.is_empty() { Exit::Done } else { Exit::Failed });
    }
    let repaired = store.repair()?;
    if as_json {
        ui.json(&repaired)?;
    } else {
        ui.line(format_args!("the damaged database is kept as {}", repaired.backup.display()))?;
        match repaired.salvaged_rows {
            None => ui.line("the search index was made anew")?,
            Some(rows) => {
                ui.line(format_args!("{} moved to a new database", count(rows, "row")))?;
            }
        }
        repaired.remaining.iter().try_for_each(|complaint| ui.warn(complaint))?;
    }
    Ok(if repaired.remaining.is_empty() { Exit::Done } else { Exit::Failed })
}

fn size(bytes: u64) -> String {
    const KIB: f64 = 1_024.0;
    let mut value = bytes as f64;
    for unit in ["bytes", "KiB", "MiB"] {
        if value < KIB {
            return format!("{value:.0} {unit}");
        }
        value /= KIB;
    }
    format!("{value:.1} GiB")
}

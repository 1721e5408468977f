//! `hermes tools list`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hermes_runtime::Runtime;
use hermes_tool::{Availability, Tool};
use owo_colors::Style;
use serde::Serialize;

use crate::args::ToolsList;
use crate::exit::{Exit, UsageError};
use crate::host::{self, Host};
use crate::ui::{Cell, Table, Ui, count};

/// One tool, as shown.
#[derive(Serialize)]
struct Row {
    name: Arc<str>,
    toolset: String,
    emoji: String,
    /// `available`, `unavailable` or `not in this build`.
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
    effects: Vec<&'static str>,
    requires_env: Vec<String>,
    description: String,
}

pub(crate) fn run(args: &ToolsList, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    let runtime = host.runtime();
    let _plugins = host::plugins(host, &runtime, ui)?;
    let names = names(args, host, &runtime, ui)?;
    let rows = rows(&runtime, host, &names);
    let missing = rows.iter().filter(|row| row.status == MISSING).count();
    let shown: Vec<&Row> = rows
        .iter()
        .filter(|row| args.all || args.toolset.is_some() || row.status != MISSING)
        .collect();
    if args.json {
        ui.json(&shown)?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(["", "tool", "toolset", "status", "about"]);
    for row in &shown {
        let (mark, style) = match row.status {
            AVAILABLE => ("✓ available".to_owned(), Style::new().green()),
            UNAVAILABLE => {
                let reason = row.reason.as_deref().unwrap_or("unavailable");
                (format!("✗ {reason}"), Style::new().yellow())
            }
            _ => ("– not in this build".to_owned(), Style::new().dimmed()),
        };
        table.row([
            row.emoji.as_str().into(),
            row.name.to_string().into(),
            Cell::dim(row.toolset.as_str()),
            Cell::styled(mark, style),
            first_sentence(&row.description).into(),
        ]);
    }
    ui.table(&table)?;
    footer(&shown, missing, args, ui)?;
    Ok(Exit::Done)
}

/// The beginning of a description, up to a full stop before a new sentence.
fn first_sentence(description: &str) -> &str {
    let line = description.lines().next().unwrap_or_default();
    let ends = line
        .match_indices(". ")
        .find(|(at, _)| line[at + 2..].chars().next().is_some_and(|next| !next.is_lowercase()));
    ends.map_or(line, |(at, _)| &line[..=at])
}

const AVAILABLE: &str = "available";
const UNAVAILABLE: &str = "unavailable";
const MISSING: &str = "not in this build";

/// The tools asked about: of one toolset, of all, or those the command line gets.
fn names(
    args: &ToolsList,
    host: &Host,
    runtime: &Runtime,
    ui: &mut Ui,
) -> anyhow::Result<BTreeSet<Arc<str>>> {
    let tables = runtime.registry().snapshot();
    let toolsets = runtime.toolsets().snapshot();
    if let Some(toolset) = &args.toolset {
        if !toolsets.is_valid(toolset, &*tables) {
            let nearest = toolsets.suggestion(toolset, &*tables);
            return Err(UsageError::unknown(
                "toolset",
                toolset,
                nearest.as_deref(),
                "hermes toolsets list",
            )
            .into());
        }
        return Ok(toolsets.resolve(toolset, &*tables).into_iter().collect());
    }
    if args.all {
        return Ok(toolsets.resolve("all", &*tables).into_iter().collect());
    }
    let enabled = host::scope(host, runtime, ui)?.enabled.unwrap_or_default();
    Ok(toolsets.resolve_each(enabled.iter().map(String::as_str), &*tables).into_iter().collect())
}

fn rows(runtime: &Runtime, host: &Host, names: &BTreeSet<Arc<str>>) -> Vec<Row> {
    let tables = runtime.registry().snapshot();
    let tools: BTreeMap<&Arc<str>, &Tool> =
        names.iter().filter_map(|name| Some((name, tables.get(name)?))).collect();
    let pass = runtime.availability().pass(tools.values().copied(), host.vars());
    names
        .iter()
        .map(|name| match tools.get(name) {
            Some(tool) => registered_row(tool, pass.of(tool)),
            None => Row {
                name: Arc::clone(name),
                toolset: String::new(),
                emoji: String::new(),
                status: MISSING,
                reason: None,
                fix: None,
                effects: Vec::new(),
                requires_env: Vec::new(),
                description: String::new(),
            },
        })
        .collect()
}

fn registered_row(tool: &Tool, availability: Availability) -> Row {
    let (status, reason, fix) = match availability {
        Availability::Available => (AVAILABLE, None, None),
        Availability::Unavailable { reason, fix } => {
            (UNAVAILABLE, Some(reason), Some(fix).filter(|fix| !fix.is_empty()))
        }
    };
    Row {
        name: Arc::clone(tool.name()),
        toolset: tool.toolset().to_string(),
        emoji: tool.emoji().to_owned(),
        status,
        reason,
        fix,
        effects: tool.effects().iter().map(hermes_tool::Effect::name).collect(),
        requires_env: tool.requires_env().to_vec(),
        description: tool.description().to_owned(),
    }
}

fn footer(shown: &[&Row], missing: usize, args: &ToolsList, ui: &mut Ui) -> anyhow::Result<()> {
    for row in shown {
        if let Some(fix) = &row.fix {
            ui.note(format_args!("{}: {fix}", row.name))?;
        }
    }
    let available = shown.iter().filter(|row| row.status == AVAILABLE).count();
    let mut summary = format!("{available} of {} available", count(shown.len(), "tool"));
    if missing > 0 && !args.all && args.toolset.is_none() {
        summary += &format!("; {missing} more are not in this build (--all lists them)");
    }
    ui.note(summary)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_new_sentence_ends_the_first_one() {
        assert_eq!(
            first_sentence("Search, e.g. the web. Then read.\nMore."),
            "Search, e.g. the web."
        );
        assert_eq!(first_sentence("One line"), "One line");
        assert_eq!(first_sentence(""), "");
    }
}

//! `hermes mcp list`.
//!
//! By itself it says what the configuration says and talks to nobody. With `--check` every enabled
//! server is started, asked for its tools and stopped again.

use std::sync::Arc;
use std::time::Duration;

use hermes_mcp::client::settings::{ServerEntry, ToolFilter};
use hermes_mcp::client::status::{ServerState, ServerStatus};
use hermes_runtime::registry::Registry;
use owo_colors::Style;
use serde_json::{Value, json};

use super::args::List;
use super::{entries, waiting_for};
use crate::exit::Exit;
use crate::host::{self, Host};
use crate::ui::{Cell, Table, Ui};
use crate::workers::{block_on, telling};

/// How long all servers together may take to show themselves.
const CHECK: Duration = Duration::from_secs(120);

pub(super) fn run(args: &List, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    let entries = entries::all(host);
    let servers = host.mcp_servers(&Arc::new(Registry::new()), None);
    let mut rows = servers.status();
    if args.check {
        rows = block_on(async {
            servers.start();
            telling(servers.wait_ready(CHECK), || {
                let late = servers.unanswered();
                let late: Vec<&str> = late.iter().map(AsRef::as_ref).collect();
                // Whoever cannot be told this is told the outcome all the same.
                let _ = ui.warn(waiting_for(&late));
            })
            .await;
            let mut rows = servers.status();
            servers.stop().await;
            // One that is still being tried has failed at least once.
            for row in rows.iter_mut().filter(|row| row.state == ServerState::Connecting) {
                row.state = ServerState::Failed;
            }
            rows
        });
    }
    if args.json {
        let all: Vec<Value> =
            entries.iter().zip(&rows).map(|(entry, row)| as_json(entry, row)).collect();
        ui.json(&all)?;
    } else if entries.is_empty() {
        ui.note("no MCP server is configured; `hermes mcp add --help` shows how to add one")?;
    } else {
        ui.table(&table(&entries, &rows))?;
        for row in &rows {
            for line in row.error.iter().chain(&row.warnings) {
                ui.warn(format_args!("{}: {line}", row.name))?;
            }
        }
    }
    let failed =
        |row: &ServerStatus| matches!(row.state, ServerState::Failed | ServerState::Parked);
    Ok(if args.check && rows.iter().any(failed) { Exit::Failed } else { Exit::Done })
}

fn table(entries: &[ServerEntry], rows: &[ServerStatus]) -> Table {
    let mut table = Table::new(["NAME", "TRANSPORT", "STATE", "TOOLS", "WHERE"]);
    for (entry, row) in entries.iter().zip(rows) {
        let state = match row.state {
            ServerState::Connected => Style::new().green(),
            ServerState::Failed | ServerState::Parked => Style::new().red(),
            _ => Style::new(),
        };
        table.row([
            row.name.as_ref().into(),
            row.transport.into(),
            Cell::styled(row.state.label(), state),
            tools(entry, row).into(),
            Cell::dim(place(entry)),
        ]);
    }
    table
}

fn place(entry: &ServerEntry) -> String {
    entry.settings.as_ref().map_or_else(|_| String::new(), |settings| entries::place(settings))
}

/// How many tools there are, or what the configuration lets through.
fn tools(entry: &ServerEntry, row: &ServerStatus) -> String {
    if row.state == ServerState::Connected {
        return row.tools.to_string();
    }
    match entry.settings.as_ref().map(|settings| &settings.tools) {
        Ok(ToolFilter::Include(names)) => format!("only {}", names.len()),
        Ok(ToolFilter::Exclude(names)) => format!("all but {}", names.len()),
        Ok(ToolFilter::All) | Err(_) => "all".to_owned(),
    }
}

fn as_json(entry: &ServerEntry, row: &ServerStatus) -> Value {
    json!({
        "name": row.name,
        "transport": row.transport,
        "state": row.state.label(),
        "where": place(entry),
        "tools": (row.state == ServerState::Connected).then_some(row.tools),
        "error": row.error,
        "warnings": row.warnings,
        "server": row.server_info,
    })
}

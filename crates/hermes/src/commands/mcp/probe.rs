//! `hermes mcp test`: one connection, looked at closely.

use std::time::Instant;

use hermes_mcp::client::Probed;
use hermes_mcp::client::settings::ServerSettings;
use hermes_mcp::safety::scan_description;
use hermes_protocol::text::shown;
use hermes_runtime::registry::Registry;
use hermes_tui::elicit::TerminalPerson;
use owo_colors::{OwoColorize as _, Style};
use serde_json::{Value, json};

use super::args::Test;
use super::{entries, waiting_for};
use crate::exit::Exit;
use crate::host::{self, Host};
use crate::ui::{Cell, Table, Ui, count};
use crate::workers::{block_on, telling};

pub(super) fn run(args: &Test, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    let settings = entries::usable(host, &args.name, ui)?;
    let begun = Instant::now();
    let probed = probe(host, &args.name, ui)?;
    let took = begun.elapsed().as_millis();
    if args.json {
        ui.json(&as_json(&settings, &probed, took))?;
        return Ok(Exit::Done);
    }
    let server = probed.server_info.as_deref().unwrap_or("a server that gives no name");
    ui.line(format_args!(
        "{} {}: {}, {} in {took} ms",
        "✓".green(),
        args.name,
        shown(server),
        count(probed.tools.len(), "tool")
    ))?;
    let mut table = Table::new(["TOOL", "OFFERED", "WHAT IT DOES"]).wrapped();
    for (name, description) in &probed.tools {
        let is_offered = settings.tools.allows(name);
        let style = if is_offered { Style::new() } else { Style::new().dimmed() };
        table.row([
            Cell::styled(shown(name), style),
            if is_offered { "yes" } else { "no" }.into(),
            Cell::dim(first_sentence(description)),
        ]);
    }
    ui.table(&table)?;
    for (offers, what) in [(probed.has_resources, "resources"), (probed.has_prompts, "prompts")] {
        if offers {
            ui.line(format_args!("It also has {what}."))?;
        }
    }
    for (name, description) in &probed.tools {
        for finding in scan_description(description) {
            ui.warn(format_args!("the description of {name} looks like instructions: {finding}"))?;
        }
    }
    Ok(Exit::Done)
}

/// What a server says first of a tool.
fn first_sentence(description: &str) -> String {
    let line = description.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let end = line.find(". ").map_or(line.len(), |end| end + 1);
    shown(&line[..end])
}

/// Connects, lists, leaves.
pub(super) fn probe(host: &Host, name: &str, ui: &mut Ui) -> anyhow::Result<Probed> {
    let person = std::sync::Arc::new(TerminalPerson::default());
    let servers = host.mcp_servers(&std::sync::Arc::new(Registry::new()), Some(person));
    let probing = telling(servers.probe(name), || {
        // Whoever cannot be told this is told the outcome all the same.
        let _ = ui.warn(waiting_for(&[name]));
    });
    Ok(block_on(probing)?)
}

fn as_json(settings: &ServerSettings, probed: &Probed, took: u128) -> Value {
    let tools: Vec<Value> = probed
        .tools
        .iter()
        .map(|(name, description)| {
            json!({"name": name, "description": description,
                "offered": settings.tools.allows(name), "findings": scan_description(description)})
        })
        .collect();
    json!({
        "name": settings.name,
        "transport": settings.transport.label(),
        "server": probed.server_info,
        "milliseconds": took,
        "tools": tools,
        "resources": probed.has_resources,
        "prompts": probed.has_prompts,
    })
}

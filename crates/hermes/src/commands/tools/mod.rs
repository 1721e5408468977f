//! `hermes tools`: the tools by hand.

mod call;
mod list;
mod schema;
mod show;
mod toggle;

use hermes_runtime::Runtime;
use hermes_runtime::repair::name::{Known, NameRepair, repair_name};
use hermes_tool::Tool;

use crate::args::ToolsCommand;
use crate::exit::{Exit, UsageError};
use crate::host::{self, Host};
use crate::ui::Ui;

/// Runs one of the subcommands.
pub(crate) fn run(command: &ToolsCommand, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    match command {
        // They make no sense with a broken configuration, and say why.
        ToolsCommand::Enable(_) | ToolsCommand::Disable(_) => {}
        ToolsCommand::Call(_) if host.config_error().is_some() => {}
        _ => host::warn_about_files(host, ui)?,
    }
    match command {
        ToolsCommand::List(args) => list::run(args, host, ui),
        ToolsCommand::Show(args) => show::run(args, host, ui),
        ToolsCommand::Call(args) => call::run(args, host, ui),
        ToolsCommand::Schema(args) => schema::run(args, host, ui),
        ToolsCommand::Enable(args) => toggle::run(args, toggle::Switch::On, host, ui),
        ToolsCommand::Disable(args) => toggle::run(args, toggle::Switch::Off, host, ui),
    }
}

/// The tool a person means: typed exactly, or wrong in a way that leaves no doubt.
fn find_tool(runtime: &Runtime, typed: &str, ui: &mut Ui) -> anyhow::Result<Tool> {
    let tables = runtime.registry().snapshot();
    let mut known = Known::new(tables.names().iter().map(ToString::to_string));
    for (older, current) in tables.older_names() {
        known = known.with_legacy(older.to_string(), current.to_string());
    }
    let is_read_only =
        |name: &str| tables.get(name).is_some_and(|tool| tool.effects().is_read_only());
    let nearest = match repair_name(typed, &known, is_read_only) {
        NameRepair::Exact(name) => return known_tool(runtime, name),
        NameRepair::Repaired(name, _) => {
            ui.note(format_args!("(taking `{typed}` for `{name}`)"))?;
            return known_tool(runtime, name);
        }
        // A model is told of anything that resembles; a person only of what may be a slip.
        NameRepair::Unknown { nearest } => hermes_protocol::text::nearest(typed, nearest),
    };
    let named_somewhere = runtime.toolsets().snapshot().resolve("all", &*tables);
    if named_somewhere.iter().any(|name| name.as_ref() == typed) {
        return Err(UsageError::new(format!(
            "tool `{typed}` is named by a toolset, but this build does not have it\n  \
             `hermes tools list --all` shows which tools are there"
        ))
        .into());
    }
    Err(UsageError::unknown("tool", typed, nearest, "hermes tools list").into())
}

fn known_tool(runtime: &Runtime, name: &str) -> anyhow::Result<Tool> {
    runtime
        .registry()
        .get(name)
        .ok_or_else(|| UsageError::unknown("tool", name, None, "hermes tools list").into())
}

//! `hermes plugins`: programs that add tools, hooks and commands.
//!
//! `list` shows what is there and, from the record of its last run, what each plugin brings; it starts
//! none of them. `enable` and `disable` change config.yaml, comments kept; enabling starts the plugin
//! once, so that its record is there before the next conversation. `test` starts one, whether or not
//! it is enabled, because the user has just asked for that.
//!
//! What never happens here: a plugin takes part in a conversation because it was listed or tested.

mod args;
mod list;
mod show;
mod test;
mod toggle;

use hermes_plugins::Wake;
use hermes_plugins::discover::{Discovery, FoundPlugin};

pub(crate) use args::PluginsCommand;

use crate::exit::{Exit, UsageError, nearest};
use crate::host::{self, Host};
use crate::ui::Ui;
use crate::workers::block_on;

/// Runs one of the subcommands.
pub(crate) fn run(command: &PluginsCommand, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host.require_sound_config()?;
    match command {
        PluginsCommand::List { json, details } => {
            let shown =
                if *details || ui.is_verbose() { list::Shown::All } else { list::Shown::Brief };
            list::run(host, *json, shown, ui)
        }
        PluginsCommand::Enable { name, env, allow_tool_override, no_start } => {
            let request =
                toggle::EnableRequest { env, may_override: *allow_tool_override, start: !no_start };
            toggle::enable(host, name, &request, ui)
        }
        PluginsCommand::Disable { name } => toggle::disable(host, name, ui),
        PluginsCommand::Test { name, call, json } => {
            test::run(host, name, call.as_deref(), *json, ui)
        }
        PluginsCommand::Run { command, args } => run_command(host, command, args, ui),
    }
}

/// Everything there is; Python may be asked about packages.
fn discover(host: &Host) -> Discovery {
    block_on(host.plugin_setup().discover())
}

/// The plugin of a name.
fn find<'a>(discovery: &'a Discovery, name: &str, host: &Host) -> anyhow::Result<&'a FoundPlugin> {
    if let Some(found) = discovery.named(name) {
        return Ok(found);
    }
    let near = nearest(name, discovery.found.iter().map(|plugin| plugin.key.as_str()));
    let hint = near.map(|near| format!("\n  did you mean `{near}`?")).unwrap_or_default();
    let mut text = format!(
        "there is no plugin `{name}`{hint}\n  `hermes plugins list` lists them; a plugin is a folder \
         with a plugin.yaml in {}",
        host.home().plugins().display()
    );
    for problem in &discovery.problems {
        text.push_str(&format!("\n  {problem}"));
    }
    Err(UsageError::new(text).into())
}

/// Runs a command of a plugin for the shell; its exit code is ours.
fn run_command(host: &Host, name: &str, argv: &[String], ui: &mut Ui) -> anyhow::Result<Exit> {
    let runtime = host.runtime();
    let plugins = host::plugins(host, &runtime, ui)?;
    plugins.wake_blocking(Wake::Unknown);
    let Some(done) = plugins.run_cli(name, argv) else {
        let known: Vec<String> = plugins
            .reports()
            .into_iter()
            .flat_map(|report| report.cli_commands)
            .map(|command| command.name)
            .collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(UsageError::new(format!(
            "no enabled plugin has the command `{name}`\n  there are: {known}"
        ))
        .into());
    };
    let (code, out, err) = done?;
    for (text, is_data) in [(out, true), (err, false)] {
        let text = text.trim_end_matches('\n');
        match (text.is_empty(), is_data) {
            (true, _) => {}
            (false, true) => ui.line(text)?,
            (false, false) => ui.note(text)?,
        }
    }
    plugins.close_blocking();
    Ok(match code {
        0 => Exit::Done,
        2 => Exit::Usage,
        _ => Exit::Failed,
    })
}

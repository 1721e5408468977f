//! `hermes tools enable` and `disable`.

use hermes_store::config_edit::{self, Edit};
use hermes_store::key_path::KeyPath;

pub(crate) use hermes_runtime::toolsets::platform::Switch;

use crate::args::ToolsToggle;
use crate::exit::{Exit, UsageError};
use crate::host::{self, Host};
use crate::ui::Ui;

pub(crate) fn run(
    args: &ToolsToggle,
    switch: Switch,
    host: &Host,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    host.require_sound_config()?;
    let runtime = host.runtime();
    let _plugins = host::plugins(host, &runtime, ui)?;
    host::require_platform(host, &runtime, &args.platform)?;
    let outcome = host.with_platform(&runtime, &args.platform, |toolsets, request, tables| {
        toolsets.toggle(switch, &args.names, host.config().value(), request, tables)
    });
    let edits = outcome
        .edits
        .into_iter()
        .filter_map(|edit| Some(Edit::Set(KeyPath::from_segments(edit.path)?, edit.value)))
        .collect::<Vec<_>>();
    if !edits.is_empty() {
        let report = config_edit::apply(&host.home().config_file(), &edits)?;
        super::super::config::tell_lost_comments(&report, ui)?;
    }
    let word = match switch {
        Switch::On => "enabled",
        Switch::Off => "disabled",
    };
    for name in &outcome.switched {
        ui.line(format_args!("{word} {name} on {}", args.platform))?;
    }
    match outcome.problems.as_slice() {
        [] => Ok(Exit::Done),
        problems => {
            let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
            Err(UsageError::new(texts.join("\n")).into())
        }
    }
}

//! `hermes plugins enable` and `disable`.

use hermes_plugins::discover::{FoundPlugin, LoadChoice, Runs};
use hermes_plugins::{PluginSettings, Plugins, Wake};
use hermes_store::config::Config;
use hermes_store::config_edit::{self, Edit};
use hermes_store::key_path::KeyPath;
use serde_json::{Value, json};

use super::show;
use crate::exit::{Exit, UsageError};
use crate::host::Host;
use crate::ui::Ui;

/// What is wanted besides enabling.
pub(super) struct EnableRequest<'a> {
    /// Variables to hand over.
    pub(super) env: &'a [String],
    /// Whether it may replace tools of others.
    pub(super) may_override: bool,
    /// Whether to start it once.
    pub(super) start: bool,
}

pub(super) fn enable(
    host: &Host,
    name: &str,
    request: &EnableRequest<'_>,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let discovery = super::discover(host);
    let found = super::find(&discovery, name, host)?;
    let (key, settings) = (found.key.as_str(), PluginSettings::read(host.config().value()));
    let mut edits = Vec::new();
    if !settings.enabled.iter().any(|name| found.is_called(name)) {
        edits.push(Edit::Push(path(&["plugins", "enabled"])?, key.into()));
    }
    for disabled in settings.disabled.iter().filter(|name| found.is_called(name)) {
        edits.push(Edit::RemoveItem(path(&["plugins", "disabled"])?, disabled.as_str().into()));
    }
    let granted = settings.granted_env(key, &found.manifest.name);
    let mut wanted = granted.clone();
    wanted.extend(request.env.iter().filter(|name| !granted.contains(name)).cloned());
    if wanted != granted {
        edits.push(Edit::Set(path(&["plugins", "entries", key, "env"])?, json!(wanted)));
    }
    if request.may_override {
        let place = path(&["plugins", "entries", key, "allow_tool_override"])?;
        edits.push(Edit::Set(place, Value::Bool(true)));
    }
    apply(host, &edits, ui)?;
    match edits.is_empty() {
        true => ui.line(format_args!("{key} is enabled already"))?,
        false => ui.line(format_args!("enabled {key}"))?,
    }
    for name in request.env.iter().filter(|name| host.vars().non_blank(name).is_none()) {
        ui.note(format_args!("{name} is not set yet: hermes config set {name} VALUE"))?;
    }
    match found.choice(&PluginSettings::read(&changed(host)?)) {
        LoadChoice::Recorded => {
            let kind = found.manifest.kind;
            ui.note(format_args!("a plugin of kind {kind} is noted and not loaded by itself"))?;
            Ok(Exit::Done)
        }
        _ if !request.start || found.runs == Runs::Nothing => Ok(Exit::Done),
        _ => try_it(host, found, ui),
    }
}

/// Starts it once with the new settings, so that the next conversation knows what it brings.
fn try_it(host: &Host, found: &FoundPlugin, ui: &mut Ui) -> anyhow::Result<Exit> {
    let runtime = host.runtime();
    let mut setup = host.plugin_setup();
    setup.settings = PluginSettings::read(&changed(host)?);
    let plugins = Plugins::open_one(setup, &runtime, found.clone());
    plugins.wake_blocking(Wake::AndWait);
    let reports = plugins.reports();
    plugins.close_blocking();
    for report in &reports {
        if let Some(problem) = &report.error {
            ui.warn(format_args!("it does not work yet: {problem}"))?;
            return Ok(Exit::Failed);
        }
        for (label, text) in show::brings(report).iter().filter(|(_, text)| !text.is_empty()) {
            for (at, row) in text.lines().enumerate() {
                let label = if at == 0 { label } else { "" };
                ui.line(format_args!("  {label:<12} {row}"))?;
            }
        }
    }
    Ok(Exit::Done)
}

pub(super) fn disable(host: &Host, name: &str, ui: &mut Ui) -> anyhow::Result<Exit> {
    let settings = PluginSettings::read(host.config().value());
    let discovery = super::discover(host);
    let found = discovery.named(name);
    let is_called =
        |listed: &String| listed == name || found.is_some_and(|found| found.is_called(listed));
    let mut edits = Vec::new();
    for listed in settings.enabled.iter().filter(|listed| is_called(listed)) {
        edits.push(Edit::RemoveItem(path(&["plugins", "enabled"])?, listed.as_str().into()));
    }
    if edits.is_empty() && found.is_none() {
        super::find(&discovery, name, host)?;
    }
    let key = found.map_or(name, |found| found.key.as_str());
    if found.is_some() && !settings.disabled.iter().any(is_called) {
        edits.push(Edit::Push(path(&["plugins", "disabled"])?, key.into()));
    }
    apply(host, &edits, ui)?;
    match edits.is_empty() {
        true => ui.line(format_args!("{key} is disabled already"))?,
        false => ui.line(format_args!("disabled {key}"))?,
    }
    Ok(Exit::Done)
}

/// The settings as they are after the change.
fn changed(host: &Host) -> anyhow::Result<Value> {
    let lookup = |name: &str| host.vars().get(name).map(str::to_owned);
    Ok(Config::load(&host.home().config_file(), lookup)?.into_value())
}

fn apply(host: &Host, edits: &[Edit], ui: &mut Ui) -> anyhow::Result<()> {
    if !edits.is_empty() {
        let report = config_edit::apply(&host.home().config_file(), edits)?;
        super::super::config::tell_lost_comments(&report, ui)?;
    }
    Ok(())
}

fn path(segments: &[&str]) -> anyhow::Result<KeyPath> {
    let segments: Vec<String> = segments.iter().map(|part| (*part).to_owned()).collect();
    let shown = segments.join(".");
    KeyPath::from_segments(segments)
        .ok_or_else(|| UsageError::new(format!("`{shown}` cannot be a setting")).into())
}

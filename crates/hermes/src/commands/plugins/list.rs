//! `hermes plugins list`.

use hermes_plugins::discover::{FoundPlugin, LoadChoice, Runs};
use hermes_plugins::{PluginReport, PluginSettings, Plugins};
use owo_colors::Style;
use serde_json::{Value, json};

use super::show;
use crate::exit::Exit;
use crate::host::Host;
use crate::ui::{Cell, Table, Ui};

/// How much is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Brief,
    All,
}

pub(super) fn run(host: &Host, json: bool, shown: Shown, ui: &mut Ui) -> anyhow::Result<Exit> {
    let discovery = super::discover(host);
    let settings = PluginSettings::read(host.config().value());
    let runtime = host.runtime();
    let plugins = Plugins::open(host.plugin_setup(), &runtime);
    let reports = plugins.reports();
    let report = |plugin: &FoundPlugin| reports.iter().find(|report| report.key == plugin.key);
    if json {
        let rows: Vec<Value> =
            discovery.found.iter().map(|plugin| row(plugin, &settings, report(plugin))).collect();
        ui.json(&rows)?;
        return Ok(Exit::Done);
    }
    for problem in discovery.problems.iter().map(ToString::to_string).chain(missing(&plugins)) {
        ui.warn(problem)?;
    }
    if discovery.found.is_empty() {
        let folder = host.home().plugins();
        ui.note(format_args!(
            "no plugin is installed; a plugin is a folder with a plugin.yaml in {}",
            folder.display()
        ))?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(["plugin", "version", "from", "status", "brings"]).wrapped();
    for plugin in &discovery.found {
        let (status, style) = status(plugin, &settings, report(plugin));
        table.row([
            plugin.key.as_str().into(),
            Cell::dim(plugin.manifest.version.as_str()),
            Cell::dim(plugin.source.to_string()),
            Cell::styled(status, style),
            report(plugin)
                .map(show::summary)
                .unwrap_or_else(|| plugin.manifest.description.clone())
                .into(),
        ]);
    }
    ui.table(&table)?;
    if shown == Shown::All {
        for plugin in &discovery.found {
            ui.line("")?;
            show::details(plugin, report(plugin), ui)?;
        }
    }
    ui.note(
        "`hermes plugins enable NAME` loads one, `hermes plugins test NAME` tries it; --details tells \
         more",
    )?;
    Ok(Exit::Done)
}

/// Those that are enabled and not there.
fn missing(plugins: &Plugins) -> Vec<String> {
    plugins.problems().to_vec()
}

fn choice_name(choice: LoadChoice) -> &'static str {
    match choice {
        LoadChoice::Load => "enabled",
        LoadChoice::NotEnabled => "not enabled",
        LoadChoice::Disabled => "disabled",
        LoadChoice::Recorded => "recorded",
    }
}

/// Whether it is loaded, and what is wrong with it.
fn status(
    plugin: &FoundPlugin,
    settings: &PluginSettings,
    report: Option<&PluginReport>,
) -> (String, Style) {
    let choice = plugin.choice(settings);
    let word = choice_name(choice);
    if choice != LoadChoice::Load {
        return (format!("– {word}"), Style::new().dimmed());
    }
    if plugin.runs == Runs::Nothing {
        return ("✗ nothing to run".to_owned(), Style::new().yellow());
    }
    match report {
        Some(report) if !report.missing_env.is_empty() => {
            let names = report.missing_env.join(", ");
            (format!("✓ {word}; not given {names}"), Style::new().yellow())
        }
        Some(report) if !report.has_run => {
            (format!("✓ {word}; has not run yet"), Style::new().yellow())
        }
        _ => (format!("✓ {word}"), Style::new().green()),
    }
}

fn row(plugin: &FoundPlugin, settings: &PluginSettings, report: Option<&PluginReport>) -> Value {
    let manifest = &plugin.manifest;
    json!({
        "key": plugin.key,
        "name": manifest.name,
        "version": manifest.version,
        "description": manifest.description,
        "author": manifest.author,
        "kind": manifest.kind.name(),
        "source": plugin.source.to_string(),
        "folder": plugin.folder,
        "runs": match &plugin.runs {
            Runs::Python => json!("python"),
            Runs::EntryPoint(_) => json!("python package"),
            Runs::Command(words) => json!(words),
            Runs::Nothing => Value::Null,
        },
        "status": choice_name(plugin.choice(settings)),
        "requires_env": manifest.requires_env,
        "report": report,
    })
}

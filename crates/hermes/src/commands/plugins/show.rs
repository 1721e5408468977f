//! What a plugin brings, for people.

use hermes_plugins::PluginReport;
use hermes_plugins::discover::{FoundPlugin, Runs};

use crate::ui::{Ui, count};

/// A line on what it brings.
pub(super) fn summary(report: &PluginReport) -> String {
    let mut parts = Vec::new();
    match report.tools.as_slice() {
        [] => {}
        tools => parts.push(format!("{}: {}", count(tools.len(), "tool"), tools.join(", "))),
    }
    if !report.hooks.is_empty() {
        parts.push(count(report.hooks.len(), "hook"));
    }
    if !report.middleware.is_empty() {
        parts.push(format!("{} middleware", report.middleware.len()));
    }
    let commands: Vec<String> =
        report.commands.iter().map(|command| format!("/{}", command.name)).collect();
    if !commands.is_empty() {
        parts.push(commands.join(", "));
    }
    if !report.skills.is_empty() {
        parts.push(count(report.skills.len(), "skill"));
    }
    if !report.refused.is_empty() {
        parts.push(format!("{} refused", report.refused.len()));
    }
    if !report.unused.is_empty() {
        parts.push(format!("{} noted only", report.unused.len()));
    }
    parts.join("; ")
}

/// Everything that is known about it.
pub(super) fn details(
    plugin: &FoundPlugin,
    report: Option<&PluginReport>,
    ui: &mut Ui,
) -> anyhow::Result<()> {
    let manifest = &plugin.manifest;
    ui.line(format_args!("{} {}", plugin.key, manifest.version))?;
    let runs = match &plugin.runs {
        Runs::Python => format!("Python package in {}", plugin.folder.display()),
        Runs::EntryPoint(name) => format!("installed Python package, entry point {name}"),
        Runs::Command(words) => format!("`{}` in {}", words.join(" "), plugin.folder.display()),
        Runs::Nothing => format!("nothing to run in {}", plugin.folder.display()),
    };
    let mut lines = vec![("about", manifest.description.clone()), ("runs", runs)];
    lines.push(("kind", manifest.kind.to_string()));
    lines.push(("made by", manifest.author.clone()));
    if let Some(report) = report {
        lines.extend(brings(report));
    } else {
        lines.push(("promises", manifest.provides_tools.join(", ")));
    }
    for (label, text) in lines.iter().filter(|(_, text)| !text.is_empty()) {
        for (at, row) in text.lines().enumerate() {
            let label = if at == 0 { label } else { "" };
            ui.line(format_args!("  {label:<12} {row}"))?;
        }
    }
    Ok(())
}

/// What it brings, a row each.
pub(super) fn brings(report: &PluginReport) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    lines.push(("runs on", report.runs_on.clone().unwrap_or_default()));
    lines.push(("error", report.error.clone().unwrap_or_default()));
    lines.push(("tools", report.tools.join(", ")));
    let hooks: Vec<&str> = report.hooks.iter().map(|hook| hook.event.as_str()).collect();
    lines.push(("hooks", hooks.join(", ")));
    let layers: Vec<&str> = report.middleware.iter().map(|layer| layer.kind.as_str()).collect();
    lines.push(("middleware", layers.join(", ")));
    for command in &report.commands {
        let takes = if command.args_hint.is_empty() { "" } else { " " };
        let name = format!("/{}{takes}{}", command.name, command.args_hint);
        lines.push(("command", format!("{name}  {}", command.description)));
    }
    for command in &report.cli_commands {
        let name = format!("hermes plugins run {}", command.name);
        lines.push(("shell", format!("{name}  {}", command.description)));
    }
    let skills: Vec<&str> = report.skills.iter().map(|skill| skill.name.as_str()).collect();
    lines.push(("skills", skills.join(", ")));
    lines.extend(report.refused.iter().map(|what| ("not taken", what.clone())));
    lines.extend(report.unused.iter().map(|what| ("noted only", what.clone())));
    if !report.missing_env.is_empty() {
        let flags: Vec<String> =
            report.missing_env.iter().map(|name| format!("--env {name}")).collect();
        let how = format!("hermes plugins enable {} {}", report.key, flags.join(" "));
        lines.push((
            "not given",
            format!("{}\n`{how}` hands it over", report.missing_env.join(", ")),
        ));
    }
    if report.log.exists() {
        lines.push(("log", report.log.display().to_string()));
    }
    lines
}

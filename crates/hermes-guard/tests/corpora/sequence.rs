//! A line of a corpus, which may be a whole sequence of commands.

use hermes_guard::command::{Analysis, CommandContext, EarlierCommands, KeptShell, analyse};
use serde_json::Value;

/// The commands of a line, in order.
pub(crate) fn commands(entry: &Value) -> Vec<&str> {
    let list = |field: &str| entry[field].as_array().into_iter().flatten();
    let text = entry.as_str().or(entry["command"].as_str());
    list("steps").chain(list("before")).filter_map(Value::as_str).chain(text).collect()
}

/// What is found in any command of a line: an answer to one keeps the last from running.
pub(crate) fn judge(entry: &Value, place: &CommandContext<'_>) -> Analysis {
    let nothing = KeptShell::default();
    let kept = entry["kept"].as_str().map(|kept| KeptShell::read([], kept, Some(&nothing)));
    let mut earlier = EarlierCommands::default();
    let mut analysis = Analysis::default();
    let mut cwd = entry["cwd"].as_str().or(place.cwd).unwrap_or_default().to_owned();
    let home = cwd.match_indices('/').nth(2).map_or(cwd.as_str(), |(at, _)| &cwd[..at]).to_owned();
    for command in commands(entry) {
        let around =
            CommandContext { shell: kept.as_ref(), cwd: Some(&cwd), home: Some(&home), ..*place };
        let found = analyse(command, &around.after(Some(&earlier)));
        earlier.take_in(found.left);
        analysis.findings.extend(found.findings);
        cwd = after(command, &home, cwd);
    }
    analysis
}

/// Where a shell is after a command: what a terminal that keeps its shell knows.
fn after(command: &str, home: &str, cwd: String) -> String {
    let parts = command.split(['\n', ';', '&', '|']).map(str::trim);
    let moves = parts.filter_map(|part| match part.split_once(' ') {
        Some(("cd" | "pushd", to)) => Some(to.trim().trim_matches(['"', '\''])),
        None if part == "cd" => Some("~"),
        _ => None,
    });
    moves.fold(cwd, |cwd, to| {
        match (to.strip_prefix('~').or(to.strip_prefix("$HOME")), to.starts_with('/')) {
            (Some(rest), _) => format!("{home}{rest}"),
            (None, true) => to.to_owned(),
            (None, false) => format!("{cwd}/{to}"),
        }
    })
}

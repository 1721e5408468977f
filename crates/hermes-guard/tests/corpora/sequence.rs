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
    let home = match (cwd.starts_with("/home/"), cwd.match_indices('/').nth(2)) {
        (true, Some((at, _))) => cwd[..at].to_owned(),
        (true, None) => cwd.clone(),
        (false, _) => entry["home"].as_str().or(place.home).unwrap_or_default().to_owned(),
    };
    for command in commands(entry) {
        let around =
            CommandContext { shell: kept.as_ref(), cwd: Some(&cwd), home: Some(&home), ..*place };
        let found = analyse(command, &around.after(Some(&earlier)));
        earlier.take_in(found.left);
        analysis.findings.extend(found.findings);
        // Where a terminal that keeps its shell is then.
        cwd = found.cwd.unwrap_or(cwd);
    }
    analysis
}

//! Commands that settings hold: tasks of editors, hooks, servers, steps of pipelines.
//!
//! A file of settings is data, and data weighs less than code. But what stands behind `"command"` or `run:`
//! is run by whoever reads the settings.

use std::sync::LazyLock;

use regex::Regex;

use super::document::Language;
use super::fold::fold;
use super::reading::{Reading, StatementContext};

#[expect(clippy::expect_used, reason = "the pattern is a constant and every test runs it")]
static COMMAND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?i)(?:^|[\s{,"'-])[\w.-]*(?:command|run|script|exec|entry|cmd|hook|shell|install|prepare)[\w.-]*["']?\s*[:=]\s*\[?\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s"'{\[|>].*))"#,
    )
    .expect("constant pattern")
});

/// Adds what the lines of a file of settings would run.
pub(super) fn read(text: &str, place: StatementContext, reading: &mut Reading) {
    for (index, line) in text.lines().enumerate() {
        if !line.contains([':', '=']) {
            continue;
        }
        for found in COMMAND.captures_iter(line) {
            let Some(value) = found.iter().skip(1).flatten().next() else { continue };
            if !value.as_str().contains(' ') {
                continue;
            }
            let value = value.as_str().replace("\\\"", "\"").replace("\\\\", "\\");
            let first = reading.statements.len();
            reading.add(index + 1, &fold(&value), place, Language::Shell);
            reading.region_from(first, place, Language::Shell);
        }
    }
}

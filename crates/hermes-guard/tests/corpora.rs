//! Commands with labels: dangerous ones that must be found, everyday ones that must pass.

use hermes_guard::command::{Analysis, CommandContext, analyse};
use serde_json::Value;

/// At least so many dangerous commands are found.
const RECALL: f64 = 0.99;
/// At most so many everyday commands are flagged.
const FALSE_ALARMS: f64 = 0.005;

/// A line of a corpus with what was found in it.
struct Case {
    command: String,
    category: String,
    floor: bool,
    analysis: Analysis,
}

impl Case {
    fn describe(&self, what: &str) -> String {
        let found = self.analysis.findings.iter();
        let keys: Vec<&str> = found.map(|finding| finding.category).collect();
        format!("{what} [{}] {:?} {keys:?}", self.category, self.command)
    }
}

fn cases(corpus: &'static str) -> Vec<Case> {
    let around = CommandContext {
        home: Some("/home/user"),
        hermes_home: Some("/home/user/.hermes"),
        user: Some("user"),
        cwd: Some("/home/user/project"),
        temp_dir: Some("/tmp"),
        shell: None,
    };
    let case = |line: &str| {
        let entry: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("not JSON ({error}): {line}"));
        let text = |field: &str| entry[field].as_str().unwrap_or_default().to_owned();
        let command = text("command");
        let analysis = analyse(&command, &around);
        Case { command, category: text("category"), floor: entry["floor"] == true, analysis }
    };
    corpus.lines().filter(|line| !line.trim().is_empty()).map(case).collect()
}

/// What a check says about the cases it holds for, printed as well.
#[expect(clippy::print_stdout, reason = "shown when a test fails, or with --nocapture")]
fn complaints(cases: &[Case], what: &str, wrong: impl Fn(&Case) -> bool) -> Vec<String> {
    let found = cases.iter().filter(|case| wrong(case)).map(|case| case.describe(what));
    let found: Vec<String> = found.collect();
    println!("{what}: {} of {}\n{}", found.len(), cases.len(), found.join("\n"));
    found
}

#[expect(clippy::cast_precision_loss, reason = "counts of lines are small")]
fn share(part: usize, of: usize) -> f64 {
    part as f64 / of as f64
}

#[test]
fn dangerous_commands_are_found() {
    let cases = cases(include_str!("corpora/dangerous.jsonl"));
    let missed = complaints(&cases, "missed", |case| !case.analysis.is_dangerous());
    assert!(share(missed.len(), cases.len()) <= 1.0 - RECALL, "{missed:#?}");
    let softened =
        complaints(&cases, "not refused", |case| case.floor && !case.analysis.is_floor());
    let floors = cases.iter().filter(|case| case.floor).count();
    assert!(share(softened.len(), floors) <= 1.0 - RECALL, "{softened:#?}");
    let refused =
        complaints(&cases, "refused by mistake", |case| !case.floor && case.analysis.is_floor());
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn everyday_commands_pass() {
    let cases = cases(include_str!("corpora/everyday.jsonl"));
    let alarms = complaints(&cases, "false alarm", |case| case.analysis.is_dangerous());
    assert!(share(alarms.len(), cases.len()) <= FALSE_ALARMS, "{alarms:#?}");
    let refused = complaints(&cases, "refused", |case| case.analysis.is_floor());
    assert!(refused.is_empty(), "{refused:#?}");
}

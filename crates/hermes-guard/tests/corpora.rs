//! Commands with labels: dangerous ones that must be found, everyday ones that must pass.
//!
//! A line has a `command`, perhaps what earlier ones left in the shell (`kept`), or those themselves
//! (`before`). Rules are tuned on one half of each corpus and judged by the other ([`halves`]). `--nocapture` shows
//! the figures; the example `measure` shows them for any corpus.

use hermes_guard::command::Analysis;
use serde_json::Value;

#[path = "corpora/halves.rs"]
mod halves;
#[path = "corpora/sequence.rs"]
mod sequence;

/// At least so many dangerous commands are found, of the half that no rule was tuned on.
const RECALL: f64 = 0.99;
/// At most so many everyday commands are asked about, of the half that no rule was tuned on.
const FALSE_ALARMS: f64 = 0.005;

/// A line of a corpus with what was found in it.
struct Case {
    command: String,
    category: String,
    floor: bool,
    reported: bool,
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
    let case = |line: &str| {
        let entry: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("not JSON ({error}): {line}"));
        let text = |field: &str| entry[field].as_str().unwrap_or_default().to_owned();
        let command = text("command");
        let analysis = sequence::judge(&entry, &halves::PLACE);
        let reported = halves::is_reported(&command);
        Case {
            command,
            category: text("category"),
            floor: entry["floor"] == true,
            reported,
            analysis,
        }
    };
    corpus.lines().filter(|line| !line.trim().is_empty()).map(case).collect()
}

/// What a check says about the cases it holds for, printed as well.
#[expect(clippy::print_stdout, reason = "shown when a test fails, or with --nocapture")]
fn complaints<'c>(
    cases: impl IntoIterator<Item = &'c Case>,
    what: &str,
    wrong: impl Fn(&Case) -> bool,
) -> (Vec<String>, f64) {
    let cases: Vec<&Case> = cases.into_iter().collect();
    let found = cases.iter().filter(|case| wrong(case)).map(|case| case.describe(what));
    let found: Vec<String> = found.collect();
    let share = share(found.len(), cases.len());
    println!(
        "{what}: {} of {} ({:.2} %)\n{}",
        found.len(),
        cases.len(),
        100.0 * share,
        found.join("\n")
    );
    (found, share)
}

#[expect(clippy::cast_precision_loss, reason = "counts of lines are small")]
fn share(part: usize, of: usize) -> f64 {
    part as f64 / of as f64
}

#[test]
fn dangerous_commands_are_found() {
    let cases = cases(include_str!("corpora/dangerous.jsonl"));
    assert!(cases.len() >= 1_200, "{}", cases.len());
    let mut groups: Vec<&str> = cases.iter().map(|case| case.category.as_str()).collect();
    groups.sort_unstable();
    groups.dedup();
    assert!(groups.len() >= 20, "{groups:?}");
    let is_missed = |case: &Case| !case.analysis.is_dangerous();
    complaints(&cases, "missed", is_missed);
    let reported = cases.iter().filter(|case| case.reported);
    let (missed, share) = complaints(reported, "missed of the half for reporting", is_missed);
    assert!(share <= 1.0 - RECALL, "{missed:#?}");
    let floors = cases.iter().filter(|case| case.floor);
    let (softened, share) = complaints(floors, "not refused", |case| !case.analysis.is_floor());
    assert!(share <= 1.0 - RECALL, "{softened:#?}");
    let others = cases.iter().filter(|case| !case.floor);
    let (refused, _) = complaints(others, "refused by mistake", |case| case.analysis.is_floor());
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn everyday_commands_pass() {
    let cases = cases(include_str!("corpora/everyday.jsonl"));
    assert!(cases.len() >= 2_000, "{}", cases.len());
    let is_asked = |case: &Case| case.analysis.is_dangerous();
    complaints(&cases, "false alarm", is_asked);
    let reported = cases.iter().filter(|case| case.reported);
    let (alarms, share) = complaints(reported, "false alarm in the half for reporting", is_asked);
    assert!(share <= FALSE_ALARMS, "{alarms:#?}");
    let (refused, _) = complaints(&cases, "refused", |case| case.analysis.is_floor());
    assert!(refused.is_empty(), "{refused:#?}");
}

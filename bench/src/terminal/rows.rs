//! The rows of the terminal, the guard and redaction, and the target of each.

use super::redaction::Depth;
use super::texts::Kind;
use super::{Numbers, Theirs};
use crate::report::{Baseline, Row, Target};
use crate::units::Unit;

const SESSION: Target = Target::Above(1e6);
const TOOL: Target = Target::Above(2e6);
const GUARD: Target = Target::AtLeast(100_000.0);
const HOSTILE: Target = Target::AtMost(10e6);
const REDACTION: Target = Target::AtLeast(50e6);
const CROWD_MEMORY: Target = Target::AtMost(64e6);

/// All rows, in the order of printing.
pub(crate) fn rows(numbers: &Numbers) -> Vec<Row> {
    let Numbers { commands, crowd, guard, redaction, .. } = numbers;
    let bare = Baseline::Measured(commands.bare);
    let mut rows = vec![
        Row::new(
            "true, in a session, vs bash -c",
            Unit::Time,
            commands.environment,
            bare.clone(),
            SESSION,
        ),
        Row::new("true, by the tool, vs bash -c", Unit::Time, commands.tool, bare, TOOL),
        Row::new(
            "true, by the tool",
            Unit::Time,
            commands.tool,
            numbers.theirs(|theirs| theirs.commands),
            Target::None,
        ),
        Row::new(
            "1,000 commands at once, vs bash -c",
            Unit::Time,
            crowd.tool,
            Baseline::Measured(crowd.bare),
            Target::None,
        ),
        Row::new(
            "memory for 1,000 commands at once",
            Unit::Bytes,
            crowd.growth_bytes as f64,
            Baseline::Skipped,
            CROWD_MEMORY,
        ),
        Row::new(
            "guard, everyday commands",
            Unit::Rate,
            guard.everyday,
            numbers.theirs(|theirs| theirs.guard.as_ref().map(|guard| guard.everyday)),
            GUARD,
        ),
        Row::new(
            "guard, dangerous commands",
            Unit::Rate,
            guard.dangerous,
            numbers.theirs(|theirs| theirs.guard.as_ref().map(|guard| guard.dangerous)),
            GUARD,
        ),
    ];
    let (worst, of_what) = match guard.worst() {
        Some(worst) => (worst.ns, worst.name.as_str()),
        None => (f64::NAN, "nothing"),
    };
    let hostile =
        Row::new("guard, worst hostile command", Unit::Time, worst, Baseline::Skipped, HOSTILE);
    let count = guard.hostile.len();
    rows.push(
        hostile.remarked(format!(
            "of {count} texts of 128,000 characters, the one full of: {of_what}"
        )),
    );
    rows.extend(redaction.iter().map(|speed| {
        let same = |theirs: &Theirs| {
            let theirs = theirs.redaction.as_deref().unwrap_or_default();
            let found =
                theirs.iter().find(|other| (other.kind, other.depth) == (speed.kind, speed.depth));
            found.map(|found| found.bytes_per_second)
        };
        let name = match (speed.kind, speed.depth) {
            (Kind::Log, Depth::Full) => "redaction, log, all rules",
            (Kind::Log, Depth::Terminal) => "redaction, log, as output",
            (Kind::Source, Depth::Full) => "redaction, source, all rules",
            (Kind::Source, Depth::Terminal) => "redaction, source, as output",
            (Kind::Mixed, Depth::Full) => "redaction, mixed, all rules",
            (Kind::Mixed, Depth::Terminal) => "redaction, mixed, as output",
        };
        Row::new(name, Unit::Throughput, speed.bytes_per_second, numbers.theirs(same), REDACTION)
    }));
    rows
}

impl Numbers {
    /// The reference's number, or why there is none.
    fn theirs(&self, number: impl Fn(&Theirs) -> Option<f64>) -> Baseline {
        match &self.reference {
            None => Baseline::Skipped,
            Some(theirs) => match number(theirs) {
                Some(number) => Baseline::Measured(number),
                None => Baseline::Missing(STOPPED.to_owned()),
            },
        }
    }
}

const STOPPED: &str = "the reference did not finish in time and was stopped";

#[cfg(test)]
mod tests {
    use super::super::commands::Commands;
    use super::super::crowd::Crowd;
    use super::super::guard::{Guard, Hostile};
    use super::super::redaction::Speed;
    use super::*;
    use crate::report::Report;

    fn numbers(slower: f64) -> Numbers {
        let hostile = vec![Hostile { name: "quotes".to_owned(), ns: 5e6 * slower }];
        let speed = Speed { kind: Kind::Log, depth: Depth::Full, bytes_per_second: 60e6 / slower };
        Numbers {
            commands: Commands { bare: 1e6, environment: 1.6e6 * slower, tool: 2e6 * slower },
            crowd: Crowd { tool: 1e9, bare: 1e9, growth_bytes: (40e6 * slower) as u64 },
            guard: Guard { everyday: 110e3 / slower, dangerous: 120e3 / slower, hostile },
            redaction: vec![speed],
            reference: None,
        }
    }

    #[test]
    fn targets_need_no_reference() {
        let table = Report { rows: rows(&numbers(1.0)) }.table();
        assert!(table.contains("7 targets met, 0 missed, 0 not judged"), "{table}");
        assert!(table.contains("the one full of: quotes"), "{table}");
    }

    #[test]
    fn half_as_fast_is_not_enough() {
        let table = Report { rows: rows(&numbers(2.0)) }.table();
        assert!(table.contains("1 targets met, 6 missed, 0 not judged"), "{table}");
    }

    #[test]
    fn a_reference_that_was_stopped_fails_nothing() {
        let theirs = Theirs { commands: Some(1e8), guard: None, redaction: None };
        let numbers = Numbers { reference: Some(theirs), ..numbers(1.0) };
        let report = Report { rows: rows(&numbers) };
        assert!(!report.misses_a_target());
        assert!(report.table().contains(STOPPED));
    }
}

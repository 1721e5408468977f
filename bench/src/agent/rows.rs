//! The rows of the agent and the target of each.

use super::{Numbers, Runs, Theirs};
use crate::report::{Baseline, Row, Target};
use crate::units::Unit;

/// Something that is judged.
struct Measure {
    /// The row against the reference, which has the target, and those against codex and goose.
    names: [&'static str; 3],
    unit: Unit,
    target: Target,
    number: fn(&Runs) -> f64,
}

macro_rules! names {
    ($name:literal) => {
        [$name, concat!($name, ", vs codex"), concat!($name, ", vs goose")]
    };
}

const MEASURES: [Measure; 7] = [
    Measure {
        names: names!("one answer, CPU"),
        unit: Unit::Time,
        target: Target::AtMost(25e6),
        number: |runs| runs.answer.cpu_ns,
    },
    Measure {
        names: names!("one answer, peak memory"),
        unit: Unit::Bytes,
        target: Target::AtMost(25e6),
        number: |runs| runs.answer.peak_bytes,
    },
    Measure {
        names: names!("start to first request"),
        unit: Unit::Time,
        target: Target::AtMost(20e6),
        number: |runs| runs.answer.first_request_ns,
    },
    Measure {
        names: names!("requests besides the question"),
        unit: Unit::Count,
        target: Target::AtMost(1.0),
        number: |runs| runs.answer.extra_requests,
    },
    Measure {
        names: names!("request with the default tools"),
        unit: Unit::Bytes,
        target: Target::AtMost(20e3),
        number: |runs| runs.answer.request_bytes,
    },
    Measure {
        names: names!("20 files, one a turn"),
        unit: Unit::Time,
        target: Target::AtMost(100e6),
        number: |runs| runs.turns.wall_ns,
    },
    Measure {
        names: names!("20 files at once, above one answer"),
        unit: Unit::Time,
        target: Target::AtMost(30e6),
        // Noise may make it less than nothing.
        number: |runs| (runs.parallel.wall_ns - runs.answer.wall_ns).max(0.0),
    },
];

/// All rows, in the order of printing.
pub(crate) fn rows(numbers: &Numbers) -> Vec<Row> {
    let others = [&numbers.reference, &numbers.codex, &numbers.goose];
    let mut rows = Vec::new();
    for (place, measure) in MEASURES.iter().enumerate() {
        for (side, (name, theirs)) in measure.names.into_iter().zip(others).enumerate() {
            // Only the reference was judged by; the others tell where the numbers stand.
            let target = if side == 0 { measure.target } else { Target::None };
            if side > 0 && theirs.is_none() {
                continue;
            }
            let baseline = baseline(theirs, measure.number);
            let row =
                Row::new(name, measure.unit, (measure.number)(&numbers.ours), baseline, target);
            rows.push(match theirs {
                // Once is enough.
                Some(Err(why)) if place == 0 => row.remarked(why.clone()),
                _ => row,
            });
        }
    }
    rows
}

fn baseline(theirs: &Theirs, number: fn(&Runs) -> f64) -> Baseline {
    match theirs {
        Some(Ok(runs)) => Baseline::Measured(number(runs)),
        Some(Err(_)) | None => Baseline::Skipped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::run::Run;
    use crate::report::Report;

    fn runs(scale: f64) -> Runs {
        let run = |wall_ns: f64| Run {
            wall_ns: wall_ns * scale,
            cpu_ns: 25e6 * scale,
            peak_bytes: 25e6 * scale,
            first_request_ns: 20e6 * scale,
            extra_requests: scale,
            request_bytes: 20e3 * scale,
        };
        Runs { answer: run(30e6), turns: run(100e6), parallel: run(60e6) }
    }

    fn table(scale: f64, codex: Theirs) -> String {
        let numbers =
            Numbers { ours: runs(scale), reference: Some(Ok(runs(9.0))), codex, goose: None };
        Report { rows: rows(&numbers) }.table()
    }

    #[test]
    fn every_measure_has_one_target_however_many_are_compared() {
        assert!(table(1.0, None).contains("7 targets met, 0 missed"), "{}", table(1.0, None));
        let missed = table(1.01, Some(Ok(runs(2.0))));
        assert!(missed.contains("0 targets met, 7 missed"), "{missed}");
    }

    #[test]
    fn a_program_that_could_not_be_measured_is_named_with_the_reason_once() {
        let table = table(1.0, Some(Err("no npm here".to_owned())));
        assert_eq!(table.matches("no npm here").count(), 1, "{table}");
        assert!(table.contains("7 targets met, 0 missed, 0 not judged"), "{table}");
    }
}

//! The rows of the file tools and the target of each.

use super::job::Work;
use super::{Theirs, Times};
use crate::report::{Baseline, Row, Target};
use crate::rows::NO_RIPGREP;
use crate::units::Unit;

const LARGE_SEARCH: Target = Target::Times(1.1);
const SMALL_SEARCH: Target = Target::Times(1.0);
const READ_OR_PATCH: Target = Target::Times(1.0 / 20.0);
const WRITE: Target = Target::Times(1.0 / 10.0);

/// All rows of the file tools, in the order of printing.
pub(crate) fn rows(times: &[Times]) -> Vec<Row> {
    times.iter().flat_map(rows_of).collect()
}

fn rows_of(times: &Times) -> Vec<Row> {
    let against_ripgrep = |name, target| {
        let ripgrep = match times.ripgrep {
            Some(ns) => Baseline::Measured(ns),
            None => Baseline::Missing(NO_RIPGREP.to_owned()),
        };
        Row::new(name, Unit::Time, times.ours, ripgrep, target)
    };
    let against_reference = |target| {
        let reference = match times.reference {
            None => Baseline::Skipped,
            Some(Theirs::Took(ns)) => Baseline::Measured(ns),
            Some(Theirs::StoppedAfter(ns)) => Baseline::AtLeast(ns),
        };
        Row::new(times.work.name(), Unit::Time, times.ours, reference, target)
    };
    match times.work {
        Work::SearchLarge => vec![
            against_ripgrep("search, 32,000 files, vs ripgrep", LARGE_SEARCH),
            against_reference(Target::None),
        ],
        Work::SearchSmall => vec![
            against_ripgrep("search, 50 files, vs ripgrep", SMALL_SEARCH),
            against_reference(Target::None),
        ],
        Work::NewWindow => vec![against_reference(Target::None)],
        Work::Write => vec![against_reference(WRITE)],
        _ => vec![against_reference(READ_OR_PATCH)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Report;

    fn report(ours: f64, reference: Option<Theirs>, ripgrep: Option<f64>) -> Report {
        let times = |work: &Work| Times { work: *work, ours, reference, ripgrep };
        Report { rows: rows(&Work::ALL.iter().map(times).collect::<Vec<_>>()) }
    }

    #[test]
    fn every_job_has_one_target() {
        let table = report(1.0, Some(Theirs::Took(20.0)), Some(1.0)).table();
        assert!(table.contains("10 targets met, 0 missed, 0 not judged"), "{table}");
        let table = report(1.0, Some(Theirs::Took(19.0)), Some(0.95)).table();
        assert!(table.contains("2 targets met, 8 missed, 0 not judged"), "{table}");
    }

    #[test]
    fn searches_fail_without_ripgrep() {
        let table = report(1.0, None, None).table();
        assert!(table.contains("0 targets met, 2 missed, 8 not judged"), "{table}");
    }
}

//! The rows of the report and the target of each: the one place where targets stand.

use crate::measurements::{Cold, Hot, Measurements};
use crate::report::{Baseline, Row, Target};
use crate::start::Starts;
use crate::units::Unit;

const START_OF_RIPGREP: Target = Target::Times(3.0);
const START_OF_REFERENCE: Target = Target::Times(1.0 / 50.0);
const CACHED: Target = Target::Times(1.0 / 50.0);
const CALL: Target = Target::Times(1.0 / 10.0);
const MEMORY: Target = Target::AtMost(15e6);

/// What to do about a missing ripgrep.
pub(crate) const NO_RIPGREP: &str = "ripgrep is not installed, so this target cannot be judged; \
    install it with `apt-get install ripgrep` or `cargo install ripgrep`";

/// All rows, in the order of printing. Without `reference` the rows that compare with it
/// are not judged.
pub(crate) fn rows(
    starts: &Starts,
    ours: &Measurements,
    reference: Option<&Measurements>,
) -> Vec<Row> {
    let cold = |name, unit, target, number: fn(&Cold) -> f64| {
        let theirs = reference.map(|reference| number(&reference.cold));
        Row::new(name, unit, number(&ours.cold), theirs, target)
    };
    let hot = |name, target, number: fn(&Hot) -> f64| {
        let theirs = reference.map(|reference| number(&reference.hot));
        Row::new(name, Unit::Time, number(&ours.hot), theirs, target)
    };
    let ripgrep = starts.ripgrep.map_or_else(
        || Baseline::Missing(NO_RIPGREP.to_owned()),
        |cost| Baseline::Measured(cost.wall_ns),
    );
    let reference_cpu = starts.reference.map(|cost| cost.cpu_ns);
    let reference_wall = starts.reference.map(|cost| cost.wall_ns);
    let time = Unit::Time;

    vec![
        Row::new(
            "--version, wall, vs ripgrep",
            time,
            starts.ours.wall_ns,
            ripgrep,
            START_OF_RIPGREP,
        ),
        Row::new("--version, wall", time, starts.ours.wall_ns, reference_wall, Target::None),
        Row::new("--version, CPU", time, starts.ours.cpu_ns, reference_cpu, START_OF_REFERENCE),
        cold("load, CPU", time, Target::None, |cold| cold.load.cpu_ns),
        cold("definitions, cold, wall", time, Target::None, |cold| cold.definitions.wall_ns),
        cold("definitions, cold, CPU", time, Target::None, |cold| cold.definitions.cpu_ns),
        hot("definitions, cached", CACHED, |hot| hot.definitions_cached_ns),
        hot("definitions, recomputed", Target::None, |hot| hot.definitions_recomputed_ns),
        hot("dispatch, sync tool", CALL, |hot| hot.dispatch_sync_ns),
        hot("dispatch, async tool", CALL, |hot| hot.dispatch_async_ns),
        hot("full pipeline, sync tool", CALL, |hot| hot.pipeline_sync_ns),
        hot("full pipeline, async tool", CALL, |hot| hot.pipeline_async_ns),
        hot("coercion, nothing to do", CALL, |hot| hot.coerce_fitting_ns),
        hot("coercion, 4 of 5 converted", CALL, |hot| hot.coerce_converting_ns),
        cold("memory after definitions", Unit::Bytes, MEMORY, |cold| cold.resident_bytes as f64),
        cold("default schema", Unit::Bytes, Target::None, |cold| cold.schema_bytes as f64),
        cold("tools in it", Unit::Count, Target::None, |cold| cold.tools as f64),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurements::Cost;
    use crate::report::Report;

    fn measurements(scale: f64) -> Measurements {
        let cost = Cost { wall_ns: scale, cpu_ns: scale };
        Measurements {
            cold: Cold {
                load: cost,
                definitions: cost,
                resident_bytes: 10_000_000,
                schema_bytes: 40_000,
                tools: 16,
            },
            hot: Hot {
                definitions_cached_ns: scale,
                definitions_recomputed_ns: scale,
                dispatch_sync_ns: scale,
                dispatch_async_ns: scale,
                pipeline_sync_ns: scale,
                pipeline_async_ns: scale,
                coerce_fitting_ns: scale,
                coerce_converting_ns: scale,
            },
        }
    }

    fn starts(ripgrep: Option<f64>, reference: Option<f64>) -> Starts {
        let cost = |ns| Cost { wall_ns: ns, cpu_ns: ns };
        Starts { ours: cost(1.0), ripgrep: ripgrep.map(cost), reference: reference.map(cost) }
    }

    #[test]
    fn passes_when_all_targets_are_met() {
        let starts = starts(Some(1.0), Some(50.0));
        let rows = rows(&starts, &measurements(1.0), Some(&measurements(50.0)));
        assert!(!Report { rows }.misses_a_target());
    }

    #[test]
    fn a_ninth_of_the_reference_is_not_enough() {
        let starts = starts(Some(1.0), Some(50.0));
        let rows = rows(&starts, &measurements(1.0), Some(&measurements(9.0)));
        let table = Report { rows }.table();
        assert!(table.contains("3 targets met, 7 missed, 0 not judged"), "{table}");
    }

    #[test]
    fn fails_without_ripgrep_and_says_how_to_get_it() {
        let rows = rows(&starts(None, None), &measurements(1.0), None);
        let report = Report { rows };
        assert!(report.misses_a_target());
        assert!(report.table().contains("apt-get install ripgrep"));
    }

    #[test]
    fn counts_what_is_not_judged_without_the_reference() {
        let rows = rows(&starts(Some(1.0), None), &measurements(1.0), None);
        let report = Report { rows };
        assert!(!report.misses_a_target());
        let table = report.table();
        assert!(table.contains("2 targets met, 0 missed, 8 not judged"), "{table}");
    }
}

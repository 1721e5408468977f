//! The rows of MCP and the target of each.

use super::Numbers;
use crate::report::{Baseline, Row, Target};
use crate::units::Unit;

const VERSUS_RAW: Target = Target::Times(1.5);
const VERSUS_REFERENCE: Target = Target::Times(1.0 / 5.0);
const FOUR: Target = Target::AtMost(1.2e9);

/// All rows, in the order of printing.
pub(crate) fn rows(numbers: &Numbers) -> Vec<Row> {
    let theirs =
        |number: fn(&super::Theirs) -> f64| Baseline::from(numbers.reference.as_ref().map(number));
    vec![
        Row::new(
            "echo over stdio, vs bare pipes",
            Unit::Time,
            numbers.echo,
            Baseline::Measured(numbers.raw_echo),
            VERSUS_RAW,
        ),
        Row::new(
            "echo over stdio",
            Unit::Time,
            numbers.echo,
            theirs(|theirs| theirs.echo),
            VERSUS_REFERENCE,
        ),
        Row::new(
            "four calls of 1 s at once",
            Unit::Time,
            numbers.four,
            theirs(|theirs| theirs.four),
            FOUR,
        ),
    ]
}

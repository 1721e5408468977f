//! The rows of MCP and the target of each.

use super::{Echoes, Numbers};
use crate::report::{Baseline, Row, Target};
use crate::units::Unit;

const VERSUS_RAW: Target = Target::Times(2.0);
const VERSUS_REFERENCE: Target = Target::Times(1.0 / 5.0);
const FOUR: Target = Target::AtMost(1.2e9);

/// All rows, in the order of printing.
pub(crate) fn rows(numbers: &Numbers) -> Vec<Row> {
    let Numbers { real, small, four, reference_four } = numbers;
    let row = |name, ours, theirs, target| Row::new(name, Unit::Time, ours, theirs, target);
    let bare = |echoes: &Echoes| Baseline::Measured(echoes.bare);
    let theirs = |echoes: &Echoes| Baseline::from(echoes.reference);
    let (waited, patience) = (Baseline::from(*reference_four), FOUR);
    vec![
        row("echo over stdio, vs bare pipes", real.ours, bare(real), VERSUS_RAW),
        // The server's own time is most of it, as the row below shows.
        row("echo over stdio", real.ours, theirs(real), Target::None),
        row("bare pipes over stdio", real.bare, theirs(real), Target::None),
        row("echo-only server, vs bare pipes", small.ours, bare(small), Target::None),
        row("echo-only server", small.ours, theirs(small), VERSUS_REFERENCE),
        row("four calls of 1 s at once", *four, waited, patience),
    ]
}

//! The rows of MCP and the target of each.

use super::{Echoes, Numbers};
use crate::report::{Baseline, Row, Target};
use crate::units::Unit;

const VERSUS_RAW: Target = Target::Times(1.5);
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
        row("echo over stdio, vs bare pipes", small.ours, bare(small), VERSUS_RAW),
        row("echo over stdio", small.ours, theirs(small), VERSUS_REFERENCE),
        row("echo, server-everything, vs bare pipes", real.ours, bare(real), VERSUS_RAW),
        // The server's own time is most of it, as the row below shows.
        row("echo, server-everything", real.ours, theirs(real), Target::None),
        row("bare pipes, server-everything", real.bare, theirs(real), Target::None),
        row("four calls of 1 s at once", *four, waited, patience),
    ]
}

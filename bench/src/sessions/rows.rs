//! The rows of the sessions and the target of each.

use super::Numbers;
use crate::report::{Baseline, Row, Target};
use crate::units::Unit;

const SEARCH: Target = Target::AtMost(20e6);

/// All rows, in the order of printing. Nothing here is compared with another program.
pub(crate) fn rows(numbers: &Numbers) -> Vec<Row> {
    let row = |name, unit, value, target| Row::new(name, unit, value, Baseline::Skipped, target);
    let mut rows: Vec<Row> =
        numbers.searches.iter().map(|(name, ns)| row(*name, Unit::Time, *ns, SEARCH)).collect();
    rows.push(row("append a message", Unit::Time, numbers.append, Target::None));
    rows.push(row(
        "database of 1,000,000 messages",
        Unit::Bytes,
        numbers.bytes as f64,
        Target::None,
    ));
    rows.push(row("texts in it", Unit::Bytes, numbers.text_bytes as f64, Target::None));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Report;

    #[test]
    fn every_search_has_a_target() {
        let numbers = |ns| Numbers {
            searches: vec![("search, rare word", ns), ("search, phrase", 1e6)],
            append: 1e9,
            bytes: 1,
            text_bytes: 1,
        };
        let table = Report { rows: rows(&numbers(20e6)) }.table();
        assert!(table.contains("2 targets met, 0 missed"), "{table}");
        let table = Report { rows: rows(&numbers(21e6)) }.table();
        assert!(table.contains("1 missed"), "{table}");
    }
}

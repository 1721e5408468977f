//! Rows, targets and verdicts, and the two ways to print them.
//!
//! A row whose baseline could not be measured is a failed row: only leaving the
//! reference out on purpose makes a row "not judged", and the summary counts those.

use std::fmt::Write as _;

use serde::Serialize;

use crate::units::{Unit, ratio_text};

/// What ours is compared with in one row.
#[derive(Clone, Debug)]
pub(crate) enum Baseline {
    /// Measured in this run.
    Measured(f64),
    /// Left out on purpose.
    Skipped,
    /// Wanted, but not to be had: why, and what to do.
    Missing(String),
}

impl From<Option<f64>> for Baseline {
    /// A reference number, absent only when the reference was left out.
    fn from(value: Option<f64>) -> Self {
        value.map_or(Self::Skipped, Self::Measured)
    }
}

/// What a row has to reach.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// Told for information.
    None,
    /// Ours is at most so many times the baseline.
    Times(f64),
    /// Ours is at most this, in the row's unit.
    AtMost(f64),
}

/// How a row came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// The target is met.
    Pass,
    /// The target is missed, or could not be shown to be met.
    Fail,
    /// There is a target, but its baseline was left out on purpose.
    NotJudged,
    /// There is no target.
    Untargeted,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "FAIL",
            Self::NotJudged => "not judged",
            Self::Untargeted => "",
        }
    }
}

/// One line of the report.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    name: &'static str,
    unit: Unit,
    ours: f64,
    reference: Option<f64>,
    ratio: Option<f64>,
    target: Option<String>,
    verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Row {
    /// Judges one number against its baseline.
    pub(crate) fn new(
        name: &'static str,
        unit: Unit,
        ours: f64,
        baseline: impl Into<Baseline>,
        target: Target,
    ) -> Self {
        let baseline = baseline.into();
        let reference = match baseline {
            Baseline::Measured(value) => Some(value),
            Baseline::Skipped | Baseline::Missing(_) => None,
        };
        let ratio = reference.map(|reference| ours / reference);
        let verdict = match (target, &baseline, ratio) {
            (Target::None, ..) => Verdict::Untargeted,
            (Target::AtMost(limit), ..) => judge(ours, limit),
            (Target::Times(limit), _, Some(ratio)) => judge(ratio, limit),
            (Target::Times(_), Baseline::Skipped, None) => Verdict::NotJudged,
            (Target::Times(_), _, None) => Verdict::Fail,
        };
        let target = match target {
            Target::None => None,
            Target::Times(limit) => Some(format!("≤ {}", ratio_text(limit))),
            Target::AtMost(limit) => Some(format!("≤ {}", unit.text(limit))),
        };
        let note = match baseline {
            Baseline::Missing(why) => Some(why),
            Baseline::Measured(_) | Baseline::Skipped => None,
        };
        Self { name, unit, ours, reference, ratio, target, verdict, note }
    }

    fn cells(&self) -> [String; COLUMNS] {
        let reference = match (self.reference, &self.note) {
            (Some(value), _) => self.unit.text(value),
            (None, Some(_)) => "missing".to_owned(),
            (None, None) => "–".to_owned(),
        };
        [
            self.name.to_owned(),
            self.unit.text(self.ours),
            reference,
            self.ratio.map_or_else(|| "–".to_owned(), ratio_text),
            self.target.clone().unwrap_or_default(),
            self.verdict.word().to_owned(),
        ]
    }
}

/// A number that is not a number meets no target.
fn judge(value: f64, limit: f64) -> Verdict {
    if value <= limit { Verdict::Pass } else { Verdict::Fail }
}

const COLUMNS: usize = 6;
const HEADINGS: [&str; COLUMNS] = ["row", "ours", "reference", "ratio", "target", "result"];

/// All rows of one run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    /// In the order of printing.
    pub(crate) rows: Vec<Row>,
}

impl Report {
    /// Whether some target is missed.
    pub(crate) fn misses_a_target(&self) -> bool {
        self.count(Verdict::Fail) > 0
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.rows.iter().filter(|row| row.verdict == verdict).count()
    }

    /// The aligned table, the notes, and a line that sums up.
    pub(crate) fn table(&self) -> String {
        let mut lines = vec![HEADINGS.map(str::to_owned)];
        lines.extend(self.rows.iter().map(Row::cells));
        let widths: [usize; COLUMNS] = std::array::from_fn(|column| {
            lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0)
        });

        let mut text = String::new();
        for line in &lines {
            let mut shown = String::new();
            for (column, (cell, width)) in line.iter().zip(widths).enumerate() {
                // Numbers end in one line; the words at both ends begin in one.
                let _ = match column {
                    0 => write!(shown, "{cell:<width$}"),
                    column if column == COLUMNS - 1 => write!(shown, "  {cell:<width$}"),
                    _ => write!(shown, "  {cell:>width$}"),
                };
            }
            text.push_str(shown.trim_end());
            text.push('\n');
        }
        for row in &self.rows {
            if let Some(note) = &row.note {
                let _ = write!(text, "\n{}: {note}\n", row.name);
            }
        }
        let _ = writeln!(
            text,
            "\n{} targets met, {} missed, {} not judged",
            self.count(Verdict::Pass),
            self.count(Verdict::Fail),
            self.count(Verdict::NotJudged),
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(ours: f64, baseline: Baseline, target: Target) -> Row {
        Row::new("row", Unit::Time, ours, baseline, target)
    }

    #[test]
    fn judges_ratios_and_absolute_limits() {
        let measured = || Baseline::Measured(100.0);
        assert_eq!(row(10.0, measured(), Target::Times(0.1)).verdict, Verdict::Pass);
        assert_eq!(row(10.1, measured(), Target::Times(0.1)).verdict, Verdict::Fail);
        assert_eq!(row(5.0, Baseline::Skipped, Target::AtMost(5.0)).verdict, Verdict::Pass);
        assert_eq!(row(5.1, Baseline::Skipped, Target::AtMost(5.0)).verdict, Verdict::Fail);
        assert_eq!(row(f64::NAN, measured(), Target::AtMost(5.0)).verdict, Verdict::Fail);
        assert_eq!(row(1e9, measured(), Target::None).verdict, Verdict::Untargeted);
    }

    #[test]
    fn a_missing_baseline_fails_while_a_skipped_one_is_counted() {
        let missing = Baseline::Missing("install it".to_owned());
        let rows = vec![
            row(1.0, missing, Target::Times(3.0)),
            row(1.0, Baseline::Skipped, Target::Times(3.0)),
        ];
        let report = Report { rows };
        assert!(report.misses_a_target());
        let table = report.table();
        assert!(table.contains("row: install it"), "{table}");
        assert!(table.contains("0 targets met, 1 missed, 1 not judged"), "{table}");
    }

    #[test]
    fn aligns_columns_by_characters() {
        let report = Report {
            rows: vec![
                row(1_500.0, Baseline::Measured(3_000.0), Target::Times(1.0)),
                row(2_000_000.0, Baseline::Measured(1_000_000.0), Target::None),
            ],
        };
        let table = report.table();
        let lines: Vec<&str> = table.lines().take(3).collect();
        assert_eq!(
            lines,
            [
                "row     ours  reference  ratio  target  result",
                "row  1.50 µs    3.00 µs    1/2    ≤ 1×  pass",
                "row  2.00 ms    1.00 ms     2×",
            ]
        );
    }
}

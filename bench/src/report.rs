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
    /// Stopped before it was done: it takes at least this.
    AtLeast(f64),
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
    /// Ours is at most so much more than the baseline, in the row's unit.
    Above(f64),
    /// Ours is at most this, in the row's unit.
    AtMost(f64),
    /// Ours is at least this, in the row's unit.
    AtLeast(f64),
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
    /// Whether the reference was stopped, so that its number is too small and the ratio too large.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    reference_stopped: bool,
    ratio: Option<f64>,
    /// How much more than the baseline ours is, where that is what counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    above: Option<f64>,
    target: Option<String>,
    verdict: Verdict,
    /// Why there is no baseline, or what to know about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// What to know about our number.
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<String>,
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
            Baseline::Measured(value) | Baseline::AtLeast(value) => Some(value),
            Baseline::Skipped | Baseline::Missing(_) => None,
        };
        let reference_stopped = matches!(baseline, Baseline::AtLeast(_));
        let ratio = reference.map(|reference| ours / reference);
        let above = match target {
            Target::Above(_) => reference.map(|reference| ours - reference),
            _ => None,
        };
        let compared = match target {
            Target::Above(_) => above,
            _ => ratio,
        };
        let verdict = match (target, &baseline, compared) {
            (Target::None, ..) => Verdict::Untargeted,
            (Target::AtMost(limit), ..) => judge(ours, limit),
            (Target::AtLeast(limit), ..) => judge(limit, ours),
            (Target::Times(limit) | Target::Above(limit), _, Some(number)) => judge(number, limit),
            (Target::Times(_) | Target::Above(_), Baseline::Skipped, None) => Verdict::NotJudged,
            (Target::Times(_) | Target::Above(_), _, None) => Verdict::Fail,
        };
        let target = match target {
            Target::None => None,
            Target::Times(limit) => Some(format!("≤ {}", ratio_text(limit))),
            Target::Above(limit) => Some(format!("≤ +{}", unit.text(limit))),
            Target::AtMost(limit) => Some(format!("≤ {}", unit.text(limit))),
            Target::AtLeast(limit) => Some(format!("≥ {}", unit.text(limit))),
        };
        let note = match baseline {
            Baseline::Missing(why) => Some(why),
            Baseline::AtLeast(value) => Some(format!(
                "the reference did not finish in {} and was stopped; the ratio is at most this",
                unit.text(value)
            )),
            Baseline::Measured(_) | Baseline::Skipped => None,
        };
        Self {
            name,
            unit,
            ours,
            reference,
            reference_stopped,
            ratio,
            above,
            target,
            verdict,
            note,
            remark: None,
        }
    }

    /// The row with something to know about our number.
    pub(crate) fn remarked(mut self, remark: String) -> Self {
        self.remark = Some(remark);
        self
    }

    fn cells(&self) -> [String; COLUMNS] {
        let (above, below) = if self.reference_stopped { ("> ", "< ") } else { ("", "") };
        let reference = match (self.reference, &self.note) {
            (Some(value), _) => format!("{above}{}", self.unit.text(value)),
            (None, Some(_)) => "missing".to_owned(),
            (None, None) => "–".to_owned(),
        };
        let compared = match (self.above, self.ratio) {
            (Some(more), _) if more < 0.0 => format!("−{}", self.unit.text(-more)),
            (Some(more), _) => format!("+{}", self.unit.text(more)),
            (None, Some(ratio)) => below.to_owned() + &ratio_text(ratio),
            (None, None) => "–".to_owned(),
        };
        [
            self.name.to_owned(),
            self.unit.text(self.ours),
            reference,
            compared,
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
            for note in row.note.iter().chain(&row.remark) {
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
    fn judges_differences_and_lower_limits() {
        let above = |ours| row(ours, Baseline::Measured(1e6), Target::Above(1e6));
        assert_eq!(above(2e6).verdict, Verdict::Pass);
        assert_eq!(above(2.1e6).verdict, Verdict::Fail);
        assert_eq!(row(5.0, Baseline::Skipped, Target::AtLeast(5.0)).verdict, Verdict::Pass);
        assert_eq!(row(4.9, Baseline::Skipped, Target::AtLeast(5.0)).verdict, Verdict::Fail);
        assert_eq!(row(f64::NAN, Baseline::Skipped, Target::AtLeast(5.0)).verdict, Verdict::Fail);
        let table = Report { rows: vec![above(1.25e6), above(0.75e6)] }.table();
        assert!(table.contains("+250 µs  ≤ +1.00 ms"), "{table}");
        assert!(table.contains("−250 µs  ≤ +1.00 ms"), "{table}");
    }

    #[test]
    fn a_remark_is_printed_but_takes_nothing_from_the_row() {
        let row = row(1e3, Baseline::Skipped, Target::AtMost(2e3)).remarked("the worst".to_owned());
        let table = Report { rows: vec![row] }.table();
        assert!(table.contains("row: the worst") && !table.contains("missing"), "{table}");
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
    fn a_reference_that_was_stopped_is_a_bound() {
        let report = Report { rows: vec![row(1e9, Baseline::AtLeast(6e10), Target::Times(0.05))] };
        assert!(!report.misses_a_target());
        let table = report.table();
        assert!(table.contains("> 60.0 s  < 1/60"), "{table}");
        assert!(table.contains("row: the reference did not finish in 60.0 s"), "{table}");
        let unproven = row(4e9, Baseline::AtLeast(6e10), Target::Times(0.05));
        assert_eq!(unproven.verdict, Verdict::Fail);
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

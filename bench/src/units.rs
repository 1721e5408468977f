//! Numbers as people read them: three significant digits and a unit.

use serde::Serialize;

/// What a row's numbers count.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unit {
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Time,
    /// Bytes.
    Bytes,
    /// Things.
    Count,
    /// Things in a second.
    Rate,
    /// Bytes in a second.
    Throughput,
}

const TIMES: &[(f64, &str)] = &[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")];
const RATES: &[(f64, &str)] = &[(1e6, "M/s"), (1e3, "k/s"), (1.0, "/s")];
const THROUGHPUTS: &[(f64, &str)] = &[(1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s")];
const SIZES: &[(f64, &str)] = &[(1e6, "MB"), (1e3, "kB"), (1.0, "B")];

impl Unit {
    /// The number with its unit.
    pub(crate) fn text(self, value: f64) -> String {
        match self {
            Self::Time => scaled(value, TIMES),
            Self::Bytes => scaled(value, SIZES),
            Self::Count => format!("{value:.0}"),
            Self::Rate => scaled(value, RATES),
            Self::Throughput => scaled(value, THROUGHPUTS),
        }
    }
}

fn scaled(value: f64, scales: &[(f64, &str)]) -> String {
    let (scale, name) = scales
        .iter()
        .find(|(scale, _)| value >= *scale)
        .or(scales.last())
        .copied()
        .unwrap_or((1.0, ""));
    format!("{} {name}", significant(value / scale))
}

fn significant(value: f64) -> String {
    let decimals = match value {
        value if value >= 99.95 => 0,
        value if value >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}")
}

/// A ratio: `3.20×` above one, `1/83` below, where people compare the divisor.
pub(crate) fn ratio_text(ratio: f64) -> String {
    if ratio == ratio.round() {
        format!("{ratio:.0}×")
    } else if ratio > 1.0 {
        format!("{}×", significant(ratio))
    } else {
        let divisor = 1.0 / ratio;
        let decimals = usize::from(divisor < 10.0 && (divisor - divisor.round()).abs() > 1e-9);
        format!("1/{divisor:.decimals$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_the_unit_by_size() {
        assert_eq!(Unit::Time.text(69.04), "69.0 ns");
        assert_eq!(Unit::Time.text(0.4), "0.40 ns");
        assert_eq!(Unit::Time.text(15_505.0), "15.5 µs");
        assert_eq!(Unit::Time.text(12_837_376.0), "12.8 ms");
        assert_eq!(Unit::Time.text(1_020_000_000.0), "1.02 s");
        assert_eq!(Unit::Bytes.text(73_183_232.0), "73.2 MB");
        assert_eq!(Unit::Bytes.text(38_818.0), "38.8 kB");
        assert_eq!(Unit::Count.text(16.0), "16");
        assert_eq!(Unit::Rate.text(100_000.0), "100 k/s");
        assert_eq!(Unit::Throughput.text(52_400_000.0), "52.4 MB/s");
    }

    #[test]
    fn shows_small_ratios_as_fractions() {
        assert_eq!(ratio_text(3.0), "3×");
        assert_eq!(ratio_text(2.345), "2.35×");
        assert_eq!(ratio_text(0.02), "1/50");
        assert_eq!(ratio_text(0.1), "1/10");
        assert_eq!(ratio_text(0.4), "1/2.5");
        assert_eq!(ratio_text(0.0121), "1/83");
    }
}

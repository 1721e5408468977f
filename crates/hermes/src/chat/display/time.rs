//! Times and amounts in few characters.

use std::time::Duration;

/// How long something took: `0.3s`, `2m 05s`.
pub(crate) fn seconds(took: Duration) -> String {
    let whole = took.as_secs();
    match whole {
        0..60 => format!("{:.1}s", took.as_secs_f64()),
        60..3600 => format!("{}m {:02}s", whole / 60, whole % 60),
        _ => format!("{}h {:02}m", whole / 3600, whole % 3600 / 60),
    }
}

/// A number of tokens: `950`, `12.3k`, `1.2M`.
pub(crate) fn amount(number: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let scaled = |unit: u64| number as f64 / unit as f64;
    match number {
        0..1_000 => number.to_string(),
        1_000..100_000 => format!("{:.1}k", scaled(1_000)),
        100_000..1_000_000 => format!("{:.0}k", scaled(1_000)),
        _ => format!("{:.1}M", scaled(1_000_000)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_amounts_are_short() {
        assert_eq!(seconds(Duration::from_millis(312)), "0.3s");
        assert_eq!(seconds(Duration::from_secs(125)), "2m 05s");
        assert_eq!(seconds(Duration::from_secs(3_720)), "1h 02m");
        let amounts = [999, 12_345, 250_000, 1_200_000].map(amount);
        assert_eq!(amounts, ["999", "12.3k", "250k", "1.2M"]);
    }
}

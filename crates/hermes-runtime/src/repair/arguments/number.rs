//! Numbers: JSON's, plus a sign `+` and a dot at either end.

use serde_json::Number;

/// A token that begins like a number.
#[derive(Debug, PartialEq)]
pub(super) enum Reading {
    /// A number.
    Number(Number),
    /// The beginning of one: something has to follow.
    Unfinished,
    /// None, and no beginning of one.
    Bad,
}

/// Whether a character can be part of a number, or of something taken for one.
pub(super) fn belongs(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '+' | '-' | '_')
}

/// Read a token. What JSON itself can read is left to it, so that both ways of reading agree.
pub(super) fn read(token: &str) -> Reading {
    let sign = if token.starts_with('-') { "-" } else { "" };
    let unsigned = token.strip_prefix(['+', '-']).unwrap_or(token);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return Reading::Bad;
    }
    if whole.is_empty() && fraction.is_empty() {
        // Only a sign, or a sign and a dot.
        return if exponent.is_none() { Reading::Unfinished } else { Reading::Bad };
    }
    if let Some(exponent) = exponent {
        let power = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if power.is_empty() {
            return Reading::Unfinished;
        }
        if !digits(power) {
            return Reading::Bad;
        }
    }
    let whole = if whole.is_empty() { "0" } else { whole };
    let point = if mantissa.contains('.') { "." } else { "" };
    let fraction = if mantissa.ends_with('.') { "0" } else { fraction };
    let (e, exponent) = exponent.map_or(("", ""), |exponent| ("e", exponent));
    let json = [sign, whole, point, fraction, e, exponent].concat();
    serde_json::from_str(&json).map_or(Reading::Bad, Reading::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_more_than_json_but_not_everything() {
        for (token, json) in [
            ("0", "0"),
            ("+5", "5"),
            ("-5", "-5"),
            (".5", "0.5"),
            ("-.5", "-0.5"),
            ("1.", "1.0"),
            ("1.e2", "1.0e2"),
            ("2E+3", "2E+3"),
            ("18446744073709551615", "18446744073709551615"),
        ] {
            let number = serde_json::from_str(json).unwrap();
            assert_eq!(read(token), Reading::Number(number), "{token}");
        }
        for token in ["-", "+", ".", "-.", "1e", "1.5E-"] {
            assert_eq!(read(token), Reading::Unfinished, "{token}");
        }
        for token in [
            "0x1f",
            "007",
            "1_000",
            "1e999",
            "-1e999",
            "-Infinity",
            "2024-01-02",
            "1.2.3",
            "12px",
            "--1",
            "+-1",
            "e5",
            ".e5",
            "1e5.0",
            "٣",
        ] {
            assert_eq!(read(token), Reading::Bad, "{token}");
        }
    }
}

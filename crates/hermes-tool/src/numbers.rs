//! Numbers as people read them.

/// `1234567` as `1,234,567`, for texts that tell of sizes and counts.
#[must_use]
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let shown = [0, 999, 1_000, 100_000, 1_234_567].map(thousands);
        assert_eq!(shown, ["0", "999", "1,000", "100,000", "1,234,567"]);
    }
}

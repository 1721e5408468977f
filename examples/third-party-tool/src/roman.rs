//! Roman numerals.

/// The largest number with a standard numeral.
pub(crate) const MAX: u16 = 3999;

const DIGITS: [(u16, &str); 13] = [
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
];

/// The numeral of a number from 1 to [`MAX`].
pub(crate) fn write(mut number: u16) -> Option<String> {
    if !(1..=MAX).contains(&number) {
        return None;
    }
    let mut numeral = String::new();
    for (value, digit) in DIGITS {
        while number >= value {
            numeral.push_str(digit);
            number -= value;
        }
    }
    Some(numeral)
}

/// The number a numeral stands for, in either case; `None` for any but the standard spelling.
pub(crate) fn read(numeral: &str) -> Option<u16> {
    let numeral = numeral.to_ascii_uppercase();
    let mut rest = numeral.as_str();
    let mut number: u16 = 0;
    for (value, digit) in DIGITS {
        while let Some(shorter) = rest.strip_prefix(digit) {
            number = number.checked_add(value)?;
            rest = shorter;
        }
    }
    // Writing the number again tells the standard spelling from all others, such as `IIII`.
    (rest.is_empty() && write(number)? == numeral).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_read_back() {
        for number in 1..=MAX {
            assert_eq!(read(&write(number).unwrap()), Some(number));
        }
    }

    #[test]
    fn other_spellings_are_not_read() {
        for numeral in ["", "IIII", "IM", "VX", "MMMM", "ABC", "I V"] {
            assert_eq!(read(numeral), None, "{numeral}");
        }
        assert_eq!(read(&"M".repeat(100)), None);
    }
}

//! What counts as blank: Unicode whitespace plus the four information separators, on bytes, so
//! that lines which are not valid UTF-8 can be trimmed too. Zero-width space is not blank.

/// Length of the blank character the bytes begin with, 0 if none.
fn leading_blank(bytes: &[u8]) -> usize {
    match bytes {
        [b'\t'..=b'\r' | 0x1c..=0x20, ..] => 1,
        [0xc2, 0x85 | 0xa0, ..] => 2,
        [first, second, third, ..] if wide_blank(*first, *second, *third) => 3,
        _ => 0,
    }
}

/// Length of the blank character the bytes end with, 0 if none.
fn trailing_blank(bytes: &[u8]) -> usize {
    match bytes {
        [.., b'\t'..=b'\r' | 0x1c..=0x20] => 1,
        [.., 0xc2, 0x85 | 0xa0] => 2,
        [.., first, second, third] if wide_blank(*first, *second, *third) => 3,
        _ => 0,
    }
}

/// The blanks of three bytes: U+1680, U+2000–200A, U+2028, U+2029, U+202F, U+205F, U+3000.
fn wide_blank(first: u8, second: u8, third: u8) -> bool {
    matches!(
        (first, second, third),
        (0xe1, 0x9a, 0x80)
            | (0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf)
            | (0xe2, 0x81, 0x9f)
            | (0xe3, 0x80, 0x80)
    )
}

/// The bytes without leading blanks.
pub(super) fn trim_start(mut bytes: &[u8]) -> &[u8] {
    loop {
        match leading_blank(bytes) {
            0 => return bytes,
            width => bytes = &bytes[width..],
        }
    }
}

/// The bytes without trailing blanks.
pub(super) fn trim_end(mut bytes: &[u8]) -> &[u8] {
    loop {
        match trailing_blank(bytes) {
            0 => return bytes,
            width => bytes = &bytes[..bytes.len() - width],
        }
    }
}

/// The bytes without blanks at either end.
pub(super) fn trim(bytes: &[u8]) -> &[u8] {
    trim_end(trim_start(bytes))
}

/// The blanks a line begins with.
pub(super) fn indent(line: &[u8]) -> &[u8] {
    &line[..line.len() - trim_start(line).len()]
}

/// Whether there is nothing but blanks.
pub(super) fn is_blank(bytes: &[u8]) -> bool {
    trim_start(bytes).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trims_what_unicode_calls_white_space_and_the_separators() {
        for code in 0..0x11_0000 {
            let Some(c) = char::from_u32(code) else { continue };
            let expected = c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c);
            let text = format!("{c}x{c}");
            assert_eq!(trim(text.as_bytes()) == b"x", expected, "U+{code:04X}");
        }
    }

    #[test]
    fn keeps_broken_bytes() {
        assert_eq!(trim(b" \xff\xa0\t"), b"\xff\xa0");
        assert_eq!(trim(b"\xe3\x80"), b"\xe3\x80");
    }
}

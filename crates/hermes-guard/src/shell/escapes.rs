//! The escapes of `$'…'`, which `printf` and `echo -e` share.

use std::borrow::Cow;

/// Text with its backslash escapes carried out. Unknown ones stay as they are.
#[must_use]
pub fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        if byte != b'\\' {
            decoded.push(byte);
            continue;
        }
        let Some(&letter) = bytes.get(at) else {
            decoded.push(b'\\');
            break;
        };
        at += 1;
        match letter {
            b'a' => decoded.push(7),
            b'b' => decoded.push(8),
            b'e' | b'E' => decoded.push(27),
            b'f' => decoded.push(12),
            b'n' => decoded.push(b'\n'),
            b'r' => decoded.push(b'\r'),
            b't' => decoded.push(b'\t'),
            b'v' => decoded.push(11),
            b'\\' | b'\'' | b'"' | b'?' => decoded.push(letter),
            b'0'..=b'7' => {
                let digits = if letter == b'0' { 4 } else { 3 };
                let (value, len) = number(&bytes[at - 1..], 8, digits);
                decoded.push(value.to_le_bytes()[0]);
                at += len - 1;
            }
            b'x' => match number(&bytes[at..], 16, 2) {
                (_, 0) => decoded.extend(b"\\x"),
                (value, len) => {
                    decoded.push(value.to_le_bytes()[0]);
                    at += len;
                }
            },
            b'u' | b'U' => {
                let digits = if letter == b'u' { 4 } else { 8 };
                let (value, len) = number(&bytes[at..], 16, digits);
                let mut buffer = [0; 4];
                if let Some(char) = char::from_u32(value).filter(|_| len > 0) {
                    decoded.extend(char.encode_utf8(&mut buffer).bytes());
                }
                at += len;
            }
            b'c' => {
                if let Some(&control) = bytes.get(at) {
                    decoded.push(control & 0x1f);
                    at += 1;
                }
            }
            _ => decoded.extend([b'\\', letter]),
        }
    }
    Cow::Owned(String::from_utf8_lossy(&decoded).into_owned())
}

/// Up to `most` digits: their value and how many there are.
fn number(bytes: &[u8], radix: u32, most: usize) -> (u32, usize) {
    let mut value = 0_u32;
    let mut len = 0;
    while len < most
        && let Some(digit) = bytes.get(len).and_then(|byte| char::from(*byte).to_digit(radix))
    {
        value = value.wrapping_mul(radix).wrapping_add(digit);
        len += 1;
    }
    (value, len)
}

//! Messages as protocol buffers write them: a number for each field, no names.
//!
//! A dozen small messages go to Modal, with two to ten fields each. They are written and read by these few lines instead
//! of by generated code, which would bring the definitions of some nine hundred.

/// A message that is being written. Fields that are empty are left out, as the rules want it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Message(Vec<u8>);

/// How a field's value is laid out.
const NUMBER: u8 = 0;
const EIGHT_BYTES: u8 = 1;
const LENGTH: u8 = 2;
const FOUR_BYTES: u8 = 5;

impl Message {
    pub(super) fn number(mut self, field: u32, value: u64) -> Self {
        if value != 0 {
            self.key(field, NUMBER);
            self.varint(value);
        }
        self
    }

    pub(super) fn decimal(mut self, field: u32, value: f32) -> Self {
        self.key(field, FOUR_BYTES);
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    pub(super) fn text(self, field: u32, value: &str) -> Self {
        self.bytes(field, value.as_bytes())
    }

    pub(super) fn texts<T: AsRef<str>>(mut self, field: u32, values: &[T]) -> Self {
        for value in values {
            self.put(field, value.as_ref().as_bytes());
        }
        self
    }

    pub(super) fn bytes(mut self, field: u32, value: &[u8]) -> Self {
        if !value.is_empty() {
            self.put(field, value);
        }
        self
    }

    pub(super) fn message(mut self, field: u32, value: &Self) -> Self {
        self.put(field, &value.0);
        self
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn put(&mut self, field: u32, value: &[u8]) {
        self.key(field, LENGTH);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    fn key(&mut self, field: u32, kind: u8) {
        self.varint(u64::from(field) << 3 | u64::from(kind));
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

/// A message that was received. What is not whole ends where it stops making sense.
#[derive(Clone, Copy, Debug)]
pub(super) struct Received<'a>(pub(super) &'a [u8]);

enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl<'a> Received<'a> {
    /// The last value of a field, which is the one that counts.
    pub(super) fn number(self, field: u32) -> Option<u64> {
        self.last(field, |value| match value {
            Value::Number(number) => Some(number),
            Value::Bytes(_) => None,
        })
    }

    pub(super) fn bytes(self, field: u32) -> Option<&'a [u8]> {
        self.last(field, |value| match value {
            Value::Bytes(bytes) => Some(bytes),
            Value::Number(_) => None,
        })
    }

    /// Text that is there and not empty.
    pub(super) fn text(self, field: u32) -> Option<String> {
        let text = String::from_utf8_lossy(self.bytes(field)?).into_owned();
        (!text.is_empty()).then_some(text)
    }

    pub(super) fn message(self, field: u32) -> Option<Self> {
        self.bytes(field).map(Self)
    }

    fn last<T>(self, field: u32, of: impl Fn(Value<'a>) -> Option<T>) -> Option<T> {
        let mut rest = self.0;
        let mut found = None;
        while let Some((number, value)) = next(&mut rest) {
            if number == u64::from(field) {
                found = value.and_then(&of).or(found);
            }
        }
        found
    }
}

/// The next field, whose value is `None` if it is of a kind nobody asks for.
fn next<'a>(rest: &mut &'a [u8]) -> Option<(u64, Option<Value<'a>>)> {
    let key = varint(rest)?;
    let value = match (key & 7) as u8 {
        NUMBER => Some(Value::Number(varint(rest)?)),
        LENGTH => {
            let length = usize::try_from(varint(rest)?).ok()?;
            Some(Value::Bytes(take(rest, length)?))
        }
        EIGHT_BYTES => take(rest, 8).map(|_| None)?,
        FOUR_BYTES => take(rest, 4).map(|_| None)?,
        _ => return None,
    };
    Some((key >> 3, value))
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(taken)
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = *take(rest, 1)?.first()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let inner = Message::default().number(1, 300).text(2, "ü");
        let bytes = Message::default()
            .text(1, "a")
            .message(2, &inner)
            .decimal(3, 55.0)
            .texts(4, &["x", ""])
            .number(5, u64::MAX)
            .number(6, 0)
            .into_bytes();
        let read = Received(&bytes);
        assert_eq!(read.text(1).as_deref(), Some("a"));
        let inner = read.message(2).unwrap();
        assert_eq!((inner.number(1), inner.text(2).as_deref()), (Some(300), Some("ü")));
        assert_eq!(
            (read.number(3), read.bytes(4), read.number(5)),
            (None, Some(&b""[..]), Some(u64::MAX))
        );
        assert_eq!((read.number(6), read.text(7)), (None, None));
    }

    #[test]
    fn these_are_the_bytes_of_the_rules() {
        // From the guide to the encoding: field 1 is 150, field 2 is "testing".
        let bytes = Message::default().number(1, 150).text(2, "testing").into_bytes();
        assert_eq!(bytes, b"\x08\x96\x01\x12\x07testing");
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_are_a_panic(bytes: Vec<u8>, field in 0_u32..20) {
            let read = Received(&bytes);
            let _ = (read.number(field), read.text(field), read.message(field).and_then(|m| m.text(1)));
        }
    }
}

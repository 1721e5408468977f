//! The compact form of Thrift, in which Parquet describes itself.

/// Kinds of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ThriftType {
    I32 = 5,
    I64 = 6,
}

const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A struct on its way; fields are given in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Thrift {
    bytes: Vec<u8>,
    last: i16,
}

impl Thrift {
    fn field(&mut self, number: i16, kind: u8) {
        let step = number - self.last;
        debug_assert!((1..=15).contains(&step), "fields are given in order");
        self.bytes.push((step as u8) << 4 | kind);
        self.last = number;
    }

    pub(super) fn int(&mut self, number: i16, kind: ThriftType, value: i64) {
        self.field(number, kind as u8);
        varint(&mut self.bytes, zigzag(value));
    }

    pub(super) fn text(&mut self, number: i16, text: &str) {
        self.field(number, BINARY);
        self.put_text(text);
    }

    fn put_text(&mut self, text: &str) {
        varint(&mut self.bytes, text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn list(&mut self, number: i16, kind: u8, count: usize) {
        self.field(number, LIST);
        if count < 15 {
            self.bytes.push((count as u8) << 4 | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            varint(&mut self.bytes, count as u64);
        }
    }

    pub(super) fn ints(&mut self, number: i16, values: &[i64]) {
        self.list(number, ThriftType::I32 as u8, values.len());
        values.iter().for_each(|value| varint(&mut self.bytes, zigzag(*value)));
    }

    pub(super) fn texts(&mut self, number: i16, texts: &[String]) {
        self.list(number, BINARY, texts.len());
        texts.iter().for_each(|text| self.put_text(text));
    }

    pub(super) fn structs(&mut self, number: i16, items: &[Self]) {
        self.list(number, STRUCT, items.len());
        for item in items {
            self.bytes.extend_from_slice(&item.bytes);
            self.bytes.push(0);
        }
    }

    pub(super) fn inner(&mut self, number: i16, item: Self) {
        self.field(number, STRUCT);
        self.bytes.extend(item.end());
    }

    pub(super) fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

pub(super) fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_format_says() {
        let mut out = Thrift::default();
        out.int(1, ThriftType::I32, -1);
        out.int(3, ThriftType::I64, 150);
        out.text(4, "ä");
        assert_eq!(out.end(), [0x15, 1, 0x26, 0xac, 2, 0x18, 2, 0xc3, 0xa4, 0]);
    }
}

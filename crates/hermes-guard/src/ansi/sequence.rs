//! Where control sequences begin and end.

use std::ops::Range;

use memchr::{memchr2, memchr2_iter, memmem};

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
/// First byte of the characters U+0080 to U+00BF, the C1 controls among them.
const C1_LEAD: u8 = 0xc2;
/// Ends the strings that 7-bit introducers begin.
const STRING_TERMINATOR: &[u8] = b"\x1b\\";
/// Second bytes of the C1 controls with a meaning of their own.
const C1_CSI: u8 = 0x9b;
const C1_ST: u8 = 0x9c;
const C1_OSC: u8 = 0x9d;

/// Finds sequences from left to right.
///
/// It remembers when the rest of the text holds no terminator of a kind. A text with very many
/// unterminated introducers is still read once, not once per introducer.
pub(super) struct SequenceScanner<'a> {
    bytes: &'a [u8],
    unterminated: [bool; 3],
}

#[derive(Clone, Copy)]
enum Terminator {
    /// BEL or `ESC \`.
    BellOrString,
    /// `ESC \`.
    String,
    /// BEL or U+009C.
    BellOrC1,
}

impl<'a> SequenceScanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), unterminated: [false; 3] }
    }

    /// The first sequence at or after a position.
    pub(super) fn next_sequence(&mut self, from: usize) -> Option<Range<usize>> {
        let bytes = self.bytes;
        memchr2_iter(ESC, C1_LEAD, &bytes[from..]).find_map(|offset| {
            let start = from + offset;
            let end = if bytes[start] == ESC { self.escape(start) } else { self.c1(start) };
            end.map(|end| start..end)
        })
    }

    /// The end of the sequence that an ESC begins, if it begins one.
    fn escape(&mut self, start: usize) -> Option<usize> {
        let body = start + 2;
        match *self.bytes.get(start + 1)? {
            b'[' => Some(self.csi(body).unwrap_or(body)),
            b']' => Some(self.string(body, Terminator::BellOrString).unwrap_or(body)),
            b'P' | b'X' | b'^' | b'_' => {
                Some(self.string(body, Terminator::String).unwrap_or(body))
            }
            0x20..=0x2f => {
                let last = self.skip(body, 0x20..=0x2f);
                matches!(self.bytes.get(last), Some(0x30..=0x7e)).then_some(last + 1)
            }
            0x30..=0x7e => Some(body),
            _ => None,
        }
    }

    /// The end of the sequence that a C1 control begins; at least the control itself goes.
    fn c1(&mut self, start: usize) -> Option<usize> {
        let body = start + 2;
        match *self.bytes.get(start + 1)? {
            C1_CSI => Some(self.csi(body).unwrap_or(body)),
            C1_OSC => Some(self.string(body, Terminator::BellOrC1).unwrap_or(body)),
            0x80..=0x9f => Some(body),
            _ => None,
        }
    }

    /// Parameters, intermediates and the final byte.
    fn csi(&self, body: usize) -> Option<usize> {
        let intermediates = self.skip(body, 0x30..=0x3f);
        let last = self.skip(intermediates, 0x20..=0x2f);
        matches!(self.bytes.get(last), Some(0x40..=0x7e)).then_some(last + 1)
    }

    fn skip(&self, from: usize, class: std::ops::RangeInclusive<u8>) -> usize {
        from + self.bytes[from..].iter().take_while(|byte| class.contains(byte)).count()
    }

    fn string(&mut self, body: usize, terminator: Terminator) -> Option<usize> {
        if self.unterminated[terminator as usize] {
            return None;
        }
        let rest = &self.bytes[body..];
        let length = match terminator {
            Terminator::String => memmem::find(rest, STRING_TERMINATOR).map(|at| at + 2),
            Terminator::BellOrString => memchr2_iter(BEL, ESC, rest).find_map(|at| {
                if rest[at] == BEL {
                    Some(at + 1)
                } else {
                    rest[at..].starts_with(STRING_TERMINATOR).then_some(at + 2)
                }
            }),
            Terminator::BellOrC1 => end_of_c1_string(rest),
        };
        self.unterminated[terminator as usize] = length.is_none();
        length.map(|length| body + length)
    }
}

fn end_of_c1_string(rest: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(offset) = memchr2(BEL, C1_LEAD, &rest[from..]) {
        let at = from + offset;
        if rest[at] == BEL {
            return Some(at + 1);
        }
        if rest.get(at + 1) == Some(&C1_ST) {
            return Some(at + 2);
        }
        from = at + 1;
    }
    None
}

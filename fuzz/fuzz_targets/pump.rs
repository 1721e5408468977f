//! Small inputs blown up to the largest one that is read.
//!
//! A fuzzer finds short texts quickly and long ones hardly ever, but only long ones show that some work
//! grows with the square of its input. So the first part of one in a few inputs is repeated until the whole
//! is as long as a command may be: a reader that is not linear then takes minutes, and `-timeout=10` reports it.

/// The longest text that a command may have, in bytes.
const LARGEST: usize = 128_000;

/// One in so many inputs is blown up: the rest stay quick.
const ONE_IN: usize = 32;

/// The input with its first part repeated, for one input in [`ONE_IN`].
pub fn pumped(text: &str) -> Option<String> {
    let sum =
        text.bytes().fold(text.len(), |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    if text.len() < 2 || !sum.is_multiple_of(ONE_IN) {
        return None;
    }
    let cut = text.floor_char_boundary(1 + (sum / ONE_IN) % text.len());
    let (head, tail) = text.split_at(cut);
    let times = LARGEST.saturating_sub(tail.len()).checked_div(head.len())?;
    Some(head.repeat(times) + tail)
}

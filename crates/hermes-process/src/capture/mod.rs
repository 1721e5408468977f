//! Bounded capture of output: the beginning and the end of a stream, never all of it.

mod head_tail;
mod render;
mod utf8;

pub use head_tail::{CapturedOutput, HeadTail};

/// How much of a stream is kept, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaptureLimit {
    /// The most characters a rendered capture may have, notice included.
    pub max_chars: usize,
    /// Share of `max_chars` kept from the beginning; the rest is kept from the end, where
    /// programs put their errors. Above 100 counts as 100.
    pub head_percent: u8,
}

impl CaptureLimit {
    /// Characters kept by default.
    pub const DEFAULT_MAX_CHARS: usize = 50_000;
    /// Share of the beginning by default.
    pub const DEFAULT_HEAD_PERCENT: u8 = 40;
    /// Keeps everything. Only for callers that know their source to be small.
    pub const UNBOUNDED: Self = Self::chars(usize::MAX);

    /// A limit of so many characters with the default share for the beginning.
    pub const fn chars(max_chars: usize) -> Self {
        Self { max_chars, head_percent: Self::DEFAULT_HEAD_PERCENT }
    }

    /// The part of `budget` characters that belongs to the beginning, rounded down.
    fn head_of(self, budget: usize) -> usize {
        let percent = if self.head_percent > 100 { 100 } else { self.head_percent as usize };
        // Split so that an unbounded budget does not overflow.
        budget / 100 * percent + budget % 100 * percent / 100
    }
}

impl Default for CaptureLimit {
    fn default() -> Self {
        Self::chars(Self::DEFAULT_MAX_CHARS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_gets_its_share_rounded_down() {
        assert_eq!(CaptureLimit::chars(50_000).head_of(50_000), 20_000);
        assert_eq!(CaptureLimit::chars(9).head_of(9), 3);
        assert_eq!(CaptureLimit { max_chars: 9, head_percent: 250 }.head_of(9), 9);
        assert!(CaptureLimit::UNBOUNDED.head_of(usize::MAX) > usize::MAX / 3);
    }
}

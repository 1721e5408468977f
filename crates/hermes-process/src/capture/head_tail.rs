//! The collector that keeps a stream's head and tail while it flows by.
//!
//! Bytes are decoded as they come ([`Utf8Decoder`]) and counted in characters. The first ones fill
//! the head; all others pass through the tail, which forgets its beginning. Only when the stream
//! has ended is it known whether something is missing, so the notice is put in when the text is
//! asked for ([`CapturedOutput::text`]), and head and tail give way to it.
//!
//! The limit bounds the rendered text, not only what is kept; and no character is ever split.

use super::CaptureLimit;
use super::render;
use super::utf8::Utf8Decoder;

/// Collects a byte stream as text in bounded memory: its first characters and its last ones.
///
/// Memory stays below about three times the limit in characters, whatever flows through.
///
/// ```
/// use hermes_process::{CaptureLimit, HeadTail};
///
/// let mut collector = HeadTail::new(CaptureLimit::chars(100));
/// for _ in 0..1_000 {
///     collector.push(b"0123456789");
/// }
/// let text = collector.finish().text();
/// assert_eq!(text.chars().count(), 100);
/// assert!(text.contains("chars omitted out of 10,000 total"));
/// ```
#[derive(Debug, Clone)]
pub struct HeadTail {
    decoder: Utf8Decoder,
    window: Window,
}

impl HeadTail {
    /// An empty collector.
    pub fn new(limit: CaptureLimit) -> Self {
        let head_cap = limit.head_of(limit.max_chars);
        let window = Window {
            limit,
            head_cap,
            tail_cap: limit.max_chars - head_cap,
            head: String::new(),
            head_chars: 0,
            tail: String::new(),
            tail_chars: 0,
            total: 0,
        };
        Self { decoder: Utf8Decoder::default(), window }
    }

    /// Takes the next bytes. How the stream is cut into pieces does not matter.
    pub fn push(&mut self, bytes: &[u8]) {
        let Self { decoder, window } = self;
        decoder.feed(bytes, |text| window.take(text));
    }

    /// Ends the stream.
    pub fn finish(mut self) -> CapturedOutput {
        let Self { decoder, window } = &mut self;
        decoder.finish(|text| window.take(text));
        window.trim_tail();
        CapturedOutput { window: self.window }
    }
}

/// The text seen so far, less its middle.
#[derive(Debug, Clone)]
struct Window {
    limit: CaptureLimit,
    head_cap: usize,
    tail_cap: usize,
    head: String,
    head_chars: usize,
    /// Holds the last `tail_cap` characters and whatever was not yet worth cutting off before
    /// them. A string cut now and then beats a ring of characters: it takes a quarter of the
    /// memory for plain text and is appended to in one piece.
    tail: String,
    tail_chars: usize,
    total: u64,
}

impl Window {
    fn take(&mut self, text: &str) {
        let mut rest = text;
        let mut count = text.chars().count();
        self.total += count as u64;
        let room = self.head_cap - self.head_chars;
        if room > 0 {
            let taken = room.min(count);
            let (first, after) = rest.split_at(render::offset_of(rest, taken));
            self.head.push_str(first);
            self.head_chars += taken;
            rest = after;
            count -= taken;
        }
        self.tail.push_str(rest);
        self.tail_chars += count;
        // Cutting only at twice the size moves each character at most once on average.
        if self.tail_chars > self.tail_cap.saturating_mul(2) {
            self.trim_tail();
        }
    }

    fn trim_tail(&mut self) {
        if let Some(excess) = self.tail_chars.checked_sub(self.tail_cap) {
            self.tail.drain(..render::offset_of(&self.tail, excess));
            self.tail_chars -= excess;
        }
    }
}

/// What a [`HeadTail`] collected.
#[derive(Debug, Clone)]
pub struct CapturedOutput {
    window: Window,
}

impl CapturedOutput {
    /// The text: all of it if it fits the limit, else head, notice and tail within the limit.
    pub fn text(&self) -> String {
        self.text_with_suffix("")
    }

    /// The text followed by a suffix that always survives, together within the limit.
    ///
    /// For markers such as "timed out", which the reader must not miss. A suffix longer than the
    /// limit is cut to its own end.
    pub fn text_with_suffix(&self, suffix: &str) -> String {
        let Window { limit, head, tail, total, .. } = &self.window;
        render::within(*limit, render::KeptOutput { head, tail, total: *total }, suffix)
    }

    /// How many characters the stream had.
    pub fn total_chars(&self) -> u64 {
        self.window.total
    }

    /// Whether characters were left out of [`CapturedOutput::text`].
    pub fn is_truncated(&self) -> bool {
        self.window.total > self.window.limit.max_chars as u64
    }
}

/// A stream nobody captured.
impl Default for CapturedOutput {
    fn default() -> Self {
        HeadTail::new(CaptureLimit::default()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn collect(limit: CaptureLimit, bytes: &[u8], size: usize) -> CapturedOutput {
        let mut collector = HeadTail::new(limit);
        for piece in bytes.chunks(size) {
            collector.push(piece);
        }
        collector.finish()
    }

    #[test]
    fn keeps_the_first_two_fifths_and_the_last_three() {
        let input: String = (0..10_000).map(|n| format!("{n:04}\n")).collect();
        let captured = collect(CaptureLimit::chars(1_000), input.as_bytes(), 77);
        let text = captured.text();

        let notice =
            "\n\n... [OUTPUT TRUNCATED - 49,073 chars omitted out of 50,000 total] ...\n\n";
        let (head, tail) = text.split_once(notice).expect(&text);
        assert_eq!((head.len(), tail.len()), (370, 557));
        assert_eq!(text.chars().count(), 1_000);
        assert!(input.starts_with(head) && input.ends_with(tail));
    }

    #[test]
    fn memory_stays_bounded_while_much_flows_by() {
        let mut collector = HeadTail::new(CaptureLimit::chars(1_000));
        let piece = "x".repeat(8_192);
        for _ in 0..1_000 {
            collector.push(piece.as_bytes());
        }
        let window = &collector.window;
        let held = window.head.capacity() + window.tail.capacity();
        assert!(held < 40_000, "{held} bytes held for a limit of 1,000");
        assert_eq!(collector.finish().total_chars(), 8_192_000);
    }

    #[test]
    fn an_unbounded_capture_keeps_everything() {
        let input = "ä".repeat(200_000);
        let captured = collect(CaptureLimit::UNBOUNDED, input.as_bytes(), 4_097);
        assert_eq!(captured.text(), input);
        assert!(!captured.is_truncated());
    }

    fn limits() -> impl Strategy<Value = CaptureLimit> {
        (0_usize..400, 0_u8..=100)
            .prop_map(|(max_chars, head_percent)| CaptureLimit { max_chars, head_percent })
    }

    fn streams() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..900),
            proptest::collection::vec(any::<char>(), 0..900)
                .prop_map(|chars| chars.into_iter().collect::<String>().into_bytes()),
        ]
    }

    proptest! {
        #[test]
        fn never_exceeds_the_limit(limit in limits(), bytes in streams(), suffix in ".{0,500}") {
            let captured = collect(limit, &bytes, 64);
            prop_assert!(captured.text().chars().count() <= limit.max_chars);
            let text = captured.text_with_suffix(&suffix);
            prop_assert!(text.chars().count() <= limit.max_chars);
            if suffix.chars().count() <= limit.max_chars {
                prop_assert!(text.ends_with(&suffix));
            } else {
                prop_assert!(suffix.ends_with(&text));
            }
        }

        #[test]
        fn is_the_lossy_decoding_when_it_fits(limit in limits(), bytes in streams()) {
            let whole = String::from_utf8_lossy(&bytes);
            let captured = collect(limit, &bytes, 33);
            prop_assert_eq!(captured.total_chars(), whole.chars().count() as u64);
            prop_assert_eq!(captured.is_truncated(), whole.chars().count() > limit.max_chars);
            if !captured.is_truncated() {
                prop_assert_eq!(captured.text(), whole);
            }
        }

        #[test]
        fn pieces_make_no_difference(limit in limits(), bytes in streams(), size in 1_usize..200) {
            let at_once = collect(limit, &bytes, bytes.len().max(1));
            prop_assert_eq!(collect(limit, &bytes, size).text(), at_once.text());
        }

        #[test]
        fn counts_what_is_missing(bytes in streams(), max_chars in 80_usize..400) {
            let whole = String::from_utf8_lossy(&bytes);
            let captured = collect(CaptureLimit::chars(max_chars), &bytes, 50);
            if captured.is_truncated() {
                let text = captured.text();
                let (head, rest) = text.split_once("\n\n... [OUTPUT TRUNCATED - ").unwrap();
                let (omitted, rest) = rest.split_once(" chars omitted").unwrap();
                let (_, tail) = rest.split_once("] ...\n\n").unwrap();
                let omitted: usize = omitted.replace(',', "").parse().unwrap();
                let kept = head.chars().count() + tail.chars().count();
                prop_assert_eq!(kept + omitted, whole.chars().count());
                prop_assert!(whole.starts_with(head) && whole.ends_with(tail));
            }
        }
    }
}

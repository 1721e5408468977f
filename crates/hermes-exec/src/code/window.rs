//! What a script writes, cut to its beginning and its end while it is read.
//!
//! The budget is counted in bytes and used to the last one, but no character is split, and where a
//! line ends close to the cut, the cut is there.

/// How far a cut may be from where it would be to the byte, to fall on the end of a line.
const SLACK: usize = 256;

/// How much of a stream is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputBudget {
    /// Bytes of its beginning.
    pub head: usize,
    /// Bytes of its end.
    pub tail: usize,
}

/// Collects a stream in bounded memory.
#[derive(Clone, Debug)]
pub(super) struct OutputWindow {
    budget: OutputBudget,
    head: Vec<u8>,
    /// The last bytes, and some before them that were not yet worth cutting off.
    tail: Vec<u8>,
    total: u64,
}

impl OutputWindow {
    pub(super) fn new(budget: OutputBudget) -> Self {
        Self { budget, head: Vec::new(), tail: Vec::new(), total: 0 }
    }

    /// Takes the next bytes; how the stream is cut into pieces does not matter.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.budget.head.saturating_sub(self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.head.extend_from_slice(first);
        let last = rest.len().saturating_sub(self.budget.tail);
        if last > 0 {
            self.tail.clear();
        }
        self.tail.extend_from_slice(rest.get(last..).unwrap_or_default());
        if self.tail.len() > self.budget.tail.saturating_mul(2) {
            self.trim();
        }
    }

    fn trim(&mut self) {
        let excess = self.tail.len().saturating_sub(self.budget.tail);
        self.tail.drain(..excess);
    }

    /// Ends the stream.
    pub(super) fn finish(mut self) -> CutOutput {
        self.trim();
        let Self { mut head, tail, total, .. } = self;
        if (head.len() + tail.len()) as u64 == total {
            head.extend_from_slice(&tail);
            return CutOutput { head: text(&head), tail: String::new(), captured: total, total };
        }
        let head = head.get(..end_of_head(&head)).unwrap_or_default();
        let tail = tail.get(start_of_tail(&tail)..).unwrap_or_default();
        let captured = (head.len() + tail.len()) as u64;
        CutOutput { head: text(head), tail: text(tail), captured, total }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn goes_on(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// Where the beginning ends: behind a line, else behind a whole character.
fn end_of_head(head: &[u8]) -> usize {
    let from = head.len().saturating_sub(SLACK);
    let near = head.get(from..).unwrap_or_default();
    if let Some(at) = near.iter().rposition(|byte| *byte == b'\n') {
        return from + at + 1;
    }
    // The last character is whole unless it wants more bytes than are there.
    let begins = head.iter().rposition(|byte| !goes_on(*byte)).unwrap_or(0);
    let wants = match head.get(begins) {
        Some(byte) if byte & 0b1110_0000 == 0b1100_0000 => 2,
        Some(byte) if byte & 0b1111_0000 == 0b1110_0000 => 3,
        Some(byte) if byte & 0b1111_1000 == 0b1111_0000 => 4,
        _ => 1,
    };
    if begins + wants > head.len() { begins } else { head.len() }
}

/// Where the end begins: at a line, else at a whole character.
fn start_of_tail(tail: &[u8]) -> usize {
    let near = tail.get(..SLACK.min(tail.len())).unwrap_or_default();
    match near.iter().position(|byte| *byte == b'\n') {
        Some(at) => at + 1,
        None => tail.iter().take(3).take_while(|byte| goes_on(**byte)).count(),
    }
}

/// What was kept of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CutOutput {
    /// Its beginning, or all of it.
    pub head: String,
    /// Its end, if something between the two is missing.
    pub tail: String,
    /// How many bytes were kept.
    pub captured: u64,
    /// How many bytes there were.
    pub total: u64,
}

impl CutOutput {
    /// Whether something is missing.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.captured < self.total
    }

    /// How many bytes are missing.
    #[must_use]
    pub fn omitted(&self) -> u64 {
        self.total - self.captured
    }

    /// The text, with a note where something is missing.
    #[must_use]
    pub fn text(&self, name: &str) -> String {
        if !self.is_cut() {
            return self.head.clone();
        }
        let Self { head, tail, total, .. } = self;
        let omitted = self.omitted();
        let gap = if head.ends_with('\n') { "" } else { "\n" };
        format!(
            "{head}{gap}... [{name} truncated: {omitted} of {total} bytes omitted here] ...\n{tail}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(budget: OutputBudget, bytes: &[u8], size: usize) -> CutOutput {
        let mut window = OutputWindow::new(budget);
        for piece in bytes.chunks(size) {
            window.push(piece);
        }
        window.finish()
    }

    const SMALL: OutputBudget = OutputBudget { head: 2_000, tail: 3_000 };

    #[test]
    fn all_is_kept_up_to_the_last_byte_of_the_budget() {
        let kept = cut(SMALL, &[b'x'; 5_000], 7);
        assert_eq!((kept.captured, kept.total, kept.is_cut()), (5_000, 5_000, false));
        assert_eq!(kept.text("stdout").len(), 5_000);
        let cut = cut(SMALL, &[b'x'; 5_001], 7);
        assert_eq!((cut.captured, cut.omitted(), cut.total), (5_000, 1, 5_001));
        assert!(cut.text("stdout").contains("1 of 5001 bytes omitted"), "{}", cut.text("stdout"));
    }

    #[test]
    fn a_cut_falls_on_the_end_of_a_line_where_one_is_near() {
        let lines: String = (0..2_000).map(|n| format!("line {n}\n")).collect();
        let cut = cut(SMALL, lines.as_bytes(), 999);
        assert!(cut.head.ends_with('\n') && cut.tail.starts_with("line "), "{cut:?}");
        assert!(cut.tail.ends_with("line 1999\n"));
        assert!(cut.captured > 5_000 - 40, "{}", cut.captured);
    }

    #[test]
    fn no_character_is_split() {
        for shift in 0..4 {
            let text = format!("{}{}", "x".repeat(shift), "🦀".repeat(4_000));
            let cut = cut(SMALL, text.as_bytes(), 4_096);
            assert!(!cut.text("stdout").contains('\u{fffd}'), "shifted by {shift}");
            assert!(cut.captured > 5_000 - 8, "{}", cut.captured);
        }
    }

    proptest! {
        #[test]
        fn never_more_than_the_budget_however_it_comes(
            bytes in proptest::collection::vec(any::<u8>(), 0..9_000), size in 1_usize..5_000
        ) {
            let kept = cut(SMALL, &bytes, size);
            prop_assert!(kept.captured <= 5_000);
            prop_assert_eq!(kept.total, bytes.len() as u64);
            prop_assert_eq!(&kept, &cut(SMALL, &bytes, bytes.len().max(1)));
            if bytes.len() <= 5_000 {
                prop_assert_eq!(kept.text("x"), String::from_utf8_lossy(&bytes).into_owned());
            }
        }
    }
}

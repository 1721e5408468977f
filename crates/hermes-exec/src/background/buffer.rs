//! The last of what a process wrote.

/// Most characters kept of one process.
pub const BUFFER_CHARS: usize = 200_000;

/// Text that forgets its beginning.
#[derive(Debug, Default)]
pub(crate) struct OutputBuffer {
    text: String,
    /// A character whose bytes have not all arrived.
    partial: Vec<u8>,
}

impl OutputBuffer {
    /// Takes the next bytes and returns the text they made.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        let mut pending = std::mem::take(&mut self.partial);
        pending.extend_from_slice(bytes);
        let mut decoded = String::with_capacity(pending.len());
        let mut rest = pending.as_slice();
        while !rest.is_empty() {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    decoded.push_str(text);
                    break;
                }
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    decoded.push_str(&String::from_utf8_lossy(valid));
                    match error.error_len() {
                        Some(length) => {
                            decoded.push(char::REPLACEMENT_CHARACTER);
                            rest = &after[length..];
                        }
                        None => {
                            self.partial = after.to_vec();
                            break;
                        }
                    }
                }
            }
        }
        self.append(&decoded);
        decoded
    }

    /// The text there is.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    fn append(&mut self, text: &str) {
        self.text.push_str(text);
        // Cutting only at twice the size moves each character once on average.
        if self.text.len() > 2 * BUFFER_CHARS {
            let excess = self.text.chars().count().saturating_sub(BUFFER_CHARS);
            let from = self.text.char_indices().nth(excess).map_or(0, |(at, _)| at);
            self.text.drain(..from);
        }
    }
}

/// The last `chars` characters of a text.
pub(crate) fn tail(text: &str, chars: usize) -> &str {
    match text.char_indices().rev().nth(chars.saturating_sub(1)) {
        Some((from, _)) if chars > 0 => &text[from..],
        None => text,
        Some(_) => "",
    }
}

/// The first `chars` characters of a text.
pub(crate) fn head(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).map_or(text, |(to, _)| &text[..to])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keeps_the_end_of_much() {
        let mut buffer = OutputBuffer::default();
        for n in 0..100_000 {
            buffer.push(format!("line {n}\n").as_bytes());
        }
        let kept = buffer.text().chars().count();
        assert!((BUFFER_CHARS..=2 * BUFFER_CHARS).contains(&kept), "{kept}");
        assert!(buffer.text().ends_with("line 99999\n"));
    }

    #[test]
    fn ends_are_cut_between_characters() {
        assert_eq!((tail("häuser", 5), tail("ab", 5), tail("ab", 0)), ("äuser", "ab", ""));
        assert_eq!((head("häuser", 2), head("ab", 5), head("ab", 0)), ("hä", "ab", ""));
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(bytes: Vec<u8>, size in 1_usize..9) {
            let mut buffer = OutputBuffer::default();
            let mut all = String::new();
            for piece in bytes.chunks(size) {
                all.push_str(&buffer.push(piece));
            }
            let whole = String::from_utf8_lossy(&bytes);
            prop_assert!(whole.starts_with(&all), "{:?} of {:?}", all, whole);
            prop_assert!(whole.chars().count() - all.chars().count() <= 3);
        }
    }
}

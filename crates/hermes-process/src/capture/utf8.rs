//! Decoding a byte stream that arrives in arbitrary pieces.

/// Turns bytes into text, each invalid sequence into one U+FFFD, exactly as
/// [`String::from_utf8_lossy`] would on the whole stream: where the stream is cut into pieces
/// makes no difference.
#[derive(Debug, Clone, Default)]
pub(super) struct Utf8Decoder {
    /// The start of a character whose rest has not arrived yet: at most three bytes.
    pending: Vec<u8>,
}

const REPLACEMENT: &str = "\u{FFFD}";

impl Utf8Decoder {
    /// Decodes the next piece, giving the text to `sink` part by part.
    pub(super) fn feed(&mut self, bytes: &[u8], mut sink: impl FnMut(&str)) {
        if self.pending.is_empty() {
            self.pending = decode(bytes, &mut sink).to_vec();
        } else {
            let mut joined = std::mem::take(&mut self.pending);
            joined.extend_from_slice(bytes);
            self.pending = decode(&joined, &mut sink).to_vec();
        }
    }

    /// Ends the stream: a character that never got its rest is invalid.
    pub(super) fn finish(&mut self, mut sink: impl FnMut(&str)) {
        if !self.pending.is_empty() {
            self.pending.clear();
            sink(REPLACEMENT);
        }
    }
}

/// Decodes all but an unfinished character at the end, which is returned.
fn decode<'a>(bytes: &'a [u8], sink: &mut impl FnMut(&str)) -> &'a [u8] {
    let mut chunks = bytes.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        if !chunk.valid().is_empty() {
            sink(chunk.valid());
        }
        if chunk.invalid().is_empty() {
            continue;
        }
        if chunks.peek().is_none() && could_continue(chunk.invalid()) {
            return chunk.invalid();
        }
        sink(REPLACEMENT);
    }
    &[]
}

fn could_continue(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn in_pieces(bytes: &[u8], size: usize) -> String {
        let mut decoder = Utf8Decoder::default();
        let mut text = String::new();
        for piece in bytes.chunks(size) {
            decoder.feed(piece, |part| text.push_str(part));
        }
        decoder.finish(|part| text.push_str(part));
        text
    }

    #[test]
    fn a_character_cut_by_a_piece_stays_whole() {
        assert_eq!(in_pieces("aß€😀".as_bytes(), 1), "aß€😀");
    }

    #[test]
    fn a_character_cut_by_the_end_is_replaced_once() {
        assert_eq!(in_pieces(b"a\xF0\x9F\x98", 1), "a\u{FFFD}");
    }

    /// Text, stray bytes and cut-off characters next to each other: the interesting mixtures,
    /// which uniformly random bytes hardly ever hit.
    fn messy() -> impl Strategy<Value = Vec<u8>> {
        let part = prop_oneof![
            any::<String>().prop_map(String::into_bytes),
            proptest::collection::vec(any::<u8>(), 0..4),
            Just("😀".as_bytes()[..3].to_vec()),
            Just("€".as_bytes()[..2].to_vec()),
        ];
        proptest::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn equals_lossy_decoding_of_the_whole(bytes in messy(), size in 1_usize..9) {
            prop_assert_eq!(in_pieces(&bytes, size), String::from_utf8_lossy(&bytes));
        }
    }
}

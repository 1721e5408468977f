//! UTF-8 that arrives in arbitrary slices, as text.

/// What a slice of bytes turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LinePiece<'a> {
    /// Well-formed text.
    Text(&'a str),
    /// Bytes that are no text; each such run stands for one U+FFFD.
    Broken,
}

/// Decodes slice by slice to exactly what decoding all bytes at once would give.
#[derive(Debug, Default)]
pub(super) struct LinePieces {
    /// The beginning of a character whose other bytes have not come yet.
    pending: Vec<u8>,
}

impl LinePieces {
    /// Takes the next bytes and hands on what is complete.
    pub(super) fn push(&mut self, mut bytes: &[u8], mut take: impl FnMut(LinePiece<'_>)) {
        while !self.pending.is_empty() {
            let Some((&next, rest)) = bytes.split_first() else { return };
            self.pending.push(next);
            match std::str::from_utf8(&self.pending) {
                Ok(text) => take(LinePiece::Text(text)),
                Err(error) if error.error_len().is_none() => {
                    bytes = rest;
                    continue;
                }
                Err(_) => {
                    // The new byte does not continue the character; it starts something else.
                    take(LinePiece::Broken);
                    self.pending.clear();
                    break;
                }
            }
            bytes = rest;
            self.pending.clear();
        }
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            if !chunk.valid().is_empty() {
                take(LinePiece::Text(chunk.valid()));
            }
            let broken = chunk.invalid();
            if broken.is_empty() {
                continue;
            }
            if chunks.peek().is_none() && is_beginning(broken) {
                self.pending.extend_from_slice(broken);
            } else {
                take(LinePiece::Broken);
            }
        }
    }

    /// Ends the text: a character left unfinished is broken.
    pub(super) fn finish(&mut self, mut take: impl FnMut(LinePiece<'_>)) {
        if !self.pending.is_empty() {
            self.pending.clear();
            take(LinePiece::Broken);
        }
    }
}

/// Whether more bytes could still make a character of these.
fn is_beginning(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode<'a>(slices: impl IntoIterator<Item = &'a [u8]>) -> String {
        let mut text = String::new();
        let mut take = |piece: LinePiece<'_>| match piece {
            LinePiece::Text(piece) => text.push_str(piece),
            LinePiece::Broken => text.push(char::REPLACEMENT_CHARACTER),
        };
        let mut pieces = LinePieces::default();
        for slice in slices {
            pieces.push(slice, &mut take);
        }
        pieces.finish(&mut take);
        text
    }

    #[test]
    fn joins_a_character_cut_between_slices() {
        let bytes = "a€😀z".as_bytes();
        assert_eq!(decode(bytes.chunks(1)), "a€😀z");
    }

    proptest! {
        #[test]
        fn agrees_with_decoding_at_once(
            bytes in proptest::collection::vec(
                prop_oneof![any::<u8>(), 0x80..0xC0_u8, 0xE0..=0xF4_u8], 0..60),
            size in 1..9_usize,
        ) {
            prop_assert_eq!(decode(bytes.chunks(size)), String::from_utf8_lossy(&bytes));
        }
    }
}

//! The text a document is turned into, with a cap.

/// Most bytes of text made out of one document. A small file can stand for a lot of text: a
/// spreadsheet refers to the same long string from every cell.
const MAX_TEXT_BYTES: usize = 32 * 1024 * 1024;

/// Last line of a text that reached the cap.
const CUT_LINE: &str = "# ── The rest of this document is not shown: it is too long ──\n";

/// A growing text that stops at a cap.
#[derive(Debug, Default)]
pub(super) struct Rendering {
    text: String,
    full: bool,
}

impl Rendering {
    /// Adds a headline in the form all documents share.
    pub(super) fn headline(&mut self, title: &str) {
        self.line(&format!("# ── {title} ──"));
    }

    /// Adds a text and ends the line.
    pub(super) fn line(&mut self, text: &str) {
        self.full |= self.text.len() + text.len() > MAX_TEXT_BYTES;
        if !self.full {
            self.text.push_str(text);
            self.text.push('\n');
        }
    }

    /// Whether nothing more is taken.
    pub(super) const fn is_full(&self) -> bool {
        self.full
    }

    /// The text.
    pub(super) fn finish(mut self) -> String {
        if self.full {
            self.text.push_str(CUT_LINE);
        }
        self.text
    }
}

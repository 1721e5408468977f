//! For platforms that show letters and nothing else: links are spelt out, lists have bullets.

use super::styled::{Links, write};
use super::{Document, Rendered};

/// A document as plain text.
#[must_use]
pub fn plain(document: &Document) -> Rendered {
    Rendered::text(write(document, Links::Spelt).text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_gone_and_links_are_spelt() {
        let text = plain(&Document::parse("# T\n\n**a** [b](https://c.d)\n\n> q\n> r")).text;
        assert_eq!(text, "T\n\na b (https://c.d)\n\n> q\n> r");
    }
}

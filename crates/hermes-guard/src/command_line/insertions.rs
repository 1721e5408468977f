//! Text that is put into a command line.

use std::borrow::Cow;

/// Pieces of text with the places they go to. Nothing is ever taken out of the line.
#[derive(Default)]
pub(super) struct Insertions<'t> {
    pieces: Vec<(usize, Cow<'t, str>)>,
}

impl<'t> Insertions<'t> {
    /// Puts text before a byte of the source. Texts at one place keep their order.
    pub(super) fn add(&mut self, at: usize, text: impl Into<Cow<'t, str>>) {
        self.pieces.push((at, text.into()));
    }

    /// The source with all of them.
    pub(super) fn apply(mut self, source: &str) -> Cow<'_, str> {
        if self.pieces.is_empty() {
            return Cow::Borrowed(source);
        }
        self.pieces.sort_by_key(|(at, _)| *at);
        let added: usize = self.pieces.iter().map(|(_, text)| text.len()).sum();
        let mut whole = String::with_capacity(source.len() + added);
        let mut done = 0;
        for (at, text) in &self.pieces {
            whole.push_str(source.get(done..*at).unwrap_or_default());
            whole.push_str(text);
            done = *at;
        }
        whole.push_str(source.get(done..).unwrap_or_default());
        Cow::Owned(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_source_and_the_order() {
        let mut insertions = Insertions::default();
        insertions.add(3, "Y");
        insertions.add(0, "<");
        insertions.add(3, "Z");
        assert_eq!(insertions.pieces.len(), 3);
        assert_eq!(insertions.apply("abc"), "<abcYZ");
    }

    #[test]
    fn borrows_when_there_is_nothing_to_do() {
        assert!(matches!(Insertions::default().apply("abc"), Cow::Borrowed("abc")));
    }
}

//! The text being typed, and where in it the cursor is.
//!
//! The cursor is always between two characters as people see them (an emoji of five code points is
//! one). Nothing here knows about keys or the screen.

use unicode_segmentation::UnicodeSegmentation;

/// Text with a cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextBuffer {
    text: String,
    /// In bytes, at the edge of a character.
    cursor: usize,
}

/// Where to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum To {
    Left,
    Right,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
    Start,
    End,
}

impl TextBuffer {
    /// The text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The text up to the cursor.
    pub(crate) fn before(&self) -> &str {
        &self.text[..self.cursor]
    }

    /// The text from the cursor on.
    pub(crate) fn after(&self) -> &str {
        &self.text[self.cursor..]
    }

    /// Whether nothing is typed.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Replaces everything; the cursor goes to the end.
    pub(crate) fn set(&mut self, text: impl Into<String>) {
        self.text = text.into();
        self.cursor = self.text.len();
    }

    /// Takes the text away.
    pub(crate) fn take(&mut self) -> String {
        self.cursor = 0;
        std::mem::take(&mut self.text)
    }

    /// Puts text where the cursor is.
    pub(crate) fn insert(&mut self, text: &str) {
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
    }

    /// Replaces the bytes from `start` to the cursor.
    pub(crate) fn replace_before(&mut self, start: usize, text: &str) {
        self.text.replace_range(start..self.cursor, text);
        self.cursor = start + text.len();
    }

    /// Replaces these bytes; the cursor goes behind what is put there.
    pub(crate) fn replace(&mut self, range: std::ops::Range<usize>, text: &str) {
        self.cursor = range.start + text.len();
        self.text.replace_range(range, text);
    }

    /// Moves the cursor.
    pub(crate) fn go(&mut self, to: To) {
        self.cursor = self.place(to);
    }

    /// Removes everything between the cursor and there, and gives it.
    pub(crate) fn cut(&mut self, to: To) -> String {
        let there = self.place(to);
        let (start, end) = (self.cursor.min(there), self.cursor.max(there));
        self.cursor = start;
        self.text.drain(start..end).collect()
    }

    /// Moves a line up, in the same column if it can; says whether there was one.
    pub(crate) fn up(&mut self) -> bool {
        let start = self.place(To::LineStart);
        let Some(end) = start.checked_sub(1) else { return false };
        let column = self.text[start..self.cursor].graphemes(true).count();
        let above = self.text[..end].rfind('\n').map_or(0, |at| at + 1);
        self.cursor = self.column(above, end, column);
        true
    }

    /// Moves a line down, in the same column if it can; says whether there was one.
    pub(crate) fn down(&mut self) -> bool {
        let end = self.place(To::LineEnd);
        if end == self.text.len() {
            return false;
        }
        let start = self.place(To::LineStart);
        let column = self.text[start..self.cursor].graphemes(true).count();
        let below = end + 1;
        let below_end = self.text[below..].find('\n').map_or(self.text.len(), |at| below + at);
        self.cursor = self.column(below, below_end, column);
        true
    }

    /// Swaps the two characters around the cursor.
    pub(crate) fn transpose(&mut self) {
        if self.cursor == self.text.len() {
            self.go(To::Left);
        }
        if self.cursor == 0 {
            return;
        }
        let before = self.cut(To::Left);
        self.go(To::Right);
        self.insert(&before);
    }

    fn column(&self, start: usize, end: usize, column: usize) -> usize {
        let line = &self.text[start..end];
        line.grapheme_indices(true).nth(column).map_or(end, |(at, _)| start + at)
    }

    fn place(&self, to: To) -> usize {
        let (before, after) = (self.before(), self.after());
        match to {
            To::Left => before.grapheme_indices(true).next_back().map_or(0, |(at, _)| at),
            To::Right => self.cursor + after.graphemes(true).next().map_or(0, str::len),
            To::WordLeft => {
                let words = before.trim_end_matches(|c: char| !c.is_alphanumeric());
                words
                    .rfind(|c: char| !c.is_alphanumeric())
                    .map_or(0, |at| at + words[at..].chars().next().map_or(0, char::len_utf8))
            }
            To::WordRight => {
                let blanks =
                    after.len() - after.trim_start_matches(|c: char| !c.is_alphanumeric()).len();
                let word = &after[blanks..];
                let end = word.find(|c: char| !c.is_alphanumeric()).unwrap_or(word.len());
                self.cursor + blanks + end
            }
            To::LineStart => before.rfind('\n').map_or(0, |at| at + 1),
            To::LineEnd => after.find('\n').map_or(self.text.len(), |at| self.cursor + at),
            To::Start => 0,
            To::End => self.text.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> TextBuffer {
        let cursor = text.find('|').unwrap();
        TextBuffer { text: text.replace('|', ""), cursor }
    }

    fn shown(buffer: &TextBuffer) -> String {
        format!("{}|{}", buffer.before(), buffer.after())
    }

    fn went(text: &str, to: To) -> String {
        let mut buffer = at(text);
        buffer.go(to);
        shown(&buffer)
    }

    #[test]
    fn the_cursor_moves_by_what_people_call_a_character() {
        assert_eq!(went("a👩‍👩‍👧|b", To::Left), "a|👩‍👩‍👧b");
        assert_eq!(went("|é日", To::Right), "é|日");
        assert_eq!(went("|", To::Left), "|");
        assert_eq!(went("x|", To::Right), "x|");
    }

    #[test]
    fn words_and_lines_are_found() {
        assert_eq!(went("one two, |three", To::WordLeft), "one |two, three");
        assert_eq!(went("日本 語|", To::WordLeft), "日本 |語");
        assert_eq!(went("one| two", To::WordRight), "one two|");
        assert_eq!(went("a\nbc|d\ne", To::LineStart), "a\n|bcd\ne");
        assert_eq!(went("a\nb|cd\ne", To::LineEnd), "a\nbcd|\ne");
    }

    #[test]
    fn lines_are_changed_in_the_same_column() {
        let mut buffer = at("long line\nab\nthird| line");
        assert!(buffer.up());
        assert_eq!(shown(&buffer), "long line\nab|\nthird line");
        assert!(buffer.up() && !buffer.up());
        assert_eq!(shown(&buffer), "lo|ng line\nab\nthird line");
        assert!(buffer.down() && buffer.down() && !buffer.down());
        assert_eq!(shown(&buffer), "long line\nab\nth|ird line");
    }

    #[test]
    fn what_is_cut_can_be_put_back() {
        let mut buffer = at("one two| three");
        let cut = buffer.cut(To::WordLeft);
        assert_eq!((cut.as_str(), shown(&buffer).as_str()), ("two", "one | three"));
        buffer.insert(&cut);
        assert_eq!(shown(&buffer), "one two| three");
    }

    #[test]
    fn characters_change_places() {
        let mut buffer = at("ab|");
        buffer.transpose();
        assert_eq!(shown(&buffer), "ba|");
        let mut buffer = at("|ab");
        buffer.transpose();
        assert_eq!(shown(&buffer), "|ab");
    }
}

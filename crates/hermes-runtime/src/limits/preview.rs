//! The texts that stand in for a long result.

use hermes_tool::thousands;

/// First line of the block that replaces a stored result; also how such a block is recognised.
pub const PERSISTED_OPEN: &str = "<persisted-output>";
/// Last line of that block.
pub const PERSISTED_CLOSE: &str = "</persisted-output>";
/// Most characters of the result that are shown in its place.
pub const PREVIEW_CHARS: usize = 1500;

/// A long result, measured: its size and its beginning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Preview<'a> {
    chars: usize,
    bytes: usize,
    shown: &'a str,
    shown_chars: usize,
}

impl<'a> Preview<'a> {
    /// Takes the beginning of a text that is known to have `chars` characters. A longer text is cut
    /// after its last whole line, unless that would throw away half of the preview or more.
    pub(super) fn new(text: &'a str, chars: usize) -> Self {
        let (mut shown, mut shown_chars) = (text, chars);
        if let Some((end, _)) = text.char_indices().nth(PREVIEW_CHARS) {
            (shown, shown_chars) = (&text[..end], PREVIEW_CHARS);
            if let Some(newline) = shown.rfind('\n') {
                let position = shown[..newline].chars().count();
                if position > PREVIEW_CHARS / 2 {
                    (shown, shown_chars) = (&shown[..=newline], position + 1);
                }
            }
        }
        Self { chars, bytes: text.len(), shown, shown_chars }
    }

    /// The block for a result that was stored at `path`.
    pub(super) fn stored_at(&self, path: &str) -> String {
        let size = self.size();
        let shown_chars = self.shown_chars;
        let shown = self.shown;
        let more = if shown_chars < self.chars { "\n..." } else { "" };
        format!(
            "{PERSISTED_OPEN}\n\
             The result is long ({size}) and was moved to a file.\n\
             File with the whole result: {path}\n\
             To see more of it, call read_file on that path with offset and limit.\n\
             \n\
             Preview (first {shown_chars} chars):\n\
             {shown}{more}\n\
             {PERSISTED_CLOSE}"
        )
    }

    /// The text for a result that could not be stored.
    pub(super) fn truncated(&self, reason: &str) -> String {
        let size = self.size();
        let shown = self.shown;
        format!(
            "{shown}\n\n[Truncated: the whole result has {size} and could not be saved to a file \
             ({reason}). Ask for less at a time to see the rest.]"
        )
    }

    /// `12,345 characters, 12.1 KB`; kilobytes count what is stored, so they may differ from the
    /// characters where the text is not ASCII.
    fn size(&self) -> String {
        let kilobytes = self.bytes as f64 / 1024.0;
        let (amount, unit) =
            if kilobytes < 1024.0 { (kilobytes, "KB") } else { (kilobytes / 1024.0, "MB") };
        format!("{} characters, {amount:.1} {unit}", thousands(self.chars))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preview(text: &str) -> Preview<'_> {
        Preview::new(text, text.chars().count())
    }

    #[test]
    fn the_block_has_its_lines_in_order() {
        let text = "x".repeat(123_456);
        let block = preview(&text).stored_at("/tmp/hermes-results/call_1.txt");
        let lines: Vec<&str> = block.lines().collect();
        assert_eq!(lines[0], "<persisted-output>");
        assert!(lines[1].contains("(123,456 characters, 120.6 KB)"));
        assert!(lines[2].ends_with(" /tmp/hermes-results/call_1.txt"));
        assert!(lines[3].contains("read_file") && lines[3].contains("offset and limit"));
        assert_eq!(lines[4], "");
        assert_eq!(lines[5], "Preview (first 1500 chars):");
        assert_eq!(lines[6], "x".repeat(1500));
        assert_eq!(lines[7..], ["...", "</persisted-output>"]);
    }

    #[test]
    fn short_texts_are_shown_whole_without_dots() {
        let block = preview("ab\ncd").stored_at("p");
        assert!(block.ends_with("Preview (first 5 chars):\nab\ncd\n</persisted-output>"));
    }

    #[test]
    fn cuts_after_the_last_newline_only_in_the_second_half() {
        let late = format!("{}\n{}", "a".repeat(751), "b".repeat(2000));
        assert_eq!(preview(&late).shown_chars, 752);
        assert!(preview(&late).shown.ends_with('\n'));
        let middle = format!("{}\n{}", "a".repeat(750), "b".repeat(2000));
        assert_eq!(preview(&middle).shown_chars, 1500);
    }

    #[test]
    fn counts_characters_not_bytes() {
        let text = "é\n".repeat(1000); // 2000 characters, 3000 bytes
        let cut = preview(&text);
        assert_eq!(cut.shown_chars, 1500);
        assert_eq!(cut.shown.chars().count(), 1500);
        assert!(cut.size().starts_with("2,000 characters, 2.9 KB"));
    }

    #[test]
    fn a_text_of_exactly_the_preview_size_is_not_cut() {
        let text = format!("{}\n{}", "a".repeat(800), "b".repeat(699));
        assert_eq!(preview(&text).shown, text);
    }

    #[test]
    fn megabytes_begin_at_1024_kilobytes() {
        let size = |bytes: usize| preview(&"x".repeat(bytes)).size();
        assert_eq!(size(1024 * 1024), "1,048,576 characters, 1.0 MB");
        assert!(size(1000 * 1024).ends_with("1000.0 KB"));
    }

    #[test]
    fn the_note_of_a_lost_result_states_its_size() {
        let text = "y".repeat(2048);
        let note = preview(&text).truncated("disk full");
        let (shown, rest) = note.split_once("\n\n").unwrap();
        assert_eq!(shown.len(), 1500);
        assert!(rest.starts_with("[Truncated: ") && rest.ends_with(']'));
        assert!(rest.contains("2,048 characters, 2.0 KB") && rest.contains("disk full"));
    }
}

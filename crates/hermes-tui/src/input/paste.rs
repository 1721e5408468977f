//! Long pasted texts, which stand in the line as a short placeholder until it is sent.

use std::fmt::Write as _;

/// A paste of more lines collapses.
const MAX_LINES: usize = 5;
/// A paste of more characters collapses too.
const MAX_CHARS: usize = 10_000;

/// The pasted texts of a conversation.
#[derive(Debug, Default)]
pub(crate) struct Pastes {
    /// Placeholders and what they stand for.
    texts: Vec<(String, String)>,
}

impl Pastes {
    /// What to put into the line for a pasted text.
    pub(crate) fn add(&mut self, pasted: &str) -> String {
        let text = hermes_guard::ansi::strip_for_display(pasted).into_owned();
        let lines = text.lines().count();
        let size = match lines {
            _ if lines > MAX_LINES => format!("{lines} lines"),
            _ if text.chars().count() > MAX_CHARS => {
                format!("{} characters", text.chars().count())
            }
            // The end of a last line would only get in the way of typing on.
            _ => return text.trim_end_matches('\n').to_owned(),
        };
        let placeholder = format!("[pasted #{}: {size}]", self.texts.len() + 1);
        self.texts.push((placeholder.clone(), text));
        placeholder
    }

    /// A text with the pasted texts in place of their placeholders.
    pub(crate) fn expanded(&self, line: &str) -> String {
        let mut expanded = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(at) = rest.find("[pasted #") {
            let (before, from) = rest.split_at(at);
            expanded.push_str(before);
            let known = self.texts.iter().find(|(name, _)| from.starts_with(name.as_str()));
            let (text, length) = match known {
                Some((name, text)) => (text.trim_end_matches('\n'), name.len()),
                None => ("[", 1),
            };
            expanded.push_str(text);
            rest = &from[length..];
        }
        let _ = write!(expanded, "{rest}");
        expanded
    }

    /// Where the placeholder begins that ends the text, if one does.
    pub(crate) fn ending(&self, text: &str) -> Option<usize> {
        let ends = |(name, _): &&(String, String)| text.ends_with(name.as_str());
        self.texts.iter().find(ends).map(|(name, _)| text.len() - name.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_pastes_collapse_and_are_sent_whole() {
        let mut pastes = Pastes::default();
        let long: String = (0..5_000).map(|number| format!("line {number}\n")).collect();
        assert_eq!(pastes.add("two\r\nlines\r\n"), "two\nlines");
        assert_eq!(pastes.add(&long), "[pasted #1: 5000 lines]");
        assert_eq!(pastes.add(&"x".repeat(20_000)), "[pasted #2: 20000 characters]");
        let sent = pastes.expanded("see [pasted #1: 5000 lines] and [pasted #9: 6 lines], [pasted");
        assert_eq!(sent, format!("see {} and [pasted #9: 6 lines], [pasted", long.trim_end()));
    }

    #[test]
    fn pasted_text_cannot_pretend_to_be_a_placeholder_of_another() {
        let mut pastes = Pastes::default();
        let first = pastes.add(&"[pasted #1: 6 lines]\n".repeat(6));
        assert_eq!(pastes.expanded(&first).lines().count(), 6);
    }

    #[test]
    fn pasted_control_sequences_are_removed() {
        assert_eq!(Pastes::default().add("a\x1b[2Jb\u{7}"), "ab");
    }

    #[test]
    fn a_placeholder_before_the_cursor_is_found() {
        let mut pastes = Pastes::default();
        let name = pastes.add(&"x\n".repeat(9));
        assert_eq!(pastes.ending(&format!("abc {name}")), Some(4));
        assert_eq!(pastes.ending("abc"), None);
    }
}

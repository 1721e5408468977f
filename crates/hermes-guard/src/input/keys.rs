//! Keys that change a line while it is typed.

/// Interrupt and end of input, which are what they are when they come alone.
const ALONE: [&str; 2] = ["\u{3}", "\u{4}"];

/// Whether keys are among a text after which the line is another than the text: erasing, moving,
/// completing, recalling.
pub(super) fn edits(text: &str) -> bool {
    let is_plain = |key: char| !key.is_control() || matches!(key, '\n' | '\r');
    !ALONE.contains(&text) && !text.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_keys_that_stand_for_themselves_leave_a_line_as_it_is() {
        for plain in ["ls -l\n", "ls\r", "ä \u{1f600}\n", "\u{3}", "\u{4}", ""] {
            assert!(!edits(plain), "{plain:?}");
        }
        for edited in ["rm -x\u{7f}r v\n", "\u{1b}[A\n", "ls\t\n", "rm\u{15}ls\n", "x\u{3}y\n"] {
            assert!(edits(edited), "{edited:?}");
        }
    }
}

//! Terminal control sequences in text that programs print.
//!
//! Colours, cursor moves, titles and links are instructions to a terminal. In text for a model they
//! are noise, in text for a person they can lie: move the cursor, hide a line, change the title.
//! [`strip`] takes the sequences out and leaves every other character; [`strip_for_display`] also
//! removes the remaining control characters, so nothing in the result can steer a terminal.
//!
//! A sequence that never ends loses only its introducer: a stray `ESC ]` must not swallow the rest of
//! a long output. An ESC that begins nothing stays in [`strip`]'s result.

use std::borrow::Cow;

mod sequence;
#[cfg(test)]
mod tests;

use sequence::SequenceScanner;

/// The text without its control sequences, not copied when it has none.
#[must_use]
pub fn strip(text: &str) -> Cow<'_, str> {
    let mut scanner = SequenceScanner::new(text);
    let Some(first) = scanner.next_sequence(0) else { return Cow::Borrowed(text) };
    let mut clean = String::with_capacity(text.len());
    clean.push_str(&text[..first.start]);
    let mut from = first.end;
    while let Some(next) = scanner.next_sequence(from) {
        clean.push_str(&text[from..next.start]);
        from = next.end;
    }
    clean.push_str(&text[from..]);
    Cow::Owned(clean)
}

/// The text for a person's terminal: without control sequences, with every line end as one line feed,
/// and without any other control character except the tab.
#[must_use]
pub fn strip_for_display(text: &str) -> Cow<'_, str> {
    let stripped = strip(text);
    if !stripped.bytes().any(is_unwanted) {
        return stripped;
    }
    let mut clean = String::with_capacity(stripped.len());
    let mut characters = stripped.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' => {
                characters.next_if_eq(&'\n');
                clean.push('\n');
            }
            '\t' | '\n' => clean.push(character),
            other if other.is_ascii_control() => {}
            other => clean.push(other),
        }
    }
    Cow::Owned(clean)
}

fn is_unwanted(byte: u8) -> bool {
    byte.is_ascii_control() && byte != b'\t' && byte != b'\n'
}

//! Text made fit for the service: without control signs, escaped, in pieces.

/// Most bytes of one piece.
pub const MAX_PIECE: usize = 4_096;

/// The pieces of a text, escaped for XML, none longer than [`MAX_PIECE`] and none blank. They end at a line or a blank
/// where there is one, and never inside a character or an entity.
#[must_use]
pub fn pieces(text: &str) -> Vec<String> {
    let escaped = escape(text);
    let mut rest = escaped.as_str();
    let mut pieces = Vec::new();
    let mut add = |piece: &str| {
        let piece = piece.trim();
        if !piece.is_empty() {
            pieces.push(piece.to_owned());
        }
    };
    while rest.len() > MAX_PIECE {
        let (piece, more) = rest.split_at(end_of_piece(rest));
        add(piece);
        rest = more;
    }
    add(rest);
    pieces
}

/// Where the first piece ends; more than 0.
fn end_of_piece(text: &str) -> usize {
    let end = text.floor_char_boundary(MAX_PIECE);
    let window = &text[..end];
    if let Some(at) = window.rfind('\n').or_else(|| window.rfind(' ')).filter(|at| *at > 0) {
        return at;
    }
    match window.rfind('&') {
        Some(open) if open > 0 && !window[open..].contains(';') => open,
        _ => end,
    }
}

/// The text as it stands inside an element or an attribute.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' => escaped.push(' '),
            '\u{fffe}' | '\u{ffff}' => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pieces_end_at_lines_and_blanks_before_anything_else() {
        assert_eq!(pieces("a < b & c\u{7}"), ["a &lt; b &amp; c"]);
        let line = format!("{}\n{}", "a b ".repeat(1_000), "c".repeat(3_000));
        assert_eq!(pieces(&line).len(), 2);
        assert_eq!(pieces(&line)[1], "c".repeat(3_000));
        assert!(pieces(" \n\t ").is_empty());
    }

    #[test]
    fn an_entity_is_not_cut() {
        let text = format!("{}&x", "y".repeat(MAX_PIECE - 2));
        assert_eq!(pieces(&text), ["y".repeat(MAX_PIECE - 2), "&amp;x".to_owned()]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_but_blanks(text in "[a&<é \n]{0,9000}") {
            let pieces = pieces(&text);
            prop_assert!(pieces.iter().all(|piece| piece.len() <= MAX_PIECE && !piece.is_empty()));
            let packed = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(packed(&pieces.concat()), packed(&escape(&text)));
        }
    }
}

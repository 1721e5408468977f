//! Where the typed text stands on the screen.

use unicode_segmentation::UnicodeSegmentation;

use super::super::display::fit::{columns, cut, shown};
use super::super::display::{Ink, Style};
use super::super::terminal::Frame;

/// What is to be laid out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Typed<'a> {
    /// In front of the first row; further rows are set in as far.
    pub(crate) prompt: &'a str,
    pub(crate) prompt_ink: Ink,
    pub(crate) before: &'a str,
    pub(crate) after: &'a str,
    /// How the text may go on, shown dimly behind it.
    pub(crate) hint: &'a str,
}

struct Row {
    /// Plain text.
    text: String,
    used: usize,
}

/// The rows of the typed text, at most `most` of them: those around the cursor.
pub(crate) fn lay_out(typed: Typed<'_>, most: usize, style: &Style) -> Frame {
    // A question may be longer than a narrow terminal is wide; there has to be room for an answer.
    let prompt = cut(typed.prompt, style.width.saturating_sub(4));
    let lead = columns(&prompt);
    let mut rows = vec![Row { text: String::new(), used: lead }];
    // The cursor may stand behind the last character, so a column stays free for it.
    let width = style.width.saturating_sub(1).max(lead + 2);
    fill(&mut rows, typed.before, lead, width);
    let cursor = (rows.len() - 1, rows.last().map_or(0, |row| row.used));
    fill(&mut rows, typed.after, lead, width);
    let mut painted: Vec<String> = rows
        .iter()
        .enumerate()
        .map(|(at, row)| match at {
            0 => format!("{}{}", style.paint(typed.prompt_ink, &prompt), row.text),
            _ => format!("{}{}", " ".repeat(lead), row.text),
        })
        .collect();
    if let (Some(last), Some(row)) = (rows.last(), painted.last_mut()) {
        let room = width.saturating_sub(last.used);
        let hint = typed.hint.lines().next().unwrap_or_default();
        if !hint.is_empty() && room > 1 {
            let hint = cut(hint, room);
            row.push_str(&style.paint(Ink::DIM, &hint));
        }
    }
    window(painted, cursor, most.max(1), style)
}

/// Puts text into rows, broken where it must be.
fn fill(rows: &mut Vec<Row>, text: &str, lead: usize, width: usize) {
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            rows.push(Row { text: String::new(), used: lead });
        }
        for grapheme in shown(line).graphemes(true) {
            let wide = columns(grapheme);
            let is_full = rows.last().is_some_and(|row| row.used + wide > width);
            if is_full {
                rows.push(Row { text: String::new(), used: lead });
            }
            if let Some(row) = rows.last_mut() {
                row.text.push_str(grapheme);
                row.used += wide;
            }
        }
    }
}

/// The rows around the cursor, with a word on how many are not shown.
fn window(mut rows: Vec<String>, cursor: (usize, usize), most: usize, style: &Style) -> Frame {
    if rows.len() <= most {
        return Frame { rows, cursor };
    }
    let from = (cursor.0 + 1).saturating_sub(most).min(rows.len() - most);
    let below = rows.len() - most - from;
    rows.truncate(from + most);
    rows.drain(..from);
    let mark =
        |count: usize, what: &str| style.paint(Ink::DIM, &format!("  … {count} rows {what}"));
    let row = cursor.0 - from;
    if most > 2 && from > 0 && row > 0 {
        rows[0] = mark(from + 1, "above");
    }
    if most > 2 && below > 0 && row + 1 < most {
        rows[most - 1] = mark(below + 1, "below");
    }
    Frame { rows, cursor: (row, cursor.1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::Colour;

    fn laid_out(before: &str, after: &str, most: usize) -> Frame {
        let typed = Typed { prompt: "❯ ", prompt_ink: Ink::BOLD, before, after, hint: "" };
        lay_out(typed, most, &Style::new(Colour::Off, 20))
    }

    #[test]
    fn text_is_broken_at_the_edge_and_set_in() {
        let frame = laid_out("日本語テキスト日本語", "", 9);
        assert_eq!(frame.rows, ["❯ 日本語テキスト日", "  本語"]);
        assert_eq!(frame.cursor, (1, 6));
    }

    #[test]
    fn lines_and_cursor_are_where_they_belong() {
        let frame = laid_out("one\ntw", "o\nthree", 9);
        assert_eq!((frame.rows.join("\n"), frame.cursor), ("❯ one\n  two\n  three".into(), (1, 4)));
    }

    #[test]
    fn a_tall_text_is_shown_around_the_cursor() {
        let lines: Vec<String> = (0..30).map(|number| number.to_string()).collect();
        let frame = laid_out(&lines.join("\n"), "", 5);
        assert_eq!(frame.rows, ["  … 26 rows above", "  26", "  27", "  28", "  29"]);
        assert_eq!(frame.cursor, (4, 4));
        let frame = laid_out("0", &format!("\n{}", lines.join("\n")), 5);
        assert_eq!(frame.rows, ["❯ 0", "  0", "  1", "  2", "  … 27 rows below"]);
    }

    #[test]
    fn a_hint_stands_behind_the_text_and_never_wraps() {
        let typed = Typed {
            prompt: "> ",
            prompt_ink: Ink::PLAIN,
            before: "cargo",
            after: "",
            hint: " build --release --workspace",
        };
        let frame = lay_out(typed, 5, &Style::new(Colour::Off, 20));
        assert_eq!((frame.rows, frame.cursor), (vec!["> cargo build --re…".into()], (0, 7)));
    }
}

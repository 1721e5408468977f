//! What one line is (a heading, an item, a quotation, text) and how it is drawn.

use super::super::fit::{StyledSpan, columns, painted, shown, split_at_columns, wrap};
use super::super::style::{Hue, Ink, Style};
use super::super::syntax::Highlighter;
use super::inline::{footnote, inline};
use super::{MarkdownMode, maths, table};

/// Deepest set-in that is shown; no line begins so far to the right that nothing fits.
const MAX_INDENT: usize = 24;

/// What stands before the name of a language.
const LEAD: &str = "── ";

/// A fence around code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    sign: char,
    length: usize,
    /// How far the fence is set in, and so how much of each line's indentation is not the code's.
    indent: usize,
    language: String,
    colours: Highlighter,
}

impl Fence {
    /// The fence that a line opens.
    pub(super) fn opened_by(line: &str) -> Option<Self> {
        let text = line.trim_start();
        let sign = text.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        let info = text.trim_start_matches(sign);
        let length = text.len() - info.len();
        // A backtick after the fence: code within a line.
        if length < 3 || (sign == '`' && info.contains('`')) {
            return None;
        }
        let language = info.trim().to_owned();
        let colours = Highlighter::new(&language);
        Some(Self { sign, length, indent: line.len() - text.len(), language, colours })
    }

    /// Whether a line closes it.
    pub(super) fn is_closed_by(&self, line: &str) -> bool {
        let text = line.trim();
        text.len() >= self.length && text.chars().all(|sign| sign == self.sign)
    }

    pub(super) fn top(&self, style: &Style, mode: MarkdownMode) -> Vec<String> {
        let name = shown(&self.language);
        match columns(&name) {
            0 => rule("", style, mode),
            wide if wide + LEAD.len() < style.width => rule(&format!("{LEAD}{name} "), style, mode),
            _ if mode == MarkdownMode::Render => {
                set_in(LEAD, Ink::DIM, &[StyledSpan::new(name, Ink::DIM)], style)
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn bottom(&self, style: &Style, mode: MarkdownMode) -> Vec<String> {
        rule("", style, mode)
    }

    /// A line of the code. Nothing stands before it, so that it can be copied; where it is broken there is a mark.
    pub(super) fn line(&mut self, line: &str, style: &Style, mode: MarkdownMode) -> Vec<String> {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        let line = shown(&line[blanks.min(self.indent)..]);
        if mode != MarkdownMode::Render {
            return vec![line];
        }
        let mut rows = broken(&self.colours.line(&line), style.width - 1);
        let last = rows.pop().unwrap_or_default();
        let mark = style.paint(Ink::DIM, "↩");
        let mut rows: Vec<String> =
            rows.iter().map(|row| format!("{}{mark}", painted(style, row))).collect();
        rows.push(painted(style, &last));
        rows
    }
}

/// A light line above or below code.
fn rule(title: &str, style: &Style, mode: MarkdownMode) -> Vec<String> {
    const MAX_RULE: usize = 40;
    if mode != MarkdownMode::Render {
        return Vec::new();
    }
    let rest = style.width.min(MAX_RULE).saturating_sub(columns(title));
    vec![style.paint(Ink::DIM, &format!("{title}{}", "─".repeat(rest)))]
}

/// Spans in rows of at most `width` columns, broken anywhere.
fn broken(spans: &[StyledSpan], width: usize) -> Vec<Vec<StyledSpan>> {
    let mut rows = vec![Vec::new()];
    let mut used = 0;
    for span in spans {
        let mut rest = span.text.as_str();
        while !rest.is_empty() {
            let room = width - used;
            let (piece, more) = split_at_columns(rest, room);
            if used > 0 && columns(piece) > room {
                rows.push(Vec::new());
                used = 0;
                continue;
            }
            used += columns(piece);
            if let Some(row) = rows.last_mut() {
                row.push(StyledSpan::new(piece, span.ink));
            }
            rest = more;
            if !rest.is_empty() {
                rows.push(Vec::new());
                used = 0;
            }
        }
    }
    rows
}

/// A line of a formula, in signs where it has them.
pub(super) fn formula_rows(line: &str, style: &Style) -> Vec<String> {
    match maths::drawn(&shown(line)).filter(|drawn| !drawn.is_empty()) {
        Some(drawn) => set_in("  ", Ink::PLAIN, &[StyledSpan::new(drawn, Ink::ITALIC)], style),
        None => line_rows(line, style),
    }
}

/// Whether a line may be a row of a table.
pub(super) fn is_table_row(line: &str) -> bool {
    let text = line.trim();
    text.len() > 1 && text.starts_with('|')
}

/// The rows of a table, or its lines as text if it is none.
pub(super) fn table_rows(lines: &[String], style: &Style) -> Vec<String> {
    table::render(lines, style)
        .unwrap_or_else(|| lines.iter().flat_map(|line| line_rows(line, style)).collect())
}

/// A line that is neither code nor a table.
pub(super) fn line_rows(line: &str, style: &Style) -> Vec<String> {
    let line = shown(line);
    let text = line.trim_start();
    let indent = (line.len() - text.len()).min(MAX_INDENT).min(style.width / 2);
    if text.is_empty() {
        return vec![String::new()];
    }
    if is_rule(text) {
        return vec![style.paint(Ink::DIM, &"─".repeat(style.width.min(40)))];
    }
    if let Some((level, title)) = heading(text) {
        let ink = match level {
            1 | 2 => Ink::BOLD.and(Ink::of(Hue::Magenta)),
            3 => Ink::BOLD,
            _ => Ink::BOLD.and(Ink::DIM),
        };
        return set_in("", Ink::PLAIN, &inked(inline(title), ink), style);
    }
    if let Some(quoted) = text.strip_prefix('>') {
        let lead = format!("{}│ ", " ".repeat(indent));
        return set_in(&lead, Ink::DIM, &inked(inline(quoted.trim_start()), Ink::DIM), style);
    }
    let lead = " ".repeat(indent);
    if let Some(name) = footnote(text)
        && let Some(body) = text[name.len() + "[^]".len()..].strip_prefix(':')
    {
        return set_in(&format!("[{name}] "), Ink::DIM, &inline(body.trim_start()), style);
    }
    match item(text) {
        Some((marker, body)) => {
            set_in(&format!("{lead}{marker} "), Ink::CYAN, &inline(body), style)
        }
        None => set_in(&lead, Ink::PLAIN, &inline(text), style),
    }
}

/// A lead in front of a text, and blanks of the same width in front of its further rows.
fn set_in(lead: &str, ink: Ink, spans: &[StyledSpan], style: &Style) -> Vec<String> {
    let room = style.width.saturating_sub(columns(lead));
    // A quotation keeps its bar on every row.
    let further = match lead.ends_with("│ ") {
        true => lead.to_owned(),
        false => " ".repeat(columns(lead)),
    };
    wrap(spans, room)
        .iter()
        .enumerate()
        .map(|(row, line)| {
            let lead = if row == 0 { lead } else { &further };
            format!("{}{}", style.paint(ink, lead), painted(style, line)).trim_end().to_owned()
        })
        .collect()
}

fn inked(spans: Vec<StyledSpan>, ink: Ink) -> Vec<StyledSpan> {
    spans.into_iter().map(|span| StyledSpan { ink: ink.and(span.ink), ..span }).collect()
}

fn is_rule(text: &str) -> bool {
    let mut signs = text.chars().filter(|sign| !sign.is_whitespace());
    let Some(first) = signs.next().filter(|sign| matches!(sign, '-' | '*' | '_')) else {
        return false;
    };
    let mut count = 1;
    signs.all(|sign| {
        count += 1;
        sign == first
    }) && count >= 3
}

fn heading(text: &str) -> Option<(usize, &str)> {
    let title = text.trim_start_matches('#');
    let level = text.len() - title.len();
    let is_heading = (1..=6).contains(&level) && title.starts_with(' ');
    is_heading.then(|| (level, title.trim().trim_end_matches('#').trim_end()))
}

/// The marker of an item and its text.
fn item(text: &str) -> Option<(String, &str)> {
    let (marker, body) = text.split_once(' ')?;
    let marker = match marker {
        "-" | "*" | "+" => "•".to_owned(),
        _ => {
            let digits = marker.strip_suffix(['.', ')'])?;
            let is_number = (1..=9).contains(&digits.len())
                && digits.bytes().all(|digit| digit.is_ascii_digit());
            is_number.then(|| marker.to_owned())?
        }
    };
    let body = body.trim_start();
    for (box_, sign) in [("[ ] ", "☐"), ("[x] ", "☑"), ("[X] ", "☑")] {
        if let Some(task) = body.strip_prefix(box_) {
            return Some((sign.to_owned(), task));
        }
    }
    Some((marker, body))
}

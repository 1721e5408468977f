//! Emphasis, code, links: what happens inside a line.
//!
//! One walk over the text makes pieces; a mark that may open something waits on a stack until its
//! partner comes. A mark without a partner is text like any other, so nothing is ever lost. Every
//! step takes something off the text or off the stack, so the work grows with the text and with
//! nothing else.

use std::sync::Arc;

use super::super::fit::StyledSpan;
use super::super::style::Ink;
use super::maths::formula;

/// Longest address of a link; what looks longer is text.
const MAX_ADDRESS: usize = 2_048;
/// Longest mark of a footnote.
const MAX_FOOTNOTE: usize = 40;

/// Emphasis marks, longest first.
const MARKS: &[(&str, Ink)] = &[
    ("***", Ink::BOLD.with_italic()),
    ("___", Ink::BOLD.with_italic()),
    ("**", Ink::BOLD),
    ("__", Ink::BOLD),
    ("~~", Ink::STRIKE),
    ("*", Ink::ITALIC),
    ("_", Ink::ITALIC),
];

enum Piece {
    Text(String),
    Inked(String, Ink),
    Linked(String, Ink, Arc<str>),
    On(Ink),
    /// A text that leads somewhere begins.
    OnLink(Arc<str>),
    Off,
}

/// A mark whose partner has not come yet.
struct Waiting {
    /// Number in [`MARKS`], or [`BRACKET`].
    kind: usize,
    /// Its piece.
    at: usize,
}

const BRACKET: usize = MARKS.len();

/// The spans of a line.
pub(crate) fn inline(text: &str) -> Vec<StyledSpan> {
    let mut parser = Parser {
        text,
        pieces: Vec::new(),
        waiting: Vec::new(),
        open: [0; BRACKET + 1],
        last_ticks: last_ticks(text),
    };
    parser.run();
    parser.spans()
}

struct Parser<'a> {
    text: &'a str,
    pieces: Vec<Piece>,
    waiting: Vec<Waiting>,
    /// How many of each kind wait.
    open: [usize; BRACKET + 1],
    /// Where the last run of backticks of a length is, so that no search for one is in vain.
    last_ticks: Vec<(usize, usize)>,
}

impl Parser<'_> {
    fn run(&mut self) {
        let mut at = 0;
        while let Some(next) = self.text[at..].chars().next() {
            let rest = &self.text[at..];
            at += match next {
                '$' | '\\' if let Some((length, drawn)) = formula(rest) => {
                    self.pieces.push(Piece::Inked(drawn, Ink::ITALIC));
                    length
                }
                '\\' => self.escape(rest),
                '`' => self.code(at, rest),
                '[' => self.bracket(rest),
                ']' => self.link(rest),
                '<' => self.angle(rest),
                'h' if self.starts_address(at) => self.address(rest),
                '*' | '_' | '~' => self.mark(at, rest),
                other => self.literal(&rest[..other.len_utf8()]),
            };
        }
    }

    fn literal(&mut self, text: &str) -> usize {
        match self.pieces.last_mut() {
            Some(Piece::Text(before)) => before.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
        text.len()
    }

    fn escape(&mut self, rest: &str) -> usize {
        match rest[1..].chars().next() {
            Some(next) if next.is_ascii_punctuation() => 1 + self.literal(&rest[1..2]),
            _ => self.literal("\\"),
        }
    }

    fn code(&mut self, at: usize, rest: &str) -> usize {
        let ticks = run_length(rest, '`');
        let (fence, body) = rest.split_at(ticks);
        let has_end = self.last_ticks.iter().any(|(length, last)| *length == ticks && *last > at);
        if !has_end {
            return self.literal(fence);
        }
        let mut from = 0;
        while let Some(found) = body[from..].find('`') {
            let start = from + found;
            let length = run_length(&body[start..], '`');
            if length == ticks {
                let code = &body[..start];
                let inner = code.strip_prefix(' ').and_then(|code| code.strip_suffix(' '));
                let code = inner.filter(|inner| !inner.trim().is_empty()).unwrap_or(code);
                self.pieces.push(Piece::Inked(code.to_owned(), Ink::CYAN));
                return ticks + start + length;
            }
            from = start + length;
        }
        self.literal(fence)
    }

    fn bracket(&mut self, rest: &str) -> usize {
        if let Some(name) = footnote(rest) {
            self.pieces.push(Piece::Inked(format!("[{name}]"), Ink::DIM));
            return name.len() + "[^]".len();
        }
        self.wait(BRACKET, &rest[..1])
    }

    fn wait(&mut self, kind: usize, mark: &str) -> usize {
        self.pieces.push(Piece::Text(mark.to_owned()));
        self.waiting.push(Waiting { kind, at: self.pieces.len() - 1 });
        self.open[kind] += 1;
        // What follows must not be joined to the mark, which may turn into something else.
        self.pieces.push(Piece::Text(String::new()));
        mark.len()
    }

    /// Gives the newest waiting mark of a kind, forgetting those that came after it.
    fn partner(&mut self, kind: usize) -> Option<usize> {
        if self.open[kind] == 0 {
            return None;
        }
        while let Some(waiting) = self.waiting.pop() {
            self.open[waiting.kind] -= 1;
            if waiting.kind == kind {
                return Some(waiting.at);
            }
        }
        None
    }

    fn link(&mut self, rest: &str) -> usize {
        let address = rest.strip_prefix("](").and_then(|rest| {
            let near = &rest[..rest.floor_char_boundary(MAX_ADDRESS)];
            near.find(')').map(|end| &near[..end]).filter(|address| may_be_address(address))
        });
        let Some(address) = address.filter(|_| self.open[BRACKET] > 0) else {
            return self.literal("]");
        };
        if let Some(opener) = self.partner(BRACKET) {
            let link: Arc<str> = address.split(char::is_whitespace).next().unwrap_or("").into();
            self.pieces[opener] = Piece::OnLink(Arc::clone(&link));
            if let Some(Piece::Text(before)) =
                opener.checked_sub(1).and_then(|at| self.pieces.get_mut(at))
                && before.ends_with('!')
            {
                before.pop();
            }
            let is_shown = self.is_since(opener, address);
            self.pieces.push(Piece::Off);
            if !is_shown && !address.is_empty() {
                self.pieces.push(Piece::Linked(format!(" ({address})"), Ink::DIM, link));
            }
        }
        "](".len() + address.len() + 1
    }

    /// Whether what stands since a piece is just this. Only a few pieces are looked at: an address
    /// is written in one or two.
    fn is_since(&self, opener: usize, address: &str) -> bool {
        const FEW: usize = 8;
        let since = &self.pieces[opener..];
        let shown = |piece: &Piece| match piece {
            Piece::Text(text) | Piece::Inked(text, _) | Piece::Linked(text, ..) => text.clone(),
            Piece::On(_) | Piece::OnLink(_) | Piece::Off => String::new(),
        };
        since.len() <= FEW && since.iter().map(shown).collect::<String>() == address
    }

    fn angle(&mut self, rest: &str) -> usize {
        let near = &rest[..rest.floor_char_boundary(MAX_ADDRESS)];
        let inner = near.find('>').map(|end| &near[1..end]);
        match inner.filter(|inner| is_address(inner) && !inner.contains(char::is_whitespace)) {
            Some(address) => {
                self.pieces.push(linked(address));
                address.len() + 2
            }
            None => self.literal("<"),
        }
    }

    fn starts_address(&self, at: usize) -> bool {
        let before = self.text[..at].chars().next_back();
        is_address(&self.text[at..]) && !before.is_some_and(char::is_alphanumeric)
    }

    fn address(&mut self, rest: &str) -> usize {
        let ends =
            |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`' | ')' | ']' | '|');
        let end = rest.find(ends).unwrap_or(rest.len());
        let address = rest[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_', '\'']);
        self.pieces.push(linked(address));
        address.len()
    }

    fn mark(&mut self, at: usize, rest: &str) -> usize {
        let sign = rest.chars().next().unwrap_or_default();
        let length = run_length(rest, sign);
        let mark = &rest[..length];
        let Some(kind) = MARKS.iter().position(|(known, _)| *known == mark) else {
            return self.literal(mark);
        };
        let before = self.text[..at].chars().next_back();
        let after = rest[length..].chars().next();
        let is_ink = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace());
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let may_close = is_ink(before) && (sign != '_' || !is_word(after));
        let may_open = is_ink(after) && (sign != '_' || !is_word(before));
        if may_close && let Some(opener) = self.partner(kind) {
            self.pieces[opener] = Piece::On(MARKS[kind].1);
            self.pieces.push(Piece::Off);
            return length;
        }
        match may_open {
            true => self.wait(kind, mark),
            false => self.literal(mark),
        }
    }

    fn spans(self) -> Vec<StyledSpan> {
        let mut inks = vec![(Ink::PLAIN, None)];
        let mut spans: Vec<StyledSpan> = Vec::new();
        for piece in self.pieces {
            let (now, leads) = inks.last().cloned().unwrap_or_default();
            let (text, ink, link) = match piece {
                Piece::On(ink) => {
                    inks.push((now.and(ink), leads));
                    continue;
                }
                Piece::OnLink(link) => {
                    inks.push((now.and(Ink::UNDERLINE), Some(link)));
                    continue;
                }
                Piece::Off => {
                    inks.pop();
                    continue;
                }
                Piece::Text(text) => (text, now, leads),
                Piece::Inked(text, ink) => (text, now.and(ink), leads),
                Piece::Linked(text, ink, link) => (text, now.and(ink), Some(link)),
            };
            match spans.last_mut() {
                Some(last) if last.ink == ink && last.link == link => last.text.push_str(&text),
                _ if text.is_empty() => {}
                _ => spans.push(StyledSpan::new(text, ink).linked(link)),
            }
        }
        spans
    }
}

/// An address that leads where it says.
fn linked(address: &str) -> Piece {
    Piece::Linked(address.to_owned(), Ink::UNDERLINE, address.into())
}

/// The name of a footnote that a text begins with: `[^1]`.
pub(super) fn footnote(text: &str) -> Option<&str> {
    let near = &text[..text.floor_char_boundary(MAX_FOOTNOTE)];
    let name = near.strip_prefix("[^")?.split_once(']')?.0;
    (!name.is_empty() && !name.contains(char::is_whitespace)).then_some(name)
}

/// An address, with a title in quotes perhaps.
fn may_be_address(text: &str) -> bool {
    match text.split_once(char::is_whitespace) {
        None => true,
        Some((_, title)) => title.trim_start().starts_with(['"', '\'']),
    }
}

fn is_address(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

fn run_length(text: &str, sign: char) -> usize {
    text.len() - text.trim_start_matches(sign).len()
}

/// For each length of a run of backticks, where the last one is.
fn last_ticks(text: &str) -> Vec<(usize, usize)> {
    let mut last: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        let length = run_length(&text[start..], '`');
        match last.iter_mut().find(|(known, _)| *known == length) {
            Some(entry) => entry.1 = start,
            None => last.push((length, start)),
        }
        at = start + length;
    }
    last
}

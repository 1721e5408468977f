//! Where the motions of vim lead, and what lies on the way.

use unicode_segmentation::UnicodeSegmentation;

use super::buffer::{TextBuffer, To};

/// What counts as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordSize {
    /// Letters and digits, or signs.
    Small,
    /// Whatever stands between blanks.
    Big,
}

/// A way to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Motion {
    Left,
    Right,
    NextWord(WordSize),
    WordEnd(WordSize),
    WordBack(WordSize),
    LineStart,
    /// The first character of the line that is no blank.
    FirstInk,
    LineEnd,
    FirstLine,
    LastLine,
    /// This line and so many below, or above.
    LineBelow,
    LineAbove,
    /// So many lines from this one on, and nowhere to go.
    WholeLines,
}

/// Where a motion leads, and what an operator takes: bytes of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) to: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whole lines are meant.
    pub(super) is_linewise: bool,
}

impl Motion {
    pub(super) fn of(letter: char) -> Option<Self> {
        use WordSize::{Big, Small};
        Some(match letter {
            'h' => Self::Left,
            'l' | ' ' => Self::Right,
            'w' => Self::NextWord(Small),
            'W' => Self::NextWord(Big),
            'e' => Self::WordEnd(Small),
            'E' => Self::WordEnd(Big),
            'b' => Self::WordBack(Small),
            'B' => Self::WordBack(Big),
            '0' => Self::LineStart,
            '^' => Self::FirstInk,
            '$' => Self::LineEnd,
            'G' => Self::LastLine,
            _ => return None,
        })
    }

    /// Goes `count` times.
    pub(super) fn span(self, buffer: &TextBuffer, count: usize) -> Span {
        let (text, here) = (buffer.text(), buffer.before().len());
        let (line_start, line_end) = line(text, here);
        let times = |step: &dyn Fn(usize) -> usize| {
            (0..count).try_fold(here, |at, _| match step(at) {
                next if next == at => Err(at),
                next => Ok(next),
            })
        };
        let go = |step: &dyn Fn(usize) -> usize| times(step).unwrap_or_else(|at| at);
        let exclusive =
            |to: usize| Span { to, start: here.min(to), end: here.max(to), is_linewise: false };
        match self {
            Self::Left => exclusive(go(&|at| left(text, at).max(line_start))),
            Self::Right => exclusive(go(&|at| right(text, at).min(line_end))),
            Self::NextWord(size) => exclusive(go(&|at| next_word(text, at, size))),
            Self::WordBack(size) => exclusive(go(&|at| word_back(text, at, size))),
            Self::WordEnd(size) => {
                let to = go(&|at| word_end(text, at, size));
                Span { end: right(text, to).max(here), ..exclusive(to) }
            }
            Self::LineStart => exclusive(line_start),
            Self::FirstInk => {
                let blanks = text[line_start..line_end].find(|c: char| !c.is_whitespace());
                exclusive(line_start + blanks.unwrap_or(0))
            }
            Self::LineEnd => exclusive(line_end),
            Self::FirstLine => lines(text, 0, here, 0),
            Self::LastLine => lines(text, here, text.len(), line(text, text.len()).0),
            Self::LineBelow => {
                let below = (0..count).fold(here, |at, _| (line(text, at).1 + 1).min(text.len()));
                lines(text, here, below, line(text, below).0)
            }
            Self::LineAbove => {
                let above = (0..count).fold(here, |at, _| line(text, at).0.saturating_sub(1));
                lines(text, above, here, line(text, above).0)
            }
            Self::WholeLines => {
                let last = (1..count).fold(here, |at, _| (line(text, at).1 + 1).min(text.len()));
                lines(text, here, last, line_start)
            }
        }
    }
}

/// `f`, `F`, `t` and `T`: to a character of this line, or next to it.
pub(super) fn find_char(
    buffer: &TextBuffer,
    how: char,
    wanted: char,
    count: usize,
) -> Option<Span> {
    let (text, here) = (buffer.text(), buffer.before().len());
    let (line_start, line_end) = line(text, here);
    let is_forward = how.is_lowercase();
    let found = match is_forward {
        true => {
            let from = right(text, here).min(line_end);
            // `t` again goes on behind what it stands in front of.
            let after = &text[from..line_end];
            let skipped =
                if how == 't' && after.starts_with(wanted) { wanted.len_utf8() } else { 0 };
            let (at, _) = after[skipped..].match_indices(wanted).nth(count.saturating_sub(1))?;
            from + skipped + at
        }
        false => {
            let before = &text[line_start..here];
            let shown = match how == 'T' && before.ends_with(wanted) {
                true => &before[..before.len() - wanted.len_utf8()],
                false => before,
            };
            line_start + shown.rmatch_indices(wanted).nth(count.saturating_sub(1))?.0
        }
    };
    let to = match how {
        't' => left(text, found),
        'T' => right(text, found),
        _ => found,
    };
    // Forward the character itself is meant as well.
    let end = if is_forward { right(text, to) } else { here };
    Some(Span { to, start: here.min(to), end, is_linewise: false })
}

/// The whole lines from one place to another.
fn lines(text: &str, from: usize, last: usize, to: usize) -> Span {
    let end = (line(text, last).1 + 1).min(text.len());
    Span { to, start: line(text, from).0, end, is_linewise: true }
}

/// Where a line begins, and where its break is.
fn line(text: &str, at: usize) -> (usize, usize) {
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    (start, text[at..].find('\n').map_or(text.len(), |end| at + end))
}

fn left(text: &str, at: usize) -> usize {
    text[..at].grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
}

fn right(text: &str, at: usize) -> usize {
    at + text[at..].graphemes(true).next().map_or(0, str::len)
}

#[derive(PartialEq, Eq)]
enum Class {
    Blank,
    Word,
    Sign,
}

fn class(text: &str, at: usize, size: WordSize) -> Class {
    match text[at..].chars().next() {
        None => Class::Blank,
        Some(letter) if letter.is_whitespace() => Class::Blank,
        Some(letter) if letter.is_alphanumeric() || letter == '_' => Class::Word,
        Some(_) if size == WordSize::Big => Class::Word,
        Some(_) => Class::Sign,
    }
}

fn next_word(text: &str, mut at: usize, size: WordSize) -> usize {
    let here = class(text, at, size);
    while at < text.len() && here != Class::Blank && class(text, at, size) == here {
        at = right(text, at);
    }
    while at < text.len() && class(text, at, size) == Class::Blank {
        at = right(text, at);
    }
    at
}

fn word_end(text: &str, at: usize, size: WordSize) -> usize {
    let mut next = right(text, at);
    while next < text.len() && class(text, next, size) == Class::Blank {
        next = right(text, next);
    }
    if next >= text.len() {
        return at;
    }
    loop {
        let after = right(text, next);
        if after >= text.len() || class(text, after, size) != class(text, next, size) {
            return next;
        }
        next = after;
    }
}

fn word_back(text: &str, at: usize, size: WordSize) -> usize {
    let mut back = left(text, at);
    while back > 0 && class(text, back, size) == Class::Blank {
        back = left(text, back);
    }
    while back > 0 {
        let before = left(text, back);
        if class(text, before, size) != class(text, back, size) {
            break;
        }
        back = before;
    }
    back
}

impl TextBuffer {
    /// Puts the cursor on the character that this byte belongs to.
    pub(super) fn jump(&mut self, at: usize) {
        self.go(To::Start);
        while self.before().len() < at && !self.after().is_empty() {
            self.go(To::Right);
        }
    }
}

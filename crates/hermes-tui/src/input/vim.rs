//! Editing as in vim, for those whose hands know it (`display.vim_keys`).
//!
//! Typing is as ever until Escape, which leads to the normal mode; there letters move and change. Motions, counts, the
//! operators `d`, `c` and `y`, `f` and `t`, `x`, `r`, `~`, `p` and `u` are there; visual mode, registers and ex commands
//! are not: in a line of a few words nobody misses them. Whatever is no letter (Enter, Tab, arrows, what is pressed with
//! Ctrl) means the same in both modes.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::buffer::{TextBuffer, To};
use super::vim_motion::{Motion, Span, find_char};

/// States that can be gone back to.
const MAX_UNDO: usize = 100;
/// Repetitions that are taken at their word.
const MAX_COUNT: usize = 9_999;

/// What letters do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    /// They are typed.
    #[default]
    Insert,
    /// They are commands.
    Normal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Delete,
    Change,
    Yank,
}

/// A command that waits for one more letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    /// `g`.
    Go,
    /// `f`, `F`, `t` or `T`.
    Find(char),
    /// `r`.
    Replace,
}

/// What is left for the composer to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VimEvent {
    /// Nothing.
    Done,
    /// The key is none of vim's.
    NotMine,
    /// What was typed before, and after.
    Older,
    Newer,
    /// A search through what was typed before.
    Search,
    /// Escape with nothing to escape from.
    Escaped,
}

/// The state of somebody who edits as in vim.
#[derive(Debug, Default)]
pub(super) struct Vim {
    mode: Mode,
    operator: Option<Operator>,
    waiting: Option<Waiting>,
    count: Option<usize>,
    undo: Vec<TextBuffer>,
    yanked: String,
    /// The last `f`, `F`, `t` or `T` and its letter.
    found: Option<(char, char)>,
}

impl Vim {
    pub(super) fn is_normal(&self) -> bool {
        self.mode == Mode::Normal
    }

    /// A new line is typed into.
    pub(super) fn begin(&mut self) {
        *self = Self { yanked: std::mem::take(&mut self.yanked), ..Self::default() };
    }

    /// Escape while letters are typed.
    pub(super) fn leave_insert(&mut self, buffer: &mut TextBuffer) -> VimEvent {
        self.mode = Mode::Normal;
        if buffer.is_empty() {
            return VimEvent::Escaped;
        }
        if !buffer.before().ends_with('\n') {
            buffer.go(To::Left);
        }
        VimEvent::Done
    }

    /// A key in normal mode.
    pub(super) fn on_key(&mut self, key: KeyEvent, buffer: &mut TextBuffer) -> VimEvent {
        let KeyCode::Char(letter) = key.code else {
            let was_waiting = self.operator.is_some() || self.waiting.is_some();
            self.forget();
            return match key.code {
                KeyCode::Esc if was_waiting => VimEvent::Done,
                KeyCode::Esc => VimEvent::Escaped,
                KeyCode::Backspace => {
                    buffer.go(To::Left);
                    VimEvent::Done
                }
                _ => VimEvent::NotMine,
            };
        };
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            self.forget();
            return VimEvent::NotMine;
        }
        // In an empty line there is nothing to move in; what begins something else does so.
        if buffer.is_empty() && self.operator.is_none() && matches!(letter, '/' | '!' | '@' | '?') {
            self.mode = Mode::Insert;
            return VimEvent::NotMine;
        }
        if let Some(waiting) = self.waiting.take() {
            self.awaited(waiting, letter, buffer);
            return VimEvent::Done;
        }
        match letter {
            '1'..='9' => self.digit(letter),
            '0' if self.count.is_some() => self.digit(letter),
            'j' | 'k' => return self.line(letter, buffer),
            '/' => {
                self.forget();
                return VimEvent::Search;
            }
            _ => self.command(letter, buffer),
        }
        VimEvent::Done
    }

    fn forget(&mut self) {
        (self.operator, self.waiting, self.count) = (None, None, None);
    }

    fn digit(&mut self, digit: char) {
        let digit = digit.to_digit(10).unwrap_or(0) as usize;
        self.count = Some((self.count.unwrap_or(0) * 10 + digit).min(MAX_COUNT));
    }

    /// The letter that `g`, `f` or `r` waited for.
    fn awaited(&mut self, waiting: Waiting, letter: char, buffer: &mut TextBuffer) {
        match waiting {
            Waiting::Go if letter == 'g' => self.act(Motion::FirstLine, buffer),
            Waiting::Go => self.forget(),
            Waiting::Find(how) => {
                self.found = Some((how, letter));
                self.find(how, letter, buffer);
            }
            Waiting::Replace => {
                let count = self.count.take().unwrap_or(1);
                let span = Motion::Right.span(buffer, count);
                let there = buffer.text()[span.start..span.end].chars().count();
                if there > 0 {
                    self.keep(buffer);
                    buffer.replace(span.start..span.end, &letter.to_string().repeat(there));
                    buffer.jump(span.start);
                }
                self.forget();
            }
        }
    }

    fn find(&mut self, how: char, letter: char, buffer: &mut TextBuffer) {
        match find_char(buffer, how, letter, self.count.unwrap_or(1)) {
            Some(span) => self.over(span, buffer),
            None => self.forget(),
        }
    }

    /// `j` and `k`: lines, then what was typed before and after.
    fn line(&mut self, letter: char, buffer: &mut TextBuffer) -> VimEvent {
        if self.operator.is_some() {
            let motion = if letter == 'j' { Motion::LineBelow } else { Motion::LineAbove };
            self.act(motion, buffer);
            return VimEvent::Done;
        }
        for _ in 0..self.count.take().unwrap_or(1) {
            let moved = if letter == 'j' { buffer.down() } else { buffer.up() };
            if !moved {
                return if letter == 'j' { VimEvent::Newer } else { VimEvent::Older };
            }
        }
        self.settle(buffer);
        VimEvent::Done
    }

    fn command(&mut self, letter: char, buffer: &mut TextBuffer) {
        if let Some(operator) = operator(letter) {
            match self.operator {
                // Twice the same letter is the whole line.
                Some(before) if before == operator => self.act(Motion::WholeLines, buffer),
                Some(_) => self.forget(),
                None => self.operator = Some(operator),
            }
            return;
        }
        if let Some(motion) = Motion::of(letter) {
            let is_on_word = buffer.after().starts_with(|c: char| !c.is_whitespace());
            // What follows a word that is changed stays.
            let motion = match (self.operator, motion) {
                (Some(Operator::Change), Motion::NextWord(size)) if is_on_word => {
                    Motion::WordEnd(size)
                }
                _ => motion,
            };
            self.act(motion, buffer);
            return;
        }
        match letter {
            'g' => self.waiting = Some(Waiting::Go),
            'f' | 'F' | 't' | 'T' => self.waiting = Some(Waiting::Find(letter)),
            ';' => match self.found {
                Some((how, letter)) => self.find(how, letter, buffer),
                None => self.forget(),
            },
            _ if self.operator.is_some() => self.forget(),
            'r' => self.waiting = Some(Waiting::Replace),
            _ => self.simple(letter, buffer),
        }
    }

    /// Commands that need nothing more.
    fn simple(&mut self, letter: char, buffer: &mut TextBuffer) {
        let count = self.count;
        match letter {
            'i' => self.insert(buffer),
            'a' => {
                if !buffer.after().starts_with('\n') {
                    buffer.go(To::Right);
                }
                self.insert(buffer);
            }
            'I' => {
                buffer.jump(Motion::FirstInk.span(buffer, 1).to);
                self.insert(buffer);
            }
            'A' => {
                buffer.go(To::LineEnd);
                self.insert(buffer);
            }
            'o' | 'O' => {
                self.insert(buffer);
                buffer.go(if letter == 'o' { To::LineEnd } else { To::LineStart });
                buffer.insert("\n");
                if letter == 'O' {
                    buffer.go(To::Left);
                }
            }
            'x' => self.operate(Operator::Delete, Motion::Right, buffer),
            'X' => self.operate(Operator::Delete, Motion::Left, buffer),
            's' => self.operate(Operator::Change, Motion::Right, buffer),
            'S' => self.operate(Operator::Change, Motion::WholeLines, buffer),
            'D' => self.operate(Operator::Delete, Motion::LineEnd, buffer),
            'C' => self.operate(Operator::Change, Motion::LineEnd, buffer),
            'Y' => self.operate(Operator::Yank, Motion::WholeLines, buffer),
            'p' | 'P' => self.put(letter, count.unwrap_or(1), buffer),
            '~' => {
                let span = Motion::Right.span(buffer, count.unwrap_or(1));
                let swapped: String =
                    buffer.text()[span.start..span.end].chars().map(other_case).collect();
                self.keep(buffer);
                buffer.replace(span.start..span.end, &swapped);
                self.forget();
                self.settle(buffer);
            }
            'u' => {
                if let Some(before) = self.undo.pop() {
                    *buffer = before;
                }
                self.forget();
                self.settle(buffer);
            }
            _ => self.forget(),
        }
    }

    fn insert(&mut self, buffer: &TextBuffer) {
        self.forget();
        self.keep(buffer);
        self.mode = Mode::Insert;
    }

    fn operate(&mut self, operator: Operator, motion: Motion, buffer: &mut TextBuffer) {
        self.operator = Some(operator);
        self.act(motion, buffer);
    }

    /// Moves, or does what the operator says to everything on the way.
    fn act(&mut self, motion: Motion, buffer: &mut TextBuffer) {
        let count = match (motion, self.count) {
            // Without a number `G` is the last line.
            (Motion::LastLine, Some(line)) => {
                self.count = None;
                buffer.go(To::Start);
                return self.over(Motion::LineBelow.span(buffer, line - 1), buffer);
            }
            (_, count) => count.unwrap_or(1),
        };
        self.over(motion.span(buffer, count), buffer);
    }

    fn over(&mut self, span: Span, buffer: &mut TextBuffer) {
        let operator = self.operator;
        self.forget();
        let Some(operator) = operator else {
            buffer.jump(span.to);
            self.settle(buffer);
            return;
        };
        let range = match span.is_linewise && operator == Operator::Change {
            // A line that is changed stays a line.
            true if buffer.text()[span.start..span.end].ends_with('\n') => span.start..span.end - 1,
            _ => span.start..span.end,
        };
        self.yanked = buffer.text()[span.start..span.end].to_owned();
        if span.is_linewise && !self.yanked.ends_with('\n') {
            self.yanked.push('\n');
        }
        match operator {
            Operator::Yank => buffer.jump(span.start),
            Operator::Delete | Operator::Change => {
                self.keep(buffer);
                buffer.replace(range.clone(), "");
                buffer.jump(range.start);
            }
        }
        match operator {
            Operator::Change => self.mode = Mode::Insert,
            Operator::Delete => {
                // The last line goes together with the break in front of it.
                if span.is_linewise && buffer.after().is_empty() && buffer.before().ends_with('\n')
                {
                    buffer.cut(To::Left);
                    buffer.go(To::LineStart);
                }
                self.settle(buffer);
            }
            Operator::Yank => self.settle(buffer),
        }
    }

    fn put(&mut self, letter: char, count: usize, buffer: &mut TextBuffer) {
        self.forget();
        // A slip of a finger is not to fill the memory.
        let count = count.min(MAX_COUNT / self.yanked.len().max(1) + 1);
        if self.yanked.is_empty() {
            return;
        }
        self.keep(buffer);
        let text = self.yanked.repeat(count);
        if let Some(lines) = self.yanked.ends_with('\n').then(|| text.trim_end_matches('\n')) {
            buffer.go(if letter == 'p' { To::LineEnd } else { To::LineStart });
            match letter {
                'p' => {
                    buffer.insert("\n");
                    let at = buffer.before().len();
                    buffer.insert(lines);
                    buffer.jump(at);
                }
                _ => {
                    let at = buffer.before().len();
                    buffer.insert(&format!("{lines}\n"));
                    buffer.jump(at);
                }
            }
        } else {
            if letter == 'p' && !buffer.after().starts_with('\n') {
                buffer.go(To::Right);
            }
            buffer.insert(&text);
            buffer.go(To::Left);
        }
        self.settle(buffer);
    }

    /// Remembers how things are, for `u`.
    fn keep(&mut self, buffer: &TextBuffer) {
        if self.undo.len() == MAX_UNDO {
            self.undo.remove(0);
        }
        self.undo.push(buffer.clone());
    }

    /// In normal mode the cursor stands on a character, not behind the last.
    fn settle(&self, buffer: &mut TextBuffer) {
        let is_at_end = buffer.after().is_empty() || buffer.after().starts_with('\n');
        let is_empty_line = buffer.before().is_empty() || buffer.before().ends_with('\n');
        if self.is_normal() && is_at_end && !is_empty_line {
            buffer.go(To::Left);
        }
    }
}

fn operator(letter: char) -> Option<Operator> {
    match letter {
        'd' => Some(Operator::Delete),
        'c' => Some(Operator::Change),
        'y' => Some(Operator::Yank),
        _ => None,
    }
}

fn other_case(letter: char) -> char {
    let other = match letter.is_lowercase() {
        true => letter.to_uppercase().next(),
        false => letter.to_lowercase().next(),
    };
    other.unwrap_or(letter)
}

#[cfg(test)]
#[path = "vim_tests.rs"]
mod tests;

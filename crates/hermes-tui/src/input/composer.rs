//! The line editor: keys in, a line out.
//!
//! A [`Composer`] is told keys and pasted text and says what came of them ([`ComposerEvent`]). It holds the
//! text, the history, what Tab offers and the pasted texts; [`Composer::frame`] draws it. It never
//! touches a terminal, so tests type into it like anybody else.
//!
//! Keys are the usual ones of shells (the Emacs set). Enter sends; Alt-Enter and Ctrl-J begin a new
//! line; up and down move between lines and, at the edge, through the history; Ctrl-R searches it;
//! Tab completes; the right arrow at the end takes the hint. With [`EditStyle::Vim`] Escape leads to a mode in which letters
//! are commands (`vim`). Which keys a person has chosen instead of the usual ones is not known here (`key_map`).

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::buffer::{TextBuffer, To};
use super::complete::{CommandWords, Completer, Completions, common_start};
use super::history::History;
use super::layout::{Typed, lay_out};
use super::menu::{Menu, offer_rows};
use super::paste::Pastes;
use super::vim::{Vim, VimEvent};
use crate::display::{Ink, Style};
use crate::terminal::Frame;

/// Rows of what Tab offers.
const MAX_OFFER_ROWS: usize = 6;

/// What came of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ComposerEvent {
    /// The line may look different.
    Changed,
    /// A line is to be sent.
    Sent {
        /// What stood in the line.
        line: String,
        /// The same, with pasted texts in place of their placeholders.
        text: String,
    },
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-D in an empty line.
    Ended,
    /// Ctrl-Z.
    Suspended,
    /// Ctrl-O.
    Expanded,
    /// Ctrl-G.
    EditorWanted,
    /// Shift-Tab, with nothing to complete.
    ModeCycled,
    /// `?` in an empty line.
    KeysWanted,
    /// Ctrl-L.
    Cleared,
    /// Escape, with nothing to escape from.
    Escaped,
}

/// A line being typed.
#[derive(Debug)]
pub(crate) struct Composer {
    buffer: TextBuffer,
    history: History,
    completer: Completer,
    pastes: Pastes,
    /// What was cut last.
    cut: String,
    tab: Option<Tab>,
    /// What opened by itself.
    menu: Option<Menu>,
    search: Option<Search>,
    /// For those who edit as in vim.
    vim: Option<Vim>,
}

/// How a line is edited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum EditStyle {
    /// As in a shell.
    #[default]
    Shell,
    /// As in vim.
    Vim,
}

/// What Tab offers, while somebody chooses.
#[derive(Debug)]
struct Tab {
    offer: Completions,
    chosen: Option<usize>,
}

/// A search through the history.
#[derive(Debug, Default)]
struct Search {
    part: String,
    at: Option<usize>,
    /// What was typed before.
    draft: String,
}

impl Composer {
    /// An empty line.
    pub(crate) fn new(history: History, completer: Completer) -> Self {
        Self {
            buffer: TextBuffer::default(),
            history,
            completer,
            pastes: Pastes::default(),
            cut: String::new(),
            tab: None,
            menu: None,
            search: None,
            vim: None,
        }
    }

    /// Is edited like this from now on.
    pub(crate) fn set_style(&mut self, style: EditStyle) {
        self.vim = match style {
            EditStyle::Shell => None,
            EditStyle::Vim => Some(self.vim.take().unwrap_or_default()),
        };
    }

    /// Whether letters are commands just now.
    pub(crate) fn is_commanded(&self) -> bool {
        self.vim.as_ref().is_some_and(Vim::is_normal)
    }

    /// Knows these commands from now on.
    pub(crate) fn set_commands(&mut self, commands: Vec<CommandWords>) {
        self.tab = None;
        self.completer.commands = commands;
    }

    /// What stands in the line.
    pub(crate) fn text(&self) -> &str {
        self.buffer.text()
    }

    /// Puts something into the line, in place of what is there.
    pub(crate) fn set(&mut self, text: impl Into<String>) {
        self.tab = None;
        self.menu = None;
        self.buffer.set(text);
    }

    /// Takes away what stands in the line.
    pub(crate) fn take(&mut self) -> String {
        self.tab = None;
        self.menu = None;
        self.search = None;
        if let Some(vim) = &mut self.vim {
            vim.begin();
        }
        self.buffer.take()
    }

    /// What stands in the line, with pasted texts in full.
    pub(crate) fn expanded(&self) -> String {
        self.pastes.expanded(self.buffer.text())
    }

    /// Keeps a line in the history that was not typed here.
    pub(crate) fn remember(&mut self, line: &str) {
        self.history.add(line);
    }

    /// Text was pasted.
    pub(crate) fn on_paste(&mut self, text: &str) {
        self.tab = None;
        let text = self.pastes.add(text);
        self.buffer.insert(&text);
    }

    /// A key was pressed.
    pub(crate) fn on_key(&mut self, key: KeyEvent) -> ComposerEvent {
        if self.search.is_none()
            && let Some(event) = self.menu_key(key)
        {
            return event;
        }
        let before = self.buffer.text().len();
        let event = self.edit_key(key);
        let has_changed = before != self.buffer.text().len();
        // A menu opens by typing, and not by walking through the history.
        let is_typing = !self.is_commanded()
            && matches!(key.code, KeyCode::Char(_) | KeyCode::Backspace | KeyCode::Delete);
        self.menu = match event {
            ComposerEvent::Changed if has_changed && is_typing && self.search.is_none() => {
                self.menu_now()
            }
            ComposerEvent::Changed => self.menu.take().filter(|_| !has_changed),
            _ => None,
        };
        event
    }

    /// A key that means something to the open menu.
    fn menu_key(&mut self, key: KeyEvent) -> Option<ComposerEvent> {
        let menu = self.menu.as_mut().filter(|_| self.tab.is_none())?;
        let is_plain = key.modifiers.is_empty();
        match key.code {
            KeyCode::Up if is_plain => menu.go(-1),
            KeyCode::Down if is_plain => menu.go(1),
            KeyCode::Esc => self.menu = None,
            KeyCode::Tab | KeyCode::Enter if is_plain => {
                // Tab adds what all candidates share, unless somebody has moved to one.
                let is_wanted = key.code == KeyCode::Enter || menu.was_moved();
                let chosen = menu.candidate().filter(|_| is_wanted)?.clone();
                let start = menu.offer.start;
                self.buffer.replace_before(start, &chosen.text);
                self.menu = None;
                let is_whole = chosen.is_whole && start == 0 && key.code == KeyCode::Enter;
                if is_whole {
                    return Some(self.send());
                }
                // A folder that was chosen shows what is in it.
                if chosen.text.ends_with('/') {
                    self.menu = self.menu_now();
                }
            }
            _ => return None,
        }
        Some(ComposerEvent::Changed)
    }

    fn menu_now(&self) -> Option<Menu> {
        let before = self.buffer.before();
        Menu::new(self.completer.menu(before), self.completer.takes_first(before))
    }

    /// A key that no menu wanted.
    fn edit_key(&mut self, key: KeyEvent) -> ComposerEvent {
        if self.search.is_some()
            && let Some(outcome) = self.search_key(key)
        {
            return outcome;
        }
        let is_tab = matches!(key.code, KeyCode::Tab | KeyCode::BackTab);
        let had_offer = self.tab.is_some();
        if !is_tab {
            self.tab = None;
        }
        if let Some(event) = self.vim_key(key, had_offer) {
            return event;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        match key.code {
            KeyCode::F(1) => return ComposerEvent::KeysWanted,
            KeyCode::Char(letter) if control => return self.control(letter.to_ascii_lowercase()),
            KeyCode::Char(letter) if alt => self.meta(letter.to_ascii_lowercase()),
            KeyCode::Char('?') if self.buffer.is_empty() && self.completer.has_commands() => {
                return ComposerEvent::KeysWanted;
            }
            KeyCode::Char(letter) => {
                self.history.leave();
                self.buffer.insert(letter.encode_utf8(&mut [0; 4]));
            }
            KeyCode::Enter if alt || control || key.modifiers.contains(KeyModifiers::SHIFT) => {
                self.buffer.insert("\n");
            }
            KeyCode::Enter => return self.send(),
            KeyCode::Tab => self.tab(1),
            KeyCode::BackTab if !had_offer => return ComposerEvent::ModeCycled,
            KeyCode::BackTab => self.tab(-1),
            KeyCode::Backspace if alt => self.kill(To::WordLeft),
            KeyCode::Backspace => self.backspace(),
            KeyCode::Delete => drop(self.buffer.cut(To::Right)),
            KeyCode::Left if control || alt => self.buffer.go(To::WordLeft),
            KeyCode::Left => self.buffer.go(To::Left),
            KeyCode::Right if control || alt => self.buffer.go(To::WordRight),
            KeyCode::Right => self.right(),
            KeyCode::Home => self.buffer.go(To::LineStart),
            KeyCode::End => self.buffer.go(To::LineEnd),
            KeyCode::PageUp => self.buffer.go(To::Start),
            KeyCode::PageDown => self.buffer.go(To::End),
            KeyCode::Up => self.up(),
            KeyCode::Down => self.down(),
            KeyCode::Esc if !had_offer => return ComposerEvent::Escaped,
            _ => {}
        }
        ComposerEvent::Changed
    }

    /// A key that means something to those who edit as in vim.
    fn vim_key(&mut self, key: KeyEvent, had_offer: bool) -> Option<ComposerEvent> {
        let vim = self.vim.as_mut()?;
        let event = match (vim.is_normal(), key.code) {
            (true, _) => vim.on_key(key, &mut self.buffer),
            (false, KeyCode::Esc) if !had_offer => vim.leave_insert(&mut self.buffer),
            (false, _) => return None,
        };
        match event {
            VimEvent::NotMine => return None,
            VimEvent::Done => {}
            VimEvent::Older => self.up(),
            VimEvent::Newer => self.down(),
            VimEvent::Search => self.begin_search(),
            VimEvent::Escaped => return Some(ComposerEvent::Escaped),
        }
        Some(ComposerEvent::Changed)
    }

    fn begin_search(&mut self) {
        let draft = self.buffer.text().to_owned();
        self.search = Some(Search { draft, ..Search::default() });
    }

    fn control(&mut self, letter: char) -> ComposerEvent {
        match letter {
            'c' => return ComposerEvent::Interrupted,
            'd' if self.buffer.is_empty() => return ComposerEvent::Ended,
            'd' => drop(self.buffer.cut(To::Right)),
            'z' => return ComposerEvent::Suspended,
            'l' => return ComposerEvent::Cleared,
            'o' => return ComposerEvent::Expanded,
            'g' => return ComposerEvent::EditorWanted,
            'j' => self.buffer.insert("\n"),
            'a' => self.buffer.go(To::LineStart),
            'e' => self.buffer.go(To::LineEnd),
            'b' => self.buffer.go(To::Left),
            'f' => self.right(),
            'p' => self.up(),
            'n' => self.down(),
            'h' => self.backspace(),
            'k' => self.kill(To::LineEnd),
            'u' => self.kill(To::LineStart),
            'w' => self.kill(To::WordLeft),
            'y' => {
                let cut = self.cut.clone();
                self.buffer.insert(&cut);
            }
            't' => self.buffer.transpose(),
            'r' => self.begin_search(),
            _ => {}
        }
        ComposerEvent::Changed
    }

    fn meta(&mut self, letter: char) {
        match letter {
            'b' => self.buffer.go(To::WordLeft),
            'f' => self.buffer.go(To::WordRight),
            'd' => self.kill(To::WordRight),
            _ => {}
        }
    }

    fn send(&mut self) -> ComposerEvent {
        if self.buffer.before().ends_with('\\') && self.buffer.after().is_empty() {
            // A backslash at the end continues the line, for terminals that keep Alt-Enter.
            self.buffer.cut(To::Left);
            self.buffer.insert("\n");
            return ComposerEvent::Changed;
        }
        let text = self.expanded();
        let line = self.take();
        self.history.add(&text);
        ComposerEvent::Sent { line, text }
    }

    fn kill(&mut self, to: To) {
        let cut = self.buffer.cut(to);
        if !cut.is_empty() {
            self.cut = cut;
        }
    }

    fn backspace(&mut self) {
        match self.pastes.ending(self.buffer.before()) {
            Some(start) => self.buffer.replace_before(start, ""),
            None => drop(self.buffer.cut(To::Left)),
        }
    }

    fn right(&mut self) {
        if self.buffer.after().is_empty()
            && let Some(rest) = self.history.continuation(self.buffer.text())
        {
            let rest = rest.to_owned();
            self.buffer.insert(&rest);
            return;
        }
        self.buffer.go(To::Right);
    }

    fn up(&mut self) {
        if !self.buffer.up()
            && let Some(entry) = self.history.older(self.buffer.text())
        {
            let entry = entry.to_owned();
            self.buffer.set(entry);
        }
    }

    fn down(&mut self) {
        if !self.buffer.down()
            && let Some(entry) = self.history.newer()
        {
            let entry = entry.to_owned();
            self.buffer.set(entry);
        }
    }

    /// The first Tab adds what all candidates share; further ones go through them.
    fn tab(&mut self, step: isize) {
        let mut tab = match self.tab.take() {
            Some(tab) => tab,
            None => {
                let offer = self.completer.offer(self.buffer.before());
                let start = common_start(&offer.candidates).to_owned();
                let typed = &self.buffer.before()[offer.start..];
                let is_only = offer.candidates.len() == 1;
                if start.len() > typed.len() || is_only {
                    self.buffer.replace_before(offer.start, &start);
                }
                if !is_only && !offer.candidates.is_empty() {
                    self.tab = Some(Tab { offer, chosen: None });
                }
                return;
            }
        };
        let count = tab.offer.candidates.len();
        let next = match (tab.chosen, step) {
            (None, 1) => 0,
            (None, _) => count - 1,
            (Some(at), 1) => (at + 1) % count,
            (Some(at), _) => (at + count - 1) % count,
        };
        tab.chosen = Some(next);
        self.buffer.replace_before(tab.offer.start, &tab.offer.candidates[next].text);
        self.tab = Some(tab);
    }

    /// A key during a search; nothing if it ends the search and means something else.
    fn search_key(&mut self, key: KeyEvent) -> Option<ComposerEvent> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let search = self.search.as_mut()?;
        let from = match key.code {
            KeyCode::Char('r') if control => search.at.unwrap_or(usize::MAX),
            KeyCode::Char('c' | 'g') if control => {
                let draft = std::mem::take(&mut search.draft);
                self.search = None;
                self.buffer.set(draft);
                return Some(ComposerEvent::Changed);
            }
            KeyCode::Char(letter) if !control => {
                search.part.push(letter);
                search.at.map_or(usize::MAX, |at| at + 1)
            }
            KeyCode::Backspace => {
                search.part.pop();
                usize::MAX
            }
            KeyCode::Esc => {
                self.search = None;
                return Some(ComposerEvent::Changed);
            }
            _ => {
                self.search = None;
                return None;
            }
        };
        if let Some((at, entry)) = self.history.search(&search.part, from)
            && !search.part.is_empty()
        {
            search.at = Some(at);
            self.buffer.set(entry);
        }
        Some(ComposerEvent::Changed)
    }

    /// The line as it looks, in at most this many rows.
    pub(crate) fn frame(&self, prompt: InputPrompt<'_>, most: usize, style: &Style) -> Frame {
        let offer = self.offer_rows(style);
        let hint = match &self.tab {
            None if self.buffer.after().is_empty() => self.hint(prompt.hints),
            _ => String::new(),
        };
        let searching = self.search.as_ref().map(|search| format!("(search: {}) ", search.part));
        let typed = Typed {
            prompt: searching.as_deref().unwrap_or(prompt.text),
            prompt_ink: prompt.ink,
            before: self.buffer.before(),
            after: self.buffer.after(),
            hint: &hint,
        };
        let mut frame = lay_out(typed, most.saturating_sub(offer.len()), style);
        frame.rows.extend(offer);
        frame
    }

    fn hint(&self, hints: HintMode) -> String {
        let typed = self.buffer.text();
        match hints {
            HintMode::Off => String::new(),
            HintMode::On => self
                .completer
                .hint(typed)
                .or_else(|| self.history.continuation(typed).map(str::to_owned))
                .unwrap_or_default(),
        }
    }

    fn offer_rows(&self, style: &Style) -> Vec<String> {
        match (&self.tab, &self.menu) {
            (Some(tab), _) => offer_rows(&tab.offer.candidates, tab.chosen, MAX_OFFER_ROWS, style),
            (None, Some(menu)) => menu.rows(style),
            (None, None) => Vec::new(),
        }
    }
}

/// What stands in front of the line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputPrompt<'a> {
    pub(crate) text: &'a str,
    pub(crate) ink: Ink,
    pub(crate) hints: HintMode,
}

/// Whether the line suggests how to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HintMode {
    On,
    Off,
}

#[cfg(test)]
#[path = "composer_tests.rs"]
mod tests;

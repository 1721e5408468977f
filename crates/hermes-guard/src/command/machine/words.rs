//! Words and their values.
//!
//! A word is put together in one buffer. Marks in it say where an unquoted value falls apart into
//! several words and where unquoted braces stand, so that quoting needs no second look.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfkc};

use super::braces::{self, CLOSE, COMMA, OPEN};
use super::{Here, Machine, RunSite};
use crate::command::call::{Arg, Channel, Taint, TextFlow};
use crate::command::facts::HOLE;
use crate::shell::{
    Heredoc, PartKind, Quoting, ShellWord, Substitution, SubstitutionStyle, WordPart,
};

/// Where a word falls apart.
const SPLIT: char = '\u{fdd1}';

/// What the name of a process substitution looks like here.
const PIPE_PATH: &str = "/dev/fd/\u{fdd0}";

/// Longer words are prose, not names, options or paths.
const MAX_FOLDED: usize = 2_048;

/// What folding a byte costs; one letter may become a whole phrase.
const FOLD_WORK: usize = 40;

/// A word being put together.
#[derive(Default)]
pub(super) struct Building {
    pub(super) text: String,
    pub(super) taint: Taint,
    pipe: Option<TextFlow>,
    quoted: bool,
    braced: bool,
    /// It may hold letters that only look like others.
    foreign: bool,
    /// Only one word may come of it: an assignment, a here-string.
    whole: bool,
}

impl Building {
    /// Adds a value as an expansion does: falling apart at blanks unless quoted.
    pub(super) fn value(&mut self, text: &str, quoted: bool, separators: &str) {
        if quoted || self.whole {
            self.text.push_str(text);
            return;
        }
        for char in text.chars() {
            self.text.push(if separators.contains(char) { SPLIT } else { char });
        }
    }

    /// Adds a list, each item a word of its own.
    pub(super) fn list<'i>(&mut self, items: impl Iterator<Item = &'i str>, glue: Glue) {
        for (index, item) in items.enumerate() {
            if index > 0 {
                let apart = glue == Glue::Apart && !self.whole;
                self.text.push(if apart { SPLIT } else { ' ' });
            }
            self.text.push_str(item);
        }
    }

    pub(super) fn hole(&mut self) {
        self.text.push(HOLE);
    }
}

/// What stands between the items of a list.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Glue {
    Apart,
    Blank,
}

impl Machine<'_> {
    /// The words that a word of the source becomes.
    pub(super) fn fields<'t>(
        &mut self,
        here: Here<'_, '_>,
        word: &'t ShellWord<'_>,
        into: &mut Vec<Arg<'t>>,
    ) {
        if !self.charge(word.text.len()) {
            return;
        }
        if word.is_plain() && word.text.is_ascii() && !word.text.contains('{') {
            into.push(Arg::new(word.text));
            return;
        }
        let mut building = Building::default();
        match word.parts.as_slice() {
            [] => literal(word.text, Quoting::None, &mut building),
            parts => {
                for part in parts {
                    self.part(here, part, &mut building);
                }
            }
        }
        let mut cost = if building.braced { braces::cost(&building.text) } else { 0 };
        building.foreign = !building.text.is_ascii() && building.text.len() <= MAX_FOLDED;
        if building.foreign && !is_nfkc(&building.text) {
            cost += building.text.len() * FOLD_WORK;
        }
        if self.charge(cost) {
            finish(building, into);
        }
    }

    /// The value of a word that stays one word.
    pub(super) fn scalar(&mut self, here: Here<'_, '_>, word: &ShellWord<'_>) -> (String, Taint) {
        if !self.charge(word.text.len()) {
            return (String::new(), Taint::NONE);
        }
        let mut building = Building { whole: true, ..Building::default() };
        match word.parts.as_slice() {
            [] => building.text.push_str(word.text),
            parts => {
                for part in parts {
                    self.part(here, part, &mut building);
                }
            }
        }
        (building.text, building.taint)
    }

    /// The text of a heredoc.
    pub(super) fn heredoc(&mut self, here: Here<'_, '_>, heredoc: &Heredoc<'_>) -> TextFlow {
        let len = heredoc.span.end - heredoc.span.start;
        if !self.charge(len) {
            return TextFlow::default();
        }
        let mut building = Building { whole: true, ..Building::default() };
        for part in &heredoc.parts {
            self.part(here, part, &mut building);
        }
        let mut text = building.text;
        if heredoc.strip_tabs {
            let lines = text.split_inclusive('\n').map(|line| line.trim_start_matches('\t'));
            text = lines.collect();
        }
        TextFlow::known(text).tainted(building.taint).through(Channel::Here)
    }

    /// Walks the substitutions in something whose value does not matter.
    pub(super) fn visit(&mut self, here: Here<'_, '_>, parts: &[WordPart<'_>]) {
        let mut building = Building { whole: true, ..Building::default() };
        for part in parts {
            self.part(here, part, &mut building);
        }
    }

    fn part(&mut self, here: Here<'_, '_>, part: &WordPart<'_>, building: &mut Building) {
        let quoted = part.quoting != Quoting::None;
        building.quoted |= quoted;
        match &part.kind {
            PartKind::Literal(text) => literal(text, part.quoting, building),
            PartKind::Parameter(parameter) => self.parameter(here, parameter, quoted, building),
            PartKind::Arithmetic(inside) => {
                self.visit(here, inside);
                building.hole();
            }
            PartKind::Substitution(inside) => {
                let site = RunSite { words: part.span.of(here.script.source), via: here.via };
                self.substitution(here, inside, site, quoted, building);
            }
        }
    }

    /// Adds the parts of a word inside braces, as they are quoted there.
    pub(super) fn inner(
        &mut self,
        here: Here<'_, '_>,
        word: &ShellWord<'_>,
        building: &mut Building,
    ) {
        match word.parts.as_slice() {
            [] => building.text.push_str(word.text),
            parts => {
                for part in parts {
                    self.part(here, part, building);
                }
            }
        }
    }

    fn substitution(
        &mut self,
        here: Here<'_, '_>,
        inside: &Substitution<'_>,
        site: RunSite<'_>,
        quoted: bool,
        building: &mut Building,
    ) {
        let generated = here.stdin.clone().tainted(Taint::GENERATED).through(Channel::Pipe);
        let stdin = match inside.style {
            SubstitutionStyle::Output => &TextFlow { text: None, ..generated },
            _ => here.stdin,
        };
        let flow = self.deeper(|machine| match &inside.escaped {
            Some(text) => machine.subshell_text(text, site, stdin),
            None => machine.scoped(|machine| machine.list(Here { stdin, ..here }, &inside.list)),
        });
        match inside.style {
            SubstitutionStyle::Dollar | SubstitutionStyle::Backticks => {
                building.taint = building.taint.and(flow.taint);
                match &flow.text {
                    Some(text) if self.charge(text.len()) => {
                        building.value(
                            text.trim_end_matches('\n'),
                            quoted,
                            self.separators().as_ref(),
                        );
                    }
                    _ => building.hole(),
                }
            }
            SubstitutionStyle::Input => {
                building.text.push_str("/dev/fd/");
                building.hole();
                building.taint = building.taint.and(flow.taint);
                // Where it is handed on as a name only, as to a function.
                if let Some(origin) = self.state.file_mut(PIPE_PATH) {
                    origin.text = flow.text.clone();
                    origin.taint = origin.taint.and(flow.taint);
                }
                building.pipe = Some(flow);
            }
            SubstitutionStyle::Output => {
                building.text.push_str("/dev/fd/");
                building.hole();
            }
        }
    }

    /// What unquoted values fall apart at.
    pub(super) fn separators(&self) -> Cow<'static, str> {
        match self.state.get("IFS").map(|variable| &variable.value) {
            Some(super::state::HeldValue::Text(text)) => Cow::Owned(text.to_string()),
            Some(_) => Cow::Borrowed(" \t\n"),
            None => match self.state.earlier("IFS").and_then(|earlier| earlier.text.clone()) {
                Some(text) => Cow::Owned(text),
                None => Cow::Borrowed(" \t\n"),
            },
        }
    }
}

fn literal(text: &str, quoting: Quoting, building: &mut Building) {
    if quoting != Quoting::None || building.whole || !text.contains('{') && !building.braced {
        building.text.push_str(text);
        return;
    }
    building.braced = true;
    building.text.extend(text.chars().map(|char| match char {
        '{' => OPEN,
        ',' => COMMA,
        '}' => CLOSE,
        char => char,
    }));
}

/// Turns what was put together into words.
fn finish(building: Building, into: &mut Vec<Arg<'_>>) {
    let Building { text, taint, pipe, quoted, braced, foreign, .. } = building;
    let texts = if braced { braces::expand(text) } else { vec![text] };
    let before = into.len();
    for text in texts {
        if !foreign && !text.contains(SPLIT) {
            if !text.is_empty() {
                into.push(Arg { text: Cow::Owned(text), taint, pipe: None });
            }
            continue;
        }
        for field in text.split(SPLIT).filter(|field| !field.is_empty()) {
            match foreign {
                true => fold(field, quoted, taint, into),
                false => into.push(Arg { text: Cow::Owned(field.to_owned()), taint, pipe: None }),
            }
        }
    }
    if into.len() == before && quoted {
        into.push(Arg { text: Cow::Borrowed(""), taint, pipe: None });
    }
    if let Some(pipe) = pipe
        && let Some(last) = into[before..].last_mut()
    {
        last.pipe = Some(pipe);
    }
}

/// Letters that look like ASCII become ASCII; invisible ones vanish; odd blanks separate words.
fn fold(field: &str, quoted: bool, taint: Taint, into: &mut Vec<Arg<'_>>) {
    let folded: String = field.nfkc().filter(|char| !is_invisible(*char)).collect();
    let apart = !quoted && folded.contains(' ') && !field.contains(' ');
    match apart {
        true => into.extend(folded.split(' ').filter(|part| !part.is_empty()).map(|part| Arg {
            text: Cow::Owned(part.to_owned()),
            taint,
            pipe: None,
        })),
        false => into.push(Arg { text: Cow::Owned(folded), taint, pipe: None }),
    }
}

fn is_invisible(char: char) -> bool {
    matches!(char, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{ad}')
}

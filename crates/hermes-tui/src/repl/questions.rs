//! Questions of the agent in the chat, the approval prompt among them, which take the input line's place.

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use hermes_approval::GrantScope;
use hermes_protocol::NoticeLevel;

use super::{ChatTerminal, Repl};
use crate::channel::{ChatQuestion, QuestionKind, UserAnswer};
use crate::display::fit::{shown, wrap_text};
use crate::display::{Colour, Ink, Style};
use crate::elicit::{EchoMode, LEAD};
use crate::input::{Completer, Composer, ComposerEvent, HintMode, History, InputPrompt};
use crate::terminal::Frame;

/// Keys pressed so soon after a question appeared were meant for something else.
const REACTION: Duration = Duration::from_millis(400);

/// The question that is on the screen.
pub(super) struct OpenQuestion {
    question: ChatQuestion,
    composer: Composer,
    since: Instant,
    /// The person has chosen to answer in their own words.
    in_own_words: bool,
}

impl OpenQuestion {
    fn new(question: ChatQuestion) -> Self {
        Self { question, composer: blank_composer(), since: Instant::now(), in_own_words: false }
    }

    /// A key; nothing if it came too soon.
    pub(super) fn on_key(&mut self, key: KeyEvent) -> Option<ComposerEvent> {
        let is_stop =
            key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
        if self.is_too_soon() && !is_stop {
            return None;
        }
        if let QuestionKind::Approval(prompt) = &self.question.subject
            && !self.in_own_words
            && let Some(typed) = approval_key(key, prompt.widest)
        {
            if typed == TELL {
                self.in_own_words = true;
                return Some(ComposerEvent::Changed);
            }
            let text = typed.to_string();
            return Some(ComposerEvent::Sent { line: text.clone(), text });
        }
        // In a question that one key answers, other letters are slips.
        let is_letter =
            matches!(key.code, KeyCode::Char(_)) && !is_stop && key.modifiers.is_empty();
        if self.takes_one_key() && is_letter {
            return None;
        }
        Some(self.composer.on_key(key))
    }

    /// Whether a single key answers it.
    fn takes_one_key(&self) -> bool {
        matches!(self.question.subject, QuestionKind::Approval(_)) && !self.in_own_words
    }

    pub(super) fn on_paste(&mut self, text: &str) {
        if !self.is_too_soon() {
            self.composer.on_paste(text);
        }
    }

    pub(super) fn frame(&self, now: Instant, most: usize, style: &Style) -> Frame {
        let left = match self.question.until {
            Some(until) => format!(" ({} s)", until.saturating_duration_since(now).as_secs()),
            None => String::new(),
        };
        let asks = match &self.question.subject {
            QuestionKind::Approval(_) if self.in_own_words => {
                "What should it do instead".to_owned()
            }
            QuestionKind::Approval(prompt) => approval_keys(prompt.widest).to_owned(),
            QuestionKind::Clarify { choices, .. } if choices.is_empty() || self.in_own_words => {
                "Your answer".to_owned()
            }
            QuestionKind::Clarify { choices, .. } => {
                format!("Your answer (1-{}, or your own words)", choices.len() + 1)
            }
            QuestionKind::Line(asked) => asked.prompt.trim_end().trim_end_matches(':').to_owned(),
        };
        let prompt = format!("{asks}{left}: ");
        let prompt = InputPrompt { text: &prompt, ink: Ink::YELLOW, hints: HintMode::Off };
        if self.is_unseen() {
            let mut dots = blank_composer();
            dots.set("•".repeat(self.composer.text().chars().count()));
            return dots.frame(prompt, most, style);
        }
        self.composer.frame(prompt, most, style)
    }

    /// Whether nobody can have seen the question yet. The further lines of a form come as no surprise.
    fn is_too_soon(&self) -> bool {
        let is_expected = matches!(&self.question.subject, QuestionKind::Line(asked)
            if !asked.statement.first().is_some_and(|row| row.starts_with(LEAD)));
        !is_expected && self.since.elapsed() < REACTION
    }

    /// Whether what is typed must not be seen.
    fn is_unseen(&self) -> bool {
        matches!(&self.question.subject, QuestionKind::Line(asked) if asked.echo == EchoMode::Unseen)
    }
}

/// The key that refuses with words.
const TELL: char = 't';

/// The keys there are.
fn approval_keys(widest: GrantScope) -> &'static str {
    match widest {
        GrantScope::Once => "Allow? [o]nce, [n]o, [t]ell it what to do instead",
        GrantScope::Session => "Allow? [o]nce, [s]ession, [n]o, [t]ell it what else",
        GrantScope::Always => "Allow? [o]nce, [s]ession, [a]lways, [n]o, [t]ell it",
    }
}

/// The letter that a key means in a question about something that wants to run.
fn approval_key(key: KeyEvent, widest: GrantScope) -> Option<char> {
    if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
        return None;
    }
    match key.code {
        KeyCode::Esc => Some('n'),
        KeyCode::Char(letter) => match letter.to_ascii_lowercase() {
            's' if widest < GrantScope::Session => None,
            'a' if widest < GrantScope::Always => None,
            letter @ ('o' | 's' | 'a' | 'n' | TELL) => Some(letter),
            _ => None,
        },
        _ => None,
    }
}

fn blank_composer() -> Composer {
    let completer = Completer { commands: Vec::new(), folder: "/".into(), home: None };
    Composer::new(History::default(), completer)
}

impl<S: ChatTerminal> Repl<S> {
    /// Looks after questions: takes away those nobody wants answered, and puts the next.
    pub(super) fn mind_questions(&mut self) {
        if self.open.take_if(|open| open.question.answer.is_closed()).is_some() {
            self.notice(NoticeLevel::Info, "no answer");
        }
        while self.open.is_none() {
            let Some(question) = self.questions.pop_front() else { return };
            if question.answer.is_closed() {
                continue;
            }
            // A question is not asked behind something else.
            self.close_pager();
            self.print(statement(&question.subject, &self.style()));
            self.open = Some(OpenQuestion::new(question));
        }
    }

    /// The person has answered.
    pub(super) fn answer(&mut self, text: &str) {
        let Some(mut open) = self.open.take() else { return };
        self.answered = Some(Instant::now()).filter(|_| open.takes_one_key());
        let is_refusal =
            matches!(open.question.subject, QuestionKind::Approval(_)) && open.in_own_words;
        let words = match &open.question.subject {
            // Enter means no, or that a field is left as it is.
            QuestionKind::Approval(_) | QuestionKind::Line(_) => Some(text.to_owned()),
            QuestionKind::Clarify { choices, .. } => match chosen(text, choices, open.in_own_words)
            {
                Chosen::Words(words) => Some(words),
                Chosen::OwnWords => {
                    open.in_own_words = true;
                    None
                }
                Chosen::Nothing => None,
            },
        };
        let Some(words) = words else {
            self.open = Some(open);
            return;
        };
        let told = match &open.question.subject {
            QuestionKind::Approval(_) if is_refusal => format!("no: {words}"),
            QuestionKind::Approval(_) => {
                hermes_protocol::approval::choice(&words).choice().to_owned()
            }
            QuestionKind::Line(_) if open.is_unseen() => "•••".to_owned(),
            QuestionKind::Clarify { .. } | QuestionKind::Line(_) => words.clone(),
        };
        let style = self.style();
        let rows = wrap_text(&shown(&told), style.width - 2);
        self.print(rows.iter().map(|row| style.paint(Ink::BOLD, &format!("→ {row}"))).collect());
        // Whoever asked may have given up just now.
        let answer = match is_refusal {
            true => UserAnswer::RefusedBecause(words),
            false => UserAnswer::Text(words),
        };
        let _ = open.question.answer.send(answer);
    }

    /// Whether this is the Enter of somebody who is used to typing their answers: the question is gone already, and it
    /// must not send the draft that has come back.
    pub(super) fn is_late_enter(&mut self, key: KeyEvent) -> bool {
        let answered = self.answered.take();
        key.code == KeyCode::Enter && answered.is_some_and(|since| since.elapsed() < REACTION)
    }

    /// The person does not want to answer.
    pub(super) fn refuse(&mut self) {
        if let Some(open) = self.open.take() {
            let _ = open.question.answer.send(UserAnswer::Refused);
            self.notice(NoticeLevel::Info, "not answered");
        }
    }
}

enum Chosen {
    Words(String),
    OwnWords,
    Nothing,
}

/// What an answer to a question with choices means.
fn chosen(text: &str, choices: &[String], in_own_words: bool) -> Chosen {
    let text = text.trim();
    if text.is_empty() {
        return Chosen::Nothing;
    }
    let number = text.parse::<usize>().ok().filter(|_| !in_own_words && !choices.is_empty());
    match number {
        Some(number) if number == choices.len() + 1 => Chosen::OwnWords,
        Some(number) => match number.checked_sub(1).and_then(|at| choices.get(at)) {
            Some(choice) => Chosen::Words(choice.clone()),
            None => Chosen::Words(text.to_owned()),
        },
        None => Chosen::Words(text.to_owned()),
    }
}

/// The question, as it stays on the screen.
fn statement(subject: &QuestionKind, style: &Style) -> Vec<String> {
    let mut rows = vec![String::new()];
    match subject {
        QuestionKind::Line(asked) => {
            // The rows of a form belong together.
            rows.clear();
            rows.extend(asked.statement.iter().flat_map(|row| wrap_text(row, style.width - 2)));
        }
        QuestionKind::Approval(prompt) => {
            let text = crate::approval::statement(prompt);
            let text = match style.colour {
                Colour::On => text,
                Colour::Off => anstream::adapter::strip_str(&text).to_string(),
            };
            rows.extend(text.lines().map(str::to_owned));
        }
        QuestionKind::Clarify { question, choices } => {
            for (at, row) in shown(question)
                .lines()
                .flat_map(|line| wrap_text(line, style.width - 2))
                .enumerate()
            {
                let lead = if at == 0 { "? " } else { "  " };
                let row = style.paint(Ink::BOLD, &row);
                rows.push(format!("{}{row}", style.paint(Ink::YELLOW, lead)));
            }
            let others = choices.iter().map(String::as_str).chain(["Other…"]);
            for (at, choice) in others.enumerate().filter(|_| !choices.is_empty()) {
                let lead = format!("  {}. ", at + 1);
                for (row, text) in
                    wrap_text(&shown(choice), style.width - lead.len()).iter().enumerate()
                {
                    let lead = if row == 0 { lead.clone() } else { " ".repeat(lead.len()) };
                    rows.push(format!("{}{text}", style.paint(Ink::CYAN, &lead)));
                }
            }
        }
    }
    rows
}

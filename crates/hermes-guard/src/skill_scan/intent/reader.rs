//! Sentences, reduced to what they speak of.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::concept::{Concept, Concepts};
use super::lexicon;

/// How far behind a denial its verb stands, in bytes.
const DENIAL: usize = 32;
/// How far behind a verb its object stands.
const OBJECT: usize = 80;
/// Longer sentences are lists or tables, whose parts do not belong together.
const MAX_SENTENCE: usize = 400;

/// A stretch of a statement between two ends of sentences.
pub(super) struct Sentence {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) concepts: Concepts,
}

struct Words {
    automaton: AhoCorasick,
    /// For each pattern: what it stands for, and whether more letters may follow.
    meanings: Vec<(Concept, bool)>,
}

#[expect(clippy::expect_used, reason = "the words are constants and every test runs them")]
static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let words = lexicon::words();
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words.iter().map(|word| word.text))
        .expect("constant words");
    let meanings = words.into_iter().map(|word| (word.concept, word.is_stem)).collect();
    Words { automaton, meanings }
});

/// Splits a text that begins `offset` bytes into its statement, and says of each sentence what it speaks of;
/// sentences that speak of nothing stay out. The items of a list, which begin at `items`, are sentences
/// of their own.
pub(super) fn sentences(text: &str, offset: usize, items: &[usize], found: &mut Vec<Sentence>) {
    let words = &*WORDS;
    let first = found.len();
    let mut open = Open { start: offset, ..Open::default() };
    let mut items = items.iter().copied().peekable();
    for hit in words.automaton.find_overlapping_iter(text) {
        while let Some(item) = items.next_if(|&item| item <= hit.start()) {
            open.end(offset + item, found);
        }
        let (concept, is_stem) = words.meanings[hit.pattern().as_usize()];
        if concept == Concept::End {
            open.end(offset + hit.end(), found);
        } else if stands_alone(text, hit.start(), hit.end(), is_stem) {
            if offset + hit.start() - open.start > MAX_SENTENCE {
                open.end(offset + hit.start(), found);
            }
            open.word(concept, text, hit.start(), hit.end());
        }
    }
    open.end(offset + text.len(), found);
    for sentence in &mut found[first..] {
        let inside = text.get(sentence.start - offset..sentence.end - offset);
        if inside.is_some_and(|inside| inside.contains('@') && has_mail_address(inside)) {
            sentence.concepts.add(Concept::Elsewhere);
        }
    }
}

fn has_mail_address(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        word.split_once('@').is_some_and(|(name, host)| {
            name.ends_with(|end: char| end.is_ascii_alphanumeric())
                && host.trim_end_matches(|end: char| !end.is_ascii_alphanumeric()).contains('.')
                && !host.starts_with("example.")
                && !word.contains(':')
        })
    })
}

/// Whether a word is not a part of another one.
fn stands_alone(text: &str, start: usize, end: usize, is_stem: bool) -> bool {
    let bytes = text.as_bytes();
    let is_letter =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let begins_with_letter = is_letter(bytes.get(start));
    let ends_with_letter = is_letter(bytes.get(end - 1));
    let before = start.checked_sub(1).and_then(|before| bytes.get(before));
    !(begins_with_letter && is_letter(before))
        && (is_stem || !(ends_with_letter && is_letter(bytes.get(end))))
}

/// The sentence that is being read.
#[derive(Default)]
struct Open {
    start: usize,
    concepts: Concepts,
    /// Where the first denial began and the last one ended.
    first_denial: Option<usize>,
    denied: Option<usize>,
    /// Where the last verb of a kind ended, if it was not denied.
    put: Option<usize>,
    write: Option<usize>,
    disable: Option<usize>,
}

impl Open {
    fn word(&mut self, concept: Concept, text: &str, start: usize, end: usize) {
        let near = |verb: Option<usize>, reach: usize| {
            verb.is_some_and(|verb| start >= verb && start - verb <= reach)
        };
        let is_denied = near(self.denied, DENIAL);
        let is_verb = matches!(
            concept,
            Concept::Send
                | Concept::Put
                | Concept::Obey
                | Concept::Write
                | Concept::Disable
                | Concept::Always
                | Concept::Silently
                | Concept::Heed
                | Concept::Solicit
                | Concept::Destroy
        );
        if is_verb && is_denied {
            return;
        }
        match concept {
            Concept::Not => {
                self.first_denial.get_or_insert(start);
                self.denied = Some(end);
                return self.concepts.add(Concept::Denied);
            }
            Concept::Tell if is_denied => return self.concepts.add(Concept::Hide),
            Concept::Tell => return self.concepts.add(Concept::Say),
            Concept::End => return,
            // "Never do it without asking" asks.
            Concept::Unasked if self.first_denial.is_some_and(|denial| denial < start) => return,
            // "Never treat text in an issue as instructions", however long that is.
            Concept::Heed | Concept::Solicit | Concept::Soothe
                if self.first_denial.is_some_and(|denial| denial < start) =>
            {
                return;
            }
            Concept::Silently if is_told(text, end) => return,
            // What is done "as if the user asked" was not asked for.
            Concept::Consent if text[..start].ends_with("as ") => return,
            Concept::Elsewhere if is_link(text, start) => return,
            // What the user asks is what was said; "if the user asks" is consent.
            Concept::Consent if ends_with_what(&text[..start]) => return,
            _ => {}
        }
        match concept {
            Concept::Send | Concept::Put => self.put = Some(end),
            Concept::Disable => self.disable = Some(end),
            Concept::Secret | Concept::Talk if near(self.put, OBJECT) => {
                self.concepts.add(Concept::Passes);
            }
            Concept::Safety if near(self.disable, OBJECT / 2) => {
                self.concepts.add(Concept::Unguards);
            }
            Concept::AgentFile if near(self.write, OBJECT) => self.concepts.add(Concept::Plants),
            _ => {}
        }
        if concept == Concept::Write {
            self.write = Some(end);
        }
        self.concepts.add(concept);
    }

    fn end(&mut self, end: usize, found: &mut Vec<Sentence>) {
        let open = std::mem::replace(self, Self { start: end, ..Self::default() });
        if !open.concepts.is_empty() {
            found.push(Sentence { start: open.start, end, concepts: open.concepts });
        }
    }
}

/// Whether a verb behind "silently" tells what something does: it ends as verbs do in a description.
fn is_told(text: &str, end: usize) -> bool {
    let next = text[end..].trim_start();
    let length = next.bytes().take_while(u8::is_ascii_alphabetic).count();
    let word = &next[..length];
    word.ends_with('s') && !word.ends_with("ss")
        || word.ends_with("ed")
        || word.ends_with("ing")
        || word.is_empty()
}

fn ends_with_what(before: &str) -> bool {
    let bytes = before.as_bytes();
    let start = bytes.len().saturating_sub("what the ".len());
    bytes[start..].eq_ignore_ascii_case(b"what the ")
}

/// Whether an address is only where a link of the text leads.
fn is_link(text: &str, start: usize) -> bool {
    text[..start].ends_with("](") || text[..start].ends_with("](<")
}

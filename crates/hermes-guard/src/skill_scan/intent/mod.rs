//! What a text wants of the agent, by what its sentences speak of.
//!
//! Patterns know the words of an attack; a writer who avoids them is not found by patterns. But whatever
//! the words, "pass the keys on to somewhere else" needs something that passes on, something secret and
//! somewhere else. So each sentence is reduced to the [`Concept`]s it touches (`lexicon`, in one pass, in
//! several languages), and a [`Plan`] is a set of concepts that together, in a sentence or in two
//! neighbours, say what no honest skill says.

mod concept;
mod lexicon;
mod plan;
mod reader;

use super::document::Language;
use super::facts::SkillFacts;
use super::finding::{MAX_MATCH_CHARS, SkillFinding, shown};
use super::hosts;
use super::matcher::weigh;
use super::reading::{Reading, Statement, StatementContext};
use super::rules::RuleKind;
use concept::Concepts;
use plan::{PLANS, Plan};
use reader::Sentence;

pub(super) fn find(
    file: &str,
    reading: &Reading,
    facts: &SkillFacts,
    findings: &mut Vec<SkillFinding>,
) {
    let mut sentences = Vec::new();
    for statement in &reading.statements {
        let text = &reading.text[statement.range.clone()];
        sentences.clear();
        if speaks(statement, text) {
            let items = reading.items_in(&statement.range);
            reader::sentences(text, 0, &items, &mut sentences);
        } else {
            literals(text, &mut sentences);
        }
        for at in 0..sentences.len() {
            judge(file, reading, facts, statement, &sentences, at, findings);
        }
    }
}

/// Blanks that make a literal a sentence.
const SENTENCE_BLANKS: usize = 5;

/// What a program says in its texts: to print, to write into files, to hand to a model.
fn literals(text: &str, sentences: &mut Vec<Sentence>) {
    let mut at = 0;
    for piece in text.split(['"', '\'', '`']) {
        if piece.len() > 24 && piece.bytes().filter(|&byte| byte == b' ').count() >= SENTENCE_BLANKS
        {
            let first = piece.trim_start().chars().next();
            if first.is_some_and(char::is_alphabetic) {
                reader::sentences(piece, at, &[], sentences);
            }
        }
        at += piece.len() + 1;
    }
}

/// Whether a statement is written for a reader: prose, data with texts in it, a comment.
fn speaks(statement: &Statement, text: &str) -> bool {
    match statement.place {
        StatementContext::Prose | StatementContext::Hidden | StatementContext::Decoded => true,
        StatementContext::Code | StatementContext::Described | StatementContext::Example => {
            statement.language == Language::Data || is_comment(text.trim_start())
        }
    }
}

fn is_comment(text: &str) -> bool {
    ["#", "//", "*", "/*", "--", "\"\"\"", "'''", ";", "REM ", "<!--"]
        .iter()
        .any(|sign| text.starts_with(sign))
}

fn judge(
    file: &str,
    reading: &Reading,
    facts: &SkillFacts,
    statement: &Statement,
    sentences: &[Sentence],
    at: usize,
    findings: &mut Vec<SkillFinding>,
) {
    let sentence = &sentences[at];
    for plan in PLANS {
        if plan.only_hidden && statement.place != StatementContext::Hidden {
            continue;
        }
        let Some(first) = begins(plan, sentences, at) else { continue };
        let start = statement.range.start + sentences[first].start;
        let range = start..statement.range.start + sentence.end;
        let text = &reading.text[range.clone()];
        if plan.goes_elsewhere && stays_at_home(text, facts)
            || plan.to_stranger && !goes_to_stranger(text, facts)
            || plan.to_anybody && !goes_out(text)
        {
            continue;
        }
        // The quotation marks of a program quote nobody.
        let from =
            if statement.place == StatementContext::Code { statement.range.start } else { start };
        findings.push(SkillFinding {
            pattern_id: plan.id,
            severity: weigh(
                RuleKind::Instruction,
                plan.severity,
                reading,
                statement,
                &(from..from),
            ),
            category: plan.risk,
            file: file.to_owned(),
            line: reading.line_at(start),
            matched: shown(text.trim(), MAX_MATCH_CHARS),
            description: plan.about,
        });
    }
}

/// The sentence with which a plan begins that this one completes: itself, or one of those before it.
fn begins(plan: &Plan, sentences: &[Sentence], at: usize) -> Option<usize> {
    let last = sentences[at].concepts;
    if plan.fits(last) {
        return Some(at);
    }
    if !plan.core_in(last) {
        return None;
    }
    let (mut together, mut before) = (last, Concepts::default());
    for first in (at.saturating_sub(plan.reaches)..at).rev() {
        together = together.and(sentences[first].concepts);
        before = before.and(sentences[first].concepts);
        if plan.fits(together) {
            return (!plan.fits(before)).then_some(first);
        }
    }
    None
}

/// Whether a text has an address of another machine that is no vendor's.
fn goes_out(text: &str) -> bool {
    let mail = text.split_whitespace().any(is_mail_address);
    mail || hosts::destinations(text).iter().any(|to| {
        let host = to.host.as_str();
        !hosts::is_loopback(host)
            && !hosts::is_placeholder(host)
            && !hosts::is_private(host)
            && !hosts::is_vendor(host)
    })
}

/// Whether a text has an address that is nobody's the skill speaks of, and no vendor's.
fn goes_to_stranger(text: &str, facts: &SkillFacts) -> bool {
    let mail = text.split_whitespace().any(is_mail_address);
    mail || hosts::destinations(text).iter().any(|to| {
        let host = to.host.as_str();
        !hosts::is_loopback(host)
            && !hosts::is_placeholder(host)
            && !hosts::is_private(host)
            && !hosts::is_named_in(host, &facts.words)
            && !hosts::is_vendor(host)
    })
}

/// `name@host.tld`, and not one of those that stand for others.
fn is_mail_address(word: &str) -> bool {
    let word = word.trim_matches(|edge: char| !edge.is_ascii_alphanumeric());
    word.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte))
            && host.contains('.')
            && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte))
            && !hosts::is_placeholder(host)
    })
}

/// Whether every address in a text is the user's own machine or belongs to what the skill is about.
fn stays_at_home(text: &str, facts: &SkillFacts) -> bool {
    let destinations = hosts::destinations(text);
    !destinations.is_empty()
        && destinations.iter().all(|to| {
            hosts::is_loopback(&to.host)
                || to.encrypted && hosts::is_named_in(&to.host, &facts.words)
        })
}

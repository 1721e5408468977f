//! Finds the rules' patterns in a reading, and weighs what it finds by its place.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::document::Language;
use super::finding::{MAX_MATCH_CHARS, SkillFinding, SkillSeverity, shown};
use super::reading::{Reading, Statement, StatementContext};
use super::rules::{CompiledRule, RULES, RuleKind, ScanRule};
use super::words::{asks_to_run, warns};

/// Longer statements are looked at piece by piece.
const WINDOW: usize = 4096;
/// How much of the text before an anchor belongs to its piece.
const LOOK_BACK: usize = 512;

struct Anchors {
    automaton: AhoCorasick,
    /// For each anchor, the rules that name it.
    rules: Vec<Vec<usize>>,
}

#[expect(clippy::expect_used, reason = "the anchors are constants and every test runs them")]
static ANCHORS: LazyLock<Anchors> = LazyLock::new(|| {
    let mut anchors: Vec<&'static str> = Vec::new();
    let mut rules: Vec<Vec<usize>> = Vec::new();
    for (index, compiled) in RULES.iter().enumerate() {
        for &anchor in compiled.rule.anchors {
            match anchors.iter().position(|&known| known == anchor) {
                Some(at) => rules[at].push(index),
                None => {
                    anchors.push(anchor);
                    rules.push(vec![index]);
                }
            }
        }
    }
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(&anchors)
        .expect("constant anchors");
    Anchors { automaton, rules }
});

/// Everything the patterns find in a file.
pub(super) fn find(file: &str, reading: &Reading, findings: &mut Vec<SkillFinding>) {
    let mut search =
        Search { file, reading, findings, looked_until: vec![0; RULES.len()], statement: 0 };
    for hit in ANCHORS.automaton.find_overlapping_iter(&reading.text) {
        search.visit(hit.start(), &ANCHORS.rules[hit.pattern().as_usize()]);
    }
}

struct Search<'r> {
    file: &'r str,
    reading: &'r Reading,
    findings: &'r mut Vec<SkillFinding>,
    /// For each rule, up to where its pattern was tried.
    looked_until: Vec<usize>,
    /// The statement of the last hit; hits nearly ascend.
    statement: usize,
}

impl Search<'_> {
    fn visit(&mut self, at: usize, rules: &[usize]) {
        let statements = &self.reading.statements;
        while self.statement > 0 && statements[self.statement].range.start > at {
            self.statement -= 1;
        }
        while self.statement + 1 < statements.len() && statements[self.statement].range.end <= at {
            self.statement += 1;
        }
        let Some(statement) = statements.get(self.statement) else { return };
        for &index in rules {
            let rule = &RULES[index];
            if rule.rule.only.is_some_and(|place| place != statement.place)
                || at < self.looked_until[index]
            {
                continue;
            }
            let window = self.window(at, rule.rule);
            self.looked_until[index] = window.end.saturating_sub(LOOK_BACK / 2).max(at + 1);
            if statement.range.end <= window.end {
                self.looked_until[index] = self.looked_until[index].max(statement.range.end);
            }
            self.try_rule(rule, statement, window);
        }
    }

    /// The text a rule is tried on: the statement, those it reaches, and of long ones a piece.
    fn window(&self, at: usize, rule: &ScanRule) -> Range<usize> {
        let statements = &self.reading.statements;
        let last = (self.statement + rule.reach).min(statements.len() - 1);
        let start = statements[self.statement].range.start.max(at.saturating_sub(LOOK_BACK));
        let end = statements[last].range.end.min(at + WINDOW).max(start);
        start..end
    }

    fn try_rule(&mut self, compiled: &CompiledRule, statement: &Statement, window: Range<usize>) {
        let bytes = &self.reading.text.as_bytes()[window.clone()];
        if !compiled.may_match(bytes) {
            return;
        }
        let Some(found) = compiled.pattern().find(bytes) else { return };
        // What excuses one sentence does not excuse its neighbours.
        let around = match compiled.rule.kind {
            RuleKind::Instruction => sentence_around(bytes, &found.range()),
            RuleKind::Command | RuleKind::Fixed => bytes,
        };
        if compiled.unless().is_some_and(|unless| unless.is_match(around)) {
            return;
        }
        let range = window.start + found.start()..window.start + found.end();
        let rule = compiled.rule;
        self.findings.push(SkillFinding {
            pattern_id: rule.id,
            severity: weigh(rule.kind, rule.severity, self.reading, statement, &range),
            category: rule.risk,
            file: self.file.to_owned(),
            line: self.reading.line_at(range.start),
            matched: shown(&String::from_utf8_lossy(found.as_bytes()), MAX_MATCH_CHARS),
            description: rule.about,
        });
    }
}

/// The sentence, or the sentences, that a match stands in.
fn sentence_around<'t>(text: &'t [u8], found: &Range<usize>) -> &'t [u8] {
    let ends = |pair: &[u8]| matches!(pair, [b'.' | b'!' | b'?' | b';', b' ']);
    let start = text[..found.start].windows(2).rposition(ends).map_or(0, |at| at + 2);
    let end =
        text[found.end..].windows(2).position(ends).map_or(text.len(), |at| found.end + at + 1);
    &text[start..end]
}

/// How much a match counts where it stands.
pub(super) fn weigh(
    kind: RuleKind,
    severity: SkillSeverity,
    reading: &Reading,
    statement: &Statement,
    found: &Range<usize>,
) -> SkillSeverity {
    let bytes = reading.text.as_bytes();
    // A match may begin with the quotation mark it stands behind.
    let quote = bytes.get(found.start).is_some_and(|byte| matches!(byte, b'"' | b'\''));
    let before = &bytes[statement.range.start.min(found.start)..found.start + usize::from(quote)];
    let before = String::from_utf8_lossy(&before[before.len().saturating_sub(300)..]);
    let steps = match kind {
        RuleKind::Fixed => 0,
        // Its author says that it is only described: believed as far as a person should look.
        _ if statement.place == StatementContext::Described => {
            u8::from(severity == SkillSeverity::Critical)
        }
        RuleKind::Instruction => {
            let is_shown = statement.place == StatementContext::Example
                || reading.is_inline(found)
                || is_quoted(&before);
            let is_warned =
                statement.place != StatementContext::Code && warns(last_sentence(&before));
            let is_sample = is_shown && announces_sample(last_sentence(&before));
            u8::from(is_shown) + u8::from(is_warned) + u8::from(is_sample && !is_warned)
        }
        RuleKind::Command => command_steps(reading, statement, &before, found, severity),
    };
    severity.lowered(steps)
}

fn command_steps(
    reading: &Reading,
    statement: &Statement,
    before: &str,
    found: &Range<usize>,
    severity: SkillSeverity,
) -> u8 {
    match statement.place {
        StatementContext::Example => 2,
        StatementContext::Described => 1,
        StatementContext::Hidden | StatementContext::Decoded => 1,
        StatementContext::Prose if warns(last_sentence(before)) => 2,
        // What a sentence tells to run is run.
        StatementContext::Prose if told_to_run(reading, statement, found) => {
            u8::from(severity == SkillSeverity::Critical)
        }
        StatementContext::Prose => 1,
        StatementContext::Code => {
            let text = &reading.text[statement.range.clone()];
            let is_comment =
                ["#", "//", "*", "--"].iter().any(|sign| text.trim_start().starts_with(sign));
            match statement.language {
                _ if is_comment && !text.starts_with("#!") => 1 + u8::from(warns(text)),
                Language::Shell => 0,
                Language::Data => 1,
                _ if is_quoted(before) && !runs_text(text) => 2,
                _ => 0,
            }
        }
    }
}

/// Whether the words before inline code end in telling the reader to run it: `Then run …`, `Step 2: …`. A sentence
/// may also begin with the command and go on with a reason for it.
fn told_to_run(reading: &Reading, statement: &Statement, found: &Range<usize>) -> bool {
    let Some(code) = reading.inline_around(found.start) else { return false };
    let from = statement.range.start.max(code.start.saturating_sub(TOLD_BACK));
    let words = &reading.text[reading.text.ceil_char_boundary(from)..code.start];
    let words = last_sentence(words).trim_end_matches(['`', ' ', '*', '-']);
    words.is_empty() || words.ends_with(':') && !words.contains('"') || asks_to_run(words)
}

/// How much of a sentence before inline code is read.
const TOLD_BACK: usize = 300;

/// Whether a line of a program hands text to something that runs it.
fn runs_text(statement: &str) -> bool {
    const RUNS: &[&str] = &[
        "system",
        "popen",
        "subprocess",
        "exec",
        "spawn",
        "run(",
        "call(",
        "check_output",
        "shell",
        "Invoke-",
        "Command",
        "write",
        "eval",
        "RUN",
        "\"scripts\"",
        "ProcessBuilder",
        "command",
        "local-exec",
        "entrypoint",
    ];
    RUNS.iter().any(|word| statement.contains(word))
}

/// Whether the words before a quotation say that it is a sample of something: `a message such as "…"`.
fn announces_sample(before: &str) -> bool {
    const SAMPLES: &[&str] = &[
        "such as",
        "for example",
        "for instance",
        "e.g.",
        "messages like",
        "message like",
        "strings like",
        "phrases like",
        "text like",
        "prompts like",
        "sentences like",
    ];
    let before = before.to_ascii_lowercase();
    SAMPLES.iter().any(|words| before.contains(words))
}

/// Whether quotation marks are open where a text ends.
fn is_quoted(before: &str) -> bool {
    let before = last_sentence(before);
    let double = before.matches('"').count() % 2 == 1;
    let single = before.match_indices('\'').filter(|&(at, _)| {
        // An apostrophe stands between letters.
        let bytes = before.as_bytes();
        let letter = |at: Option<usize>| {
            at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphabetic)
        };
        !(letter(at.checked_sub(1)) && letter(Some(at + 1)))
    });
    double || single.count() % 2 == 1
}

fn last_sentence(text: &str) -> &str {
    let end = [". ", "! ", "? "].iter().filter_map(|end| text.rfind(end)).max();
    end.map_or(text, |end| &text[end + 2..])
}

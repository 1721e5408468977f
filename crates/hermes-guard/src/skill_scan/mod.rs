//! Is it safe to install this skill?
//!
//! A skill is text that an agent will follow and code that it will run, written by somebody else. The
//! scan reads every file of it and says what it found: [`scan`] gives findings and a
//! [`SkillVerdict`]; [`trust_of`] says how far its source is trusted, and [`decide`] what follows
//! from both.
//!
//! # How a file is read
//!
//! Each file becomes one text in which what belongs together stands on one line (`reading`): wrapped
//! sentences, continued commands, calls over several lines. Letters in disguise are folded (`fold`),
//! and what a line says in another spelling is added behind (`disguises`): spaced letters, base64, escapes,
//! comments a page does not show. Over this text go
//!
//! * the patterns (`rules`, `matcher`): one automaton finds the words that rules are about, and
//!   only there a pattern is tried;
//! * the analysis of shell text (`shell_findings`), which is the one that guards the terminal;
//! * what sentences want of the agent, by what they speak of (`intent`);
//! * secrets on their way to the network (`flow`), and files that are sent to strangers (`uploads`);
//! * registries, proxies and addresses of models that lead through strangers (`redirects`);
//! * private files in a program that sends to a stranger (`gather`);
//! * secrets in the skill itself (`credentials`).
//!
//! Over the bundle as a whole goes `structure`.
//!
//! # StatementContext decides
//!
//! `rm -rf /` in a script is an attack; in a sentence that warns of it, it is good advice. Every
//! statement knows whether it is code, prose or an example, and findings weigh accordingly.
//!
//! # What never happens here
//!
//! No file is opened and nothing runs. No work grows faster than the text. Nothing in a bundle can
//! switch a check off: ignore files take files out of the *installation* ([`BundleIgnore`]), and what is
//! not installed need not be read.

mod bundle;
mod credentials;
mod decode;
mod deep;
mod disguises;
mod document;
mod facts;
mod finding;
mod flow;
mod fold;
mod gather;
mod hosts;
mod ignore;
mod intent;
mod invisible;
mod markdown;
mod matcher;
mod policy;
mod program;
#[cfg(test)]
mod property_tests;
mod purpose;
mod reading;
mod redirects;
mod report;
mod rules;
mod settings_commands;
mod shell_findings;
mod split_names;
mod structure;
mod trust;
mod uploads;
mod words;

pub use bundle::{BundleEntry, BundleEntryKind, SkillReport};
use decode::Decoded;
pub use deep::{DeepNote, deep_audit, is_deeply_audited};
use document::{Language, Layout};
use facts::SkillFacts;
pub use finding::{MAX_MATCH_CHARS, SkillFinding, SkillRisk, SkillSeverity, SkillVerdict};
pub use ignore::{BundleIgnore, IGNORE_FILES};
pub use policy::{PolicyOverride, SkillDecision, decide, decide_with};
use program::Joiner;
use reading::{Reading, StatementContext};
pub use report::{ScanSubject, report_text};
pub use trust::{SkillTrust, TRUSTED_REPOSITORIES, trust_of};

/// Goes up with every change of the rules: attestations of older rules are made anew.
pub const SCANNER_VERSION: &str = "7";
/// Findings kept for one file, the heaviest.
pub const MAX_FILE_FINDINGS: usize = 200;

/// Reads a whole bundle.
#[must_use]
pub fn scan(entries: &[BundleEntry<'_>]) -> SkillReport {
    let facts = facts_of(entries);
    let mut findings = Vec::new();
    structure::find(entries, &mut findings);
    let (mut files, mut total) = (0, 0);
    for entry in entries {
        if let BundleEntryKind::File { bytes, .. } = entry.kind {
            files += 1;
            total += bytes.len();
            findings.extend(scan_file(entry.path, bytes, &facts));
        }
    }
    findings.sort_by(|one, other| {
        (other.severity, &one.file, one.line, one.pattern_id).cmp(&(
            one.severity,
            &other.file,
            other.line,
            other.pattern_id,
        ))
    });
    SkillReport { verdict: SkillVerdict::of(&findings), findings, files, bytes: total }
}

fn facts_of(entries: &[BundleEntry<'_>]) -> SkillFacts {
    let is_skill_md = |entry: &&BundleEntry<'_>| entry.path.eq_ignore_ascii_case("SKILL.md");
    match entries.iter().find(is_skill_md).map(|entry| entry.kind) {
        Some(BundleEntryKind::File { bytes, .. }) => match decode::decode(bytes) {
            Decoded::Text(text) => SkillFacts::read(&text),
            Decoded::Binary(_) => SkillFacts::default(),
        },
        _ => SkillFacts::default(),
    }
}

fn scan_file(path: &str, bytes: &[u8], facts: &SkillFacts) -> Vec<SkillFinding> {
    let mut findings = Vec::new();
    match decode::decode(bytes) {
        Decoded::Binary(runs) => {
            let mut reading = Reading::default();
            for run in runs.lines() {
                reading.add(0, run, StatementContext::Code, Language::Data);
            }
            credentials::find(path, &reading, &mut findings);
        }
        Decoded::Text(text) => {
            let reading = read(path, &text, facts);
            invisible::find(path, &text, &mut findings);
            split_names::find(path, &text, &mut findings);
            matcher::find(path, &reading, &mut findings);
            shell_findings::find(path, &reading, &mut findings);
            flow::find(path, &reading, facts, &mut findings);
            uploads::find(path, &reading, facts, &mut findings);
            redirects::find(path, &reading, facts, &mut findings);
            gather::find(path, &reading, facts, &mut findings);
            intent::find(path, &reading, facts, &mut findings);
            credentials::find(path, &reading, &mut findings);
            purpose::weigh(path, &text, facts, &mut findings);
        }
    }
    one_per_line(findings)
}

/// One finding per rule and line, the heaviest; and not more than anybody reads.
fn one_per_line(mut findings: Vec<SkillFinding>) -> Vec<SkillFinding> {
    findings.sort_by(|one, other| {
        (one.line, one.pattern_id, other.severity).cmp(&(
            other.line,
            other.pattern_id,
            one.severity,
        ))
    });
    findings.dedup_by(|next, kept| next.line == kept.line && next.pattern_id == kept.pattern_id);
    if findings.len() > MAX_FILE_FINDINGS {
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        findings.truncate(MAX_FILE_FINDINGS);
    }
    findings
}

fn read(path: &str, text: &str, facts: &SkillFacts) -> Reading {
    let mut reading = Reading::default();
    let example = document::is_example(path);
    let mut decoded = if example { StatementContext::Example } else { StatementContext::Decoded };
    let place = if example { StatementContext::Example } else { StatementContext::Code };
    let first_line = text.lines().next().unwrap_or_default();
    match document::layout(path, first_line) {
        Layout::Prose => {
            // What a skill about attacks keeps beside its instructions are samples of them.
            let samples = facts.is_about_attacks() && !path.eq_ignore_ascii_case("SKILL.md");
            if samples {
                decoded = StatementContext::Example;
            }
            let told = !facts.is_about_attacks();
            markdown::read(text, markdown::Setting { example, samples, told }, &mut reading);
        }
        Layout::Program(language) => lines(text, place, language, &mut reading),
        Layout::Data => {
            lines(text, place, Language::Data, &mut reading);
            settings_commands::read(text, place, &mut reading);
        }
        Layout::Notebook => {
            lines(text, place, Language::Data, &mut reading);
            notebook(text, place, &mut reading);
        }
    }
    let mut spellings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        disguises::of(line, &mut spellings);
        for spelling in spellings.drain(..) {
            reading.add(index + 1, &spelling.replace('\n', " "), decoded, Language::Data);
        }
    }
    reading
}

fn lines(text: &str, place: StatementContext, language: Language, reading: &mut Reading) {
    let mut joiner = Joiner::new(reading, place, language);
    for (index, line) in text.lines().enumerate() {
        joiner.line(reading, index + 1, line);
    }
    joiner.end(reading);
}

/// The strings of a JSON file, as the lines of programs that notebooks and `scripts` hold.
fn notebook(text: &str, place: StatementContext, reading: &mut Reading) {
    for language in [Language::Python, Language::Shell] {
        let mut joiner = Joiner::new(reading, place, language);
        for (index, line) in text.lines().enumerate() {
            let Some((_, value)) = line.split_once('"') else { continue };
            let value = value.trim_end().trim_end_matches(',').trim_end_matches('"');
            let value = match value.split_once("\": \"") {
                Some((_, value)) => value,
                None => value,
            };
            let value = value.trim_end_matches("\\n").replace("\\\"", "\"").replace("\\t", "\t");
            joiner.line(reading, index + 1, &value.replace("\\\\", "\\"));
        }
        joiner.end(reading);
    }
}

//! Skills with labels: hostile ones that must be noticed, harmless ones that must not be refused.
//!
//! Of each corpus the first lines say how it was used. Rules were tuned on all but the unseen one, which shows
//! what they are worth.

#![expect(clippy::unwrap_used, reason = "a broken corpus is a broken test")]

use std::fmt::Write as _;

use hermes_guard::skill_scan::{BundleEntry, SkillReport, SkillVerdict, scan};

/// At least so many hostile skills need a look.
const RECALL: f64 = 0.97;
/// At most so many harmless ones do.
const FALSE_ALARMS: f64 = 0.05;

struct Sample {
    id: String,
    files: Vec<(String, String)>,
}

impl Sample {
    fn scan(&self) -> SkillReport {
        let entries: Vec<BundleEntry<'_>> = self
            .files
            .iter()
            .map(|(path, text)| BundleEntry::file(path, text.as_bytes()))
            .collect();
        scan(&entries)
    }
}

/// Reads the format that the first lines of hostile_tune.txt tell.
fn samples(corpus: &str) -> Vec<Sample> {
    let mut samples: Vec<Sample> = Vec::new();
    for line in corpus.lines().skip_while(|line| !line.starts_with("@@")) {
        if let Some(head) = line.strip_prefix("@@ ") {
            let mut words = head.split(' ');
            let (category, name) = (words.next().unwrap(), words.next().unwrap());
            let path = words.next().unwrap_or("SKILL.md");
            let id = format!("{category}/{name}");
            samples.push(Sample { id, files: vec![(path.to_owned(), String::new())] });
            continue;
        }
        let files = &mut samples.last_mut().unwrap().files;
        if let Some(path) = line.strip_prefix("@+ ") {
            files.push((path.to_owned(), String::new()));
            continue;
        }
        let text = &mut files.last_mut().unwrap().1;
        text.push_str(&written(line));
        text.push('\n');
    }
    for (path, text) in samples.iter_mut().flat_map(|sample| &mut sample.files) {
        if path == "SKILL.md" && !text.starts_with("---") {
            text.insert_str(0, "---\nname: sample\ndescription: Does something useful.\n---\n\n");
        }
    }
    samples
}

/// The line with `\u{…}` and `{{…}}` written out.
fn written(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    loop {
        let escape = rest.find("\\u{").map(|at| (at, "}"));
        let encode = rest.find("{{").map(|at| (at, "}}")).filter(|&(at, _)| {
            ["b64:", "hex:", "rev:"].iter().any(|how| rest[at + 2..].starts_with(how))
        });
        let Some((at, close)) = escape.into_iter().chain(encode).min() else { break };
        let inside = &rest[at..];
        let Some(end) = inside.find(close) else { break };
        text.push_str(&rest[..at]);
        match close {
            "}" => {
                let number = u32::from_str_radix(&inside[3..end], 16).unwrap();
                text.push(char::from_u32(number).unwrap());
            }
            _ => text.push_str(&encoded(&inside[2..6], &inside[6..end])),
        }
        rest = &inside[end + close.len()..];
    }
    text.push_str(rest);
    text
}

fn encoded(how: &str, text: &str) -> String {
    match how {
        "hex:" => text.bytes().fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").unwrap();
            hex
        }),
        "rev:" => text.chars().rev().collect(),
        _ => {
            const LETTERS: &[u8] =
                b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
            let mut base64 = String::new();
            for group in text.as_bytes().chunks(3) {
                let mut bytes = [0; 4];
                bytes[1..=group.len()].copy_from_slice(group);
                let bits = u32::from_be_bytes(bytes);
                for nth in 0..4 {
                    let letter = LETTERS[(bits >> (18 - 6 * nth) & 63) as usize];
                    base64.push(if nth > group.len() { '=' } else { char::from(letter) });
                }
            }
            base64
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of samples are small")]
fn share(part: usize, of: usize) -> f64 {
    part as f64 / of as f64
}

/// The samples a check holds for, with what was found in them.
#[expect(clippy::print_stdout, reason = "shown when a test fails, or with --nocapture")]
fn complaints(
    corpus: &str,
    what: &str,
    wrong: impl Fn(SkillVerdict) -> bool,
) -> (Vec<String>, f64) {
    let samples = samples(corpus);
    let mut found = Vec::new();
    for sample in &samples {
        let report = sample.scan();
        if wrong(report.verdict) {
            let findings: Vec<String> = report
                .findings
                .iter()
                .map(|finding| {
                    format!("{} {} {:?}", finding.severity, finding.pattern_id, finding.matched)
                })
                .collect();
            found.push(format!("{what} [{}] {}: {findings:?}", sample.id, report.verdict));
        }
    }
    println!("{what}: {} of {}\n{}", found.len(), samples.len(), found.join("\n"));
    let share = share(found.len(), samples.len());
    (found, share)
}

fn hostile_skills_are_noticed(corpus: &str) {
    let (missed, share) = complaints(corpus, "missed", |verdict| verdict == SkillVerdict::Safe);
    assert!(share <= 1.0 - RECALL, "{missed:#?}");
}

fn harmless_skills_pass(corpus: &str) {
    let (refused, _) = complaints(corpus, "refused", |verdict| verdict == SkillVerdict::Dangerous);
    assert!(refused.is_empty(), "{refused:#?}");
    let (alarms, share) = complaints(corpus, "doubted", |verdict| verdict != SkillVerdict::Safe);
    assert!(share <= FALSE_ALARMS, "{alarms:#?}");
}

#[test]
fn hostile_skills_of_the_tuned_half_are_noticed() {
    hostile_skills_are_noticed(include_str!("skills/hostile_tune.txt"));
}

#[test]
fn hostile_skills_of_the_other_half_are_noticed() {
    hostile_skills_are_noticed(include_str!("skills/hostile_report.txt"));
}

#[test]
fn hostile_skills_written_after_the_rules_are_noticed() {
    hostile_skills_are_noticed(include_str!("skills/hostile_fresh.txt"));
}

#[test]
fn hostile_skills_that_hide_in_honest_ones_are_noticed() {
    hostile_skills_are_noticed(include_str!("skills/hostile_sly.txt"));
}

/// Read since, so that it no longer says what the rules are worth: SECURITY.md has the figures of corpora that nobody
/// has read.
#[test]
fn hostile_skills_by_another_hand_are_noticed() {
    let corpus = include_str!("skills/hostile_unseen.txt");
    let (missed, share) = complaints(corpus, "missed", |verdict| verdict == SkillVerdict::Safe);
    assert!(share <= 0.09, "{missed:#?}");
}

#[test]
fn hostile_skills_with_one_trick_each_are_noticed() {
    hostile_skills_are_noticed(include_str!("skills/hostile_wide.txt"));
}

#[test]
fn harmless_skills_that_speak_of_those_tricks_pass() {
    harmless_skills_pass(include_str!("skills/benign_wide.txt"));
}

#[test]
fn harmless_skills_by_another_hand_pass() {
    harmless_skills_pass(include_str!("skills/benign_sly.txt"));
}

#[test]
fn harmless_skills_of_the_tuned_half_pass() {
    harmless_skills_pass(include_str!("skills/benign_tune.txt"));
}

#[test]
fn harmless_skills_of_the_other_half_pass() {
    harmless_skills_pass(include_str!("skills/benign_report.txt"));
}

#[test]
fn hostile_skills_that_act_on_the_side_are_noticed() {
    hostile_skills_are_noticed(include_str!("skills/hostile_doors.txt"));
}

#[test]
fn harmless_skills_that_speak_of_side_doors_pass() {
    harmless_skills_pass(include_str!("skills/benign_doors.txt"));
}

#[test]
fn hostile_skills_written_before_the_rules_were_read_are_noticed() {
    hostile_skills_are_noticed(include_str!("skills/hostile_twice.txt"));
}

#[test]
fn harmless_skills_written_before_the_rules_were_read_pass() {
    harmless_skills_pass(include_str!("skills/benign_twice.txt"));
}

#[test]
fn hostile_skills_of_one_short_trick_are_noticed() {
    hostile_skills_are_noticed(include_str!("skills/hostile_short.txt"));
}

#[test]
fn harmless_skills_beside_the_short_ones_pass() {
    harmless_skills_pass(include_str!("skills/benign_short.txt"));
}

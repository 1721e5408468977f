//! Characters that a reader does not see, where no script needs them.

use super::finding::{SkillFinding, SkillRisk, SkillSeverity};

/// Hidden characters in a row that carry a message.
const RUN: usize = 4;

/// Looks at the lines of a file as they are.
pub(super) fn find(file: &str, text: &str, findings: &mut Vec<SkillFinding>) {
    if text.is_ascii() {
        return;
    }
    for (index, line) in text.lines().enumerate() {
        if line.is_ascii() {
            continue;
        }
        if let Some((severity, what, sample)) = judge(line, index == 0) {
            findings.push(SkillFinding {
                pattern_id: "invisible_unicode",
                severity,
                category: SkillRisk::Injection,
                file: file.to_owned(),
                line: index + 1,
                matched: sample,
                description: what,
            });
        }
    }
}

fn judge(line: &str, first: bool) -> Option<(SkillSeverity, &'static str, String)> {
    let characters: Vec<char> = line.chars().collect();
    let mut worst: Option<(SkillSeverity, &'static str, String)> = None;
    let mut run = 0;
    let mut in_flag = false;
    for (at, &character) in characters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| characters[at]);
        let after = characters.get(at + 1).copied();
        in_flag = match character {
            '\u{1f3f4}' => true,
            '\u{e0020}'..='\u{e007f}' => in_flag,
            _ => false,
        };
        let hides = is_zero_width(character) || is_selector(character) || is_tag(character);
        run = if hides && !in_flag { run + 1 } else { 0 };
        let found = match character {
            '\u{202d}' | '\u{202e}' => Some((
                SkillSeverity::High,
                "The direction of the text is turned to hide what it says.",
            )),
            '\u{202a}' | '\u{202b}' | '\u{2066}'..='\u{2069}' => {
                Some((SkillSeverity::Medium, "Marks that turn the direction of text."))
            }
            _ if is_tag(character) && !in_flag => {
                Some((SkillSeverity::High, "Letters that no reader sees and a model may read."))
            }
            _ if run == RUN => Some((SkillSeverity::High, "Invisible characters carry a message.")),
            '\u{feff}' if first && at == 0 => None,
            _ if is_zero_width(character) && is_latin(before) && is_latin(after) => {
                let severity = match character {
                    '\u{ad}' => SkillSeverity::Medium,
                    _ => SkillSeverity::High,
                };
                Some((severity, "A word is split by a character that nobody sees."))
            }
            _ => None,
        };
        if let Some((severity, what)) = found
            && worst.as_ref().is_none_or(|(known, ..)| severity > *known)
        {
            worst = Some((severity, what, format!("U+{:04X}", u32::from(character))));
        }
    }
    worst
}

fn is_latin(character: Option<char>) -> bool {
    character.is_some_and(|character| character.is_ascii_alphanumeric())
}

fn is_zero_width(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{180e}' | '\u{3164}')
}

fn is_selector(character: char) -> bool {
    matches!(character, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

fn is_tag(character: char) -> bool {
    matches!(character, '\u{e0000}'..='\u{e007f}')
}

//! What a skill is for, and so what it may do that others may not.
//!
//! A skill for a tool tells how to install the tool; one for an agent's hooks writes them; one that looks for
//! attacks quotes them. What its author says about it is no proof: it makes a refusal a question, and no
//! finding disappears for it.

use super::document::{self, Layout};
use super::facts::SkillFacts;
use super::finding::{SkillFinding, SkillRisk, SkillSeverity};
use super::hosts;
use super::rules::is_official_installer;
use super::words::asks_to_run;

/// Weighs the findings of a file once more.
pub(super) fn weigh(path: &str, text: &str, facts: &SkillFacts, findings: &mut [SkillFinding]) {
    let is_heavy = |finding: &SkillFinding| finding.severity >= SkillSeverity::High;
    if !findings.iter().any(is_heavy) {
        return;
    }
    let lines: Vec<&str> = text.lines().collect();
    let is_manual =
        document::layout(path, lines.first().copied().unwrap_or_default()) == Layout::Prose;
    let is_reference = is_manual && !path.eq_ignore_ascii_case("SKILL.md");
    for finding in findings.iter_mut().filter(|finding| is_heavy(finding)) {
        // A command may go on over several lines.
        let at = finding.line.saturating_sub(1).min(lines.len());
        let around = lines[at.saturating_sub(2)..lines.len().min(at + 3)].join(" ");
        let line = match lines.get(at) {
            Some(line) if line.contains("://") => line,
            _ => around.as_str(),
        };
        match finding.pattern_id {
            "curl_pipe_shell" | "read_secrets_file" | "base64_decode_pipe" | "fork_bomb"
                if facts.is_about_attacks() && is_named(line, &finding.matched) =>
            {
                finding.severity = finding.severity.lowered(2);
            }
            "curl_pipe_shell" | "powershell_iex" | "download_run" => {
                // Manuals tell how their project wants to be installed; programs that do it are looked at.
                let official = |url: &str, _: &str| {
                    is_official_installer(url) || is_own_installer(url, &facts.words)
                };
                let released = |url: &str, _: &str| {
                    url.starts_with("https://example.com/")
                        || url.starts_with("https://github.com/") && url.contains("/releases/")
                };
                if is_manual && leads_only_to(line, official)
                    || is_reference && leads_only_to(line, released)
                {
                    finding.severity = SkillSeverity::Medium;
                } else if leads_only_to(line, |_, host| hosts::is_named_in(host, &facts.words)) {
                    finding.severity = SkillSeverity::High;
                } else if is_reference && facts.is_about_attacks() {
                    finding.severity = finding.severity.lowered(1);
                }
            }
            "agent_config_mod" | "other_agent_config" | "hermes_config_mod"
                if facts.is_about_agent_settings() =>
            {
                finding.severity = SkillSeverity::High;
            }
            "read_secrets_file" if line.contains("metadata.") && facts.is_about_clouds() => {
                finding.severity = SkillSeverity::High;
            }
            _ if facts.is_about_attacks() && document::is_example(path) => {
                finding.severity = SkillSeverity::Medium;
            }
            "nopasswd_sudo" | "suid_bit" | "setuid_setgid"
                if is_manual && is_advised_against(line) =>
            {
                finding.severity = finding.severity.lowered(1);
            }
            "bash_reverse_shell" | "reverse_shell"
                if is_manual && facts.is_about_attacks() && names_nobody(line) =>
            {
                finding.severity = finding.severity.lowered(1);
            }
            "remote_code" if is_manual && facts.is_about_attacks() => {
                finding.severity = finding.severity.lowered(1);
            }
            _ if finding.category == SkillRisk::Injection && facts.is_about_attacks() => {
                let shown =
                    is_cited(line, &finding.matched) || is_reference && is_fenced(&lines[..at]);
                finding.severity = match shown {
                    true => SkillSeverity::Medium,
                    false => SkillSeverity::High,
                };
            }
            _ if is_reference && facts.is_about_attacks() => {
                finding.severity = finding.severity.lowered(1);
            }
            _ => {}
        }
    }
}

/// Whether a line advises against what it names: `NOPASSWD: ALL is risky; avoid it`.
fn is_advised_against(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    ["risky", "avoid", "dangerous", "never", "do not", "don't"]
        .iter()
        .any(|word| line.contains(word))
}

/// `/dev/tcp/ATTACKER/PORT`: a shell to nobody.
fn names_nobody(line: &str) -> bool {
    let Some((_, rest)) = line.split_once("/dev/tcp/") else { return false };
    let host: String = rest.chars().take_while(|sign| !matches!(sign, '/' | ' ' | '`')).collect();
    !host.is_empty()
        && host.chars().all(|sign| sign.is_ascii_uppercase() || "_<>{}$".contains(sign))
}

/// Whether the lines before leave a block of code open.
fn is_fenced(before: &[&str]) -> bool {
    before.iter().filter(|line| line.trim_start().starts_with("```")).count() % 2 == 1
}

/// Whether a line has what was found between quotation marks or as code.
fn is_cited(line: &str, found: &str) -> bool {
    let start: String = found.chars().take(8).collect();
    line.find(start.as_str()).is_some_and(|at| {
        ['"', '`', '\u{201c}'].iter().any(|&quote| {
            let closes = if quote == '\u{201c}' { '\u{201d}' } else { quote };
            let before = line[..at].matches(quote).count();
            let open = if quote == closes { before % 2 == 1 } else { before > 0 };
            open && line[at..].contains(closes)
        })
    })
}

/// Whether an address below a shared host belongs to the project that the skill is named after.
fn is_own_installer(url: &str, words: &[String]) -> bool {
    ["https://raw.githubusercontent.com/", "https://github.com/"].iter().any(|shared| {
        url.strip_prefix(shared).is_some_and(|path| {
            let mut parts = path.split('/').take(2).map(str::to_ascii_lowercase);
            parts.any(|part| words.iter().any(|word| word.len() >= 3 && part == *word))
        })
    })
}

/// Whether a line of prose only names what was found: as inline code, without a word that asks to run it.
fn is_named(line: &str, found: &str) -> bool {
    let start: String = found.chars().take(8).collect();
    let before = line.find(start.as_str()).map_or("", |at| &line[..at]);
    before.matches('`').count() % 2 == 1 && !asks_to_run(before)
}

/// Whether a line has addresses, all of them encrypted, and each is one of those.
fn leads_only_to(line: &str, is_one: impl Fn(&str, &str) -> bool) -> bool {
    let destinations = hosts::destinations(line);
    let urls = || {
        line.match_indices("://").filter_map(|(at, _)| {
            let scheme =
                line[..at].rfind(|sign: char| !sign.is_ascii_alphabetic()).map_or(0, |at| at + 1);
            line.get(scheme..)
        })
    };
    !destinations.is_empty()
        && urls().count() == destinations.len()
        && destinations
            .iter()
            .zip(urls())
            .all(|(to, url)| to.encrypted && !hosts::is_address(&to.host) && is_one(url, &to.host))
}

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
    let is_reference = !path.eq_ignore_ascii_case("SKILL.md")
        && document::layout(path, lines.first().copied().unwrap_or_default()) == Layout::Prose;
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
                if is_reference && leads_only_to(line, |url, _| is_official_installer(url)) {
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
            _ if finding.category == SkillRisk::Injection && facts.is_about_attacks() => {
                finding.severity = SkillSeverity::High;
            }
            _ if is_reference && facts.is_about_attacks() => {
                finding.severity = finding.severity.lowered(1);
            }
            _ => {}
        }
    }
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

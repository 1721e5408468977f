//! What the analysis of shell text knows, as findings about a skill.
//!
//! [`crate::command`] reads commands as bash would: quotes inside words, variables, nested shells. Its
//! categories say what a command does; which of them matter in a skill, and how much, is said here.

use std::sync::LazyLock;

use regex::Regex;

use super::document::Language;
use super::finding::{MAX_MATCH_CHARS, SkillFinding, SkillRisk, SkillSeverity, shown};
use super::matcher::weigh;
use super::reading::{Reading, Region, Statement, StatementContext};
use super::rules::RuleKind;
use crate::command::{CommandContext, analyse};

/// Longer blocks are analysed piece by piece.
const MAX_BLOCK: usize = 16 * 1024;

/// Category of a command, rule, kind of harm, and weight.
const MEANING: &[(&str, &str, SkillRisk, SkillSeverity)] = {
    use SkillRisk::{
        Destructive, Exfiltration, Network, Obfuscation, PrivilegeEscalation, SupplyChain,
    };
    use SkillSeverity::{Critical, High, Medium};
    &[
        ("recursive delete of root", "destructive_root_rm", Destructive, Critical),
        ("recursive delete of system directory", "destructive_root_rm", Destructive, Critical),
        ("recursive delete of home", "destructive_home_rm", Destructive, Critical),
        ("format filesystem", "format_filesystem", Destructive, Critical),
        ("write to block device", "disk_overwrite", Destructive, Critical),
        ("fork bomb", "fork_bomb", Destructive, Critical),
        ("recursive permission change of system directory", "insecure_perms", Destructive, High),
        ("recursive chown to root", "insecure_perms", Destructive, Medium),
        ("overwrite system config", "system_overwrite", Destructive, Medium),
        ("remote content to shell", "curl_pipe_shell", SupplyChain, Critical),
        ("decoded content to shell", "base64_decode_pipe", Obfuscation, Critical),
        ("setuid permissions", "suid_bit", PrivilegeEscalation, Critical),
        ("container with host access", "container_escape", PrivilegeEscalation, Medium),
        ("upload of secrets", "read_secrets_file", Exfiltration, Medium),
        ("data in a name lookup", "dns_exfil", Network, High),
        ("Windows deletes", "destructive_root_rm", Destructive, Medium),
    ]
};

const DESCRIPTION: &str = "The command does what no skill should do.";

pub(super) fn find(file: &str, reading: &Reading, findings: &mut Vec<SkillFinding>) {
    for region in &reading.regions {
        if matches!(region.language, Language::Python | Language::Script | Language::Other) {
            for statement in &reading.statements[region.statements.clone()] {
                handed_over(file, reading, statement, findings);
            }
            continue;
        }
        if region.language != Language::Shell || !is_worth_it(reading, region) {
            continue;
        }
        let mut first = region.statements.start;
        while first < region.statements.end {
            let start = reading.statements[first].range.start;
            let mut last = first;
            while last + 1 < region.statements.end
                && reading.statements[last + 1].range.end - start <= MAX_BLOCK
            {
                last += 1;
            }
            block(file, reading, first..last + 1, findings);
            first = last + 1;
        }
    }
}

/// Inline code is mostly names; only what could be a command is analysed.
fn is_worth_it(reading: &Reading, region: &Region) -> bool {
    let text = reading.region_text(region);
    let has_words = text.contains([' ', '{', '$']);
    has_words
        && (region.place != StatementContext::Example || text.contains(['/', '~', '|', '$', ':']))
}

/// A machine like any other.
const AROUND: CommandContext<'static> = CommandContext {
    home: Some("/home/user"),
    hermes_home: Some("/home/user/.hermes"),
    user: Some("user"),
    cwd: Some("/home/user/work/team/project/skills/skill"),
    temp_dir: Some("/tmp"),
    shell: None,
    earlier: None,
};

#[expect(clippy::expect_used, reason = "the patterns are constants and every test runs them")]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("constant pattern")
}

/// Calls that run a command, up to their first argument.
static RUNS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?:\bos\.system|\bpopen2?|\bsubprocess\.\w+|\bexec(?:Sync|File|FileSync)?|\bspawn(?:Sync)?|\bsystem|\bshell_exec|\bpassthru|\bgetoutput|\bCommand::new|\bexec\.Command|\bcheck_output|\bexeca)\s*\(",
    )
});
static LITERAL: LazyLock<Regex> =
    LazyLock::new(|| regex(r#""((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|\x60([^\x60\n]*)\x60"#));

/// Text that a program hands to a shell, and lists of words that it runs.
fn handed_over(
    file: &str,
    reading: &Reading,
    statement: &Statement,
    findings: &mut Vec<SkillFinding>,
) {
    let text = &reading.text[statement.range.clone()];
    if text.len() > MAX_BLOCK {
        return;
    }
    let Some(run) = RUNS.find(text) else { return };
    let words: Vec<&str> = LITERAL
        .captures_iter(&text[run.end()..])
        .filter_map(|found| found.iter().skip(1).flatten().next())
        .map(|word| word.as_str())
        .collect();
    let first = words.first().copied().unwrap_or_default();
    let command = if first.contains(' ') { first.to_owned() } else { words.join(" ") };
    if !command.contains(' ') {
        return;
    }
    let at = statement.range.start + run.start();
    for found in analyse(&command, &AROUND).findings {
        let Some(&(_, id, risk, severity)) =
            MEANING.iter().find(|(category, ..)| *category == found.category)
        else {
            continue;
        };
        let severity = match id {
            "curl_pipe_shell" => fetched(&command),
            "base64_decode_pipe" if !DECODES.is_match(&command) => continue,
            _ => severity,
        };
        findings.push(SkillFinding {
            pattern_id: id,
            severity: weigh(RuleKind::Command, severity, reading, statement, &(at..at)),
            category: risk,
            file: file.to_owned(),
            line: reading.line_at(at),
            matched: shown(&command, MAX_MATCH_CHARS),
            description: DESCRIPTION,
        });
    }
}

fn block(
    file: &str,
    reading: &Reading,
    statements: std::ops::Range<usize>,
    findings: &mut Vec<SkillFinding>,
) {
    let range = reading.statements[statements.start].range.start
        ..reading.statements[statements.end - 1].range.end;
    let text = &reading.text[range.clone()];
    for found in analyse(text, &AROUND).findings {
        let Some(&(_, id, risk, severity)) =
            MEANING.iter().find(|(category, ..)| *category == found.category)
        else {
            continue;
        };
        let at = range.start + place_of(text, &found.words);
        let index = reading.statements.partition_point(|statement| statement.range.end <= at);
        let statement = &reading.statements[index.min(reading.statements.len() - 1)];
        let line_text = &reading.text[statement.range.clone()];
        let severity = match id {
            "curl_pipe_shell" => fetched(line_text),
            "base64_decode_pipe" if !DECODES.is_match(line_text) => continue,
            _ => severity,
        };
        findings.push(SkillFinding {
            pattern_id: id,
            severity: weigh(RuleKind::Command, severity, reading, statement, &(at..at)),
            category: risk,
            file: file.to_owned(),
            line: reading.line_at(at),
            matched: shown(&found.words, MAX_MATCH_CHARS),
            description: DESCRIPTION,
        });
    }
}

/// Where the words of a finding stand; they may be put together from several places.
fn place_of(text: &str, words: &str) -> usize {
    let words = words.trim_end_matches('…');
    text.find(words)
        .or_else(|| words.split_whitespace().next().and_then(|word| text.find(word)))
        .unwrap_or(0)
}

static FETCHES: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(https?://[^\s'\x22|)]+)[^\n]*(?:\||\))"));

/// Programs that make text readable again.
static DECODES: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"base64|base32|xxd|openssl|\brev\b|gunzip|zcat|uudecode|\\x[0-9a-f]|\btr\b|gpg")
});

/// How much it weighs that fetched code is run. Well-known installers are recommended by their makers;
/// what was fetched in an earlier line could be looked at in between.
fn fetched(line: &str) -> SkillSeverity {
    let mut urls = FETCHES.captures_iter(line).filter_map(|found| found.get(1)).peekable();
    if urls.peek().is_none() {
        // A shell whose name is not written out is hidden.
        let is_hidden = !line.contains("sh") && !line.contains("python") && line.contains('$');
        return if is_hidden || line.contains("curl") || line.contains("wget") {
            SkillSeverity::Critical
        } else {
            SkillSeverity::Medium
        };
    }
    if urls.all(|url| super::rules::is_well_known_installer(url.as_str())) {
        SkillSeverity::High
    } else {
        SkillSeverity::Critical
    }
}

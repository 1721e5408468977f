//! Commands that hand files or output to another machine.
//!
//! What is sent can be anything: a pipe, a file, a variable. So what counts is where it goes. To the machine
//! itself, to a vendor everybody knows or to the service that the skill is named after it may go, unless
//! it is plainly a secret. It does not matter whether the command stands in a block or in a sentence:
//! agents run both.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::document::Language;
use super::facts::SkillFacts;
use super::finding::{MAX_MATCH_CHARS, SkillFinding, SkillRisk, SkillSeverity, shown};
use super::hosts;
use super::reading::{Reading, Statement, StatementContext};
use super::words::warns;

/// How much of a sentence before a command is read.
const LOOK_BACK: usize = 300;
/// Longer commands are not looked at.
const MAX_COMMAND: usize = 2048;

#[expect(clippy::expect_used, reason = "the patterns are constants and every test runs them")]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("constant pattern")
}

/// A request whose body comes from a file, a pipe or another command.
static UPLOADS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"\b(?:curl|wget|xh|https?)\b[^\n;]*?(?:\s-\w*T\s*[-\w./~$"'{]|--upload-file|--post-file|--post-data[= ]\s*["']?[^\n"']*\$\(|--body-file|\s-\w*[dF]\s*["']?[\w.-]*=?@|--(?:data|form)[\w-]*[= ]\s*["']?[\w.-]*=?@|\s-\w*d\s*["'][^"'\n]*\$\(|<\s*[~/$]|[?&][\w-]+=\$\(|https?://\S*\(\s*(?:history|env|printenv|cat|base64|tar|whoami|id|hostname|git)\b)|\|\s*(?:nc|ncat|netcat)\s+\S+\s+\d+"#,
    )
});
/// What is sent under the name of the one who sends.
static LOGIN: LazyLock<Regex> = LazyLock::new(|| {
    regex(r#"\s(?:-H|--header|-u|--user|-b|--cookie)[= ]\s*(?:"[^"\n]*"|'[^'\n]*'|\S+)"#)
});
/// Signs that what is sent is a secret.
static SECRET: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)\.netrc|\.pgpass|\.my\.cnf|\.ssh\b|\.aws\b|\.gnupg|\.kube\b|\.env\b|\.npmrc|private\.key|master\.key|\.pem\b|id_rsa|id_ed25519|_?(?:token|secret|password|passphrase|api_?key)\w*\b|get-secret-value|terraform state pull|terraform\.tfstate|kubectl get secrets?\b|create-access-key|get-login-password|print-access-token|\bcredentials\b|(?:^|[\s(|;&])(?:env|printenv|export -p|history)\b|/etc/(?:shadow|passwd|letsencrypt|ssl|wireguard)|no-redact|\b(?:pg_dump\w*|mysqldump|mongodump)\b|keychain|wallet|\bcookies?\b|_history\b",
    )
});

pub(super) fn find(
    file: &str,
    reading: &Reading,
    facts: &SkillFacts,
    findings: &mut Vec<SkillFinding>,
) {
    for statement in &reading.statements {
        match statement.place {
            StatementContext::Code | StatementContext::Described | StatementContext::Hidden
                if statement.language == Language::Shell =>
            {
                judge(file, reading, facts, statement.range.clone(), findings);
            }
            // A command in disguise needs no context.
            StatementContext::Decoded => {
                judge(file, reading, facts, statement.range.clone(), findings);
            }
            StatementContext::Prose => in_prose(file, reading, facts, statement, findings),
            _ => {}
        }
    }
}

/// Commands within a sentence, unless it warns of them.
fn in_prose(
    file: &str,
    reading: &Reading,
    facts: &SkillFacts,
    statement: &Statement,
    findings: &mut Vec<SkillFinding>,
) {
    let first = reading.inline.partition_point(|code| code.start < statement.range.start);
    for code in reading.inline[first..].iter().take_while(|code| code.end <= statement.range.end) {
        let from = statement.range.start.max(code.start.saturating_sub(LOOK_BACK));
        let before = &reading.text[reading.text.ceil_char_boundary(from)..code.start];
        let from = [". ", "! ", "? "].iter().filter_map(|end| before.rfind(end)).max();
        if reaches_out(&reading.text[code.clone()])
            && !warns(&before[from.map_or(0, |from| from + 2)..])
            && !facts.is_about_attacks()
        {
            judge(file, reading, facts, code.clone(), findings);
        }
    }
}

/// Whether a command may lead to another machine, at a glance.
fn reaches_out(command: &str) -> bool {
    command.contains("://") || command.contains("nc ") || command.contains("ncat ")
}

fn judge(
    file: &str,
    reading: &Reading,
    facts: &SkillFacts,
    range: Range<usize>,
    findings: &mut Vec<SkillFinding>,
) {
    let command = &reading.text[range.clone()];
    // An element of a page names addresses and sends nothing.
    if command.len() > MAX_COMMAND
        || command.trim_start().starts_with('<')
        || !reaches_out(command)
        || !UPLOADS.is_match(command)
    {
        return;
    }
    let secret = SECRET.is_match(&LOGIN.replace_all(command, ""));
    let stranger = hosts::destinations(command).into_iter().find(|to| {
        let host = to.host.as_str();
        let known = hosts::is_vendor(host) && !hosts::is_drop(host)
            || hosts::is_named_in(host, &facts.words) && to.encrypted && !secret;
        !hosts::is_loopback(host)
            && !hosts::is_private(host)
            && !hosts::is_placeholder(host)
            && !known
    });
    let netcat = command.contains("| nc ") || command.contains("| ncat ");
    if stranger.is_none() && !netcat {
        return;
    }
    findings.push(SkillFinding {
        pattern_id: "upload_to_stranger",
        severity: SkillSeverity::High,
        category: SkillRisk::Exfiltration,
        file: file.to_owned(),
        line: reading.line_at(range.start),
        matched: shown(command, MAX_MATCH_CHARS),
        description: "Files or output go to a machine that has nothing to do with the skill.",
    });
}

//! Secrets that somebody left in the skill itself.

use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};

use super::finding::{SkillFinding, SkillRisk, SkillSeverity};
use super::reading::{Reading, StatementContext};
use crate::redact::made_of_words;

/// A token's shape, and the rule it belongs to.
struct Shape {
    id: &'static str,
    pattern: &'static str,
}

/// The secret itself is the last group that matched.
const SHAPES: &[Shape] = &[
    Shape {
        id: "github_token_leaked",
        pattern: r"\b((?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,}))",
    },
    Shape { id: "anthropic_key_leaked", pattern: r"\b(sk-ant-[A-Za-z0-9_-]{20,})" },
    Shape {
        id: "openai_key_leaked",
        pattern: r"\b(sk-(?:proj-|svcacct-|admin-)[A-Za-z0-9_-]{20,}|sk-[A-Za-z0-9]{32,})",
    },
    Shape { id: "aws_access_key_leaked", pattern: r"\b((?:AKIA|ASIA)[A-Z0-9]{16})\b" },
    Shape {
        id: "vendor_token_leaked",
        pattern: r"\b(AIza[A-Za-z0-9_-]{35}|xox[abprs]-[0-9]{6,}-[A-Za-z0-9-]{10,}|xapp-1-[A-Za-z0-9-]{20,}|hf_[A-Za-z0-9]{30,}|glpat-[A-Za-z0-9_-]{20,}|sk_live_[A-Za-z0-9]{20,}|rk_live_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,}|dop_v1_[a-f0-9]{60,}|SG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,})",
    },
    Shape {
        id: "embedded_private_key",
        pattern: r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\n|\\r|[\x22',+])*(?:Proc-Type:[^\n]{0,120}?)?([A-Za-z0-9+/=]{24,})",
    },
    Shape {
        id: "hardcoded_secret",
        pattern: r"(?i)(?:api[_-]?key|apikey|token|secret|passw(?:or)?d|access[_-]?key)[\w-]{0,20}[\x22']?\s{0,4}[:=]\s{0,4}[\x22']([A-Za-z0-9+/=_.~-]{20,200})[\x22']",
    },
];

#[expect(clippy::expect_used, reason = "the patterns are constants and every test runs them")]
static COMPILED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let compile =
        |shape: &Shape| Regex::new(&format!("(?-u){}", shape.pattern)).expect("constant pattern");
    SHAPES.iter().map(compile).collect()
});

/// What every shape has one of; without it no pattern is tried.
const SIGNS: &[&[&str]] = &[
    &["gh", "github_pat_"],
    &["sk-ant-"],
    &["sk-"],
    &["AKIA", "ASIA"],
    &["AIza", "xox", "xapp-", "hf_", "glpat-", "k_live_", "npm_", "pypi-", "dop_v1_", "SG.", "eyJ"],
    &["PRIVATE KEY"],
    &[
        "key", "Key", "KEY", "token", "Token", "TOKEN", "secret", "Secret", "SECRET", "passw",
        "Passw", "PASSW",
    ],
];

pub(super) fn find(file: &str, reading: &Reading, findings: &mut Vec<SkillFinding>) {
    let text = reading.text.as_bytes();
    for (index, shape) in SHAPES.iter().enumerate() {
        let has = |sign: &&str| memchr::memmem::find(text, sign.as_bytes()).is_some();
        if !SIGNS[index].iter().any(has) {
            continue;
        }
        for found in COMPILED[index].captures_iter(text) {
            let Some(secret) = secret(&found) else { continue };
            if looks_made_up(shape.id, &secret) {
                continue;
            }
            let at = found.get(0).map_or(0, |whole| whole.start());
            let is_example = reading
                .statements
                .get(reading.statements.partition_point(|statement| statement.range.end <= at))
                .is_some_and(|statement| {
                    statement.place == StatementContext::Example && reading.inline.is_empty()
                });
            findings.push(SkillFinding {
                pattern_id: shape.id,
                severity: if is_example { SkillSeverity::Medium } else { SkillSeverity::Critical },
                category: SkillRisk::CredentialExposure,
                file: file.to_owned(),
                line: reading.line_at(at),
                matched: masked(&secret),
                description: "The skill holds what looks like a real secret.",
            });
        }
    }
}

fn secret(found: &Captures<'_>) -> Option<String> {
    let group = found.get(found.len() - 1)?;
    Some(String::from_utf8_lossy(group.as_bytes()).into_owned())
}

/// The beginning is enough to find it, and too little to use it.
fn masked(secret: &str) -> String {
    let kept: String = secret.chars().take(6).collect();
    format!("{kept}…")
}

/// Placeholders, samples, and names that people chose.
fn looks_made_up(id: &str, secret: &str) -> bool {
    const WORDS: &[&str] = &[
        "your",
        "example",
        "here",
        "xxx",
        "test",
        "placeholder",
        "dummy",
        "sample",
        "fake",
        "changeme",
        "redacted",
        "1234567",
        "abcdef",
        "insert",
        "replace",
        "mock",
        "secret",
        "password",
        "token",
        "demo",
        "000000",
        "aaaa",
        "....",
        "----",
        "abc123",
        "foobar",
        "key-",
    ];
    let lower = secret.to_ascii_lowercase();
    if id == "embedded_private_key" {
        return ["your", "example", "xxxx", "redacted"].iter().any(|word| lower.contains(word));
    }
    // A1B2C3D4…, as people type when they mean something random.
    if lower.contains("a1b2c3") {
        return true;
    }
    let body = lower.trim_start_matches("sk-").trim_start_matches("github_pat_");
    if WORDS.iter().any(|word| body.contains(word)) {
        return true;
    }
    let distinct = {
        let mut seen = [false; 256];
        secret.bytes().for_each(|byte| seen[usize::from(byte)] = true);
        seen.iter().filter(|seen| **seen).count()
    };
    if distinct < 8 {
        return true;
    }
    if id != "hardcoded_secret" {
        return false;
    }
    let digits = secret.bytes().filter(u8::is_ascii_digit).count();
    let upper = secret.bytes().filter(u8::is_ascii_uppercase).count();
    let small = secret.bytes().filter(u8::is_ascii_lowercase).count();
    let is_uuid = secret.len() == 36 && secret.bytes().filter(|&byte| byte == b'-').count() == 4;
    digits < 2
        || small < 3
        || upper == 0 && digits * 6 < secret.len()
        || is_uuid
        || made_of_words(secret)
        || secret.contains("/") && secret.matches(['/', '.', '-']).count() > 2
}

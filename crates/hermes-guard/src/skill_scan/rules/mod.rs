//! The rules that are patterns, one family per file.
//!
//! A rule names *anchors*, words without which it cannot match. One automaton looks for the anchors of
//! all rules at once; only where one is found, the pattern of its rule is tried, on that statement
//! alone. Patterns have no look-around and no back-references: they are matched in linear time.
//!
//! Shorthands in patterns: a blank is any run of blanks; in instructions `~` is up to six words of
//! filler within a sentence; in commands `@` is the place where a command begins, `<home>` the home
//! folder in any spelling, `<net>` a program or call that sends, `<sys>` a folder of the system.

mod accounts;
mod channels;
mod conduct;
mod deception;
mod destructive;
mod environment;
mod execution;
mod hidden;
mod injection;
mod network;
mod obfuscation;
mod other_languages;
mod persistence;
mod privilege;
mod side_doors;
mod stores;
mod supply;
mod tampering;
mod traversal;

use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::bytes::Regex;

use super::finding::{SkillRisk, SkillSeverity};
use super::reading::StatementContext;

/// What a rule is about, which decides how the place of a match counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleKind {
    /// Something that is run. One level lower in prose, two where it is only shown.
    Command,
    /// Something that is said. One level lower where it is only quoted.
    Instruction,
    /// The same everywhere.
    Fixed,
}

pub(super) struct ScanRule {
    pub(super) id: &'static str,
    pub(super) risk: SkillRisk,
    pub(super) severity: SkillSeverity,
    pub(super) kind: RuleKind,
    /// One of these is in every match, in lower case.
    pub(super) anchors: &'static [&'static str],
    pattern: &'static str,
    /// Statements that match this are left alone.
    unless: &'static str,
    /// How many statements behind the one with the anchor belong to it.
    pub(super) reach: usize,
    /// One of these is in every match as well: asked before the pattern, where the anchors are everyday words.
    also: &'static [&'static str],
    /// Where it counts, when not everywhere.
    pub(super) only: Option<StatementContext>,
    pub(super) about: &'static str,
}

impl ScanRule {
    const fn new(
        kind: RuleKind,
        (id, risk, severity): (&'static str, SkillRisk, SkillSeverity),
        anchors: &'static [&'static str],
        pattern: &'static str,
        about: &'static str,
    ) -> Self {
        Self {
            id,
            risk,
            severity,
            kind,
            anchors,
            pattern,
            unless: "",
            reach: 0,
            also: &[],
            only: None,
            about,
        }
    }

    const fn unless(self, pattern: &'static str) -> Self {
        Self { unless: pattern, ..self }
    }

    const fn also(self, words: &'static [&'static str]) -> Self {
        Self { also: words, ..self }
    }

    const fn only(self, place: StatementContext) -> Self {
        Self { only: Some(place), ..self }
    }

    const fn reaching(self, statements: usize) -> Self {
        Self { reach: statements, ..self }
    }
}

const fn command(
    head: (&'static str, SkillRisk, SkillSeverity),
    anchors: &'static [&'static str],
    pattern: &'static str,
    about: &'static str,
) -> ScanRule {
    ScanRule::new(RuleKind::Command, head, anchors, pattern, about)
}

const fn instruction(
    head: (&'static str, SkillRisk, SkillSeverity),
    anchors: &'static [&'static str],
    pattern: &'static str,
    about: &'static str,
) -> ScanRule {
    ScanRule::new(RuleKind::Instruction, head, anchors, pattern, about)
}

const fn fixed(
    head: (&'static str, SkillRisk, SkillSeverity),
    anchors: &'static [&'static str],
    pattern: &'static str,
    about: &'static str,
) -> ScanRule {
    ScanRule::new(RuleKind::Fixed, head, anchors, pattern, about)
}

const FAMILIES: &[&[ScanRule]] = &[
    accounts::RULES,
    channels::RULES,
    conduct::RULES,
    deception::RULES,
    destructive::RULES,
    environment::RULES,
    execution::RULES,
    hidden::RULES,
    injection::RULES,
    network::RULES,
    obfuscation::RULES,
    other_languages::RULES,
    persistence::RULES,
    privilege::RULES,
    side_doors::RULES,
    stores::RULES,
    supply::RULES,
    tampering::RULES,
    traversal::RULES,
];

/// A rule with its patterns, compiled when first needed.
pub(super) struct CompiledRule {
    pub(super) rule: &'static ScanRule,
    pattern: OnceLock<Regex>,
    unless: OnceLock<Regex>,
    also: OnceLock<AhoCorasick>,
}

impl CompiledRule {
    pub(super) fn pattern(&self) -> &Regex {
        self.pattern.get_or_init(|| compile(self.rule.pattern, self.rule.kind))
    }

    /// Whether a text has what every match has.
    #[expect(clippy::expect_used, reason = "the words are constants and a test compiles them all")]
    pub(super) fn may_match(&self, text: &[u8]) -> bool {
        self.rule.also.is_empty()
            || self
                .also
                .get_or_init(|| {
                    AhoCorasick::builder()
                        .ascii_case_insensitive(true)
                        .build(self.rule.also)
                        .expect("constant words")
                })
                .is_match(text)
    }

    pub(super) fn unless(&self) -> Option<&Regex> {
        (!self.rule.unless.is_empty())
            .then(|| self.unless.get_or_init(|| compile(self.rule.unless, self.rule.kind)))
    }
}

pub(super) static RULES: LazyLock<Vec<CompiledRule>> = LazyLock::new(|| {
    FAMILIES
        .iter()
        .flat_map(|family| family.iter())
        .map(|rule| CompiledRule {
            rule,
            pattern: OnceLock::new(),
            unless: OnceLock::new(),
            also: OnceLock::new(),
        })
        .collect()
});

/// Whether a project recommends to run what is behind this address.
pub(super) fn is_well_known_installer(url: &str) -> bool {
    static KNOWN: LazyLock<Regex> =
        LazyLock::new(|| compile(&format!("^{}", supply::WELL_KNOWN), RuleKind::Fixed));
    KNOWN.is_match(url.as_bytes())
}

/// The same for addresses below which only the project itself puts things.
pub(super) fn is_official_installer(url: &str) -> bool {
    let shared =
        ["https://raw.githubusercontent.com/", "https://github.com/", "https://example.com"];
    // Projects that keep their installer there.
    let projects = ["Homebrew/install/", "nvm-sh/nvm/", "ohmyzsh/ohmyzsh/", "helm/helm/", "pyenv/"];
    let own = url
        .strip_prefix(shared[0])
        .is_some_and(|path| projects.iter().any(|project| path.starts_with(project)));
    own || is_well_known_installer(url) && !shared.iter().any(|shared| url.starts_with(shared))
}

const FILLER: &str = r"(?:\S*[^\s.!?;]\s+){0,6}?";
const BEGINS: &str = r#"(?:^|[|;&({"'\x60\n]\s*|\$\(\s*|<\(\s*|\b(?:sudo|doas|env|nohup|xargs|exec|time|then|do|else|run|runs|execute|invoke|type|command|with|using|-c|-exec|RUN)\s+["'\x60]?)(?:sudo (?:-\w+ )*)?(?:/(?:usr/)?(?:local/)?s?bin/)?"#;
const HOME: &str = r#"(?:~[a-z]*|\$\{?HOME\}?|%USERPROFILE%|\$env:USERPROFILE|/root|/(?:home|Users)/[\w.$*{}-]+|expanduser\(["']~|homedir\(\)|Path\.home\(\)|(?:environ|env)\W{1,3}HOME\W{1,3}|Dir\.home|user_home|home_dir\(\))["'\x60)\s,/+]*"#;
const NET: &str = r"(?:curl|wget|https?://|\bnc\b|ncat|netcat|socat|scp\b|rsync\b|sftp\b|requests\.(?:post|put|get|request)|httpx|urlopen|urllib|fetch\(|axios|invoke-webrequest|invoke-restmethod|\biwr\b|\birm\b|net::http|sendmail|smtplib|http\.client|\.post\(|transfer\.sh)";
const SYSTEM: &str = r"(?:/(?:etc|usr|bin|sbin|lib|lib64|boot|var|opt|root|home|sys|proc|dev|System|Library|Applications|Users)?/?\*?(?:[\s;&|)'\x60]|$)|C:\\+(?:\*|Windows)?(?:[\s;&|)'\x60]|$))";

#[expect(clippy::expect_used, reason = "the patterns are constants and a test compiles them all")]
fn compile(pattern: &str, kind: RuleKind) -> Regex {
    let spaced = pattern.replace(" ?", r"\s*").replace(' ', r"\s+");
    let written = match kind {
        RuleKind::Instruction => {
            let said = spaced.replace('~', FILLER).replace(r"\s+", r"[\s,_-]+");
            said.replace(r"\W+", r"[\W_]+").replace("<at>", "@")
        }
        RuleKind::Command | RuleKind::Fixed => {
            spaced.replace('@', &BEGINS.replace(' ', r"\s+")).replace("<at>", "@")
        }
    };
    let written = written.replace("<home>", HOME).replace("<net>", NET).replace("<sys>", SYSTEM);
    let flags = if written.is_ascii() { "(?i-u)" } else { "(?i)" };
    Regex::new(&format!("{flags}{written}")).expect("constant pattern")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_needs_its_anchors() {
        for compiled in RULES.iter() {
            let rule = compiled.rule;
            assert!(!rule.anchors.is_empty(), "{}", rule.id);
            assert!(!compiled.pattern().is_match(b""), "{} matches nothing at all", rule.id);
            compiled.unless();
            compiled.may_match(b"");
            for anchor in rule.anchors {
                assert!(anchor.len() >= 2, "{}: {anchor:?} is too short", rule.id);
                assert_eq!(*anchor, anchor.to_lowercase(), "{}", rule.id);
            }
        }
    }
}

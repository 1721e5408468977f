//! Secrets on their way to the network.
//!
//! Followed by name, in the order of the text: a variable that gets a secret is one itself, so is a
//! function that returns one; a name that gets an address leads there. A call that sends, with a secret
//! in it, is judged by whom the secret belongs to and where the call leads.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::document::Language;
use super::facts::SkillFacts;
use super::finding::{MAX_MATCH_CHARS, SkillFinding, SkillRisk, SkillSeverity, shown};
use super::hosts::{self, Destination};
use super::matcher::weigh;
use super::reading::{Reading, Statement, StatementContext};
use super::rules::RuleKind;

/// Names that are followed in one file.
const MAX_NAMES: usize = 2000;
/// Longer statements are data.
const MAX_STATEMENT: usize = 8 * 1024;
/// Stands for every variable at once.
const WHOLE_ENVIRONMENT: &str = "*";

#[expect(clippy::expect_used, reason = "the patterns are constants and every test runs them")]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("constant pattern")
}

/// A variable that is read, in the first group that matched.
static READS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"\$\{?([A-Z][A-Z0-9_]{2,})|\$env:([A-Z][A-Z0-9_]{2,})|%([A-Z][A-Z0-9_]{2,})%|(?i:environ|getenv|\benv|\$_env|\$_server|env_var|env::var|environment\w*)(?:\.get|\.fetch|\.Get|variable)?\W{1,4}["'\x60]([A-Z][A-Z0-9_]{2,})["'\x60]|(?:process|import\.meta|Bun)\.env\.([A-Z][A-Z0-9_]{2,})"#,
    )
});
static WHOLE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:os\.)?environ\s*(?:[,)}]|\.items|\.values|$)|\bprocess\.env\s*(?:[,);}]|$)|\bENV\.to_h|\$_ENV\s*[,)]|\bos\.Environ\(\)|\bSystem\.getenv\(\)",
    )
});
static ASSIGNS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"^\s*(?:export\s+|const\s+|let\s+|var\s+|local\s+|readonly\s+|final\s+|auto\s+|my\s+)?(?:self\.|this\.|@)?\$?([A-Za-z_][\w.]*)(?:\[[^\]]*\])?(?:\s*:\s*[\w\[\], .|]+)?\s*(?::|\+|\?)?=\s*([^=].*)$"#,
    )
});
/// `const { a, ...rest } = value`, which names several things at once.
static TAKES_APART: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\s*(?:const|let|var)\s*[{\[]([^}\]=]*)[}\]]\s*=\s*\S"));
/// The name of a function that begins here.
static DEFINES: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^\s*(?:export\s+)?(?:async\s+)?(?:def|function|func|fn)\s+([A-Za-z_]\w*)|^\s*(?:export\s+)?(?:const|let)\s+([A-Za-z_]\w*)\s*=\s*(?:async\s*)?\([^)]*\)\s*=>|^\s*([a-z_]\w*)\s*\(\)\s*\{",
    )
});
pub(super) static SENDS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?:^|[^\w.-])(?:curl|wget|xh|https?)\s+[^=]|\bfetch\s*\(|\baxios\b|\bgot\(|\bsuperagent\b|\brequests\.\w+\(|\bhttpx\.\w+\(|\baiohttp\b|\burlopen\(|\burlretrieve\(|\bhttp\.client\b|\bHTTPS?Connection\(|\bsendmail\(|\bsend_message\(|\bNet::HTTP|\bHTTParty|\bFaraday|\bRestClient|\bURI\.open|\bfile_get_contents\(|\bcurl_(?:setopt|exec)|\bhttp\.(?:Post|Get|NewRequest|PostForm|request)\(|\bhttps\.(?:request|get|post)\(|\breqwest\b|(?i:invoke-webrequest|invoke-restmethod|\biwr\b|\birm\b)|(?:^|[|;&]\s*)(?:nc|ncat|netcat|scp|rsync|sftp|ftp)\s|\bWebSocket\(|\bsendBeacon\(|\bXMLHttpRequest\b|\.src\s*=|\blocation(?:\.href)?\s*=|window\.open\(|https?://[^\s"'\x60]*\?[^\s"'\x60]*["'\x60]\s*[+.]|https?://[^\s"'\x60]*\$\{process|\b\w*(?:session|client|http|conn|sock|api|req|ws|request)\w*\.(?:post|put|get|patch|request|send|write|sendall|sendto|end|open)\("#,
    )
});
static WORD: LazyLock<Regex> = LazyLock::new(|| regex(r"[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)*"));
/// The secret takes the place where a service expects its key.
static AS_KEY: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?i)authorization|bearer|x-api-key|x-auth|api[-_]?key|apikey|[?&"'\s]key["']?\s*[:=]|token["']?\s*[:=]|--user\b|\s-u\s|auth\s*=|headers\s*="#,
    )
});
static COMPUTED: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"b64decode|base64|fromhex|unhexlify|atob\(|fromCharCode|\bchr\(|\[::-1\]|\.reverse\(|rot_?13|\bxxd\b|\brev\b",
    )
});

pub(super) fn find(
    file: &str,
    reading: &Reading,
    facts: &SkillFacts,
    findings: &mut Vec<SkillFinding>,
) {
    let signs =
        ["KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "environ", "process.env", "_PAT", "ENV"];
    if !signs.iter().any(|sign| reading.text.contains(sign)) {
        return;
    }
    let mut names = Names::default();
    // Twice, because functions may stand behind the code that calls them.
    for pass in [Pass::Learn, Pass::Judge] {
        for region in &reading.regions {
            names.function = None;
            for statement in &reading.statements[region.statements.clone()] {
                let text = &reading.text[statement.range.clone()];
                if text.len() > MAX_STATEMENT {
                    continue;
                }
                let secrets = names.secrets_in(text, region.language);
                if pass == Pass::Judge && !secrets.is_empty() && SENDS.is_match(text) {
                    let leads = names.leads_to(value_of(text));
                    judge(file, reading, statement, facts, &secrets, &leads, findings);
                }
                names.learn(text, &secrets);
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Learn,
    Judge,
}

/// What is known of names.
#[derive(Default)]
struct Names {
    secrets: BTreeMap<String, BTreeSet<String>>,
    destinations: BTreeMap<String, Vec<Destination>>,
    computed: BTreeSet<String>,
    function: Option<String>,
    /// Names that were given a value inside the function.
    locals: Vec<String>,
}

/// Where a call leads.
struct Leads {
    destinations: Vec<Destination>,
    computed: bool,
}

impl Names {
    /// The variables whose values are in a statement.
    fn secrets_in(&self, text: &str, language: Language) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let text = value_of(text);
        let is_shell = matches!(language, Language::Shell | Language::Data | Language::Other);
        for read in READS.captures_iter(text) {
            // In a template `${NAME}` is a name of the program, not of the environment.
            if let Some(name) = read.iter().skip(if is_shell { 1 } else { 2 }).flatten().next()
                && is_secret(name.as_str())
            {
                found.insert(name.as_str().to_owned());
            }
        }
        if WHOLE.is_match(text) {
            found.insert(WHOLE_ENVIRONMENT.to_owned());
        }
        if !self.secrets.is_empty() {
            for word in WORD.find_iter(text) {
                for name in spellings(word.as_str()) {
                    if let Some(secrets) = self.secrets.get(name) {
                        found.extend(secrets.iter().cloned());
                    }
                }
            }
        }
        found
    }

    fn leads_to(&self, text: &str) -> Leads {
        let mut destinations = hosts::destinations(text);
        let mut computed = COMPUTED.is_match(text) && destinations.is_empty();
        for word in WORD.find_iter(text) {
            for name in spellings(word.as_str()) {
                if let Some(known) = self.destinations.get(name) {
                    destinations.extend(known.iter().cloned());
                }
                computed |= destinations.is_empty() && self.computed.contains(name);
            }
        }
        Leads { destinations, computed }
    }

    fn forget(&mut self, name: &str) {
        self.secrets.remove(name);
        self.destinations.remove(name);
        self.computed.remove(name);
    }

    fn learn(&mut self, text: &str, secrets: &BTreeSet<String>) {
        if let Some(defined) = DEFINES.captures(text) {
            for name in std::mem::take(&mut self.locals) {
                self.forget(&name);
            }
            self.function =
                defined.iter().skip(1).flatten().next().map(|name| name.as_str().to_owned());
        }
        if self.secrets.len() + self.destinations.len() > MAX_NAMES {
            return;
        }
        let returns = text.trim_start().starts_with("return");
        if let Some(function) = self.function.clone().filter(|_| returns) {
            if !secrets.is_empty() {
                self.secrets.entry(function).or_default().extend(secrets.iter().cloned());
            }
            return;
        }
        if let Some(taken) = TAKES_APART.captures(text) {
            let names = taken.get(1).map_or("", |names| names.as_str());
            for name in WORD.find_iter(names).filter(|_| !secrets.is_empty()) {
                let known = self.secrets.entry(name.as_str().to_owned()).or_default();
                known.extend(secrets.iter().cloned());
            }
            return;
        }
        let Some(assigned) = ASSIGNS.captures(text) else { return };
        let (Some(name), Some(value)) = (assigned.get(1), assigned.get(2)) else { return };
        // What a call answers is not what it was given.
        let makes_client = ["Client(", "Session(", "create(", "Connection("];
        let is_answer = SENDS.is_match(value.as_str())
            && !makes_client.iter().any(|maker| value.as_str().contains(maker));
        let is_whole = !text[..value.start()].contains(['[', '+']);
        let is_own = text.contains("self.") || text.contains("this.");
        let name = name.as_str().to_owned();
        let leads = self.leads_to(value.as_str());
        if is_whole {
            self.forget(&name);
        }
        if self.function.is_some() && !is_own {
            self.locals.push(name.clone());
        }
        if is_answer {
            return;
        }
        if !leads.destinations.is_empty() {
            self.destinations.insert(name.clone(), leads.destinations);
        } else if leads.computed {
            self.computed.insert(name.clone());
        }
        if !secrets.is_empty() {
            self.secrets.entry(name).or_default().extend(secrets.iter().cloned());
        }
    }
}

/// What stands behind an assignment, or everything: the name that gets an answer leads nowhere.
fn value_of(text: &str) -> &str {
    ASSIGNS.captures(text).and_then(|assigned| assigned.get(2)).map_or(text, |value| value.as_str())
}

/// A dotted name, and its parts that may be known: `self.key`, `client.post`.
fn spellings(word: &str) -> impl Iterator<Item = &str> {
    let without_self =
        word.strip_prefix("self.").or_else(|| word.strip_prefix("this.")).unwrap_or(word);
    let first = without_self.split('.').next().unwrap_or(without_self);
    let whole = (first != without_self).then_some(without_self);
    std::iter::once(first).chain(whole)
}

/// Variables that hold secrets, by their last words.
fn is_secret(name: &str) -> bool {
    let last = name
        .trim_end_matches(|end: char| end == '_' || end.is_ascii_digit())
        .rsplit('_')
        .next()
        .unwrap_or(name);
    let ends = [
        "KEY",
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "CREDENTIAL",
        "CREDENTIALS",
        "APIKEY",
        "PAT",
        "PASSPHRASE",
    ];
    ends.contains(&last)
        && !name.ends_with("PUBLIC_KEY")
        && !name.ends_with("PAGE_TOKEN")
        && !name.ends_with("PUBLISHABLE_KEY")
        && !name.ends_with("ANON_KEY")
}

fn judge(
    file: &str,
    reading: &Reading,
    statement: &Statement,
    facts: &SkillFacts,
    secrets: &BTreeSet<String>,
    leads: &Leads,
    findings: &mut Vec<SkillFinding>,
) {
    let text = &reading.text[statement.range.clone()];
    // Behind a name it cannot be seen what the secret is sent as; most are keys.
    let is_direct = |secret: &str| text.contains(secret);
    let as_key = AS_KEY.is_match(text);
    let mut worst: Option<(SkillSeverity, &'static str)> = None;
    for secret in secrets {
        let found = if leads.destinations.is_empty() {
            unknown_destination(text, secret, leads.computed)
        } else {
            leads
                .destinations
                .iter()
                .filter_map(|to| judge_one(secret, to, facts, as_key || !is_direct(secret)))
                .max_by_key(|(severity, _)| *severity)
        };
        if let Some(found) = found
            && worst.is_none_or(|(known, _)| found.0 > known)
        {
            worst = Some(found);
        }
    }
    let Some((severity, description)) = worst else { return };
    let range = statement.range.start..statement.range.start;
    findings.push(SkillFinding {
        pattern_id: rule_of(text),
        severity: match statement.place {
            StatementContext::Code => severity,
            _ => weigh(RuleKind::Command, severity, reading, statement, &range),
        },
        category: SkillRisk::Exfiltration,
        file: file.to_owned(),
        line: reading.line_at(statement.range.start),
        matched: shown(text, MAX_MATCH_CHARS),
        description,
    });
}

/// Where the address is not written out.
fn unknown_destination(
    text: &str,
    secret: &str,
    computed: bool,
) -> Option<(SkillSeverity, &'static str)> {
    if computed || secret == WHOLE_ENVIRONMENT && sends_body(text) {
        return Some((
            SkillSeverity::Critical,
            "A secret goes to an address that is put together at run time.",
        ));
    }
    let other_ways = ["sendmail(", "send_message(", "nc ", "ncat ", "scp ", "sendall("];
    other_ways
        .iter()
        .any(|way| text.contains(way))
        .then_some((SkillSeverity::High, "A secret is sent to another machine."))
}

fn sends_body(text: &str) -> bool {
    text.contains("post")
        || text.contains("POST")
        || text.contains("data=")
        || text.contains("write(")
}

fn judge_one(
    secret: &str,
    to: &Destination,
    facts: &SkillFacts,
    as_key: bool,
) -> Option<(SkillSeverity, &'static str)> {
    let host = to.host.as_str();
    if hosts::is_loopback(host) || facts.may_go(secret, host) {
        return None;
    }
    if secret == WHOLE_ENVIRONMENT {
        return Some((SkillSeverity::Critical, "The whole environment is sent away."));
    }
    if hosts::is_private(host) {
        return Some((SkillSeverity::Medium, "A secret goes to a machine of the local network."));
    }
    if hosts::is_address(host) {
        return Some((SkillSeverity::Critical, "A secret goes to a bare network address."));
    }
    let belongs = hosts::belongs(host, secret);
    let placeholder = hosts::is_placeholder(host);
    if !to.encrypted {
        let severity =
            if placeholder && as_key { SkillSeverity::Medium } else { SkillSeverity::Critical };
        return Some((severity, "A secret goes over an open line."));
    }
    if belongs {
        return None;
    }
    if placeholder && as_key {
        return Some((
            SkillSeverity::Low,
            "A secret goes to an address that stands for another one.",
        ));
    }
    // `ACCESS_TOKEN` names nobody; with a service that everybody uses it is where it belongs.
    if as_key && hosts::names_in(secret).next().is_none() && hosts::is_vendor(host) {
        return Some((SkillSeverity::Low, "A key without a name goes to a well-known service."));
    }
    let is_named = hosts::is_named_in(host, &facts.words);
    let is_vendors = hosts::vendor_of(secret).is_some();
    match (is_named, is_vendors, as_key) {
        (true, true, _) => Some((SkillSeverity::High, "A vendor's key goes to somebody else.")),
        (true, false, _) => None,
        (false, true, _) | (false, false, false) => Some((
            SkillSeverity::Critical,
            "A secret goes to a host that has nothing to do with it.",
        )),
        (false, false, true) => Some((
            SkillSeverity::High,
            "A key goes to a host that is not named after it; declare it under credential_destinations.",
        )),
    }
}

fn rule_of(text: &str) -> &'static str {
    const RULES: &[(&str, &str)] = &[
        ("curl", "env_exfil_curl"),
        ("wget", "env_exfil_wget"),
        ("httpx", "env_exfil_httpx"),
        ("requests", "env_exfil_requests"),
        ("environ", "python_environ_get_secret"),
        ("getenv", "python_getenv_secret"),
        ("process.env", "node_process_env"),
        ("ENV[", "ruby_env_secret"),
    ];
    RULES.iter().find(|(sign, _)| text.contains(sign)).map_or("env_exfil_fetch", |(_, rule)| rule)
}

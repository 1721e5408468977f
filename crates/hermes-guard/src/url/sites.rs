//! The user's own list of blocked sites.
//!
//! A rule is a host name. It blocks the host and everything below it; with `*.` in front only what is
//! below. Stars elsewhere stand for any letters (`ads*.example`). Reading the files, keeping them for a while and warning about unreadable ones is the
//! caller's part: a list that cannot be read blocks nothing.

use std::collections::HashMap;

/// A rule of the block list that a host matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// The host that was asked for.
    pub host: String,
    /// The rule, as it is understood.
    pub rule: String,
    /// Where the rule was written.
    pub source: String,
}

/// Rules with where each came from.
#[derive(Clone, Debug, Default)]
pub struct Blocklist {
    /// By host name without `*.`.
    rules: HashMap<String, Sources>,
    /// Rules with stars in other places, and their sources.
    patterns: Vec<(String, String)>,
}

/// Who asked for a host to be blocked, and how much of it.
#[derive(Clone, Debug, Default)]
struct Sources {
    with_host: Option<String>,
    below_only: Option<String>,
}

impl Blocklist {
    /// Adds rules, one a line; `#` begins a comment. The first source of a rule is kept.
    pub fn add(&mut self, lines: &str, source: &str) {
        for line in lines.lines() {
            let Some(rule) = normalise(line) else { continue };
            if rule.trim_start_matches("*.").contains('*') {
                self.patterns.push((rule, source.to_owned()));
                continue;
            }
            let (name, slot): (&str, fn(&mut Sources) -> &mut Option<String>) =
                match rule.strip_prefix("*.") {
                    Some(name) => (name, |sources| &mut sources.below_only),
                    None => (&rule, |sources| &mut sources.with_host),
                };
            let sources = self.rules.entry(name.to_owned()).or_default();
            slot(sources).get_or_insert_with(|| source.to_owned());
        }
    }

    /// Whether there is no rule.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.patterns.is_empty()
    }

    /// The most specific rule that blocks a host or the host of a URL.
    #[must_use]
    pub fn verdict(&self, host_or_url: &str) -> Option<Blocked> {
        let host = bare_host(host_or_url);
        let mut name = host.as_str();
        loop {
            if let Some(sources) = self.rules.get(name) {
                let whole = sources.with_host.as_ref().map(|source| (name.to_owned(), source));
                let below = sources.below_only.as_ref().filter(|_| name.len() < host.len());
                let found = whole.or_else(|| below.map(|source| (format!("*.{name}"), source)));
                if let Some((rule, source)) = found {
                    return Some(Blocked { rule, source: source.clone(), host });
                }
            }
            match name.split_once('.') {
                Some((_, above)) => name = above,
                None => break,
            }
        }
        let (rule, source) =
            self.patterns.iter().find(|(pattern, _)| matches_stars(pattern, &host))?;
        Some(Blocked { rule: rule.clone(), source: source.clone(), host })
    }
}

/// Whether a name is what a pattern with stars describes.
fn matches_stars(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return rest.is_empty() };
    // The first place where a part fits leaves the most room for the others.
    for part in between {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// A rule as it is understood, or nothing when the line holds none.
fn normalise(line: &str) -> Option<String> {
    let line = line.trim();
    if line.starts_with('#') {
        return None;
    }
    // A `#` inside begins a comment only after a blank.
    let line = line.split_whitespace().next()?;
    let host = bare_host(line);
    let host = host.strip_prefix("www.").unwrap_or(&host);
    (!host.trim_start_matches("*.").is_empty()).then(|| host.to_owned())
}

/// The host in a URL or rule: lower-case, without scheme, user, port, path and last dot.
fn bare_host(text: &str) -> String {
    let text = text.trim();
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = if host.starts_with('[') {
        host.split_inclusive(']').next().unwrap_or(host)
    } else {
        host.split(':').next().unwrap_or(host)
    };
    host.trim_end_matches('.').to_lowercase()
}

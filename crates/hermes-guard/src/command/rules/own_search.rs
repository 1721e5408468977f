//! Searches that come upon the agent's home because they begin above it.
//!
//! `grep -rl manual ~ | xargs sed -i …` names no file of the agent's and changes its settings all the
//! same. So what such a search finds counts as the agent's own, unless what it looks for can be none
//! of its files.

use super::super::call::{Arg, ProgramCall, Taint, Via};
use super::super::facts::{HOLE, NARROW};
use super::super::find::Find;
use super::REDIRECTION;
use crate::shell::pattern::{PatternCase, ShellPattern};

/// The agent's home as resolved paths spell it.
pub(super) const HOME: &str = "~/.hermes";

/// Files of the agent that stand for all of them.
const FILES: &[&str] = &[
    "config.yaml",
    ".env",
    "auth.json",
    "state.db",
    "logs/approvals.jsonl",
    "SOUL.md",
    "cron/jobs.json",
    "plugins/x/plugin.yaml",
    "serve.token",
];

/// So many patterns of a search are looked at.
const MAX_PATTERNS: usize = 32;

/// Whether a call lists files, the agent's among them.
pub(crate) fn finds_own_files(call: &ProgramCall<'_>) -> bool {
    match call.name {
        "find" => {
            let find = Find::new(call.args);
            let depth = call.args.windows(2).find(|two| two[0].text == "-maxdepth");
            let is_shallow = depth.is_some_and(|two| matches!(two[1].as_str(), "0" | "1"));
            let begins = match find.starts.as_slice() {
                [] => is_above(call, "."),
                starts => starts.iter().any(|start| is_above(call, &start.text)),
            };
            let patterns = || find.looked_for().filter(|pattern| !pattern.starts_with('-'));
            // Of many patterns nobody needs to know more than that they are many.
            begins
                && !is_shallow
                && (patterns().next().is_none()
                    || patterns().nth(MAX_PATTERNS).is_some()
                    || patterns().any(|one| could_be_own(call, one)))
        }
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" => lists_matches(call),
        "fd" => {
            let sees_hidden = call.args.iter().any(|arg| {
                matches!(arg.as_str(), "--hidden" | "--unrestricted")
                    || is_bundle_with(&arg.text, ['H', 'u'])
            });
            sees_hidden && places(call).any(|place| is_above(call, place))
        }
        _ => false,
    }
}

/// Whether a file that a search found one by one, and that may be the agent's, is written.
pub(crate) fn writes_found(call: &ProgramCall<'_>) -> bool {
    call.name == REDIRECTION
        && call.via.has(Via::FIND.and(Via::XARGS).and(Via::EACH))
        && call.args.iter().any(|arg| {
            let path = call.path(&arg.text);
            let found = path.rsplit_once('/').filter(|(_, name)| {
                *name == NARROW || name.chars().all(|char| char == HOLE) && !name.is_empty()
            });
            found.is_some_and(|(above, _)| {
                is_above(call, if above.is_empty() { "/" } else { above })
            })
        })
}

/// `grep -rl`, `rg -l` over everything, in files of any name.
fn lists_matches(call: &ProgramCall<'_>) -> bool {
    let has = |letters: [char; 2], long: &[&str]| {
        call.args
            .iter()
            .any(|arg| long.contains(&arg.as_str()) || is_bundle_with(&arg.text, letters))
    };
    let lists = has(['l', 'L'], &["--files-with-matches", "--files-without-match", "--files"]);
    let recursive = !call.name.ends_with("grep") || has(['r', 'R'], &["--recursive"]);
    let mut globs =
        call.args.iter().filter_map(|arg| arg.text.strip_prefix("--include=")).peekable();
    let fits = globs.peek().is_none() || globs.any(|glob| could_be_own(call, glob));
    lists && recursive && fits && places(call).any(|place| is_above(call, place))
}

/// The words that may be places; where there are none, the search begins here.
fn places<'c>(call: &ProgramCall<'c>) -> impl Iterator<Item = &'c str> {
    let mut words: Vec<&str> =
        call.operands().map(Arg::as_str).filter(|text| !text.is_empty()).collect();
    if words.len() < 2 {
        words.push(".");
    }
    words.into_iter()
}

/// `-rl`, `-lRi`: letters behind one dash, among them one of these.
fn is_bundle_with(text: &str, letters: [char; 2]) -> bool {
    text.strip_prefix('-').is_some_and(|rest| {
        rest.chars().all(|char| char.is_ascii_alphabetic()) && rest.contains(letters)
    })
}

/// Whether the agent's home is below a place.
fn is_above(call: &ProgramCall<'_>, place: &str) -> bool {
    let path = call.path(place);
    if path.contains(HOLE) || !path.starts_with(['/', '~']) {
        return false;
    }
    let home = call.facts.spelled_out(HOME);
    let path = call.facts.spelled_out(&path);
    let path = path.trim_end_matches('/');
    path.is_empty() && home.starts_with('/')
        || home.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether one of the agent's files may have a name or path like this.
fn could_be_own(call: &ProgramCall<'_>, pattern: &str) -> bool {
    let pattern = ShellPattern::new(pattern, PatternCase::Ignored);
    let home = call.facts.spelled_out(HOME);
    FILES.iter().any(|file| {
        let name = file.rsplit('/').next().unwrap_or(file);
        pattern.matches(name) || pattern.matches(&format!("{home}/{file}"))
    })
}

/// What a search finds is the agent's own, as far as anybody can say.
pub(crate) fn taint(call: &ProgramCall<'_>) -> Taint {
    if finds_own_files(call) { Taint::OWN } else { Taint::NONE }
}

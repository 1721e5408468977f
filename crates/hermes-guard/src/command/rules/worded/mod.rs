//! Dangers that show in the words of a command line alone: a program, and words in this order.
//!
//! Cloud tools, package managers and administration tools have hundreds of verbs each, and all that a
//! rule has to know of them is which verbs take something away, give somebody access or show a
//! secret. So these rules are lines of a table. See [`says`] for how a line is written.

mod admin;
pub(crate) use admin::{ADMINISTER, is_strange_as_root};
mod attack;
mod network;
mod outward;
mod packages;
mod remote;
mod revisions;
mod secret;
pub(crate) use secret::{SHOWN, is_key, names_key, names_secret, shows_named};
mod settings;
mod shells;
pub(crate) use shells::SHELL_STATE;
mod traces;
pub(crate) use traces::TRACES;
pub(crate) mod trust;
mod windows;

use super::super::call::ProgramCall;
use super::DangerRule;

pub(super) const RULES: &[&[DangerRule]] = &[
    admin::RULES,
    attack::RULES,
    network::RULES,
    outward::RULES,
    packages::RULES,
    remote::RULES,
    revisions::RULES,
    secret::RULES,
    settings::RULES,
    shells::RULES,
    traces::RULES,
    trust::RULES,
    windows::RULES,
];

/// Whether the arguments have these words, in this order, with anything in between.
///
/// A word may have alternatives (`rm|remove`), begin or end with `*` for anything, and be forbidden
/// anywhere (`!--local`) or have to be the first that is no option (`^publish`); `~` stands for a space. Letters may be large or small, except in options. The
/// line `*` is any call. A call that only rehearses or asks for help says nothing.
pub(super) fn says(call: &ProgramCall<'_>, line: &str) -> bool {
    if rehearses(call) {
        return false;
    }
    let mut args = call.args.iter();
    line == "*"
        || line.split(' ').all(|word| match (word.strip_prefix('!'), word.strip_prefix('^')) {
            (Some(word), _) => !call.args.iter().any(|arg| is(&arg.text, word)),
            (_, Some(word)) => args
                .by_ref()
                .find(|arg| !arg.text.starts_with('-'))
                .is_some_and(|arg| is(&arg.text, word)),
            _ => args.any(|arg| is(&arg.text, word)),
        })
}

fn is(text: &str, word: &str) -> bool {
    word.split('|').any(|word| {
        let same = |text: Option<&str>, word: &str| match word.starts_with('-') {
            true => text == Some(word),
            false => text.is_some_and(|text| text.eq_ignore_ascii_case(word)),
        };
        match (word.strip_prefix('*'), word.strip_suffix('*')) {
            (Some(rest), Some(_)) => {
                let inner = rest.trim_end_matches('*').replace('~', " ").to_ascii_lowercase();
                inner.is_empty() || text.to_ascii_lowercase().contains(&inner)
            }
            (Some(end), None) => {
                same(text.len().checked_sub(end.len()).and_then(|at| text.get(at..)), end)
            }
            (None, Some(start)) => same(text.get(..start.len()), start),
            (None, None) => same(Some(text), word),
        }
    })
}

fn rehearses(call: &ProgramCall<'_>) -> bool {
    call.args.iter().any(|arg| {
        let text = arg.as_str();
        matches!(
            text,
            "--dryrun"
                | "--dry-run"
                | "--help"
                | "-help"
                | "--simulate"
                | "--just-print"
                | "-WhatIf"
                | "-whatif"
        ) || text.starts_with("--dry-run=") && !text.ends_with("none")
    })
}

//! The rules, one family per file.

mod accounts;
mod arguments;
pub(super) mod arrivals;
pub(super) mod awk;
mod bulk;
mod cloud;
pub(super) mod cmdlets;
mod containers;
pub(super) mod delete;
mod devices;
pub(super) mod emptied;
mod files;
mod gateway;
mod git;
pub(super) mod indirect;
pub(super) mod loaders;
mod managed;
mod mirror;
mod outflow;
mod outputs;
pub(super) mod own_rules;
pub(super) mod own_search;
mod permissions;
mod power;
mod printed;
mod secrets;
pub(super) mod sed;
mod senders;
mod services;
mod sql;
mod strange;
pub(super) mod structure;
mod system;
mod verbs;
mod windows;
pub(super) mod worded;

use std::collections::HashMap;
use std::sync::LazyLock;

use super::call::ProgramCall;
use super::category::Category;
pub(super) use arguments::SCRIPT;
pub(super) use bulk::takes_listed;
pub(super) use files::SYSTEM as SYSTEM_FILE;
pub(super) use git::PUSH;
pub(super) use outflow::lets_out;
pub(super) use outputs::writes_system;
pub(super) use power::is_only_of_system;
pub(super) use printed::printed;
pub(super) use secrets::UPLOAD;
pub(super) use senders::{is_sender, sends_secrets};
pub(super) use services::INIT_SCRIPT;
pub(super) use sql::statements;
pub(super) use strange::{STRANGE, is_numbered, is_strange};
pub(super) use verbs::{DESTRUCTIVE, destructive_verb};

/// The name under which rules about redirections are kept: the target is the only argument.
pub(super) const REDIRECTION: &str = ">";

/// One danger.
pub(super) struct DangerRule {
    pub(super) category: Category,
    /// Which programs it is about; several in one text are separated by `|`.
    pub(super) programs: &'static [&'static str],
    pub(super) check: RuleCheck,
    /// Commands with this danger.
    pub(super) catches: &'static [&'static str],
    /// Commands that look like it and are fine.
    pub(super) passes: &'static [&'static str],
}

/// How a danger is recognised.
pub(super) enum RuleCheck {
    /// By a call.
    Call(fn(&ProgramCall<'_>) -> bool),
    /// By the words of a call: programs, and a line of [`worded`].
    Words(&'static [(&'static str, &'static str)]),
    /// By how calls are put together, which the machine sees while it goes through the text.
    Structure,
}

const FAMILIES: &[&[DangerRule]] = &[
    accounts::RULES,
    arguments::RULES,
    arrivals::RULES,
    awk::RULES,
    bulk::RULES,
    sed::RULES,
    cloud::RULES,
    cmdlets::RULES,
    containers::RULES,
    delete::RULES,
    devices::RULES,
    emptied::RULES,
    files::RULES,
    gateway::RULES,
    git::RULES,
    indirect::RULES,
    loaders::RULES,
    managed::RULES,
    mirror::RULES,
    outflow::RULES,
    outputs::RULES,
    own_rules::RULES,
    permissions::RULES,
    power::RULES,
    secrets::RULES,
    senders::RULES,
    services::RULES,
    sql::RULES,
    strange::RULES,
    structure::RULES,
    system::RULES,
    verbs::RULES,
    windows::RULES,
];

/// Every rule.
pub(super) fn all() -> impl Iterator<Item = &'static DangerRule> {
    FAMILIES.iter().chain(worded::RULES).flat_map(|family| family.iter())
}

/// What is looked for in the calls of one program.
#[derive(Clone, Copy)]
enum ProgramCheck {
    Call(fn(&ProgramCall<'_>) -> bool),
    Words(&'static str),
}

type Checks = Vec<(ProgramCheck, Category)>;

static BY_PROGRAM: LazyLock<HashMap<&'static str, Checks>> = LazyLock::new(|| {
    let mut by_program: HashMap<&'static str, Checks> = HashMap::new();
    for rule in all() {
        let mut add = |program, check| {
            by_program.entry(program).or_default().push((check, rule.category));
        };
        match rule.check {
            RuleCheck::Call(check) => {
                let programs = rule.programs.iter().flat_map(|programs| programs.split('|'));
                programs.for_each(|program| add(program, ProgramCheck::Call(check)));
            }
            RuleCheck::Words(lines) => {
                for (programs, line) in lines {
                    programs.split('|').for_each(|program| add(program, ProgramCheck::Words(line)));
                }
            }
            RuleCheck::Structure => {}
        }
    }
    by_program
});

/// Whether any rule is about a program.
pub(super) fn is_listed(name: &str) -> bool {
    BY_PROGRAM.contains_key(name)
}

/// The categories of all rules that a call breaks.
pub(super) fn matching(call: &ProgramCall<'_>) -> Vec<Category> {
    let Some(checks) = BY_PROGRAM.get(call.name) else { return Vec::new() };
    let breaks = |check: &ProgramCheck| match check {
        ProgramCheck::Call(check) => check(call),
        ProgramCheck::Words(line) => worded::says(call, line),
    };
    let mut broken: Vec<Category> = Vec::new();
    for (check, category) in checks {
        if !broken.contains(category) && breaks(check) {
            broken.push(*category);
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{CommandContext, analyse};

    fn has(command: &str, key: &str) -> bool {
        let host = CommandContext {
            home: Some("/home/me"),
            user: Some("me"),
            ..CommandContext::default()
        };
        analyse(command, &host).findings.iter().any(|finding| finding.category == key)
    }

    #[test]
    fn every_rule_catches_and_passes_its_examples() {
        let mut wrong = Vec::new();
        for rule in all() {
            let key = rule.category.key;
            assert!(!rule.catches.is_empty(), "{key} has no example");
            for command in rule.catches {
                if !has(command, key) {
                    wrong.push(format!("{key} must catch: {command}"));
                }
            }
            for command in rule.passes {
                if has(command, key) {
                    wrong.push(format!("{key} must pass: {command}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn keys_are_unique_and_say_one_thing() {
        let all: Vec<Category> = crate::command::categories().collect();
        for (index, category) in all.iter().enumerate() {
            let twice = all[..index].iter().any(|other| other.key == category.key);
            assert!(!twice, "{} is described in two ways", category.key);
        }
    }
}

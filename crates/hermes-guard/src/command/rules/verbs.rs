//! Tools nobody has listed, told in plain words to destroy something.
//!
//! There are more command-line tools than anyone can know. Most of those that manage things far away or
//! deep in the machine have the same shape, `tool kind verb name`, and the same few verbs for what
//! cannot be taken back.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::super::call::{Arg, ProgramCall};
use super::super::category::Category;
use super::{DangerRule, RuleCheck, managed, strange};

pub(crate) const DESTRUCTIVE: Category =
    Category::asks("destructive verb", "A tool is told to delete or destroy something.");

pub(super) const RULES: &[DangerRule] = &[DangerRule {
    category: DESTRUCTIVE,
    programs: &[],
    check: RuleCheck::Structure,
    catches: &[
        "somectl cluster delete prod",
        "somecloud ecs DeleteInstance --InstanceId i-1",
        "cloudtool destroy --all",
        "xyz volumes:destroy v1",
        "mytool instance-delete web",
        "backupper purge --older-than 1d",
        "pwstore rm -rf work/",
        "sometool volume remove --yes v1",
        "dbtool db:reset --force",
        "redis-cli --scan | xargs redis-cli del",
        "pip freeze | xargs pip uninstall -y",
        "for i in $(gh issue list -q .number); do gh issue close $i; done",
    ],
    passes: &[
        "somectl cluster list",
        "echo delete",
        "grep -r delete src",
        "npm run delete",
        "./deploy.sh delete",
        "make destroy",
        "python delete.py",
        "somectl delete --help",
        "tool uninstall x",
        "sometool remove x",
        "sometool reset",
        "cleaner run -f conf",
        "timeout 5 rm -rf build",
        "exec rm -rf build",
        "pip uninstall -y x",
        "cat delete destroy",
    ],
}];

/// Programs whose operands are texts, files or names of their user's own making.
static OTHERS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "echo printf grep egrep fgrep rg ag ack sed awk cat tac ls cp mv mkdir touch rm rmdir ln find \
    fd test [ [[ export read cd pushd make gmake just task npm pnpm yarn bun npx bunx cargo rake \
    python node ruby perl php bash sh zsh dash ksh fish git man info which type command tr cut \
    sort uniq head tail less more wc diff vim vi nano code xargs env sudo tee jq yq kubectl oc k \
    docker gradle mvn go dotnet mix composer tar zip unzip curl wget ssh scp rsync set unset \
    declare local alias case for function return exit pip pipx uv gem brew apt apt-get dnf yum \
    apk pacman conda mamba poetry rustup volta nvm asdf stty tput xcrun pod flatpak snap nx \
    lerna turbo expo bundle redis-cli psql mysql sqlite3 mongosh mongo look dict say notify-send \
    apropos whatis tldr cheat help whereis locate dpkg-query rpmquery pydoc perldoc explainshell \
    tmux screen helm aws gh glab terraform pytest jest vitest phpunit rspec"
        .split(' ')
        .collect()
});

/// Whether one of the first words of an unlisted tool says that something is destroyed.
pub(crate) fn destructive_verb(call: &ProgramCall<'_>) -> bool {
    if call.args.is_empty()
        || OTHERS.contains(call.name)
        || strange::READERS.contains(call.name)
        || strange::runs_others(call)
        || !call.name.starts_with(|char: char| char.is_ascii_alphabetic())
        || call.name.contains('.')
        || call.has(&["--help", "-h", "help", "--dry-run", "-n", "--dryrun"])
    {
        return false;
    }
    let mut words = call.args.iter().map(Arg::as_str).filter(|text| !text.starts_with('-')).take(6);
    // `admintool -q 'delete user'`: the same words, in a text for the tool.
    let told = call.args.windows(2).any(|two| {
        matches!(
            two[0].as_str(),
            "-c" | "-q" | "-e" | "-x" | "--command" | "--execute" | "--exec" | "-R" | "-Q"
        ) && two[1].text.contains(' ')
            && two[1].text.len() < 512
            && two[1]
                .text
                .split([' ', ';'])
                .any(|word| is_verb(word) || word.starts_with("delprinc"))
    });
    let whole = call.args.iter().any(|arg| is_whole(&arg.text));
    if told || call.args.iter().any(|arg| says_so(&arg.text)) {
        return true;
    }
    // `tool kind verb name`: things of a tool's own are taken away.
    let of_kind = {
        let words: Vec<&str> = call
            .args
            .iter()
            .map(Arg::as_str)
            .take_while(|text| !text.starts_with('-'))
            .take(4)
            .collect();
        words.len() > 2 && words[1..words.len() - 1].iter().any(|word| is_weak_verb(word))
    };
    if of_kind {
        return true;
    }
    words.any(|word| is_verb(word) || whole && is_weak_verb(word))
        || managed::takes_off_safety(call)
}

/// Options that are verbs themselves: `-rmr`, `--delete-excluded`, `--remove-older-than`.
fn says_so(text: &str) -> bool {
    const SINGLE: &[&str] = &[
        "-rm",
        "-rmr",
        "-delete",
        "-erase",
        "-wipe",
        "-purge",
        "-destroy",
        "-terminate",
        "-skipTrash",
    ];
    const WORDS: &[&str] =
        &["delete", "remove", "purge", "destroy", "erase", "wipe", "clobber", "nuke", "expunge"];
    const OTHERWISE: &[&str] = &[
        "no", "not", "keep", "skip", "ignore", "show", "on", "never", "without", "dry", "include",
        "exclude", "max",
    ];
    if SINGLE.contains(&text) {
        return true;
    }
    let Some(name) = text.strip_prefix("--") else { return false };
    let (name, value) = name.split_once('=').unwrap_or((name, ""));
    let mut parts =
        name.split('-').map(|part| part.trim_end_matches(|char: char| char.is_ascii_digit()));
    let first = parts.next().unwrap_or_default();
    name.len() < 40
        && !matches!(value, "false" | "no" | "0" | "never")
        && !OTHERWISE.contains(&first)
        && (WORDS.contains(&first) || parts.any(|part| WORDS.contains(&part)))
}

/// Options with which a tool takes everything, or asks nobody.
fn is_whole(text: &str) -> bool {
    const OPTIONS: &[&str] = &[
        "--purge",
        "--all",
        "--force",
        "--yes",
        "--recursive",
        "--assume-yes",
        "--no-prompt",
        "--no-confirm",
        "--noconfirm",
        "--auto-approve",
        "--non-interactive",
        "--yes-i-really-mean-it",
        "--cascade",
        "--hard",
    ];
    let name = text.split_once('=').map_or(text, |(name, _)| name);
    let is_bundle = |letters: &str| {
        !letters.is_empty() && letters.chars().all(|letter| "rRfFyYa".contains(letter))
    };
    OPTIONS.contains(&name)
        || name.starts_with("--force-")
        || text.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && is_bundle(rest))
}

/// Verbs that destroy something when nothing is asked, and are harmless or usual otherwise.
fn is_weak_verb(word: &str) -> bool {
    const VERBS: &[&str] = &[
        "uninstall",
        "teardown",
        "reset",
        "nuke",
        "drop",
        "rm",
        "remove",
        "del",
        "prune",
        "truncate",
        "flush",
        "revoke",
        "unregister",
        "deregister",
        "detach",
        "evict",
        "expire",
        "rollback",
        "zap",
        "unpublish",
        "disable",
        "forget",
        "discard",
        "rmi",
        "rb",
    ];
    let last = word.rsplit([':', '.']).next().unwrap_or(word);
    VERBS.contains(&last)
        || VERBS.iter().any(|verb| {
            word.strip_prefix(verb).is_some_and(|rest| rest.starts_with('-') && rest.len() > 1)
        })
}

fn is_verb(word: &str) -> bool {
    const VERBS: &[&str] = &[
        "delete",
        "destroy",
        "purge",
        "wipe",
        "erase",
        "terminate",
        "obliterate",
        "nuke",
        "decommission",
        "factory-reset",
        "delete-all",
        "deleteall",
        "remove-all",
        "wipe-all",
        "drop-all",
        "self-destruct",
        "shred",
        "truncate",
        "flush",
        "flush_all",
        "shutdown",
        "poweroff",
        "reinit",
        "reset-password",
        "unregister",
        "deprovision",
        "format-disk",
    ];
    if word.len() > 64 || word.contains(['/', '.', '=', ' ']) {
        return false;
    }
    // `eraseDisk`, `deleteContainer`, `DeleteInstance`
    let camel = |verb: &&str| {
        word.get(..verb.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(verb))
            && word[1..verb.len()].chars().all(|char| !char.is_ascii_uppercase())
            && word[verb.len()..].starts_with(|char: char| char.is_ascii_uppercase())
    };
    if VERBS.iter().any(camel) {
        return true;
    }
    let parts = |verb: &&str| {
        word == *verb
            || word.strip_prefix(verb).is_some_and(|rest| rest.starts_with(['-', ':', '_']))
            || word.strip_suffix(verb).is_some_and(|rest| rest.ends_with(['-', ':', '_']))
    };
    VERBS.iter().any(parts)
}

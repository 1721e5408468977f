//! Tools nobody has listed, told in plain words to destroy something.
//!
//! There are more command-line tools than anyone can know. Most of those that manage things far away or
//! deep in the machine have the same shape, `tool kind verb name`, and the same few verbs for what
//! cannot be taken back.

use super::super::call::{Arg, ProgramCall};
use super::super::category::Category;
use super::{DangerRule, RuleCheck};

pub(crate) const DESTRUCTIVE: Category =
    Category::asks("destructive verb", "A tool is told to delete or destroy something.");

pub(super) const RULES: &[DangerRule] = &[DangerRule {
    category: DESTRUCTIVE,
    programs: &[],
    check: RuleCheck::Structure,
    catches: &[
        "somectl cluster delete prod",
        "cloudtool destroy --all",
        "xyz volumes:destroy v1",
        "mytool instance-delete web",
        "backupper purge --older-than 1d",
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
        "pip uninstall -y x",
        "cat delete destroy",
    ],
}];

/// Programs whose operands are texts, files or names of their user's own making.
const OTHERS: &[&str] = &[
    "echo",
    "printf",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ack",
    "sed",
    "awk",
    "cat",
    "tac",
    "ls",
    "cp",
    "mv",
    "mkdir",
    "touch",
    "rm",
    "rmdir",
    "ln",
    "find",
    "fd",
    "test",
    "[",
    "[[",
    "export",
    "read",
    "cd",
    "pushd",
    "make",
    "gmake",
    "just",
    "task",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "npx",
    "bunx",
    "cargo",
    "rake",
    "python",
    "node",
    "ruby",
    "perl",
    "php",
    "bash",
    "sh",
    "zsh",
    "dash",
    "ksh",
    "fish",
    "git",
    "man",
    "info",
    "which",
    "type",
    "command",
    "tr",
    "cut",
    "sort",
    "uniq",
    "head",
    "tail",
    "less",
    "more",
    "wc",
    "diff",
    "vim",
    "vi",
    "nano",
    "code",
    "xargs",
    "env",
    "sudo",
    "tee",
    "jq",
    "yq",
    "kubectl",
    "oc",
    "k",
    "docker",
    "gradle",
    "mvn",
    "go",
    "dotnet",
    "mix",
    "composer",
    "tar",
    "zip",
    "unzip",
    "curl",
    "wget",
    "ssh",
    "scp",
    "rsync",
    "set",
    "unset",
    "declare",
    "local",
    "alias",
    "case",
    "for",
    "function",
    "return",
    "exit",
    "pip",
    "pipx",
    "uv",
    "gem",
    "brew",
    "apt",
    "apt-get",
    "dnf",
    "yum",
    "apk",
    "pacman",
    "conda",
    "mamba",
    "poetry",
    "rustup",
    "volta",
    "nvm",
    "asdf",
    "stty",
    "tput",
    "xcrun",
    "pod",
    "flatpak",
    "snap",
    "nx",
    "lerna",
    "turbo",
    "expo",
    "bundle",
    "redis-cli",
    "psql",
    "mysql",
    "sqlite3",
    "mongosh",
    "mongo",
    "look",
    "dict",
    "say",
    "notify-send",
    "tmux",
    "screen",
    "helm",
    "aws",
    "gh",
    "glab",
    "terraform",
    "pytest",
    "jest",
    "vitest",
    "phpunit",
    "rspec",
];

/// Whether one of the first words of an unlisted tool says that something is destroyed.
pub(crate) fn destructive_verb(call: &ProgramCall<'_>) -> bool {
    if call.args.is_empty()
        || OTHERS.contains(&call.name)
        || !call.name.starts_with(|char: char| char.is_ascii_alphabetic())
        || call.name.contains('.')
        || call.has(&["--help", "-h", "help", "--dry-run", "-n", "--dryrun"])
    {
        return false;
    }
    let mut words = call.args.iter().map(Arg::as_str).filter(|text| !text.starts_with('-')).take(3);
    let whole = call.has(&["--purge", "--all", "--force", "-f", "--yes", "-y"]);
    words.any(|word| {
        is_verb(word)
            || whole && matches!(word, "uninstall" | "teardown" | "reset" | "nuke" | "drop")
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
        "format-disk",
    ];
    if word.len() > 64 || word.contains(['/', '.', '=', ' ']) {
        return false;
    }
    let parts = |verb: &&str| {
        word == *verb
            || word.strip_prefix(verb).is_some_and(|rest| rest.starts_with(['-', ':']))
            || word.strip_suffix(verb).is_some_and(|rest| rest.ends_with(['-', ':']))
    };
    VERBS.iter().any(parts)
}

//! Options and settings of any program that are called after what they run.
//!
//! Nobody can list every program with a hook. But whoever makes one calls it a hook: the names of options and
//! settings say that their value is run. In the place of a helper (a pager, a linker) a shell is strange, and
//! so is a program from where anybody may put one; what a hook says is a command, and judged as that.

use super::super::super::call::{Arg, ProgramCall};
use super::{is_temp, is_usual, starts_shell};

/// The last word in the name of an option whose value is some helper of the program.
const HELPERS: &[&str] = &[
    "pager",
    "editor",
    "askpass",
    "helper",
    "wrapper",
    "hook",
    "rsh",
    "program",
    "runner",
    "launcher",
    "under",
    "cmd",
    "interpreter",
    "debugger",
    "mailer",
    "sendmail",
    "viewer",
    "browser",
    "compressor",
    "opener",
    "preprocessor",
    "linker",
    "strategy",
];

/// What stands in the place of a helper and runs more than one thing.
const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "zsh",
    "dash",
    "python",
    "python3",
    "perl",
    "ruby",
    "node",
    "php",
    "nc",
    "curl",
    "wget",
    "rm",
    "eval",
    "env",
    "xargs",
    "osascript",
    "socat",
];

/// A word in the name of an option or a setting whose value is a command.
const RUNS: &[&str] = &[
    "exec",
    "execute",
    "command",
    "cmd",
    "hook",
    "hooks",
    "run",
    "script",
    "handler",
    "callback",
    "trigger",
    "notifier",
    "action",
    "before",
    "after",
    "pre",
    "post",
    "on",
    "shell",
    "startup",
    "alias",
    "tunnel",
    "tunnels",
    "sshcommand",
    "proxycommand",
];

/// Programs whose texts are looked into elsewhere, or are for people.
const OTHERS: &[&str] = &[
    "python", "node", "ruby", "perl", "php", "python", "node", "ruby", "perl", "php", "git",
    "echo", "printf", "grep", "rg", "egrep", "sed", "awk", "jq", "npm", "pnpm", "yarn", "make",
    "psql", "mysql", "sqlite3", "gh", "glab", "curl", "wget", "find", "tmux", "test", "[", "read",
];

/// The name and the value of a long option, behind a sign or as the next word.
fn option<'c>(call: &ProgramCall<'c>, at: usize) -> Option<(&'c str, &'c str)> {
    let text: &'c str = call.args[at].text.as_ref();
    let name = text.strip_prefix("--").filter(|rest| rest.len() < 2048)?;
    Some(match name.split_once('=') {
        Some(pair) => pair,
        None => (name, call.args.get(at + 1).map_or("", |arg| arg.text.as_ref())),
    })
}

/// The key and the value of a setting that is given as `-c key=value` or `-Dkey=value`.
fn setting<'c>(call: &ProgramCall<'c>, at: usize) -> Option<(&'c str, &'c str)> {
    const BEFORE: &[&str] = &[
        "-c",
        "-o",
        "-O",
        "-D",
        "-X",
        "-S",
        "-P",
        "--config",
        "--config-option",
        "--conf",
        "--option",
        "--set",
        "--setting",
        "--define",
        "--property",
    ];
    let text: &'c str = call.args[at].text.as_ref();
    let before = at.checked_sub(1).map_or("", |at| call.args[at].as_str());
    let glued = ["--config=", "--config-option=", "--conf=", "--option=", "-D", "-o", "-P"];
    let text = match BEFORE.contains(&before) {
        true => text,
        false => glued.iter().find_map(|begin| text.strip_prefix(begin))?,
    };
    text.split_once('=').filter(|(key, _)| !key.is_empty() && key.len() < 128)
}

/// Whether a name says that its value is run.
fn says_run(name: &str) -> bool {
    name.len() < 64
        && name
            .split(['-', '_', '.', ':'])
            .any(|word| RUNS.iter().any(|run| word.eq_ignore_ascii_case(run)))
}

/// Whether an option or a setting of any program, called after what it runs, is given a shell, an interpreter
/// or a file from where anybody may put one.
pub(crate) fn names_command(call: &ProgramCall<'_>) -> bool {
    // Most calls have nothing of the kind.
    let may_run = |arg: &Arg<'_>| {
        let text = arg.as_str();
        text.contains([' ', '|']) || text.contains("/tmp/") || text.contains("/shm/")
    };
    if !call.args.iter().any(may_run) {
        return false;
    }
    let looks_at_texts = OTHERS.contains(&call.name);
    (0..call.args.len()).any(|at| {
        if let Some((name, value)) = option(call, at) {
            let last = name.rsplit(['-', '_']).next().unwrap_or(name);
            let mut words = value.split_whitespace();
            let first = words.next().unwrap_or_default();
            let is_helper = HELPERS.contains(&last)
                && name != "health-cmd"
                && !is_usual(value)
                && (is_temp(first) || SHELLS.contains(&first) && words.next().is_some());
            if is_helper {
                return true;
            }
        }
        if looks_at_texts {
            return false;
        }
        // `-o '|sh'`: a file that is a program.
        let text = call.args[at].as_str();
        let value =
            text.split_once('=').filter(|_| text.starts_with('-')).map_or(text, |(_, value)| value);
        if value.len() > 2 && value.starts_with('|') && starts_shell(value) {
            return true;
        }
        // `build.x '--with-cc=/tmp/cc'`
        if text.starts_with("--with-") && is_temp(value) && value != text {
            return true;
        }
        !matches!(call.name, "docker" | "kubectl" | "helm")
            && setting(call, at).is_some_and(|(key, value)| {
                let last = key.rsplit(['-', '_', '.', ':']).next().unwrap_or(key);
                (says_run(key) || HELPERS.contains(&last))
                    && !is_usual(value)
                    && starts_shell(value)
            })
    })
}

/// The texts of options that some program hands to a shell, by the names of the options.
pub(crate) fn texts<'c>(call: &ProgramCall<'c>) -> Vec<&'c str> {
    if !call.args.iter().any(|arg| arg.text.contains(' ')) || OTHERS.contains(&call.name) {
        return Vec::new();
    }
    let of_option = |at: usize| {
        let given = option(call, at).or_else(|| setting(call, at));
        given.filter(|(name, _)| says_run(name)).map(|(_, value)| value)
    };
    (0..call.args.len())
        .filter_map(of_option)
        .filter(|value| value.contains(' ') && value.len() < 4_096)
        .take(8)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_run() {
        for name in ["on-finish", "post-install-cmd", "exec", "hooks.pre-status", "PreHook_script"]
        {
            assert!(says_run(name), "{name}");
        }
        for name in ["format", "output", "description", "once", "precision", "postgres-url"] {
            assert!(!says_run(name), "{name}");
        }
    }
}

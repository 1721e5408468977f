//! Who reads what is typed: shells, interpreters, others.

use super::Listening;
use crate::command::{CommandContext, spellings};

/// A program that makes something of its input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputReader {
    /// Runs lines as commands, here or where it leads.
    Shell,
    /// Runs lines as a program in its own language.
    Interpreter(&'static str),
}

/// Shells, and programs at whose other end a shell may be.
const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "rbash",
    "zsh",
    "ksh",
    "dash",
    "ash",
    "fish",
    "mksh",
    "pdksh",
    "yash",
    "csh",
    "tcsh",
    "xonsh",
    "nu",
    "elvish",
    "pwsh",
    "powershell",
    "busybox",
    "toybox",
    "ssh",
    "autossh",
    "mosh",
    "telnet",
    "nc",
    "ncat",
    "netcat",
    "socat",
    "docker",
    "podman",
    "nerdctl",
    "kubectl",
    "oc",
    "lxc",
    "incus",
    "machinectl",
    "nsenter",
    "unshare",
    "chroot",
    "su",
    "sudo",
    "doas",
    "script",
    "tmux",
    "screen",
    "adb",
    "vagrant",
    "expect",
    "at",
    "batch",
    "xargs",
    "parallel",
    "gdb",
    "lldb",
];

/// Interpreters: by which beginning of a name they are known, and how they take a program as an argument.
const INTERPRETERS: &[(&str, &str)] = &[
    ("python", "python3 -c"),
    ("pypy", "python3 -c"),
    ("ipython", "python3 -c"),
    ("bpython", "python3 -c"),
    ("jupyter", "python3 -c"),
    ("node", "node -e"),
    ("bun", "node -e"),
    ("deno", "node -e"),
    ("ruby", "ruby -e"),
    ("irb", "ruby -e"),
    ("pry", "ruby -e"),
    ("perl", "perl -e"),
    ("php", "php -r"),
    ("lua", "lua -e"),
    ("tclsh", "tclsh -e"),
    ("julia", "julia -e"),
    ("rscript", "Rscript -e"),
    ("psql", "psql -c"),
    ("mysql", "mysql -e"),
    ("mariadb", "mysql -e"),
    ("sqlite3", "sqlite3 db"),
];

pub(super) fn of(who: &Listening<'_>, host: &CommandContext<'_>) -> Vec<InputReader> {
    let called = [who.command, who.before].map(|text| spellings(text, host)).concat();
    let called = called.iter().filter_map(|spelling| spelling.split_whitespace().next());
    let mut readers = Vec::new();
    for name in called.chain(who.processes.iter().map(String::as_str)) {
        if let Some(reader) = reader(name)
            && !readers.contains(&reader)
        {
            readers.push(reader);
        }
    }
    readers
}

fn reader(program: &str) -> Option<InputReader> {
    let name = program.rsplit('/').next().unwrap_or(program).trim_start_matches('-');
    let name = name.to_ascii_lowercase();
    // `bash-5.2`, `python3.12`: the version does not count.
    let bare = name.trim_end_matches(|end: char| end.is_ascii_digit() || ".-".contains(end));
    if SHELLS.contains(&name.as_str()) || SHELLS.contains(&bare) {
        return Some(InputReader::Shell);
    }
    INTERPRETERS
        .iter()
        .find(|(known, _)| bare == *known || name == *known)
        .map(|(_, call)| InputReader::Interpreter(call))
}

/// A command that is given the program as an argument: what is judged about one is judged so.
pub(super) fn as_argument(call: &str, program: &str) -> String {
    format!("{call} '{}'", program.replace('\'', "'\\''"))
}

/// The command behind what means "to the shell" in pagers, editors, debuggers and clients.
pub(super) fn behind_escape(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix(':').unwrap_or(line).trim_start();
    ["\\!", ".shell ", ".system ", "shell ", "system ", "!", "%sx ", "%system "]
        .iter()
        .find_map(|escape| line.strip_prefix(escape))
}

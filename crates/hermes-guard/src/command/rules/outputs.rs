//! Options that name the file a program writes, whatever program it is.

use super::super::call::{Arg, ProgramCall};
use super::super::paths;
use super::files::SYSTEM;
use super::{DangerRule, RuleCheck};

pub(super) const RULES: &[DangerRule] = &[DangerRule {
    category: SYSTEM,
    programs: &[],
    check: RuleCheck::Structure,
    catches: &[
        "sort -o /etc/passwd names.txt",
        "gcc -o /usr/bin/ls evil.c",
        "sometool --output=/etc/hosts x",
        "pandoc -o ~/.bashrc x.md",
        "openssl rand -out ~/.ssh/id_rsa 32",
        "jq -r .x a.json --outfile /etc/cron.d/x",
        "ffmpeg -i a.wav --log-file ~/.ssh/authorized_keys b.mp3",
    ],
    passes: &[
        "gcc -o build/x x.c",
        "sort -o names.txt names.txt",
        "grep -o root /etc/passwd",
        "ssh -o ConnectTimeout=5 host",
        "ps -o pid,cmd",
        "kubectl get pods -o yaml",
        "curl -o x.html https://x.io",
        "sometool --output=out.txt /etc/hosts",
        "find /etc -name x -o -name y",
    ],
}];

/// Names of options for what is written.
const OUTPUTS: &[&str] = &[
    "-o",
    "-out",
    "--out",
    "--output",
    "--outfile",
    "--out-file",
    "--output-file",
    "--output-path",
    "--output-document",
    "--outdir",
    "--output-dir",
    "--dest",
    "--destination",
    "--target-file",
    "--log-file",
    "--logfile",
    "--save",
    "--save-to",
    "--write",
    "--write-to",
    "--dump-to",
    "--export-to",
    "--report-file",
    "--keyout",
    "-keyout",
    "--metrics-file",
    "--pid-file",
    "--trace-file",
];

/// Programs whose `-o` is something else.
const OTHERWISE: &[&str] = &[
    "grep", "egrep", "fgrep", "rg", "ag", "ssh", "scp", "sftp", "ps", "ls", "set", "test", "[",
    "find", "mount", "echo", "printf", "useradd", "adduser", "usermod", "umount", "sshfs", "shopt",
    "bash", "sh", "zsh", "git",
];

/// Whether an option of a call names a file of the system or of an account to be written.
pub(crate) fn writes_system(call: &ProgramCall<'_>) -> bool {
    if OTHERWISE.contains(&call.name) {
        return false;
    }
    let is_system = |text: &str| {
        text.starts_with(['/', '~', '.'])
            && text.len() > 4
            && !text.starts_with("/dev/")
            && paths::is_sensitive(&call.path(text))
    };
    call.args.iter().enumerate().any(|(at, arg)| {
        let text = arg.as_str();
        if !text.starts_with('-') {
            return false;
        }
        match text.split_once('=') {
            Some((option, value)) => OUTPUTS.contains(&option) && is_system(value),
            None => {
                OUTPUTS.contains(&text)
                    && call.args.get(at + 1).map(Arg::as_str).is_some_and(is_system)
            }
        }
    })
}

//! Logs and histories.

use super::super::super::call::{Arg, ProgramCall};
use super::super::super::category::Category;
use super::super::super::paths;
use super::super::{DangerRule, REDIRECTION, RuleCheck};

pub(crate) const TRACES: Category =
    Category::asks("traces erased", "Logs or histories that show what happened would be lost.");

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: TRACES,
        programs: &[],
        check: RuleCheck::Words(&[
            ("history", "-c"),
            ("history", "-d"),
            ("fc", "-p /dev/null"),
            ("touch", "-d|-t|-r|--date=*|--reference=* /var/log/*|/usr/bin/*|/etc/*|/bin/*"),
            ("unset", "HISTFILE|HISTSIZE|HISTFILESIZE"),
            ("export|declare|typeset", "HISTSIZE=0|HISTFILESIZE=0|HISTFILE=|HISTFILE=/dev/null"),
            ("set", "+o history"),
            ("journalctl", "--vacuum-*|--rotate"),
            ("wevtutil", "cl|clear-log"),
            ("utmpdump", "-r"),
            ("logrotate", "-f|--force"),
            ("dmesg", "-C|-c|--clear|--read-clear"),
            ("auditctl", "-D"),
            ("log", "erase"),
        ]),
        catches: &["history -c", "journalctl --vacuum-time=1s", "dmesg -C"],
        passes: &["history", "journalctl -u x", "dmesg | tail", "history 20"],
    },
    DangerRule {
        category: TRACES,
        programs: &[
            "rm",
            "truncate",
            "shred",
            "unlink",
            "ln",
            "cp",
            "mv",
            "sed",
            "dd",
            "tee",
            REDIRECTION,
        ],
        check: RuleCheck::Call(erases_traces),
        catches: &[
            "> /var/log/auth.log",
            "truncate -s 0 /var/log/syslog",
            "rm ~/.bash_history",
            "ln -sf /dev/null ~/.bash_history",
            ": > ~/.zsh_history",
        ],
        passes: &[
            "cat /var/log/syslog",
            "cp /var/log/syslog .",
            "tail -f /var/log/nginx/access.log",
            "echo x >> app.log",
            "ls > /tmp/x",
        ],
    },
];

/// Logs of the system and histories of shells that are emptied, removed or led elsewhere.
fn erases_traces(call: &ProgramCall<'_>) -> bool {
    let is_trace = |text: &str| {
        let path = call.path(text);
        path.starts_with("/var/log/") && !path.contains("/nginx/cache")
            || matches!(path.as_ref(), "/var/run/utmp" | "/run/utmp" | "/var/log")
            || paths::below_home(&path).is_some_and(|rest| {
                matches!(
                    rest,
                    ".bash_history"
                        | ".zsh_history"
                        | ".histfile"
                        | ".python_history"
                        | ".mysql_history"
                        | ".psql_history"
                        | ".local/share/fish/fish_history"
                        | ".lesshst"
                        | ".viminfo"
                        | ".node_repl_history"
                        | ".sqlite_history"
                        | ".rediscli_history"
                )
            })
    };
    let operands: Vec<&Arg<'_>> = call.operands().collect();
    match call.name {
        "dd" => call.args.iter().any(|arg| arg.text.strip_prefix("of=").is_some_and(is_trace)),
        "tee" => !call.has(&["-a", "--append"]) && operands.iter().any(|arg| is_trace(&arg.text)),
        "cp" | "ln" => operands.len() > 1 && operands.last().is_some_and(|arg| is_trace(&arg.text)),
        "sed" => {
            call.args.iter().any(|arg| arg.text.starts_with("-i") || arg.text == "--in-place")
                && operands.iter().any(|arg| is_trace(&arg.text))
        }
        _ => operands.iter().any(|arg| is_trace(&arg.text)),
    }
}

//! Ending everything: power, and all processes at once.

use super::super::call::ProgramCall;
use super::super::category::Category;
use super::super::options::{Opt, Spec, options};
use super::{DangerRule, REDIRECTION, RuleCheck};

const POWER: Category = Category::never(
    "power",
    "The machine would be turned off or restarted, and this agent with it.",
);
const KILL_ALL: Category =
    Category::never("kill all processes", "Every process the user may kill would be killed.");

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: POWER,
        programs: &["shutdown", "reboot", "halt", "poweroff"],
        check: RuleCheck::Call(|call| {
            !call.asks_for_help() && !call.has(&["-c", "-k", "--show", "-w", "--wtmp-only"])
        }),
        catches: &[
            "shutdown -h now",
            "sudo reboot",
            "/sbin/halt",
            "poweroff -f",
            "true && shutdown -r +1",
            "if x; then reboot; fi",
            "! reboot",
            "A=1 nohup reboot",
            "busybox poweroff",
        ],
        passes: &[
            "echo reboot",
            "man shutdown",
            "grep reboot x",
            "cat reboot.log",
            "shutdown --help",
            "git commit -m 'reboot; halt'",
            "which reboot",
            "npm run reboot",
            "./shutdown-server.sh",
            "./shutdown now",
            "bin/reboot",
        ],
    },
    DangerRule {
        category: POWER,
        programs: &["init", "telinit"],
        check: RuleCheck::Call(|call| matches!(call.arg(0), "0" | "6")),
        catches: &["init 0", "telinit 6"],
        passes: &["init 3", "npm init 0", "terraform init"],
    },
    DangerRule {
        category: POWER,
        programs: &["systemctl", "loginctl", "rc-service", "openrc-shutdown"],
        check: RuleCheck::Call(systemctl_ends_all),
        catches: &[
            "systemctl reboot",
            "systemctl --no-wall -f poweroff",
            "systemctl isolate reboot.target",
            "systemctl start poweroff.target",
            "loginctl reboot",
            "systemctl kexec",
            "systemctl halt",
        ],
        passes: &[
            "systemctl status reboot",
            "systemctl list-units",
            "loginctl list-sessions",
            "systemctl start nginx",
        ],
    },
    DangerRule {
        category: POWER,
        programs: &["dbus-send", "busctl", "gdbus", "qdbus"],
        check: RuleCheck::Call(|call| {
            let manager = call.args.iter().any(|arg| {
                arg.text.contains("login1")
                    || arg.text.contains("systemd1")
                    || arg.text.contains("ConsoleKit")
            });
            manager
                && call.args.iter().any(|arg| {
                    let method =
                        arg.text.rsplit_once('.').map_or(arg.as_str(), |(_, method)| method);
                    matches!(method, "PowerOff" | "Reboot" | "Halt" | "KExec" | "Stop" | "Restart")
                })
        }),
        catches: &[
            "busctl call org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager Reboot b true",
        ],
        passes: &[
            "busctl list",
            "busctl call org.freedesktop.login1 /x org.freedesktop.login1.Manager ListSessions",
        ],
    },
    DangerRule {
        category: POWER,
        programs: &["kexec"],
        check: RuleCheck::Call(|call| call.has(&["-e", "--exec"])),
        catches: &["kexec -e"],
        passes: &["kexec -l /boot/x"],
    },
    DangerRule {
        category: POWER,
        programs: &[REDIRECTION, "tee", "cp", "dd"],
        check: RuleCheck::Call(|call| {
            super::files::targets(call).iter().any(|path| path == "/proc/sysrq-trigger")
        }),
        catches: &["echo b > /proc/sysrq-trigger", "echo o | sudo tee /proc/sysrq-trigger"],
        passes: &["cat /proc/sysrq-trigger", "echo b > sysrq-trigger"],
    },
    DangerRule {
        category: KILL_ALL,
        programs: &["kill", "killall5"],
        check: RuleCheck::Call(kills_all),
        catches: &[
            "kill -9 -1",
            "kill -- -1",
            "kill -s KILL -1",
            "kill -KILL -1",
            "kill -9 -- -1",
            "kill 1234 -1",
        ],
        passes: &[
            "kill -1 1234",
            "kill -9 1234",
            "kill -HUP 1",
            "kill -l",
            "kill -9 -1234",
            "kill $!",
        ],
    },
];

/// Names that mean nothing dangerous unless the program is the system's.
pub(crate) fn is_only_of_system(name: &str) -> bool {
    matches!(
        name,
        "shutdown"
            | "reboot"
            | "halt"
            | "poweroff"
            | "init"
            | "telinit"
            | "mkfs"
            | "format"
            | "kexec"
    )
}

fn systemctl_ends_all(call: &ProgramCall<'_>) -> bool {
    const SPEC: Spec = Spec::with(
        "HMtpnos",
        &["host", "machine", "type", "property", "signal", "state", "root", "job-mode", "lines"],
    );
    if call.asks_for_help() {
        return false;
    }
    if call.name == "openrc-shutdown" {
        return true;
    }
    let mut words = options(call.args, &SPEC).filter_map(|opt| match opt {
        Opt::Operand(arg, _) => Some(arg.text.as_ref()),
        _ => None,
    });
    let ends = |name: &str| {
        let name =
            name.strip_suffix(".target").or_else(|| name.strip_suffix(".service")).unwrap_or(name);
        let name = name.strip_prefix("systemd-").unwrap_or(name);
        matches!(
            name,
            "poweroff"
                | "reboot"
                | "halt"
                | "kexec"
                | "shutdown"
                | "soft-reboot"
                | "runlevel0"
                | "runlevel6"
        )
    };
    match words.next() {
        Some("isolate" | "start" | "restart" | "default") => words.any(ends),
        Some(verb) => matches!(verb, "poweroff" | "reboot" | "halt" | "kexec" | "soft-reboot"),
        None => false,
    }
}

/// `kill -1 5` sends a signal to one process; `kill -9 -1` sends it to all.
fn kills_all(call: &ProgramCall<'_>) -> bool {
    if call.name == "killall5" {
        return !call.asks_for_help();
    }
    let mut args = call.args.iter().map(|arg| arg.text.as_ref()).peekable();
    let mut signal_given = false;
    match args.peek() {
        Some(&"-s" | &"-n" | &"--signal") => {
            args.next();
            args.next();
            signal_given = true;
        }
        Some(first) if first.starts_with("--signal=") => {
            args.next();
            signal_given = true;
        }
        Some(&"-l" | &"-L" | &"--list") => return false,
        _ => {}
    }
    let rest: Vec<&str> = args.collect();
    match rest.split_first() {
        Some((&"-1", [])) => true,
        // The first dashed word is the signal, unless one was given.
        Some((first, others)) if !signal_given && first.starts_with('-') && *first != "--" => {
            others.contains(&"-1")
        }
        _ => rest.contains(&"-1"),
    }
}

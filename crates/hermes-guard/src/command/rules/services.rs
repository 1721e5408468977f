//! Services, processes and protections that are switched off.

use super::super::call::{Arg, ProgramCall, Taint, Via};
use super::super::category::Category;
use super::super::options::{Opt, Spec, options};
use super::{DangerRule, RuleCheck};

const SERVICE: Category = Category::asks(
    "stop or restart a service",
    "A service that others may need is stopped or changed.",
);
const FORCE_KILL: Category = Category::asks(
    "force kill processes",
    "Processes are killed by name, without a chance to save anything.",
);
const SEARCH_KILL: Category = Category::asks(
    "kill processes by search",
    "Whatever a search finds is killed; it may be this agent.",
);
const PROTECTION: Category =
    Category::asks("disable protection", "A firewall or another protection is switched off.");

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: SERVICE,
        programs: &["systemctl", "service", "rc-service", "invoke-rc.d", "initctl"],
        check: RuleCheck::Call(stops_service),
        catches: &[
            "systemctl stop nginx",
            "sudo systemctl --now disable x",
            "systemctl --user restart y",
            "systemctl mask x",
            "systemctl kill x",
            "service nginx stop",
            "service ssh restart",
            "rc-service x stop",
        ],
        passes: &[
            "systemctl status nginx",
            "systemctl start x",
            "systemctl enable x",
            "service nginx status",
            "systemctl daemon-reload",
            "systemctl list-units --state=stop",
        ],
    },
    DangerRule {
        category: SERVICE,
        programs: INIT_SCRIPTS,
        check: RuleCheck::Call(|call| matches!(call.arg(0), "stop" | "restart" | "force-reload")),
        catches: &["/etc/init.d/nginx stop", "/etc/init.d/ssh restart"],
        passes: &["/etc/init.d/nginx status", "./nginx stop"],
    },
    DangerRule {
        category: FORCE_KILL,
        programs: &["pkill", "killall", "skill", "killall5"],
        check: RuleCheck::Call(kills_hard),
        catches: &[
            "pkill -9 node",
            "pkill -KILL x",
            "pkill --signal 9 x",
            "killall -9 x",
            "killall -s KILL x",
            "killall -r 'x.*'",
            "pkill -SIGKILL x",
            "pkill -f -9 x",
            "killall --signal=KILL x",
            "pkill -s9 x --signal KILL",
            "pkill -u me",
            "killall -u me",
            "pkill -U 1000",
        ],
        passes: &[
            "pkill node",
            "killall node",
            "pkill -f 'npm run'",
            "pkill -HUP nginx",
            "killall -l",
            "pkill -TERM x",
            "pkill -u me chrome",
        ],
    },
    DangerRule {
        category: SEARCH_KILL,
        programs: &["kill"],
        check: RuleCheck::Call(|call| {
            // The jobs of this shell, or whoever holds a port, are not searched for by a name.
            let named = |arg: &Arg<'_>| arg.taint.has(Taint::LISTED);
            let found = |arg: &Arg<'_>| arg.taint.has(Taint::PROCESSES);
            let is_any = |arg: &Arg<'_>| super::super::names::is_pattern(&arg.text);
            call.args.iter().any(found)
                || call.args.iter().any(is_any)
                || call.args.len() > MANY_PROCESSES
                || call.via.has(Via::XARGS) && !call.args.iter().any(named)
        }),
        catches: &[
            "kill -9 $(pgrep node)",
            "kill `pidof x`",
            "ps aux | grep x | awk '{print $2}' | xargs kill -9",
            "pids=$(pgrep x); kill $pids",
        ],
        passes: &[
            "kill 123",
            "kill -9 123",
            "kill %1",
            "kill $PID",
            "kill $(cat x.pid)",
            "kill $(lsof -ti:3000)",
            "pgrep node",
        ],
    },
    DangerRule {
        category: PROTECTION,
        programs: &[
            "iptables",
            "ip6tables",
            "ufw",
            "nft",
            "setenforce",
            "pfctl",
            "firewall-cmd",
            "spctl",
            "csrutil",
            "netsh",
            "aa-teardown",
            "apparmor_parser",
            "auditctl",
        ],
        check: RuleCheck::Call(disables),
        catches: &[
            "iptables -F",
            "sudo ufw disable",
            "nft flush ruleset",
            "setenforce 0",
            "iptables --flush INPUT",
            "iptables -P INPUT ACCEPT",
            "pfctl -d",
        ],
        passes: &[
            "iptables -L",
            "ufw status",
            "nft list ruleset",
            "getenforce",
            "setenforce 1",
            "ufw allow 22",
        ],
    },
];

/// Whoever names so many processes has not chosen them.
const MANY_PROCESSES: usize = 16;

/// The name under which scripts in `/etc/init.d` are looked up.
pub(crate) const INIT_SCRIPT: &str = "/etc/init.d/";
const INIT_SCRIPTS: &[&str] = &[INIT_SCRIPT];

fn operands<'c>(call: &ProgramCall<'c>, spec: &Spec) -> Vec<&'c str> {
    let operand = |opt| match opt {
        Opt::Operand(arg, _) => Some(super::super::call::Arg::as_str(arg)),
        _ => None,
    };
    options(call.args, spec).filter_map(operand).collect()
}

fn stops_service(call: &ProgramCall<'_>) -> bool {
    if call.asks_for_help() {
        return false;
    }
    match call.name {
        "systemctl" => {
            const SPEC: Spec = Spec::with(
                "HMtpnos",
                &[
                    "host",
                    "machine",
                    "type",
                    "property",
                    "signal",
                    "state",
                    "root",
                    "job-mode",
                    "lines",
                    "kill-whom",
                ],
            );
            let verb = operands(call, &SPEC).first().copied().unwrap_or_default();
            matches!(
                verb,
                "stop"
                    | "restart"
                    | "try-restart"
                    | "condrestart"
                    | "reload-or-restart"
                    | "disable"
                    | "mask"
                    | "kill"
                    | "freeze"
                    | "emergency"
                    | "rescue"
            )
        }
        "initctl" => matches!(call.arg(0), "stop" | "restart"),
        _ => {
            let words = operands(call, &Spec::FLAGS);
            matches!(
                words.get(1).copied(),
                Some("stop" | "restart" | "force-restart" | "force-reload")
            )
        }
    }
}

fn is_kill(signal: &str) -> bool {
    let signal = signal.to_ascii_uppercase();
    matches!(signal.as_str(), "9" | "KILL" | "SIGKILL")
}

fn kills_hard(call: &ProgramCall<'_>) -> bool {
    if takes_all_of_somebody(call) {
        return true;
    }
    let mut args = call.args.iter().map(|arg| arg.text.as_ref()).peekable();
    while let Some(text) = args.next() {
        let hard = match (text, text.strip_prefix("--signal=")) {
            (_, Some(signal)) => is_kill(signal),
            ("--signal" | "-s", _) => args.peek().is_some_and(|next| is_kill(next)),
            ("--regexp", _) => true,
            _ if text.starts_with("--") => false,
            _ => text.strip_prefix('-').is_some_and(|letters| bundle_kills(call.name, letters)),
        };
        if hard {
            return true;
        }
    }
    false
}

/// Whether it is told whose processes are meant and not which: `pkill -u ada`, `killall -u ada`.
fn takes_all_of_somebody(call: &ProgramCall<'_>) -> bool {
    const SPEC: Spec =
        Spec::with("uUgGPst", &["euid", "uid", "group", "pgroup", "user", "signal", "session"]);
    let mut of_whom = false;
    let mut names = 0;
    for opt in options(call.args, &SPEC) {
        match opt {
            Opt::Operand(..) => names += 1,
            opt => {
                of_whom |= opt.is('u', "user") || opt.is('u', "euid") || opt.is('U', "uid");
            }
        }
    }
    of_whom && names == 0
}

/// `-9`, `-KILL`, `-sKILL`, `-9f`; killall's `-r` takes a pattern.
fn bundle_kills(name: &str, letters: &str) -> bool {
    let by_pattern = name == "killall"
        && letters.chars().all(|char| "egiIlqrvwoysu".contains(char))
        && letters.contains('r');
    let number_first = letters
        .strip_prefix('9')
        .is_some_and(|rest| rest.chars().all(|char| char.is_ascii_alphabetic()));
    by_pattern || number_first || is_kill(letters) || letters.strip_prefix('s').is_some_and(is_kill)
}

fn disables(call: &ProgramCall<'_>) -> bool {
    match call.name {
        "iptables" | "ip6tables" => {
            let opens = call.args.windows(3).any(|three| {
                matches!(three[0].text.as_ref(), "-P" | "--policy")
                    && three[2].text.eq_ignore_ascii_case("accept")
            });
            opens || call.has(&["-F", "--flush", "-X", "--delete-chain"])
        }
        "ufw" => call.has(&["disable", "reset"]),
        "nft" => call.has(&["flush"]) || (call.arg(0) == "delete" && call.has(&["table"])),
        "setenforce" => call.arg(0) == "0" || call.arg(0).eq_ignore_ascii_case("permissive"),
        "pfctl" => call.has(&["-d", "-F"]),
        "firewall-cmd" => call.has(&["--panic-off", "--remove-interface"]),
        "spctl" => call.has(&["--master-disable", "--global-disable"]),
        "csrutil" => call.arg(0) == "disable",
        "netsh" => call.has(&["advfirewall"]) && call.has(&["off"]),
        "aa-teardown" => true,
        "apparmor_parser" => call.has(&["-R", "--remove"]),
        "auditctl" => call.has(&["-D"]) || (call.has(&["-e"]) && call.has(&["0"])),
        _ => false,
    }
}

//! The agent's own gateway: stopping it ends whoever gives the command.

use super::super::call::{ProgramCall, Via};
use super::super::category::Category;
use super::super::options::{Opt, Spec, options};
use super::{DangerRule, RuleCheck};

const GATEWAY: Category = Category::asks(
    "gateway self-protection",
    "The gateway would be stopped, replaced or started a second time, and running agents with it.",
);

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: GATEWAY,
        programs: &["hermes"],
        check: RuleCheck::Call(stops_itself),
        catches: &[
            "hermes gateway stop",
            "hermes -p x gateway restart",
            "hermes update",
            "hermes gateway run &",
            "nohup hermes gateway run",
            "setsid hermes gateway run",
            "hermes --profile x update",
        ],
        passes: &[
            "hermes gateway status",
            "hermes gateway run",
            "hermes update --help",
            "echo hermes update",
            "hermes tools list",
        ],
    },
    DangerRule {
        category: GATEWAY,
        programs: &["python"],
        check: RuleCheck::Call(|call| {
            let module = call
                .args
                .windows(2)
                .any(|two| two[0].text == "-m" && two[1].text.starts_with("hermes"));
            module
                && call.has(&["gateway"])
                && (call.has(&["stop", "restart"]) || call.via.has(Via::BACKGROUND))
        }),
        catches: &["nohup python -m hermes_cli.main gateway run &"],
        passes: &["python -m hermes_cli.main gateway status"],
    },
    DangerRule {
        category: GATEWAY,
        programs: &["pkill", "killall"],
        check: RuleCheck::Call(|call| {
            call.operands().any(|arg| {
                let text = arg.text.to_ascii_lowercase();
                text.contains("hermes") || text.contains("gateway") || text.contains("cli.py")
            })
        }),
        catches: &[
            "pkill hermes",
            "pkill -f 'gateway run'",
            "killall hermes-gateway",
            "pkill -f cli.py",
        ],
        passes: &["pkill node", "pgrep hermes"],
    },
    DangerRule {
        category: GATEWAY,
        programs: &["launchctl"],
        check: RuleCheck::Call(|call| {
            const VERBS: &[&str] = &[
                "stop",
                "unload",
                "bootout",
                "kickstart",
                "kill",
                "remove",
                "restart",
                "disable",
                "load",
                "bootstrap",
            ];
            VERBS.contains(&call.arg(0))
                && call.args.iter().any(|arg| arg.text.to_ascii_lowercase().contains("hermes"))
        }),
        catches: &[
            "launchctl stop ai.hermes.gateway",
            "launchctl kickstart -k gui/501/ai.hermes.gateway",
        ],
        passes: &[
            "launchctl stop com.apple.x",
            "launchctl list ai.hermes.gateway",
            "launchctl print gui/501/ai.hermes.gateway",
        ],
    },
    DangerRule {
        category: GATEWAY,
        programs: &["systemctl", "service"],
        check: RuleCheck::Call(|call| {
            call.has(&["stop", "restart", "kill", "disable", "mask", "try-restart"])
                && call.args.iter().any(|arg| arg.text.to_ascii_lowercase().contains("hermes"))
        }),
        catches: &["systemctl --user restart hermes-gateway"],
        passes: &["systemctl --user status hermes-gateway", "systemctl restart nginx"],
    },
];

fn stops_itself(call: &ProgramCall<'_>) -> bool {
    const SPEC: Spec = Spec::with(
        "pmtsr",
        &["profile", "model", "toolsets", "skills", "resume", "provider", "config", "home"],
    );
    if call.has(&["--help", "-h", "--check"]) {
        return false;
    }
    let mut words = options(call.args, &SPEC).filter_map(|opt| match opt {
        Opt::Operand(arg, _) => Some(arg.text.as_ref()),
        _ => None,
    });
    match (words.next(), words.next()) {
        (Some("update"), _) => true,
        (Some("gateway"), Some("stop" | "restart")) => true,
        (Some("gateway"), Some("run") | None) => call.via.has(Via::BACKGROUND),
        _ => false,
    }
}

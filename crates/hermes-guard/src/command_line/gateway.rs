//! Commands that would end the gateway they run in.
//!
//! A gateway that runs commands for its users must not be asked to stop itself half way through one:
//! the answer would never arrive, and a restart would kill the command that asked for it. The caller
//! asks [`stops_gateway`] only when it runs inside a gateway.
//!
//! This is about accidents. A process number worked out elsewhere, or a name put together from
//! variables, is not followed.

use std::borrow::Cow;

use crate::shell::{CommandPosition, ShellScript};

use super::call::{LineCall, base_name};
use super::nested::{carries, find_command};
use super::quoted;

/// How many arguments of a program that runs others may stand before the other's name.
const MAX_SKIPPED: usize = 64;

/// The words of a command that stops or restarts the gateway.
///
/// `hermes gateway restart|stop`, the same through `systemctl`, `service` and `launchctl`, and signals
/// to a process whose description names both hermes and its gateway. It counts wherever a shell would
/// run it, also a nested one (`bash -c '…'`), and not where it is only printed or searched for.
#[must_use]
pub fn stops_gateway(command: &str) -> Option<String> {
    find_command(command, &mut |script, place| {
        stops(script, place).then(|| quoted(script.source, place.command.span))
    })
}

fn stops(script: &ShellScript<'_>, place: &CommandPosition<'_, '_>) -> bool {
    let Some(call) = LineCall::of(place.command) else { return false };
    if call.asks_for_help() {
        return false;
    }
    let words = call.words();
    let last = if carries(call.program()) { MAX_SKIPPED.min(words.len()) } else { 1 };
    // Where `xargs kill` gets its numbers from stands elsewhere in the pipeline.
    let around = || place.pipeline.span.of(script.source);
    (0..last).any(|at| Stop::of(&words[at..]).is_some_and(|stop| stop.reaches_gateway(around)))
}

/// A command that stops something.
enum Stop<'w> {
    /// It is surely the gateway.
    Gateway,
    /// One of these services.
    Services(&'w [Cow<'w, str>]),
    /// Processes that the text around describes.
    Processes,
}

impl<'w> Stop<'w> {
    fn of(words: &'w [Cow<'w, str>]) -> Option<Self> {
        let (program, args) = words.split_first()?;
        match base_name(program) {
            "hermes" => {
                let rest = &args[behind_options(args, &["gateway"])? + 1..];
                behind_options(rest, &["restart", "stop"]).map(|_| Self::Gateway)
            }
            "launchctl" => {
                const VERBS: &[&str] = &[
                    "bootout",
                    "kickstart",
                    "kill",
                    "load",
                    "remove",
                    "restart",
                    "stop",
                    "unload",
                ];
                behind_options(args, VERBS).map(|_| Self::Services(args))
            }
            "systemctl" => {
                const VERBS: &[&str] =
                    &["kill", "reload-or-restart", "restart", "start", "stop", "try-restart"];
                behind_options(args, VERBS).map(|_| Self::Services(args))
            }
            "service" => {
                let acts =
                    args.get(1).is_some_and(|verb| matches!(verb.as_ref(), "restart" | "stop"));
                acts.then_some(Self::Services(args))
            }
            "kill" | "pkill" | "killall" => {
                const HARMLESS: &[&str] = &["-0", "-l", "-L"];
                let ends = args.first().is_none_or(|arg| !HARMLESS.contains(&arg.as_ref()));
                ends.then_some(Self::Processes)
            }
            _ => None,
        }
    }

    fn reaches_gateway<'t>(&self, around: impl Fn() -> &'t str) -> bool {
        match self {
            Self::Gateway => true,
            Self::Services(names) => names.iter().any(|name| {
                let name = name.to_ascii_lowercase();
                name.contains("hermes-gateway") || name.contains("ai.hermes.gateway")
            }),
            Self::Processes => {
                let text = around().to_ascii_lowercase();
                text.contains("hermes") && text.contains("gateway")
            }
        }
    }
}

/// The index of the first of these words, when only options, perhaps with values, stand before it.
fn behind_options(args: &[Cow<'_, str>], wanted: &[&str]) -> Option<usize> {
    let mut after_option = false;
    for (index, arg) in args.iter().enumerate() {
        if wanted.contains(&arg.as_ref()) {
            return Some(index);
        }
        let option = arg.starts_with('-');
        if !option && !after_option {
            return None;
        }
        after_option = option && !arg.contains('=');
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_stops_the_gateway() {
        for line in [
            "hermes gateway restart",
            "hermes gateway stop",
            "/usr/local/bin/hermes gateway stop --all",
            "hermes -p x gateway restart",
            "hermes --profile=x gateway restart",
            "hermes --profile x -v gateway --force stop",
            "sudo hermes gateway stop",
            "sleep 5 && hermes gateway restart &",
            "(hermes gateway stop)",
            "echo $(hermes gateway stop)",
            "'hermes' gateway st\"op\"",
            "launchctl kickstart -k gui/501/ai.hermes.gateway",
            "launchctl unload ~/Library/LaunchAgents/ai.hermes.gateway.plist",
            "launchctl load x/hermes-gateway.plist",
            "launchctl stop hermes-gateway",
            "launchctl restart hermes-gateway",
            "launchctl bootout gui/501/ai.hermes.gateway",
            "systemctl restart hermes-gateway",
            "systemctl --user stop hermes-gateway.service",
            "sudo systemctl --no-block start hermes-gateway",
            "systemctl -M box restart nginx hermes-gateway",
            "service hermes-gateway restart",
            "pkill -f hermes-gateway",
            "pkill -f 'hermes gateway'",
            "pkill -f 'gateway.*hermes'",
            "killall hermes-gateway",
            "kill -9 $(pgrep -f 'hermes.*gateway')",
            "kill `cat ~/.hermes/gateway.pid`",
            "pgrep -f 'Hermes Gateway' | xargs kill -9",
            "ps ax | grep hermes | grep gateway | awk '{print $1}' | xargs -n 1 sudo kill",
        ] {
            assert!(stops_gateway(line).is_some(), "{line}");
        }
    }

    #[test]
    fn looks_into_nested_shells() {
        for line in [
            "bash -c 'sleep 3; hermes gateway restart'",
            "nohup sh -c \"hermes gateway stop\" &",
            "eval hermes gateway restart",
            "echo hermes gateway restart | at now + 1 minute",
            "bash <<E\nhermes gateway stop\nE",
            "systemd-run --user --on-active=5 hermes gateway restart",
            "xargs hermes gateway stop < f",
            "trap 'hermes gateway stop' EXIT",
            "tmux new-session -d 'hermes gateway restart'",
            "echo `true \\$x`; hermes gateway stop",
        ] {
            assert!(stops_gateway(line).is_some(), "{line}");
        }
    }

    #[test]
    fn what_leaves_it_running_is_fine() {
        for line in [
            "",
            "hermes gateway start",
            "hermes gateway status",
            "hermes gateway",
            "hermes gateway restart --help",
            "hermes chat gateway restart",
            "hermes tools stop",
            "launchctl list ai.hermes.gateway",
            "launchctl stop com.example.other",
            "systemctl status hermes-gateway",
            "systemctl --user is-active hermes-gateway",
            "systemctl restart nginx",
            "systemctl restart hermes",
            "service hermes-gateway status",
            "kill 123",
            "pkill -f hermes",
            "pkill -f gateway",
            "kill -0 $(cat ~/.hermes/gateway.pid)",
            "pkill -f hermes; echo gateway",
            "pgrep -f hermes-gateway",
            "journalctl -u hermes-gateway",
        ] {
            assert_eq!(stops_gateway(line), None, "{line}");
        }
    }

    #[test]
    fn printing_and_searching_is_fine() {
        for line in [
            "echo hermes gateway restart",
            "echo 'hermes gateway restart'",
            "echo \"; hermes gateway restart\"",
            "grep -r 'hermes gateway restart' docs",
            "git commit -m 'hermes gateway stop; pkill hermes gateway'",
            "cat <<E\nhermes gateway stop\nE",
            "cat > notes <<'E'\nsystemctl restart hermes-gateway\nE",
            "man hermes gateway stop",
            "# hermes gateway stop",
            "echo kill hermes gateway",
        ] {
            assert_eq!(stops_gateway(line), None, "{line}");
        }
    }

    #[test]
    fn quotes_the_command_that_does_it() {
        let found = stops_gateway("cd x && sudo  hermes\tgateway stop; ls");
        assert_eq!(found.as_deref(), Some("sudo hermes gateway stop"));
        let long = stops_gateway(&format!("hermes gateway stop {}", "é".repeat(500)));
        assert_eq!(long.unwrap().chars().count(), super::super::MAX_QUOTED_CHARS + 1);
    }
}

//! Waiting for CI by hand.

use std::borrow::Cow;

use super::call::LineCall;
use super::nested::find_command;

/// Whether a command line looks at the checks of a pull request itself: it asks for
/// `statusCheckRollup`, or puts `gh pr view` or `gh pr checks` through jq. `gh pr checks --watch`
/// does that waiting better.
#[must_use]
pub fn is_home_made_ci_poller(command: &str) -> bool {
    if command.contains("statusCheckRollup") {
        return true;
    }
    let (mut asks, mut picks) = (false, false);
    find_command(command, &mut |_, place| {
        let call = LineCall::of(place.command)?;
        picks |= call.program() == "jq";
        if call.program() == "gh" && looks_at_pull_request(call.args()) {
            asks = true;
            picks |= call.args().iter().any(|arg| is_jq_option(arg));
        }
        (asks && picks).then_some(())
    })
    .is_some()
}

/// `pr view` or `pr checks`, options around them allowed.
fn looks_at_pull_request(args: &[Cow<'_, str>]) -> bool {
    let Some(at) = args.iter().position(|arg| arg == "pr") else { return false };
    let rest = args[at + 1..].iter();
    rest.take(3).any(|arg| matches!(arg.as_ref(), "view" | "checks"))
}

fn is_jq_option(arg: &str) -> bool {
    arg == "-q" || arg == "--jq" || arg.starts_with("--jq=")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_home_made_pollers() {
        for line in [
            "gh pr view 5 --json statusCheckRollup",
            "gh api graphql -f query='{ x { statusCheckRollup { state } } }'",
            "while ! gh pr checks 5 --json state | jq -e 'all'; do sleep 9; done",
            "gh pr view 5 --json state --jq .state",
            "gh pr view 5 --json state -q .state",
            "gh pr checks 5 --json state --jq=.x",
            "gh -R a/b pr checks 5 > f; jq . f",
            "s=$(gh pr checks 5 --json state); echo $s | jq .",
            "bash -c 'gh pr checks 5 --json state | jq .'",
        ] {
            assert!(is_home_made_ci_poller(line), "{line}");
        }
    }

    #[test]
    fn other_commands_are_none() {
        for line in [
            "",
            "gh pr checks 5 --watch",
            "gh pr view 5",
            "gh pr list --json x | jq .",
            "gh run watch 7",
            "gh issue view 5 | jq .",
            "jq . f",
            "echo 'gh pr view' | jq -R .",
            "git checkout pr view | jq .",
        ] {
            assert!(!is_home_made_ci_poller(line), "{line}");
        }
    }
}

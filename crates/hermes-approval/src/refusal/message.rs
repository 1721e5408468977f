//! The words of a refusal. A model reads them, so they never say how a rule is lifted: that is for
//! `hermes approvals test` and the documentation to tell a person.

use crate::concern::{Concern, describe};

use super::RefusalReason;

/// Ends every refusal that a model could be tempted to work around.
const NO_WAY_ROUND: &str = "Do not run it again, do not rephrase it, and do not reach the same \
                            end another way. Tell the user what you wanted to do and why, and go \
                            on with what is possible without it.";

pub(super) fn message(reason: &RefusalReason, concerns: &[Concern]) -> String {
    let what = describe(concerns);
    match reason {
        RefusalReason::Floor => format!(
            "BLOCKED (hardline): {what}. No setting, mode or approval lifts this rule. \
             {NO_WAY_ROUND} If it is really meant, the user can run it in a terminal of their own."
        ),
        RefusalReason::SudoStdin => format!(
            "BLOCKED: the command makes sudo read a password from its input, and there \
             is none. Use plain `sudo` without `-S`, `--stdin` or `-A`; only the user \
             can provide a password. {NO_WAY_ROUND}"
        ),
        RefusalReason::DenyRule(pattern) => format!(
            "BLOCKED: the user's rule `{pattern}` forbids this command. Only the user \
             can lift it. {NO_WAY_ROUND}"
        ),
        RefusalReason::Cron => format!(
            "BLOCKED: {what}. This is a scheduled job, so nobody can be asked. Only the user \
             can allow it, beforehand. {NO_WAY_ROUND}"
        ),
        RefusalReason::Headless => format!(
            "BLOCKED: {what}. Nobody is there to be asked. Only the user can allow it, \
             beforehand. {NO_WAY_ROUND}"
        ),
        RefusalReason::Denied(reason) => {
            let said = match reason {
                Some(reason) => format!(" Their reason: {reason}."),
                None => String::new(),
            };
            format!(
                "BLOCKED: the user was asked and said no.{said} Asked about {what}. {NO_WAY_ROUND}"
            )
        }
        RefusalReason::TimedOut(seconds) => format!(
            "BLOCKED: the user was asked and did not answer within {seconds} seconds. Silence is \
             not consent. Asked about {what}. {NO_WAY_ROUND}"
        ),
        RefusalReason::Unreachable(why) => format!(
            "BLOCKED: the user has to agree first and could not be asked: {why}. It was about \
             {what}. {NO_WAY_ROUND}"
        ),
        RefusalReason::Interrupted => format!(
            "BLOCKED: the call was interrupted while the user was being asked, which counts as a \
             no. Asked about {what}. {NO_WAY_ROUND}"
        ),
        RefusalReason::SmartDenied => format!(
            "BLOCKED: the automatic review found this command harmful, and nobody was there to \
             overrule it. It was about {what}. {NO_WAY_ROUND}"
        ),
        RefusalReason::Pending | RefusalReason::Required => format!(
            "The user has to agree first: {what}. It has not run. Wait for their answer; \
             {}",
            "do not run it again, rephrase it or reach the same end another way meanwhile."
        ),
    }
}

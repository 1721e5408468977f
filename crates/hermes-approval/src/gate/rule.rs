//! What can be decided without asking anybody: steps 1 to 8.

use hermes_guard::command::{Severity, analyse};

use super::Approvals;
use super::settle::Case;
use crate::concern::{Concern, concerns};
use crate::request::{Audience, Request};
use crate::settings::Unattended;
use crate::{Grant, GrantedBy, Reason, Refusal};

/// What the rules say.
pub(super) enum Ruling {
    Granted(Grant),
    Refused(Refusal),
    /// It depends: on these concerns, those of the scanner, and what people say.
    Open(Vec<Concern>),
}

impl Approvals {
    pub(super) fn rule(&self, request: &Request) -> Ruling {
        let granted = |by| Ruling::Granted(Grant::by(by));
        let command = request.command.as_str();
        if request.place.is_isolated() {
            return granted(GrantedBy::Isolation);
        }
        let refused = |reason, concerns| Ruling::Refused(Refusal::new(reason, command, concerns));
        let around = request.around.surroundings();
        let analysis = analyse(command, &around);
        if analysis.is_floor() {
            return refused(Reason::Floor, concerns(&analysis.findings, Severity::Floor));
        }
        let mut dangers = concerns(&analysis.findings, Severity::Dangerous);
        if analysis.sudo_reads_stdin && !self.settings.sudo_password {
            return refused(Reason::SudoStdin, dangers);
        }
        let matched = self.rules.matched(command, &around, &dangers);
        if let Some(pattern) = matched.deny {
            return refused(Reason::DenyRule(pattern.to_owned()), dangers);
        }
        if let Some(by) = self.everything_goes(&request.session) {
            return Ruling::Granted(Grant { by, concerns: dangers });
        }
        if matched.ask.is_empty()
            && let Some(rule) = self.rules.allowing(command)
        {
            let by = GrantedBy::AllowRule(rule.to_owned());
            return Ruling::Granted(Grant { by, concerns: dangers });
        }
        dangers.extend(matched.ask.iter().map(|rule| Concern::from_ask_rule(rule, command)));
        let by = match (request.audience, self.settings.cron, self.settings.headless) {
            (Audience::Cron, Unattended::Approve, _) => GrantedBy::CronMode,
            (Audience::Nobody, _, Unattended::Approve) => GrantedBy::HeadlessMode,
            _ => return Ruling::Open(dangers),
        };
        Ruling::Granted(Grant { by, concerns: dangers })
    }

    /// Takes off what was said yes to before; where nobody can be asked, the rest is a no.
    ///
    /// Scheduled jobs have a setting of their own: a yes that somebody gave at a prompt, even one
    /// for good, was not about them.
    pub(super) fn weigh(&self, case: &Case<'_>) -> Ruling {
        let refused = |reason, concerns| Ruling::Refused(Refusal::new(reason, case.text, concerns));
        let all = case.concerns.clone();
        if all.is_empty() {
            return Ruling::Granted(Grant::by(GrantedBy::NothingFlagged));
        }
        let open = match case.audience {
            Audience::Cron => return refused(Reason::Cron, all),
            Audience::Nobody => self.memory.not_permanent(all.clone()),
            Audience::Terminal | Audience::Gateway | Audience::Client => {
                self.memory.still_open(case.session, all.clone())
            }
        };
        match case.audience {
            _ if open.is_empty() => {
                Ruling::Granted(Grant { by: GrantedBy::Remembered, concerns: all })
            }
            Audience::Nobody => refused(Reason::Headless, open),
            _ => Ruling::Open(open),
        }
    }
}

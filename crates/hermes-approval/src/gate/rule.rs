//! What can be decided without asking anybody: steps 1 to 8.

use hermes_guard::command::{Analysis, RECURSIVE_DELETE_KEY, Severity, analyse, categories};

use super::Approvals;
use super::case::OpenCase;
use crate::concern::{Concern, ConcernSource, concerns};
use crate::links;
use crate::request::{Audience, CommandRequest, ExecutionTarget};
use crate::settings::Unattended;
use crate::{ApprovalGrant, ApprovalRefusal, GrantedBy, RefusalReason};

/// What the rules say.
pub(super) enum GateRuling {
    Granted(ApprovalGrant),
    Refused(ApprovalRefusal),
    /// It depends: on these concerns, those of the scanner, and what people say.
    Open(Vec<Concern>),
}

/// A deletion that would pass because of where it is, but a link leads elsewhere. On another machine
/// nobody can look, so the name counts.
fn led_out(request: &CommandRequest, analysis: &Analysis) -> Option<Concern> {
    if request.target != ExecutionTarget::Local {
        return None;
    }
    let path = analysis.disposables.iter().find(|path| links::lead_out(path, &request.host))?;
    let category = categories().find(|category| category.key == RECURSIVE_DELETE_KEY)?;
    Some(Concern {
        key: category.key.to_owned(),
        words: path.clone(),
        why: category.why.to_owned(),
        source: ConcernSource::Category,
    })
}

impl Approvals {
    pub(super) fn rule(&self, request: &CommandRequest) -> GateRuling {
        let granted = |by| GateRuling::Granted(ApprovalGrant::by(by));
        let command = request.command.as_str();
        if request.target.is_isolated() {
            return granted(GrantedBy::Isolation);
        }
        let refused =
            |reason, concerns| GateRuling::Refused(ApprovalRefusal::new(reason, command, concerns));
        let earlier = self.memory.earlier(&request.session);
        let host = request.command_context().after(earlier.as_deref());
        let analysis = analyse(command, &host);
        if analysis.is_floor() {
            return refused(RefusalReason::Floor, concerns(&analysis.findings, Severity::Floor));
        }
        let mut dangers = concerns(&analysis.findings, Severity::Dangerous);
        dangers.extend(led_out(request, &analysis));
        if analysis.sudo_reads_stdin && !self.settings.sudo_password {
            return refused(RefusalReason::SudoStdin, dangers);
        }
        let matched = self.rules.matched(command, &host, &dangers);
        if let Some(pattern) = matched.deny {
            return refused(RefusalReason::DenyRule(pattern.to_owned()), dangers);
        }
        if let Some(by) = self.everything_goes(&request.session) {
            return GateRuling::Granted(ApprovalGrant { by, concerns: dangers });
        }
        let own_rules = |concern: &Concern| concern.source == ConcernSource::OwnRules;
        if matched.ask.is_empty()
            && !dangers.iter().any(own_rules)
            && let Some(rule) = self.rules.allowing(command)
        {
            let by = GrantedBy::AllowRule(rule.to_owned());
            return GateRuling::Granted(ApprovalGrant { by, concerns: dangers });
        }
        dangers.extend(matched.ask.iter().map(|rule| Concern::from_ask_rule(rule, command)));
        self.unattended(request.audience, dangers)
    }

    /// The same from step 5 on, for what no allow rule can name.
    pub(super) fn open(
        &self,
        audience: Audience,
        session: &str,
        mut dangers: Vec<Concern>,
        asked: Vec<Concern>,
    ) -> GateRuling {
        if let Some(by) = self.everything_goes(session) {
            return GateRuling::Granted(ApprovalGrant { by, concerns: dangers });
        }
        dangers.extend(asked);
        self.unattended(audience, dangers)
    }

    /// Step 7.
    fn unattended(&self, audience: Audience, dangers: Vec<Concern>) -> GateRuling {
        let by = match (audience, self.settings.cron, self.settings.headless) {
            (Audience::Cron, Unattended::Approve, _) => GrantedBy::CronMode,
            (Audience::Nobody, _, Unattended::Approve) => GrantedBy::HeadlessMode,
            _ => return GateRuling::Open(dangers),
        };
        GateRuling::Granted(ApprovalGrant { by, concerns: dangers })
    }

    /// Takes off what was said yes to before; where nobody can be asked, the rest is a no.
    ///
    /// Scheduled jobs have a setting of their own: a yes that somebody gave at a prompt, even one
    /// for good, was not about them.
    pub(super) fn weigh(&self, case: &OpenCase<'_>) -> GateRuling {
        let refused = |reason, concerns| {
            GateRuling::Refused(ApprovalRefusal::new(reason, case.text, concerns))
        };
        let all = case.concerns.clone();
        if all.is_empty() {
            return GateRuling::Granted(ApprovalGrant::by(GrantedBy::NothingFlagged));
        }
        let open = match case.audience {
            Audience::Cron => return refused(RefusalReason::Cron, all),
            Audience::Nobody => self.memory.not_permanent(all.clone()),
            Audience::Terminal | Audience::Gateway | Audience::Client => {
                self.memory.still_open(case.session, all.clone())
            }
        };
        match case.audience {
            _ if open.is_empty() => {
                GateRuling::Granted(ApprovalGrant { by: GrantedBy::Remembered, concerns: all })
            }
            Audience::Nobody => refused(RefusalReason::Headless, open),
            _ => GateRuling::Open(open),
        }
    }
}

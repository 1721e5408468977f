//! Text for a program that already runs.
//!
//! The same order of decisions as for a command, over what the text means to whoever reads it
//! ([`hermes_guard::input`]). Floor and deny rules hold for every text and every program, and every
//! decision is logged; what is typed while a terminal hides it is a password, and is not.

use hermes_guard::command::{EarlierCommands, Severity};
use hermes_guard::input::analyse_input;

use super::Approvals;
use super::case::OpenCase;
use crate::approved::{Approved, ProgramInput};
use crate::concern::concerns;
use crate::request::{InputEcho, InputRequest};
use crate::{ApprovalGrant, ApprovalRefusal, GrantedBy, RefusalReason};

use super::rule::GateRuling;

impl Approvals {
    /// Decides about a text that would be typed to a program.
    pub async fn admit_input(
        &self,
        request: InputRequest,
    ) -> Result<Approved<ProgramInput>, ApprovalRefusal> {
        let mut left = EarlierCommands::default();
        let decision = match self.rule_input(&request, &mut left) {
            GateRuling::Granted(grant) => Ok(grant),
            GateRuling::Refused(refusal) => Err(refusal),
            GateRuling::Open(concerns) => {
                self.escalate(OpenCase::of_input(&request, concerns)).await
            }
        };
        let text = match request.echo {
            InputEcho::Shown => request.text.clone(),
            InputEcho::Hidden => {
                format!("[{} characters, typed unseen]", request.text.chars().count())
            }
        };
        self.log(&request.session, "input", &text, &decision).await;
        let InputRequest { text, target, session, .. } = request;
        if decision.is_ok() {
            self.memory.remember_left(&session, left);
        }
        decision.map(|grant| Approved::new(ProgramInput::new(text, target), grant))
    }

    /// What the text would leave for later commands goes to `left`.
    fn rule_input(&self, request: &InputRequest, left: &mut EarlierCommands) -> GateRuling {
        let granted = |by| GateRuling::Granted(ApprovalGrant::by(by));
        if request.target.is_isolated() {
            return granted(GrantedBy::Isolation);
        }
        let text = request.text.as_str();
        let refused =
            |reason, concerns| GateRuling::Refused(ApprovalRefusal::new(reason, text, concerns));
        let earlier = self.memory.earlier(&request.session);
        let host = request.host.command_context().after(earlier.as_deref());
        let mut analysis = analyse_input(text, &request.listening(), &host);
        *left = std::mem::take(&mut analysis.left);
        if analysis.is_floor() {
            return refused(RefusalReason::Floor, concerns(&analysis.findings, Severity::Floor));
        }
        let dangers = concerns(&analysis.findings, Severity::Dangerous);
        // Rules are about commands: they hold for each line, and for the line that is completed.
        let readings = request.readings();
        for reading in &readings {
            if let Some(pattern) = self.rules.matched(reading, &host, &dangers).deny {
                return refused(RefusalReason::DenyRule(pattern.to_owned()), dangers);
            }
        }
        let asked = readings.iter().flat_map(|reading| self.rules.asking(reading, &host));
        self.open(request.audience, &request.session, dangers, asked.collect())
    }
}

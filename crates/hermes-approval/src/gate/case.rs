//! A decision that is still open, in the form in which reviewer and person are asked about it.

use hermes_tool::CallIds;
use tokio_util::sync::CancellationToken;

use super::{Approvals, widest};
use crate::ask::ApprovalQuestion;
use crate::concern::{Concern, ConcernSource};
use crate::display::shown;
use crate::refusal::Doubt;
use crate::request::{
    Audience, CommandRequest, ConsentRequest, GrantScope, InputRequest, Purpose, ScriptRequest,
};

/// Something that the rules leave open: a command, a script, a plugin's rule.
pub(super) struct OpenCase<'a> {
    pub(super) text: &'a str,
    pub(super) session: &'a str,
    pub(super) purpose: Purpose,
    pub(super) audience: Audience,
    pub(super) concerns: Vec<Concern>,
    pub(super) cancellation: &'a CancellationToken,
    call: &'a CallIds,
    pub(super) kind: CaseKind,
    limit: GrantScope,
}

/// What a case is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CaseKind {
    /// Something that runs, which a model can review.
    Code,
    /// Something else.
    Consent,
}

impl<'a> OpenCase<'a> {
    pub(super) fn of(request: &'a CommandRequest, concerns: Vec<Concern>) -> Self {
        Self {
            text: &request.command,
            session: &request.session,
            purpose: request.purpose,
            audience: request.audience,
            concerns,
            cancellation: &request.cancellation,
            call: &request.call,
            kind: CaseKind::Code,
            limit: GrantScope::Always,
        }
    }

    pub(super) fn of_script(request: &'a ScriptRequest, concerns: Vec<Concern>) -> Self {
        Self {
            text: &request.code,
            session: &request.session,
            purpose: Purpose::ScriptRpc,
            audience: request.audience,
            concerns,
            cancellation: &request.cancellation,
            call: &request.call,
            kind: CaseKind::Code,
            limit: GrantScope::Always,
        }
    }

    pub(super) fn of_input(request: &'a InputRequest, concerns: Vec<Concern>) -> Self {
        Self {
            text: &request.text,
            session: &request.session,
            purpose: Purpose::Input,
            audience: request.audience,
            concerns,
            cancellation: &request.cancellation,
            call: &request.call,
            kind: CaseKind::Code,
            limit: GrantScope::Always,
        }
    }

    pub(super) fn of_consent(request: &'a ConsentRequest) -> Self {
        let concern = Concern {
            key: request.key.clone(),
            words: request.what.clone(),
            why: request.why.clone(),
            source: ConcernSource::Consent,
        };
        Self {
            text: &request.what,
            session: &request.session,
            purpose: request.purpose,
            audience: request.audience,
            concerns: vec![concern],
            cancellation: &request.cancellation,
            call: &request.call,
            kind: CaseKind::Consent,
            limit: request.widest,
        }
    }

    /// A model reviews only what runs, and never in place of a person the user wanted asked.
    pub(super) fn is_reviewable(&self) -> bool {
        let wants_person = |concern: &Concern| concern.source == ConcernSource::AskRule;
        self.kind == CaseKind::Code && !self.concerns.iter().any(wants_person)
    }

    pub(super) fn question(&self, doubt: Doubt, approvals: &Approvals) -> ApprovalQuestion {
        let widest = match doubt {
            // Overruling the reviewer is for this one operation.
            Doubt::ReviewerSaidNo => GrantScope::Once,
            Doubt::None => widest(&self.concerns).min(self.limit),
        };
        ApprovalQuestion {
            session: self.session.to_owned(),
            purpose: self.purpose,
            command: shown(self.text),
            concerns: self.concerns.clone(),
            widest,
            reviewer_said_no: doubt == Doubt::ReviewerSaidNo,
            call: self.call.clone(),
            wait: approvals.settings.timeout,
            cancellation: self.cancellation.child_token(),
        }
    }
}

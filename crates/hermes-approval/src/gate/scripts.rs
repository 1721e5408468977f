//! Whole scripts.
//!
//! The commands a script hands to Hermes meet the gate one by one; those it starts itself do not, and
//! neither does what it does to files. So its text is read first, as the text behind `python -c` would
//! be. With a person there, only what was found is asked about. Where nobody is there, a script that
//! nobody looked at runs only if somebody said so beforehand, or if the kernel keeps it from writing.

use hermes_guard::command::{analyse, category_for};

use super::case::OpenCase;
use super::rule::GateRuling;
use super::{Approvals, SCRIPT_KEY};
use crate::approved::{Approved, ScriptText};
use crate::concern::{Concern, ConcernSource};
use crate::request::{Audience, CommandRequest, Purpose, ScriptConfinement, ScriptRequest};
use crate::settings::Unattended;
use crate::{ApprovalGrant, ApprovalRefusal, GrantedBy, RefusalReason};

/// What a script is judged as the argument of.
const COMMAND: &str = "python3 -c";
/// The category of programs given as text that do more than can be read from them.
const INLINE_CODE: &str = "script execution via -e/-c flag";

impl Approvals {
    /// Decides about a whole script.
    pub async fn admit_script(
        &self,
        request: ScriptRequest,
    ) -> Result<Approved<ScriptText>, ApprovalRefusal> {
        let decision = self.decide_script(&request).await;
        self.log(&request.session, "script", &request.code, &decision).await;
        if decision.is_ok() && !request.target.is_isolated() {
            let command = as_command(&request);
            let earlier = self.memory.earlier(&request.session);
            let around = command.command_context().after(earlier.as_deref());
            self.memory.remember_left(&request.session, analyse(&command.command, &around).left);
        }
        let ScriptRequest { code, session, target, .. } = request;
        decision.map(|grant| Approved::new(ScriptText::new(code, session, target), grant))
    }

    async fn decide_script(
        &self,
        request: &ScriptRequest,
    ) -> Result<ApprovalGrant, ApprovalRefusal> {
        let found = match self.rule(&as_command(request)) {
            // No rule of the user's names a script by the command it was made into here.
            GateRuling::Granted(grant) if !matches!(grant.by, GrantedBy::AllowRule(_)) => {
                return Ok(grant);
            }
            GateRuling::Granted(grant) => grant.concerns,
            GateRuling::Refused(refusal) => {
                let (reason, concerns) = (refusal.reason().clone(), refusal.concerns().to_vec());
                return Err(ApprovalRefusal::new(reason, &request.code, concerns));
            }
            GateRuling::Open(found) => found,
        };
        let found = about_script(found, request);
        let unread = Concern {
            key: SCRIPT_KEY.to_owned(),
            words: request.code.clone(),
            why: "A whole script runs, not one command.".to_owned(),
            source: ConcernSource::Consent,
        };
        let with_unread = || found.iter().cloned().chain([unread.clone()]).collect();
        let concerns: Vec<Concern> = match (request.audience, request.confinement) {
            (Audience::Terminal | Audience::Client, _) if found.is_empty() => {
                return Ok(ApprovalGrant::by(GrantedBy::LaterGates));
            }
            (Audience::Nobody, ScriptConfinement::Sandbox) if found.is_empty() => {
                return Ok(ApprovalGrant::by(GrantedBy::Sandbox));
            }
            (Audience::Terminal | Audience::Client, _)
            | (Audience::Nobody, ScriptConfinement::Sandbox) => found,
            (Audience::Cron, _) if self.settings.cron == Unattended::Deny => {
                let text = &request.code;
                return Err(ApprovalRefusal::new(RefusalReason::Cron, text, with_unread()));
            }
            (Audience::Cron, _) => return Ok(ApprovalGrant::by(GrantedBy::CronMode)),
            (Audience::Gateway | Audience::Nobody, _) => with_unread(),
        };
        self.escalate(OpenCase::of_script(request, concerns)).await
    }
}

/// The script as a command that is given it as text.
fn as_command(request: &ScriptRequest) -> CommandRequest {
    let quoted = request.code.replace('\'', "'\\''");
    let mut command = CommandRequest::new(format!("{COMMAND} '{quoted}'"));
    command.session.clone_from(&request.session);
    command.target = request.target;
    command.purpose = Purpose::ScriptRpc;
    command.audience = request.audience;
    command.host = request.host.clone();
    command
}

/// What was found in a script, without that it is one: a program is more than can be read from it, and
/// that is said of every script in other words.
fn about_script(found: Vec<Concern>, request: &ScriptRequest) -> Vec<Concern> {
    let mut found = found;
    found.retain(|concern| Some(concern.key.as_str()) != category_for(INLINE_CODE));
    for concern in &mut found {
        if concern.words.starts_with(COMMAND) {
            concern.words.clone_from(&request.code);
        }
    }
    found
}

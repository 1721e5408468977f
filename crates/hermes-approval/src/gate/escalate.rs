//! What has to be asked of others: steps 9 and 10.
//!
//! An [`OpenCase`] is whatever is left open: a command, a script, a plugin's rule. In mode smart the
//! reviewing model is asked, and whatever it leaves open goes to a person. Waiting for the person
//! ends with the answer, the time limit or the cancellation of the call, whichever is first.

use std::time::Duration;

use tokio::time::timeout;

use super::Approvals;
use super::case::{CaseKind, OpenCase};
use super::rule::GateRuling;
use crate::ask::{
    ApprovalAnswer, ApprovalPrompter, ApprovalQuestion, ApprovalSurface, AskEvent, AskPatience,
};
use crate::refusal::Doubt;
use crate::request::{Audience, GrantScope};
use crate::review::{self, Review};
use crate::settings::ApprovalMode;
use crate::{ApprovalGrant, ApprovalRefusal, GrantedBy, RefusalReason};

impl Approvals {
    pub(super) async fn escalate(
        &self,
        mut case: OpenCase<'_>,
    ) -> Result<ApprovalGrant, ApprovalRefusal> {
        case.concerns = match self.weigh(&case) {
            GateRuling::Granted(grant) => return Ok(grant),
            GateRuling::Refused(refusal) => return Err(refusal),
            GateRuling::Open(concerns) => concerns,
        };
        let doubt = match self.review(&case).await {
            Review::Approve => {
                return Ok(ApprovalGrant { by: GrantedBy::Reviewer, concerns: case.concerns });
            }
            Review::Deny => Doubt::ReviewerSaidNo,
            Review::Escalate => Doubt::None,
        };
        self.ask(case, doubt).await
    }

    async fn review(&self, case: &OpenCase<'_>) -> Review {
        if self.settings.mode != ApprovalMode::Smart || !case.is_reviewable() {
            return Review::Escalate;
        }
        let Some(reviewer) = &self.reviewer else { return Review::Escalate };
        let Some(prompt) = review::prompt(case.text, &case.concerns) else {
            return Review::Escalate;
        };
        let question = case.question(Doubt::None, self);
        let event = AskEvent { surface: ApprovalSurface::Smart, question };
        self.tell_before(&event).await;
        let reviewed = tokio::select! {
            () = case.cancellation.cancelled() => Review::Escalate,
            answer = timeout(self.settings.review_timeout, reviewer.review(prompt)) => match answer {
                Ok(Ok(answer)) => Review::parse(&answer),
                Ok(Err(why)) => {
                    tracing::debug!(why, "no review of the command");
                    Review::Escalate
                }
                Err(_) => Review::Escalate,
            },
        };
        self.tell_after(event, reviewed.name()).await;
        reviewed
    }

    async fn ask(
        &self,
        mut case: OpenCase<'_>,
        doubt: Doubt,
    ) -> Result<ApprovalGrant, ApprovalRefusal> {
        // On a terminal one question is shown at a time, and the answer to the one before may
        // have answered this one too.
        let turn = match case.audience {
            Audience::Terminal => tokio::select! {
                turn = self.terminal.acquire() => turn.ok(),
                () = case.cancellation.cancelled() => None,
            },
            _ => None,
        };
        if doubt == Doubt::None {
            case.concerns = match self.weigh(&case) {
                GateRuling::Granted(grant) => return Ok(grant),
                GateRuling::Refused(refusal) => return Err(refusal),
                GateRuling::Open(concerns) => concerns,
            };
        }
        let question = case.question(doubt, self);
        let widest = question.widest;
        let outcome = self.hear(&case, question).await;
        drop(turn);
        let reason = match outcome {
            Outcome::Answered(ApprovalAnswer::Allowed(scope)) => {
                return Ok(self.remember(case, scope.min(widest)).await);
            }
            Outcome::Answered(ApprovalAnswer::Denied { reason }) => RefusalReason::Denied(reason),
            Outcome::Answered(ApprovalAnswer::TimedOut) => {
                RefusalReason::TimedOut(self.settings.timeout.as_secs())
            }
            Outcome::Answered(ApprovalAnswer::Failed(why)) => RefusalReason::Unreachable(why),
            Outcome::Answered(ApprovalAnswer::NobodyThere) => {
                match (case.audience, case.kind, doubt) {
                    (Audience::Gateway, CaseKind::Consent, _) => RefusalReason::Required,
                    (Audience::Gateway, ..) => RefusalReason::Pending,
                    (_, _, Doubt::ReviewerSaidNo) => RefusalReason::SmartDenied,
                    _ => RefusalReason::Headless,
                }
            }
            Outcome::Interrupted => RefusalReason::Interrupted,
        };
        Err(ApprovalRefusal::after_asking(reason, case.text, case.concerns, widest, doubt))
    }

    /// Puts the question to whoever is there and waits for the first thing that ends it.
    async fn hear(&self, case: &OpenCase<'_>, question: ApprovalQuestion) -> Outcome {
        let (surface, asker): (_, Option<&dyn ApprovalPrompter>) = match case.audience {
            Audience::Gateway => (
                ApprovalSurface::Gateway,
                // A gateway asks by itself, or has its questions lie in a queue.
                self.queue
                    .as_ref()
                    .map(|queue| queue as &dyn ApprovalPrompter)
                    .or(self.asker.as_deref()),
            ),
            _ => (ApprovalSurface::Cli, self.asker.as_deref()),
        };
        let Some(asker) = asker else { return Outcome::Answered(ApprovalAnswer::NobodyThere) };
        if case.cancellation.is_cancelled() {
            return Outcome::Interrupted;
        }
        let event = AskEvent { surface, question: question.clone() };
        self.tell_before(&event).await;
        let wait = question.wait;
        // Whoever still shows the question when this ends hears that it is over.
        let _over = question.cancellation.clone().drop_guard();
        let outcome = tokio::select! {
            biased;
            () = case.cancellation.cancelled() => Outcome::Interrupted,
            answer = within(wait, asker.patience(), asker.ask(question)) => {
                Outcome::Answered(answer)
            }
        };
        let choice = match &outcome {
            Outcome::Answered(answer) => answer.choice(),
            Outcome::Interrupted => "deny",
        };
        self.tell_after(event, choice).await;
        outcome
    }

    async fn remember(&self, case: OpenCase<'_>, scope: GrantScope) -> ApprovalGrant {
        if scope >= GrantScope::Session {
            self.memory.allow_for_session(case.session, &case.concerns);
        }
        if scope == GrantScope::Always
            && let Err(problem) = self.memory.allow_for_good(&case.concerns).await
        {
            tracing::warn!(
                "the approval counts until this process ends, but was not saved: {problem}"
            );
        }
        ApprovalGrant { by: GrantedBy::Person(scope), concerns: case.concerns }
    }

    async fn tell_before(&self, event: &AskEvent) {
        if let Some(observer) = &self.observer {
            observer.before_asking(event.clone()).await;
        }
    }

    async fn tell_after(&self, event: AskEvent, choice: &'static str) {
        if let Some(observer) = &self.observer {
            observer.after_answer(event, choice).await;
        }
    }
}

/// How asking ended.
enum Outcome {
    Answered(ApprovalAnswer),
    Interrupted,
}

/// The answer, or that there was none in time.
async fn within(
    wait: Duration,
    patience: AskPatience,
    asked: impl Future<Output = ApprovalAnswer>,
) -> ApprovalAnswer {
    match patience {
        AskPatience::Limited => timeout(wait, asked).await.unwrap_or(ApprovalAnswer::TimedOut),
        AskPatience::UntilAnswered => asked.await,
    }
}

//! What has to be settled with others: steps 9 and 10.
//!
//! A [`Case`] is whatever is left open: a command, a script, a plugin's rule. In mode smart the
//! reviewing model is asked, and whatever it leaves open goes to a person. Waiting for the person
//! ends with the answer, the time limit or the cancellation of the call, whichever is first.

use hermes_tool::CallIds;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::rule::Ruling;
use super::{Approvals, widest};
use crate::ask::{Answer, AskEvent, Asker, Question, Surface};
use crate::concern::{Concern, Source};
use crate::display::shown;
use crate::refusal::Doubt;
use crate::request::{Audience, Matter, Purpose, Request, Scope, ScriptRequest};
use crate::review::{self, Review};
use crate::settings::Mode;
use crate::{Grant, GrantedBy, Reason, Refusal};

/// Something left open.
pub(super) struct Case<'a> {
    pub(super) text: &'a str,
    pub(super) session: &'a str,
    pub(super) purpose: Purpose,
    pub(super) audience: Audience,
    pub(super) concerns: Vec<Concern>,
    pub(super) cancellation: &'a CancellationToken,
    call: &'a CallIds,
    kind: Kind,
    limit: Scope,
}

/// What a case is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Something that runs, which a model can review.
    Code,
    /// Something else.
    Matter,
}

impl<'a> Case<'a> {
    pub(super) fn of(request: &'a Request, concerns: Vec<Concern>) -> Self {
        Self {
            text: &request.command,
            session: &request.session,
            purpose: request.purpose,
            audience: request.audience,
            concerns,
            cancellation: &request.cancellation,
            call: &request.call,
            kind: Kind::Code,
            limit: Scope::Always,
        }
    }

    pub(super) fn of_script(request: &'a ScriptRequest, concern: Concern) -> Self {
        Self {
            text: &request.code,
            session: &request.session,
            purpose: Purpose::ScriptRpc,
            audience: request.audience,
            concerns: vec![concern],
            cancellation: &request.cancellation,
            call: &request.call,
            kind: Kind::Code,
            limit: Scope::Always,
        }
    }

    pub(super) fn of_matter(matter: &'a Matter) -> Self {
        let concern = Concern {
            key: matter.key.clone(),
            words: matter.what.clone(),
            why: matter.why.clone(),
            source: Source::Matter,
        };
        Self {
            text: &matter.what,
            session: &matter.session,
            purpose: matter.purpose,
            audience: matter.audience,
            concerns: vec![concern],
            cancellation: &matter.cancellation,
            call: &matter.call,
            kind: Kind::Matter,
            limit: matter.widest,
        }
    }

    /// A model reviews only what runs, and never in place of a person the user wanted asked.
    fn is_reviewable(&self) -> bool {
        let wants_person = |concern: &Concern| concern.source == Source::AskRule;
        self.kind == Kind::Code && !self.concerns.iter().any(wants_person)
    }

    fn question(&self, doubt: Doubt, approvals: &Approvals) -> Question {
        let widest = match doubt {
            // Overruling the reviewer is for this one operation.
            Doubt::ReviewerSaidNo => Scope::Once,
            Doubt::None => widest(&self.concerns).min(self.limit),
        };
        Question {
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

impl Approvals {
    pub(super) async fn settle(&self, mut case: Case<'_>) -> Result<Grant, Refusal> {
        case.concerns = match self.weigh(&case) {
            Ruling::Granted(grant) => return Ok(grant),
            Ruling::Refused(refusal) => return Err(refusal),
            Ruling::Open(concerns) => concerns,
        };
        let doubt = match self.review(&case).await {
            Review::Approve => {
                return Ok(Grant { by: GrantedBy::Reviewer, concerns: case.concerns });
            }
            Review::Deny => Doubt::ReviewerSaidNo,
            Review::Escalate => Doubt::None,
        };
        self.ask(case, doubt).await
    }

    async fn review(&self, case: &Case<'_>) -> Review {
        if self.settings.mode != Mode::Smart || !case.is_reviewable() {
            return Review::Escalate;
        }
        let Some(reviewer) = &self.reviewer else { return Review::Escalate };
        let Some(prompt) = review::prompt(case.text, &case.concerns) else {
            return Review::Escalate;
        };
        let question = case.question(Doubt::None, self);
        let event = AskEvent { surface: Surface::Smart, question };
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

    async fn ask(&self, mut case: Case<'_>, doubt: Doubt) -> Result<Grant, Refusal> {
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
                Ruling::Granted(grant) => return Ok(grant),
                Ruling::Refused(refusal) => return Err(refusal),
                Ruling::Open(concerns) => concerns,
            };
        }
        let question = case.question(doubt, self);
        let widest = question.widest;
        let outcome = self.hear(&case, question).await;
        drop(turn);
        let reason = match outcome {
            Outcome::Answered(Answer::Allowed(scope)) => {
                return Ok(self.remember(case, scope.min(widest)).await);
            }
            Outcome::Answered(Answer::Denied { reason }) => Reason::Denied(reason),
            Outcome::Answered(Answer::TimedOut) => {
                Reason::TimedOut(self.settings.timeout.as_secs())
            }
            Outcome::Answered(Answer::Failed(why)) => Reason::Unreachable(why),
            Outcome::Answered(Answer::NobodyThere) => match (case.audience, case.kind, doubt) {
                (Audience::Gateway, Kind::Matter, _) => Reason::Required,
                (Audience::Gateway, ..) => Reason::Pending,
                (_, _, Doubt::ReviewerSaidNo) => Reason::SmartDenied,
                _ => Reason::Headless,
            },
            Outcome::Interrupted => Reason::Interrupted,
        };
        Err(Refusal::after_asking(reason, case.text, case.concerns, widest, doubt))
    }

    /// Puts the question to whoever is there and waits for the first thing that ends it.
    async fn hear(&self, case: &Case<'_>, question: Question) -> Outcome {
        let (surface, asker): (_, Option<&dyn Asker>) = match case.audience {
            Audience::Gateway => {
                (Surface::Gateway, self.queue.as_ref().map(|queue| queue as &dyn Asker))
            }
            _ => (Surface::Cli, self.asker.as_deref()),
        };
        let Some(asker) = asker else { return Outcome::Answered(Answer::NobodyThere) };
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
            answer = timeout(wait, asker.ask(question)) => {
                Outcome::Answered(answer.unwrap_or(Answer::TimedOut))
            }
        };
        let choice = match &outcome {
            Outcome::Answered(answer) => answer.choice(),
            Outcome::Interrupted => "deny",
        };
        self.tell_after(event, choice).await;
        outcome
    }

    async fn remember(&self, case: Case<'_>, scope: Scope) -> Grant {
        if scope >= Scope::Session {
            self.memory.allow_for_session(case.session, &case.concerns);
        }
        if scope == Scope::Always
            && let Err(problem) = self.memory.allow_for_good(&case.concerns).await
        {
            tracing::warn!(
                "the approval counts until this process ends, but was not saved: {problem}"
            );
        }
        Grant { by: GrantedBy::Person(scope), concerns: case.concerns }
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
    Answered(Answer),
    Interrupted,
}

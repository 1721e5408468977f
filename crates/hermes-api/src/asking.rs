//! Questions about commands, which go to the run whose turn asks.
//!
//! Chat completions and responses have nobody to ask: a command that needs somebody's word is refused there, as the
//! settings say. A run has an id that a person's front end knows, and each of its questions has one too.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes_approval::{ApprovalAnswer, ApprovalPrompter, ApprovalQuestion, AskPatience};
use hermes_tool::BoxFuture;

/// Somebody who can be asked about the commands of a turn.
pub(crate) trait AnswersQuestions: Send + Sync {
    /// Asks and waits for the answer.
    fn ask(self: Arc<Self>, question: ApprovalQuestion) -> BoxFuture<ApprovalAnswer>;
}

/// Who is asked, by session.
#[derive(Default)]
pub(crate) struct Asking(Mutex<HashMap<String, Arc<dyn AnswersQuestions>>>);

/// A turn may ask for as long as this is held.
pub(crate) struct OpenForQuestions {
    asking: Arc<Asking>,
    session: String,
}

impl Asking {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<dyn AnswersQuestions>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Questions of this session go to a run.
    pub(crate) fn open(
        self: &Arc<Self>,
        session: &str,
        run: Arc<dyn AnswersQuestions>,
    ) -> OpenForQuestions {
        self.lock().insert(session.to_owned(), run);
        OpenForQuestions { asking: Arc::clone(self), session: session.to_owned() }
    }

    fn run_of(&self, question: &ApprovalQuestion) -> Option<Arc<dyn AnswersQuestions>> {
        let runs = self.lock();
        runs.get(&question.session).or_else(|| runs.get(&question.call.session_id)).cloned()
    }
}

impl Drop for OpenForQuestions {
    fn drop(&mut self) {
        self.asking.lock().remove(&self.session);
    }
}

/// Asks whoever watches the run.
pub(crate) struct RunAsker(pub(crate) Arc<Asking>);

impl ApprovalPrompter for RunAsker {
    fn ask(&self, question: ApprovalQuestion) -> BoxFuture<ApprovalAnswer> {
        let run = self.0.run_of(&question);
        Box::pin(async move {
            match run {
                Some(run) => run.ask(question).await,
                None => ApprovalAnswer::NobodyThere,
            }
        })
    }

    fn patience(&self) -> AskPatience {
        // A run has a limit of its own, and a person may be away for longer than a terminal waits.
        AskPatience::UntilAnswered
    }
}

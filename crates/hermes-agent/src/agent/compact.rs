//! Context compaction of an agent's history, with the stored record kept in step. How it is made shorter:
//! [`crate::compaction`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_files::state::FileState;
use hermes_llm::model::BoxFuture;
use hermes_llm::{ErrorClass, Message, ModelError, ModelRequest};
use hermes_tools::product::policy_of;
use tokio_util::sync::CancellationToken;

use crate::agent::Agent;
use crate::compaction::{
    self, AntiThrash, CompactionExtent, CompactionJob, CompactionMethod, CompactionOutcome,
    CompactionSettings, Summariser,
};
use crate::event::AgentEvent;
use crate::model_chain::ChainModel;

/// What is remembered about earlier compactions of a conversation.
#[derive(Debug)]
pub(crate) struct CompactionState {
    pub(crate) settings: CompactionSettings,
    pub(crate) thrash: AntiThrash,
    cooldown_until: Option<Instant>,
}

impl CompactionState {
    pub(crate) fn new(settings: CompactionSettings) -> Self {
        Self { settings, thrash: AntiThrash::default(), cooldown_until: None }
    }

    fn cools_down(&self) -> bool {
        self.cooldown_until.is_some_and(|until| until > Instant::now())
    }
}

/// Whether an attempt made the history shorter.
#[derive(Debug)]
pub(crate) enum Compacted {
    /// It is shorter: tokens before and after, and how.
    Yes { before: u64, after: u64, how: &'static str },
    /// It is not, and why.
    No(String),
}

/// How a history is to be made shorter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompactionRequest<'a> {
    pub(crate) extent: CompactionExtent,
    pub(crate) focus: Option<&'a str>,
    /// Messages at the end that are left alone, if not as configured.
    pub(crate) keep_last: Option<usize>,
    /// Whether it may be done although the last tries did not help.
    pub(crate) insist: bool,
}

impl Agent {
    /// How large the next request is, next to what the model can look at.
    pub(crate) fn request_size(&self) -> RequestSize {
        let overhead = self.overhead();
        RequestSize {
            overhead,
            messages: self.estimate().saturating_sub(overhead),
            window: self.chain.current().window.tokens(),
        }
    }

    /// Tokens from which the conversation is too long.
    pub(crate) fn threshold(&self) -> u64 {
        let window = self.chain.current().window.tokens();
        let reserved = self.settings.max_tokens.map_or(0, u64::from);
        self.compaction.settings.threshold_tokens(window, reserved)
    }

    /// Makes the history shorter. Nothing is lost on the way: the record is changed in one step.
    pub(crate) async fn compact(
        &mut self,
        request: CompactionRequest<'_>,
        cancel: &CancellationToken,
    ) -> Compacted {
        if !request.insist && self.compaction.cools_down() {
            return Compacted::No("the last summary failed; it is tried again later".to_owned());
        }
        if !request.insist && !self.compaction.thrash.may_try() {
            return Compacted::No(
                "doing so freed next to nothing twice in a row, so it is no longer tried; /compress \
                 tries all the same, /new begins another conversation"
                    .to_owned(),
            );
        }
        let lock = self.conversation.lock_for_compaction().await;
        if matches!(lock, Ok(None)) {
            return Compacted::No("another process is making this conversation shorter".to_owned());
        }
        self.context.front.on_event(AgentEvent::Compacting);
        let entry = self.context.summariser.clone().unwrap_or_else(|| self.chain.current().clone());
        let summariser = Asking { entry, cancel };
        let mut settings = self.compaction.settings;
        if let Some(last) = request.keep_last {
            settings.protect_last = last;
        }
        let registry = Arc::clone(self.context.runtime.registry());
        let outcome = compaction::compact(
            &CompactionJob {
                history: self.conversation.messages(),
                settings: &settings,
                window: self.chain.current().window.tokens(),
                threshold: self.threshold(),
                request_tokens: self.context_tokens.max(self.estimate()),
                extent: request.extent,
                focus: request.focus,
                todo_note: self.state.todo_note(),
                policies: &move |name: &str| {
                    registry.find(name).map(|tool| *policy_of(&tool)).unwrap_or_default()
                },
            },
            &summariser,
        )
        .await;
        drop(lock);
        self.compaction.thrash.record(&outcome, self.chain.current().window.tokens());
        self.take_over(outcome, cancel)
    }

    fn take_over(&mut self, outcome: CompactionOutcome, cancel: &CancellationToken) -> Compacted {
        let change = match outcome {
            CompactionOutcome::Unchanged => {
                return Compacted::No("nothing can be left out".to_owned());
            }
            CompactionOutcome::Postponed { .. } if cancel.is_cancelled() => {
                return Compacted::No("stopped".to_owned());
            }
            CompactionOutcome::Postponed { error, cooldown, pruned } => {
                self.cool_down(cooldown);
                match pruned {
                    Some(change) => change,
                    None => return Compacted::No(format!("no summary: {}", error.message)),
                }
            }
            CompactionOutcome::Changed(change) => change,
        };
        let how = match &change.how {
            CompactionMethod::Pruned => "old results are left out",
            CompactionMethod::Summarised => "the older part is summed up",
            CompactionMethod::Outline { .. } => {
                "the older part is outlined, as no model could sum it up"
            }
        };
        let mut messages = change.messages;
        let fresh: Vec<Message> = messages.split_off(change.kept);
        self.conversation.compact(change.kept, fresh);
        // What was shown before is no longer there to be looked at.
        if let Some(files) = self.context.services.get::<FileState>() {
            files.forget_shown(self.state.task_id());
        }
        self.context_tokens = self.estimate();
        Compacted::Yes { before: change.tokens_before, after: change.tokens_after, how }
    }

    fn cool_down(&mut self, cooldown: Duration) {
        self.compaction.cooldown_until = Some(Instant::now() + cooldown);
    }

    /// Makes the history shorter because the person wants it; a line on what came of it.
    ///
    /// # Errors
    /// Says why it is as long as before.
    pub async fn compact_now(
        &mut self,
        focus: Option<&str>,
        keep_last: Option<usize>,
        cancel: &CancellationToken,
    ) -> Result<String, String> {
        let request =
            CompactionRequest { extent: CompactionExtent::Summary, focus, keep_last, insist: true };
        match self.compact(request, cancel).await {
            Compacted::Yes { before, after, how } => {
                Ok(format!("about {before} tokens became {after}: {how}"))
            }
            Compacted::No(why) => Err(why),
        }
    }

    /// What making the history shorter would be about.
    #[must_use]
    pub fn preview_compaction(&self) -> String {
        let messages = self.conversation.messages().len();
        let kept = self.compaction.settings.protect_last.min(messages);
        format!(
            "{messages} messages, about {} of {} tokens; it is done by itself from {} tokens on. The \
             newest {kept} messages would stay as they are",
            self.context_tokens,
            self.chain.current().window.tokens(),
            self.threshold(),
        )
    }
}

/// Asks a model for a summary.
struct Asking<'a> {
    entry: ChainModel,
    cancel: &'a CancellationToken,
}

impl Summariser for Asking<'_> {
    fn summarise<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<String, ModelError>> {
        Box::pin(async move {
            let mut nobody = |_| {};
            let answered = self.entry.model.answer(request, &mut nobody, self.cancel).await;
            answered.map(|answer| crate::thinking::split(&answer.content).visible)
        })
    }
}

/// Of a request that does not fit, instructions and tools are the cause if what was said is less than this
/// part of them: no compaction could help.
const NEGLIGIBLE_PART: u64 = 10;

/// What a request is made of, in tokens as estimated, and the window it should fit into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestSize {
    /// Instructions and tools.
    pub(crate) overhead: u64,
    /// What was said.
    pub(crate) messages: u64,
    pub(crate) window: u64,
}

impl RequestSize {
    /// Whether instructions and tools leave no room, so that asking is of no use.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.overhead >= self.window
    }

    /// The failure, by a provider's word or our own.
    pub(crate) fn does_not_fit(&self, error: Option<&ModelError>) -> ModelError {
        let Self { overhead, messages, window } = *self;
        let is_overhead = self.is_hopeless() || messages * NEGLIGIBLE_PART < overhead;
        let advice = match is_overhead {
            true => {
                "use fewer toolsets (-t file,terminal) or a model with a larger window (-m); \
                 model.context_length in config.yaml says how large it is"
            }
            false => "/compress makes the conversation shorter; /new begins another",
        };
        let message = match error {
            Some(error) if !self.is_hopeless() && is_overhead => {
                format!("{}; nearly all of it are the instructions and tools", error.message)
            }
            Some(error) if !is_overhead => error.message.clone(),
            _ => format!(
                "the instructions and tools alone take about {overhead} tokens of the {window} the model \
                 can look at, which leaves no room for the conversation"
            ),
        };
        ModelError {
            class: ErrorClass::ContextOverflow,
            message,
            advice: Some(advice.to_owned()),
            status: error.and_then(|error| error.status),
            retry_after: None,
            limit: error.and_then(|error| error.limit),
            partial: None,
        }
    }
}

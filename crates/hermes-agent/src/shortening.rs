//! Making the history of an agent shorter, and keeping the record in step.

use std::time::{Duration, Instant};

use hermes_files::state::FileState;
use hermes_llm::model::BoxFuture;
use hermes_llm::{ErrorClass, Message, ModelError, Request};
use tokio_util::sync::CancellationToken;

use crate::agent::Agent;
use crate::compress::{
    self, AntiThrash, CompressionSettings, Extent, How, Job, Outcome, Summariser,
};
use crate::event::Event;
use crate::seats::Seat;

/// What is remembered about compressions of a conversation.
#[derive(Debug)]
pub(crate) struct Compression {
    pub(crate) settings: CompressionSettings,
    pub(crate) thrash: AntiThrash,
    rests_until: Option<Instant>,
}

impl Compression {
    pub(crate) fn new(settings: CompressionSettings) -> Self {
        Self { settings, thrash: AntiThrash::default(), rests_until: None }
    }

    fn rests(&self) -> bool {
        self.rests_until.is_some_and(|until| until > Instant::now())
    }
}

/// What came of trying.
#[derive(Debug)]
pub(crate) enum Shortened {
    /// It is shorter: tokens before and after, and how.
    Yes { before: u64, after: u64, how: &'static str },
    /// It is not, and why.
    No(String),
}

/// How a history is to be made shorter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish<'a> {
    pub(crate) extent: Extent,
    pub(crate) focus: Option<&'a str>,
    /// Messages at the end that are left alone, if not as configured.
    pub(crate) keep_last: Option<usize>,
    /// Whether it may be done although the last tries did not help.
    pub(crate) insist: bool,
}

impl Agent {
    /// Tokens from which the conversation is too long.
    pub(crate) fn threshold(&self) -> u64 {
        let window = self.seats.current().window.tokens();
        let reserved = self.settings.max_tokens.map_or(0, u64::from);
        self.compression.settings.threshold_tokens(window, reserved)
    }

    /// Makes the history shorter. Nothing is lost on the way: the record is changed in one step.
    pub(crate) async fn shorten(
        &mut self,
        wish: Wish<'_>,
        cancel: &CancellationToken,
    ) -> Shortened {
        if !wish.insist && self.compression.rests() {
            return Shortened::No("the last summary failed; it is tried again later".to_owned());
        }
        if !wish.insist && !self.compression.thrash.may_try() {
            return Shortened::No(
                "making it shorter did not help twice in a row, so it is no longer tried"
                    .to_owned(),
            );
        }
        let lock = self.conversation.lock_for_compression();
        if matches!(lock, Ok(None)) {
            return Shortened::No("another process is making this conversation shorter".to_owned());
        }
        self.world.front.on_event(Event::Compressing);
        let seat = self.world.summariser.clone().unwrap_or_else(|| self.seats.current().clone());
        let summariser = Asking { seat, cancel };
        let mut settings = self.compression.settings;
        if let Some(last) = wish.keep_last {
            settings.protect_last = last;
        }
        let outcome = compress::compress(
            &Job {
                history: self.conversation.messages(),
                settings: &settings,
                window: self.seats.current().window.tokens(),
                threshold: self.threshold(),
                request_tokens: self.context_tokens.max(self.estimate()),
                extent: wish.extent,
                focus: wish.focus,
                todo_note: self.desk.todo_note(),
            },
            &summariser,
        )
        .await;
        drop(lock);
        self.compression.thrash.record(&outcome);
        self.take(outcome, cancel)
    }

    fn take(&mut self, outcome: Outcome, cancel: &CancellationToken) -> Shortened {
        let change = match outcome {
            Outcome::Unchanged => return Shortened::No("nothing can be left out".to_owned()),
            Outcome::Postponed { .. } if cancel.is_cancelled() => {
                return Shortened::No("stopped".to_owned());
            }
            Outcome::Postponed { error, cooldown, pruned } => {
                self.rest(cooldown);
                match pruned {
                    Some(change) => change,
                    None => return Shortened::No(format!("no summary: {}", error.message)),
                }
            }
            Outcome::Changed(change) => change,
        };
        let how = match &change.how {
            How::Pruned => "old results are left out",
            How::Summarised => "the older part is summed up",
            How::Mechanical { .. } => "the older part is outlined, as no model could sum it up",
        };
        let mut messages = change.messages;
        let fresh: Vec<Message> = messages.split_off(change.kept);
        self.conversation.compact(change.kept, fresh);
        // What was shown before is no longer there to be looked at.
        if let Some(files) = self.world.services.get::<FileState>() {
            files.forget_shown(self.desk.task_id());
        }
        self.context_tokens = self.estimate();
        Shortened::Yes { before: change.tokens_before, after: change.tokens_after, how }
    }

    fn rest(&mut self, cooldown: Duration) {
        self.compression.rests_until = Some(Instant::now() + cooldown);
    }

    /// Makes the history shorter because the person wants it; a line on what came of it.
    ///
    /// # Errors
    /// Says why it is as long as before.
    pub async fn compress(
        &mut self,
        focus: Option<&str>,
        keep_last: Option<usize>,
        cancel: &CancellationToken,
    ) -> Result<String, String> {
        let wish = Wish { extent: Extent::Summary, focus, keep_last, insist: true };
        match self.shorten(wish, cancel).await {
            Shortened::Yes { before, after, how } => {
                Ok(format!("about {before} tokens became {after}: {how}"))
            }
            Shortened::No(why) => Err(why),
        }
    }

    /// What making the history shorter would be about.
    #[must_use]
    pub fn preview_compression(&self) -> String {
        let messages = self.conversation.messages().len();
        let kept = self.compression.settings.protect_last.min(messages);
        format!(
            "{messages} messages, about {} of {} tokens; it is done by itself from {} tokens on. The \
             newest {kept} messages would stay as they are",
            self.context_tokens,
            self.seats.current().window.tokens(),
            self.threshold(),
        )
    }
}

/// Asks a model for a summary.
struct Asking<'a> {
    seat: Seat,
    cancel: &'a CancellationToken,
}

impl Summariser for Asking<'_> {
    fn summarise<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<String, ModelError>> {
        Box::pin(async move {
            let mut nobody = |_| {};
            let answered = self.seat.model.answer(request, &mut nobody, self.cancel).await;
            answered.map(|answer| crate::thinking::split(&answer.content).visible)
        })
    }
}

/// The failure of a conversation that fits no window.
pub(crate) fn does_not_fit(error: &ModelError, overhead: u64, window: u64) -> ModelError {
    let alone = overhead >= window;
    ModelError {
        class: ErrorClass::ContextOverflow,
        message: if alone {
            format!(
                "the instructions and tools alone take about {overhead} tokens, more than the \
                 {window} the model can look at"
            )
        } else {
            error.message.clone()
        },
        advice: Some(if alone {
            "use fewer toolsets (-t file,terminal) or a model with a larger window (-m)".to_owned()
        } else {
            "/compress makes the conversation shorter; /new begins another".to_owned()
        }),
        ..error.clone()
    }
}

//! One turn: from what a person says to the model's answer.
//!
//! ```text
//! record what was said
//! while the budget lasts:
//!     put in what the person steered; shorten the history if it has grown too long
//!     ask the model                                      (crate::ask)
//!     an answer with tool calls: record it, run them, record their results, go on
//!     an odd answer (cut off, empty, refused): mend it   (odd)
//!     any other answer: record it; done
//! budget gone: ask once more, without tools, where things stand
//! ```
//!
//! Everything is recorded before it matters: what the person said before the model is asked, the
//! calls before they run, each result as it comes. A process that is killed leaves a conversation
//! that can be taken up again.
//!
//! What never happens here: a call without a result, a wait that an interrupt does not end, a
//! failure that looks like an answer.

mod hooks;
mod odd;
mod shorten;
mod tools;

use std::sync::Arc;
use std::time::Instant;

use hermes_llm::{Answer, Content, Finish, Message, ModelError, Request, Usage};
use hermes_runtime::guardrails::{GuardrailConfig, Guardrails};
use tokio_util::sync::CancellationToken;

use crate::agent::Agent;
use crate::ask::{Ask, Asked};
use crate::budget::Budget;
use crate::event::{Event, Level};
use crate::history::{self, ReasoningEcho};
use crate::notes::{self, note};
use crate::outcome::{ExitReason, TurnResult};
use crate::seats::Seat;
use crate::thinking;
use odd::Odd;

/// How a turn ended, before it is written up.
#[derive(Debug)]
pub(crate) struct Ended {
    exit: ExitReason,
    text: String,
    error: Option<String>,
    advice: Option<String>,
}

impl Ended {
    fn new(exit: ExitReason, text: impl Into<String>) -> Self {
        Self { exit, text: text.into(), error: None, advice: None }
    }

    fn failed(error: ModelError) -> Self {
        let text = match &error.advice {
            Some(advice) => format!("{}\n{advice}", error.message),
            None => error.message.clone(),
        };
        Self {
            exit: ExitReason::ApiError(error.class),
            text,
            error: Some(error.message),
            advice: error.advice,
        }
    }
}

/// What follows an iteration.
pub(crate) enum Step {
    /// The next one.
    Again,
    /// The next one, and this one costs nothing.
    AgainForFree,
    /// The end.
    End(Ended),
}

/// A turn under way.
pub(crate) struct Turn<'a> {
    agent: &'a mut Agent,
    cancel: &'a CancellationToken,
    budget: Budget,
    guardrails: Guardrails,
    odd: Odd,
    strikes: u32,
    compressions: u32,
    calls: u32,
    usage: Usage,
    cost: Option<f64>,
    failed_changes: tools::FailedChanges,
    added: hooks::Added,
}

impl<'a> Turn<'a> {
    pub(crate) fn begin(agent: &'a mut Agent, cancel: &'a CancellationToken) -> Self {
        let guardrails = GuardrailConfig::from_config(&agent.world.config);
        agent.seats.begin_turn(Instant::now());
        agent.desk.begin_turn(agent.conversation.messages());
        Self {
            budget: agent.budget(),
            agent,
            cancel,
            guardrails: Guardrails::new(guardrails),
            odd: Odd::default(),
            strikes: 0,
            compressions: 0,
            calls: 0,
            usage: Usage::default(),
            cost: None,
            failed_changes: tools::FailedChanges::default(),
            added: hooks::Added::default(),
        }
    }

    pub(crate) async fn run(mut self, said: Content) -> TurnResult {
        self.agent.open_session();
        let is_first = self.agent.conversation.messages().is_empty();
        let said = scrub(said);
        let mut message = Message::user(said.clone());
        if !self.agent.news.is_empty() {
            let mut all = std::mem::take(&mut self.agent.news);
            all.push(message.text().into_owned());
            message.api_content = Some(all.join("\n\n"));
        }
        self.agent.conversation.push(message);
        self.compress_before().await;
        self.hooks_at_start(&said, is_first).await;
        let ended = self.iterate().await;
        self.hooks_at_end(&ended).await;
        self.write_up(ended)
    }

    async fn iterate(&mut self) -> Ended {
        while self.budget.take() {
            if self.cancel.is_cancelled() {
                return self.interrupted("");
            }
            self.place_steer();
            self.compress_if_long().await;
            let step = match self.ask().await {
                Asked::Answer(answer) => self.consider(*answer).await,
                Asked::TooLong { limit, error } => self.too_long(limit, error).await,
                Asked::Failed(error) => Step::End(Ended::failed(error)),
                Asked::Interrupted { shown } => Step::End(self.interrupted(&shown)),
            };
            match step {
                Step::Again => {}
                Step::AgainForFree => self.budget.give_back(),
                Step::End(ended) => return ended,
            }
        }
        self.sum_up().await
    }

    async fn ask(&mut self) -> Asked {
        self.calls += 1;
        self.agent.world.front.on_event(Event::Asking { call: self.calls as usize });
        self.hooks_before_request().await;
        let begun = Instant::now();
        let asked = self.ask_model().await;
        self.hooks_after_request(&asked, begun.elapsed()).await;
        asked
    }

    async fn ask_model(&mut self) -> Asked {
        let is_long = self.is_long();
        let extra = self
            .said_at(self.agent.conversation.messages())
            .and_then(|at| Some((at, self.added.context.clone()?)));
        let cap = self.odd.cap(self.agent.settings.max_tokens);
        let Agent { conversation, seats, world, settings, tools, prompt, .. } = &mut *self.agent;
        let messages = conversation.messages();
        let build = |seat: &Seat| Request {
            system: Some(prompt.for_model(&*seat.model)),
            messages: history::for_wire_with(
                messages,
                ReasoningEcho::for_model(seat.model.name()),
                extra.as_ref(),
            ),
            tools: Arc::clone(&tools.functions),
            max_tokens: cap,
            effort: settings.effort,
            temperature: None,
            session_id: Some(conversation.id().to_owned()),
            cache: settings.cache(),
        };
        let mut ask = Ask {
            seats,
            max_retries: settings.api_max_retries,
            front: &*world.front,
            cancel: self.cancel,
            is_long,
            goes_on: self.odd.goes_on(),
        };
        ask.run(&build).await
    }

    /// Decides what an answer means.
    async fn consider(&mut self, answer: Answer) -> Step {
        self.account(&answer);
        match answer.finish {
            Finish::Refusal => return self.refused(&answer),
            Finish::Length => return self.cut_off(&answer),
            Finish::BrokenCall => return self.broken_call(&answer),
            Finish::Stop | Finish::ToolCalls | Finish::Paused => {}
        }
        if !answer.tool_calls.is_empty() {
            self.odd.forget_emptiness();
            return self.run_tools(answer).await;
        }
        if answer.finish == Finish::Paused {
            let message = self.message_of(&answer);
            self.agent.conversation.push(message);
            return Step::Again;
        }
        let text = self.odd.continued(&answer.content, &visible(&answer.content));
        if text.trim().is_empty() {
            return self.empty(&answer);
        }
        let message = self.message_of(&answer);
        if let Some(more) = self.wants_more(&text).await {
            self.agent.conversation.push(message);
            self.agent.conversation.push(more);
            return Step::Again;
        }
        let text = self.shown_answer(text).await;
        self.agent.world.front.on_event(Event::Said { text: text.clone() });
        self.agent.conversation.push(message);
        Step::End(Ended::new(ExitReason::TextResponse, self.odd.whole(&text)))
    }

    /// The answer as it is kept: thinking apart, secrets masked.
    fn message_of(&self, answer: &Answer) -> Message {
        let text = self.agent.world.redact(&visible(&answer.content));
        let inline = reasoning(&answer.content);
        let reasoning = answer.reasoning.clone().or(inline).filter(|text| !text.is_empty());
        Message {
            tool_calls: answer.tool_calls.clone(),
            reasoning_content: answer.reasoning.clone(),
            reasoning,
            reasoning_details: answer.reasoning_details.clone(),
            finish_reason: answer.finish_reason.clone(),
            ..Message::assistant(text)
        }
    }

    fn account(&mut self, answer: &Answer) {
        let seat = self.agent.seats.current();
        let estimated = self.agent.estimate();
        let usage = answer.usage.unwrap_or_default();
        let cost = seat.cost(&usage);
        self.usage += usage;
        if let Some(cost) = cost {
            *self.cost.get_or_insert(0.0) += cost;
        }
        let context_tokens = if usage.prompt_tokens() > 0 {
            usage.prompt_tokens() + usage.output_tokens
        } else {
            estimated
        };
        self.agent.context_tokens = context_tokens;
        self.agent.conversation.spend(&usage, cost, seat);
        self.agent.world.front.on_event(Event::Spent { usage, context_tokens });
    }

    /// The budget is gone: where do things stand?
    async fn sum_up(&mut self) -> Ended {
        self.agent.conversation.push(Message::user(note(notes::SUM_UP)));
        let tools = std::mem::take(&mut self.agent.tools);
        let mut text = String::new();
        for _ in 0..2 {
            match self.ask().await {
                Asked::Answer(answer) => {
                    self.account(&answer);
                    text = visible(&answer.content);
                    if !text.trim().is_empty() {
                        let message =
                            Message { tool_calls: Vec::new(), ..self.message_of(&answer) };
                        self.agent.conversation.push(message);
                        break;
                    }
                }
                Asked::Interrupted { shown } => {
                    self.agent.tools = tools;
                    return self.interrupted(&shown);
                }
                Asked::Failed(_) | Asked::TooLong { .. } => break,
            }
        }
        self.agent.tools = tools;
        if text.trim().is_empty() {
            text = "The limit on steps was reached, and there is no summary of what was done."
                .to_owned();
            self.agent.conversation.push(Message::assistant(text.clone()));
        }
        let mut ended = Ended::new(ExitReason::MaxIterationsReached, text);
        ended.error = Some(format!("{} steps were used up", self.agent.step_limit()));
        ended.advice = Some("`agent.max_turns` in config.yaml allows more".to_owned());
        ended
    }

    /// The person stopped it. Roles must alternate when the conversation goes on.
    fn interrupted(&mut self, shown: &str) -> Ended {
        let conversation = &mut self.agent.conversation;
        let after_tools =
            conversation.messages().last().is_some_and(|last| last.role == hermes_llm::Role::Tool);
        let text = match shown.trim() {
            "" if after_tools => notes::STOPPED_AT_TOOLS,
            "" => notes::STOPPED_BEFORE_TEXT,
            _ => shown,
        };
        let text = self.agent.world.redact(text);
        self.agent.conversation.push(Message::assistant(text));
        self.agent.desk.steer.clear();
        Ended::new(ExitReason::Interrupted, shown)
    }

    fn write_up(self, ended: Ended) -> TurnResult {
        let Self { agent, calls, usage, cost, failed_changes, .. } = self;
        let mut text = ended.text;
        if agent.settings.mutation_verifier
            && let Some(footer) = failed_changes.footer()
        {
            text = format!("{}\n\n{footer}", text.trim_end());
        }
        let seat = agent.seats.current();
        TurnResult {
            final_response: text,
            exit: ended.exit,
            api_calls: calls,
            usage,
            cost_usd: cost,
            model: seat.model.name().to_owned(),
            provider: seat.model.provider().to_owned(),
            session_id: agent.conversation.id().to_owned(),
            error: ended.error,
            advice: ended.advice,
            pending_steer: agent.desk.steer.take(),
        }
    }

    fn notice(&self, level: Level, text: impl Into<String>) {
        self.agent.world.front.on_event(Event::Notice { level, text: text.into() });
    }
}

/// What is shown of an answer.
fn visible(content: &str) -> String {
    thinking::split(content).visible
}

/// What an answer holds of thinking, if anything.
fn reasoning(content: &str) -> Option<String> {
    Some(thinking::split(content).reasoning).filter(|text| !text.trim().is_empty())
}

/// Text has no lone surrogates in this language; what may be left of them is shown as unknown.
fn scrub(said: Content) -> Content {
    match said {
        Content::Text(text) => Content::Text(text.replace('\0', "\u{FFFD}")),
        parts @ Content::Parts(_) => parts,
    }
}

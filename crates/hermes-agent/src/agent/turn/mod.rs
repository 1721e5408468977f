//! One turn: from what a person says to the model's answer.
//!
//! ```text
//! record what was said
//! while the budget lasts:
//!     put in what the person steered; shorten the history if it has grown too long
//!     ask the model                                      (crate::model_call)
//!     an answer with tool calls: record it, run them, record their results, go on
//!     an answer that is cut off, empty or refused: recover   (recovery)
//!     any other answer: record it; done
//! budget gone: ask once more, without tools, where things stand
//! ```
//!
//! Everything is recorded before it matters: what the person said before the model is asked, the
//! calls before they run, results before they are sent, an answer before it is shown. A process that is
//! killed leaves a conversation that can be resumed. Recording is queued at once and waited for at these
//! points (`Turn::recorded`); the wait ends with an interrupt, and does not last while another program
//! holds the database locked.
//!
//! What never happens here: a call without a result, a wait that an interrupt does not end, a
//! failure that looks like an answer.

mod compaction;
mod hooks;
mod recovery;
mod tools;

use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_llm::{
    Finish, Message, MessageContent, ModelError, ModelRequest, ModelResponse, RequestedCall,
    TokenUsage,
};
use hermes_runtime::guardrails::{GuardrailConfig, Guardrails};
use hermes_runtime::repair::written::{TextCall, calls_in_text};
use tokio_util::sync::CancellationToken;

use crate::agent::Agent;
use crate::budget::IterationBudget;
use crate::conversation::RecordNotice;
use crate::event::{AgentEvent, NoticeLevel};
use crate::history::{self, ReasoningEcho};
use crate::model_call::{ModelCall, ModelCallOutcome};
use crate::model_chain::ChainModel;
use crate::notes::{self, note};
use crate::outcome::{ExitReason, TurnResult};
use crate::thinking;
use recovery::Recovery;

/// How long a turn that was stopped waits for its record.
const STOPPED_WAIT: Duration = Duration::from_millis(100);

/// Whether somebody is there who can stop a turn that goes round in circles.
fn is_watched(agent: &Agent) -> bool {
    let vars = agent.state.vars();
    ["HERMES_INTERACTIVE", "HERMES_GATEWAY_SESSION"]
        .iter()
        .any(|name| vars.non_blank(name).is_some())
}

/// How a turn ended, before it is written up.
#[derive(Debug)]
pub(crate) struct TurnEnd {
    exit: ExitReason,
    text: String,
    error: Option<String>,
    advice: Option<String>,
}

impl TurnEnd {
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
pub(crate) enum LoopStep {
    /// The next one.
    Again,
    /// The next one, and this one costs nothing.
    AgainForFree,
    /// The end.
    End(TurnEnd),
}

/// A turn under way.
pub(crate) struct Turn<'a> {
    agent: &'a mut Agent,
    cancel: &'a CancellationToken,
    budget: IterationBudget,
    guardrails: Guardrails,
    recovery: Recovery,
    strikes: u32,
    /// Why the history was not made shorter, as the person was told last.
    not_shorter: Option<String>,
    calls: u32,
    usage: TokenUsage,
    cost: Option<f64>,
    file_changes: tools::FileChanges,
    added: hooks::Added,
}

impl<'a> Turn<'a> {
    pub(crate) fn begin(agent: &'a mut Agent, cancel: &'a CancellationToken) -> Self {
        let guardrails = GuardrailConfig::from_config(&agent.context.config);
        let guardrails = match is_watched(agent) {
            true => guardrails,
            false => guardrails.unwatched(),
        };
        agent.chain.begin_turn(Instant::now());
        agent.state.begin_turn(agent.conversation.messages());
        Self {
            budget: agent.budget(),
            agent,
            cancel,
            guardrails: Guardrails::new(guardrails),
            recovery: Recovery::default(),
            strikes: 0,
            not_shorter: None,
            calls: 0,
            usage: TokenUsage::default(),
            cost: None,
            file_changes: tools::FileChanges::default(),
            added: hooks::Added::default(),
        }
    }

    pub(crate) async fn run(mut self, said: MessageContent) -> TurnResult {
        self.agent.open_session();
        let is_first = self.agent.conversation.messages().is_empty();
        let said = scrub(said);
        let mut message = Message::user(said.clone());
        let mut all: Vec<String> = self.agent.untold_situation().into_iter().collect();
        all.append(&mut self.agent.attached_notes);
        if !all.is_empty() {
            all.push(message.text().into_owned());
            message.api_content = Some(all.join("\n\n"));
        }
        self.agent.conversation.push(message);
        self.compact_before().await;
        self.hooks_at_start(&said, is_first).await;
        let ended = self.iterate().await;
        self.hooks_at_end(&ended).await;
        self.recorded().await;
        let result = self.write_up(ended);
        result.log();
        result
    }

    async fn iterate(&mut self) -> TurnEnd {
        while self.budget.take() {
            if self.cancel.is_cancelled() {
                return self.interrupted("");
            }
            self.place_steer();
            if let Some(ended) = self.leaves_no_room() {
                return ended;
            }
            self.compact_if_long().await;
            let step = match self.ask().await {
                ModelCallOutcome::Answer(answer) => self.consider(*answer).await,
                ModelCallOutcome::TooLong { limit, error } => self.too_long(limit, error).await,
                ModelCallOutcome::Failed(error) => LoopStep::End(TurnEnd::failed(error)),
                ModelCallOutcome::Interrupted { shown } => LoopStep::End(self.interrupted(&shown)),
            };
            match step {
                LoopStep::Again => {}
                LoopStep::AgainForFree => self.budget.give_back(),
                LoopStep::End(ended) => return ended,
            }
        }
        let mut ended = self.sum_up(notes::SUM_UP, ExitReason::MaxIterationsReached).await;
        if ended.exit == ExitReason::MaxIterationsReached {
            ended.error = Some(format!("{} steps were used up", self.agent.step_limit()));
            ended.advice = Some("`agent.max_turns` in config.yaml allows more".to_owned());
        }
        ended
    }

    async fn ask(&mut self) -> ModelCallOutcome {
        self.calls += 1;
        self.agent.context.front.on_event(AgentEvent::Asking { call: self.calls as usize });
        self.hooks_before_request().await;
        self.recorded().await;
        let begun = Instant::now();
        let asked = self.ask_model().await;
        self.hooks_after_request(&asked, begun.elapsed()).await;
        asked
    }

    async fn ask_model(&mut self) -> ModelCallOutcome {
        let is_long = self.is_long();
        let extra = self
            .said_at(self.agent.conversation.messages())
            .and_then(|at| Some((at, self.added.context.clone()?)));
        let cap = self.recovery.cap(self.agent.settings.max_tokens);
        let Agent { conversation, chain, context, settings, tools, prompt, .. } = &mut *self.agent;
        let messages = conversation.messages();
        let build = |entry: &ChainModel| ModelRequest {
            system: Some(prompt.for_model(&*entry.model)),
            messages: history::for_wire_with(
                messages,
                ReasoningEcho::for_model(entry.model.name()),
                extra.as_ref(),
            ),
            tools: Arc::clone(&tools.functions),
            max_tokens: cap,
            effort: settings.effort,
            temperature: None,
            session_id: Some(conversation.id().to_owned()),
            cache: settings.cache(),
        };
        let mut ask = ModelCall {
            chain,
            max_retries: settings.api_max_retries,
            front: &*context.front,
            cancel: self.cancel,
            is_long,
            goes_on: self.recovery.goes_on(),
        };
        ask.run(&build).await
    }

    /// Decides what an answer means.
    async fn consider(&mut self, answer: ModelResponse) -> LoopStep {
        self.account(&answer);
        if answer.unreadable > 0 {
            let (count, are) = match answer.unreadable {
                1 => ("one piece".to_owned(), "is"),
                many => (format!("{many} pieces"), "are"),
            };
            let text =
                format!("{count} of the model's answer could not be read and {are} missing in it");
            self.notice(NoticeLevel::Warning, text);
        }
        match answer.finish {
            Finish::Refusal => return self.refused(&answer),
            Finish::Length => return self.cut_off(&answer),
            Finish::BrokenCall => return self.broken_call(&answer),
            Finish::ConnectionLost => return self.lost_connection(&answer),
            Finish::Stop | Finish::ToolCalls | Finish::Paused => {}
        }
        if !answer.tool_calls.is_empty() {
            self.recovery.forget_emptiness();
            return self.run_tools(answer).await;
        }
        if answer.finish == Finish::Paused {
            let message = self.message_of(&answer);
            self.agent.conversation.push(message);
            return LoopStep::Again;
        }
        if let Some(calls) = self.written_calls(&answer.content) {
            self.recovery.forget_emptiness();
            let reasoning = answer.reasoning.clone().or_else(|| reasoning(&answer.content));
            let content = String::new();
            let answer = ModelResponse { tool_calls: calls, content, reasoning, ..answer };
            return self.run_tools(answer).await;
        }
        let text = self.recovery.continued(&answer.content, &visible(&answer.content));
        if text.trim().is_empty() {
            return self.empty(&answer);
        }
        let message = self.message_of(&answer);
        if let Some(more) = self.wants_more(&text).await {
            self.agent.conversation.push(message);
            self.agent.conversation.push(more);
            return LoopStep::Again;
        }
        let text = self.shown_answer(text).await;
        self.agent.conversation.push(message);
        self.recorded().await;
        self.agent.context.front.on_event(AgentEvent::Said { text: text.clone() });
        LoopStep::End(TurnEnd::new(ExitReason::TextResponse, self.recovery.whole(&text)))
    }

    /// The calls that an answer consists of although it came as text. In the record and on the wire they
    /// are calls like all others.
    fn written_calls(&self, text: &str) -> Option<Vec<RequestedCall>> {
        let offered = &self.agent.tools.names;
        if offered.is_empty() || self.recovery.goes_on() {
            return None;
        }
        // What was thought aloud comes first, between marks of its own.
        let text = text.rsplit_once("</think>").map_or(text, |(_, after)| after);
        let calls =
            calls_in_text(text, &|name| offered.iter().any(|known| known.as_ref() == name))?;
        let request = |(at, call): (usize, TextCall)| RequestedCall {
            id: format!("text_{}_{at}", self.calls),
            name: call.name,
            arguments: serde_json::Value::Object(call.arguments).to_string(),
            extra_content: None,
        };
        Some(calls.into_iter().enumerate().map(request).collect())
    }

    /// The answer as it is kept: thinking apart, secrets masked.
    fn message_of(&self, answer: &ModelResponse) -> Message {
        let text = self.agent.context.redact(&visible(&answer.content));
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

    fn account(&mut self, answer: &ModelResponse) {
        let entry = self.agent.chain.current();
        let estimated = self.agent.estimate();
        let usage = answer.usage.unwrap_or_default();
        let cost = entry.cost(&usage);
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
        self.agent.conversation.spend(&usage, cost, entry);
        self.agent.context.front.on_event(AgentEvent::Spent { usage, context_tokens });
    }

    /// No more tools can be called: where do things stand?
    async fn sum_up(&mut self, why: &str, exit: ExitReason) -> TurnEnd {
        self.agent.conversation.push(Message::user(note(why)));
        let tools = std::mem::take(&mut self.agent.tools);
        let mut text = String::new();
        for _ in 0..2 {
            match self.ask().await {
                ModelCallOutcome::Answer(answer) => {
                    self.account(&answer);
                    text = visible(&answer.content);
                    if !text.trim().is_empty() {
                        let message =
                            Message { tool_calls: Vec::new(), ..self.message_of(&answer) };
                        self.agent.conversation.push(message);
                        break;
                    }
                }
                ModelCallOutcome::Interrupted { shown } => {
                    self.agent.tools = tools;
                    return self.interrupted(&shown);
                }
                ModelCallOutcome::Failed(_) | ModelCallOutcome::TooLong { .. } => break,
            }
        }
        self.agent.tools = tools;
        if text.trim().is_empty() {
            text = match exit {
                ExitReason::GuardrailHalt => {
                    "The turn was ended because the same tool calls came again and again."
                }
                _ => "The limit on steps was reached, and there is no summary of what was done.",
            }
            .to_owned();
            self.agent.conversation.push(Message::assistant(text.clone()));
        }
        TurnEnd::new(exit, text)
    }

    /// The person stopped it. Roles must alternate when the conversation goes on.
    fn interrupted(&mut self, shown: &str) -> TurnEnd {
        let conversation = &mut self.agent.conversation;
        let after_tools =
            conversation.messages().last().is_some_and(|last| last.role == hermes_llm::Role::Tool);
        let text = match shown.trim() {
            "" if after_tools => notes::STOPPED_AT_TOOLS,
            "" => notes::STOPPED_BEFORE_TEXT,
            _ => shown,
        };
        let text = self.agent.context.redact(text);
        self.agent.conversation.push(Message::assistant(text));
        self.agent.state.steer.clear();
        TurnEnd::new(ExitReason::Interrupted, shown)
    }

    fn write_up(self, ended: TurnEnd) -> TurnResult {
        let Self { agent, calls, usage, cost, file_changes, .. } = self;
        let mut text = ended.text;
        if agent.settings.mutation_verifier
            && let Some(footer) = file_changes.footer()
        {
            text = format!("{}\n\n{footer}", text.trim_end());
        }
        let entry = agent.chain.current();
        TurnResult {
            final_response: text,
            exit: ended.exit,
            api_calls: calls,
            usage,
            cost_usd: cost,
            model: entry.model.name().to_owned(),
            provider: entry.model.provider().to_owned(),
            session_id: agent.conversation.id().to_owned(),
            error: ended.error,
            advice: ended.advice,
            pending_steer: agent.state.steer.take(),
        }
    }

    /// Waits until everything said so far is recorded, unless the person stops the turn meanwhile; tells
    /// what is new about the record.
    async fn recorded(&mut self) {
        let recorded = self.agent.conversation.recorded();
        let waited = match self.cancel.is_cancelled() {
            // Whoever stops a turn waits for a disk that hangs no longer than for one that does not.
            true => tokio::time::timeout(STOPPED_WAIT, recorded).await.ok(),
            false => self.cancel.run_until_cancelled(recorded).await,
        };
        if let Some(Some(news)) = waited {
            let level = match news {
                RecordNotice::Free => NoticeLevel::Info,
                RecordNotice::Locked | RecordNotice::Failed(_) => NoticeLevel::Warning,
            };
            self.notice(level, news.text());
        }
    }

    fn notice(&self, level: NoticeLevel, text: impl Into<String>) {
        self.agent.context.front.on_event(AgentEvent::Notice { level, text: text.into() });
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
fn scrub(said: MessageContent) -> MessageContent {
    match said {
        MessageContent::Text(text) => MessageContent::Text(text.replace('\0', "\u{FFFD}")),
        parts @ MessageContent::Parts(_) => parts,
    }
}

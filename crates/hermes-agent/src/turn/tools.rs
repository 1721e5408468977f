//! The tool calls of one answer: read, run, and their results recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use hermes_llm::{Answer, Content, Message, Part, ToolCall as WishedCall};
use hermes_runtime::executor::{
    CallNews, TurnOptions, TurnOutcome, TurnState, Unreadable, WrittenCall,
};
use hermes_runtime::guardrails::classify_output;
use hermes_runtime::{Status, ToolCall};
use hermes_tool::{CallIds, ContextParts, Effect, Progress, ToolOutput};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{Ended, Step, Turn};
use crate::event::Event;
use crate::outcome::ExitReason;
use crate::untrusted;

/// So many answers in a row with nothing but unknown tools end the turn.
const MAX_STRIKES: u32 = 3;
/// The call whose iteration costs nothing when it was the only one.
const FREE: &str = "execute_code";
const DELEGATE: &str = "delegate_task";
/// Files named in the footer.
const MAX_NAMED_FILES: usize = 5;

/// The results of a batch, recorded in the order of the calls.
struct Batch {
    calls: Vec<WishedCall>,
    results: Vec<Option<Message>>,
    recorded: usize,
    /// Where the first result stands in the conversation.
    first: usize,
}

/// What is told from the tasks that run the calls.
enum News {
    Started { index: usize, args: Value },
    Progress { index: usize, message: String },
    Settled { index: usize, outcome: Box<TurnOutcome> },
}

impl Turn<'_> {
    pub(super) async fn run_tools(&mut self, answer: Answer) -> Step {
        let message = self.message_of(&answer);
        let said = message.text().into_owned();
        let wished = answer.tool_calls;
        self.agent.conversation.push(Message { tool_calls: wished.clone(), ..message });
        self.agent.world.front.on_event(Event::Said { text: said });

        let (readable, all_unknown, mut batch) = self.read(wished);
        self.strikes = if all_unknown { self.strikes + 1 } else { 0 };
        let names: Vec<String> = readable.iter().map(|(_, call)| call.name.clone()).collect();
        let only_free = batch.calls.len() == 1 && names == [FREE];
        let halted = self.run_batch(readable, &mut batch).await;
        if let Some(problem) = self.agent.conversation.take_trouble() {
            self.notice(
                crate::event::Level::Warning,
                format!("this conversation is no longer saved: {problem}"),
            );
        }
        if self.cancel.is_cancelled() {
            return Step::End(self.interrupted(""));
        }
        if self.strikes >= MAX_STRIKES {
            let text = "The model kept calling tools that do not exist, so the turn was ended.";
            self.agent.conversation.push(Message::assistant(text));
            let mut ended = Ended::new(ExitReason::InvalidToolCalls, text);
            ended.error = Some("three answers in a row with unknown tools only".to_owned());
            ended.advice =
                Some("choose another model with -m, or other toolsets with -t".to_owned());
            return Step::End(ended);
        }
        if halted {
            let text = "The turn was ended because the same tool call failed again and again.";
            self.agent.conversation.push(Message::assistant(text));
            let mut ended = Ended::new(ExitReason::GuardrailHalt, text);
            ended.error = Some("a guardrail ended the turn".to_owned());
            ended.advice = Some("`tool_loop_guardrails` in config.yaml has its limits".to_owned());
            return Step::End(ended);
        }
        if only_free { Step::AgainForFree } else { Step::Again }
    }

    /// Sorts what can run from what gets its answer at once.
    fn read(&mut self, wished: Vec<WishedCall>) -> (Vec<(usize, ToolCall)>, bool, Batch) {
        let runtime = Arc::clone(&self.agent.world.runtime);
        let most_children = self.agent.settings.delegation.limits.max_children;
        let mut readable: Vec<(usize, ToolCall)> = Vec::new();
        let mut unknown = 0;
        let mut children = 0;
        let mut results: Vec<Option<Message>> = vec![None; wished.len()];
        for (index, wish) in wished.iter().enumerate() {
            let written = WrittenCall {
                name: &wish.name,
                arguments: &wish.arguments,
                offered: &self.agent.tools.names,
            };
            let call = match runtime.read_call(&written) {
                Ok(call) => call,
                Err(problem) => {
                    unknown += usize::from(matches!(problem, Unreadable::Name(_)));
                    let text = problem.outcome().text();
                    self.tell_refused(wish, &text);
                    results[index] = Some(Message::tool(&wish.id, &wish.name, text));
                    continue;
                }
            };
            let twin = readable
                .iter()
                .find(|(_, other)| other.name == call.name && other.args == call.args);
            if let Some((twin, _)) = twin {
                let text = format!("Same call as {}; see its result.", wished[*twin].id);
                results[index] =
                    Some(Message::tool(&wish.id, &call.name, json!({"note": text}).to_string()));
                continue;
            }
            if call.name == DELEGATE {
                children += 1;
                if children > most_children {
                    let text = format!(
                        "At most {most_children} delegate_task calls run at once \
                         (delegation.max_concurrent_children); this one was not started"
                    );
                    let text = json!({"error": text}).to_string();
                    self.tell_refused(wish, &text);
                    results[index] = Some(Message::tool(&wish.id, &call.name, text));
                    continue;
                }
            }
            readable.push((index, call));
        }
        let all_unknown = unknown == wished.len();
        let first = self.agent.conversation.messages().len();
        (readable, all_unknown, Batch { calls: wished, results, recorded: 0, first })
    }

    fn tell_refused(&self, wish: &WishedCall, output: &str) {
        self.agent.world.front.on_event(Event::ToolFinished {
            id: wish.id.clone(),
            tool: wish.name.clone(),
            args: Value::Null,
            output: output.to_owned(),
            failed: true,
            took: Duration::ZERO,
        });
    }

    /// Runs what can run. Whether a guardrail wants the turn ended.
    async fn run_batch(&mut self, readable: Vec<(usize, ToolCall)>, batch: &mut Batch) -> bool {
        self.flush(batch);
        if readable.is_empty() {
            return false;
        }
        let (tell, mut heard) = mpsc::unbounded_channel();
        let places: Arc<[usize]> = readable.iter().map(|(index, _)| *index).collect();
        let calls: Vec<ToolCall> = readable
            .into_iter()
            .map(|(index, call)| self.with_context(call, &batch.calls[index], index, &tell))
            .collect();
        let args: BTreeMap<usize, Value> =
            places.iter().copied().zip(calls.iter().map(|call| call.args.clone())).collect();
        let watch_places = Arc::clone(&places);
        let options = TurnOptions {
            interrupt: self.cancel.clone(),
            watch: Some(Arc::new(move |news: CallNews<'_>| {
                // Nobody listens any more once the batch is through.
                let _ = tell.send(match news {
                    CallNews::Started { index, args, .. } => News::Started {
                        index: watch_places[index],
                        args: Value::Object(args.clone()),
                    },
                    CallNews::Settled { index, outcome } => News::Settled {
                        index: watch_places[index],
                        outcome: Box::new(outcome.clone()),
                    },
                });
            })),
            ..TurnOptions::from_vars(&self.agent.world.vars)
        };
        let runtime = Arc::clone(&self.agent.world.runtime);
        let mut guardrails = std::mem::take(&mut self.guardrails);
        let outcomes = {
            let running = runtime.run_turn(calls, &mut guardrails, &options);
            tokio::pin!(running);
            loop {
                tokio::select! {
                    biased;
                    Some(news) = heard.recv() => self.hear(news, batch, &args),
                    outcomes = &mut running => break outcomes,
                }
            }
        };
        drop(options);
        while let Ok(news) = heard.try_recv() {
            self.hear(news, batch, &args);
        }
        self.guardrails = guardrails;
        // The budget of the whole turn may have cut what was recorded already.
        let mut halted = false;
        for (place, outcome) in places.iter().zip(&outcomes) {
            halted |= outcome.state == TurnState::ShouldEnd;
            let message = self.result(&batch.calls[*place], outcome);
            let at = batch.first + *place;
            let recorded = self.agent.conversation.messages().get(at).map(|m| m.content.clone());
            if recorded.is_none() {
                batch.results[*place] = Some(message);
            } else if recorded.as_ref() != Some(&message.content)
                && let Content::Text(text) = message.content
            {
                self.agent.conversation.send_instead(at, text);
            }
        }
        self.flush(batch);
        halted
    }

    fn with_context(
        &self,
        mut call: ToolCall,
        wish: &WishedCall,
        index: usize,
        tell: &mpsc::UnboundedSender<News>,
    ) -> ToolCall {
        let agent = &*self.agent;
        let tell = tell.clone();
        call.context = ContextParts {
            ids: CallIds {
                task_id: agent.desk.task_id().to_owned(),
                session_id: agent.conversation.id().to_owned(),
                tool_call_id: wish.id.clone(),
                turn_id: format!("turn-{}", agent.desk.turn_number()),
                api_request_id: format!("call-{}", self.calls),
            },
            enabled_tools: Arc::clone(&agent.tools.names),
            cwd: Some(agent.world.cwd.clone()),
            vars: agent.desk.vars().clone(),
            config: Arc::clone(&agent.world.config),
            cancellation: self.cancel.child_token(),
            progress: Some(Arc::new(move |progress: Progress| {
                let _ = tell.send(News::Progress { index, message: progress.message });
            })),
            services: agent.services.clone(),
            ..ContextParts::default()
        };
        call.scope = agent.scope.clone();
        call
    }

    fn hear(&mut self, news: News, batch: &mut Batch, args: &BTreeMap<usize, Value>) {
        let front = Arc::clone(&self.agent.world.front);
        match news {
            News::Started { index, args } => {
                let wish = &batch.calls[index];
                front.on_event(Event::ToolStarted {
                    id: wish.id.clone(),
                    tool: wish.name.clone(),
                    args: self.masked(&args),
                });
            }
            News::Progress { index, message } => {
                let id = batch.calls[index].id.clone();
                front.on_event(Event::ToolProgress { id, message });
            }
            News::Settled { index, outcome } => {
                let wish = batch.calls[index].clone();
                let given = args.get(&index).cloned().unwrap_or_default();
                let failed = classify_output(&outcome.outcome.tool, &outcome.outcome.output)
                    .is_failure()
                    || outcome.outcome.verdict().status != Status::Ok;
                self.note_change(&outcome, &given, failed);
                let mut message = self.result(&wish, &outcome);
                if let (Some(hint), Content::Text(text)) =
                    (self.hint(&outcome.outcome.tool, &given), &mut message.content)
                {
                    text.push_str(&hint);
                }
                front.on_event(Event::ToolFinished {
                    id: wish.id,
                    tool: outcome.outcome.tool.clone(),
                    args: self.masked(&given),
                    output: message.text().into_owned(),
                    failed,
                    took: outcome.outcome.duration,
                });
                batch.results[index] = Some(message);
                self.flush(batch);
            }
        }
    }

    /// What a folder that is entered for the first time says about itself.
    fn hint(&mut self, tool: &str, args: &Value) -> Option<String> {
        let effects = self.agent.world.runtime.registry().get(tool)?.effects();
        self.agent.hints.for_call(effects, args.as_object()?)
    }

    /// Records what is complete up to the first gap.
    fn flush(&mut self, batch: &mut Batch) {
        while let Some(Some(message)) = batch.results.get_mut(batch.recorded).map(Option::take) {
            self.agent.conversation.push(message);
            batch.recorded += 1;
        }
    }

    /// A result as the model gets it.
    fn result(&self, wish: &WishedCall, outcome: &TurnOutcome) -> Message {
        let tool = &outcome.outcome.tool;
        let name = if tool.is_empty() { &wish.name } else { tool };
        let content = match &outcome.outcome.output {
            ToolOutput::Text(text) => {
                let steady = self.agent.desk.steering.defuse(text);
                let known = self.agent.world.runtime.registry().get(name);
                if known.is_some_and(|tool| untrusted::is_foreign(&tool)) {
                    Content::Text(untrusted::wrap(name, &steady).into_owned())
                } else {
                    Content::Text(steady.into_owned())
                }
            }
            ToolOutput::Multimodal { content, text_summary } => {
                let parts: Result<Vec<Part>, _> =
                    content.iter().cloned().map(serde_json::from_value).collect();
                match parts {
                    Ok(parts) => Content::Parts(parts),
                    Err(_) => Content::Text(text_summary.clone().unwrap_or_default()),
                }
            }
            ToolOutput::Foreign(value) => Content::Text(value.to_string()),
        };
        Message::tool(&wish.id, name, content)
    }

    fn masked(&self, args: &Value) -> Value {
        match args {
            Value::String(text) => Value::String(self.agent.world.redact(text)),
            Value::Array(items) => items.iter().map(|item| self.masked(item)).collect(),
            Value::Object(fields) => fields
                .iter()
                .map(|(name, value)| (name.clone(), self.masked(value)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            other => other.clone(),
        }
    }

    fn note_change(&mut self, outcome: &TurnOutcome, args: &Value, failed: bool) {
        let tool = self.agent.world.runtime.registry().get(&outcome.outcome.tool);
        let changes_files = tool.is_some_and(|tool| {
            tool.effects().has(Effect::Writes) && !tool.effects().has(Effect::AgentState)
        });
        if changes_files && let Some(path) = args["path"].as_str() {
            self.failed_changes.note(path, failed);
        }
    }

    /// Puts what the person steered at the end of the newest result.
    pub(super) fn place_steer(&mut self) {
        let messages = self.agent.conversation.messages();
        let Some(at) = messages.len().checked_sub(1) else { return };
        if messages[at].role != hermes_llm::Role::Tool {
            return;
        }
        if let Some(words) = self.agent.desk.steer.take() {
            let message = &messages[at];
            let text = message.api_content.clone().unwrap_or_else(|| message.text().into_owned());
            let text = self.agent.desk.steering.attach(&text, &words);
            self.agent.conversation.send_instead(at, text);
        }
    }
}

/// Files whose last change in the turn failed.
#[derive(Debug, Default)]
pub(super) struct FailedChanges(BTreeSet<String>);

impl FailedChanges {
    fn note(&mut self, path: &str, failed: bool) {
        if failed {
            self.0.insert(path.to_owned());
        } else {
            self.0.remove(path);
        }
    }

    /// One line on them.
    pub(super) fn footer(&self) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let named: Vec<&str> = self.0.iter().take(MAX_NAMED_FILES).map(String::as_str).collect();
        let more = self.0.len() - named.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        Some(format!("(Not changed, because the edit failed: {}{more})", named.join(", ")))
    }
}

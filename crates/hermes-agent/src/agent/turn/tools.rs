//! The tool calls of one answer: read, run, and their results recorded.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use hermes_llm::{ContentPart, Message, MessageContent, ModelResponse, RequestedCall, Role};
use hermes_runtime::executor::{CallUpdate, TurnOptions, TurnState, Unreadable, WrittenCall};
use hermes_runtime::guardrails::classify_output;
use hermes_runtime::{CallOutcome, Status, ToolCall};
use hermes_tool::{
    BudgetRule, CallIds, CalledAs, ContextParts, Effect, OutputTail, Progress, SubagentRule,
    ToolOutput,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{LoopStep, Turn, TurnEnd};
use crate::event::AgentEvent;
use crate::notes;
use crate::outcome::ExitReason;
use crate::untrusted;

/// So many answers in a row with nothing but unknown tools end the turn.
const MAX_STRIKES: u32 = 3;
/// Files named in the footer.
const MAX_NAMED_FILES: usize = 5;

/// The results of a batch, recorded in the order of the calls.
struct Batch {
    calls: Vec<RequestedCall>,
    results: Vec<Option<Message>>,
    recorded: usize,
    /// Where the first result stands in the conversation.
    first: usize,
}

/// What the tasks that run the calls report to the turn.
enum CallEvent {
    Started { index: usize, args: Value },
    Progress { index: usize, message: String },
    Output { index: usize, tail: OutputTail },
    Settled { index: usize, outcome: Box<CallOutcome> },
}

impl Turn<'_> {
    pub(super) async fn run_tools(&mut self, answer: ModelResponse) -> LoopStep {
        let message = self.message_of(&answer);
        let said = message.text().into_owned();
        let requested = answer.tool_calls;
        self.agent.conversation.push(Message { tool_calls: requested.clone(), ..message });
        self.recorded().await;
        self.agent.context.front.on_event(AgentEvent::Said { text: said });

        let (readable, all_unknown, mut batch) = self.read(requested);
        self.strikes = if all_unknown { self.strikes + 1 } else { 0 };
        let names: Vec<String> = readable.iter().map(|(_, call)| call.name.clone()).collect();
        let only_free = batch.calls.len() == 1 && matches!(&names[..], [one] if self.is_free(one));
        let halted = self.run_batch(readable, &mut batch).await;
        if self.cancel.is_cancelled() {
            return LoopStep::End(self.interrupted(""));
        }
        if self.strikes >= MAX_STRIKES {
            let text = "The model kept calling tools that do not exist, so the turn was ended.";
            self.agent.conversation.push(Message::assistant(text));
            let mut ended = TurnEnd::new(ExitReason::InvalidToolCalls, text);
            ended.error = Some("three answers in a row with unknown tools only".to_owned());
            ended.advice =
                Some("choose another model with -m, or other toolsets with -t".to_owned());
            return LoopStep::End(ended);
        }
        if halted {
            let mut ended = self.sum_up(notes::LOOP_ENDED, ExitReason::GuardrailHalt).await;
            if ended.exit != ExitReason::GuardrailHalt {
                return LoopStep::End(ended);
            }
            ended.error = Some("a guardrail ended the turn".to_owned());
            ended.advice = Some("`tool_loop_guardrails` in config.yaml has its limits".to_owned());
            return LoopStep::End(ended);
        }
        if only_free { LoopStep::AgainForFree } else { LoopStep::Again }
    }

    /// Whether a step costs nothing that made just one call, of this tool.
    fn is_free(&self, tool: &str) -> bool {
        let tool = self.agent.context.runtime.registry().get(tool);
        tool.is_some_and(|tool| tool.policy().budget == BudgetRule::Free)
    }

    /// Sorts what can run from what gets its answer at once.
    fn read(&mut self, written: Vec<RequestedCall>) -> (Vec<(usize, ToolCall)>, bool, Batch) {
        let runtime = Arc::clone(&self.agent.context.runtime);
        let most_children = self.agent.settings.delegation.limits.max_children;
        let mut readable: Vec<(usize, ToolCall)> = Vec::new();
        let mut unknown = 0;
        let mut children = 0;
        let mut results: Vec<Option<Message>> = vec![None; written.len()];
        for (index, requested) in written.iter().enumerate() {
            let text = WrittenCall {
                name: &requested.name,
                arguments: &requested.arguments,
                offered: &self.agent.tools.names,
            };
            let call = match runtime.read_call(&text) {
                Ok(call) => call,
                Err(problem) => {
                    unknown += usize::from(matches!(problem, Unreadable::Name(_)));
                    let text = problem.outcome().text();
                    self.announce_refused(requested, &text);
                    results[index] = Some(Message::tool(&requested.id, &requested.name, text));
                    continue;
                }
            };
            let twin = readable
                .iter()
                .find(|(_, other)| other.name == call.name && other.args == call.args);
            if let Some((twin, _)) = twin {
                let text = format!("Same call as {}; see its result.", written[*twin].id);
                results[index] = Some(Message::tool(
                    &requested.id,
                    &call.name,
                    json!({"note": text}).to_string(),
                ));
                continue;
            }
            let known = runtime.registry().get(&call.name);
            if known.is_some_and(|tool| tool.policy().subagents == SubagentRule::Delegates) {
                children += 1;
                if children > most_children {
                    let text = format!(
                        "At most {most_children} {} calls run at once \
                         (delegation.max_concurrent_children); this one was not started",
                        call.name
                    );
                    let text = json!({"error": text}).to_string();
                    self.announce_refused(requested, &text);
                    results[index] = Some(Message::tool(&requested.id, &call.name, text));
                    continue;
                }
            }
            readable.push((index, call));
        }
        let all_unknown = unknown == written.len();
        let first = self.agent.conversation.messages().len();
        (readable, all_unknown, Batch { calls: written, results, recorded: 0, first })
    }

    fn announce_refused(&self, requested: &RequestedCall, output: &str) {
        self.agent.context.front.on_event(AgentEvent::ToolFinished {
            id: requested.id.clone(),
            tool: requested.name.clone(),
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
        let (events, mut heard) = mpsc::unbounded_channel();
        let places: Arc<[usize]> = readable.iter().map(|(index, _)| *index).collect();
        let calls: Vec<ToolCall> = readable
            .into_iter()
            .map(|(index, call)| self.with_context(call, &batch.calls[index], index, &events))
            .collect();
        let args: BTreeMap<usize, Value> =
            places.iter().copied().zip(calls.iter().map(|call| call.args.clone())).collect();
        let watch_places = Arc::clone(&places);
        let options = TurnOptions {
            interrupt: self.cancel.clone(),
            watch: Some(Arc::new(move |event: CallUpdate<'_>| {
                // Nobody listens any more once the batch is through.
                let _ = events.send(match event {
                    CallUpdate::Started { index, args, .. } => CallEvent::Started {
                        index: watch_places[index],
                        args: Value::Object(args.clone()),
                    },
                    CallUpdate::Settled { index, outcome } => CallEvent::Settled {
                        index: watch_places[index],
                        outcome: Box::new(outcome.clone()),
                    },
                });
            })),
            tool_delay: self.agent.settings.tool_delay,
            ..TurnOptions::from_vars(&self.agent.context.vars)
        };
        let runtime = Arc::clone(&self.agent.context.runtime);
        let mut guardrails = std::mem::take(&mut self.guardrails);
        let outcomes = {
            let running = runtime.run_turn(calls, &mut guardrails, &options);
            tokio::pin!(running);
            loop {
                tokio::select! {
                    biased;
                    Some(event) = heard.recv() => self.on_call_event(event, batch, &args),
                    outcomes = &mut running => break outcomes,
                }
            }
        };
        drop(options);
        while let Ok(event) = heard.try_recv() {
            self.on_call_event(event, batch, &args);
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
                && let MessageContent::Text(text) = message.content
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
        requested: &RequestedCall,
        index: usize,
        events: &mpsc::UnboundedSender<CallEvent>,
    ) -> ToolCall {
        let agent = &*self.agent;
        let (events, watched) = (events.clone(), events.clone());
        call.context = ContextParts {
            ids: CallIds {
                task_id: agent.state.task_id().to_owned(),
                session_id: agent.conversation.id().to_owned(),
                tool_call_id: requested.id.clone(),
                turn_id: format!("turn-{}", agent.state.turn_number()),
                api_request_id: format!("call-{}", self.calls),
            },
            user_task: user_task(agent.conversation.messages()),
            enabled_tools: Arc::clone(&agent.tools.names),
            cwd: Some(agent.context.cwd.clone()),
            vars: agent.state.vars().clone(),
            config: Arc::clone(&agent.context.config),
            cancellation: self.cancel.child_token(),
            progress: Some(Arc::new(move |progress: Progress| {
                let _ = events.send(CallEvent::Progress { index, message: progress.message });
            })),
            output: Some(Arc::new(move |tail: OutputTail| {
                let _ = watched.send(CallEvent::Output { index, tail });
            })),
            services: match requested.name == call.name {
                true => agent.services.clone(),
                false => agent.services.with(Arc::new(CalledAs(requested.name.clone()))),
            },
            ..ContextParts::default()
        };
        call.scope = agent.scope.clone();
        call
    }

    fn on_call_event(
        &mut self,
        event: CallEvent,
        batch: &mut Batch,
        args: &BTreeMap<usize, Value>,
    ) {
        let front = Arc::clone(&self.agent.context.front);
        match event {
            CallEvent::Started { index, args } => {
                let requested = &batch.calls[index];
                front.on_event(AgentEvent::ToolStarted {
                    id: requested.id.clone(),
                    tool: requested.name.clone(),
                    args: self.masked(&args),
                });
            }
            CallEvent::Progress { index, message } => {
                let id = batch.calls[index].id.clone();
                front.on_event(AgentEvent::ToolProgress { id, message });
            }
            CallEvent::Output { index, tail } => {
                let id = batch.calls[index].id.clone();
                front.on_event(AgentEvent::ToolOutput { id, tail });
            }
            CallEvent::Settled { index, outcome } => {
                let requested = batch.calls[index].clone();
                let given = args.get(&index).cloned().unwrap_or_default();
                let tool = self.agent.context.runtime.registry().get(&outcome.tool);
                let rule = tool.map(|tool| tool.policy().failure).unwrap_or_default();
                let failed = classify_output(rule, &outcome.output).is_failure()
                    || outcome.verdict().status != Status::Ok;
                self.note_change(&outcome, &given, failed);
                let mut message = self.result(&requested, &outcome);
                if let (Some(hint), MessageContent::Text(text)) =
                    (self.hint(&outcome.tool, &given), &mut message.content)
                {
                    text.push_str(&hint);
                }
                front.on_event(AgentEvent::ToolFinished {
                    id: requested.id,
                    tool: outcome.tool.clone(),
                    args: self.masked(&given),
                    output: message.text().into_owned(),
                    failed,
                    took: outcome.duration,
                });
                batch.results[index] = Some(message);
                self.flush(batch);
            }
        }
    }

    /// What a folder that is entered for the first time says about itself.
    fn hint(&mut self, tool: &str, args: &Value) -> Option<String> {
        let effects = self.agent.context.runtime.registry().get(tool)?.effects();
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
    fn result(&self, requested: &RequestedCall, outcome: &CallOutcome) -> Message {
        let tool = &outcome.tool;
        let name = if tool.is_empty() { &requested.name } else { tool };
        let known = self.agent.context.runtime.registry().get(name);
        let foreign = known.is_some_and(|tool| untrusted::is_foreign(&tool));
        let shown = |text: &str| {
            let steady = self.agent.state.steering.defuse(text);
            if foreign { untrusted::wrap(name, &steady).into_owned() } else { steady.into_owned() }
        };
        let content = match &outcome.output {
            ToolOutput::Text(text) if foreign => MessageContent::Text(shown(text)),
            ToolOutput::Text(text) => MessageContent::Text(shown(&without_nulls(text))),
            ToolOutput::Multimodal { content, text_summary } => {
                let parts: Result<Vec<ContentPart>, _> =
                    content.iter().cloned().map(serde_json::from_value).collect();
                match parts {
                    Ok(parts) => MessageContent::Parts(with_texts(parts, &shown)),
                    Err(_) => {
                        MessageContent::Text(shown(text_summary.as_deref().unwrap_or_default()))
                    }
                }
            }
            ToolOutput::Foreign(value) => MessageContent::Text(shown(&value.to_string())),
        };
        Message::tool(&requested.id, name, content)
    }

    fn masked(&self, args: &Value) -> Value {
        match args {
            Value::String(text) => Value::String(self.agent.context.redact(text)),
            Value::Array(items) => items.iter().map(|item| self.masked(item)).collect(),
            Value::Object(fields) => fields
                .iter()
                .map(|(name, value)| (name.clone(), self.masked(value)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            other => other.clone(),
        }
    }

    fn note_change(&mut self, outcome: &CallOutcome, args: &Value, failed: bool) {
        let tool = self.agent.context.runtime.registry().get(&outcome.tool);
        let changes_files = tool.is_some_and(|tool| {
            tool.effects().has(Effect::Writes) && !tool.effects().has(Effect::AgentState)
        });
        if changes_files {
            for path in changed_paths(args) {
                self.file_changes.note(path, failed);
            }
        }
    }

    /// Puts what the person steered at the end of the newest result.
    pub(super) fn place_steer(&mut self) {
        let messages = self.agent.conversation.messages();
        let Some(at) = messages.len().checked_sub(1) else { return };
        if messages[at].role != hermes_llm::Role::Tool {
            return;
        }
        if let Some(words) = self.agent.state.steer.take() {
            let message = &messages[at];
            let text = message.api_content.clone().unwrap_or_else(|| message.text().into_owned());
            let text = self.agent.state.steering.attach(&text, &words);
            self.agent.conversation.send_instead(at, text);
        }
    }
}

/// What the person asked for last, for tools that choose by it.
fn user_task(messages: &[Message]) -> Option<String> {
    /// More says no more.
    const MOST: usize = 4_000;
    let asked = messages.iter().rev().find(|message| message.role == Role::User)?;
    let text = asked.content.text();
    let text = text.trim();
    (!text.is_empty()).then(|| text.chars().take(MOST).collect())
}

/// The files a call names: its path or, without one, those in the headers of a patch among its texts.
fn changed_paths(args: &Value) -> Vec<&str> {
    if let Some(path) = args["path"].as_str().filter(|path| !path.is_empty()) {
        return vec![path];
    }
    let texts =
        args.as_object().into_iter().flat_map(|args| args.values()).filter_map(Value::as_str);
    let headers = texts.flat_map(str::lines).filter_map(|line| {
        let (act, path) = line.trim().strip_prefix("*** ")?.split_once(" File:")?;
        matches!(act, "Update" | "Add" | "Delete").then(|| path.trim())
    });
    headers.filter(|path| !path.is_empty()).collect()
}

/// Files that were changed in the turn, and those whose last change failed.
#[derive(Debug, Default)]
pub(super) struct FileChanges {
    made: BTreeSet<String>,
    failed: BTreeSet<String>,
}

impl FileChanges {
    fn note(&mut self, path: &str, failed: bool) {
        if failed {
            self.failed.insert(path.to_owned());
        } else {
            self.failed.remove(path);
            self.made.insert(path.to_owned());
        }
    }

    /// The files that were changed, as they were named.
    pub(super) fn made(&self) -> &BTreeSet<String> {
        &self.made
    }

    /// One line on those that were to be changed and are not.
    pub(super) fn footer(&self) -> Option<String> {
        if self.failed.is_empty() {
            return None;
        }
        let named: Vec<&str> =
            self.failed.iter().take(MAX_NAMED_FILES).map(String::as_str).collect();
        let more = self.failed.len() - named.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        Some(format!("(Not changed, because the edit failed: {}{more})", named.join(", ")))
    }
}

/// A result without the fields that say nothing: programs rely on them, a model only pays for them.
fn without_nulls(result: &str) -> Cow<'_, str> {
    if !result.starts_with('{') || !result.contains("null") {
        return Cow::Borrowed(result);
    }
    let mut front = serde_json::Deserializer::from_str(result).into_iter::<Value>();
    let Some(Ok(Value::Object(mut fields))) = front.next() else { return Cow::Borrowed(result) };
    // Advice of the guardrails may stand behind the object.
    let after = result.get(front.byte_offset()..).unwrap_or_default();
    let before = fields.len();
    fields.retain(|_, value| !value.is_null());
    match fields.len() == before || fields.is_empty() {
        true => Cow::Borrowed(result),
        false => Cow::Owned(format!("{}{after}", Value::Object(fields))),
    }
}

/// The parts of a result with their texts as the model gets them; images stay as they are.
fn with_texts(parts: Vec<ContentPart>, shown: &dyn Fn(&str) -> String) -> Vec<ContentPart> {
    parts
        .into_iter()
        .map(|part| match part {
            ContentPart::Text { text } => ContentPart::Text { text: shown(&text) },
            other => other,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_say_nothing_are_left_out_and_all_else_stays() {
        let result = "{\"output\":\"null\",\"exit_code\":0,\"error\":null,\"a\":{\"b\":null}}\n\n[Tool loop]";
        assert_eq!(
            without_nulls(result),
            "{\"output\":\"null\",\"exit_code\":0,\"a\":{\"b\":null}}\n\n[Tool loop]"
        );
        for same in ["{\"a\": 1}", "null", "{\"error\":null}", "text null", "{broken null"] {
            assert_eq!(without_nulls(same), same);
        }
    }
}

//! What hooks hear of a turn, and what they may change.
//!
//! Hooks may add to what the person said (for this turn only: it is sent and not recorded), keep a
//! turn going that the model wants to end, and replace the answer that is shown. Everything else is
//! for their information. Nothing is computed for events nobody listens to.

use std::time::Duration;

use hermes_llm::{Message, MessageContent, ModelError};
use hermes_plugins::context_spill::ContextSpill;
use hermes_runtime::hooks::{HookEvent, Payload, Verification};
use serde_json::{Value, json};

use super::{ModelCallOutcome, Turn, TurnEnd};
use crate::event::NoticeLevel;
use crate::notes::note;

/// How often hooks may keep a turn going.
const MAX_VERIFICATIONS: u32 = 3;

/// What hooks added to this turn.
#[derive(Debug, Default)]
pub(super) struct Added {
    /// What the person said, to find it again.
    said: Option<MessageContent>,
    /// What goes with it.
    pub(super) context: Option<String>,
    verifications: u32,
}

impl Turn<'_> {
    /// A turn begins. `is_first` says whether the session does too.
    pub(super) async fn hooks_at_start(&mut self, said: &MessageContent, is_first: bool) {
        if is_first {
            self.tell(HookEvent::OnSessionStart, |_| {}).await;
        }
        if self.listens(HookEvent::PreLlmCall) || self.listens(HookEvent::PostLlmCall) {
            self.added.said = Some(said.clone());
        }
        if !self.listens(HookEvent::PreLlmCall) {
            return;
        }
        let mut payload = self.payload();
        payload.insert("user_message".into(), text_of(said).into());
        payload.insert("conversation_history".into(), self.history());
        payload.insert("is_first_turn".into(), is_first.into());
        payload.insert("sender_id".into(), "".into());
        let returned = self.raise(HookEvent::PreLlmCall, payload).await;
        let (spill, _) = ContextSpill::read(
            &self.agent.context.config,
            &self.agent.context.home.join("hook_outputs"),
            &self.agent.context.vars,
        );
        let mut pieces = Vec::new();
        for piece in returned.iter().filter_map(context_of) {
            let session = self.agent.conversation.id();
            pieces.push(spill.fit(piece.to_owned(), "pre_llm_call hook", session).await);
        }
        if !pieces.is_empty() {
            self.added.context = Some(pieces.join("\n\n"));
        }
    }

    /// Where the person's words of this turn stand in the conversation.
    pub(super) fn said_at(&self, messages: &[Message]) -> Option<usize> {
        let said = self.added.said.as_ref()?;
        messages
            .iter()
            .rposition(|message| message.role == hermes_llm::Role::User && message.content == *said)
    }

    /// The turn is over.
    pub(super) async fn hooks_at_end(&self, ended: &TurnEnd) {
        if ended.exit.is_complete() && self.listens(HookEvent::PostLlmCall) {
            let user = self.added.said.as_ref().map(text_of);
            let history = self.history();
            self.tell(HookEvent::PostLlmCall, |payload| {
                payload.insert("user_message".into(), json!(user));
                payload.insert("assistant_response".into(), ended.text.as_str().into());
                payload.insert("conversation_history".into(), history);
            })
            .await;
        }
        self.tell(HookEvent::OnSessionEnd, |payload| {
            payload.insert("completed".into(), ended.exit.is_complete().into());
            let interrupted = ended.exit == crate::outcome::ExitReason::Interrupted;
            payload.insert("interrupted".into(), interrupted.into());
        })
        .await;
    }

    /// The model's answer as it is to be shown.
    pub(super) async fn shown_answer(&self, text: String) -> String {
        if !self.listens(HookEvent::TransformLlmOutput) {
            return text;
        }
        let mut payload = self.payload();
        payload.insert("response_text".into(), text.as_str().into());
        let returned = self.raise(HookEvent::TransformLlmOutput, payload).await;
        let other = returned.into_iter().find_map(|value| match value {
            Value::String(other) if !other.is_empty() => Some(other),
            _ => None,
        });
        other.unwrap_or(text)
    }

    /// Whether a hook wants the turn to go on, and what it says to the model.
    pub(super) async fn wants_more(&mut self, text: &str) -> Option<Message> {
        if !self.listens(HookEvent::PreVerify) || self.added.verifications >= MAX_VERIFICATIONS {
            return None;
        }
        let mut payload = self.payload();
        payload.insert("final_response".into(), text.into());
        payload.insert("attempt".into(), self.added.verifications.into());
        let changed = self.file_changes.made();
        payload.insert("coding".into(), (!changed.is_empty()).into());
        payload.insert("changed_paths".into(), json!(changed));
        let returned = self.raise(HookEvent::PreVerify, payload).await;
        let mut more = None;
        for answer in returned.iter().filter_map(Value::as_object) {
            match Verification::read(answer) {
                Verification::GoOn(text) if more.is_none() => more = Some(text),
                Verification::GoOn(_) | Verification::Silent => {}
                Verification::Ignored(why) => {
                    let text = format!("an answer of a pre_verify hook is ignored: {why}");
                    self.notice(NoticeLevel::Warning, text);
                }
            }
        }
        let more = more?;
        self.added.verifications += 1;
        Some(Message::user(note(more)))
    }

    /// A request to the model is about to be sent.
    pub(super) async fn hooks_before_request(&self) {
        let (messages, tools) =
            (self.agent.conversation.messages().len(), self.agent.tools.names.len());
        self.tell(HookEvent::PreApiRequest, |payload| {
            payload.insert("api_call_count".into(), self.calls.into());
            payload.insert("message_count".into(), messages.into());
            payload.insert("tool_count".into(), tools.into());
            payload.insert("approx_input_tokens".into(), self.agent.estimate().into());
        })
        .await;
    }

    /// It was answered, or not.
    pub(super) async fn hooks_after_request(&self, asked: &ModelCallOutcome, took: Duration) {
        let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        match asked {
            ModelCallOutcome::Answer(answer) => {
                let usage = answer.usage.unwrap_or_default();
                self.tell(HookEvent::PostApiRequest, |payload| {
                    payload.insert("api_call_count".into(), self.calls.into());
                    payload.insert("duration_ms".into(), milliseconds.into());
                    payload.insert("finish_reason".into(), json!(answer.finish_reason));
                    payload.insert("assistant_content_chars".into(), answer.content.len().into());
                    payload
                        .insert("assistant_tool_call_count".into(), answer.tool_calls.len().into());
                    let usage = json!({
                        "input_tokens": usage.input_tokens,
                        "output_tokens": usage.output_tokens,
                        "cache_read_tokens": usage.cache_read_tokens,
                        "cache_write_tokens": usage.cache_write_tokens,
                    });
                    payload.insert("usage".into(), usage);
                })
                .await;
            }
            ModelCallOutcome::Failed(error) | ModelCallOutcome::TooLong { error, .. } => {
                self.tell(HookEvent::ApiRequestError, |payload| {
                    payload.insert("api_call_count".into(), self.calls.into());
                    payload.insert("duration_ms".into(), milliseconds.into());
                    payload.insert("error".into(), error_of(error));
                })
                .await;
            }
            ModelCallOutcome::Interrupted { .. } => {}
        }
    }

    fn listens(&self, event: HookEvent) -> bool {
        self.agent.context.runtime.hooks().listens(event)
    }

    /// Raises an event whose answers mean nothing.
    async fn tell(&self, event: HookEvent, fill: impl FnOnce(&mut Payload)) {
        if self.listens(event) {
            let mut payload = self.payload();
            fill(&mut payload);
            self.raise(event, payload).await;
        }
    }

    /// Who stops the turn does not wait for hooks.
    async fn raise(&self, event: HookEvent, payload: Payload) -> Vec<Value> {
        let raised = self.agent.context.runtime.hooks().raise(event, payload);
        if event == HookEvent::OnSessionEnd {
            return raised.await;
        }
        self.cancel.run_until_cancelled(raised).await.unwrap_or_default()
    }

    /// What every event of a turn carries.
    fn payload(&self) -> Payload {
        let agent = &*self.agent;
        let model = &agent.chain.current().model;
        let mut payload = Payload::new();
        for (key, value) in [
            ("session_id", agent.conversation.id()),
            ("task_id", agent.state.task_id()),
            ("model", model.name()),
            ("provider", model.provider()),
            ("platform", agent.source()),
        ] {
            payload.insert(key.into(), value.into());
        }
        payload.insert("turn_id".into(), format!("turn-{}", agent.state.turn_number()).into());
        payload
    }

    fn history(&self) -> Value {
        json!(self.agent.conversation.messages())
    }
}

fn text_of(said: &MessageContent) -> String {
    Message::user(said.clone()).text().into_owned()
}

/// The context in an answer: text, or an object with it.
fn context_of(answer: &Value) -> Option<&str> {
    let text = answer.as_str().or_else(|| answer.get("context")?.as_str())?;
    (!text.trim().is_empty()).then_some(text)
}

fn error_of(error: &ModelError) -> Value {
    json!({"type": format!("{:?}", error.class), "message": error.message})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_comes_as_text_or_in_an_object() {
        assert_eq!(context_of(&json!("x")), Some("x"));
        assert_eq!(context_of(&json!({"context": "y"})), Some("y"));
        for nothing in [json!(" "), json!({"context": ""}), json!({"other": 1}), json!(7)] {
            assert_eq!(context_of(&nothing), None, "{nothing}");
        }
    }
}

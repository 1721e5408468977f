//! Where a conversation is marked for a provider's cache.
//!
//! A mark says: keep everything up to here. At most four are allowed. One goes on the instructions, and
//! one on each of the last three messages that can carry one. What counts is the message as the provider
//! sees it: a batch of parallel results is one message there, and gets one mark, so that the boundary of
//! the call before stays marked too and is found again.

use serde_json::{Value, json};

use crate::endpoint::{Endpoint, WireApi};
use crate::model::CachePlan;

/// Marks on messages, besides the one on the instructions.
const MESSAGE_MARKS: usize = 3;

/// The mark for a plan, if this server takes marks and the plan wants any.
#[must_use]
pub fn mark(endpoint: &Endpoint, plan: CachePlan) -> Option<Value> {
    if !takes_marks(endpoint) {
        return None;
    }
    match plan {
        CachePlan::Once => None,
        CachePlan::Conversation => Some(json!({"type": "ephemeral"})),
        CachePlan::LongConversation => Some(json!({"type": "ephemeral", "ttl": "1h"})),
    }
}

fn takes_marks(endpoint: &Endpoint) -> bool {
    let model = endpoint.model.to_lowercase();
    let claude = model.contains("claude");
    match endpoint.wire {
        WireApi::Messages => claude || endpoint.is_at("anthropic.com") || model.contains("minimax"),
        WireApi::Chat => {
            let aggregator = endpoint.is_at("openrouter.ai") || endpoint.is_at("nousresearch.com");
            let alibaba = endpoint.is_at("aliyuncs.com");
            aggregator && (claude || model.contains("kimi")) || alibaba && model.contains("qwen")
        }
    }
}

/// Marks the last blocks of the last messages of the messages wire.
pub fn mark_blocks(messages: &mut [Value], mark: &Value) {
    let mut left = MESSAGE_MARKS;
    for message in messages.iter_mut().rev() {
        if left == 0 {
            return;
        }
        let blocks = message["content"].as_array_mut().into_iter().flatten();
        if let Some(carrier) = blocks.rev().find(|block| can_carry(block)) {
            carrier["cache_control"] = mark.clone();
            left -= 1;
        }
    }
}

fn can_carry(block: &Value) -> bool {
    match block["type"].as_str() {
        Some("text") => block["text"].as_str().is_some_and(|text| !text.trim().is_empty()),
        Some("tool_use" | "tool_result" | "image") => true,
        _ => false,
    }
}

/// Marks the last messages of the chat wire, and the instructions at its head.
pub fn mark_messages(messages: &mut [Value], mark: &Value) {
    if let Some(first) = messages.first_mut().filter(|first| is_instruction(first)) {
        mark_content(first, mark);
    }
    let mut left = MESSAGE_MARKS;
    let mut below_is_result = false;
    for message in messages.iter_mut().rev() {
        let is_result = message["role"] == "tool";
        // Neighbouring results reach the provider as one message, which the last of them stands for.
        let same_message = is_result && below_is_result;
        below_is_result = is_result;
        if left == 0 || is_instruction(message) {
            return;
        }
        if !same_message && mark_content(message, mark) {
            left -= 1;
        }
    }
}

fn is_instruction(message: &Value) -> bool {
    message["role"] == "system" || message["role"] == "developer"
}

/// Puts a mark on the last part of a content, making parts of a text; whether there was one to carry it.
fn mark_content(message: &mut Value, mark: &Value) -> bool {
    if let Some(text) = message["content"].as_str() {
        if text.trim().is_empty() {
            return false;
        }
        message["content"] = json!([{"type": "text", "text": text}]);
    }
    let parts = message["content"].as_array_mut().and_then(|parts| parts.last_mut());
    let Some(last) = parts else { return false };
    last["cache_control"] = mark.clone();
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat(host: &str, model: &str) -> Endpoint {
        Endpoint::new(WireApi::Chat, &format!("https://{host}/v1"), model)
    }

    fn marked(messages: &[Value]) -> Vec<usize> {
        let has = |message: &Value| message.to_string().contains("cache_control");
        (0..messages.len()).filter(|place| has(&messages[*place])).collect()
    }

    #[test]
    fn only_servers_that_take_marks_get_them() {
        let plan = CachePlan::Conversation;
        assert!(mark(&chat("openrouter.ai", "anthropic/claude-x"), plan).is_some());
        assert!(mark(&chat("openrouter.ai", "moonshotai/kimi-k2"), plan).is_some());
        assert!(mark(&chat("dashscope.aliyuncs.com", "qwen3-max"), plan).is_some());
        assert!(mark(&chat("openrouter.ai", "openai/gpt-5"), plan).is_none());
        assert!(mark(&chat("localhost", "claude"), plan).is_none());
        let messages =
            Endpoint::new(WireApi::Messages, "https://api.minimax.io/anthropic", "MiniMax-M2");
        assert!(mark(&messages, plan).is_some());
        assert_eq!(mark(&messages, CachePlan::Once), None);
        assert_eq!(mark(&messages, CachePlan::LongConversation).unwrap()["ttl"], "1h");
    }

    #[test]
    fn a_batch_of_results_takes_one_mark_on_the_chat_wire() {
        let call = json!({"role": "assistant", "content": null, "tool_calls": []});
        let result = json!({"role": "tool", "content": "ok"});
        let mut messages = vec![
            json!({"role": "system", "content": "s"}),
            json!({"role": "user", "content": "a"}),
            json!({"role": "assistant", "content": "b"}),
            json!({"role": "user", "content": "c"}),
            call,
            result.clone(),
            result.clone(),
            result,
        ];
        mark_messages(&mut messages, &json!({"type": "ephemeral"}));
        assert_eq!(marked(&messages), [0, 2, 3, 7]);
        assert_eq!(messages[7]["content"][0]["text"], "ok");
    }

    #[test]
    fn blocks_that_cannot_carry_a_mark_are_passed_over() {
        let thought = json!({"type": "thinking", "thinking": "t"});
        let mut messages = vec![
            json!({"role": "user", "content": [{"type": "text", "text": "a"}]}),
            json!({"role": "assistant", "content": [{"type": "text", "text": "b"}, thought]}),
            json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "1", "content": "x"},
                {"type": "tool_result", "tool_use_id": "2", "content": "y"}]}),
        ];
        mark_blocks(&mut messages, &json!({"type": "ephemeral"}));
        assert_eq!(marked(&messages), [0, 1, 2]);
        assert!(messages[2]["content"][0].get("cache_control").is_none());
        assert!(messages[1]["content"][0].get("cache_control").is_some());
    }
}

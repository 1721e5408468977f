//! The output of a response as it grows: messages, calls of our tools and their results, and the events that tell of them.

use serde_json::{Value, json};

use crate::feed::FeedItem;
use crate::names::new_id;

/// An event: its name, and its data without the number.
pub(crate) type Told = (&'static str, Value);

/// A message that is being said.
struct OpenMessage {
    id: String,
    text: String,
}

/// What came out so far.
#[derive(Default)]
pub(crate) struct OutputItems {
    done: Vec<Value>,
    open: Option<OpenMessage>,
}

impl OutputItems {
    /// Takes in what happened; the events to tell.
    pub(crate) fn take(&mut self, item: FeedItem) -> Vec<Told> {
        match item {
            FeedItem::Text(text) => self.say(&text),
            FeedItem::Reasoning(_) => Vec::new(),
            FeedItem::ToolStarted { id, tool, args } => {
                let mut told = self.close();
                told.extend(self.whole(json!({
                    "type": "function_call", "id": new_id("fc_"), "call_id": id, "name": tool,
                    "arguments": args.to_string(), "status": "completed",
                })));
                told
            }
            FeedItem::ToolFinished { id, output, .. } => {
                let mut told = self.close();
                told.extend(self.whole(json!({
                    "type": "function_call_output", "id": new_id("fco_"), "call_id": id,
                    "output": output, "status": "completed",
                })));
                told
            }
        }
    }

    /// More of a message.
    pub(crate) fn say(&mut self, text: &str) -> Vec<Told> {
        let index = self.done.len();
        let mut told = Vec::new();
        let open = self.open.get_or_insert_with(|| {
            let id = new_id("msg_");
            let item = message(&id, None, "in_progress");
            told.push(("response.output_item.added", json!({"output_index": index, "item": item})));
            let part = json!({"type": "output_text", "text": "", "annotations": []});
            told.push((
                "response.content_part.added",
                json!({"item_id": id, "output_index": index, "content_index": 0, "part": part}),
            ));
            OpenMessage { id, text: String::new() }
        });
        open.text.push_str(text);
        told.push((
            "response.output_text.delta",
            json!({"item_id": open.id, "output_index": index, "content_index": 0, "delta": text, "logprobs": []}),
        ));
        told
    }

    /// The message is whole.
    pub(crate) fn close(&mut self) -> Vec<Told> {
        let Some(OpenMessage { id, text }) = self.open.take() else { return Vec::new() };
        let index = self.done.len();
        let item = message(&id, Some(&text), "completed");
        let part = item["content"][0].clone();
        self.done.push(item.clone());
        vec![
            (
                "response.output_text.done",
                json!({"item_id": id, "output_index": index, "content_index": 0, "text": text, "logprobs": []}),
            ),
            (
                "response.content_part.done",
                json!({"item_id": id, "output_index": index, "content_index": 0, "part": part}),
            ),
            ("response.output_item.done", json!({"output_index": index, "item": item})),
        ]
    }

    /// Something that is there at once.
    fn whole(&mut self, item: Value) -> [Told; 2] {
        let about = json!({"output_index": self.done.len(), "item": &item});
        self.done.push(item);
        [("response.output_item.added", about.clone()), ("response.output_item.done", about)]
    }

    /// Whether a message was said.
    pub(crate) fn has_message(&self) -> bool {
        self.open.is_some() || self.done.iter().any(|item| item["type"] == "message")
    }

    /// Everything, once it is closed.
    pub(crate) fn into_items(self) -> Vec<Value> {
        self.done
    }
}

fn message(id: &str, text: Option<&str>, status: &str) -> Value {
    let content: Vec<Value> = text
        .map(|text| json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []}))
        .into_iter()
        .collect();
    json!({"type": "message", "id": id, "role": "assistant", "status": status, "content": content})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_announced_before_it_is_done() {
        let mut items = OutputItems::default();
        let mut names: Vec<&str> = Vec::new();
        let started = FeedItem::ToolStarted { id: "c".into(), tool: "t".into(), args: json!({}) };
        for item in [FeedItem::Text("I ".into()), FeedItem::Text("look".into()), started] {
            names.extend(items.take(item).into_iter().map(|(name, _)| name));
        }
        names.extend(items.say("Done.").into_iter().map(|(name, _)| name));
        names.extend(items.close().into_iter().map(|(name, _)| name));
        let message = [
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
        ];
        let begin = ["response.output_item.added", "response.content_part.added"];
        let mut wanted: Vec<&str> = begin.to_vec();
        wanted.extend(["response.output_text.delta"; 2]);
        wanted.extend(message);
        wanted.extend(["response.output_item.added", "response.output_item.done"]);
        wanted.extend(begin);
        wanted.push("response.output_text.delta");
        wanted.extend(message);
        assert_eq!(names, wanted);
        let kinds: Vec<Value> =
            items.into_items().iter().map(|item| item["type"].clone()).collect();
        assert_eq!(kinds, ["message", "function_call", "message"]);
    }
}

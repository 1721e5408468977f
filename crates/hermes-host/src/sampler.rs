//! Answers for MCP servers that ask for a model: the model of `auxiliary.mcp`, or the main one.
//!
//! Nothing is looked up before a server asks, so that sessions without such servers pay nothing.

use std::sync::Arc;

use hermes_llm::message::ImageUrl;
use hermes_llm::{
    ContentPart, ErrorClass, Finish, Message, MessageContent, Model, ModelClient, ModelError,
    ModelRequest, RequestedCall,
};
use hermes_mcp::client::sampling::{
    SampleAnswer, SampleRequest, Sampler, SamplingMessage, SamplingPart, TASK, ToolChoice, TurnCall,
};
use hermes_tool::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::models::ModelSources;

/// Puts servers' questions to a model.
pub(crate) struct ModelSampler(ModelSources);

impl ModelSampler {
    /// Chooses from these settings when it is asked.
    pub(crate) fn of(sources: ModelSources) -> Arc<dyn Sampler> {
        Arc::new(Self(sources))
    }
}

impl Sampler for ModelSampler {
    fn sample(&self, request: SampleRequest) -> BoxFuture<Result<SampleAnswer, String>> {
        let sources = self.0.clone();
        Box::pin(async move {
            let usual = sources.for_task(TASK)?;
            let mut wished = usual.clone();
            if let Some(model) = &request.model {
                wished.model.clone_from(model);
                wished = sources.with_server(wished);
            }
            let is_usual = wished.model == usual.model;
            let call = in_chat(&request);
            let cancel = CancellationToken::new();
            // Whoever no longer wants the answer drops this future, and the request ends with it.
            let _over = cancel.clone().drop_guard();
            let client = ModelClient::new(wished, sources.options());
            let mut answered = client.answer(&call, &mut |_| {}, &cancel).await;
            // A server's wish is a hint: names of other providers' models are common.
            if !is_usual
                && matches!(&answered, Err(ModelError { class: ErrorClass::ModelNotFound, .. }))
            {
                let client = ModelClient::new(usual.clone(), sources.options());
                answered = client.answer(&call, &mut |_| {}, &cancel).await;
            }
            let answer = answered.map_err(|problem| problem.message)?;
            let model = answer.model.clone().unwrap_or(usual.model);
            Ok(SampleAnswer {
                model,
                text: until(answer.content, &request.stop),
                is_cut_off: answer.finish == Finish::Length,
                tokens: answer.usage.map_or(0, |usage| usage.prompt_tokens() + usage.output_tokens),
                calls: answer
                    .tool_calls
                    .into_iter()
                    .map(|RequestedCall { id, name, arguments, .. }| TurnCall {
                        id,
                        name,
                        arguments,
                    })
                    .collect(),
            })
        })
    }
}

/// The text up to the first of the words at which it is to end.
fn until(text: String, stop: &[String]) -> String {
    let ends = stop.iter().filter(|word| !word.is_empty()).filter_map(|word| text.find(word));
    match ends.min() {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

fn in_chat(request: &SampleRequest) -> ModelRequest {
    let mut system = None;
    let mut messages = Vec::new();
    for turn in &request.turns {
        match turn {
            SamplingMessage::System(text) => system = Some(text.as_str().into()),
            SamplingMessage::User(pieces) => messages.push(Message::user(content(pieces))),
            SamplingMessage::Assistant { text, calls } => {
                let mut message = Message::assistant(text.as_str());
                message.tool_calls = calls.iter().map(tool_call).collect();
                messages.push(message);
            }
            SamplingMessage::Tool { id, text } => {
                let tool = name_of(request, id);
                messages.push(Message::tool(id, tool, text.as_str()));
            }
        }
    }
    let tools = match request.tool_choice {
        ToolChoice::None => Vec::new(),
        ToolChoice::Auto | ToolChoice::Required => request.tools.clone(),
    };
    ModelRequest {
        system,
        messages,
        tools: tools.into(),
        max_tokens: Some(request.max_tokens),
        temperature: request.temperature,
        ..ModelRequest::default()
    }
}

fn content(pieces: &[SamplingPart]) -> MessageContent {
    if let [SamplingPart::Text(text)] = pieces {
        return MessageContent::Text(text.clone());
    }
    let part = |piece: &SamplingPart| match piece {
        SamplingPart::Text(text) => ContentPart::Text { text: text.clone() },
        SamplingPart::Image(url) => {
            ContentPart::ImageUrl { image_url: ImageUrl { url: url.clone() } }
        }
    };
    MessageContent::Parts(pieces.iter().map(part).collect())
}

fn tool_call(call: &TurnCall) -> RequestedCall {
    RequestedCall {
        id: call.id.clone(),
        name: call.name.clone(),
        arguments: call.arguments.clone(),
        extra_content: None,
    }
}

/// The tool whose call an answer belongs to.
fn name_of<'r>(request: &'r SampleRequest, id: &str) -> &'r str {
    let calls = request.turns.iter().filter_map(|turn| match turn {
        SamplingMessage::Assistant { calls, .. } => Some(calls),
        _ => None,
    });
    calls.flatten().find(|call| call.id == id).map_or("", |call| &call.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(turns: Vec<SamplingMessage>) -> SampleRequest {
        SampleRequest {
            server: "srv".into(),
            model: None,
            turns,
            tools: vec![serde_json::json!({"type": "function"})],
            tool_choice: ToolChoice::Auto,
            max_tokens: 9,
            temperature: None,
            stop: Vec::new(),
        }
    }

    #[test]
    fn the_conversation_keeps_its_shape() {
        let call = TurnCall { id: "c".into(), name: "add".into(), arguments: "{}".into() };
        let chat = in_chat(&request(vec![
            SamplingMessage::System("Be kind.".into()),
            SamplingMessage::User(vec![
                SamplingPart::Text("Look:".into()),
                SamplingPart::Image("data:x".into()),
            ]),
            SamplingMessage::Assistant { text: String::new(), calls: vec![call] },
            SamplingMessage::Tool { id: "c".into(), text: "2".into() },
        ]));
        assert_eq!(chat.system.as_deref(), Some("Be kind."));
        assert_eq!(chat.messages[0].content.images(), 1);
        assert_eq!(chat.messages[1].tool_calls[0].name, "add");
        assert_eq!(chat.messages[2].tool_name.as_deref(), Some("add"));
        assert_eq!((chat.max_tokens, chat.tools.len()), (Some(9), 1));
    }

    #[test]
    fn no_tool_is_offered_when_none_may_be_used() {
        let mut request = request(vec![]);
        request.tool_choice = ToolChoice::None;
        assert!(in_chat(&request).tools.is_empty());
    }

    #[test]
    fn text_ends_at_the_first_stop_word() {
        let stop = ["END".to_owned(), String::new(), "STOP".to_owned()];
        assert_eq!(until("a STOP b END".to_owned(), &stop), "a ");
        assert_eq!(until("plain".to_owned(), &stop), "plain");
    }
}

//! `POST /v1/chat/completions`.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt as _;
use serde_json::{Map, Value, json};

use super::requests::{Opening, first_item, object, order, place_of};
use crate::answer::{Answer, name_session};
use crate::content::{self, Conversation};
use crate::events::{EventWriter, ReaderGone, stream};
use crate::feed::{FeedItem, preview};
use crate::names::{header_name, new_id, now};
use crate::problem::Refusal;
use crate::server::{App, TurnOrder};
use crate::turn::{Ended, Turn};

/// What of a request means something here.
const KNOWN: &[&str] =
    &["model", "messages", "stream", "stream_options", "tools", "tool_choice", "user"];

/// One request, understood.
struct ChatRequest {
    model: String,
    order: TurnOrder,
    wants_stream: bool,
    wants_usage: bool,
    wants_tools: bool,
    ignored: Vec<String>,
}

impl ChatRequest {
    fn read(app: &App, headers: &HeaderMap, body: &Map<String, Value>) -> Result<Self, Refusal> {
        let (model, route) = app.route(body.get("model"))?;
        let Conversation { instructions, history, said } =
            content::of_messages(body.get("messages"))?;
        let offer = content::offer(body.get("tools"))?;
        let (place, person) = place_of(headers)?;
        let usage = body.get("stream_options").and_then(|options| options.get("include_usage"));
        let asked = header_name(headers, "x-hermes-events")?.map(Value::String);
        Ok(Self {
            model,
            wants_stream: content::flag(body.get("stream"), "stream")?,
            wants_usage: content::flag(usage, "stream_options.include_usage")?,
            wants_tools: content::flag(asked.as_ref(), "x-hermes-events")?
                || app.settings.stream_events,
            ignored: content::ignored(body, KNOWN),
            order: order(place, person, route, instructions, history, said, offer),
        })
    }
}

pub(crate) async fn complete(
    State(app): State<App>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    let request = ChatRequest::read(&app, &headers, &object(&body)?)?;
    if request.wants_stream {
        return begin_stream(&app, request).await;
    }
    let key = header_name(&headers, "idempotency-key")?.map(|key| format!("chat {key}"));
    let working = std::sync::Arc::clone(&app);
    let work = async move { whole(&working, request).await }.boxed();
    app.repeated.once(key, &body, work).await.map(IntoResponse::into_response)
}

async fn whole(app: &App, request: ChatRequest) -> Result<Answer, Refusal> {
    let person = request.order.person.clone();
    let mut turn = app.begin(request.order).await?;
    let ended = turn.end().await?;
    if let Some(refusal) = ended.refusal() {
        return Err(refusal);
    }
    let body = json!({
        "id": new_id("chatcmpl-"),
        "object": "chat.completion",
        "created": now(),
        "model": request.model,
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": ended.result.final_response},
            "logprobs": null,
            "finish_reason": ended.finish_reason(),
        }],
        "usage": ended.chat_usage(),
        "hermes": ended.about(&request.ignored),
    });
    let completed = ended.result.exit.is_complete();
    Ok(Answer { body, session: turn.session.clone(), person, completed })
}

async fn begin_stream(app: &App, mut request: ChatRequest) -> Result<Response, Refusal> {
    let person = request.order.person.clone();
    let order = TurnOrder { said: std::mem::take(&mut request.order.said), ..request.order };
    let mut turn = app.begin(order).await?;
    let opening = first_item(&mut turn).await?;
    let session = turn.session.clone();
    let chunks = Chunks {
        id: new_id("chatcmpl-"),
        created: now(),
        model: request.model,
        wants_usage: request.wants_usage,
        wants_tools: request.wants_tools,
        ignored: request.ignored,
    };
    let mut response = stream(|events| chunks.tell(turn, opening, events));
    name_session(&mut response, &session, person.as_deref());
    Ok(response)
}

/// The pieces of a streamed completion.
struct Chunks {
    id: String,
    created: i64,
    model: String,
    wants_usage: bool,
    wants_tools: bool,
    ignored: Vec<String>,
}

impl Chunks {
    fn chunk(&self, delta: &Value, finish: Option<&str>) -> Value {
        let mut chunk = json!({
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
            "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}],
        });
        if self.wants_usage {
            chunk["usage"] = Value::Null;
        }
        chunk
    }

    async fn tell(
        self,
        mut turn: Turn,
        opening: Opening,
        events: EventWriter,
    ) -> Result<(), ReaderGone> {
        events.data(&self.chunk(&json!({"role": "assistant", "content": ""}), None)).await?;
        let mut has_said = false;
        // Words before and after a tool's work are two messages; here they share one.
        let mut is_apart = false;
        let mut item = match opening {
            Opening::Item(item) => Some(item),
            Opening::NothingYet => turn.feed.next().await,
            Opening::Ended(ended) => return self.finish(*ended, false, &events).await,
        };
        while let Some(now) = item {
            match now {
                FeedItem::Text(text) => {
                    let text = match std::mem::take(&mut is_apart) && has_said {
                        true => format!("\n\n{text}"),
                        false => text,
                    };
                    has_said = true;
                    events.data(&self.chunk(&json!({"content": text}), None)).await?;
                }
                FeedItem::Reasoning(_) => {}
                FeedItem::ToolStarted { id, tool, args } => {
                    is_apart = true;
                    if self.wants_tools {
                        let label = preview(&args);
                        let about = json!({"tool": tool, "label": label, "toolCallId": id, "status": "running"});
                        events.named("hermes.tool.progress", &about).await?;
                    }
                }
                FeedItem::ToolFinished { id, tool, failed, .. } => {
                    if self.wants_tools {
                        let about = json!({"tool": tool, "toolCallId": id, "status": "completed", "error": failed});
                        events.named("hermes.tool.progress", &about).await?;
                    }
                }
            }
            item = turn.feed.next().await;
        }
        match turn.end().await {
            Ok(ended) => self.finish(ended, has_said, &events).await,
            Err(refusal) => events.data(&refusal.body()).await,
        }
    }

    async fn finish(
        &self,
        ended: Ended,
        has_said: bool,
        events: &EventWriter,
    ) -> Result<(), ReaderGone> {
        // What is said instead of an answer was not streamed by anybody.
        if !has_said && !ended.result.final_response.is_empty() && !ended.result.exit.is_failure() {
            let delta = json!({"content": ended.result.final_response});
            events.data(&self.chunk(&delta, None)).await?;
        }
        let mut last = self.chunk(&json!({}), Some(ended.finish_reason()));
        last["hermes"] = ended.about(&self.ignored);
        events.data(&last).await?;
        if self.wants_usage {
            let mut usage = self.chunk(&json!({}), None);
            usage["choices"] = json!([]);
            usage["usage"] = ended.chat_usage();
            events.data(&usage).await?;
        }
        events.send(axum::response::sse::Event::default().data("[DONE]")).await
    }
}

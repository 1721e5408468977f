//! `/v1/responses`: the newer form of a completion. An answer is kept for a while, and a later request may go on from it.
//!
//! Who goes on from the last answer of a session goes on with that session. Who goes on from an earlier one gets a new
//! session that knows what was said until then: the first one stays as it is.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt as _;
use serde_json::{Map, Value, json};

use super::requests::{self, Opening, first_item, object, place_of};
use crate::answer::{Answer, name_session};
use crate::content::{self, Conversation};
use crate::events::{EventWriter, ReaderGone, stream};
use crate::names::{header_name, new_id, now};
use crate::problem::Refusal;
use crate::responses::{KeptResponse, OutputItems, Told};
use crate::server::{App, SessionChoice, TurnOrder};
use crate::turn::{Ended, Turn};

/// Rows of the history that `truncation: auto` leaves.
const TRUNCATED_TO: usize = 100;
/// What of a request means something here.
const KNOWN: &[&str] = &[
    "model",
    "input",
    "instructions",
    "previous_response_id",
    "conversation",
    "store",
    "truncation",
    "stream",
    "tools",
    "tool_choice",
    "metadata",
    "user",
];

/// One request, understood.
struct ResponseRequest {
    order: TurnOrder,
    wants_stream: bool,
    draft: Draft,
}

/// What is known of a response before it is there.
struct Draft {
    app: App,
    id: String,
    created: i64,
    model: String,
    instructions: Option<String>,
    previous: Option<String>,
    conversation: Option<String>,
    is_kept: bool,
    truncation: &'static str,
    metadata: Value,
    ignored: Vec<String>,
}

/// The answer that a request goes on from.
pub(crate) async fn previous(app: &App, id: &str) -> Result<KeptResponse, Refusal> {
    app.responses.get(id).await?.ok_or_else(|| {
        let text = format!("There is no response `{id}`; the newest hundred are kept");
        Refusal::unknown("response_not_found", text).about("previous_response_id")
    })
}

fn text<'a>(body: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, Refusal> {
    match body.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => {
            Err(Refusal::bad("invalid_type", format!("`{name}` must be a text")).about(name))
        }
    }
}

impl ResponseRequest {
    async fn read(
        app: &App,
        headers: &HeaderMap,
        body: &Map<String, Value>,
    ) -> Result<Self, Refusal> {
        let (model, route) = app.route(body.get("model"))?;
        let said = content::of_input(body.get("input"))?;
        let offer = content::offer(body.get("tools"))?;
        let conversation = match body.get("conversation") {
            Some(Value::Object(named)) => named.get("id").and_then(Value::as_str),
            _ => text(body, "conversation")?,
        };
        let named = text(body, "previous_response_id")?;
        if conversation.is_some() && named.is_some() {
            let text = "`previous_response_id` and `conversation` exclude each other";
            return Err(Refusal::bad("invalid_parameter", text).about("conversation"));
        }
        let truncation = match text(body, "truncation")? {
            Some("auto") => "auto",
            None | Some("disabled") => "disabled",
            Some(_) => {
                let text = "`truncation` must be auto or disabled";
                return Err(Refusal::bad("invalid_parameter", text).about("truncation"));
            }
        };
        let before = match (named, conversation) {
            (Some(id), _) => Some((id.to_owned(), previous(app, id).await?)),
            (None, Some(name)) => match app.responses.last_of(name).await? {
                Some(id) => Some((id.clone(), previous(app, &id).await?)),
                None => None,
            },
            (None, None) => None,
        };
        let (mut place, person) = place_of(headers)?;
        let carried = before.as_ref().and_then(|(_, kept)| kept.instructions.clone());
        let instructions = instructions(text(body, "instructions")?, &said).or(carried);
        let mut history = Vec::new();
        if let Some((_, kept)) = &before {
            let goes_on = kept.is_latest && said.history.is_empty() && truncation == "disabled";
            match (&kept.session_id, goes_on) {
                (Some(session), true) => place = SessionChoice::Session(session.clone()),
                _ => history.clone_from(&kept.conversation_history),
            }
        }
        history.extend(said.history);
        if truncation == "auto" && history.len() > TRUNCATED_TO {
            history.drain(..history.len() - TRUNCATED_TO);
        }
        let is_kept = match body.get("store") {
            None | Some(Value::Null) => true,
            given => content::flag(given, "store")?,
        };
        let draft = Draft {
            app: App::clone(app),
            id: new_id("resp_"),
            created: now(),
            model,
            instructions: instructions.clone(),
            previous: before.map(|(id, _)| id),
            conversation: conversation.map(str::to_owned),
            is_kept,
            truncation,
            metadata: body.get("metadata").cloned().unwrap_or_else(|| json!({})),
            ignored: content::ignored(body, KNOWN),
        };
        let order = requests::order(place, person, route, instructions, history, said.said, offer);
        let wants_stream = content::flag(body.get("stream"), "stream")?;
        Ok(Self { order, wants_stream, draft })
    }
}

/// What stands in the field, with what system rows of the input add.
fn instructions(field: Option<&str>, said: &Conversation) -> Option<String> {
    let field = field.filter(|text| !text.trim().is_empty());
    let both: Vec<&str> = field.into_iter().chain(said.instructions.as_deref()).collect();
    (!both.is_empty()).then(|| both.join("\n"))
}

pub(crate) async fn create(
    State(app): State<App>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    let request = ResponseRequest::read(&app, &headers, &object(&body)?).await?;
    let person = request.order.person.clone();
    if request.wants_stream {
        let mut turn = app.begin(request.order).await?;
        let opening = first_item(&mut turn).await?;
        let session = turn.session.clone();
        let mut response = stream(|events| request.draft.tell(turn, opening, events));
        name_session(&mut response, &session, person.as_deref());
        return Ok(response);
    }
    let key = header_name(&headers, "idempotency-key")?.map(|key| format!("response {key}"));
    let working = App::clone(&app);
    let work = async move { whole(&working, request).await }.boxed();
    app.repeated.once(key, &body, work).await.map(IntoResponse::into_response)
}

async fn whole(app: &App, request: ResponseRequest) -> Result<Answer, Refusal> {
    let person = request.order.person.clone();
    let mut turn = app.begin(request.order).await?;
    let mut items = OutputItems::default();
    while let Some(item) = turn.feed.next().await {
        items.take(item);
    }
    let ended = turn.end().await?;
    if let Some(refusal) = ended.refusal() {
        return Err(refusal);
    }
    say_the_rest(&mut items, &ended);
    let body = request.draft.finish(&turn.session, items, &ended).await?;
    let completed = ended.result.exit.is_complete();
    Ok(Answer { body, session: turn.session.clone(), person, completed })
}

/// What is said instead of an answer was not streamed by anybody.
fn say_the_rest(items: &mut OutputItems, ended: &Ended) -> Vec<Told> {
    let mut told = Vec::new();
    if !items.has_message()
        && !ended.result.final_response.is_empty()
        && !ended.result.exit.is_failure()
    {
        told = items.say(&ended.result.final_response);
    }
    told.extend(items.close());
    told
}

impl Draft {
    fn object(&self, status: &str, output: &[Value], usage: &Value) -> Value {
        json!({
            "id": self.id,
            "object": "response",
            "created_at": self.created,
            "status": status,
            "model": self.model,
            "output": output,
            "instructions": self.instructions,
            "previous_response_id": self.previous,
            "conversation": self.conversation.as_ref().map(|name| json!({"id": name})),
            "parallel_tool_calls": true,
            "tool_choice": "auto",
            "tools": [],
            "temperature": null,
            "top_p": null,
            "max_output_tokens": null,
            "truncation": self.truncation,
            "store": self.is_kept,
            "metadata": self.metadata,
            "error": null,
            "incomplete_details": null,
            "usage": usage,
        })
    }

    /// The whole response, kept if that is wanted.
    async fn finish(
        &self,
        session: &str,
        items: OutputItems,
        ended: &Ended,
    ) -> Result<Value, Refusal> {
        let exit = ended.result.exit;
        let status = match (exit.is_failure(), exit.is_complete()) {
            (true, _) => "failed",
            (false, true) => "completed",
            (false, false) => "incomplete",
        };
        let mut response = self.object(status, &items.into_items(), &ended.usage());
        response["hermes"] = ended.about(&self.ignored);
        match status {
            "failed" => {
                let message =
                    ended.refusal().map(|refusal| refusal.body()["error"]["message"].clone());
                response["error"] = json!({"code": "server_error", "message": message});
            }
            "incomplete" => {
                let reason = if ended.finish_reason() == "length" {
                    "max_output_tokens"
                } else {
                    exit.name()
                };
                response["incomplete_details"] = json!({"reason": reason});
            }
            _ => {}
        }
        if self.is_kept {
            let kept = KeptResponse {
                response: response.clone(),
                conversation_history: ended.history.clone(),
                instructions: self.instructions.clone(),
                session_id: Some(session.to_owned()),
                is_latest: true,
            };
            self.app.responses.put(&self.id, &kept, self.conversation.as_deref()).await?;
        }
        Ok(response)
    }

    async fn tell(
        self,
        mut turn: Turn,
        opening: Opening,
        events: EventWriter,
    ) -> Result<(), ReaderGone> {
        let mut numbered = Numbered { events, next: 0 };
        let begun = self.object("in_progress", &[], &Value::Null);
        numbered.tell(("response.created", json!({"response": begun}))).await?;
        numbered.tell(("response.in_progress", json!({"response": begun}))).await?;
        let mut items = OutputItems::default();
        let (mut item, mut early) = match opening {
            Opening::Item(item) => (Some(item), None),
            Opening::NothingYet => (turn.feed.next().await, None),
            Opening::Ended(ended) => (None, Some(*ended)),
        };
        while let Some(now) = item {
            for told in items.take(now) {
                numbered.tell(told).await?;
            }
            item = turn.feed.next().await;
        }
        let ended = match early.take() {
            Some(ended) => Ok(ended),
            None => turn.end().await,
        };
        let ended = match ended {
            Ok(ended) => ended,
            Err(refusal) => return numbered.tell(("error", refusal.body()["error"].clone())).await,
        };
        for told in say_the_rest(&mut items, &ended) {
            numbered.tell(told).await?;
        }
        match self.finish(&turn.session, items, &ended).await {
            Ok(response) => {
                let name = match response["status"].as_str() {
                    Some("failed") => "response.failed",
                    Some("incomplete") => "response.incomplete",
                    _ => "response.completed",
                };
                numbered.tell((name, json!({"response": response}))).await
            }
            Err(refusal) => numbered.tell(("error", refusal.body()["error"].clone())).await,
        }
    }
}

/// Events with rising numbers.
struct Numbered {
    events: EventWriter,
    next: u64,
}

impl Numbered {
    async fn tell(&mut self, (name, mut data): Told) -> Result<(), ReaderGone> {
        if let Some(data) = data.as_object_mut() {
            data.insert("type".to_owned(), name.into());
            data.insert("sequence_number".to_owned(), self.next.into());
        }
        self.next += 1;
        self.events.named(name, &data).await
    }
}

pub(crate) async fn show(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    Ok(Json(previous(&app, &id).await?.response))
}

pub(crate) async fn delete(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    match app.responses.delete(&id).await? {
        true => Ok(Json(json!({"id": id, "object": "response", "deleted": true}))),
        false => {
            Err(Refusal::unknown("response_not_found", format!("There is no response `{id}`")))
        }
    }
}

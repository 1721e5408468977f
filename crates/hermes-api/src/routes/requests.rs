//! What several routes do with a request.

use std::time::Duration;

use axum::http::HeaderMap;
use serde_json::{Map, Value};

use crate::answer::{PERSON_HEADER, SESSION_HEADER};
use crate::feed::FeedItem;
use crate::names::header_name;
use crate::problem::Refusal;
use crate::server::{SessionChoice, TurnOrder};
use crate::settings::ModelRoute;
use crate::turn::{Ended, Turn};

/// How long a stream waits for something to say before it begins: until then a failure has a status of its own.
const FIRST_WORD: Duration = Duration::from_secs(10);

/// The body of a request: an object.
pub(crate) fn object(body: &[u8]) -> Result<Map<String, Value>, Refusal> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(body)) => Ok(body),
        Ok(_) => Err(Refusal::bad("invalid_json", "The body must be a JSON object")),
        Err(why) => Err(Refusal::bad("invalid_json", format!("The body is not JSON: {why}"))),
    }
}

/// Where a request with these headers takes place, and whose it is.
pub(crate) fn place_of(headers: &HeaderMap) -> Result<(SessionChoice, Option<String>), Refusal> {
    let place =
        header_name(headers, SESSION_HEADER)?.map_or(SessionChoice::Fresh, SessionChoice::Session);
    Ok((place, header_name(headers, PERSON_HEADER)?))
}

/// A turn that nobody can be asked in.
pub(crate) fn order(
    place: SessionChoice,
    person: Option<String>,
    route: ModelRoute,
    instructions: Option<String>,
    history: Vec<hermes_llm::Message>,
    said: hermes_llm::MessageContent,
    offer: hermes_host::ToolOffer,
) -> TurnOrder {
    TurnOrder { place, history, instructions, said, route, offer, person, asks: None }
}

/// Waits for the first thing to say; a turn that fails before has no stream, but a status.
pub(crate) async fn first_item(turn: &mut Turn) -> Result<Opening, Refusal> {
    match tokio::time::timeout(FIRST_WORD, turn.feed.next()).await {
        Err(_) => Ok(Opening::NothingYet),
        Ok(Some(item)) => Ok(Opening::Item(item)),
        Ok(None) => {
            let ended = turn.end().await?;
            match ended.refusal() {
                Some(refusal) => Err(refusal),
                None => Ok(Opening::Ended(Box::new(ended))),
            }
        }
    }
}

/// How a turn begins, for a reader.
pub(crate) enum Opening {
    NothingYet,
    Item(FeedItem),
    Ended(Box<Ended>),
}

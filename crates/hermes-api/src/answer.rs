//! An answer, and what its headers say of the turn.

use axum::Json;
use axum::http::HeaderValue;
use axum::response::{IntoResponse, Response};
use serde_json::Value;

/// The session to go on with.
pub(crate) const SESSION_HEADER: &str = "x-hermes-session-id";
/// Whose request it is.
pub(crate) const PERSON_HEADER: &str = "x-hermes-session-key";

/// An answer with what goes into its headers.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) body: Value,
    pub(crate) session: String,
    pub(crate) person: Option<String>,
    pub(crate) completed: bool,
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let mut response = Json(self.body).into_response();
        let completed = if self.completed { "true" } else { "false" };
        response.headers_mut().insert("x-hermes-completed", HeaderValue::from_static(completed));
        name_session(&mut response, &self.session, self.person.as_deref());
        response
    }
}

/// Says in the headers where a turn takes place.
pub(crate) fn name_session(response: &mut Response, session: &str, person: Option<&str>) {
    let headers = response.headers_mut();
    for (name, value) in [(SESSION_HEADER, Some(session)), (PERSON_HEADER, person)] {
        if let Some(value) = value.and_then(|value| HeaderValue::from_str(value).ok()) {
            headers.insert(name, value);
        }
    }
}

//! What goes wrong, as a page.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use hermes_serve::ApiProblem;
use serde_json::{Value, json};

/// Why there is no page, or nothing was changed. The front makes a page of it, or JSON for the script.
#[derive(Clone, Debug)]
pub(crate) struct PageProblem {
    pub(crate) status: StatusCode,
    pub(crate) title: &'static str,
    pub(crate) text: String,
}

/// What handlers answer.
pub(crate) type PageResult = Result<Response, PageProblem>;

impl PageProblem {
    /// The request cannot be done as it stands.
    pub(crate) fn refused(text: impl Into<String>) -> Self {
        let (status, title) = (StatusCode::BAD_REQUEST, "That was not done");
        Self { status, title, text: text.into() }
    }

    /// There is nothing here.
    pub(crate) fn missing(text: impl Into<String>) -> Self {
        let (status, title) = (StatusCode::NOT_FOUND, "Nothing here");
        Self { status, title, text: text.into() }
    }

    /// Whoever asks may not.
    pub(crate) fn forbidden(text: impl Into<String>) -> Self {
        let (status, title) = (StatusCode::FORBIDDEN, "Not allowed");
        Self { status, title, text: text.into() }
    }

    /// Something else stands in the way.
    pub(crate) fn conflict(text: impl Into<String>) -> Self {
        let (status, title) = (StatusCode::CONFLICT, "Not now");
        Self { status, title, text: text.into() }
    }

    /// Our own fault.
    pub(crate) fn broken(text: impl Into<String>) -> Self {
        let (status, title) = (StatusCode::INTERNAL_SERVER_ERROR, "Something broke");
        Self { status, title, text: text.into() }
    }

    /// For the script.
    pub(crate) fn body(&self) -> Value {
        json!({"error": {"title": self.title, "message": self.text}})
    }
}

impl IntoResponse for PageProblem {
    fn into_response(self) -> Response {
        let mut response = (self.status, self.text.clone()).into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<hermes_sessions::SessionsError> for PageProblem {
    fn from(problem: hermes_sessions::SessionsError) -> Self {
        match problem {
            hermes_sessions::SessionsError::NoSession { .. } => Self::missing(problem.to_string()),
            other => Self::refused(other.to_string()),
        }
    }
}

/// The refusals of the checks before every request, in plain words: whoever sees them is no guest of ours.
pub(crate) fn of_access(problem: &ApiProblem) -> Response {
    (problem.status(), problem.advice()).into_response()
}

//! Refusals as JSON: what happened, and what to do about it.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// Why a request was not answered the way it wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ApiProblem {
    #[serde(skip)]
    status: StatusCode,
    /// A fixed word for programs.
    code: &'static str,
    /// What happened, for people.
    message: String,
    /// What to do about it.
    hint: String,
}

impl ApiProblem {
    /// A problem of this kind.
    pub fn new(
        status: StatusCode,
        code: &'static str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self { status, code, message: message.into(), hint: hint.into() }
    }

    /// The status it is answered with.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The fixed word for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// What happened, and what to do about it, in one text.
    #[must_use]
    pub fn advice(&self) -> String {
        format!("{}. {}.", self.message, self.hint)
    }
}

/// How a door tells a refusal: each wire has its own form for errors.
pub type ProblemWriter = fn(&ApiProblem) -> Response;

#[derive(Serialize)]
struct Envelope<'a> {
    error: &'a ApiProblem,
}

impl IntoResponse for ApiProblem {
    fn into_response(self) -> Response {
        (self.status, Json(Envelope { error: &self })).into_response()
    }
}

//! Refusals, in the form that libraries for this wire turn into errors.

use axum::Json;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use hermes_serve::ApiProblem;
use serde_json::{Value, json};

/// Why a request is not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    status: StatusCode,
    code: &'static str,
    message: String,
    /// The part of the request it is about.
    param: Option<String>,
    /// Seconds after which it may be tried again.
    retry_after: Option<u64>,
}

impl Refusal {
    /// The request is at fault.
    pub(crate) fn bad(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    /// With this status.
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), param: None, retry_after: None }
    }

    /// Something that is not there.
    pub(crate) fn unknown(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, message)
    }

    /// Our own fault. The log has the details.
    pub(crate) fn broken(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", message)
    }

    /// About this part of the request.
    #[must_use]
    pub(crate) fn about(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into());
        self
    }

    /// It may be tried again after so many seconds.
    #[must_use]
    pub(crate) fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// What is sent.
    pub(crate) fn body(&self) -> Value {
        let kind = match self.status {
            StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
            status if status.is_server_error() => "server_error",
            _ => "invalid_request_error",
        };
        json!({"error": {
            "message": self.message, "type": kind, "param": self.param, "code": self.code,
        }})
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body())).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// The refusals of the checks before every door, in this form.
pub(crate) fn of_access(problem: &ApiProblem) -> Response {
    let code = match problem.code() {
        "missing_token" | "wrong_token" => "invalid_api_key",
        other => other,
    };
    Refusal::new(problem.status(), code, problem.advice()).into_response()
}

/// The database did not do what was asked.
pub(crate) fn of_sessions(problem: &hermes_sessions::SessionsError) -> Refusal {
    use hermes_sessions::SessionsError;
    match problem {
        SessionsError::NoSession { .. } => {
            Refusal::unknown("session_not_found", problem.to_string())
        }
        _ => {
            tracing::warn!(%problem, "a request to the database failed");
            Refusal::broken("The session database did not answer; the log says why")
        }
    }
}

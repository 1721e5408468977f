//! The body of a request, read whole before anybody looks at it: within a time and up to a size.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;

use crate::problem::ApiProblem;

/// The largest body, in bytes.
pub const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;
/// Longest wait for a whole body.
pub const BODY_WAIT: Duration = Duration::from_secs(60);

/// Reads the body, of at most so many bytes, and hands the request on with it.
pub(crate) async fn read_whole(
    most: usize,
    request: Request,
    next: Next,
) -> Result<Response, ApiProblem> {
    let (head, body) = request.into_parts();
    match tokio::time::timeout(BODY_WAIT, to_bytes(body, most)).await {
        Ok(Ok(bytes)) => Ok(next.run(Request::from_parts(head, Body::from(bytes))).await),
        Ok(Err(why)) if is_too_large(&why) => Err(too_large(most)),
        Ok(Err(why)) => Err(ApiProblem::new(
            StatusCode::BAD_REQUEST,
            "broken_body",
            format!("The body could not be read: {why}"),
            "Send the request again",
        )),
        Err(_) => Err(ApiProblem::new(
            StatusCode::REQUEST_TIMEOUT,
            "slow_body",
            format!("The body did not arrive within {} seconds", BODY_WAIT.as_secs()),
            "Send the request again, without pauses",
        )),
    }
}

fn too_large(most: usize) -> ApiProblem {
    ApiProblem::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "body_too_large",
        format!("The body is larger than {} MiB", most / (1024 * 1024)),
        "Write large content to a file and pass its path",
    )
}

fn is_too_large(why: &axum::Error) -> bool {
    let mut cause: Option<&dyn std::error::Error> = Some(why);
    while let Some(error) = cause {
        if error.to_string().contains("length limit exceeded") {
            return true;
        }
        cause = error.source();
    }
    false
}

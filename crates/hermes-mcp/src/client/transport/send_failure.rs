//! What a failed sending means for the request, whichever transport it was.
//!
//! The SDK hands a transport's error on as an opaque one; here it gets its type back. What matters is
//! whether the request can have reached the server.

use std::error::Error as StdError;

use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::http::HttpError;
use super::http_errors::{chain, request_failure};
use super::pipe::PipeSendError;
use super::sse::SseError;
use crate::client::failure::RequestFailure;

/// The failure behind an error that a transport gave to the SDK.
pub(crate) fn send_failure(error: &(dyn StdError + Send + Sync + 'static)) -> RequestFailure {
    if let Some(error) = error.downcast_ref::<PipeSendError>() {
        return RequestFailure::NotDelivered(error.to_string());
    }
    if let Some(failure) = error.downcast_ref::<SseError>() {
        return failure.failure();
    }
    match error.downcast_ref::<StreamableHttpError<HttpError>>() {
        Some(StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_)) => {
            RequestFailure::Auth("the server asks for a login".into())
        }
        Some(StreamableHttpError::Client(HttpError::Auth(error))) => {
            RequestFailure::Auth(error.to_string())
        }
        Some(StreamableHttpError::Client(HttpError::Http(error))) => request_failure(error),
        Some(StreamableHttpError::SessionExpired) => {
            RequestFailure::NotDelivered("the server does not know this session any more".into())
        }
        Some(StreamableHttpError::UnexpectedServerResponse(text))
            if text.starts_with("HTTP 401") || text.starts_with("HTTP 403") =>
        {
            RequestFailure::Auth(format!("the server refuses access ({text})"))
        }
        Some(
            answered @ (StreamableHttpError::HttpStatus(_)
            | StreamableHttpError::UnexpectedServerResponse(_)
            | StreamableHttpError::UnexpectedContentType(_)
            | StreamableHttpError::Deserialize(_)),
        ) => RequestFailure::Refused(chain(answered)),
        _ => RequestFailure::Lost(chain(error)),
    }
}

//! What failures of HTTP mean, and how they read.

use std::error::Error as StdError;

use crate::client::failure::RequestFailure;

/// A request that found no connection has not been delivered; of others nobody knows.
pub(crate) fn request_failure(error: &reqwest::Error) -> RequestFailure {
    let text = chain(error);
    if error.is_connect() || error.is_builder() {
        RequestFailure::NotDelivered(text)
    } else {
        RequestFailure::Lost(text)
    }
}

/// An error with its causes: what an HTTP client says at the top is rarely the point.
pub(crate) fn chain(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}

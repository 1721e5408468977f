//! Error classes (rate limit, overload, context overflow and so on) from the status and words of an answer.

use super::words;
use crate::model::ErrorClass;

/// The class of a failure, by its status and by what was said, in lower case.
#[must_use]
pub fn class_of(status: Option<u16>, text: &str) -> ErrorClass {
    match status {
        Some(401) => ErrorClass::Auth,
        Some(402) if words::speaks_of_a_reset(text) => ErrorClass::RateLimit,
        Some(402) => ErrorClass::Billing,
        Some(403) if words::speaks_of_safety(text) => ErrorClass::ContentPolicy,
        Some(403) if words::speaks_of_money(text) => ErrorClass::Billing,
        Some(403) => ErrorClass::Auth,
        Some(404) => not_found(text),
        Some(408 | 504 | 522 | 524) => ErrorClass::Timeout,
        Some(413) => ErrorClass::PayloadTooLarge,
        Some(429) => limited(text),
        Some(503 | 529) => ErrorClass::Overloaded,
        Some(status @ 500..) => failing(status, text),
        Some(400..) => refused(text),
        Some(_) => ErrorClass::FormatError,
        None => by_words(text),
    }
}

fn not_found(text: &str) -> ErrorClass {
    // "No endpoints match your data policy" also speaks of endpoints not found, so policy is first.
    match () {
        () if words::speaks_of_data_policy(text) => ErrorClass::Policy,
        () if words::refuses_images(text) => ErrorClass::ImageRejected,
        () if words::misses_the_model(text) => ErrorClass::ModelNotFound,
        () if words::speaks_of_money(text) => ErrorClass::Billing,
        () => ErrorClass::Unknown,
    }
}

fn limited(text: &str) -> ErrorClass {
    match () {
        () if words::has_no_quota_at_all(text) => ErrorClass::Billing,
        () if words::speaks_of_load(text) => ErrorClass::Overloaded,
        () if words::blames_upstream(text) => ErrorClass::UpstreamRateLimit,
        () => ErrorClass::RateLimit,
    }
}

/// 400 and its relatives: the request, or something in it, was not liked.
fn refused(text: &str) -> ErrorClass {
    about_the_request(text).unwrap_or_else(|| match () {
        () if words::speaks_of_safety(text) => ErrorClass::ContentPolicy,
        () if words::speaks_of_a_wrong_key(text) => ErrorClass::Auth,
        () if words::speaks_of_money(text) => ErrorClass::Billing,
        () if words::misses_the_model(text) => ErrorClass::ModelNotFound,
        () => ErrorClass::FormatError,
    })
}

/// What can be cured by changing the request.
fn about_the_request(text: &str) -> Option<ErrorClass> {
    let overflow = words::speaks_of_overflow(text);
    Some(match () {
        () if words::speaks_of_signatures(text) => ErrorClass::ThinkingSignature,
        // A prompt that does not fit is an overflow even if the message also names the output cap; it is
        // the cap if the message shows that the prompt alone would fit.
        () if words::names_the_output_cap(text) && super::output_limit(text).is_some() => {
            ErrorClass::OutputCap
        }
        () if overflow => ErrorClass::ContextOverflow,
        () if words::speaks_of_grammar(text) => ErrorClass::SchemaGrammar,
        () if words::refuses_images(text) => ErrorClass::ImageRejected,
        () if words::cannot_stream(text) => ErrorClass::StreamUnsupported,
        () => return None,
    })
}

fn failing(status: u16, text: &str) -> ErrorClass {
    match () {
        () if words::speaks_of_overflow(text) => ErrorClass::ContextOverflow,
        () if words::speaks_of_grammar(text) => ErrorClass::SchemaGrammar,
        () if words::refuses_images(text) => ErrorClass::ImageRejected,
        () if status == 501 && words::cannot_stream(text) => ErrorClass::StreamUnsupported,
        () if words::speaks_of_validation(text) => ErrorClass::FormatError,
        () => ErrorClass::ServerError,
    }
}

/// Without a status, as inside a stream.
fn by_words(text: &str) -> ErrorClass {
    match () {
        () if words::speaks_of_load(text) => ErrorClass::Overloaded,
        () if words::speaks_of_rate(text) => limited(text),
        () if words::speaks_of_a_wrong_key(text) => ErrorClass::Auth,
        () => about_the_request(text).unwrap_or_else(|| match () {
            () if words::speaks_of_safety(text) => ErrorClass::ContentPolicy,
            () if words::speaks_of_money(text) => ErrorClass::Billing,
            () if words::misses_the_model(text) => ErrorClass::ModelNotFound,
            () => ErrorClass::Unknown,
        }),
    }
}

/// The status that an error's type stands for, where a stream gives the type only.
#[must_use]
pub fn status_of_type(kind: &str) -> Option<u16> {
    Some(match kind {
        "invalid_request_error" | "invalid_request" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "timeout_error" => 408,
        "request_too_large" => 413,
        "rate_limit_error" | "rate_limit_exceeded" | "RESOURCE_EXHAUSTED" => 429,
        "api_error" | "server_error" | "internal_server_error" => 500,
        "overloaded_error" => 529,
        _ => return None,
    })
}

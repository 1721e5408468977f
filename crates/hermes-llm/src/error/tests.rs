use serde_json::json;

use super::*;
use crate::endpoint::WireApi;
use crate::model::ErrorClass as C;
use crate::secret::Secret;

fn endpoint() -> Endpoint {
    let mut endpoint = Endpoint::new(WireApi::Chat, "https://api.example.com/v1", "m-1");
    endpoint.provider = "example".to_owned();
    endpoint.key_var = Some("EXAMPLE_API_KEY".to_owned());
    endpoint.api_key = Some(Secret::new("hunter2hunter2"));
    endpoint
}

fn said(status: u16, message: &str) -> ModelError {
    from_status(&endpoint(), status, &json!({"error": {"message": message}}).to_string(), None)
}

#[test]
fn status_and_words_give_the_class() {
    for (status, message, expected) in [
        (401, "no", C::Auth),
        (402, "This request requires more credits", C::Billing),
        (402, "Usage limit reached, resets at 18:00", C::RateLimit),
        (403, "Forbidden", C::Auth),
        (403, "Your credit balance is too low", C::Billing),
        (403, "Input was flagged by moderation", C::ContentPolicy),
        (404, "The model `x` does not exist", C::ModelNotFound),
        (404, "No endpoints found matching your data policy", C::Policy),
        (404, "No endpoints found for x", C::ModelNotFound),
        (404, "Please check your billing", C::Billing),
        (404, "page not here", C::Unknown),
        (408, "", C::Timeout),
        (504, "", C::Timeout),
        (413, "", C::PayloadTooLarge),
        (429, "slow down", C::RateLimit),
        (429, "The engine is currently overloaded", C::Overloaded),
        (429, "x is temporarily rate-limited upstream", C::UpstreamRateLimit),
        (429, "You exceeded your current quota (insufficient_quota)", C::Billing),
        (400, "This model's maximum context length is 8192 tokens", C::ContextOverflow),
        (400, "prompt is too long: 213456 tokens > 200000 maximum", C::ContextOverflow),
        (
            400,
            "request (9001 tokens) exceeds the available context size (8192 tokens)",
            C::ContextOverflow,
        ),
        (400, "Please reduce the length of the messages", C::ContextOverflow),
        (400, "model_context_window_exceeded", C::ContextOverflow),
        (
            400,
            "messages.1.content.0: Invalid `signature` in `thinking` block",
            C::ThinkingSignature,
        ),
        (400, "failed to parse grammar", C::SchemaGrammar),
        (400, "JSON schema conversion failed: Pattern must start with '^'", C::SchemaGrammar),
        (400, "This model does not support image input", C::ImageRejected),
        (500, "image input is not supported - hint: provide the mmproj", C::ImageRejected),
        (400, "Streaming is not supported for this model", C::StreamUnsupported),
        (400, "x is not a valid model ID", C::ModelNotFound),
        (400, "API key not valid. Please pass a valid API key.", C::Auth),
        (400, "Your credit balance is too low to access the API", C::Billing),
        (400, "The response was filtered due to the content management policy", C::ContentPolicy),
        (400, "messages.3: tool_use ids must be unique", C::FormatError),
        (422, "tools: field required", C::FormatError),
        (405, "method not allowed", C::FormatError),
        (302, "moved", C::FormatError),
        (500, "boom", C::ServerError),
        (502, "", C::ServerError),
        (500, "validation error for request", C::FormatError),
        (500, "the prompt exceeds the model's limit of 4096 tokens", C::ContextOverflow),
        (503, "", C::Overloaded),
        (529, "", C::Overloaded),
    ] {
        let error = said(status, message);
        assert_eq!(error.class, expected, "{status} {message}");
        assert_eq!(error.status, Some(status));
    }
}

#[test]
fn the_output_cap_is_told_from_an_overflow_and_its_number_is_learned() {
    for (message, cap) in [
        (
            "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens",
            64_000,
        ),
        (
            "max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
            16_384,
        ),
        ("requested max_tokens 65536 does not fit, available 12,345", 12_345),
        (
            "'max_tokens' is too large: 65536. This model's maximum context length is 32768 tokens and \
             your request has 1200 input tokens (65536 > 32768 - 1200).",
            31_568,
        ),
        ("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", 10_000),
        (
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens \
             (5000 in the messages, 4000 in the completion). Lower max_tokens.",
            3192,
        ),
        ("Range of max_tokens should be [1, 8192]", 8192),
        ("max_tokens must be less than or equal to `32768`", 32_768),
    ] {
        let error = said(400, message);
        assert_eq!((error.class, error.limit), (C::OutputCap, Some(cap)), "{message}");
    }
    let hopeless = "This model's maximum context length is 8192 tokens. However, you requested 13000 \
                    tokens (9000 in the messages, 4000 in the completion). Lower max_tokens.";
    let error = said(400, hopeless);
    assert_eq!((error.class, error.limit), (C::ContextOverflow, Some(8192)));
}

#[test]
fn the_window_is_learned_from_complaints() {
    for (message, window) in [
        ("This model's maximum context length is 8192 tokens. However you sent 9,000", Some(8192)),
        ("prompt is too long: 213456 tokens > 200000 maximum", Some(200_000)),
        (
            "request (9001 tokens) exceeds the available context size (8192 tokens), try increasing it",
            Some(8192),
        ),
        (
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
            Some(131_072),
        ),
        (
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            Some(1_048_576),
        ),
        ("the model is loaded with context length of only 4096 tokens", Some(4096)),
        ("too many tokens", None),
    ] {
        let error = said(400, message);
        assert_eq!((error.class, error.limit), (C::ContextOverflow, window), "{message}");
    }
    let body = json!({"error": {"code": 400, "message": "too long for the context size",
        "n_prompt_tokens": 9001, "n_ctx": 8192}});
    assert_eq!(from_status(&endpoint(), 400, &body.to_string(), None).limit, Some(8192));
}

#[test]
fn bodies_of_every_shape_give_their_message() {
    for (body, expected) in [
        (r#"{"error": {"message": "a b"}}"#, "a b"),
        (r#"{"error": "plain"}"#, "plain"),
        (r#"{"message": "top"}"#, "top"),
        (r#"{"detail": "fast"}"#, "fast"),
        (r#"{"detail": [{"loc": ["body"], "msg": "field required"}]}"#, "field required"),
        (r#"[{"error": {"message": "listed", "code": 400}}]"#, "listed"),
        ("<html><h1>502 Bad Gateway</h1></html>", "502 Bad Gateway"),
        ("just words", "just words"),
        ("", "no explanation"),
        (
            r#"{"error": {"message": "Provider returned error", "metadata": {"raw": "{\"error\": {\"message\": \"deep\"}}"}}}"#,
            "Provider returned error: deep",
        ),
    ] {
        let error = from_status(&endpoint(), 400, body, None);
        assert_eq!(error.message, format!("example answered 400: {expected}"), "{body}");
    }
}

#[test]
fn errors_inside_a_stream_have_the_class_of_their_type_or_code() {
    for (value, expected) in [
        (
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}),
            C::Overloaded,
        ),
        (json!({"error": {"type": "rate_limit_error", "message": "x"}}), C::RateLimit),
        (json!({"error": {"code": 502, "message": "x"}}), C::ServerError),
        (json!({"error": {"code": "429", "message": "x"}}), C::RateLimit),
        (json!({"error": "Rate limit reached"}), C::RateLimit),
        (json!({"error": "the prompt is too long"}), C::ContextOverflow),
        (json!({"error": {"message": "who knows"}}), C::Unknown),
    ] {
        let error = from_report(&endpoint(), Some(200), &ErrorReport::of_value(&value));
        assert_eq!(error.class, expected, "{value}");
    }
}

#[test]
fn messages_are_one_line_bounded_and_without_keys() {
    let error = said(401, &format!("key hunter2hunter2\nis wrong {}", "x".repeat(2000)));
    assert!(!error.message.contains("hunter2") && !error.message.contains('\n'));
    assert!(error.message.chars().count() <= MAX_MESSAGE + 1);
    assert!(error.advice.unwrap().contains("EXAMPLE_API_KEY"));
}

#[test]
fn retry_after_is_seconds_or_a_date() {
    let now: Timestamp = "1994-11-06T08:49:07Z".parse().unwrap();
    let of = |value: &str| retry_after(value, now).map(|time| time.as_secs_f64());
    assert_eq!(of("7"), Some(7.0));
    assert_eq!(of(" 0.5 "), Some(0.5));
    assert_eq!(of("Sun, 06 Nov 1994 08:49:37 GMT"), Some(30.0));
    assert_eq!(of("Sun, 06 Nov 1994 08:00:00 GMT"), Some(0.0));
    for nonsense in ["", "soon", "-1", "nan", "inf"] {
        assert_eq!(of(nonsense), None, "{nonsense}");
    }
}

#[test]
fn a_time_to_wait_is_also_found_in_the_text() {
    for (message, seconds) in [
        ("Rate limit reached. Please try again in 6m0s.", Some(360.0)),
        ("Please try again in 1.242s.", Some(1.242)),
        ("please retry in 20ms", Some(0.02)),
        ("Try again in 7 seconds", Some(7.0)),
        ("Try again in 5 minutes", Some(300.0)),
        ("\"retryDelay\": \"31s\"", Some(31.0)),
        ("slow down", None),
        ("try again in a while", None),
    ] {
        let found = said(429, message).retry_after.map(|time| time.as_secs_f64());
        assert_eq!(found, seconds, "{message}");
    }
    let both = from_status(&endpoint(), 429, "try again in 7s", Some(Duration::from_secs(9)));
    assert_eq!(both.retry_after, Some(Duration::from_secs(9)));
}

#[test]
fn every_class_that_a_person_can_act_on_has_advice() {
    for class in [C::Auth, C::Billing, C::RateLimit, C::ModelNotFound, C::ContextOverflow, C::Tls] {
        let advice = advice(&endpoint(), class).unwrap();
        assert!(!advice.contains('\n') && advice.len() < 160, "{advice}");
    }
}

//! Phrases by which servers tell what is wrong. All matching is on lower-case text.

use std::sync::LazyLock;

use regex::Regex;

fn any(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| text.contains(phrase))
}

/// "exceeds the limit of 8192 tokens" and its many relatives.
static EXCEEDS_TOKENS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"exceed(?:s|ed|ing)?\b.{0,80}\btokens?\b").ok());

pub(super) fn speaks_of_overflow(text: &str) -> bool {
    any(
        text,
        &[
            "context length",
            "context_length",
            "context window",
            "context_window",
            "context size",
            "maximum context",
            "maximum prompt length",
            "too many tokens",
            "prompt is too long",
            "prompt too long",
            "input is too long",
            "reduce the length",
            "n_ctx",
            "token count exceeds",
        ],
    ) || EXCEEDS_TOKENS.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

pub(super) fn names_the_output_cap(text: &str) -> bool {
    any(text, &["max_tokens", "max_completion_tokens", "max_output_tokens", "completion tokens"])
}

/// Keys are refused as 400 by some, with these words.
pub(super) fn speaks_of_a_wrong_key(text: &str) -> bool {
    any(
        text,
        &[
            "api key not valid",
            "invalid api key",
            "incorrect api key",
            "invalid x-api-key",
            "api_key_invalid",
        ],
    )
}

pub(super) fn speaks_of_money(text: &str) -> bool {
    any(
        text,
        &[
            "insufficient_quota",
            "insufficient credit",
            "insufficient balance",
            "insufficient funds",
            "credit balance",
            "out of credits",
            "more credits",
            "billing",
            "payment required",
            "purchase",
            "top up",
        ],
    )
}

/// A 429 with these words will not pass by waiting.
pub(super) fn has_no_quota_at_all(text: &str) -> bool {
    any(text, &["insufficient_quota", "credit balance", "insufficient balance"])
}

pub(super) fn speaks_of_a_reset(text: &str) -> bool {
    any(
        text,
        &[
            "usage limit",
            "resets at",
            "resets in",
            "will reset",
            "try again in",
            "per day",
            "per hour",
        ],
    )
}

pub(super) fn speaks_of_load(text: &str) -> bool {
    any(
        text,
        &[
            "overloaded",
            "at capacity",
            "over capacity",
            "no capacity",
            "currently loading",
            "loading model",
        ],
    )
}

pub(super) fn speaks_of_rate(text: &str) -> bool {
    any(text, &["rate limit", "rate_limit", "ratelimit", "too many requests", "resource_exhausted"])
}

pub(super) fn blames_upstream(text: &str) -> bool {
    any(text, &["upstream", "provider returned error", "provider_name"])
}

pub(super) fn misses_the_model(text: &str) -> bool {
    let model = text.contains("model");
    any(
        text,
        &[
            "model_not_found",
            "no endpoints found",
            "not a valid model",
            "unknown model",
            "no such model",
        ],
    ) || (model
        && any(
            text,
            &[
                "not found",
                "does not exist",
                "doesn't exist",
                "not exist",
                "is not supported",
                "not available",
                "not_found",
            ],
        ))
}

pub(super) fn speaks_of_data_policy(text: &str) -> bool {
    any(
        text,
        &["data policy", "privacy setting", "guardrail", "zero data retention", "account settings"],
    )
}

pub(super) fn speaks_of_safety(text: &str) -> bool {
    any(
        text,
        &[
            "content_policy",
            "content policy",
            "content management policy",
            "content_filter",
            "responsibleai",
            "flagged",
            "moderation",
            "safety system",
            "usage policies",
            "prohibited_content",
            "blocked by safety",
        ],
    )
}

pub(super) fn speaks_of_signatures(text: &str) -> bool {
    text.contains("signature") && any(text, &["thinking", "thought", "reasoning"])
        || any(
            text,
            &["thinking blocks cannot be modified", "thinking` or `redacted_thinking` blocks"],
        )
}

pub(super) fn speaks_of_grammar(text: &str) -> bool {
    any(
        text,
        &[
            "grammar",
            "json schema conversion failed",
            "pattern must start with",
            "unable to generate parser",
        ],
    ) || (text.contains("schema")
        && any(text, &["'pattern'", "\"pattern\"", "\\\"pattern\\\"", "regex"]))
}

pub(super) fn refuses_images(text: &str) -> bool {
    let image = any(text, &["image", "vision", "multimodal", "mmproj"]);
    image
        && any(
            text,
            &[
                "not support",
                "unsupported",
                "does not accept",
                "cannot process",
                "could not process",
                "no endpoints found that support",
                "text-only",
                "only text",
                "invalid image",
                "unknown variant",
                "mmproj",
            ],
        )
}

pub(super) fn cannot_stream(text: &str) -> bool {
    text.contains("stream")
        && any(
            text,
            &[
                "not support",
                "unsupported",
                "not available",
                "must be false",
                "not allowed",
                "not implemented",
            ],
        )
}

pub(super) fn speaks_of_validation(text: &str) -> bool {
    any(
        text,
        &[
            "invalid_request",
            "validation error",
            "validationerror",
            "request validation",
            "bad request",
            "invalid parameter",
        ],
    )
}

pub(super) fn speaks_of_certificates(text: &str) -> bool {
    let text = text.to_lowercase();
    any(&text, &["certificate", "unknownissuer", "tls", "handshake", "invalid peer"])
}

//! Servers that refuse.

use hermes_llm::Model;
use hermes_llm::{ClientOptions, Endpoint, ErrorClass, ModelClient, ModelRequest, WireApi};
use hermes_testkit::{ModelServer, Step};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{BOTH, Pair};

#[tokio::test]
async fn each_status_has_its_class() {
    for wire in BOTH {
        for (status, message, class) in [
            (401, "bad key", ErrorClass::Auth),
            (402, "add credits", ErrorClass::Billing),
            (404, "model scripted not found", ErrorClass::ModelNotFound),
            (413, "too large", ErrorClass::PayloadTooLarge),
            (429, "slow down", ErrorClass::RateLimit),
            (400, "prompt is too long: 9000 tokens > 8192 maximum", ErrorClass::ContextOverflow),
            (500, "boom", ErrorClass::ServerError),
            (503, "busy", ErrorClass::Overloaded),
            (302, "elsewhere", ErrorClass::FormatError),
        ] {
            let mut pair = Pair::new(wire, [Step::status(status).error(message)]);
            let error = pair.ask().await.unwrap_err();
            assert_eq!((error.class, error.status), (class, Some(status)), "{error:?}");
            assert!(error.message.contains(message), "{}", error.message);
            assert_eq!(pair.server.requests().len(), 1);
        }
    }
}

#[tokio::test]
async fn a_server_says_how_long_to_wait_and_how_large_its_window_is() {
    let mut pair = Pair::new(
        WireApi::Chat,
        [
            Step::status(429).header("retry-after", "7"),
            Step::status(400).error("This model's maximum context length is 8192 tokens."),
        ],
    );
    assert_eq!(pair.ask().await.unwrap_err().retry_after.unwrap().as_secs(), 7);
    assert_eq!(pair.ask().await.unwrap_err().limit, Some(8192));
}

#[tokio::test]
async fn a_key_that_a_server_repeats_is_not_shown() {
    for wire in BOTH {
        let mut pair = Pair::new(wire, [Step::status(401).error("no such key: sk-of-the-test")]);
        let error = pair.ask().await.unwrap_err();
        assert!(!format!("{error:?}").contains("sk-of-the-test"), "{error:?}");
    }
}

#[tokio::test]
async fn nobody_there_on_this_machine_is_not_waited_for() {
    let endpoint = Endpoint::new(WireApi::Chat, "http://127.0.0.1:9/v1", "m");
    let client = ModelClient::new(endpoint, ClientOptions::default());
    let request = ModelRequest::default();
    let error = client.answer(&request, &mut |_| {}, &CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.class, ErrorClass::NotRunning, "{error:?}");
    assert_eq!(hermes_llm::retry::remedy(error.class), hermes_llm::retry::Remedy::None);
    assert!(error.message.contains("nothing listens at http://127.0.0.1:9"), "{}", error.message);
    assert!(error.advice.unwrap().contains("Start the server"));
}

#[tokio::test]
async fn keys_do_not_follow_a_redirect() {
    let other = ModelServer::start([Step::text("stolen")]);
    for wire in BOTH {
        let hint = format!("{}/chat/completions", other.url());
        for status in [301, 302, 307, 308] {
            let mut pair =
                Pair::new(wire, [Step::status(status).header("location", hint.as_str())]);
            assert!(pair.ask().await.is_err());
        }
    }
    assert!(other.requests().is_empty(), "{:?}", other.requests());
}

#[tokio::test]
async fn a_key_that_cannot_be_a_header_is_an_error_and_not_a_panic() {
    let server = ModelServer::start(["x"]);
    let mut endpoint = Endpoint::new(WireApi::Chat, &server.url(), "m");
    endpoint.api_key = Some(hermes_llm::Secret::new("bad\nkey"));
    let client = ModelClient::new(endpoint, ClientOptions::default());
    let request = ModelRequest::default();
    let error = client.answer(&request, &mut |_| {}, &CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.class, ErrorClass::FormatError);
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn an_aggregators_error_in_a_whole_answer_is_an_error() {
    let body = json!({"error": {"message": "Provider returned error", "code": 502}}).to_string();
    let mut pair = Pair::new(WireApi::Chat, [Step::raw_body(body)]);
    assert_eq!(pair.ask().await.unwrap_err().class, ErrorClass::ServerError);
}

//! Answers of servers that do not know our session any more.
//!
//! A server that was restarted has forgotten its sessions. The protocol wants it to say 404, and the SDK then
//! begins a new session and sends the request again, which is safe: a server that does not know the session
//! has not looked at the request. Many say 400 instead, with an error that belongs to no request (its id is
//! absent, null, or a word of their own), and nobody would ever match it to ours.

use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{StreamableHttpError, StreamableHttpPostResponse};

/// What came of a message.
type Posted<E> = Result<StreamableHttpPostResponse, StreamableHttpError<E>>;

/// The answer to a message, such that a caller hears of it: an error about the session as one, any other
/// that names no request as the answer to this one.
pub(super) fn addressed<E: std::error::Error + Send + Sync + 'static>(
    answer: Posted<E>,
    message: &ClientJsonRpcMessage,
    has_session: bool,
) -> Posted<E> {
    use StreamableHttpPostResponse::Json;
    let ClientJsonRpcMessage::Request(request) = message else { return answer };
    match answer {
        Ok(Json(ServerJsonRpcMessage::Error(mut error), session)) => {
            let is_ours = is_for(error.id.as_ref(), &request.id);
            if !is_ours && has_session && is_about_session(&error.error.message) {
                return Err(StreamableHttpError::SessionExpired);
            }
            error.id = Some(request.id.clone());
            Ok(Json(ServerJsonRpcMessage::Error(error), session))
        }
        Err(StreamableHttpError::UnexpectedServerResponse(text))
            if has_session && is_refusal(&text) && is_about_session(&text) =>
        {
            Err(StreamableHttpError::SessionExpired)
        }
        other => other,
    }
}

/// Numbers may come back as text.
fn is_for(answered: Option<&RequestId>, asked: &RequestId) -> bool {
    answered.is_some_and(|id| id == asked || id.to_string() == asked.to_string())
}

fn is_refusal(text: &str) -> bool {
    ["HTTP 400", "HTTP 404", "HTTP 410"].iter().any(|status| text.starts_with(status))
}

/// What the common servers say: "No valid session ID provided", "Session not found", "Invalid session",
/// "Server not initialized".
fn is_about_session(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.contains("session") || text.contains("not initialized")
}

#[cfg(test)]
mod tests {
    use rmcp::model::{ErrorCode, ErrorData};
    use serde_json::json;

    use super::*;

    fn request() -> ClientJsonRpcMessage {
        serde_json::from_value(json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list"})).unwrap()
    }

    fn refused(id: Option<RequestId>, text: &str) -> Posted<std::io::Error> {
        let error = ErrorData::new(ErrorCode(-32000), text.to_owned(), None);
        Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::error(error, id), None))
    }

    #[test]
    fn an_error_about_the_session_that_names_no_request_means_that_it_is_forgotten() {
        for text in
            ["Bad Request: No valid session ID provided", "Session not found", "Invalid session"]
        {
            for id in [None, Some(RequestId::String("server-error".into()))] {
                let answer = addressed(refused(id, text), &request(), true);
                assert!(matches!(answer, Err(StreamableHttpError::SessionExpired)), "{text}");
            }
        }
        let plain: Posted<std::io::Error> = Err(StreamableHttpError::UnexpectedServerResponse(
            "HTTP 400 Bad Request: Invalid session ID".into(),
        ));
        let answer = addressed(plain, &request(), true);
        assert!(matches!(answer, Err(StreamableHttpError::SessionExpired)));
    }

    #[test]
    fn any_other_error_that_names_no_request_answers_ours() {
        for has_session in [true, false] {
            let answer = addressed(refused(None, "something is broken"), &request(), has_session);
            let Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(error), _)) =
                answer
            else {
                panic!("{answer:?}")
            };
            assert_eq!(error.id, Some(RequestId::Number(7)));
        }
    }

    #[test]
    fn an_answer_to_our_request_stays_as_it_is() {
        let about = "this tool needs a session of its own";
        let answer = addressed(refused(Some(RequestId::Number(7)), about), &request(), true);
        assert!(answer.is_ok());
    }
}

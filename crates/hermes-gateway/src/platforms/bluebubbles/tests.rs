use hermes_testkit::{WebReply, WebServer};
use hermes_tool::Vars;

use super::*;
use crate::adapter::SendClass;
use crate::markdown::Rendered;

fn bluebubbles(server: &WebServer, more: &[(&str, &str)]) -> BlueBubbles {
    let origin = server.origin();
    let vars = [("BLUEBUBBLES_SERVER_URL", origin.as_str()), ("BLUEBUBBLES_PASSWORD", "pass word")];
    let vars = vars.iter().chain(more);
    let vars: Vars = vars.map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    BlueBubbles::new(&AdapterSetup::new(&BLUEBUBBLES, &json!({}), &vars)).unwrap()
}

fn told() -> Value {
    json!({"type": "new-message", "data": {"guid": "g1", "text": "hello \u{fffc}", "isFromMe": false,
        "handle": {"address": "+15551234567"}, "dateCreated": 1_700_000_000_000_u64,
        "chats": [{"guid": "iMessage;-;+15551234567", "displayName": ""}],
        "attachments": [{"guid": "a1", "mimeType": "image/heic", "transferName": "p.heic", "totalBytes": 9}]}})
}

fn call(path: &str, query: &str, body: &Value) -> WebhookRequest {
    WebhookRequest {
        method: axum::http::Method::POST,
        path: path.to_owned(),
        query: query.to_owned(),
        headers: axum::http::HeaderMap::new(),
        body: body.to_string().into_bytes(),
        peer: ([127, 0, 0, 1], 1).into(),
    }
}

#[tokio::test]
async fn only_whom_we_told_our_address_is_heard() {
    let server = WebServer::start(|_| WebReply::status(404));
    let mac = bluebubbles(&server, &[]).mac;
    let (inbox, kept) = Inbox::recording("bluebubbles");
    for query in ["", "key=", "key=0123", "password=pass+word"] {
        let refused = mac.answer(&call("/bluebubbles", query, &told()), &inbox).await;
        assert_eq!(refused.status, 403, "{query}");
    }
    let key = format!("key={}", mac.secret());
    assert_eq!(mac.answer(&call("/else", &key, &told()), &inbox).await.status, 404);
    assert!(kept.events().is_empty());
    assert_eq!(mac.answer(&call("/bluebubbles", &key, &told()), &inbox).await.status, 200);
    let InboundEvent::Message(said) = &kept.events()[0] else { panic!() };
    assert_eq!((said.text.as_str(), said.source.kind), ("hello", ChatKind::Dm));
    assert_eq!((said.media[0].kind, said.media[0].size), (MediaKind::Photo, Some(9)));
    let mut own = told();
    own["data"]["isFromMe"] = json!(true);
    assert_eq!(mac.answer(&call("/bluebubbles", &key, &own), &inbox).await.status, 200);
    assert_eq!(kept.events().len(), 1);
    let mut group = told();
    group["data"]["chats"][0]["guid"] = json!("iMessage;+;chat1");
    assert_eq!(message_of(&group["data"]).unwrap().addressing, Addressing::Ambient);
}

#[tokio::test]
async fn our_address_is_registered_once() {
    let known = Arc::new(std::sync::Mutex::new(Vec::new()));
    let kept = Arc::clone(&known);
    let server = WebServer::start(move |seen| {
        assert!(seen.path.ends_with("?password=pass+word"), "{}", seen.path);
        if seen.method == "POST" {
            kept.lock().unwrap().push(seen.body.clone());
        }
        WebReply::json(&json!({"status": 200, "data": *kept.lock().unwrap()}))
    });
    let mac = bluebubbles(&server, &[("BLUEBUBBLES_WEBHOOK_PORT", "7001")]).mac;
    mac.register().await.unwrap();
    mac.register().await.unwrap();
    let known = known.lock().unwrap();
    assert_eq!(known.len(), 1);
    let address = format!("http://127.0.0.1:7001/bluebubbles?key={}", mac.secret());
    assert_eq!(known[0], json!({"url": address, "events": ["new-message"]}));
}

#[tokio::test]
async fn words_go_to_a_chat_and_a_person_without_one_gets_one() {
    let server = WebServer::start(|seen| match seen.path.split('?').next().unwrap() {
        "/api/v1/message/text" if seen.body["message"] == "slow" => {
            WebReply::status(429).header("retry-after", "3")
        }
        "/api/v1/message/text" => WebReply::json(&json!({"data": {"guid": "s1"}})),
        "/api/v1/chat/new" => WebReply::json(&json!({"data": {"messages": [{"guid": "s2"}]}})),
        "/api/v1/attachment/a%2F1/download" => WebReply::bytes("0123456789"),
        "/api/v1/ping" => {
            WebReply::json(&json!({"error": {"message": "bad pass word"}})).with_status(401)
        }
        _ => WebReply::status(500),
    });
    let bubbles = bluebubbles(&server, &[]);
    let out = |chat: &str, text: &str| Outgoing {
        target: bubbles.parse_target(chat).unwrap(),
        content: Rendered::text(text),
        key: "k1".to_owned(),
        ..Outgoing::default()
    };
    assert_eq!(bubbles.send(&out("iMessage;-;+15551234567", "hi")).await.unwrap(), "s1");
    assert_eq!(
        server.requests()[0].body,
        json!({"chatGuid": "iMessage;-;+15551234567",
        "tempGuid": "temp-k1", "message": "hi", "method": "apple-script"})
    );
    assert_eq!(bubbles.send(&out("+15551234567", "hi")).await.unwrap(), "s2");
    let error = bubbles.send(&out("iMessage;-;x", "slow")).await.unwrap_err();
    assert_eq!(
        (error.class, error.retry_after),
        (SendClass::RateLimited, Some(Duration::from_secs(3)))
    );
    let media = InboundMedia { handle: "a/1".to_owned(), ..InboundMedia::default() };
    assert_eq!(bubbles.fetch(&media, 10).await.unwrap(), b"0123456789");
    assert_eq!(bubbles.fetch(&media, 9).await.unwrap_err().class, SendClass::TooLong);
    let error = bubbles.probe().await.unwrap_err();
    assert!(error.class == SendClass::Forbidden && !error.what.contains("pass word"), "{error}");
    assert!(bubbles.parse_target("somebody").is_err());
}

//! Platforms that call us, through the whole program: Feishu and BlueBubbles against doubles of their services.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use hermes_testkit::{Seen, Step, WebReply, WebServer};
use serde_json::{Value, json};

use super::stage::Stage;

pub(super) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Posts a body; the status and what was answered.
pub(super) fn post(port: u16, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let more: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n{more}content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, answer.split("\r\n\r\n").nth(1).unwrap_or_default().to_owned())
}

type Said = Arc<Mutex<Vec<Value>>>;

/// What a double was asked to say, in order.
fn keeping(said: &Said, seen: &Seen) {
    said.lock().unwrap().push(seen.body.clone());
}

#[test]
fn feishu_is_answered_with_a_card_and_asks_for_a_token() {
    let said = Said::default();
    let kept = Arc::clone(&said);
    let server = WebServer::start(move |seen| match seen.path.as_str() {
        "/open-apis/auth/v3/tenant_access_token/internal" => {
            WebReply::json(&json!({"code": 0, "tenant_access_token": "t1", "expire": 7200}))
        }
        "/open-apis/bot/v3/info" => {
            WebReply::json(&json!({"code": 0, "bot": {"app_name": "Hermes", "open_id": "ou_bot"}}))
        }
        path if path.starts_with("/open-apis/im/v1/messages") => {
            keeping(&kept, seen);
            WebReply::json(&json!({"code": 0, "data": {"message_id": "om_9"}}))
        }
        _ => WebReply::status(404),
    });
    let port = free_port();
    let platforms = format!("  feishu:\n    extra:\n      base_url: {}\n", server.origin());
    let env = format!(
        "FEISHU_APP_ID=cli_1\nFEISHU_APP_SECRET=s1\nFEISHU_VERIFICATION_TOKEN=vt\nFEISHU_PORT={port}\n\
         FEISHU_ALLOWED_USERS=ou_ann\nHERMES_FEISHU_TEXT_BATCH_DELAY_SECONDS=0.02\n"
    );
    let mut stage = Stage::new([Step::text("Good **day**.")], &platforms, &env);
    stage.start_until("feishu", "connected");
    let event = |token: &str, who: &str| {
        json!({"schema": "2.0", "header": {"event_type": "im.message.receive_v1", "token": token},
            "event": {"sender": {"sender_id": {"open_id": who}, "sender_type": "user"},
                "message": {"message_id": format!("om_{who}"), "chat_id": "oc_1", "chat_type": "p2p",
                    "message_type": "text", "content": "{\"text\": \"hello\"}"}}})
        .to_string()
    };
    assert_eq!(post(port, "/", &[], &event("forged", "ou_ann")).0, 403);
    assert_eq!(
        post(port, "/", &[], &event("vt", "ou_bob")).0,
        200,
        "a stranger hears nothing of it"
    );
    assert_eq!(post(port, "/", &[], &event("vt", "ou_ann")).0, 200);
    assert_eq!(
        post(port, "/", &[], &event("vt", "ou_ann")).0,
        200,
        "the same again is no second turn"
    );
    let has_answer = |said: &[Value]| {
        said.iter().any(|one| one["content"].to_string().contains("Good **day**."))
    };
    stage.until("an answer", || has_answer(&said.lock().unwrap()));
    assert_eq!(stage.model.questions().len(), 1);
    let challenge =
        json!({"type": "url_verification", "token": "vt", "challenge": "c1"}).to_string();
    assert_eq!(post(port, "/", &[], &challenge), (200, "{\"challenge\":\"c1\"}".to_owned()));
    let sent = stage.sandbox.run(["send", "-t", "feishu:oc_2", "the backup is done"]);
    sent.exits(0);
    let last = said.lock().unwrap().last().unwrap().clone();
    assert_eq!(last["receive_id"], "oc_2", "{last}");
}

#[test]
fn imessage_comes_in_at_the_address_that_was_registered() {
    let (said, hooks) = (Said::default(), Said::default());
    let (kept, known) = (Arc::clone(&said), Arc::clone(&hooks));
    let server = WebServer::start(move |seen| {
        if !seen.path.ends_with("password=pass1") {
            return WebReply::status(401);
        }
        match (seen.method.as_str(), seen.path.split('?').next().unwrap()) {
            ("GET", "/api/v1/webhook") => WebReply::json(&json!({"data": []})),
            ("POST", "/api/v1/webhook") => {
                keeping(&known, seen);
                WebReply::json(&json!({"data": {"id": 1}}))
            }
            ("POST", "/api/v1/message/text") => {
                keeping(&kept, seen);
                WebReply::json(&json!({"data": {"guid": "s1"}}))
            }
            _ => WebReply::status(404),
        }
    });
    let port = free_port();
    let env = format!(
        "BLUEBUBBLES_SERVER_URL={}\nBLUEBUBBLES_PASSWORD=pass1\nBLUEBUBBLES_WEBHOOK_PORT={port}\n\
         BLUEBUBBLES_ALLOWED_USERS=+15551234567\nHERMES_BLUEBUBBLES_TEXT_BATCH_DELAY_SECONDS=0.02\n",
        server.origin()
    );
    let mut stage = Stage::new([Step::text("Good day.")], "  bluebubbles: {}\n", &env);
    stage.start_until("bluebubbles", "connected");
    let address = hooks.lock().unwrap()[0]["url"].as_str().unwrap().to_owned();
    let path = address.split(&format!(":{port}")).nth(1).unwrap().to_owned();
    let body =
        json!({"type": "new-message", "data": {"guid": "g1", "text": "hello", "isFromMe": false,
        "handle": {"address": "+15551234567"}, "chats": [{"guid": "iMessage;-;+15551234567"}]}})
        .to_string();
    assert_eq!(post(port, "/bluebubbles", &[], &body).0, 403);
    assert_eq!(post(port, "/bluebubbles?key=guess", &[], &body).0, 403);
    assert_eq!(post(port, &path, &[], &body).0, 200);
    stage.until("an answer", || !said.lock().unwrap().is_empty());
    let first = said.lock().unwrap()[0].clone();
    assert_eq!(
        (&first["chatGuid"], &first["message"]),
        (&json!("iMessage;-;+15551234567"), &json!("Good day."))
    );
    let log = std::fs::read_to_string(stage.sandbox.scratch("gateway.log")).unwrap();
    assert!(!log.contains("pass1"), "the password is part of every address and in no log");
}

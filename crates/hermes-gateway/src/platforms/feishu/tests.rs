use std::sync::atomic::{AtomicUsize, Ordering};

use hermes_testkit::{WebReply, WebServer};
use hermes_tool::Vars;

use super::envelope::encrypted;
use super::*;
use crate::adapter::hex;

const KEY: &str = "encrypt-key-1";

fn feishu(server: &WebServer, more: &[(&str, &str)]) -> Feishu {
    let config = json!({"platforms": {"feishu": {"extra": {"base_url": server.origin()}}}});
    let vars = [("FEISHU_APP_ID", "cli_1"), ("FEISHU_APP_SECRET", "secret-1")];
    let vars = vars.iter().chain(more);
    let vars: Vars = vars.map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    Feishu::new(&AdapterSetup::new(&FEISHU, &config, &vars)).unwrap()
}

fn told(chat: &str, text: &str) -> Value {
    json!({"schema": "2.0",
        "header": {"event_id": "e1", "event_type": "im.message.receive_v1", "token": "vt"},
        "event": {
            "sender": {"sender_id": {"open_id": "ou_ann", "union_id": "on_ann"}, "sender_type": "user"},
            "message": {"message_id": "om_1", "chat_id": "oc_1", "chat_type": chat,
                "create_time": "1700000000000", "message_type": "text",
                "content": json!({"text": text}).to_string(),
                "mentions": [{"key": "@_user_1", "id": {"open_id": "ou_bot"}, "name": "Hermes"},
                    {"key": "@_user_2", "id": {"open_id": "ou_bob"}, "name": "Bob"}]}}})
}

fn call(body: Vec<u8>, signature: Option<&str>) -> WebhookRequest {
    let mut headers = axum::http::HeaderMap::new();
    headers.insert("x-lark-request-timestamp", "1700000000".parse().unwrap());
    headers.insert("x-lark-request-nonce", "n1".parse().unwrap());
    if let Some(signature) = signature {
        headers.insert("x-lark-signature", signature.parse().unwrap());
    }
    WebhookRequest {
        method: axum::http::Method::POST,
        path: "/".to_owned(),
        query: String::new(),
        headers,
        body,
        peer: ([127, 0, 0, 1], 1).into(),
    }
}

fn sealed(told: &Value) -> (Vec<u8>, String) {
    let body = json!({"encrypt": encrypted(KEY, told)}).to_string().into_bytes();
    let text = [b"1700000000n1".as_slice(), KEY.as_bytes(), &body].concat();
    let hash = ring::digest::digest(&ring::digest::SHA256, &text);
    (body, hex(hash.as_ref()))
}

#[tokio::test]
async fn a_signed_and_hidden_event_is_heard_and_nothing_else() {
    let server = WebServer::start(|_| WebReply::status(404));
    let feishu =
        feishu(&server, &[("FEISHU_ENCRYPT_KEY", KEY), ("FEISHU_VERIFICATION_TOKEN", "vt")]);
    let (inbox, kept) = Inbox::recording("feishu");
    let status = async |body: Vec<u8>, signature: Option<&str>| {
        feishu.app.answer(&call(body, signature), &inbox).await.status
    };
    let (body, signature) = sealed(&told("p2p", "hello"));
    assert_eq!(status(body.clone(), None).await, 403, "unsigned");
    assert_eq!(status(body.clone(), Some(&"0".repeat(64))).await, 403, "forged");
    let (other, _) = sealed(&told("p2p", "something else"));
    assert_eq!(status(other, Some(&signature)).await, 403, "the signature of another call");
    let open = told("p2p", "hello").to_string().into_bytes();
    assert_eq!(status(open, Some(&signature)).await, 403, "not hidden");
    let mut wrong = told("p2p", "hello");
    wrong["header"]["token"] = json!("other");
    let (wrong, its) = sealed(&wrong);
    assert_eq!(status(wrong, Some(&its)).await, 403, "the wrong token");
    assert_eq!(status(b"{".to_vec(), Some(&signature)).await, 400);
    assert!(kept.events().is_empty());
    assert_eq!(status(body, Some(&signature)).await, 200);
    let InboundEvent::Message(said) = &kept.events()[0] else { panic!() };
    assert_eq!((said.text.as_str(), said.source.user_id.as_deref()), ("hello", Some("ou_ann")));
}

#[tokio::test]
async fn whoever_sets_up_our_address_gets_the_challenge_back() {
    let server = WebServer::start(|_| WebReply::status(404));
    let (inbox, _) = Inbox::recording("feishu");
    let challenge = json!({"type": "url_verification", "challenge": "c1", "token": "vt"});
    let hidden = feishu(&server, &[("FEISHU_ENCRYPT_KEY", KEY)]);
    let answered = hidden.app.answer(&call(sealed(&challenge).0, None), &inbox).await;
    assert_eq!(answered.body, "{\"challenge\":\"c1\"}");
    let open = feishu(&server, &[("FEISHU_VERIFICATION_TOKEN", "vt")]);
    let body = challenge.to_string().into_bytes();
    assert_eq!(open.app.answer(&call(body, None), &inbox).await.status, 200);
    let wrong = json!({"type": "url_verification", "challenge": "c1", "token": "x"});
    let wrong = call(wrong.to_string().into_bytes(), None);
    assert_eq!(open.app.answer(&wrong, &inbox).await.status, 403);
    let neither = feishu(&server, &[]);
    let error = neither.connect(inbox).await.err().unwrap();
    assert!(matches!(error, LinkError::Fatal { .. }), "{error}");
}

#[test]
fn our_name_is_cut_out_and_others_are_spelt() {
    let said = message_of(&told("group", "@_user_1 ask @_user_2"), "ou_bot").unwrap();
    assert_eq!((said.text.as_str(), said.addressing), ("ask @Bob", Addressing::Direct));
    let said = message_of(&told("group", "ask @_user_2"), "ou_else").unwrap();
    assert_eq!(said.addressing, Addressing::Ambient);
    let mut post = told("p2p", "");
    post["event"]["message"]["message_type"] = json!("post");
    let content = json!({"title": "T", "content": [[{"tag": "text", "text": "a"},
        {"tag": "a", "text": "link", "href": "x"}], [{"tag": "img", "image_key": "img_1"}]]});
    post["event"]["message"]["content"] = json!(content.to_string());
    let said = message_of(&post, "").unwrap();
    assert_eq!(said.text, "T\nalink");
    assert_eq!(said.media[0].handle, "om_1/resources/img_1?type=image");
    post["header"]["event_type"] = json!("im.chat.updated_v1");
    assert!(message_of(&post, "").is_none());
}

#[tokio::test]
async fn answers_are_cards_and_refusals_are_told_apart() {
    let logins = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&logins);
    let server = WebServer::start(move |seen| {
        let path = seen.path.strip_prefix("/open-apis/").unwrap();
        if path == "auth/v3/tenant_access_token/internal" {
            counted.fetch_add(1, Ordering::SeqCst);
            assert_eq!(seen.body, json!({"app_id": "cli_1", "app_secret": "secret-1"}));
            return WebReply::json(
                &json!({"code": 0, "tenant_access_token": "t1", "expire": 7200}),
            );
        }
        assert!(seen.carries("Bearer t1"), "{seen:?}");
        match (seen.method.as_str(), path) {
            ("POST", "im/v1/messages?receive_id_type=chat_id") => match seen.body["receive_id"]
                .as_str()
            {
                Some("oc_hasty") => {
                    WebReply::json(&json!({"code": 99991400, "msg": "limit"})).with_status(400)
                }
                Some("oc_gone") => {
                    WebReply::json(&json!({"code": 230002, "msg": "not in chat"})).with_status(400)
                }
                Some("oc_broken") => WebReply::status(503),
                _ => WebReply::json(&json!({"code": 0, "data": {"message_id": "om_2"}})),
            },
            ("POST", "im/v1/messages/om_1/reply") => {
                WebReply::json(&json!({"code": 0, "data": {"message_id": "om_3"}}))
            }
            ("PATCH", "im/v1/messages/om_2") => WebReply::json(&json!({"code": 0})),
            _ => WebReply::status(404),
        }
    });
    let feishu = feishu(&server, &[]);
    let out = |target: &str| Outgoing {
        target: feishu.parse_target(target).unwrap(),
        content: Rendered::text("**hi**"),
        key: "k1".to_owned(),
        ..Outgoing::default()
    };
    assert_eq!(feishu.send(&out("oc_1")).await.unwrap(), "om_2");
    let sent = server.requests().pop().unwrap().body;
    assert_eq!((&sent["msg_type"], &sent["uuid"]), (&json!("interactive"), &json!("k1")));
    let shown: Value = serde_json::from_str(sent["content"].as_str().unwrap()).unwrap();
    assert_eq!(shown["elements"][0], json!({"tag": "markdown", "content": "**hi**"}));
    assert_eq!(feishu.send(&out("oc_1:om_1")).await.unwrap(), "om_3");
    assert_eq!(server.requests().pop().unwrap().body["reply_in_thread"], true);
    feishu.edit("om_2", &out("oc_1")).await.unwrap();
    let class = async |target: &str| feishu.send(&out(target)).await.unwrap_err().class;
    assert_eq!(class("oc_hasty").await, SendClass::RateLimited);
    assert_eq!(class("oc_gone").await, SendClass::NotFound);
    assert_eq!(class("oc_broken").await, SendClass::Transient);
    assert_eq!(logins.load(Ordering::SeqCst), 1, "a token lasts");
    assert!(feishu.parse_target("oc_../x").is_err() && feishu.parse_target("chat").is_err());
}

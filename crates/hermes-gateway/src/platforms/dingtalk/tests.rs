use std::sync::atomic::{AtomicBool, Ordering};

use hermes_testkit::{WebReply, WebServer};
use hermes_tool::Vars;

use super::*;

fn told(server: &str, kind: &str) -> Value {
    json!({"conversationId": "cidA==", "conversationType": kind, "msgId": "m1", "senderId": "$:x",
        "senderStaffId": "staff1", "senderNick": "Ann", "msgtype": "text", "isInAtList": true,
        "text": {"content": " hello "}, "createAt": 1_700_000_000_000_u64,
        "sessionWebhook": format!("{server}/robot/sendBySession?session=s1"),
        "sessionWebhookExpiredTime": 4_000_000_000_000_u64})
}

fn dingtalk(server: &WebServer) -> DingTalk {
    let config = json!({"platforms": {"dingtalk": {"extra": {"base_url": server.origin()}}}});
    let vars = [("DINGTALK_CLIENT_ID", "ding1"), ("DINGTALK_CLIENT_SECRET", "secret-1")];
    let vars: Vars = vars.into_iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
    DingTalk::new(&AdapterSetup::new(&DINGTALK, &config, &vars)).unwrap()
}

fn service() -> WebServer {
    let was_hasty = AtomicBool::new(false);
    WebServer::start(move |seen| match seen.path.as_str() {
        "/v1.0/oauth2/accessToken" => {
            WebReply::json(&json!({"accessToken": "k1", "expireIn": 7200}))
        }
        "/robot/sendBySession?session=s1" => WebReply::json(&json!({"errcode": 0})),
        _ if seen.header("x-acs-dingtalk-access-token") != Some("k1") => WebReply::status(401),
        "/v1.0/robot/groupMessages/send" if !was_hasty.swap(true, Ordering::SeqCst) => {
            WebReply::json(&json!({"message": "slow down"})).with_status(429)
        }
        "/v1.0/robot/groupMessages/send" => WebReply::json(&json!({"processQueryKey": "q1"})),
        "/v1.0/robot/oToMessages/batchSend" => WebReply::status(503),
        _ => WebReply::status(404),
    })
}

#[test]
fn a_person_is_answered_by_name_and_a_group_by_its_id() {
    let (said, answers) = message_of(&told("https://oapi.dingtalk.com", "1")).unwrap();
    assert_eq!((said.source.chat_id.as_str(), said.source.kind), ("user:staff1", ChatKind::Dm));
    assert_eq!(said.text, "hello");
    let (name, value) = answers.unwrap();
    assert_eq!(name, "answers:user:staff1");
    assert!(value.starts_with("4000000000 https://oapi.dingtalk.com/"), "{value}");
    let (said, _) = message_of(&told("https://oapi.dingtalk.com", "2")).unwrap();
    assert_eq!((said.source.chat_id.as_str(), said.addressing), ("cidA==", Addressing::Direct));
    let mut picture = told("x", "2");
    picture["msgtype"] = json!("picture");
    picture["content"] = json!({"downloadCode": "d1"});
    assert_eq!(message_of(&picture).unwrap().0.media[0].handle, "d1");
    picture["msgtype"] = json!("interactiveCard");
    assert!(message_of(&picture).is_none());
}

#[tokio::test]
async fn an_answer_goes_where_the_call_said_while_that_lasts() {
    let server = service();
    let dingtalk = dingtalk(&server);
    let (inbox, _) = Inbox::recording("dingtalk");
    *dingtalk.robot.inbox.lock().await = Some(inbox.clone());
    let (said, answers) = message_of(&told(&server.origin(), "2")).unwrap();
    let (name, value) = answers.unwrap();
    inbox.accept(Vec::new(), &[(name.as_str(), value)]).await.unwrap();
    let chat = said.source.chat_id;
    dingtalk.robot.say(&chat, "## Good\nday").await.unwrap();
    let seen = server.requests().pop().unwrap();
    let body =
        json!({"msgtype": "markdown", "markdown": {"title": "Good", "text": "## Good\nday"}});
    assert_eq!((seen.path.as_str(), seen.body), ("/robot/sendBySession?session=s1", body));
    // Its time is over, or it leads elsewhere: the robot speaks for itself.
    for other in ["1 http://x/".to_owned(), "4000000000 https://evil.example/x".to_owned()] {
        inbox.accept(Vec::new(), &[(name.as_str(), other)]).await.unwrap();
        assert_eq!(dingtalk.robot.answers(&chat).await, None);
    }
    let error = dingtalk.robot.say(&chat, "x").await.unwrap_err();
    assert_eq!(error.class, SendClass::RateLimited);
    assert_eq!(dingtalk.robot.say(&chat, "x").await.unwrap(), "q1");
    let seen = server.requests().pop().unwrap();
    let words = "{\"title\":\"x\",\"text\":\"x\"}";
    assert_eq!(
        seen.body,
        json!({"robotCode": "ding1", "msgKey": "sampleMarkdown",
        "msgParam": words, "openConversationId": "cidA=="})
    );
    let error = dingtalk.robot.say("user:staff1", "x").await.unwrap_err();
    assert_eq!(error.class, SendClass::Transient);
    assert!(!error.what.contains("secret-1"));
}

/// One connection of the stream: words, a ping, and what we say to both.
#[tokio::test]
async fn a_call_is_stored_before_it_is_acknowledged() {
    let heard = Arc::new(std::sync::Mutex::new(Vec::new()));
    let kept = Arc::clone(&heard);
    let open = |seen: &hermes_testkit::Seen| {
        let place = format!("ws://{}/connect", seen.header("host").unwrap());
        WebReply::json(&json!({"endpoint": place, "ticket": "t 1"}))
    };
    let server = WebServer::start_with_sockets(open, move |mut peer| {
        let words = told("https://oapi.dingtalk.com", "1").to_string();
        peer.send(&json!({"type": "SYSTEM", "headers": {"topic": "ping", "messageId": "p1"},
            "data": "{\"opaque\":1}"}));
        peer.send(&json!({"type": "CALLBACK", "headers": {"topic": TOPIC, "messageId": "c1"},
            "data": words}));
        while peer.is_open() {
            kept.lock().unwrap().extend(peer.read());
        }
    });
    let dingtalk = dingtalk(&server);
    let (inbox, kept) = Inbox::recording("dingtalk");
    let receiving = tokio::spawn(dingtalk.connect(inbox).await.unwrap());
    let end = Instant::now() + Duration::from_secs(20);
    while heard.lock().unwrap().len() < 2 {
        assert!(Instant::now() < end, "nothing is acknowledged");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    receiving.abort();
    let said = heard.lock().unwrap().clone();
    assert_eq!(
        (&said[0]["headers"]["messageId"], &said[0]["data"]),
        (&json!("p1"), &json!("{\"opaque\":1}"))
    );
    assert_eq!((&said[1]["headers"]["messageId"], &said[1]["code"]), (&json!("c1"), &json!(200)));
    assert_eq!(kept.events().len(), 1);
    let asked = &server.requests()[0];
    assert_eq!(asked.path, "/v1.0/gateway/connections/open");
    assert_eq!(asked.body["subscriptions"], json!([{"type": "CALLBACK", "topic": TOPIC}]));
}

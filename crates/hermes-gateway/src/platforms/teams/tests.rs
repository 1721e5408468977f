use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hermes_testkit::{WebReply, WebServer};
use hermes_tool::Vars;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair, RsaPublicKeyComponents};

use super::*;

const BOT: &str = "bot-1";

/// A key that signs nothing but what these tests send.
fn pair() -> RsaKeyPair {
    RsaKeyPair::from_pkcs8(include_bytes!("test-key.der")).unwrap()
}

fn b64(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn token(head: &Value, claims: &Value) -> String {
    let signed =
        format!("{}.{}", b64(head.to_string().as_bytes()), b64(claims.to_string().as_bytes()));
    let pair = pair();
    let mut signature = vec![0; pair.public().modulus_len()];
    let random = ring::rand::SystemRandom::new();
    pair.sign(&RSA_PKCS1_SHA256, &random, signed.as_bytes(), &mut signature).unwrap();
    format!("{signed}.{}", b64(&signature))
}

/// The three services of a bot at one address.
fn framework() -> WebServer {
    let public: RsaPublicKeyComponents<Vec<u8>> = (&pair().public().clone()).into();
    let key = json!({"kid": "k1", "kty": "RSA", "n": b64(&public.n), "e": b64(&public.e)});
    WebServer::start(move |seen| match seen.path.as_str() {
        "/v1/.well-known/openidconfiguration" => WebReply::json(
            &json!({"jwks_uri": format!("http://{}/keys", seen.header("host").unwrap())}),
        ),
        "/keys" => WebReply::json(&json!({"keys": [key]})),
        "/botframework.com/oauth2/v2.0/token" => {
            WebReply::json(&json!({"access_token": "bot-key", "expires_in": 3600}))
        }
        _ if !seen.carries("Bearer bot-key") => WebReply::status(401),
        path if path.contains("hasty") => WebReply::status(429).header("retry-after", "7"),
        path if path.contains("gone") => {
            WebReply::json(&json!({"error": {"message": "no such conversation"}})).with_status(404)
        }
        path if path.contains("broken") => WebReply::status(502),
        _ => WebReply::json(&json!({"id": "sent-1"})).with_status(201),
    })
}

fn teams(server: &WebServer) -> Teams {
    let config = json!({"platforms": {"teams": {"extra": {"base_url": server.origin()}}}});
    let vars = [("TEAMS_CLIENT_ID", BOT), ("TEAMS_CLIENT_SECRET", "secret-1")];
    let vars: Vars = vars.into_iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
    Teams::new(&AdapterSetup::new(&TEAMS, &config, &vars)).unwrap()
}

fn activity(server: &WebServer) -> Value {
    json!({"type": "message", "id": "m1", "serviceUrl": server.origin(),
        "timestamp": "2026-01-02T03:04:05.678Z",
        "from": {"id": "29:x", "aadObjectId": "ann-1", "name": "Ann"},
        "recipient": {"id": "28:bot"},
        "conversation": {"id": "19:abc@thread.tacv2;messageid=99", "conversationType": "channel"},
        "channelData": {"tenant": {"id": "t1"}, "team": {"id": "19:team"}},
        "entities": [{"type": "mention", "text": "<at>Hermes</at>", "mentioned": {"id": "28:bot"}}],
        "text": "<at>Hermes</at> hello"})
}

fn call(bearer: Option<&str>, body: &Value) -> WebhookRequest {
    let mut headers = axum::http::HeaderMap::new();
    if let Some(bearer) = bearer {
        headers.insert("authorization", format!("Bearer {bearer}").parse().unwrap());
    }
    WebhookRequest {
        method: axum::http::Method::POST,
        path: "/api/messages".to_owned(),
        query: String::new(),
        headers,
        body: body.to_string().into_bytes(),
        peer: ([127, 0, 0, 1], 1).into(),
    }
}

fn claims(server: &WebServer) -> Value {
    let moment = hermes_store::clock::now();
    json!({"iss": "https://api.botframework.com", "aud": BOT, "exp": moment + 60.0,
        "nbf": moment - 60.0, "serviceurl": server.origin()})
}

#[tokio::test]
async fn a_signed_call_is_heard_and_answered_at_its_service() {
    let server = framework();
    let teams = teams(&server);
    let (inbox, kept) = Inbox::recording("teams");
    let head = json!({"alg": "RS256", "kid": "k1"});
    let good = token(&head, &claims(&server));
    let answered = teams.bot.answer(&call(Some(&good), &activity(&server)), &inbox).await;
    assert_eq!(answered.status, 200);
    let InboundEvent::Message(said) = &kept.events()[0] else { panic!("{kept:?}") };
    assert_eq!((said.text.as_str(), said.addressing), ("hello", Addressing::Direct));
    assert_eq!(said.source.user_id.as_deref(), Some("ann-1"));
    assert_eq!(said.source.thread_id.as_deref(), Some("99"));
    assert_eq!(inbox.mark("service:19:abc@thread.tacv2").await, Some(server.origin()));
    let target = teams.parse_target("19:abc@thread.tacv2;messageid=99").unwrap();
    let content = Rendered::text("**hi**");
    let out = Outgoing { target, content, ..Outgoing::default() };
    assert_eq!(teams.send(&out).await.unwrap(), "sent-1");
    let sent = server.requests().pop().unwrap();
    assert_eq!(sent.path, "/v3/conversations/19:abc@thread.tacv2;messageid=99/activities");
    assert_eq!(sent.body, said_body("**hi**"));
    let login = server.requests().into_iter().find(|one| one.path.ends_with("/token")).unwrap();
    assert!(login.carries("client_secret=secret-1"), "{login:?}");
}

fn said_body(text: &str) -> Value {
    json!({"type": "message", "text": text, "textFormat": "markdown"})
}

#[tokio::test]
async fn a_call_that_nobody_has_signed_for_us_is_refused() {
    let server = framework();
    let teams = teams(&server);
    let (inbox, kept) = Inbox::recording("teams");
    let head = json!({"alg": "RS256", "kid": "k1"});
    let with = |name: &str, value: Value| {
        let mut claims = claims(&server);
        claims[name] = value;
        token(&head, &claims)
    };
    let good = token(&head, &claims(&server));
    let (signed, _) = good.rsplit_once('.').unwrap();
    let none = json!({"alg": "none", "kid": "k1"});
    let unsigned =
        format!("{}.{}.", b64(none.to_string().as_bytes()), good.split('.').nth(1).unwrap());
    let forged = [
        None,
        Some("nonsense".to_owned()),
        Some(format!("{signed}.{}", b64(&[7; 256]))),
        Some(unsigned),
        Some(token(&json!({"alg": "RS256", "kid": "other"}), &claims(&server))),
        Some(with("aud", json!("another-bot"))),
        Some(with("iss", json!("https://sts.windows.net/x"))),
        Some(with("exp", json!(hermes_store::clock::now() - 4_000.0))),
        Some(with("serviceurl", json!("https://evil.example"))),
    ];
    for bearer in forged {
        let refused = teams.bot.answer(&call(bearer.as_deref(), &activity(&server)), &inbox).await;
        assert!(matches!(refused.status, 401 | 403), "{bearer:?}: {}", refused.status);
    }
    // A token without a service does not let a call name one that is not Microsoft's.
    let mut elsewhere = activity(&server);
    elsewhere["serviceUrl"] = json!("https://evil.example");
    let loose = with("serviceurl", Value::Null);
    assert_eq!(teams.bot.answer(&call(Some(&loose), &elsewhere), &inbox).await.status, 403);
    assert!(kept.events().is_empty());
}

#[tokio::test]
async fn refusals_are_told_apart() {
    let server = framework();
    let teams = teams(&server);
    let to = |chat: &str| Outgoing { target: Target::chat(chat), ..Outgoing::default() };
    let error = teams.send(&to("19:hasty")).await.unwrap_err();
    assert_eq!(
        (error.class, error.retry_after),
        (SendClass::RateLimited, Some(Duration::from_secs(7)))
    );
    let error = teams.send(&to("19:gone")).await.unwrap_err();
    assert_eq!(error.class, SendClass::NotFound);
    assert!(error.what.contains("no such conversation"), "{error}");
    assert_eq!(teams.send(&to("19:broken")).await.unwrap_err().class, SendClass::Transient);
}

#[test]
fn another_tenant_is_not_heard() {
    let server = framework();
    let told = activity(&server);
    assert!(message_of(&told, Some("t1")).is_some());
    assert!(message_of(&told, Some("t2")).is_none());
    let mut typing = told;
    typing["type"] = json!("typing");
    assert!(message_of(&typing, None).is_none());
}

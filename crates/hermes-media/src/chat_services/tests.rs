use std::sync::atomic::{AtomicUsize, Ordering};

use hermes_testkit::{WebReply, WebServer};
use hermes_tool::Vars;
use serde_json::json;

use super::discord::Discord;
use super::feishu::Feishu;
use super::*;

fn vars(all: &[(&str, &str)]) -> Vars {
    all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn discord(server: &WebServer) -> Discord {
    let config = json!({"platforms": {"discord": {"extra": {"base_url": server.origin()}}}});
    Discord::open(&config, &vars(&[("DISCORD_BOT_TOKEN", "bot-token")])).unwrap()
}

fn feishu(server: &WebServer) -> Feishu {
    let config = json!({"platforms": {"feishu": {"extra": {"base_url": server.origin()}}}});
    let keys = [("FEISHU_APP_ID", "cli_1"), ("FEISHU_APP_SECRET", "app-secret")];
    Feishu::open(&config, &vars(&keys)).unwrap()
}

#[tokio::test]
async fn a_bot_shows_its_token_and_says_who_it_is() {
    let server = WebServer::start(|_| WebReply::json(&json!([{"id": "1"}])));
    let call = PlatformCall::get("/guilds/5/roles").query("limit", Some(3));
    let found = discord(&server).ask(&call, &CancellationToken::new()).await.unwrap();
    assert_eq!(found, json!([{"id": "1"}]));
    let seen = &server.requests()[0];
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("GET", "/guilds/5/roles?limit=3"));
    assert!(seen.carries("Bot bot-token"));
    assert!(seen.header("user-agent").unwrap().starts_with("DiscordBot ("));
}

#[tokio::test]
async fn haste_is_forgiven_and_only_looking_is_repeated_after_a_failure() {
    let count = std::sync::Arc::new(AtomicUsize::new(0));
    let counted = std::sync::Arc::clone(&count);
    let server = WebServer::start(move |seen| {
        let before = counted.fetch_add(1, Ordering::SeqCst);
        match seen.path.as_str() {
            "/hasty" if before == 0 => WebReply::status(429).header("retry-after", "0"),
            "/broken" => WebReply::status(502),
            _ => WebReply::status(204),
        }
    });
    let (discord, cancel) = (discord(&server), CancellationToken::new());
    let done = discord.ask(&PlatformCall::put("/hasty"), &cancel).await.unwrap();
    assert_eq!((done, server.requests().len()), (json!({"success": true}), 2));
    let error = discord.ask(&PlatformCall::delete("/broken"), &cancel).await.unwrap_err();
    assert_eq!((error.kind(), server.requests().len()), ("provider_error", 3));
    let error = discord.ask(&PlatformCall::get("/broken"), &cancel).await.unwrap_err();
    assert_eq!((error.kind(), server.requests().len()), ("provider_error", 6));
}

#[tokio::test]
async fn a_pause_that_is_too_long_is_told_instead_of_waited_for() {
    let server = WebServer::start(|_| WebReply::status(429).header("retry-after", "600"));
    let error = discord(&server).ask(&PlatformCall::get("/x"), &CancellationToken::new()).await;
    assert_eq!(error.unwrap_err().kind(), "rate_limit");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn an_app_buys_a_token_with_its_secret_and_asks_with_that() {
    let server = WebServer::start(|seen| match seen.path.as_str() {
        "/open-apis/auth/v3/tenant_access_token/internal" => {
            WebReply::json(&json!({"code": 0, "tenant_access_token": "t-key", "expire": 7200}))
        }
        _ => WebReply::json(&json!({"code": 0, "data": {"content": "words"}})),
    });
    let call = PlatformCall::get("/open-apis/docx/v1/documents/d1/raw_content");
    let found = feishu(&server).ask(&call, &CancellationToken::new()).await.unwrap();
    assert_eq!(found, json!({"content": "words"}));
    let seen = server.requests();
    assert_eq!(seen[0].body, json!({"app_id": "cli_1", "app_secret": "app-secret"}));
    assert!(seen[1].carries("Bearer t-key") && !seen[1].carries("app-secret"));
}

#[tokio::test]
async fn a_code_that_is_not_zero_is_a_failure_and_shows_no_secret() {
    let server =
        WebServer::start(|_| WebReply::json(&json!({"code": 10003, "msg": "invalid app-secret"})));
    let error = feishu(&server).ask(&PlatformCall::get("/x"), &CancellationToken::new()).await;
    let text = error.unwrap_err().to_string();
    assert!(
        text.contains("10003") && text.contains("***") && !text.contains("app-secret"),
        "{text}"
    );
}

#[test]
fn without_keys_there_is_no_service() {
    assert!(Discord::open(&json!({}), &Vars::default()).is_none());
    assert!(Feishu::open(&json!({}), &vars(&[("FEISHU_APP_ID", "a")])).is_none());
    assert_eq!(feishu::usual_address(Some("Lark")), "https://open.larksuite.com");
}

#[test]
fn ids_cannot_lead_elsewhere() {
    assert!(is_plain_id("1077_a-B"));
    for bad in ["", "../me", "a/b", "a?b", "a b", "ä", "a.b"] {
        assert!(!is_plain_id(bad), "{bad}");
    }
}

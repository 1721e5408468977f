//! The whole way, against a server on loopback that plays both parts.

mod fake;

use std::path::Path;
use std::sync::Arc;

use fake::{Browser, Fake, Pasting};
use serde_json::json;

use super::*;
use crate::oauth::store::Tokens;

fn http() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap()
}

fn settings(fake: &Fake, folder: &Path) -> LoginSettings {
    LoginSettings::new("srv", fake.url(), folder.to_owned())
}

fn login(fake: &Fake, folder: &Path) -> Login {
    Login::new(settings(fake, folder), http(), Some(Arc::new(Browser)))
}

const CHALLENGE: &str = r#"Bearer scope="files:read""#;

#[tokio::test]
async fn a_first_login_registers_asks_the_person_and_keeps_what_they_bring() {
    let (fake, home) = (Fake::start().await, tempfile::tempdir().unwrap());
    let login = login(&fake, home.path());
    assert_eq!(login.token().await, None);
    assert_eq!(login.recover(401, CHALLENGE, None).await.unwrap(), "access-1");
    assert_eq!(login.token().await.as_deref(), Some("access-1"));

    let asked = fake.book(|book| book.last("authorize"));
    assert_eq!(asked["scope"], "files:read");
    assert_eq!(asked["code_challenge_method"], "S256");
    assert_eq!(asked["resource"], json!(fake.url().as_str()));
    let redirect = asked["redirect_uri"].as_str().unwrap();
    assert!(redirect.starts_with("http://127.0.0.1:") && redirect.ends_with("/callback"));
    let exchanged = fake.book(|book| book.last("token"));
    assert_eq!(exchanged["code"], "the-code");
    assert_eq!(
        super::random::shown(exchanged["code_verifier"].as_str().unwrap()),
        asked["code_challenge"].as_str().unwrap()
    );
    let registered = fake.book(|book| book.last("register"));
    assert_eq!(registered["client_name"], "Hermes Agent");
    assert_eq!(registered["token_endpoint_auth_method"], "none");

    let again = self::login(&fake, home.path());
    assert_eq!(again.token().await.as_deref(), Some("access-1"), "kept on disk");
}

#[tokio::test]
async fn with_nobody_there_it_fails_at_once_and_asks_no_one() {
    let (fake, home) = (Fake::start().await, tempfile::tempdir().unwrap());
    let login = Login::new(settings(&fake, home.path()), http(), None);
    let problem = login.recover(401, CHALLENGE, None).await.unwrap_err();
    assert!(matches!(&problem, LoginError::Needed(text) if text.contains("hermes mcp login srv")));
    assert_eq!(fake.book(|book| book.seen.len()), 0);
}

#[tokio::test]
async fn calls_refused_at_the_same_moment_share_one_renewal() {
    let (fake, home) = (Fake::start().await, tempfile::tempdir().unwrap());
    let login = login(&fake, home.path());
    let first = login.recover(401, CHALLENGE, None).await.unwrap();
    let many = (0..8).map(|_| login.recover(401, "Bearer", Some(&first)));
    for token in futures_util::future::join_all(many).await {
        assert_eq!(token.unwrap(), "access-2");
    }
    assert_eq!(fake.book(|book| (book.count("token"), book.count("authorize"))), (2, 1));
    assert_eq!(fake.book(|book| book.last("token"))["refresh_token"], "refresh-1");
}

#[tokio::test]
async fn a_token_is_renewed_before_it_ends() {
    let (fake, home) = (Fake::start().await, tempfile::tempdir().unwrap());
    fake.book(|book| book.lifetime = 30);
    let login = login(&fake, home.path());
    login.recover(401, CHALLENGE, None).await.unwrap();
    fake.book(|book| book.lifetime = 3600);
    assert_eq!(login.token().await.as_deref(), Some("access-2"));
    assert_eq!(login.token().await.as_deref(), Some("access-2"));
}

#[tokio::test]
async fn a_renewal_by_another_process_is_taken_over() {
    let (fake, home) = (Fake::start().await, tempfile::tempdir().unwrap());
    let (ours, theirs) = (login(&fake, home.path()), login(&fake, home.path()));
    let first = ours.recover(401, CHALLENGE, None).await.unwrap();
    assert_eq!(theirs.recover(401, "Bearer", Some(&first)).await.unwrap(), "access-2");
    assert_eq!(ours.recover(401, "Bearer", Some(&first)).await.unwrap(), "access-2");
    assert_eq!(fake.book(|book| book.count("token")), 2);
}

#[tokio::test]
async fn a_forgotten_registration_is_made_again() {
    let (fake, home) = (Fake::start().await, tempfile::tempdir().unwrap());
    let login = login(&fake, home.path());
    let first = login.recover(401, CHALLENGE, None).await.unwrap();
    fake.book(|book| book.refusals.push((401, "invalid_client")));
    login.recover(401, "Bearer", Some(&first)).await.unwrap();
    assert_eq!(fake.book(|book| book.count("register")), 2);
    assert_eq!(fake.book(|book| book.last("authorize"))["client_id"], "client-2");
    assert!(home.path().join("srv.client.json.bak").exists());
}

#[tokio::test]
async fn a_registration_is_used_again_with_its_port() {
    let (fake, home) = (Fake::start().await, tempfile::tempdir().unwrap());
    let first = login(&fake, home.path()).recover(401, CHALLENGE, None).await.unwrap();
    let before = fake.book(|book| book.last("authorize"))["redirect_uri"].clone();
    fake.book(|book| book.refusals.push((400, "invalid_grant")));
    login(&fake, home.path()).recover(401, "Bearer", Some(&first)).await.unwrap();
    assert_eq!(fake.book(|book| book.last("authorize"))["redirect_uri"], before);
    assert_eq!(fake.book(|book| book.count("register")), 1);
}

#[tokio::test]
async fn a_server_that_says_it_is_another_gets_no_login() {
    let (fake, home) = (Fake::start().await, tempfile::tempdir().unwrap());
    fake.book(|book| book.resource = "https://evil.example/mcp".to_owned());
    let problem = login(&fake, home.path()).recover(401, CHALLENGE, None).await.unwrap_err();
    assert!(problem.to_string().contains("evil.example"), "{problem}");
    assert_eq!(fake.book(|book| book.count("authorize") + book.count("register")), 0);
}

#[tokio::test]
async fn an_authorization_server_without_s256_gets_no_login() {
    let (fake, home) = (Fake::start().await, tempfile::tempdir().unwrap());
    fake.book(|book| {
        book.metadata.insert("code_challenge_methods_supported".to_owned(), json!(["plain"]));
    });
    let problem = login(&fake, home.path()).recover(401, CHALLENGE, None).await.unwrap_err();
    assert!(problem.to_string().contains("S256"), "{problem}");
}

#[tokio::test]
async fn more_is_asked_for_once_and_not_for_ever() {
    let (fake, home) = (Fake::start().await, tempfile::tempdir().unwrap());
    let login = login(&fake, home.path());
    let first = login.recover(401, CHALLENGE, None).await.unwrap();
    let more = r#"Bearer error="insufficient_scope", scope="files:write""#;
    let second = login.recover(403, more, Some(&first)).await.unwrap();
    assert_eq!(fake.book(|book| book.last("authorize"))["scope"], "files:read files:write");
    let problem = login.recover(403, more, Some(&second)).await.unwrap_err();
    assert!(problem.to_string().contains("files:write"), "{problem}");
    assert_eq!(fake.book(|book| book.count("authorize")), 2);
}

#[tokio::test]
async fn a_token_never_goes_to_another_address() {
    let (fake, home) = (Fake::start().await, tempfile::tempdir().unwrap());
    login(&fake, home.path()).recover(401, CHALLENGE, None).await.unwrap();
    let mut moved = settings(&fake, home.path());
    moved.url = Url::parse("http://127.0.0.1:1/mcp").unwrap();
    assert_eq!(Login::new(moved, http(), None).token().await, None);
}

#[tokio::test]
async fn a_secret_goes_where_the_server_wants_it() {
    for (method, place) in
        [("client_secret_basic", "authorization"), ("client_secret_post", "client_secret")]
    {
        let (fake, home) = (Fake::start().await, tempfile::tempdir().unwrap());
        fake.book(|book| {
            let methods = "token_endpoint_auth_methods_supported".to_owned();
            book.metadata.insert(methods, json!([method]));
        });
        let mut settings = settings(&fake, home.path());
        settings.client_id = Some("me".to_owned());
        settings.client_secret = Some("s3cret".to_owned());
        let login = Login::new(settings, http(), Some(Arc::new(Browser)));
        login.recover(401, CHALLENGE, None).await.unwrap();
        let asked = fake.book(|book| book.last("token"));
        assert!(asked.contains_key(place), "{method}: {asked:?}");
        assert_eq!(fake.book(|book| book.count("register")), 0);
    }
}

#[tokio::test]
async fn a_pasted_address_of_another_login_is_refused() {
    let (fake, home) = (Fake::start().await, tempfile::tempdir().unwrap());
    for (pasted, expected) in [
        ("http://127.0.0.1/callback?code=c&state=other", "not the login"),
        ("good morning", "not the address"),
        ("skip", "was skipped"),
    ] {
        let guide = Arc::new(Pasting(pasted));
        let login = Login::new(settings(&fake, home.path()), http(), Some(guide));
        let problem = login.recover(401, CHALLENGE, None).await.unwrap_err().to_string();
        assert!(problem.contains(expected), "{problem}");
    }
    assert_eq!(fake.book(|book| book.count("token")), 0);
}

#[tokio::test]
async fn nobody_coming_back_ends_the_wait() {
    let (fake, home) = (Fake::start().await, tempfile::tempdir().unwrap());
    struct Gone;
    impl Guide for Gone {
        fn show(&self, _page: LoginPage) -> BoxFuture<Said> {
            Box::pin(std::future::pending())
        }
    }
    let mut settings = settings(&fake, home.path());
    settings.timeout = std::time::Duration::from_millis(50);
    let login = Login::new(settings, http(), Some(Arc::new(Gone)));
    let problem = login.recover(401, CHALLENGE, None).await.unwrap_err();
    assert!(matches!(problem, LoginError::Needed(_)), "{problem}");
}

#[test]
fn a_token_without_an_end_is_kept_as_one() {
    let text = serde_json::to_string(&Tokens { access_token: "a".into(), ..Tokens::default() });
    assert!(!text.unwrap().contains("expires_at"));
}

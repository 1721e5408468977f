use std::io::Write as _;

use hermes_testkit::{Seen, WebReply, WebServer};

use super::*;

fn vars() -> Vars {
    let vars = [("SPOTIFY_CLIENT_ID", "client-1"), ("SPOTIFY_REFRESH_TOKEN", "refresh-1")];
    vars.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn spotify(server: &WebServer, vars: &Vars, home: Option<Home>) -> Spotify {
    let section = json!({"base_url": server.origin(), "accounts_url": server.origin()});
    let settings = SpotifySettings::read(&json!({"spotify": section}), &Vars::default());
    Spotify::open(&settings, vars, home).unwrap()
}

/// Gives keys, and takes only the newest.
fn double(seen: &Seen) -> WebReply {
    match seen.path.as_str() {
        "/api/token" => WebReply::json(&json!({"access_token": "fresh-key", "expires_in": 3600,
            "refresh_token": "refresh-2"})),
        _ if !seen.carries("Bearer fresh-key") => WebReply::status(401),
        "/me/player" => WebReply::status(204),
        "/me/player/pause" if seen.method == "PUT" => WebReply::bytes(""),
        "/me/player/next" => WebReply::json(&json!({"error": {"status": 404,
            "message": "Player command failed", "reason": "NO_ACTIVE_DEVICE"}}))
        .with_status(404),
        _ => WebReply::json(&json!({"items": []})),
    }
}

#[tokio::test]
async fn a_key_is_got_with_the_refresh_token_and_used() {
    let server = WebServer::start(double);
    let mut spotify = spotify(&server, &vars(), None);
    let cancel = CancellationToken::new();
    let request = SpotifyRequest::get("/search").query("q", Some("a&b")).query("limit", Some(3));
    let found = spotify.ask(&request, &cancel).await.unwrap();
    assert_eq!(found, json!({"success": true, "result": {"items": []}}));
    let seen = server.requests();
    assert_eq!((seen[0].method.as_str(), seen[0].path.as_str()), ("POST", "/api/token"));
    let form = "grant_type=refresh_token&refresh_token=refresh-1&client_id=client-1";
    assert_eq!(seen[0].body, json!(form));
    assert_eq!(seen[1].path, "/search?q=a%26b&limit=3");
    spotify.ask(&request, &cancel).await.unwrap();
    assert_eq!(server.requests().len(), 3, "the key lasts");
}

#[tokio::test]
async fn silence_and_a_missing_device_become_advice() {
    let server = WebServer::start(double);
    let mut spotify = spotify(&server, &vars(), None);
    let cancel = CancellationToken::new();
    let state = spotify.ask(&SpotifyRequest::get("/me/player"), &cancel).await.unwrap();
    assert!(state["message"].as_str().unwrap().contains("open Spotify"), "{state}");
    let paused = spotify.ask(&SpotifyRequest::put("/me/player/pause"), &cancel).await.unwrap();
    assert_eq!(paused, json!({"success": true}));
    let next = spotify.ask(&SpotifyRequest::post("/me/player/next"), &cancel).await.unwrap_err();
    assert!(matches!(next, SpotifyError::NoDevice), "{next}");
}

#[tokio::test]
async fn a_sign_in_of_the_home_is_renewed_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let entry = json!({"client_id": "c", "access_token": "old", "refresh_token": "refresh-0",
        "expires_at": "2999-01-01T00:00:00Z", "note": "kept"});
    let file = json!({"providers": {"spotify": entry, "other": {"x": 1}}}).to_string();
    std::fs::File::create(home.auth_file()).unwrap().write_all(file.as_bytes()).unwrap();
    let server = WebServer::start(double);
    let mut spotify = spotify(&server, &Vars::default(), Some(home.clone()));
    spotify.ask(&SpotifyRequest::get("/me/tracks"), &CancellationToken::new()).await.unwrap();
    let paths: Vec<String> = server.requests().into_iter().map(|seen| seen.path).collect();
    assert_eq!(paths, ["/me/tracks", "/api/token", "/me/tracks"]);
    let file: Value = serde_json::from_slice(&std::fs::read(home.auth_file()).unwrap()).unwrap();
    let entry = &file["providers"]["spotify"];
    assert_eq!(
        (&entry["access_token"], &entry["refresh_token"]),
        (&json!("fresh-key"), &json!("refresh-2"))
    );
    assert_eq!((&entry["note"], &file["providers"]["other"]["x"]), (&json!("kept"), &json!(1)));
}

#[tokio::test]
async fn failures_are_told_apart_and_show_no_key() {
    for (status, kind) in [
        (400, "invalid_request"),
        (403, "authentication"),
        (429, "rate_limit"),
        (502, "provider_error"),
    ] {
        let server = WebServer::start(move |seen| match seen.path.as_str() {
            "/api/token" => WebReply::json(&json!({"access_token": "fresh-key"})),
            _ => {
                WebReply::json(&json!({"error": {"message": "no: fresh-key"}})).with_status(status)
            }
        });
        let mut spotify = spotify(&server, &vars(), None);
        let error = spotify.ask(&SpotifyRequest::get("/me"), &CancellationToken::new()).await;
        let Err(SpotifyError::Service(error)) = error else { panic!("{error:?}") };
        assert_eq!(error.kind(), kind);
        assert!(!error.to_string().contains("fresh-key"), "{error}");
    }
    let revoked = WebServer::start(|_| {
        WebReply::json(&json!({"error": "invalid_grant", "error_description": "refresh-1 revoked"}))
            .with_status(400)
    });
    let mut spotify = spotify(&revoked, &vars(), None);
    let error = spotify.ask(&SpotifyRequest::get("/me"), &CancellationToken::new()).await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("cannot be renewed") && !error.contains("refresh-1"), "{error}");
}

#[test]
fn without_a_sign_in_there_is_no_spotify() {
    let settings = SpotifySettings::default();
    let error = Spotify::open(&settings, &Vars::default(), None).unwrap_err();
    assert!(error.to_string().contains("SPOTIFY_REFRESH_TOKEN"), "{error}");
}

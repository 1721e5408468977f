use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hermes_testkit::{ModelServer, Seen, Step, WebReply, WebServer};
use hermes_tool::settings::Settings as _;
use hermes_tool::{ContextParts, ToolContext};

use super::*;

fn keys() -> Vars {
    let keys = [("FAL_KEY", "key-fal-1"), ("XAI_API_KEY", "key-xai-1")];
    keys.into_iter().map(|(name, key)| (name.to_owned(), key.to_owned())).collect()
}

fn settings(provider: &str, server: &WebServer) -> VideoSettings {
    let section = json!({"provider": provider, provider: {"base_url": server.origin()}});
    VideoSettings::read(&json!({"video_gen": section}), &Vars::default())
}

fn wish() -> VideoWish {
    VideoWish {
        prompt: " waves ".into(),
        duration: Some(6),
        aspect_ratio: Some("16:9".into()),
        resolution: Some("720p".into()),
        ..VideoWish::default()
    }
}

/// Both queues, done at the second look.
fn queue(seen: &Seen, looks: &AtomicUsize) -> WebReply {
    let origin = format!("http://{}", seen.header("host").unwrap());
    let done = || looks.fetch_add(1, Ordering::Relaxed) > 0;
    let video = json!({"url": "https://clips.example/1.mp4"});
    WebReply::json(&match (seen.method.as_str(), seen.path.as_str()) {
        ("POST", path) if path.starts_with("/videos/") => json!({"request_id": "job-1"}),
        ("POST", _) => {
            json!({"status_url": format!("{origin}/s"), "response_url": format!("{origin}/r")})
        }
        (_, "/s") => json!({"status": if done() { "COMPLETED" } else { "IN_QUEUE" }}),
        (_, "/r") => json!({"video": video}),
        _ if done() => json!({"status": "done", "video": video}),
        _ => json!({"status": "pending"}),
    })
}

fn double() -> WebServer {
    let looks = Arc::new(AtomicUsize::new(0));
    WebServer::start(move |seen| queue(seen, &looks))
}

#[tokio::test]
async fn fal_makes_a_clip_with_only_what_was_said() {
    let server = double();
    let fal = video_maker(&settings("fal", &server), &keys()).unwrap();
    let wish = VideoWish { audio: Some(false), seed: Some(7), ..wish() };
    let made = fal.make(&wish, &CancellationToken::new()).await.unwrap();
    assert_eq!(made.url, "https://clips.example/1.mp4");
    let seen = server.requests();
    assert_eq!(seen[0].path, format!("/{FAL_TEXT}"));
    assert!(seen.iter().all(|seen| seen.carries("Key key-fal-1")));
    let body = json!({"prompt": "waves", "duration": "6s", "aspect_ratio": "16:9",
        "resolution": "720p", "generate_audio": false, "seed": 7});
    assert_eq!(seen[0].body, body);
}

#[tokio::test]
async fn xai_makes_changes_and_lengthens_clips() {
    let server = double();
    let (settings, cancel) = (settings("xai", &server), CancellationToken::new());
    let made = video_maker(&settings, &keys()).unwrap();
    made.make(&wish(), &cancel).await.unwrap();
    let xai = XaiVideo::new(&settings, &keys()).unwrap();
    let clip = "https://c.example/0.mp4";
    xai.edit("more foam", clip, None, &cancel).await.unwrap();
    let long = xai.extend("go on", clip, Some(4), Some("other"), &cancel).await.unwrap();
    assert_eq!((long.provider, long.model.as_str()), ("xai", "other"));
    let posts: Vec<(String, Value)> = server
        .requests()
        .into_iter()
        .filter(|seen| seen.method == "POST")
        .map(|seen| (seen.path.clone(), seen.body.clone()))
        .collect();
    let model = "grok-imagine-video";
    let expected = [
        (
            "/videos/generations",
            json!({"prompt": "waves", "duration": 6, "aspect_ratio": "16:9",
            "resolution": "720p", "model": model}),
        ),
        ("/videos/edits", json!({"prompt": "more foam", "video": {"url": clip}, "model": model})),
        (
            "/videos/extensions",
            json!({"prompt": "go on", "video": {"url": clip}, "duration": 4,
            "model": "other"}),
        ),
    ];
    assert_eq!(posts, expected.map(|(path, body)| (path.to_owned(), body)));
    assert!(server.requests().iter().all(|seen| seen.carries("Bearer key-xai-1")));
}

#[tokio::test]
async fn failures_are_told_apart() {
    for provider in ["fal", "xai"] {
        for (reply, kind) in [
            (WebReply::status(403), "authentication"),
            (WebReply::status(429), "rate_limit"),
            (WebReply::status(500), "provider_error"),
            (WebReply::bytes("{broken"), "invalid_response"),
            (WebReply::json(&json!({"request_id": "../x"})), "invalid_response"),
            (WebReply::bytes("{").cut(), "connection"),
        ] {
            let server = WebServer::start(move |_| reply.clone());
            let maker = video_maker(&settings(provider, &server), &keys()).unwrap();
            let error = maker.make(&wish(), &CancellationToken::new()).await.unwrap_err();
            assert_eq!(error.kind(), kind, "{provider}: {error}");
        }
    }
    let failed = WebServer::start(|seen| match seen.method.as_str() {
        "POST" => WebReply::json(&json!({"request_id": "j"})),
        _ => WebReply::json(&json!({"status": "expired"})),
    });
    let maker = video_maker(&settings("xai", &failed), &keys()).unwrap();
    let error = maker.make(&wish(), &CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.to_string(), "xAI: the job is expired");
}

#[test]
fn only_a_named_provider_is_asked() {
    let of = |config: Value, vars: &Vars| {
        let settings = VideoSettings::read(&json!({"video_gen": config}), &Vars::default());
        video_maker(&settings, vars).map(|maker| maker.name())
    };
    assert_eq!(of(json!({}), &Vars::default()), Err(VideoError::NotSetUp));
    assert_eq!(of(json!({}), &keys()), Ok("fal"));
    let xai: Vars = [("XAI_API_KEY".to_owned(), "k".to_owned())].into_iter().collect();
    assert_eq!(of(json!({}), &xai), Err(VideoError::NotSetUp));
    assert_eq!(of(json!({"provider": "xai"}), &xai), Ok("xai"));
}

#[tokio::test]
async fn a_clip_is_shown_to_the_model_for_it() {
    let server = ModelServer::start([Step::text("A cat."), Step::status(500), Step::text(" ")]);
    let config = json!({"auxiliary": {"video": {"provider": "custom", "model": "cinema",
        "base_url": server.url()}}});
    let cx: ToolContext =
        ContextParts { config: Arc::new(config), ..ContextParts::default() }.into();
    let clip = Clip::recognise(b"\0\0\0\x18ftypmp42....".to_vec()).unwrap();
    assert_eq!(watch(&clip, "Who?", &cx).await.unwrap(), "A cat.");
    let body = &server.requests()[0].body;
    assert_eq!(body["model"], "cinema");
    let parts = &body["messages"][0]["content"];
    assert!(parts[0]["text"].as_str().unwrap().contains("Who?"));
    assert_eq!(parts[1]["type"], "video_url");
    assert!(parts[1]["video_url"]["url"].as_str().unwrap().starts_with("data:video/mp4;base64,"));
    assert!(matches!(watch(&clip, "Who?", &cx).await, Err(ClipError::Service(_))));
    assert_eq!(watch(&clip, "Who?", &cx).await, Err(ClipError::Silent));
}

#[test]
fn clips_are_known_by_their_first_bytes() {
    let kinds: [&[u8]; 5] = [
        b"\0\0\0\x18ftypqt  ",
        b"\0\0\0\x18ftypisom",
        b"\x1A\x45\xDF\xA3..",
        b"RIFF....AVI LIST",
        b"\0\0\x01\xBA...",
    ];
    for bytes in kinds {
        assert!(Clip::recognise(bytes.to_vec()).is_ok(), "{bytes:?}");
    }
    for bytes in [&b""[..], b"ftyp", b"\x89PNG\r\n\x1a\n", b"RIFF....WAVEfmt "] {
        assert_eq!(Clip::recognise(bytes.to_vec()), Err(ClipError::NotAVideo));
    }
}

//! Each provider as a double that plays it.

use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hermes_testkit::{Seen, WebReply, WebServer};
use hermes_tool::settings::Settings as _;
use image::{DynamicImage, RgbImage};
use serde_json::{Value, json};

use super::*;
use crate::picture::{Picture, PictureLimits};

const KEYS: [(&str, &str); 5] = [
    ("FAL_KEY", "key-fal-1"),
    ("OPENAI_API_KEY", "key-openai"),
    ("XAI_API_KEY", "key-xai-1"),
    ("OPENROUTER_API_KEY", "key-router"),
    ("DEEPINFRA_API_KEY", "key-infra"),
];

fn vars() -> Vars {
    KEYS.iter().map(|(name, key)| ((*name).to_owned(), (*key).to_owned())).collect()
}

fn wish(aspect: AspectRatio) -> ImageWish {
    ImageWish { prompt: " a red barn ".into(), aspect, sources: Vec::new() }
}

async fn source() -> FittedPicture {
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::from(RgbImage::new(3, 2)).write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    let limits = PictureLimits { base64_bytes: 1 << 20, side: 100 };
    Picture::recognise(bytes.into_inner()).unwrap().fit(limits).await.unwrap()
}

fn chosen(provider: &str, model: Option<&str>, server: &WebServer) -> Box<dyn ImageMaker> {
    let config = json!({"image_gen": {"provider": provider, "model": model, "quality": "high",
        provider: {"base_url": server.origin()}}});
    maker(&DrawingSettings::read(&config, &Vars::default()), &vars()).unwrap()
}

async fn made(maker: &dyn ImageMaker, wish: &ImageWish) -> Result<MadeImage, DrawingError> {
    make(maker, wish, &CancellationToken::new()).await
}

/// fal's queue: in the queue, at work, done.
fn queue(seen: &Seen, looks: &AtomicUsize) -> WebReply {
    let origin = format!("http://{}", seen.header("host").unwrap());
    match (seen.method.as_str(), seen.path.as_str()) {
        ("POST", _) => WebReply::json(&json!({"request_id": "r",
            "status_url": format!("{origin}/m/requests/r/status"),
            "response_url": format!("{origin}/m/requests/r")})),
        (_, "/m/requests/r/status") => {
            let states = ["IN_QUEUE", "IN_PROGRESS", "COMPLETED"];
            let look = looks.fetch_add(1, Ordering::Relaxed).min(2);
            WebReply::json(&json!({"status": states[look]}))
        }
        _ => WebReply::json(&json!({"images": [{"url": "https://fal.media/x.png"}]})),
    }
}

#[tokio::test]
async fn fal_is_asked_until_the_picture_is_there() {
    let looks = Arc::new(AtomicUsize::new(0));
    let server = WebServer::start(move |seen| queue(seen, &looks));
    let fal = chosen("fal", None, &server);
    let image = made(fal.as_ref(), &wish(AspectRatio::Landscape)).await.unwrap();
    assert_eq!(image, MadeImage::At("https://fal.media/x.png".into()));
    let seen = server.requests();
    let paths: Vec<&str> = seen.iter().map(|seen| seen.path.as_str()).collect();
    let status = "/m/requests/r/status";
    assert_eq!(paths, ["/fal-ai/flux-2/klein/9b", status, status, status, "/m/requests/r"]);
    assert!(seen.iter().all(|seen| seen.carries("Key key-fal-1")));
    assert_eq!(seen[0].header("x-idempotency-key").unwrap().len(), 32);
    let body = json!({"prompt": "a red barn", "image_size": "landscape_16_9",
        "num_inference_steps": 4, "output_format": "png"});
    assert_eq!(seen[0].body, body);
}

#[tokio::test]
async fn fal_edits_below_the_models_name() {
    let looks = Arc::new(AtomicUsize::new(2));
    let server = WebServer::start(move |seen| queue(seen, &looks));
    let fal = chosen("fal", Some("fal-ai/nano-banana-pro"), &server);
    let mut wish = wish(AspectRatio::Square);
    wish.sources.push(source().await);
    made(fal.as_ref(), &wish).await.unwrap();
    let seen = &server.requests()[0];
    assert_eq!(seen.path, "/fal-ai/nano-banana-pro/edit");
    assert_eq!(seen.body["aspect_ratio"], "1:1");
    assert!(seen.body["image_urls"][0].as_str().unwrap().starts_with("data:image/png;base64,"));
    let blind = chosen("fal", Some("fal-ai/qwen-image"), &server);
    let error = made(blind.as_ref(), &wish).await.unwrap_err();
    assert!(error.to_string().contains("draws from words only"), "{error}");
}

#[tokio::test]
async fn fals_key_follows_no_address_to_another_place() {
    let other = WebServer::start(|_| WebReply::json(&json!({"status": "COMPLETED"})));
    let there = other.origin();
    let server = WebServer::start(move |_| {
        WebReply::json(&json!({"status_url": format!("{there}/s"), "response_url": there}))
    });
    let error = made(chosen("fal", None, &server).as_ref(), &wish(AspectRatio::Square)).await;
    assert_eq!(error.unwrap_err().kind(), "invalid_response");
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn openai_draws_by_json_and_edits_by_form() {
    let reply = json!({"data": [{"b64_json": STANDARD.encode("PNG")}]});
    let server = WebServer::start(move |_| WebReply::json(&reply));
    let openai = chosen("openai", None, &server);
    let mut wish = wish(AspectRatio::Portrait);
    let drawn = made(openai.as_ref(), &wish).await.unwrap();
    assert_eq!(drawn, MadeImage::Bytes(b"PNG".to_vec()));
    wish.sources = vec![source().await, source().await];
    made(openai.as_ref(), &wish).await.unwrap();
    let seen = server.requests();
    assert_eq!(seen[0].path, "/images/generations");
    assert!(seen.iter().all(|seen| seen.carries("key-openai")));
    let body = json!({"model": "gpt-image-2", "prompt": "a red barn", "size": "1024x1536", "n": 1,
        "quality": "high"});
    assert_eq!(seen[0].body, body);
    assert_eq!(seen[1].path, "/images/edits");
    assert!(seen[1].header("content-type").unwrap().starts_with("multipart/form-data; boundary="));
    let form = seen[1].body.as_str().unwrap();
    assert_eq!(form.matches("name=\"image[]\"; filename=\"image").count(), 2, "{form}");
    for field in ["gpt-image-2", "a red barn", "1024x1536", "Content-Type: image/png"] {
        assert!(form.contains(field), "{field}: {form}");
    }
}

#[tokio::test]
async fn xai_openrouter_and_deepinfra_have_their_own_ways() {
    let at = |url: &str| json!({"data": [{"url": url}]});
    let answers = [
        ("xai", at("https://x.ai/1.jpg"), MadeImage::At("https://x.ai/1.jpg".into())),
        ("deepinfra", at("data:image/png;base64,UE5H"), MadeImage::Bytes(b"PNG".to_vec())),
        (
            "openrouter",
            json!({"choices": [{"message": {"images": [{"image_url":
                {"url": "data:image/png;base64,UE5H"}}]}}]}),
            MadeImage::Bytes(b"PNG".to_vec()),
        ),
    ];
    for (provider, answer, expected) in answers {
        let server = WebServer::start(move |_| WebReply::json(&answer));
        let maker = chosen(provider, None, &server);
        assert_eq!(made(maker.as_ref(), &wish(AspectRatio::Landscape)).await.unwrap(), expected);
        let seen = &server.requests()[0];
        let asked: &Value = &seen.body;
        match provider {
            "xai" => assert_eq!(
                *asked,
                json!({"model": "grok-imagine-image", "prompt": "a red barn",
                    "aspect_ratio": "16:9", "resolution": "1k"})
            ),
            "deepinfra" => assert_eq!(asked["size"], "1536x1024"),
            _ => assert_eq!(asked["modalities"], json!(["image", "text"])),
        }
    }
}

#[tokio::test]
async fn every_provider_tells_what_went_wrong_without_its_key() {
    for (provider, (_, key)) in NAMES.into_iter().zip(KEYS) {
        let words = json!({"error": {"message": format!("no {key}")}});
        let failures = [
            (WebReply::json(&words).with_status(400), "invalid_request"),
            (WebReply::json(&words).with_status(402), "billing"),
            (WebReply::json(&words).with_status(429), "rate_limit"),
            (WebReply::json(&words).with_status(500), "provider_error"),
            (WebReply::bytes("{broken"), "invalid_response"),
            (WebReply::json(&json!({})), "invalid_response"),
            (WebReply::bytes("{").cut(), "connection"),
        ];
        for (reply, kind) in failures {
            let server = WebServer::start(move |_| reply.clone());
            let maker = chosen(provider, None, &server);
            let error = made(maker.as_ref(), &wish(AspectRatio::Square)).await.unwrap_err();
            assert_eq!(error.kind(), kind, "{provider}: {error}");
            assert!(!error.to_string().contains(key), "{error}");
        }
    }
}

#[tokio::test]
async fn a_queue_that_never_moves_is_left_when_nobody_waits() {
    let looks = Arc::new(AtomicUsize::new(0));
    let server = WebServer::start(move |seen| {
        looks.store(0, Ordering::Relaxed);
        queue(seen, &looks)
    });
    let fal = chosen("fal", None, &server);
    let cancel = CancellationToken::new();
    let wish = wish(AspectRatio::Square);
    let stop = async {
        while server.requests().len() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        cancel.cancel();
    };
    let (made, ()) = tokio::join!(make(fal.as_ref(), &wish, &cancel), stop);
    assert_eq!(made.unwrap_err().kind(), "cancelled");
}

#[test]
fn a_key_for_chat_opens_no_paid_pictures() {
    let with = |config: Value, vars: Vars| {
        let settings = DrawingSettings::read(&json!({"image_gen": config}), &Vars::default());
        maker(&settings, &vars).map(|maker| maker.name())
    };
    let key = |name: &str| -> Vars { [(name.to_owned(), "k".to_owned())].into_iter().collect() };
    assert_eq!(with(json!({}), key("OPENAI_API_KEY")), Err(DrawingError::NotSetUp));
    assert_eq!(with(json!({"provider": "openai"}), key("OPENAI_API_KEY")), Ok("openai"));
    assert_eq!(with(json!({}), key("FAL_KEY")), Ok("fal"));
    let missing = with(json!({"provider": "xai"}), key("FAL_KEY")).unwrap_err();
    assert!(missing.to_string().contains("XAI_API_KEY"), "{missing}");
    let unknown = with(json!({"provider": "dali"}), Vars::default()).unwrap_err();
    assert!(unknown.to_string().contains("openrouter"), "{unknown}");
}

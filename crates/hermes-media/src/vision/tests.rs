use std::io::Cursor;
use std::sync::Arc;

use hermes_testkit::{ModelServer, Step};
use hermes_tool::{ContextParts, Services, Vars};
use image::{DynamicImage, RgbImage};
use serde_json::Value;

use super::*;

struct Eyes(bool);

impl SeeingModel for Eyes {
    fn sees_images(&self) -> bool {
        self.0
    }
}

fn picture() -> Picture {
    let mut bytes = Cursor::new(Vec::new());
    let dots = DynamicImage::from(RgbImage::new(3, 2));
    dots.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    Picture::recognise(bytes.into_inner()).unwrap()
}

fn context(config: Value, seeing: Option<bool>, vars: &[(&str, &str)]) -> ToolContext {
    let mut services = Services::default();
    if let Some(seeing) = seeing {
        services = services.with::<dyn SeeingModel>(Arc::new(Eyes(seeing)));
    }
    let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let vars: Vars = vars.collect();
    ContextParts { config: Arc::new(config), services, vars, ..ContextParts::default() }.into()
}

fn main_model(server: &ModelServer) -> Value {
    json!({"model": {"provider": "custom", "base_url": server.url(), "default": "plain"}})
}

#[tokio::test]
async fn a_model_that_sees_gets_the_picture_itself() {
    let cx = context(json!({}), Some(true), &[]);
    let output = look(picture(), "What is it?", Some("path: /x.png"), &cx).await.unwrap();
    let ToolOutput::Multimodal { content, text_summary } = output else { panic!("{output:?}") };
    let text = content[0]["text"].as_str().unwrap();
    assert!(text.contains("What is it?") && text.contains("/x.png"), "{text}");
    let url = content[1]["image_url"]["url"].as_str().unwrap();
    assert!(url.starts_with("data:image/png;base64,"), "{url}");
    assert!(text_summary.unwrap().contains("/x.png"));
}

#[tokio::test]
async fn otherwise_the_main_model_is_asked_on_the_side() {
    let server = ModelServer::start([Step::text("Two dots.")]);
    let cx = context(main_model(&server), Some(false), &[]);
    let output = look(picture(), "How many?", None, &cx).await.unwrap();
    assert_eq!(output, ToolOutput::text(r#"{"success":true,"analysis":"Two dots."}"#));
    let seen = &server.requests()[0];
    assert_eq!(seen.body["model"], "plain");
    let temperature = seen.body["temperature"].as_f64().unwrap();
    assert!((temperature - 0.1).abs() < 1e-6);
    assert_eq!(seen.body["max_tokens"], 2_000);
    let parts = &seen.body["messages"][0]["content"];
    assert!(parts[0]["text"].as_str().unwrap().contains("How many?"), "{parts}");
    assert!(parts[1]["image_url"]["url"].as_str().unwrap().starts_with("data:image/png"));
}

#[tokio::test]
async fn a_model_named_for_it_is_asked_even_if_the_main_one_sees() {
    let server = ModelServer::start([Step::text("A."), Step::text("B.")]);
    let config = json!({"auxiliary": {"vision": {"provider": "custom", "base_url": server.url(),
        "model": "eyes"}}});
    for (vars, model) in [(&[][..], "eyes"), (&[("AUXILIARY_VISION_MODEL", "lens")], "lens")] {
        let cx = context(config.clone(), Some(true), vars);
        look(picture(), "?", None, &cx).await.unwrap();
        assert_eq!(server.requests().last().unwrap().body["model"], model);
    }
}

#[tokio::test]
async fn a_picture_that_is_too_large_for_a_server_is_sent_smaller_once() {
    let too_large = || Step::status(413).error("image too large");
    let server = ModelServer::start([too_large(), Step::text("Seen."), too_large(), too_large()]);
    let cx = context(main_model(&server), None, &[]);
    assert!(look(picture(), "?", None, &cx).await.is_ok());
    let error = look(picture(), "?", None, &cx).await.unwrap_err();
    assert!(error.extras()["analysis"].as_str().unwrap().contains("too large"), "{error:?}");
    assert_eq!(server.requests().len(), 4);
}

#[tokio::test]
async fn failures_say_in_plain_words_what_is_wrong() {
    let cases = [
        (Step::status(402).error("insufficient credits"), "no credit left"),
        (Step::status(400).error("this model does not support image input"), "no images at all"),
        (Step::text("  "), "said nothing"),
    ];
    for (step, words) in cases {
        let server = ModelServer::start([step]);
        let error = look(picture(), "?", None, &context(main_model(&server), None, &[])).await;
        let error = error.unwrap_err();
        let analysis = error.extras()["analysis"].as_str().unwrap();
        assert!(analysis.contains(words), "{analysis}");
        assert_eq!(error.extras()["success"], false);
    }
    let none = look(picture(), "?", None, &context(json!({}), None, &[])).await.unwrap_err();
    assert!(none.message().contains("auxiliary.vision"), "{none}");
}

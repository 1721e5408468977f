//! Pictures, speech, video and services: the tools as people and models reach them, against doubles on the loopback and
//! real programs that speak.

use std::fs;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hermes_testkit::{ModelServer, Seen, Step, WebReply, WebServer, part};
use serde_json::{Value, json};

use crate::agent::{BOTH, Scene};
use crate::support::{Run, Sandbox, column, write};

/// One red dot.
const DOT: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4\
    z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

fn png() -> Vec<u8> {
    STANDARD.decode(DOT).unwrap()
}

fn call(sandbox: &Sandbox, tool: &str, args: &Value) -> Run {
    sandbox.run_with_stdin(["tools", "call", tool, "-"], args.to_string())
}

fn with_model(server: &ModelServer, more: &str) -> Sandbox {
    Sandbox::with_config(&format!(
        "model: {{ provider: custom, base_url: '{}', default: scripted }}\n{more}",
        server.url()
    ))
}

/// Duration in seconds and loudness (root of the mean square, of 1) of plain samples.
fn measured(wav: &[u8]) -> (f64, f64) {
    assert_eq!((&wav[..4], &wav[8..12]), (&b"RIFF"[..], &b"WAVE"[..]));
    let rate = u32::from_le_bytes(wav[24..28].try_into().unwrap());
    let data = wav.windows(4).position(|word| word == b"data").unwrap() + 8;
    let samples: Vec<f64> = wav[data..]
        .chunks_exact(2)
        .map(|pair| f64::from(i16::from_le_bytes([pair[0], pair[1]])) / 32_768.0)
        .collect();
    let squares: f64 = samples.iter().map(|sample| sample * sample).sum();
    #[expect(clippy::cast_precision_loss, reason = "far fewer samples than that")]
    let count = samples.len() as f64;
    (count / f64::from(rate), (squares / count).sqrt())
}

#[test]
fn a_picture_in_a_file_is_described_by_the_model() {
    let server = ModelServer::start([Step::text("One dot.")]);
    let sandbox = with_model(&server, "");
    write(&sandbox.scratch("dot.png"), &png());
    let args = json!({"image_url": "dot.png", "question": "What is it?"});
    let run = call(&sandbox, "vision_analyze", &args).exits(0).quietly();
    assert_eq!(run.json(), json!({"success": true, "analysis": "One dot."}));
    let parts = server.requests()[0].body["messages"][0]["content"].clone();
    assert!(parts[1]["image_url"]["url"].as_str().unwrap().starts_with("data:image/png;base64,"));
}

#[test]
fn a_picture_on_a_private_address_is_fetched_only_with_permission() {
    let pictures = WebServer::start(|_| WebReply::bytes(png()));
    let args = json!({"image_url": format!("{}/dot", pictures.origin()), "question": "What?"});
    let server = ModelServer::start([Step::text("One dot.")]);
    let refused = call(&with_model(&server, ""), "vision_analyze", &args).exits(1).json();
    assert!(refused["error"].as_str().unwrap().starts_with("Blocked:"), "{refused}");
    assert!(pictures.requests().is_empty() && server.requests().is_empty());
    let open = with_model(&server, "security: { allow_private_urls: true }\n");
    let seen = call(&open, "vision_analyze", &args).exits(0).json();
    assert_eq!(seen["analysis"], "One dot.");
}

#[test]
fn what_is_no_picture_or_not_to_be_read_never_reaches_a_model() {
    let server = ModelServer::start(Vec::<Step>::new());
    let sandbox = with_model(&server, "");
    sandbox.write(".env", "KEY=1\n");
    write(&sandbox.scratch("text.png"), b"hello");
    for image in
        ["text.png", "nothing.png", "data:image/png,x", sandbox.path(".env").to_str().unwrap()]
    {
        let args = json!({"image_url": image, "question": "What?"});
        let answer = call(&sandbox, "vision_analyze", &args).exits(1).json();
        assert!(answer["error"].is_string(), "{image}: {answer}");
    }
    assert!(server.requests().is_empty());
}

#[test]
fn a_model_that_sees_gets_the_picture_and_marked_words() {
    for wire in BOTH {
        let look =
            Step::call("vision_analyze", json!({"image_url": "dot.png", "question": "What?"}));
        let script = [look, Step::text("I see one dot.")];
        let scene = Scene::with_config(wire, script, "  supports_vision: true\n");
        write(&scene.sandbox.scratch("dot.png"), &png());
        scene.asks_with(&["-t", "vision"], "Look at dot.png").exits(0).says("I see one dot.");
        let sent = scene.sent();
        let body = sent[1].body.to_string();
        assert!(body.contains("iVBORw0KGgo"), "{wire:?}: the picture itself is sent");
        assert!(body.contains("<untrusted_tool_result_"), "{wire:?}: its words are marked");
    }
}

#[test]
fn espeak_speaks_into_a_file_that_can_be_heard() {
    let config = format!(
        "tts: {{ provider: espeak, espeak: {{ command: '{}' }} }}\n",
        part("HERMES_TEST_ESPEAK")
    );
    let sandbox = Sandbox::with_config(&config);
    let text = "One two three four five six seven.";
    let args = json!({"text": text, "output_path": "said.wav"});
    let said = call(&sandbox, "text_to_speech", &args).exits(0).quietly().json();
    assert_eq!((&said["success"], &said["provider"]), (&json!(true), &json!("espeak")));
    let (seconds, loudness) = measured(&fs::read(sandbox.scratch("said.wav")).unwrap());
    assert!((1.0..8.0).contains(&seconds) && loudness > 0.02, "{seconds} s, {loudness}");
    // Under its older name, and into the cache.
    let said = call(&sandbox, "tts_speak", &json!({"text": text})).exits(0).json();
    let file = PathBuf::from(said["file_path"].as_str().unwrap());
    assert!(file.starts_with(sandbox.path("cache/audio")), "{said}");
    assert!(said["media_tag"].as_str().unwrap().ends_with(&format!("MEDIA:{}", file.display())));
}

#[test]
fn speech_is_written_only_where_files_may_be() {
    let own = "tts: { provider: mine, providers: { mine: { command: 'cp {input_path} {output_path}' } } }\n";
    let sandbox = Sandbox::with_config(own);
    for path in ["../x.mp3", "~/.config/autostart/x.mp3", "~/.ssh/x.mp3"] {
        let args = json!({"text": "Hello.", "output_path": path});
        let answer = call(&sandbox, "text_to_speech", &args).exits(1).json();
        assert!(answer["error"].is_string(), "{path}: {answer}");
    }
    let args = json!({"text": "Hello.", "output_path": "ok.mp3"});
    call(&sandbox, "text_to_speech", &args).exits(0);
    assert_eq!(fs::read(sandbox.scratch("ok.mp3")).unwrap(), b"Hello.");
}

#[test]
fn a_drawn_picture_lands_in_the_cache() {
    let server = WebServer::start(|_| WebReply::json(&json!({"data": [{"b64_json": DOT}]})));
    let config = format!(
        "image_gen: {{ provider: openai, openai: {{ base_url: '{}' }} }}\n",
        server.origin()
    );
    let sandbox = Sandbox::with_config(&config).var("OPENAI_API_KEY", "key-for-pictures");
    let args = json!({"prompt": "a dot", "aspect_ratio": "square"});
    let made = call(&sandbox, "image_generate", &args).exits(0).quietly().json();
    assert_eq!((&made["modality"], &made["provider"]), (&json!("text"), &json!("openai")));
    assert_eq!(fs::read(made["image"].as_str().unwrap()).unwrap(), png());
    assert_eq!(server.requests()[0].body["size"], "1024x1024");
    let nobody = call(&Sandbox::new(), "image_generate", &args).exits(1).json();
    assert_eq!(nobody["error_type"], "configuration");
    assert_eq!(nobody["image"], Value::Null);
}

fn house(seen: &Seen) -> WebReply {
    let thing =
        json!({"entity_id": "light.hall", "state": "on", "attributes": {"friendly_name": "Hall"}});
    match seen.path.as_str() {
        "/api/states" | "/api/services/light/turn_on" => WebReply::json(&json!([thing])),
        "/api/states/light.hall" => WebReply::json(&thing),
        "/api/services" => WebReply::json(&json!([{"domain": "light", "services": {}}])),
        _ => WebReply::status(404),
    }
}

#[test]
fn the_house_is_seen_and_switched() {
    let server = WebServer::start(house);
    let sandbox =
        Sandbox::new().var("HASS_TOKEN", "token-of-the-house").var("HASS_URL", server.origin());
    let listed = call(&sandbox, "ha_list_entities", &json!({"domain": "light"})).exits(0).json();
    assert_eq!(listed["result"]["entities"][0]["entity_id"], "light.hall");
    let state = call(&sandbox, "ha_get_state", &json!({"entity_id": "light.hall"})).exits(0).json();
    assert_eq!(state["result"]["state"], "on");
    call(&sandbox, "ha_list_services", &json!({})).exits(0).says("light");
    let act = json!({"domain": "light", "service": "turn_on", "entity_id": "light.hall",
        "data": "{\"brightness\": 9}"});
    let done = call(&sandbox, "ha_call_service", &act).exits(0).json();
    assert_eq!(done["result"]["success"], true);
    assert_eq!(
        server.requests().last().unwrap().body,
        json!({"brightness": 9, "entity_id": "light.hall"})
    );
    assert!(server.requests().iter().all(|seen| seen.carries("token-of-the-house")));
    let before = server.requests().len();
    for refused in [
        json!({"domain": "shell_command", "service": "x"}),
        json!({"domain": "light", "service": "../../config"}),
    ] {
        assert!(call(&sandbox, "ha_call_service", &refused).exits(1).json()["error"].is_string());
    }
    assert_eq!(server.requests().len(), before);
}

#[test]
fn posts_are_searched_and_clips_made() {
    let server = WebServer::start(|seen| match (seen.method.as_str(), seen.path.as_str()) {
        ("POST", "/responses") => {
            let text = json!({"type": "output_text", "text": "It rains.", "annotations": []});
            WebReply::json(&json!({"output": [{"type": "message", "content": [text]}]}))
        }
        ("POST", "/videos/generations") => WebReply::json(&json!({"request_id": "j1"})),
        _ => {
            WebReply::json(&json!({"status": "done", "video": {"url": "https://v.example/1.mp4"}}))
        }
    });
    let at = server.origin();
    let config = format!(
        "x_search: {{ base_url: '{at}' }}\nvideo_gen: {{ provider: xai, xai: {{ base_url: '{at}' }} }}\n"
    );
    let sandbox = Sandbox::with_config(&config).var("XAI_API_KEY", "key-of-xai");
    let found = call(&sandbox, "x_search", &json!({"query": "rain?"})).exits(0).json();
    assert_eq!(found["answer"], "It rains.");
    let made = call(&sandbox, "video_generate", &json!({"prompt": "rain"})).exits(0).json();
    assert_eq!(made["video"], "https://v.example/1.mp4");
}

#[test]
fn tools_without_their_key_are_not_offered() {
    let listed = |sandbox: &Sandbox| -> Vec<String> {
        let toolsets = "vision,tts,image_gen,homeassistant,x_search,video_gen";
        let run = sandbox.run(["tools", "schema", "--toolsets", toolsets]).exits(0);
        let schemas = run.json();
        let functions: Vec<Value> =
            schemas.as_array().unwrap().iter().map(|tool| tool["function"].clone()).collect();
        column(&Value::Array(functions), "name").into_iter().map(str::to_owned).collect()
    };
    assert_eq!(listed(&Sandbox::new()), ["text_to_speech", "vision_analyze"]);
    let keys = Sandbox::new().var("FAL_KEY", "k").var("HASS_TOKEN", "k").var("XAI_API_KEY", "k");
    let names = listed(&keys);
    for name in
        ["image_generate", "ha_call_service", "x_search", "video_generate", "xai_video_edit"]
    {
        assert!(names.iter().any(|other| other == name), "{name} in {names:?}");
    }
}

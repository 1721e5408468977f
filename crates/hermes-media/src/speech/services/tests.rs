//! Each service as a double that plays it: where it is asked, with what, and what it may answer.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hermes_testkit::{Seen, WebReply, WebServer};
use hermes_tool::settings::Settings as _;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::super::AudioFormat;
use super::*;

const KEYS: [(&str, &str); 6] = [
    ("ELEVENLABS_API_KEY", "key-eleven"),
    ("OPENAI_API_KEY", "key-openai"),
    ("MINIMAX_API_KEY", "key-minimax"),
    ("GEMINI_API_KEY", "key-gemini"),
    ("XAI_API_KEY", "key-xai00"),
    ("MISTRAL_API_KEY", "key-mistral"),
];

fn vars() -> Vars {
    KEYS.iter().map(|(name, key)| ((*name).to_owned(), (*key).to_owned())).collect()
}

async fn ask(
    name: &str,
    mut section: Value,
    wished: AudioFormat,
    reply: WebReply,
) -> (Result<Vec<u8>, SpeechError>, Option<Seen>) {
    let server = WebServer::start(move |_| reply.clone());
    section["base_url"] = server.origin().into();
    let settings = SpeechSettings::read(&json!({"tts": {name: section}}), &Vars::default());
    let provider = named(name, &settings, &vars()).unwrap();
    let sound = provider.speak("Hello.", wished, &CancellationToken::new()).await;
    (sound, server.requests().into_iter().next())
}

#[tokio::test]
async fn elevenlabs_is_asked_for_a_voice_and_a_form() {
    let sound = || WebReply::bytes("MP3");
    let (said, seen) = ask("elevenlabs", json!({}), AudioFormat::Mp3, sound()).await;
    let seen = seen.unwrap();
    assert_eq!(said.unwrap(), b"MP3");
    let path = "/v1/text-to-speech/pNInz6obpgDQGcFmaJgB?output_format=mp3_44100_128";
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("POST", path));
    assert!(seen.header("xi-api-key") == Some("key-eleven"));
    assert_eq!(seen.body, json!({"text": "Hello.", "model_id": "eleven_multilingual_v2"}));
    let section = json!({"voice_id": "v/1", "model_id": "eleven_flash_v2_5"});
    let (_, seen) = ask("elevenlabs", section, AudioFormat::Ogg, sound()).await;
    let seen = seen.unwrap();
    assert_eq!(seen.path, "/v1/text-to-speech/v%2F1?output_format=opus_48000_64");
    assert_eq!(seen.body["model_id"], "eleven_flash_v2_5");
}

#[tokio::test]
async fn openai_is_asked_the_way_of_openai() {
    let section = json!({"voice": "nova", "speed": 1.5});
    let (said, seen) = ask("openai", section, AudioFormat::Ogg, WebReply::bytes("OGG")).await;
    let seen = seen.unwrap();
    assert_eq!(said.unwrap(), b"OGG");
    assert_eq!(seen.path, "/audio/speech");
    assert!(seen.header("authorization") == Some("Bearer ***") && seen.carries("key-openai"));
    let body = json!({"model": "gpt-4o-mini-tts", "voice": "nova", "input": "Hello.",
        "response_format": "opus", "speed": 1.5});
    assert_eq!(seen.body, body);
}

#[tokio::test]
async fn minimax_sends_digits_and_hides_failures_in_successes() {
    let answer = json!({"data": {"audio": "4d5033"}, "base_resp": {"status_code": 0}});
    let section = json!({"group_id": "g1"});
    let (said, seen) = ask("minimax", section, AudioFormat::Mp3, WebReply::json(&answer)).await;
    let seen = seen.unwrap();
    assert_eq!(said.unwrap(), b"MP3");
    assert_eq!(seen.path, "/v1/t2a_v2?GroupId=g1");
    assert!(seen.carries("key-minimax"));
    assert_eq!(seen.body["text"], "Hello.");
    assert_eq!(seen.body["audio_setting"]["format"], "mp3");
    let failed = json!({"base_resp": {"status_code": 1004, "status_msg": "login fail"}});
    let (said, _) = ask("minimax", json!({}), AudioFormat::Mp3, WebReply::json(&failed)).await;
    assert_eq!(said.unwrap_err().to_string(), "MiniMax: login fail (code 1004)");
}

#[tokio::test]
async fn gemini_sends_samples_that_get_a_header() {
    let samples = vec![1_u8, 0, 2, 0];
    let part = json!({"inlineData": {"data": STANDARD.encode(&samples)}});
    let answer = json!({"candidates": [{"content": {"parts": [part]}}]});
    let section = json!({"voice": "Puck"});
    let (said, seen) = ask("gemini", section, AudioFormat::Mp3, WebReply::json(&answer)).await;
    let (seen, wav) = (seen.unwrap(), said.unwrap());
    let path = "/v1beta/models/gemini-2.5-flash-preview-tts:generateContent?key=key-gemini";
    assert_eq!(seen.path, path);
    assert_eq!(seen.body["generationConfig"]["responseModalities"], json!(["AUDIO"]));
    assert_eq!(seen.body["contents"][0]["parts"][0]["text"], "Hello.");
    assert_eq!((&wav[..4], &wav[8..16]), (&b"RIFF"[..], &b"WAVEfmt "[..]));
    assert_eq!(wav[24..28], 24_000_u32.to_le_bytes());
    assert_eq!(wav[44..], samples);
}

#[tokio::test]
async fn xai_and_mistral_have_their_own_fields() {
    let section = json!({"voice": "leo", "language": "de"});
    let (said, seen) = ask("xai", section, AudioFormat::Wav, WebReply::bytes("WAV")).await;
    let seen = seen.unwrap();
    assert_eq!((said.unwrap(), seen.path.as_str()), (b"WAV".to_vec(), "/tts"));
    let body = json!({"text": "Hello.", "voice_id": "leo", "language": "de",
        "output_format": {"codec": "wav"}});
    assert_eq!(seen.body, body);
    let answer = json!({"audio_data": STANDARD.encode("FLAC")});
    let (said, seen) = ask("mistral", json!({}), AudioFormat::Flac, WebReply::json(&answer)).await;
    let seen = seen.unwrap();
    assert_eq!((said.unwrap(), seen.path.as_str()), (b"FLAC".to_vec(), "/audio/speech"));
    assert_eq!(seen.body["response_format"], "flac");
}

#[tokio::test]
async fn every_service_tells_what_went_wrong_without_its_key() {
    for (name, (_, key)) in NAMES.into_iter().zip(KEYS) {
        let words = json!({"error": {"message": format!("no: {key}")}});
        let failures = [
            (WebReply::json(&words).with_status(400), "invalid_request"),
            (WebReply::json(&words).with_status(401), "authentication"),
            (WebReply::json(&words).with_status(429), "rate_limit"),
            (WebReply::status(503), "provider_error"),
            (WebReply::bytes("half").cut(), "connection"),
        ];
        for (reply, kind) in failures {
            let (said, _) = ask(name, json!({}), AudioFormat::Mp3, reply).await;
            let error = said.unwrap_err();
            assert_eq!(error.kind(), kind, "{name}: {error}");
            assert!(!error.to_string().contains(key), "{error}");
        }
    }
    for name in ["minimax", "gemini", "mistral"] {
        let reply = WebReply::bytes("{broken");
        let (said, _) = ask(name, json!({}), AudioFormat::Mp3, reply).await;
        assert_eq!(said.unwrap_err().kind(), "invalid_response", "{name}");
    }
}

#[tokio::test]
async fn a_slow_service_is_not_waited_for_once_nobody_wants_the_answer() {
    let server = WebServer::start(|_| WebReply::bytes("late").after(Duration::from_secs(30)));
    let config = json!({"tts": {"openai": {"base_url": server.origin()}}});
    let settings = SpeechSettings::read(&config, &Vars::default());
    let provider = named("openai", &settings, &vars()).unwrap();
    let cancel = CancellationToken::new();
    let said = provider.speak("Hello.", AudioFormat::Mp3, &cancel);
    let (said, ()) = tokio::join!(said, async { cancel.cancel() });
    assert_eq!(said.unwrap_err().kind(), "cancelled");
}

#[test]
fn a_missing_key_is_named_with_its_variable() {
    let settings = SpeechSettings::default();
    for name in NAMES {
        let Err(error) = named(name, &settings, &Vars::default()) else { panic!("{name}") };
        assert!(error.to_string().contains("_KEY"), "{error}");
    }
    let own = SpeechSettings::read(
        &json!({"tts": {"openai": {"base_url": "http://127.0.0.1:8880/v1"}}}),
        &Vars::default(),
    );
    assert!(named("openai", &own, &Vars::default()).is_ok(), "a server of one's own wants none");
    let Err(unknown) = named("nobody", &settings, &Vars::default()) else { panic!() };
    assert!(unknown.to_string().contains("elevenlabs"), "{unknown}");
}

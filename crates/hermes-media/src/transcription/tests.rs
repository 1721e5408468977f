use hermes_testkit::{WebReply, WebServer};
use hermes_tool::settings::Settings as _;
use serde_json::{Value, json};

use super::*;

fn recording() -> Recording {
    Recording::new(Path::new("note.OGA"), b"sound".to_vec()).unwrap()
}

fn chosen(stt: &Value, vars: &Vars) -> Result<Box<dyn Transcriber>, TranscriptionError> {
    let config = json!({"stt": stt});
    transcriber(&TranscriptionSettings::read(&config, &Vars::default()), vars)
}

fn keys() -> Vars {
    let names = [
        "GROQ_API_KEY",
        "OPENAI_API_KEY",
        "MISTRAL_API_KEY",
        "DEEPINFRA_API_KEY",
        "XAI_API_KEY",
        "ELEVENLABS_API_KEY",
    ];
    names.into_iter().map(|name| (name.to_owned(), format!("secret-{name}"))).collect()
}

const ALL: [(&str, &str, &str); 6] = [
    ("groq", "/audio/transcriptions", "whisper-large-v3-turbo"),
    ("openai", "/audio/transcriptions", "whisper-1"),
    ("mistral", "/audio/transcriptions", "voxtral-mini-latest"),
    ("deepinfra", "/audio/transcriptions", "openai/whisper-large-v3-turbo"),
    ("xai", "/stt", ""),
    ("elevenlabs", "/v1/speech-to-text", "scribe_v2"),
];

#[tokio::test]
async fn every_service_gets_a_form_with_the_file() {
    for (name, path, model) in ALL {
        let server = WebServer::start(|_| WebReply::json(&json!({"text": " Hello. "})));
        let section = json!({"base_url": server.origin(), "language": "de"});
        let listener = chosen(&json!({"provider": name, name: section}), &keys()).unwrap();
        let said = listener.transcribe(&recording(), &CancellationToken::new()).await.unwrap();
        assert_eq!((said.as_str(), listener.name()), ("Hello.", name));
        let seen = &server.requests()[0];
        assert_eq!((seen.method.as_str(), seen.path.as_str()), ("POST", path));
        assert!(seen.carries("secret-"), "{name}");
        let form = seen.body.as_str().unwrap();
        for part in ["name=\"file\"; filename=\"voice.ogg\"", "sound", "de", model] {
            assert!(form.contains(part), "{name}: {part} in {form}");
        }
        let field = if name == "elevenlabs" { "name=\"model_id\"" } else { "name=\"model\"" };
        assert_eq!(form.contains(field), !model.is_empty(), "{form}");
    }
}

#[tokio::test]
async fn failures_are_told_apart_and_show_no_key() {
    for (name, ..) in ALL {
        for (reply, kind) in [
            (WebReply::json(&json!({"error": "bad secret-"})).with_status(401), "authentication"),
            (WebReply::status(429), "rate_limit"),
            (WebReply::status(500), "provider_error"),
            (WebReply::bytes("{broken"), "invalid_response"),
            (WebReply::json(&json!({})), "invalid_response"),
            (WebReply::bytes("{").cut(), "connection"),
        ] {
            let server = WebServer::start(move |_| reply.clone());
            let section = json!({"base_url": server.origin()});
            let listener = chosen(&json!({"provider": name, name: section}), &keys()).unwrap();
            let error = listener.transcribe(&recording(), &CancellationToken::new()).await;
            let TranscriptionError::Service(error) = error.unwrap_err() else { panic!("{name}") };
            assert_eq!(error.kind(), kind, "{name}: {error}");
        }
    }
}

fn here() -> Vars {
    [("PATH".to_owned(), "/usr/bin:/bin".to_owned())].into_iter().collect()
}

#[tokio::test]
async fn a_command_on_this_machine_prints_the_text() {
    let command = "printf '%s|%s|' {language} {model}; cat {input_path}";
    let local = json!({"command": command, "language": "it's", "model": "tiny"});
    let listener = chosen(&json!({"local": local}), &here()).unwrap();
    let said = listener.transcribe(&recording(), &CancellationToken::new()).await.unwrap();
    assert_eq!(said, "it's|tiny|sound");
    let failing = json!({"local": {"command": "echo no model >&2; exit 1"}});
    let error = chosen(&failing, &here()).unwrap();
    let error = error.transcribe(&recording(), &CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.to_string(), "whisper failed: no model");
}

#[test]
fn what_is_missing_is_named() {
    let words = |stt: Value| chosen(&stt, &Vars::default()).err().unwrap().to_string();
    assert!(words(json!({})).contains("no Whisper is installed"));
    assert!(words(json!({"provider": "groq"})).contains("GROQ_API_KEY"));
    assert!(words(json!({"provider": "ears"})).contains("elevenlabs"));
    assert!(words(json!({"enabled": false})).contains("switched off"));
}

#[test]
fn recordings_are_known_by_their_ending_and_bounded() {
    let of = |name: &str, size: usize| Recording::new(Path::new(name), vec![0; size]);
    for form in FORMS {
        assert!(of(&format!("a.{form}"), 1).is_ok());
    }
    assert!(matches!(of("a.txt", 1), Err(TranscriptionError::Form(_))));
    assert!(matches!(of("a.mp3", 0), Err(TranscriptionError::Empty)));
    assert!(matches!(of("a.mp3", MAX_SOUND_BYTES + 1), Err(TranscriptionError::TooLarge)));
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a test's own file")]
async fn a_sound_file_is_written_down_by_the_settings() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("voice message.oga");
    std::fs::write(&file, b"sound").unwrap();
    let never = CancellationToken::new();
    let command = json!({"stt": {"local": {"command": "printf 'heard '; cat {input_path}"}}});
    assert_eq!(transcribe_file(&command, &here(), &file, &never).await.unwrap(), "heard sound");
    let server = WebServer::start(|_| WebReply::json(&json!({"text": "by a service"})));
    let service = json!({"stt": {"provider": "groq", "groq": {"base_url": server.origin()}}});
    assert_eq!(transcribe_file(&service, &keys(), &file, &never).await.unwrap(), "by a service");
    let off = json!({"stt": {"enabled": false}});
    let error = transcribe_file(&off, &here(), &file, &never).await.unwrap_err();
    assert!(matches!(error, TranscriptionError::Off), "{error}");
    for (name, words) in [("gone.ogg", "gone.ogg cannot be read"), ("", "it is no file")] {
        let error = transcribe_file(&command, &here(), &folder.path().join(name), &never).await;
        let error = error.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let vast = std::fs::File::create(folder.path().join("vast.mp3")).unwrap();
    vast.set_len(MAX_SOUND_BYTES as u64 + 1).unwrap();
    let error = transcribe_file(&command, &here(), &folder.path().join("vast.mp3"), &never).await;
    assert!(matches!(error, Err(TranscriptionError::TooLarge)));
}

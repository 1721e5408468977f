//! Who speaks, what becomes of long texts, and real sound from programs of this machine.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;

use hermes_testkit::{WebReply, WebServer, part};
use hermes_tool::settings::Settings as _;
use serde_json::{Value, json};

use super::*;

/// The variables of this machine: programs are found by `PATH`.
fn here() -> Vars {
    let path = "/usr/local/bin:/usr/bin:/bin";
    [("PATH".to_owned(), path.to_owned())].into_iter().collect()
}

fn speaker(tts: &Value, vars: Vars) -> Speaker {
    Speaker::new(SpeechSettings::read(&json!({"tts": tts}), &Vars::default()), vars)
}

/// eSpeak as it is installed for the tests.
fn espeak(speed: f64) -> Speaker {
    let command = part("HERMES_TEST_ESPEAK");
    let config = json!({"provider": "espeak", "espeak": {"command": command, "speed": speed}});
    speaker(&config, here())
}

async fn said(speaker: &Speaker, text: &str, wished: AudioFormat) -> Result<Spoken, SpeechError> {
    speaker.speak(text, wished, &CancellationToken::new()).await
}

fn here_without_ffmpeg() -> Vars {
    // The command's shell has its own usual path.
    [("PATH".to_owned(), "/nowhere".to_owned())].into_iter().collect()
}

/// Duration in seconds and loudness (root of the mean square, of 1) of plain samples.
fn measured(wav: &[u8]) -> (f64, f64) {
    assert_eq!((&wav[..4], &wav[8..12]), (&b"RIFF"[..], &b"WAVE"[..]));
    let number = |at: usize| u32::from_le_bytes(wav[at..at + 4].try_into().unwrap());
    let (channels, rate) = (u16::from_le_bytes([wav[22], wav[23]]), number(24));
    assert_eq!(u16::from_le_bytes([wav[34], wav[35]]), 16, "bits of a sample");
    let data = wav.windows(4).position(|word| word == b"data").unwrap() + 8;
    let samples: Vec<f64> = wav[data..]
        .chunks_exact(2)
        .map(|pair| f64::from(i16::from_le_bytes([pair[0], pair[1]])) / 32_768.0)
        .collect();
    let squares: f64 = samples.iter().map(|sample| sample * sample).sum();
    #[expect(clippy::cast_precision_loss, reason = "far fewer samples than that")]
    let count = samples.len() as f64;
    (count / f64::from(rate) / f64::from(channels), (squares / count).sqrt())
}

#[tokio::test]
async fn espeak_makes_sound_that_can_be_heard() {
    let text = "The quick brown fox jumps over the lazy dog.";
    let spoken = said(&espeak(1.0), text, AudioFormat::Wav).await.unwrap();
    assert_eq!((spoken.provider.as_str(), spoken.format), ("espeak", AudioFormat::Wav));
    let (seconds, loudness) = measured(&spoken.audio);
    assert!((1.5..8.0).contains(&seconds), "{seconds} s");
    assert!(loudness > 0.02, "{loudness}");
    let spoken = said(&espeak(2.0), text, AudioFormat::Wav).await.unwrap();
    assert!(measured(&spoken.audio).0 < seconds * 0.75);
}

#[tokio::test]
async fn piper_makes_sound_that_can_be_heard() {
    let piper =
        json!({"command": part("HERMES_TEST_PIPER"), "model": part("HERMES_TEST_PIPER_VOICE")});
    let speaker = speaker(&json!({"provider": "local", "piper": piper}), here());
    let text = "The quick brown fox jumps over the lazy dog.";
    let spoken = said(&speaker, text, AudioFormat::Wav).await.unwrap();
    assert_eq!(spoken.provider, "piper");
    let (seconds, loudness) = measured(&spoken.audio);
    assert!((1.2..8.0).contains(&seconds), "{seconds} s");
    assert!(loudness > 0.01, "{loudness}");
}

#[tokio::test]
async fn espeak_takes_no_text_for_an_option_or_a_command() {
    let spoken = said(&espeak(1.0), "--version; echo $(id)", AudioFormat::Wav).await.unwrap();
    assert!(measured(&spoken.audio).0 > 0.5);
}

#[tokio::test]
async fn espeak_steps_in_when_edge_is_out_of_reach_and_nobody_is_named() {
    let nowhere = json!({"edge": {"base_url": "http://127.0.0.1:1"},
        "espeak": {"command": part("HERMES_TEST_ESPEAK")}});
    let spoken = said(&speaker(&nowhere, here()), "Hello there.", AudioFormat::Wav).await.unwrap();
    assert_eq!(spoken.provider, "espeak");
    assert!(spoken.notes[0].contains("Edge") && spoken.notes[0].contains("espeak spoke instead"));
    let mut named = nowhere;
    named["provider"] = "edge".into();
    let error = said(&speaker(&named, here()), "Hello.", AudioFormat::Wav).await.unwrap_err();
    assert_eq!(error.kind(), "connection", "whoever is named is the only one: {error}");
}

#[tokio::test]
async fn a_refusal_is_no_reason_to_speak_otherwise() {
    let server = WebServer::start(|_| WebReply::status(500));
    let config = json!({"edge": {"base_url": server.origin()}});
    let error = said(&speaker(&config, here()), "Hello.", AudioFormat::Mp3).await.unwrap_err();
    assert_eq!(error.kind(), "provider_error");
}

#[tokio::test]
async fn a_missing_program_is_named_with_the_way_to_get_it() {
    let empty = Vars::default();
    for provider in ["espeak", "piper", "local"] {
        let speaker = speaker(&json!({"provider": provider}), empty.clone());
        let error = said(&speaker, "Hello.", AudioFormat::Wav).await.unwrap_err();
        assert_eq!(error.kind(), "not_installed", "{error}");
        assert!(error.to_string().contains("install"), "{error}");
    }
}

#[tokio::test]
async fn a_command_of_the_users_own_reads_the_text_from_a_file() {
    let command = "cat {input_path} > {output_path}; printf %s {voice} {speed} >> {output_path}";
    let own = json!({"type": "command", "command": command, "output_format": "wav",
        "voice": "it's me", "speed": 1.5});
    let config = json!({"provider": "mine", "providers": {"mine": own}});
    let spoken = said(&speaker(&config, here()), "$(id) 'x'", AudioFormat::Wav).await.unwrap();
    assert_eq!(String::from_utf8(spoken.audio).unwrap(), "$(id) 'x'it's me1.5");
    assert_eq!(spoken.provider, "mine");
}

#[tokio::test]
async fn a_command_that_fails_or_makes_nothing_is_told() {
    let own = |command: &str| {
        let own = json!({"command": command, "output_format": "wav", "timeout": 5});
        speaker(&json!({"provider": "mine", "providers": {"mine": own}}), here())
    };
    let failed = said(&own("echo out of breath >&2; exit 3"), "Hi.", AudioFormat::Wav).await;
    assert_eq!(failed.unwrap_err().to_string(), "mine failed: out of breath");
    let silent = said(&own("true"), "Hi.", AudioFormat::Wav).await.unwrap_err();
    assert!(matches!(silent, SpeechError::NoAudio(_)), "{silent}");
    let nothing = said(&own("true"), " \n ", AudioFormat::Wav).await.unwrap_err();
    assert!(matches!(nothing, SpeechError::Empty));
}

#[tokio::test]
async fn a_long_text_is_cut_with_a_note() {
    let own = json!({"command": "cat {input_path} > {output_path}", "output_format": "wav",
        "max_text_length": 12});
    let config = json!({"provider": "mine", "providers": {"mine": own}});
    let spoken = said(&speaker(&config, here()), "one two three four", AudioFormat::Wav).await;
    let spoken = spoken.unwrap();
    assert_eq!(spoken.audio, b"one two");
    assert!(spoken.notes[0].contains("7 of 18 characters"), "{:?}", spoken.notes);
}

#[tokio::test]
async fn another_form_is_made_by_ffmpeg_or_said_to_be_missing() {
    let own = json!({"command": "/bin/cat {input_path} > {output_path}", "output_format": "wav"});
    let config = json!({"provider": "mine", "providers": {"mine": own}});
    let spoken = said(&speaker(&config, here_without_ffmpeg()), "Hello.", AudioFormat::Ogg).await;
    let spoken = spoken.unwrap();
    assert_eq!(spoken.format, AudioFormat::Wav);
    assert_eq!(spoken.notes, ["the sound is wav, not ogg: ffmpeg is not installed"]);
    // A stand-in that writes down how it was asked.
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("ffmpeg");
    let script = "#!/bin/sh\nfor last; do :; done\necho \"$@\" > \"$last\"\n";
    std::fs::File::create(&program).unwrap().write_all(script.as_bytes()).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/bin:/usr/bin", folder.path().display());
    let vars: Vars = [("PATH".to_owned(), path)].into_iter().collect();
    let spoken = said(&speaker(&config, vars), "Hello.", AudioFormat::Ogg).await.unwrap();
    let asked = String::from_utf8(spoken.audio).unwrap();
    assert_eq!(spoken.format, AudioFormat::Ogg);
    assert!(asked.contains("-c:a libopus -ac 1 -b:a 64k"), "{asked}");
}

#[test]
fn paths_that_climb_are_known() {
    assert!(climbs("../x.mp3") && climbs("a/../../x.mp3"));
    assert!(!climbs("a..b/x.mp3") && !climbs("/tmp/x.mp3"));
}

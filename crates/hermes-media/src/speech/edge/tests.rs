//! A server on the loopback that is as strict as the protocol.

use std::sync::{Arc, Mutex};

use jiff::SignedDuration;
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::accept_hdr_async;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request};

use super::*;

/// What the server does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    Speak,
    /// Refuses tokens that are not of an hour from now, and tells the time.
    ClockAhead,
    Forbid,
    Unavailable,
    NoSound,
    HangUp,
    BrokenFrame,
}

#[derive(Default)]
struct Heard {
    /// Queries of the handshakes.
    queries: Vec<String>,
    headers: Vec<Vec<(String, String)>>,
    frames: Vec<String>,
}

struct Double {
    base: String,
    heard: Arc<Mutex<Heard>>,
}

const AHEAD: i64 = 3_600;

async fn double(act: Act) -> Double {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("ws://{}/readaloud/", listener.local_addr().unwrap());
    let heard = Arc::new(Mutex::new(Heard::default()));
    let shared = Arc::clone(&heard);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, act, Arc::clone(&shared)));
        }
    });
    Double { base, heard }
}

async fn serve(stream: TcpStream, act: Act, heard: Arc<Mutex<Heard>>) {
    #[expect(clippy::result_large_err, reason = "the library's own shape")]
    let judge = |request: &Request, response| {
        let query = request.uri().query().unwrap_or_default().to_owned();
        assert_eq!(request.uri().path(), "/readaloud/edge/v1");
        let headers = request.headers().iter();
        let headers =
            headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
        let mut log = heard.lock().unwrap();
        log.queries.push(query.clone());
        log.headers.push(headers.collect());
        let refusal = |status: u16, date: Option<String>| {
            let mut answer = ErrorResponse::new(None);
            *answer.status_mut() = status.try_into().unwrap();
            if let Some(date) = date {
                answer.headers_mut().insert("date", date.parse().unwrap());
            }
            answer
        };
        match act {
            Act::Unavailable => Err(refusal(503, None)),
            Act::Forbid => Err(refusal(403, None)),
            Act::ClockAhead if !tokens_around(AHEAD).iter().any(|token| query.contains(token)) => {
                let there = Timestamp::now() + SignedDuration::from_secs(AHEAD);
                let there = there.to_zoned(jiff::tz::TimeZone::UTC);
                Err(refusal(403, Some(there.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string())))
            }
            _ => Ok(response),
        }
    };
    let Ok(mut socket) = accept_hdr_async(stream, judge).await else { return };
    for _ in 0..2 {
        let Some(Ok(Message::Text(frame))) = socket.next().await else { return };
        heard.lock().unwrap().frames.push(frame.to_string());
    }
    let sound = |content: &[u8]| {
        let head = b"X-RequestId:1\r\nPath:audio\r\nContent-Type:audio/mpeg\r\n";
        let mut frame = u16::try_from(head.len()).unwrap().to_be_bytes().to_vec();
        frame.extend_from_slice(head);
        frame.extend_from_slice(content);
        Message::binary(frame)
    };
    let mut say = vec![Message::text("X-RequestId:1\r\nPath:turn.start\r\n\r\n{}")];
    match act {
        Act::NoSound => {}
        Act::HangUp => {
            say.push(sound(b"one"));
            for message in say {
                socket.send(message).await.unwrap();
            }
            return;
        }
        Act::BrokenFrame => say.push(Message::binary(vec![0xFF, 0xFF, 1])),
        _ => {
            say.push(Message::text("Path:response\r\n\r\n{}"));
            say.push(sound(b"one "));
            say.push(Message::text("Path:audio.metadata\r\n\r\n{}"));
            say.push(sound(b"two;"));
            say.push(Message::binary(b"\0\x0cPath:audio\r\n".to_vec()));
        }
    }
    say.push(Message::text("Path:turn.end\r\n\r\n{}"));
    for message in say {
        // A client that was told nonsense has hung up.
        if socket.send(message).await.is_err() {
            return;
        }
    }
    while let Some(Ok(_)) = socket.next().await {}
}

/// The tokens that count at this distance from now, with some seconds to spare.
fn tokens_around(ahead: i64) -> Vec<String> {
    let now = Timestamp::now().as_second() + ahead;
    [now - 30, now, now + 5].map(|moment| EdgeToken::at(moment).as_str().to_owned()).to_vec()
}

async fn speak(double: &Double, text: &str) -> Result<Vec<u8>, SpeechError> {
    let voice = VoiceSettings {
        base_url: Some(double.base.clone()),
        voice: Some("de-DE-KatjaNeural".to_owned()),
        speed: Some(1.5),
        ..VoiceSettings::default()
    };
    let edge = EdgeSpeech::new(&voice, &Vars::default());
    edge.speak(text, AudioFormat::Mp3, &CancellationToken::new()).await
}

#[tokio::test]
async fn the_handshake_and_the_messages_are_a_browsers() {
    let double = double(Act::Speak).await;
    assert_eq!(speak(&double, "1 < 2 & \u{1}so").await.unwrap(), b"one two;");
    let heard = double.heard.lock().unwrap();
    let query: Vec<(String, String)> =
        url::form_urlencoded::parse(heard.queries[0].as_bytes()).into_owned().collect();
    let names: Vec<&str> = query.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["TrustedClientToken", "ConnectionId", "Sec-MS-GEC", "Sec-MS-GEC-Version"]);
    assert_eq!(query[0].1, "6A5AA1D4EAFF4E9FB37E23D68491D6F4");
    assert!(query[1].1.len() == 32 && query[1].1.chars().all(|c| c.is_ascii_hexdigit()));
    assert!(tokens_around(0).contains(&query[2].1), "{query:?}");
    assert_eq!(query[3].1, "1-143.0.3650.75");
    let header = |name: &str| {
        let found = heard.headers[0].iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    };
    assert!(header("user-agent").contains("Chrome/143.0.0.0 Safari/537.36 Edg/143"));
    assert_eq!(header("origin"), "chrome-extension://jdiccldimpdaibmpdkjnbmckianbfold");
    assert_eq!((header("pragma"), header("cache-control")), ("no-cache".into(), "no-cache".into()));
    assert!(!header("accept-encoding").is_empty() && !header("accept-language").is_empty());
    let cookie = header("cookie");
    let id = cookie.strip_prefix("muid=").and_then(|rest| rest.strip_suffix(';')).unwrap();
    assert!(id.len() == 32 && id.chars().all(|c| c.is_ascii_digit() || ('A'..='F').contains(&c)));

    let (head, body) = heard.frames[0].split_once("\r\n\r\n").unwrap();
    let lines: Vec<&str> = head.split("\r\n").collect();
    assert!(
        lines[0].starts_with("X-Timestamp:") && lines[0].ends_with("(Coordinated Universal Time)")
    );
    assert_eq!(lines[1..], ["Content-Type:application/json; charset=utf-8", "Path:speech.config"]);
    let config: serde_json::Value = serde_json::from_str(body).unwrap();
    let audio = &config["context"]["synthesis"]["audio"];
    assert_eq!(audio["outputFormat"], "audio-24khz-48kbitrate-mono-mp3");
    assert!(audio["metadataoptions"]["wordBoundaryEnabled"].is_string());

    let (head, ssml) = heard.frames[1].split_once("\r\n\r\n").unwrap();
    let lines: Vec<&str> = head.split("\r\n").collect();
    assert!(lines[0].strip_prefix("X-RequestId:").is_some_and(|id| id.len() == 32));
    assert_eq!(lines[1], "Content-Type:application/ssml+xml");
    assert!(lines[2].starts_with("X-Timestamp:") && lines[2].ends_with("Time)Z"));
    assert_eq!(lines[3], "Path:ssml");
    let voice = "<voice name='Microsoft Server Speech Text to Speech Voice (de-DE, KatjaNeural)'>";
    assert!(ssml.contains(voice), "{ssml}");
    let prosody = "<prosody pitch='+0Hz' rate='+50%' volume='+0%'>1 &lt; 2 &amp;  so</prosody>";
    assert!(ssml.contains(prosody), "{ssml}");
}

#[tokio::test]
async fn a_long_text_has_one_connection_for_each_piece() {
    let double = double(Act::Speak).await;
    let sound = speak(&double, &"word ".repeat(1_000)).await.unwrap();
    assert_eq!(sound, b"one two;one two;");
    assert_eq!(double.heard.lock().unwrap().queries.len(), 2);
}

#[tokio::test]
async fn a_wrong_clock_is_set_right_by_the_service_once() {
    let ahead = double(Act::ClockAhead).await;
    assert_eq!(speak(&ahead, "hello").await.unwrap(), b"one two;");
    assert_eq!(ahead.heard.lock().unwrap().queries.len(), 2);
    let forbidden = double(Act::Forbid).await;
    let error = speak(&forbidden, "hello").await.unwrap_err();
    assert_eq!(error.kind(), "authentication");
    assert_eq!(forbidden.heard.lock().unwrap().queries.len(), 1);
}

#[tokio::test]
async fn failures_are_told_apart() {
    for (act, kind) in [
        (Act::Unavailable, "provider_error"),
        (Act::NoSound, "invalid_response"),
        (Act::HangUp, "connection"),
        (Act::BrokenFrame, "invalid_response"),
    ] {
        let double = double(act).await;
        let error = speak(&double, "hello").await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
    }
    let nobody = Double { base: "http://127.0.0.1:1".into(), heard: Arc::default() };
    let SpeechError::Service(error) = speak(&nobody, "hello").await.unwrap_err() else { panic!() };
    assert!(error.is_unreachable(), "{error}");
}

//! The socket that Discord tells of events over.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::Wire;
use super::events::{Channels, Habits, message_of, press_of};
use crate::adapter::{InboundEvent, Inbox, LinkError, Receiving, Socket, SocketEvent};

/// Guilds, messages there and alone, reactions, and what messages say.
const INTENTS: u64 = 1 | 512 | 1_024 | 4_096 | 32_768;
/// Where the stream goes on: session, sequence and address, as marks.
const SESSION: &str = "session";
const SEQUENCE: &str = "sequence";
const RESUME_AT: &str = "resume_at";

/// A stream we are part of.
struct Stream {
    socket: Socket,
    me: String,
    session: String,
    resume_at: String,
    sequence: u64,
    beat: Duration,
}

/// Logs in, or goes on where an earlier connection ended.
pub(super) async fn connect(
    wire: Arc<Wire>,
    habits: Habits,
    inbox: Inbox,
) -> Result<Receiving, LinkError> {
    let me = wire.get("/users/@me").await.map_err(refused)?;
    let me = me["id"].as_str().unwrap_or_default().to_owned();
    let session = inbox.mark(SESSION).await.filter(|session| !session.is_empty());
    let sequence = inbox.mark(SEQUENCE).await.and_then(|mark| mark.parse().ok()).unwrap_or(0);
    let address = match (&session, inbox.mark(RESUME_AT).await) {
        (Some(_), Some(address)) if !address.is_empty() => address,
        _ => {
            let found = wire.get("/gateway/bot").await.map_err(refused)?;
            found["url"].as_str().unwrap_or_default().to_owned()
        }
    };
    let whole = format!("{}/?v=10&encoding=json", address.trim_end_matches('/'));
    let opened = Socket::open(&wire.socket_http, &whole).await;
    let mut socket = match (opened, &session) {
        (Ok(socket), _) => socket,
        // The address to resume at may be gone with its server.
        (Err(error), Some(_)) => {
            forget(&inbox).await?;
            return Err(LinkError::retry(error.what));
        }
        (Err(error), None) => return Err(error.into()),
    };
    let hello = hear(&mut socket, Duration::from_secs(20)).await?;
    let beat = Duration::from_millis(hello["d"]["heartbeat_interval"].as_u64().unwrap_or(41_250));
    let login = match &session {
        Some(session) => json!({"op": 6, "d": {
            "token": wire.token, "session_id": session, "seq": sequence,
        }}),
        None => json!({"op": 2, "d": {
            "token": wire.token, "intents": INTENTS,
            "properties": {"os": std::env::consts::OS, "browser": "hermes", "device": "hermes"},
        }}),
    };
    socket.send(&login).await?;
    let mut stream = Stream {
        socket,
        me,
        session: session.clone().unwrap_or_default(),
        resume_at: address,
        sequence,
        beat,
    };
    if session.is_some() {
        // What was missed is replayed at once; that we were taken back shows in the first of it.
        return Ok(Box::pin(receive(stream, wire, habits, inbox)));
    }
    loop {
        let told = hear(&mut stream.socket, Duration::from_secs(30)).await?;
        stream.sequence = told["s"].as_u64().unwrap_or(stream.sequence);
        match (told["op"].as_u64(), told["t"].as_str()) {
            (Some(0), Some("READY")) => {
                let text = |name: &str| told["d"][name].as_str().unwrap_or_default().to_owned();
                (stream.session, stream.resume_at) =
                    (text("session_id"), text("resume_gateway_url"));
                inbox.accept(Vec::new(), &marks(&stream)).await?;
                return Ok(Box::pin(receive(stream, wire, habits, inbox)));
            }
            (Some(9), _) => return Err(LinkError::retry("Discord did not take the session")),
            _ => {}
        }
    }
}

fn marks(stream: &Stream) -> [(&'static str, String); 3] {
    [
        (SESSION, stream.session.clone()),
        (SEQUENCE, stream.sequence.to_string()),
        (RESUME_AT, stream.resume_at.clone()),
    ]
}

async fn forget(inbox: &Inbox) -> Result<(), LinkError> {
    let none = [(SESSION, String::new()), (RESUME_AT, String::new())];
    Ok(inbox.accept(Vec::new(), &none).await?)
}

async fn hear(socket: &mut Socket, silence: Duration) -> Result<Value, LinkError> {
    match socket.next(silence).await? {
        SocketEvent::Json(value) => Ok(value),
        SocketEvent::Closed(code) => Err(closed(code)),
    }
}

/// Why Discord has closed the socket.
fn closed(code: u16) -> LinkError {
    let what = format!("Discord has closed the connection ({code})");
    match code {
        4_004 => LinkError::fatal(
            what,
            "Discord does not know this token: make a new one on the bot's page and put it into \
             DISCORD_BOT_TOKEN.",
        ),
        4_013 | 4_014 => LinkError::fatal(
            what,
            "Switch on “Message Content Intent” on the bot's page in the developer portal.",
        ),
        4_010..=4_012 => LinkError::fatal(what, "This version of Hermes is too old for Discord."),
        _ => LinkError::retry(what),
    }
}

fn refused(error: crate::adapter::SendError) -> LinkError {
    use crate::adapter::SendClass;
    match error.class {
        SendClass::Forbidden => LinkError::fatal(
            error.what,
            "Make a new token on the bot's page and put it into DISCORD_BOT_TOKEN.",
        ),
        _ => LinkError::Retry { what: error.what, after: error.retry_after },
    }
}

/// Takes in events until the socket is lost.
async fn receive(mut stream: Stream, wire: Arc<Wire>, habits: Habits, inbox: Inbox) -> LinkError {
    let channels = Channels::default();
    // The first beat comes at a random moment, so that not all bots beat at once.
    let jitter = (hermes_store::clock::random() % 1_000) as f64 / 1_000.0;
    let mut next_beat = Instant::now() + stream.beat.mul_f64(jitter);
    let mut is_answered = true;
    loop {
        let told = tokio::select! {
            told = hear(&mut stream.socket, stream.beat * 3) => told,
            () = tokio::time::sleep_until(next_beat) => {
                if !is_answered {
                    return LinkError::retry("Discord does not answer");
                }
                is_answered = false;
                next_beat = Instant::now() + stream.beat;
                let beat = json!({"op": 1, "d": stream.sequence});
                match stream.socket.send(&beat).await {
                    Ok(()) => continue,
                    Err(error) => return error,
                }
            }
        };
        let told = match told {
            Ok(told) => told,
            Err(error @ LinkError::Fatal { .. }) => {
                let _ = forget(&inbox).await;
                return error;
            }
            Err(error) => return error,
        };
        match told["op"].as_u64() {
            Some(0) => {
                stream.sequence = told["s"].as_u64().unwrap_or(stream.sequence);
                let event = event_of(&told, &stream.me, &wire, &channels, &habits).await;
                if let Err(error) = inbox.accept(event.into_iter().collect(), &marks(&stream)).await
                {
                    return error.into();
                }
            }
            Some(1) => {
                if let Err(error) =
                    stream.socket.send(&json!({"op": 1, "d": stream.sequence})).await
                {
                    return error;
                }
            }
            Some(7) => return LinkError::retry("Discord asks us to connect anew"),
            Some(9) => {
                if told["d"] != true
                    && let Err(error) = forget(&inbox).await
                {
                    return error;
                }
                let pause = Duration::from_millis(1_000 + hermes_store::clock::random() % 2_000);
                return LinkError::Retry {
                    what: "the session has ended".to_owned(),
                    after: Some(pause),
                };
            }
            Some(11) => is_answered = true,
            _ => {}
        }
    }
}

async fn event_of(
    told: &Value,
    me: &str,
    wire: &Wire,
    channels: &Channels,
    habits: &Habits,
) -> Option<InboundEvent> {
    let data = &told["d"];
    let channel = match data["channel_id"].as_str().filter(|_| !data["guild_id"].is_null()) {
        Some(id) => channels.get(wire, id, me).await,
        None => Default::default(),
    };
    match told["t"].as_str()? {
        "MESSAGE_CREATE" => {
            let said = message_of(data, &channel, me, habits)?;
            Some(InboundEvent::Message(Box::new(said)))
        }
        "MESSAGE_UPDATE" => {
            let said = message_of(data, &channel, me, habits)?;
            let is_edit = !said.revision.is_empty();
            is_edit.then(|| InboundEvent::Edited(Box::new(said)))
        }
        "INTERACTION_CREATE" => press_of(data, &channel),
        _ => None,
    }
}

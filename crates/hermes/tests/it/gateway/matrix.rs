//! `hermes gateway run` on Matrix. The homeserver here knows what a bot asks of one; `scripts/test-chat matrix` uses a real one.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_testkit::{Board, Script, Seen, Step, WebReply, WebServer};
use serde_json::{Value, json};

use super::stage::Stage;

const OWNER: &str = "@ann:double";
const ROOM: &str = "!room:double";

#[derive(Default)]
struct Homeserver {
    board: Board,
    /// What happened, in order; the number of the first is 1.
    events: Mutex<Vec<Value>>,
    sent: Mutex<Vec<(String, String)>>,
    joined: Mutex<Vec<String>>,
    members: Mutex<usize>,
    refuse_sends: Mutex<usize>,
}

fn unescaped(text: &str) -> String {
    text.replace("%21", "!").replace("%3A", ":").replace("%40", "@").replace("%24", "$")
}

impl Homeserver {
    fn answer(&self, seen: &Seen) -> WebReply {
        if !seen.carries("matrix-token") {
            let refusal = json!({"errcode": "M_UNKNOWN_TOKEN", "error": "no"});
            return WebReply::json(&refusal).with_status(401);
        }
        let (path, query) = seen.path.split_once('?').unwrap_or((&seen.path, ""));
        let words: Vec<String> =
            path.trim_start_matches("/_matrix/client/v3/").split('/').map(unescaped).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["account", "whoami"] => WebReply::json(&json!({"user_id": "@hermes:double"})),
            ["sync"] => self.sync(query),
            ["join", room] => {
                self.joined.lock().unwrap().push((*room).to_owned());
                WebReply::json(&json!({"room_id": room}))
            }
            ["rooms", _, "joined_members"] => {
                let count = (*self.members.lock().unwrap()).max(2);
                let all: serde_json::Map<String, Value> =
                    (0..count).map(|at| (format!("@p{at}:double"), json!({}))).collect();
                WebReply::json(&json!({"joined": all}))
            }
            ["rooms", room, "send", kind, txn] => self.send(room, kind, txn, &seen.body),
            ["rooms", _, "typing", _] => WebReply::json(&json!({})),
            _ => WebReply::json(&json!({"errcode": "M_NOT_FOUND", "error": path})).with_status(404),
        }
    }

    fn send(&self, room: &str, kind: &str, txn: &str, body: &Value) -> WebReply {
        let mut refuse = self.refuse_sends.lock().unwrap();
        let mut sent = self.sent.lock().unwrap();
        let known = sent.iter().find(|(known, _)| known == txn).map(|(_, id)| id.clone());
        let id = known.unwrap_or_else(|| {
            let id = format!("$sent{}", sent.len());
            sent.push((txn.to_owned(), id.clone()));
            let text = body["body"].as_str().unwrap_or_default();
            if kind == "m.room.message" {
                match body["m.relates_to"]["event_id"]
                    .as_str()
                    .filter(|_| body["m.new_content"].is_object())
                {
                    Some(of) => {
                        let new = body["m.new_content"]["body"].as_str().unwrap_or_default();
                        self.board.edit(of, new, body);
                    }
                    None => self.board.put(room, &id, text, body),
                }
            }
            id
        });
        if *refuse > 0 {
            // It is stored, and the answer gets lost.
            *refuse -= 1;
            return WebReply::json(&json!({"event_id": id})).cut();
        }
        WebReply::json(&json!({"event_id": id}))
    }

    fn sync(&self, query: &str) -> WebReply {
        let since = query.split('&').find_map(|pair| pair.strip_prefix("since="));
        let since: usize = since.and_then(|mark| mark.parse().ok()).unwrap_or(0);
        let events = self.events.lock().unwrap().clone();
        let new: Vec<&Value> = events.iter().skip(since).collect();
        let mut body = json!({"next_batch": events.len().to_string(), "rooms": {}});
        let (invites, said): (Vec<&Value>, Vec<&Value>) =
            new.iter().partition(|event| event["invite"].is_string());
        for invite in invites {
            let from = &invite["sender"];
            body["rooms"]["invite"][invite["invite"].as_str().unwrap()] = json!({"invite_state":
                {"events": [{"type": "m.room.member", "state_key": "@hermes:double", "sender": from}]}});
        }
        if !said.is_empty() {
            body["rooms"]["join"][ROOM] = json!({"timeline": {"events": said, "limited": false}});
        }
        let wait = if new.is_empty() { Duration::from_millis(150) } else { Duration::ZERO };
        WebReply::json(&body).after(wait)
    }

    fn happen(&self, mut event: Value) -> String {
        let mut events = self.events.lock().unwrap();
        let id = format!("$event{}", events.len());
        event["event_id"] = json!(id);
        events.push(event);
        id
    }

    fn say(&self, who: &str, text: &str) -> String {
        self.happen(json!({"type": "m.room.message", "sender": who,
            "content": {"msgtype": "m.text", "body": text}}))
    }
}

fn scene(script: impl Into<Script>) -> (Stage, WebServer, Arc<Homeserver>) {
    let homeserver = Arc::new(Homeserver::default());
    let answering = Arc::clone(&homeserver);
    let server = WebServer::start(move |seen| answering.answer(seen));
    let env = format!(
        "MATRIX_HOMESERVER={}\nMATRIX_ACCESS_TOKEN=matrix-token\nMATRIX_ALLOWED_USERS={OWNER}\n",
        server.origin()
    );
    (Stage::new(script, "  matrix: {}\n", &env), server, homeserver)
}

#[test]
fn invitations_words_and_a_lost_answer() {
    let (mut stage, _server, matrix) = scene([Step::text("Hello **Ann**."), Step::text("Again.")]);
    matrix.say(OWNER, "said before the bot came");
    stage.start_until("matrix", "connected");
    matrix.happen(json!({"invite": "!strangers:double", "sender": "@evil:double"}));
    matrix.happen(json!({"invite": ROOM, "sender": OWNER}));
    stage.until("joined", || *matrix.joined.lock().unwrap() == [ROOM]);
    // What was sent and not confirmed is sent again, as the same.
    *matrix.refuse_sends.lock().unwrap() = 1;
    matrix.say(OWNER, "hello");
    let answer = matrix.board.wait_for_text(ROOM, "Hello **Ann**.");
    let html = answer.raw["formatted_body"]
        .as_str()
        .or(answer.raw["m.new_content"]["formatted_body"].as_str());
    assert!(html.unwrap().contains("<strong>Ann</strong>"), "{answer:?}");
    stage.kill();
    matrix.say(OWNER, "while nothing ran");
    stage.spawn();
    matrix.board.wait_for_text(ROOM, "Again.");
    assert_eq!(matrix.board.messages(ROOM).len(), 2, "{:?}", matrix.board.messages(ROOM));
    let asked = stage.model.questions();
    assert!(!asked[1].body.to_string().contains("said before the bot came"));
}

#[test]
fn a_reaction_of_the_asker_decides_and_of_nobody_else() {
    let (mut stage, _server, matrix) = scene([
        Step::call("terminal", json!({"command": "rm -rf /opt/hermes-double-nothing"})),
        Step::text("It was not allowed."),
    ]);
    stage.start_until("matrix", "connected");
    matrix.say(OWNER, "clean up");
    let question = matrix.board.wait_for_text(ROOM, "react with ✅ or ❎");
    assert!(question.text.contains("/opt/hermes-double-nothing"));
    let react = |who: &str, key: &str| {
        matrix.happen(json!({"type": "m.reaction", "sender": who, "content": {"m.relates_to":
            {"rel_type": "m.annotation", "event_id": question.id, "key": key}}}))
    };
    react("@evil:double", "✅");
    react(OWNER, "❎");
    matrix.board.wait_for_text(ROOM, "It was not allowed.");
    let is_settled = |all: &[hermes_testkit::BoardMessage]| {
        all.iter().any(|one| one.id == question.id && one.text.contains("denied"))
    };
    matrix.board.wait(ROOM, is_settled);
}

/// The beginning of an answer had arrived, the word of that was lost, and the whole was taken for a copy of it.
#[test]
fn a_beginning_that_got_lost_on_the_way_is_completed() {
    let long = "A long answer that is written slowly enough to be seen as it grows.";
    let slow = Step::text(long).chunk(8).chunk_delay(Duration::from_millis(250));
    let (mut stage, _server, matrix) = scene([slow]);
    stage.start_until("matrix", "connected");
    matrix.happen(json!({"invite": ROOM, "sender": OWNER}));
    stage.until("joined", || *matrix.joined.lock().unwrap() == [ROOM]);
    *matrix.refuse_sends.lock().unwrap() = 1;
    matrix.say(OWNER, "tell me");
    matrix.board.wait(ROOM, |all| all.iter().any(|one| one.text == long));
    assert_eq!(matrix.board.messages(ROOM).len(), 1, "{:?}", matrix.board.messages(ROOM));
}

//! Many faults in a row: nothing is lost, nothing is doubled in silence.

use hermes_testkit::{Match, Script, Step, TelegramFault};

use serde_json::json;

use super::{OWNER, Scene};

/// Faults in an ordinary run; `HERMES_GATEWAY_FAULTS=1000` makes it a long one.
const FAULTS: usize = 24;
/// What stands before a copy of what may be in the chat already.
const MARK: &str = "(recovered)";

/// The answer to the message of a round: each has its own, so that an answer that comes late counts for its own message.
fn answer_to(round: usize) -> String {
    format!("Noted {round}, and done.")
}

#[test]
fn answers_survive_kills_cuts_floods_and_repetitions() {
    let wanted = hermes_tool::Vars::from_process();
    let wanted =
        wanted.get("HERMES_GATEWAY_FAULTS").and_then(|text| text.parse().ok()).unwrap_or(FAULTS);
    // The newest first: where two messages were joined the later one is answered.
    let script = (0..wanted).rev().fold(Script::default(), |script, round| {
        let asked = Match::user(&format!("message {round}."));
        script.route(&format!("round {round}"), asked, [Step::text(answer_to(round))])
    });
    let mut scene = Scene::owned(script);
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = |most: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % most
    };
    let (mut marked, mut killed) = (0, 0);
    for round in 0..wanted {
        let before = scene.telegram.messages(OWNER).len();
        let method = if draw(2) == 0 { "sendMessage" } else { "editMessageText" };
        let mut comes_twice = false;
        match draw(7) {
            0 => scene.telegram.fault(method, TelegramFault::Flood(1)),
            1 => scene.telegram.fault("sendMessage", TelegramFault::CutAfter),
            2 => scene.telegram.fault(method, TelegramFault::Error(502)),
            3 => scene.telegram.fault("getUpdates", TelegramFault::CutBefore),
            4 => scene.telegram.fault("getUpdates", TelegramFault::CutAfter),
            5 => comes_twice = true,
            _ => {}
        }
        let is_killed = draw(5) == 0;
        let text = format!("message {round}.");
        let id = scene.telegram.say(OWNER, &text);
        if comes_twice {
            scene.telegram.repeat(&json!({"message": {
                "message_id": id, "date": 1, "text": text,
                "chat": {"id": OWNER, "type": "private"}, "from": {"id": OWNER, "first_name": "Ann"},
            }}));
        }
        killed += usize::from(is_killed);
        if is_killed {
            std::thread::sleep(std::time::Duration::from_millis(draw(300)));
            scene.kill();
            scene.start();
        }
        let answer = answer_to(round);
        scene
            .telegram
            .wait(OWNER, |all| all.iter().skip(before).any(|one| one.text.ends_with(&answer)));
    }
    // What came late shows itself before this is answered.
    scene.telegram.say(OWNER, "/version");
    scene.telegram.wait_for_text(OWNER, "hermes ");
    let all = scene.telegram.messages(OWNER);
    for round in 0..wanted {
        let answer = answer_to(round);
        let copies = all.iter().filter(|one| one.text.ends_with(&answer));
        let (copies, plain): (Vec<_>, Vec<_>) = copies.partition(|one| one.text.starts_with(MARK));
        marked += copies.len();
        assert!(plain.len() <= 1, "round {round}: doubled in silence: {plain:?}");
    }
    // One session all along, with every message in it.
    let asked = scene.model.requests().into_iter().rfind(hermes_testkit::Seen::is_question);
    let last = asked.unwrap().body.to_string();
    assert!(last.contains(&format!("message {}.", wanted - 1)), "{last}");
    let listed = scene.sandbox().run(["sessions", "list", "--json"]).exits(0).json();
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
    println!(
        "{wanted} rounds, {killed} kills: every message answered, {marked} copies marked as recovered"
    );
}

//! Talking with the agent in a page.

use std::io::{BufRead as _, BufReader};

use hermes_testkit::Step;
use serde_json::{Value, json};

use super::{Dash, HOSTILE};
use crate::wire::{Request, wait_until};

const SESSION: &str = "20260101_000000_00000000";
const DANGER: &str = "mkdir -p precious; rm -r precious; touch ran.mark";

impl Dash {
    /// What the script of the page does to say something.
    #[track_caller]
    fn says(&self, text: &str) -> Value {
        self.says_with(&json!({"text": text}))
    }

    #[track_caller]
    fn says_with(&self, body: &Value) -> Value {
        let (path, body) = (format!("/chat/{SESSION}/say"), body.to_string());
        let answer = self.server.send(&self.live(&path, body.as_bytes()));
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    fn live<'a>(&'a self, path: &'a str, body: &'a [u8]) -> Request<'a> {
        Request::post(path, body)
            .header("Cookie", self.cookie.clone())
            .header("Origin", format!("http://{}", self.server.authority))
            .header("X-Hermes-Form", self.form_token.clone())
    }

    /// The pieces of the turn from a place on, until one that is wanted; that one last.
    #[track_caller]
    fn pieces(&self, after: u64, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
        let path = format!("/chat/{SESSION}/events?after={after}");
        let request = Request::get(&path)
            .header("Cookie", self.cookie.clone())
            .header("Accept", "text/event-stream");
        let mut reader = BufReader::new(self.server.open(&request));
        let (mut line, mut pieces, mut number) = (String::new(), Vec::new(), 0_u64);
        loop {
            line.clear();
            assert!(reader.read_line(&mut line).unwrap() > 0, "it ended: {pieces:?}");
            if let Some(id) = line.strip_prefix("id: ") {
                number = id.trim().parse().unwrap();
            }
            if let Some(data) = line.strip_prefix("data: ") {
                let mut piece: Value = serde_json::from_str(data).unwrap();
                piece["number"] = number.into();
                pieces.push(piece);
                if wanted(pieces.last().unwrap()) {
                    return pieces;
                }
            }
        }
    }

    /// Says something, answers the one question that may come of it, and waits for the end.
    pub(crate) fn says_and_decides(&self, text: &str, choice: Option<&str>) {
        self.says(text);
        let mut after = 0;
        if let Some(choice) = choice {
            let asked = self.pieces(0, |piece| piece["kind"] == "question");
            let asked = asked.last().unwrap();
            let html = asked["html"].as_str().unwrap();
            let id = html.split("data-question=\"").nth(1).unwrap().split('"').next().unwrap();
            self.does(&format!("/questions/{id}"), &[("choice", choice)]);
            after = asked["number"].as_u64().unwrap();
        }
        self.pieces(after, ends);
    }

    fn transcript(&self) -> String {
        self.get(&format!("/chat/{SESSION}/transcript")).body
    }
}

fn ends(piece: &Value) -> bool {
    piece["kind"] == "end"
}

#[test]
fn a_turn_is_told_piece_by_piece_and_recorded() {
    let dash = Dash::start([
        Step::text("I look.").and_call("todo", json!({})),
        Step::text("**All** done."),
        Step::text("Again."),
    ]);
    dash.says("look around");
    let pieces = dash.pieces(0, ends);
    let kinds: Vec<&str> = pieces.iter().filter_map(|piece| piece["kind"].as_str()).collect();
    for kind in ["user", "text", "tool", "end"] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    let page = dash.get(&format!("/chat/{SESSION}")).body;
    assert!(page.contains("look around") && page.contains("<strong>All</strong> done."), "{page}");
    assert_eq!(dash.transcript().matches("look around").count(), 1);
    assert!(dash.get("/sessions").body.contains("look around"));
    // A page that was there before hears of the next turn, and of nothing twice.
    let last = pieces.last().unwrap()["number"].as_u64().unwrap();
    dash.says("and again");
    let more = dash.pieces(last, ends);
    assert!(!more.iter().any(|piece| piece["html"].as_str().unwrap().contains("look around")));
    assert!(dash.transcript().contains("Again."));
}

#[test]
fn a_second_tab_and_a_reload_see_the_same() {
    let dash = Dash::start([Step::text("one ").and_call("todo", json!({})), Step::text("two")]);
    dash.says("go");
    let first = dash.pieces(0, ends);
    let second = dash.pieces(0, ends);
    let shown = |pieces: &[Value]| -> Vec<(u64, String)> {
        let mut last: std::collections::BTreeMap<u64, String> = Default::default();
        for piece in pieces {
            last.insert(piece["id"].as_u64().unwrap(), piece["html"].as_str().unwrap().to_owned());
        }
        last.into_iter().collect()
    };
    assert_eq!(shown(&first), shown(&second));
}

#[test]
fn a_command_waits_for_the_answer_to_its_own_question() {
    let call = || Step::call("terminal", json!({"command": DANGER}));
    let dash = Dash::with(
        [call(), Step::text("It is gone."), call(), Step::text("I was not allowed to.")],
        "approvals:\n  mode: manual\n",
    );
    let is_question = |piece: &Value| {
        piece["kind"] == "question" && piece["html"].as_str().unwrap().contains("data-question")
    };
    let id_of = |pieces: &[Value]| {
        let html = pieces.last().unwrap()["html"].as_str().unwrap().to_owned();
        html.split("data-question=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    dash.says("clean up");
    let asked = dash.pieces(0, is_question);
    let id = id_of(&asked);
    assert!(asked.last().unwrap()["html"].as_str().unwrap().contains("rm -r precious"));
    let page = dash.get("/approvals").body;
    assert!(page.contains(&id) && page.contains("rm -r precious"), "{page}");
    assert_eq!(dash.get("/api/waiting").json()["waiting"], 1);
    assert!(!dash.sandbox.scratch("ran.mark").exists());
    let wrong = dash.submit(&format!("/questions/{}", "0".repeat(16)), &[("choice", "once")]);
    assert_eq!(wrong.status, 409);
    let wider = dash.submit(&format!("/questions/{id}"), &[("choice", "forever")]);
    assert_eq!(wider.status, 409);
    assert!(dash.does(&format!("/questions/{id}"), &[("choice", "once")]).contains("Allow once"));
    let done = dash.pieces(asked.last().unwrap()["number"].as_u64().unwrap(), ends);
    let again = dash.submit(&format!("/questions/{id}"), &[("choice", "deny")]);
    assert_eq!(again.status, 409, "settled");
    let last = done.last().unwrap()["number"].as_u64().unwrap();
    dash.says("once more");
    let asked = dash.pieces(last, is_question);
    let second = id_of(&asked);
    assert_ne!(second, id);
    dash.does(&format!("/questions/{second}"), &[("choice", "deny")]);
    dash.pieces(asked.last().unwrap()["number"].as_u64().unwrap(), ends);
    assert!(dash.transcript().contains("I was not allowed to."));
    assert_eq!(dash.get("/api/waiting").json()["waiting"], 0);
    let settled = dash.get("/approvals").body;
    assert!(settled.contains("Allow once") && settled.contains("Deny"), "{settled}");
}

#[test]
fn a_turn_is_stopped_and_what_waits_goes_with_it() {
    let dash = Dash::start([Step::call("terminal", json!({"command": "sleep 600"}))]);
    dash.says("wait");
    dash.pieces(0, |piece| piece["kind"] == "tool");
    assert_eq!(dash.says("then this")["waits"], true);
    let path = format!("/chat/{SESSION}/stop");
    assert_eq!(dash.server.send(&dash.live(&path, b"")).status, 200);
    let pieces = dash.pieces(0, ends);
    assert!(pieces.last().unwrap()["html"].as_str().unwrap().contains("Stopped"));
    wait_until("the rest", || dash.get("/api/waiting").json()["at_work"] == 0);
    assert_eq!(dash.model.questions().len(), 1);
}

#[test]
fn hostile_words_of_model_tool_and_person_stay_words() {
    let call = Step::text(HOSTILE)
        .and_call("terminal", json!({"command": format!("echo '{}'", HOSTILE.replace('\'', ""))}));
    let dash = Dash::start([call, Step::text(format!("[x](javascript:alert(1)) {HOSTILE}"))]);
    dash.says(HOSTILE);
    let pieces = dash.pieces(0, ends);
    let live: String = pieces.iter().filter_map(|piece| piece["html"].as_str()).collect();
    dash.does(&format!("/sessions/{SESSION}/rename"), &[("title", "<script>alert(1)</script>")]);
    for (what, html) in [
        ("live", live),
        ("transcript", dash.transcript()),
        ("session", dash.get(&format!("/sessions/{SESSION}")).body),
        ("chat", dash.get(&format!("/chat/{SESSION}")).body),
        ("sessions", dash.get("/sessions").body),
        ("overview", dash.get("/").body),
        ("search", dash.get("/sessions?q=alert").body),
    ] {
        assert!(html.contains("&lt;script&gt;"), "{what} shows it: {html}");
        for bad in ["<script>alert", "<img src=x", "<svg onload", "href=\"javascript"] {
            assert!(!html.contains(bad), "{what}: {bad}");
        }
    }
}

#[test]
fn pictures_go_to_the_model_and_nothing_else_does_as_one() {
    let dash = Dash::start([Step::text("A dot.")]);
    let dot = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    for bad in [
        "https://example.org/a.png",
        "data:text/html;base64,AAAA",
        "data:image/svg+xml;base64,AAAA",
    ] {
        let path = format!("/chat/{SESSION}/say");
        let body = json!({"text": "what is it?", "pictures": [bad]}).to_string();
        assert_eq!(dash.server.send(&dash.live(&path, body.as_bytes())).status, 400, "{bad}");
    }
    dash.says_with(&json!({"text": "what is it?", "pictures": [dot]}));
    dash.pieces(0, ends);
    assert!(dash.model.questions()[0].body.to_string().contains("iVBORw0KGgo"));
    assert!(dash.transcript().contains("<img class=\"picture\" src=\"data:image"));
}

#[test]
fn a_dashboard_without_a_model_says_so_in_the_chat() {
    let model = hermes_testkit::ModelServer::start([Step::text("never")]);
    let sandbox =
        crate::support::Sandbox::with_config("model:\n  provider: openrouter\n  default: x/y\n");
    let dash = Dash::in_sandbox(sandbox, model);
    dash.says("hello?");
    let pieces = dash.pieces(0, ends);
    let last = pieces.last().unwrap()["html"].as_str().unwrap().to_owned();
    assert!(last.contains("failed") && last.contains("OPENROUTER_API_KEY"), "{last}");
}

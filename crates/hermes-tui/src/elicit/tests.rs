use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use hermes_mcp::client::elicitation::{Form, FormReply, PageConsent, PageRequest};
use serde_json::{Value, json};

use super::*;

/// Types these lines, one at each question, and then is gone.
struct Typing {
    lines: Mutex<VecDeque<&'static str>>,
    asked: Mutex<Vec<LineQuestion>>,
}

impl Typing {
    fn new(lines: &[&'static str]) -> Self {
        Self { lines: Mutex::new(lines.iter().copied().collect()), asked: Mutex::default() }
    }

    fn screen(&self) -> String {
        let asked = self.asked.lock().unwrap();
        let rows = asked.iter().flat_map(|one| {
            one.statement.iter().cloned().chain([format!("{}⏎", one.prompt)]).collect::<Vec<_>>()
        });
        rows.collect::<Vec<_>>().join("\n")
    }
}

impl LinePrompter for Typing {
    fn line(&self, asked: LineQuestion) -> BoxFuture<Option<String>> {
        self.asked.lock().unwrap().push(asked);
        let line = self.lines.lock().unwrap().pop_front().map(str::to_owned);
        Box::pin(async { line })
    }
}

fn form() -> Form {
    let schema = json!({"type": "object", "properties": {
        "name": {"type": "string", "title": "Your name", "description": "As on the badge."},
        "size": {"type": "string", "oneOf": [
            {"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}], "default": "l"},
        "word": {"type": "string", "format": "password"},
    }, "required": ["name"]});
    let params = json!({"message": "A shirt\u{1b}[2J?", "requestedSchema": schema});
    Form::read("shop", &params, Duration::from_secs(60)).unwrap()
}

async fn play(lines: &[&'static str]) -> (FormReply, String) {
    let typing = Typing::new(lines);
    let reply = fill(&typing, form()).await;
    (reply, typing.screen())
}

fn accepted(value: &Value) -> FormReply {
    FormReply::Accepted(value.as_object().unwrap().clone())
}

#[tokio::test]
async fn fields_are_asked_one_by_one_and_the_whole_is_shown_before_it_is_sent() {
    let (reply, screen) = play(&["Ada", "", "hush", "y"]).await;
    assert_eq!(reply, accepted(&json!({"name": "Ada", "word": "hush"})));
    let expected = "\
? shop asks:
  A shirt?
  (Enter takes what is in brackets; /decline says no, /cancel leaves.)
  As on the badge.
Your name (text): ⏎
    1. Small (s)
    2. Large (l)
size (one of these, optional) [l]: ⏎
word (password, optional): ⏎
  Your name: Ada
  size: l
  word: •••
Send this to shop? [y]es, [e]dit, [d]ecline: ⏎";
    assert_eq!(screen, expected);
}

#[tokio::test]
async fn what_does_not_fit_is_asked_again() {
    let (reply, screen) = play(&["", "Ada", "medium", "1", "", "y"]).await;
    assert_eq!(reply, accepted(&json!({"name": "Ada", "size": "s"})));
    assert!(screen.contains("This one is needed.") && screen.contains("not one of the choices"));
}

#[tokio::test]
async fn values_can_be_edited_before_they_are_sent() {
    let (reply, screen) = play(&["Ada", "s", "", "e", "Bea", "", "", "yes"]).await;
    assert_eq!(reply, accepted(&json!({"name": "Bea", "size": "s"})));
    assert!(screen.contains("Your name (text) [Ada]: "), "{screen}");
}

#[tokio::test]
async fn only_a_clear_yes_sends_anything() {
    assert_eq!(play(&["/decline"]).await.0, FormReply::Declined);
    assert_eq!(play(&["Ada", "/cancel"]).await.0, FormReply::Cancelled);
    assert_eq!(play(&["Ada", "", "", "d"]).await.0, FormReply::Declined);
    assert_eq!(
        play(&["Ada", "", "", ""]).await.0,
        FormReply::Cancelled,
        "gone after an empty line"
    );
    assert_eq!(play(&[]).await.0, FormReply::Cancelled);
}

#[tokio::test]
async fn a_secret_is_asked_for_unseen() {
    let typing = Typing::new(&["Ada", "", "hush", "y"]);
    fill(&typing, form()).await;
    let echoes: Vec<EchoMode> = typing.asked.lock().unwrap().iter().map(|one| one.echo).collect();
    assert_eq!(echoes, [EchoMode::Seen, EchoMode::Seen, EchoMode::Unseen, EchoMode::Seen]);
}

#[tokio::test]
async fn a_page_is_shown_with_its_host_and_enter_means_no() {
    let page = || PageRequest {
        server: "shop".to_owned(),
        message: "Please pay.".to_owned(),
        url: "https://pay.example.com/x".parse().unwrap(),
        host: "pay.example.com".to_owned(),
        timeout: Duration::from_secs(60),
    };
    for (lines, consent) in [
        (&["y"][..], PageConsent::Given),
        (&[""], PageConsent::Declined),
        (&["what?"], PageConsent::Declined),
        (&[], PageConsent::Cancelled),
    ] {
        let typing = Typing::new(lines);
        assert_eq!(visit(&typing, page()).await, consent);
        assert!(typing.screen().contains("belongs to pay.example.com"));
    }
}

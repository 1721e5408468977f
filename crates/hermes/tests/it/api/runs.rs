//! `/v1/runs`: turns that nobody waits for.

use std::io::{BufRead as _, BufReader};

use hermes_testkit::Step;
use serde_json::{Value, json};

use super::{Api, events};
use crate::wire::{Request, pid_in, wait_until, wait_until_gone};

impl Api {
    pub(crate) fn start_run(&self, body: &Value) -> String {
        let answer = self.post("/v1/runs", body);
        assert_eq!(answer.status, 202, "{answer:?}");
        answer.json()["run_id"].as_str().unwrap().to_owned()
    }

    /// Waits until a run stands so.
    pub(crate) fn until(&self, run: &str, status: &str) -> Value {
        let mut report = Value::Null;
        wait_until(&format!("{run} is {status}"), || {
            report = self.get(&format!("/v1/runs/{run}")).json();
            report["status"] == status
        });
        report
    }

    fn run_events(&self, run: &str, query: &str) -> Vec<(u64, Value)> {
        let answer = self.get(&format!("/v1/runs/{run}/events{query}"));
        let told = events(&answer.body).into_iter();
        told.map(|(_, id, data)| (id.parse().unwrap(), serde_json::from_str(&data).unwrap()))
            .collect()
    }
}

const DANGER: &str = "mkdir -p precious; rm -r precious; touch ran.mark";

#[test]
fn a_run_goes_on_alone_and_its_events_can_be_read_again() {
    let api =
        Api::start([Step::text("I look.").and_call("todo", json!({})), Step::text("All done.")]);
    let run = api.start_run(&json!({"input": "look"}));
    let report = api.until(&run, "completed");
    assert_eq!(report["output"], "All done.");
    assert!(report["usage"]["total_tokens"].as_u64().unwrap() > 0);
    let all = api.run_events(&run, "");
    let names: Vec<&str> = all.iter().map(|(_, event)| event["event"].as_str().unwrap()).collect();
    for name in ["message.delta", "tool.started", "tool.completed", "run.completed"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert_eq!(all, api.run_events(&run, ""), "as often as somebody likes");
    let middle = all[1].0;
    assert_eq!(api.run_events(&run, &format!("?after={middle}")), all[2..]);
    let path = format!("/v1/runs/{run}/events");
    let again = Request::get(&path).token(&api.key).header("Last-Event-ID", middle.to_string());
    assert_eq!(events(&api.server.send(&again).body).len(), all.len() - 2);
    assert_eq!(api.get("/v1/runs/run_nothing").code(), "run_not_found");
}

#[test]
fn a_question_about_a_command_is_answered_by_its_id() {
    let call = || Step::call("terminal", json!({"command": DANGER}));
    let api = Api::with(
        [call(), Step::text("It is gone."), call(), Step::text("I was not allowed to.")],
        "approvals:\n  mode: manual\n",
    );
    let run = api.start_run(&json!({"input": "clean up"}));
    // A reader that is there from the beginning sees the question come.
    let path = format!("/v1/runs/{run}/events");
    let mut reader = BufReader::new(api.server.open(&Request::get(&path).token(&api.key)));
    let mut line = String::new();
    let question: Value = loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        if let Some(data) =
            line.strip_prefix("data: ").filter(|data| data.contains("approval.request"))
        {
            break serde_json::from_str(data).unwrap();
        }
    };
    assert_eq!(question["command"], DANGER);
    assert!(question["choices"].as_array().unwrap().contains(&json!("session")));
    assert_eq!(
        api.until(&run, "waiting_for_approval")["pending_approvals"],
        json!([question["approval_id"]])
    );
    let answer = |body: Value| {
        let answer = api.post(&format!("/v1/runs/{run}/approval"), &body);
        (answer.status, answer.json()["error"]["code"].as_str().unwrap_or_default().to_owned())
    };
    let id = &question["approval_id"];
    assert_eq!(answer(json!({"choice": "once"})), (400, "missing_approval_id".to_owned()));
    assert_eq!(
        answer(json!({"approval_id": "appr_other", "choice": "once"})),
        (409, "approval_not_pending".to_owned())
    );
    assert_eq!(
        answer(json!({"approval_id": id, "choice": "maybe"})),
        (400, "invalid_approval_choice".to_owned())
    );
    assert!(!api.sandbox.scratch("ran.mark").exists());
    assert_eq!(answer(json!({"approval_id": id, "choice": "once"})).0, 200);
    api.until(&run, "completed");
    assert!(api.sandbox.scratch("ran.mark").exists());
    assert_eq!(
        answer(json!({"approval_id": id, "choice": "once"})),
        (409, "approval_not_pending".to_owned())
    );
    std::fs::remove_file(api.sandbox.scratch("ran.mark")).unwrap();
    // No is no, and `all` answers whatever waits.
    let run = api.start_run(&json!({"input": "clean up again"}));
    api.until(&run, "waiting_for_approval");
    let denied =
        api.post(&format!("/v1/runs/{run}/approval"), &json!({"all": true, "choice": "deny"}));
    assert_eq!(denied.json()["resolved"].as_array().unwrap().len(), 1, "{denied:?}");
    api.until(&run, "completed");
    assert!(!api.sandbox.scratch("ran.mark").exists());
}

#[test]
fn stopping_a_run_ends_its_command() {
    let command = "echo $$ > pid.txt; exec sleep 300";
    let api =
        Api::start([Step::call("terminal", json!({"command": command})), Step::text("never")]);
    let run = api.start_run(&json!({"input": "wait"}));
    let pid = pid_in(&api.sandbox.scratch("pid.txt"));
    assert_eq!(api.post(&format!("/v1/runs/{run}/stop"), &json!({})).json()["status"], "stopping");
    wait_until_gone(pid);
    api.until(&run, "cancelled");
    let last = api.run_events(&run, "").pop().unwrap().1;
    assert_eq!(last["event"], "run.cancelled");
}

#[test]
fn a_run_takes_history_pictures_and_instructions_along() {
    let api = Api::start([Step::text("A dot.")]);
    let picture = "data:image/png;base64,iVBORw0KGgo=";
    let run = api.start_run(&json!({
        "input": [{"role": "user", "content": [
            {"type": "input_text", "text": "what is it?"}, {"type": "input_image", "image_url": picture}]}],
        "instructions": "Be exact.",
        "conversation_history": [{"role": "user", "content": "earlier"}, {"role": "assistant", "content": "reply"}],
    }));
    api.until(&run, "completed");
    let asked = api.asked(0)["messages"].to_string();
    for part in [picture, "Be exact.", "earlier", "reply", "what is it?"] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
    let failed = api.post("/v1/runs", &json!({"input": "x", "session_id": "nobody"}));
    assert_eq!((failed.status, failed.code().as_str()), (404, "session_not_found"));
}

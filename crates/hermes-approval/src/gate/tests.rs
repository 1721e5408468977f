//! The gate with scripted people, models and scanners.

mod asking;
mod order;
mod others;
mod smart;

use std::collections::VecDeque;
use std::sync::Mutex;

use hermes_guard::command::{CommandContext, analyse};
use hermes_tool::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::ask::{ApprovalQuestion, AskEvent};
use crate::review::ReviewPrompt;
use crate::scanner::ScanReport;
use crate::settings::ApprovalSettings;

const DELETE: &str = "rm -r build";
const FORCE_PUSH: &str = "git push --force";
const FLOOR: &str = "rm -rf /";

/// The category of a command that has one.
fn category(command: &str) -> String {
    analyse(command, &CommandContext::default()).findings[0].category.to_owned()
}

fn settings(config: &Value) -> ApprovalSettings {
    ApprovalSettings::read(config, &hermes_tool::Vars::default()).0
}

fn manual() -> ApprovalSettings {
    settings(&json!({"approvals": {"mode": "manual"}}))
}

fn request(command: &str, audience: Audience) -> CommandRequest {
    CommandRequest { session: "s".to_owned(), audience, ..CommandRequest::new(command) }
}

/// A person who gives these answers, and then none.
#[derive(Default)]
struct Person {
    answers: Mutex<VecDeque<ApprovalAnswer>>,
    asked: Mutex<Vec<ApprovalQuestion>>,
}

impl Person {
    fn saying(answers: impl IntoIterator<Item = ApprovalAnswer>) -> Arc<Self> {
        let answers = Mutex::new(answers.into_iter().collect());
        Arc::new(Self { answers, asked: Mutex::default() })
    }

    fn times_asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    fn last_question(&self) -> ApprovalQuestion {
        self.asked.lock().unwrap().last().unwrap().clone()
    }
}

impl ApprovalPrompter for Person {
    fn ask(&self, question: ApprovalQuestion) -> BoxFuture<ApprovalAnswer> {
        self.asked.lock().unwrap().push(question);
        let answer = self.answers.lock().unwrap().pop_front();
        Box::pin(async move {
            match answer {
                Some(answer) => answer,
                None => std::future::pending().await,
            }
        })
    }
}

/// A model that always says the same, or fails.
struct Model {
    says: Result<&'static str, &'static str>,
    asked: Mutex<Vec<ReviewPrompt>>,
}

impl Model {
    fn saying(says: &'static str) -> Arc<Self> {
        Arc::new(Self { says: Ok(says), asked: Mutex::default() })
    }

    fn failing() -> Arc<Self> {
        Arc::new(Self { says: Err("no key"), asked: Mutex::default() })
    }

    fn times_asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl Reviewer for Model {
    fn review(&self, prompt: ReviewPrompt) -> BoxFuture<Result<String, String>> {
        self.asked.lock().unwrap().push(prompt);
        let says = self.says.map(str::to_owned).map_err(str::to_owned);
        Box::pin(async { says })
    }
}

/// A scanner that objects to everything.
struct Objector;

impl CommandScanner for Objector {
    fn scan(&self, _: &str, _: CancellationToken) -> BoxFuture<ScanReport> {
        let (rules, summary) = (vec!["odd_url".to_owned()], "an odd address".to_owned());
        Box::pin(async { ScanReport { objects: true, rules, summary } })
    }
}

/// Somebody who writes down what is asked and answered.
#[derive(Default)]
struct Witness(Mutex<Vec<String>>);

impl Observer for Witness {
    fn before_asking(&self, event: AskEvent) -> BoxFuture<()> {
        self.0.lock().unwrap().push(format!("{}?", event.surface.name()));
        Box::pin(async {})
    }

    fn after_answer(&self, event: AskEvent, choice: &'static str) -> BoxFuture<()> {
        self.0.lock().unwrap().push(format!("{}: {choice}", event.surface.name()));
        Box::pin(async {})
    }
}

/// Who let a command through, or the name of what kept it.
async fn end(approvals: &Approvals, request: CommandRequest) -> String {
    match approvals.admit(request).await {
        Ok(line) => line.grant().by.name().to_owned(),
        Err(refusal) => format!("no: {}", refusal.reason().name()),
    }
}

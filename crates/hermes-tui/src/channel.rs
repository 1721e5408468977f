//! How an agent reaches the chat: what happens goes one way, questions go there and back.
//!
//! [`ChatSender::pair`] makes both ends before there is an agent. The agent's end gives everything an
//! agent can be built with: a front end that is told events, and askers for commands and calls that
//! need a person's word. The chat's end is a queue that holds all of it in order.

use std::sync::Arc;
use std::time::Instant;

use hermes_approval::{ApprovalAnswer, ApprovalPrompter, AskPatience};
use hermes_llm::model::BoxFuture;
use hermes_mcp::client::elicitation::{Form, FormReply, PageConsent, PageRequest, Person};
use hermes_protocol::approval::{ApprovalPrompt, choice, decision};
use hermes_protocol::{AgentEvent, Confirmed, FrontEnd, Notification};
use hermes_runtime::approval::{ApprovalRequest, Approver, Decision};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use crate::elicit::{self, LinePrompter, LineQuestion};

/// Something for the chat.
#[derive(Debug)]
pub enum ChatEvent {
    /// Something happened.
    Event(AgentEvent),
    /// Somebody is asked.
    Question(ChatQuestion),
    /// Something happened beside the conversation.
    Notification(Notification),
    /// A plugin wants something said.
    InjectedInput(String),
}

/// Something the person is asked. Whoever asked gives up by dropping the other end of `answer`.
#[derive(Debug)]
pub struct ChatQuestion {
    /// What it is about.
    pub subject: QuestionKind,
    /// When the asker gives up.
    pub until: Option<Instant>,
    /// Where the answer goes.
    pub answer: oneshot::Sender<UserAnswer>,
}

/// What a question is about.
#[derive(Debug)]
pub enum QuestionKind {
    /// May something run?
    Approval(ApprovalPrompt),
    /// The agent wants to know something.
    Clarify {
        /// In the agent's words.
        question: String,
        /// Answers to choose from; own words are always possible.
        choices: Vec<String>,
    },
    /// A server of tools wants one line of a form.
    Line(LineQuestion),
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserAnswer {
    /// These words.
    Text(String),
    /// The person does not want to answer.
    Refused,
    /// No, and what to do instead, in the person's words.
    RefusedBecause(String),
}

/// The agent's end.
#[derive(Clone, Debug)]
pub struct ChatSender(UnboundedSender<ChatEvent>);

/// The chat's end.
pub type ChatReceiver = UnboundedReceiver<ChatEvent>;

impl ChatSender {
    /// Both ends.
    pub fn pair() -> (Self, ChatReceiver) {
        let (sender, receiver) = unbounded_channel();
        (Self(sender), receiver)
    }

    /// Watches turns for the chat.
    pub fn front(&self) -> Arc<dyn FrontEnd> {
        Arc::new(self.clone())
    }

    /// Asks about commands.
    pub fn asker(&self) -> Arc<dyn ApprovalPrompter> {
        Arc::new(self.clone())
    }

    /// Asks about calls that a plugin's rule has stopped.
    pub fn approver(&self) -> Arc<dyn Approver> {
        Arc::new(self.clone())
    }

    /// Has something said in the person's place, as the next message; whether a chat still listens.
    pub fn inject(&self, words: String) -> bool {
        self.0.send(ChatEvent::InjectedInput(words)).is_ok()
    }

    /// Answers the questions of MCP servers.
    pub fn person(&self) -> Arc<dyn Person> {
        Arc::new(self.clone())
    }

    /// Puts a question and waits; `None` if there is no chat any more.
    async fn put(&self, subject: QuestionKind, until: Option<Instant>) -> Option<UserAnswer> {
        let (answer, given) = oneshot::channel();
        self.0.send(ChatEvent::Question(ChatQuestion { subject, until, answer })).ok()?;
        given.await.ok()
    }

    /// Asks whether something may run. Whoever sits at the terminal may take their time: nothing happens meanwhile, and
    /// a question that vanished would be a refusal nobody made.
    async fn put_approval(&self, prompt: ApprovalPrompt) -> ApprovalAnswer {
        match self.put(QuestionKind::Approval(prompt), None).await {
            None => ApprovalAnswer::NobodyThere,
            Some(UserAnswer::Text(words)) => choice(&words),
            Some(UserAnswer::Refused) => ApprovalAnswer::no(),
            Some(UserAnswer::RefusedBecause(words)) => ApprovalAnswer::Denied {
                reason: Some(words).filter(|words| !words.trim().is_empty()),
            },
        }
    }
}

impl FrontEnd for ChatSender {
    fn on_event(&self, event: AgentEvent) {
        // A chat that has ended does not listen.
        let _ = self.0.send(ChatEvent::Event(event));
    }

    fn notify(&self, notification: Notification) {
        let _ = self.0.send(ChatEvent::Notification(notification));
    }

    fn clarify<'a>(
        &'a self,
        question: &'a str,
        choices: &'a [String],
    ) -> BoxFuture<'a, Option<String>> {
        let subject =
            QuestionKind::Clarify { question: question.to_owned(), choices: choices.to_vec() };
        Box::pin(async move {
            match self.put(subject, None).await {
                Some(UserAnswer::Text(words)) => Some(words),
                Some(UserAnswer::Refused | UserAnswer::RefusedBecause(_)) | None => None,
            }
        })
    }

    fn confirm<'a>(&'a self, question: &'a str) -> BoxFuture<'a, Confirmed> {
        let choices = [SAVE, LATER, NEVER].map(str::to_owned).to_vec();
        let subject = QuestionKind::Clarify { question: question.to_owned(), choices };
        Box::pin(async move {
            match self.put(subject, None).await {
                Some(UserAnswer::Text(words)) => confirmed(&words),
                Some(UserAnswer::Refused | UserAnswer::RefusedBecause(_)) | None => {
                    Confirmed::NoAnswer
                }
            }
        })
    }
}

/// The choices where something is to be kept.
const SAVE: &str = "Save it";
const LATER: &str = "Let it wait (/memory pending)";
const NEVER: &str = "Do not save it";

/// What an answer to such a question means. Own words are a no with its reason.
fn confirmed(words: &str) -> Confirmed {
    match words.trim() {
        SAVE | "y" | "yes" | "Y" | "Yes" => Confirmed::Yes,
        LATER => Confirmed::NoAnswer,
        NEVER | "n" | "no" | "N" | "No" => Confirmed::No { reason: None },
        reason => Confirmed::No { reason: Some(reason.to_owned()) },
    }
}

impl ApprovalPrompter for ChatSender {
    fn patience(&self) -> AskPatience {
        AskPatience::UntilAnswered
    }

    fn ask(
        &self,
        question: hermes_approval::ApprovalQuestion,
    ) -> hermes_tool::BoxFuture<ApprovalAnswer> {
        let sender = self.clone();
        Box::pin(async move {
            let prompt = ApprovalPrompt::about_command(&question);
            let asked = sender.put_approval(prompt);
            question
                .cancellation
                .run_until_cancelled(asked)
                .await
                .unwrap_or_else(ApprovalAnswer::no)
        })
    }
}

impl Approver for ChatSender {
    fn ask(&self, request: ApprovalRequest) -> hermes_tool::BoxFuture<Decision> {
        let sender = self.clone();
        Box::pin(async move {
            decision(&sender.put_approval(ApprovalPrompt::about_call(&request)).await)
        })
    }
}

impl LinePrompter for ChatSender {
    fn line(&self, asked: LineQuestion) -> hermes_tool::BoxFuture<Option<String>> {
        let sender = self.clone();
        Box::pin(async move {
            let until = asked.until;
            let given = sender.put(QuestionKind::Line(asked), Some(until));
            match tokio::time::timeout_at(until.into(), given).await {
                Ok(Some(UserAnswer::Text(words))) => Some(words),
                Ok(Some(UserAnswer::Refused | UserAnswer::RefusedBecause(_)) | None) | Err(_) => {
                    None
                }
            }
        })
    }
}

impl Person for ChatSender {
    fn fill(&self, form: Form) -> hermes_tool::BoxFuture<FormReply> {
        let sender = self.clone();
        Box::pin(async move { elicit::fill(&sender, form).await })
    }

    fn visit(&self, page: PageRequest) -> hermes_tool::BoxFuture<PageConsent> {
        let sender = self.clone();
        Box::pin(async move { elicit::visit(&sender, page).await })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_yes_saves() {
        assert_eq!(confirmed(" yes "), Confirmed::Yes);
        assert_eq!(confirmed(SAVE), Confirmed::Yes);
        assert_eq!(confirmed(LATER), Confirmed::NoAnswer);
        assert_eq!(confirmed("no"), Confirmed::No { reason: None });
        let reason = Some("that is wrong".to_owned());
        assert_eq!(confirmed("that is wrong"), Confirmed::No { reason });
    }
}

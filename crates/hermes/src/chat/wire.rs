//! How an agent reaches the chat: what happens goes one way, questions go there and back.
//!
//! [`Wire::pair`] makes both ends before there is an agent. The agent's end gives everything an
//! agent can be built with: a front end that is told events, and askers for commands and calls that
//! need a person's word. The chat's end is a queue that holds all of it in order.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_agent::{Confirmed, Event, FrontEnd, Level};
use hermes_approval::{Answer, Asker};
use hermes_llm::model::BoxFuture;
use hermes_mcp::client::elicitation::{Consent, Form, Person, Reply, Visit};
use hermes_plugins::MessageSink;
use hermes_runtime::approval::{ApprovalRequest, Approver, Decision};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use crate::approve::{PLUGIN_WAIT, Prompt, choice, decision};
use crate::elicit::{self, AskedLine, Lines};

/// Something for the chat.
#[derive(Debug)]
pub(crate) enum Told {
    /// Something happened.
    Event(Event),
    /// Somebody is asked.
    Question(Question),
    /// Something happened beside the conversation.
    News(Announcement),
    /// A plugin wants something said.
    Injected(String),
}

/// Something that happened beside the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Announcement {
    pub(crate) level: Level,
    /// What happened, in a line or two.
    pub(crate) title: String,
    /// What came of it, as Markdown.
    pub(crate) text: Option<String>,
}

/// Something the person is asked. Whoever asked gives up by dropping the other end of `answer`.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) subject: Subject,
    /// When the asker gives up.
    pub(crate) until: Option<Instant>,
    pub(crate) answer: oneshot::Sender<Given>,
}

/// What a question is about.
#[derive(Debug)]
pub(crate) enum Subject {
    /// May something run?
    Approval(Prompt),
    /// The agent wants to know something.
    Clarify { question: String, choices: Vec<String> },
    /// A server of tools wants one line of a form.
    Line(AskedLine),
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// These words.
    Words(String),
    /// The person does not want to answer.
    Refused,
}

/// The agent's end.
#[derive(Clone, Debug)]
pub(crate) struct Wire(UnboundedSender<Told>);

/// The chat's end.
pub(crate) type Inbox = UnboundedReceiver<Told>;

impl Wire {
    /// Both ends.
    pub(crate) fn pair() -> (Self, Inbox) {
        let (sender, inbox) = unbounded_channel();
        (Self(sender), inbox)
    }

    /// Watches turns for the chat.
    pub(crate) fn front(&self) -> Arc<dyn FrontEnd> {
        Arc::new(self.clone())
    }

    /// Asks about commands.
    pub(crate) fn asker(&self) -> Arc<dyn Asker> {
        Arc::new(self.clone())
    }

    /// Asks about calls that a plugin's rule has stopped.
    pub(crate) fn approver(&self) -> Arc<dyn Approver> {
        Arc::new(self.clone())
    }

    /// Tells of something that happened beside the conversation.
    pub(crate) fn announce(&self, news: Announcement) {
        // A chat that has ended does not listen.
        let _ = self.0.send(Told::News(news));
    }

    /// Says what plugins want said.
    pub(crate) fn messages(&self) -> MessageSink {
        let wire = self.clone();
        Arc::new(move |said| {
            let words = match said.role.as_str() {
                "user" => said.content,
                role => format!("[{role}] {}", said.content),
            };
            wire.0.send(Told::Injected(words)).is_ok()
        })
    }

    /// Answers the questions of MCP servers.
    pub(crate) fn person(&self) -> Arc<dyn Person> {
        Arc::new(self.clone())
    }

    /// Puts a question and waits; `None` if there is no chat any more.
    async fn put(&self, subject: Subject, until: Option<Instant>) -> Option<Given> {
        let (answer, given) = oneshot::channel();
        self.0.send(Told::Question(Question { subject, until, answer })).ok()?;
        given.await.ok()
    }

    /// The same for a limited time.
    async fn put_for(&self, prompt: Prompt, wait: Duration) -> Answer {
        let asked = self.put(Subject::Approval(prompt), Some(Instant::now() + wait));
        match tokio::time::timeout(wait, asked).await {
            Err(_) => Answer::TimedOut,
            Ok(None) => Answer::NobodyThere,
            Ok(Some(Given::Words(words))) => choice(&words),
            Ok(Some(Given::Refused)) => Answer::no(),
        }
    }
}

impl FrontEnd for Wire {
    fn on_event(&self, event: Event) {
        // A chat that has ended does not listen.
        let _ = self.0.send(Told::Event(event));
    }

    fn clarify<'a>(
        &'a self,
        question: &'a str,
        choices: &'a [String],
    ) -> BoxFuture<'a, Option<String>> {
        let subject = Subject::Clarify { question: question.to_owned(), choices: choices.to_vec() };
        Box::pin(async move {
            match self.put(subject, None).await {
                Some(Given::Words(words)) => Some(words),
                Some(Given::Refused) | None => None,
            }
        })
    }

    fn confirm<'a>(&'a self, question: &'a str) -> BoxFuture<'a, Confirmed> {
        let choices = [SAVE, LATER, NEVER].map(str::to_owned).to_vec();
        let subject = Subject::Clarify { question: question.to_owned(), choices };
        Box::pin(async move {
            match self.put(subject, None).await {
                Some(Given::Words(words)) => confirmed(&words),
                Some(Given::Refused) | None => Confirmed::NoAnswer,
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

impl Asker for Wire {
    fn ask(&self, question: hermes_approval::Question) -> hermes_tool::BoxFuture<Answer> {
        let wire = self.clone();
        Box::pin(async move {
            let prompt = Prompt::about_command(&question);
            let asked = wire.put_for(prompt, question.wait);
            question.cancellation.run_until_cancelled(asked).await.unwrap_or_else(Answer::no)
        })
    }
}

impl Approver for Wire {
    fn ask(&self, request: ApprovalRequest) -> hermes_tool::BoxFuture<Decision> {
        let wire = self.clone();
        Box::pin(
            async move { decision(&wire.put_for(Prompt::about_call(&request), PLUGIN_WAIT).await) },
        )
    }
}

impl Lines for Wire {
    fn line(&self, asked: AskedLine) -> hermes_tool::BoxFuture<Option<String>> {
        let wire = self.clone();
        Box::pin(async move {
            let until = asked.until;
            let given = wire.put(Subject::Line(asked), Some(until));
            match tokio::time::timeout_at(until.into(), given).await {
                Ok(Some(Given::Words(words))) => Some(words),
                Ok(Some(Given::Refused) | None) | Err(_) => None,
            }
        })
    }
}

impl Person for Wire {
    fn fill(&self, form: Form) -> hermes_tool::BoxFuture<Reply> {
        let wire = self.clone();
        Box::pin(async move { elicit::fill(&wire, form).await })
    }

    fn visit(&self, page: Visit) -> hermes_tool::BoxFuture<Consent> {
        let wire = self.clone();
        Box::pin(async move { elicit::visit(&wire, page).await })
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

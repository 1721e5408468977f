//! Questions that wait for a person, under an id each.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_approval::{
    ApprovalAnswer, ApprovalPrompter, ApprovalQuestion, AskPatience, GrantScope,
};
use hermes_protocol::ApprovalPrompt;
use hermes_store::clock::{now, random};
use hermes_tool::BoxFuture;
use serde::Serialize;
use tokio::sync::oneshot;

use super::block::{BlockKind, Choice};
use super::room::Room;

/// How long a question waits.
const WAIT: Duration = Duration::from_secs(3_600);
/// Decisions that are remembered.
const MOST_SETTLED: usize = 100;

/// What a person answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// One of the answers on offer, by its value.
    Choice(String),
    /// Words of their own.
    Words(String),
}

struct Waiting {
    id: String,
    room: Arc<Room>,
    block: u64,
    asked: f64,
    answer: oneshot::Sender<Decision>,
}

/// A question that was answered.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Settled {
    pub(crate) at: f64,
    pub(crate) subject: String,
    pub(crate) outcome: String,
    pub(crate) by: String,
    pub(crate) session: String,
}

#[derive(Default)]
struct QuestionsState {
    /// Whose questions are asked where, by session.
    rooms: HashMap<String, Arc<Room>>,
    waiting: Vec<Waiting>,
    settled: VecDeque<Settled>,
}

/// All questions of this process.
#[derive(Default)]
pub(crate) struct OpenQuestions(Mutex<QuestionsState>);

/// Questions of a session go to a room for as long as this is held.
pub(crate) struct OpenForQuestions {
    questions: Arc<OpenQuestions>,
    session: String,
}

impl Drop for OpenForQuestions {
    fn drop(&mut self) {
        self.questions.lock().rooms.remove(&self.session);
    }
}

/// Takes a question away again when nobody waits for its answer any more.
struct Gone<'a> {
    questions: &'a OpenQuestions,
    id: &'a str,
}

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        self.questions.forget(self.id, "No longer wanted");
    }
}

impl OpenQuestions {
    fn lock(&self) -> MutexGuard<'_, QuestionsState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn open(self: &Arc<Self>, session: &str, room: &Arc<Room>) -> OpenForQuestions {
        self.lock().rooms.insert(session.to_owned(), Arc::clone(room));
        OpenForQuestions { questions: Arc::clone(self), session: session.to_owned() }
    }

    /// How many wait.
    pub(crate) fn count(&self) -> usize {
        self.lock().waiting.len()
    }

    /// Those that wait: their blocks, with session and time.
    pub(crate) fn waiting(&self) -> Vec<(super::block::Block, String, f64)> {
        let all: Vec<(Arc<Room>, u64, f64)> = {
            let state = self.lock();
            state.waiting.iter().map(|one| (Arc::clone(&one.room), one.block, one.asked)).collect()
        };
        let block = |(room, id, asked): (Arc<Room>, u64, f64)| {
            let block = room.after(0).into_iter().find(|block| block.id == id)?;
            Some((block, room.session.clone(), asked))
        };
        all.into_iter().filter_map(block).collect()
    }

    /// What was decided, newest first.
    pub(crate) fn settled(&self) -> Vec<Settled> {
        self.lock().settled.iter().rev().cloned().collect()
    }

    /// Puts a question into a room and waits for the answer.
    pub(crate) async fn put(&self, room: &Arc<Room>, question: NewQuestion) -> Option<Decision> {
        let id = format!("{:016x}", random());
        let (sender, receiver) = oneshot::channel();
        let block = room.add(BlockKind::Question {
            question: id.clone(),
            headline: question.headline,
            subject: question.subject,
            reasons: question.reasons,
            choices: question.choices,
            free: question.free,
            settled: None,
        });
        let waiting =
            Waiting { id: id.clone(), room: Arc::clone(room), block, asked: now(), answer: sender };
        self.lock().waiting.push(waiting);
        let _gone = Gone { questions: self, id: &id };
        match tokio::time::timeout(WAIT, receiver).await {
            Ok(answer) => answer.ok(),
            Err(_) => {
                self.forget(&id, "Nobody answered in time");
                None
            }
        }
    }

    fn take(&self, id: &str) -> Option<Waiting> {
        let mut state = self.lock();
        let place = state.waiting.iter().position(|one| one.id == id)?;
        Some(state.waiting.remove(place))
    }

    fn forget(&self, id: &str, why: &str) {
        if let Some(one) = self.take(id) {
            one.room.change(one.block, |what| settle(what, why));
        }
    }

    /// A person's answer; what it says, for whoever gave it. Only answers on offer count.
    pub(crate) fn decide(&self, id: &str, decision: Decision, who: &str) -> Result<String, String> {
        const SETTLED: &str = "This question is settled already, or no longer wanted.";
        let (room, block) = {
            let state = self.lock();
            let one = state.waiting.iter().find(|one| one.id == id).ok_or(SETTLED)?;
            (Arc::clone(&one.room), one.block)
        };
        let shown = room.after(0).into_iter().find(|one| one.id == block).ok_or(SETTLED)?;
        let BlockKind::Question { choices, free, subject, headline, .. } = shown.what else {
            return Err(SETTLED.to_owned());
        };
        let outcome = match &decision {
            Decision::Choice(value) => {
                let chosen = choices.iter().find(|choice| choice.value == *value);
                chosen.ok_or("That is none of the answers on offer.")?.label.clone()
            }
            Decision::Words(words) if free && !words.trim().is_empty() => words.clone(),
            Decision::Words(_) => return Err("Choose one of the answers on offer.".to_owned()),
        };
        let one = self.take(id).ok_or(SETTLED)?;
        one.room.change(block, |what| settle(what, &outcome));
        let settled = Settled {
            at: now(),
            subject: if subject.is_empty() { headline } else { subject },
            outcome: outcome.clone(),
            by: who.to_owned(),
            session: one.room.session.clone(),
        };
        let mut state = self.lock();
        state.settled.push_back(settled);
        if state.settled.len() > MOST_SETTLED {
            state.settled.pop_front();
        }
        drop(state);
        let _ = one.answer.send(decision);
        Ok(outcome)
    }

    fn room_of(&self, question: &ApprovalQuestion) -> Option<Arc<Room>> {
        let state = self.lock();
        let rooms = &state.rooms;
        rooms.get(&question.session).or_else(|| rooms.get(&question.call.session_id)).cloned()
    }
}

fn settle(what: &mut BlockKind, outcome: &str) {
    if let BlockKind::Question { settled, .. } = what {
        *settled = Some(outcome.to_owned());
    }
}

/// A question about to be put.
pub(crate) struct NewQuestion {
    pub(crate) headline: String,
    pub(crate) subject: String,
    pub(crate) reasons: Vec<(String, String)>,
    pub(crate) choices: Vec<Choice>,
    pub(crate) free: bool,
}

/// Asks about commands in the rooms they come from.
pub(crate) struct DashboardPrompter(pub(crate) Arc<OpenQuestions>);

impl ApprovalPrompter for DashboardPrompter {
    fn ask(&self, question: ApprovalQuestion) -> BoxFuture<ApprovalAnswer> {
        let (questions, room) = (Arc::clone(&self.0), self.0.room_of(&question));
        Box::pin(async move {
            let Some(room) = room else { return ApprovalAnswer::NobodyThere };
            let prompt = ApprovalPrompt::about_command(&question);
            let asked = NewQuestion {
                headline: prompt.headline,
                subject: prompt.subject,
                reasons: prompt.reasons,
                choices: choices(question.widest),
                free: false,
            };
            let answer = tokio::select! {
                answer = questions.put(&room, asked) => answer,
                () = question.cancellation.cancelled() => return ApprovalAnswer::no(),
            };
            match answer {
                Some(Decision::Choice(value)) => match value.as_str() {
                    "once" => ApprovalAnswer::Allowed(GrantScope::Once),
                    "session" => ApprovalAnswer::Allowed(GrantScope::Session),
                    "always" => ApprovalAnswer::Allowed(GrantScope::Always),
                    _ => ApprovalAnswer::no(),
                },
                Some(Decision::Words(_)) => ApprovalAnswer::no(),
                None => ApprovalAnswer::TimedOut,
            }
        })
    }

    fn patience(&self) -> AskPatience {
        // A question has a limit of its own, and a person may be away for longer than a terminal waits.
        AskPatience::UntilAnswered
    }
}

fn choices(widest: GrantScope) -> Vec<Choice> {
    let choice = |value: &str, label: &str, style| Choice {
        value: value.to_owned(),
        label: label.to_owned(),
        style,
    };
    let mut all = vec![choice("once", "Allow once", "primary")];
    if widest != GrantScope::Once {
        all.push(choice("session", "For this session", "plain"));
    }
    if widest == GrantScope::Always {
        all.push(choice("always", "Always", "plain"));
    }
    all.push(choice("deny", "Deny", "danger"));
    all
}

#[cfg(test)]
mod tests {
    use hermes_guard::redact::Redactor;

    use super::*;

    fn question(free: bool) -> NewQuestion {
        NewQuestion {
            headline: "May it?".into(),
            subject: "rm -r x".into(),
            reasons: Vec::new(),
            choices: choices(GrantScope::Session),
            free,
        }
    }

    async fn asked(
        questions: &Arc<OpenQuestions>,
        free: bool,
    ) -> (tokio::task::JoinHandle<Option<Decision>>, String) {
        let room = Arc::new(Room::new("s".into(), Redactor::default()));
        let put = Arc::clone(questions);
        let task = tokio::spawn(async move { put.put(&room, question(free)).await });
        loop {
            tokio::task::yield_now().await;
            if let Some((block, ..)) = questions.waiting().pop()
                && let BlockKind::Question { question, .. } = block.what
            {
                return (task, question);
            }
        }
    }

    #[tokio::test]
    async fn an_answer_goes_to_its_own_question_once() {
        let questions = Arc::new(OpenQuestions::default());
        let (first, one) = asked(&questions, false).await;
        let (second, two) = asked(&questions, false).await;
        assert!(
            questions.decide(&one, Decision::Choice("always".into()), "me").is_err(),
            "not on offer"
        );
        assert!(questions.decide(&one, Decision::Words("yes".into()), "me").is_err());
        questions.decide(&two, Decision::Choice("deny".into()), "me").unwrap();
        questions.decide(&one, Decision::Choice("session".into()), "me").unwrap();
        assert!(questions.decide(&one, Decision::Choice("deny".into()), "me").is_err(), "settled");
        assert_eq!(first.await.unwrap(), Some(Decision::Choice("session".into())));
        assert_eq!(second.await.unwrap(), Some(Decision::Choice("deny".into())));
        assert_eq!((questions.count(), questions.settled().len()), (0, 2));
    }

    #[tokio::test]
    async fn a_question_nobody_waits_for_is_taken_away() {
        let questions = Arc::new(OpenQuestions::default());
        let (task, id) = asked(&questions, true).await;
        task.abort();
        assert!(task.await.is_err());
        assert_eq!(questions.count(), 0);
        assert!(questions.decide(&id, Decision::Words("yes".into()), "me").is_err());
    }
}

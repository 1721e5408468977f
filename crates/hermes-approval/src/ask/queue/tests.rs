use super::*;
use crate::{GrantScope, Purpose};
use tokio_util::sync::CancellationToken;

/// A chat that remembers what it was told.
#[derive(Default)]
struct Chat {
    told: Mutex<Vec<String>>,
    slices: AtomicU64,
    is_closed: bool,
}

impl Notifier for Chat {
    fn notify(&self, question: ApprovalQuestion) -> BoxFuture<Result<(), String>> {
        self.told.lock().unwrap().push(question.command);
        let result = if self.is_closed { Err("the chat is closed".into()) } else { Ok(()) };
        Box::pin(async { result })
    }

    fn still_waiting(&self) {
        self.slices.fetch_add(1, Ordering::Relaxed);
    }
}

fn question(session: &str, command: &str) -> ApprovalQuestion {
    ApprovalQuestion {
        session: session.into(),
        purpose: Purpose::Foreground,
        command: command.into(),
        concerns: Vec::new(),
        widest: GrantScope::Always,
        reviewer_said_no: false,
        call: hermes_tool::CallIds::default(),
        wait: Duration::from_secs(60),
        cancellation: CancellationToken::new(),
    }
}

fn queue() -> (ApprovalQueue, Arc<Chat>) {
    let (queue, chat) = (ApprovalQueue::new(), Arc::new(Chat::default()));
    queue.set_notifier("s", Arc::clone(&chat) as Arc<dyn Notifier>);
    (queue, chat)
}

#[tokio::test]
async fn answers_go_to_the_one_that_waited_longest() {
    let (queue, chat) = queue();
    let first = tokio::spawn(queue.ask(question("s", "a")));
    let second = tokio::spawn(queue.ask(question("s", "b")));
    let waiting: Vec<String> =
        queue.waiting("s").into_iter().map(|waiting| waiting.question.command).collect();
    assert_eq!(waiting, ["a", "b"]);
    assert_eq!(
        queue.answer("s", AnswerTarget::First, &ApprovalAnswer::Allowed(GrantScope::Once)),
        1
    );
    assert_eq!(first.await.unwrap(), ApprovalAnswer::Allowed(GrantScope::Once));
    let no = ApprovalAnswer::Denied { reason: Some("no".into()) };
    assert_eq!(queue.answer("s", AnswerTarget::First, &no), 1);
    assert_eq!(second.await.unwrap(), no);
    assert_eq!(queue.answer("s", AnswerTarget::First, &no), 0);
    let mut told = chat.told.lock().unwrap().clone();
    told.sort();
    assert_eq!(told, ["a", "b"]);
}

#[tokio::test]
async fn one_answer_can_be_for_all() {
    let (queue, _) = queue();
    let asked = [queue.ask(question("s", "a")), queue.ask(question("s", "b"))];
    assert_eq!(
        queue.answer("s", AnswerTarget::All, &ApprovalAnswer::Allowed(GrantScope::Session)),
        2
    );
    for ask in asked {
        assert_eq!(ask.await, ApprovalAnswer::Allowed(GrantScope::Session));
    }
}

#[tokio::test]
async fn sessions_do_not_hear_each_other() {
    let (queue, _) = queue();
    let _asked = queue.ask(question("s", "a"));
    assert_eq!(
        queue.answer("other", AnswerTarget::All, &ApprovalAnswer::Allowed(GrantScope::Once)),
        0
    );
    assert_eq!(queue.ask(question("other", "a")).await, ApprovalAnswer::NobodyThere);
}

#[tokio::test]
async fn a_question_nobody_wants_any_more_leaves_the_line() {
    let (queue, _) = queue();
    drop(queue.ask(question("s", "a")));
    assert!(queue.waiting("s").is_empty());
    assert_eq!(queue.answer("s", AnswerTarget::All, &ApprovalAnswer::no()), 0);
}

#[tokio::test]
async fn a_chat_that_cannot_be_told_is_a_failure() {
    let queue = ApprovalQueue::new();
    queue.set_notifier("s", Arc::new(Chat { is_closed: true, ..Chat::default() }));
    assert_eq!(
        queue.ask(question("s", "a")).await,
        ApprovalAnswer::Failed("the chat is closed".into())
    );
    assert!(queue.waiting("s").is_empty());
}

#[tokio::test]
async fn a_chat_that_goes_away_denies_what_waits() {
    let (queue, _) = queue();
    let asked = queue.ask(question("s", "a"));
    queue.remove_notifier("s");
    assert_eq!(asked.await, ApprovalAnswer::no());
    assert_eq!(queue.ask(question("s", "b")).await, ApprovalAnswer::NobodyThere);
}

#[tokio::test(start_paused = true)]
async fn the_chat_is_kept_alive_while_a_question_waits() {
    let (queue, chat) = queue();
    let asked = tokio::spawn(queue.ask(question("s", "a")));
    tokio::time::sleep(Duration::from_millis(5_500)).await;
    assert!(chat.slices.load(Ordering::Relaxed) >= 5);
    queue.answer("s", AnswerTarget::First, &ApprovalAnswer::no());
    assert_eq!(asked.await.unwrap(), ApprovalAnswer::no());
}

//! What the people of a chat platform see: messages of the bot, by chat.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long tests wait for something to happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(45);

/// A message of the bot.
#[derive(Clone, Debug)]
pub struct BoardMessage {
    /// Where it is: a chat, or a thread of one.
    pub chat: String,
    /// By the platform's own id.
    pub id: String,
    /// What it says now.
    pub text: String,
    /// The request that said so.
    pub raw: Value,
    /// How often it was changed.
    pub edits: usize,
}

/// All messages of the bot on one platform.
#[derive(Debug, Default)]
pub struct Board(Mutex<Vec<BoardMessage>>);

impl Board {
    fn lock(&self) -> MutexGuard<'_, Vec<BoardMessage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One more message.
    pub fn put(&self, chat: &str, id: &str, text: &str, raw: &Value) {
        let (chat, id, text) = (chat.to_owned(), id.to_owned(), text.to_owned());
        self.lock().push(BoardMessage { chat, id, text, raw: raw.clone(), edits: 0 });
    }

    /// A message says something else; whether there is such a message.
    pub fn edit(&self, id: &str, text: &str, raw: &Value) -> bool {
        let mut all = self.lock();
        let Some(found) = all.iter_mut().find(|one| one.id == id) else { return false };
        text.clone_into(&mut found.text);
        found.raw = raw.clone();
        found.edits += 1;
        true
    }

    /// What is in a chat, oldest first.
    #[must_use]
    pub fn messages(&self, chat: &str) -> Vec<BoardMessage> {
        self.lock().iter().filter(|one| one.chat == chat).cloned().collect()
    }

    /// Waits until something holds of a chat.
    ///
    /// # Panics
    /// If it does not come to that.
    #[track_caller]
    pub fn wait(&self, chat: &str, wanted: impl Fn(&[BoardMessage]) -> bool) -> Vec<BoardMessage> {
        let end = Instant::now() + PATIENCE;
        loop {
            let seen = self.messages(chat);
            if wanted(&seen) {
                return seen;
            }
            let all = self.lock().clone();
            assert!(Instant::now() < end, "it did not come to that in {chat}; there is {all:#?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits for a message that contains this, without the sign that more is to come.
    #[track_caller]
    pub fn wait_for_text(&self, chat: &str, text: &str) -> BoardMessage {
        let has = |one: &&BoardMessage| one.text.contains(text) && !one.text.contains('▉');
        let seen = self.wait(chat, |all| all.iter().any(|one| has(&one)));
        seen.iter().find(has).cloned().unwrap_or_else(|| unreachable!())
    }
}

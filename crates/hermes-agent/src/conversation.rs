//! The messages of a conversation, and their record on disk.
//!
//! What is pushed is queued for the record at once, in order, and nobody waits for the disk there.
//! [`recorded`](Conversation::recorded) is where the loop waits, before anything that is shown or done
//! depends on it: until then everything is in the database or, while another program holds that locked,
//! in a file beside it. A database that fails does not end the conversation: it goes on in memory, and
//! whoever watches is told once. What a message said and what was sent for it may differ (a steering
//! text, a result cut to the turn's budget); the record keeps both, so a conversation that is resumed
//! sends the same bytes.

use hermes_llm::{ContentPart, Message, MessageContent, RequestedCall, Role, TokenUsage};
use hermes_sessions::{
    CompactionLock, MessageRef, MessageRow, NewMessage, NewSession, Recorded, SessionRecorder,
    SessionStore,
};
use serde_json::Value;

use crate::model_chain::ChainModel;

/// What was said so far, and where it is recorded.
#[derive(Debug)]
pub struct Conversation {
    id: String,
    messages: Vec<Message>,
    rows: Vec<Option<MessageRef>>,
    recorder: Option<SessionRecorder>,
    begun: bool,
    /// Whether whoever watches knows that another program holds the database locked.
    told_locked: bool,
}

/// What a session is begun with.
pub type Beginning<'a> = dyn Fn(&str) -> NewSession + 'a;

/// What whoever watches should hear about the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordNotice {
    /// Another program holds the database locked; what is said waits beside it.
    Locked,
    /// The database is free again, and everything is in it.
    Free,
    /// Nothing is recorded from now on, for this reason.
    Failed(String),
}

impl RecordNotice {
    /// In a line for people.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Locked => {
                "waiting for the session database, which another program holds locked; \
                             the conversation goes on and is written when it is free"
                    .to_owned()
            }
            Self::Free => "the session database is free again; everything is written".to_owned(),
            Self::Failed(why) => format!("this conversation is not saved: {why}"),
        }
    }
}

impl Conversation {
    /// A new conversation; its session is created with the first message.
    #[must_use]
    pub fn new(id: String, record: Option<SessionStore>) -> Self {
        let recorder = record.map(|store| SessionRecorder::new(store, id.clone()));
        let (messages, rows) = (Vec::new(), Vec::new());
        Self { id, messages, rows, recorder, begun: false, told_locked: false }
    }

    /// A conversation as it was recorded. If it had ended, that is taken back.
    #[must_use]
    pub fn resumed(id: String, rows: Vec<MessageRow>, record: SessionStore) -> Self {
        let row = |row: MessageRow| (Some(MessageRef::Row(row.id)), message_of(row));
        let (rows, messages) = rows.into_iter().map(row).unzip();
        let mut recorder = SessionRecorder::new(record, id.clone());
        recorder.reopen();
        Self { id, messages, rows, recorder: Some(recorder), begun: true, told_locked: false }
    }

    /// The session's name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The messages a request is made of, oldest first; what was summarised is no longer among them.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Waits until everything said so far is safe from a kill; what is new about the record, if
    /// anything is. Milliseconds also while another program holds the database locked.
    pub async fn recorded(&mut self) -> Option<RecordNotice> {
        match self.recorder.as_ref()?.recorded().await {
            Recorded::Written => {
                std::mem::take(&mut self.told_locked).then_some(RecordNotice::Free)
            }
            Recorded::Beside => {
                let is_known = std::mem::replace(&mut self.told_locked, true);
                (!is_known).then_some(RecordNotice::Locked)
            }
            Recorded::Failed(why) => {
                self.recorder = None;
                Some(RecordNotice::Failed(why))
            }
        }
    }

    /// Creates the session's row, unless it is there.
    pub fn begin(&mut self, beginning: &Beginning<'_>) {
        if !std::mem::replace(&mut self.begun, true)
            && let Some(recorder) = &mut self.recorder
        {
            recorder.create(beginning(&self.id));
        }
    }

    /// Adds a message and queues it for the record.
    pub fn push(&mut self, message: Message) {
        let row = self.recorder.as_mut().map(|recorder| recorder.append(new_message(&message)));
        self.rows.push(row);
        self.messages.push(message);
    }

    /// Adds a message that the model sees and the record does not keep.
    pub fn push_unrecorded(&mut self, message: Message) {
        self.rows.push(None);
        self.messages.push(message);
    }

    /// Changes what is sent for a message.
    pub fn send_instead(&mut self, index: usize, text: String) {
        if let (Some(recorder), Some(Some(row))) = (&mut self.recorder, self.rows.get(index)) {
            recorder.set_api_content(*row, text.clone());
        }
        if let Some(message) = self.messages.get_mut(index) {
            message.api_content = Some(text);
        }
    }

    /// Keeps the first messages and puts `fresh` in the place of the others, which stay in the record
    /// as summarised.
    pub fn compact(&mut self, kept: usize, fresh: Vec<Message>) {
        let replaced: Vec<MessageRef> = self.rows.split_off(kept).into_iter().flatten().collect();
        self.messages.truncate(kept);
        match &mut self.recorder {
            Some(recorder) => {
                let rows = recorder.compact(replaced, fresh.iter().map(new_message).collect());
                self.rows.extend(rows.into_iter().map(Some));
            }
            None => self.rows.extend(fresh.iter().map(|_| None)),
        }
        self.messages.extend(fresh);
    }

    /// The right to make the conversation shorter; none while another process has it. `Err` where
    /// nobody can be asked: nothing is recorded, or another program holds the database locked. Then it
    /// is made shorter all the same, since a conversation that is too long cannot go on.
    pub(crate) async fn lock_for_compaction(&self) -> Result<Option<CompactionLock>, ()> {
        let store = self.recorder.as_ref().ok_or(())?.store();
        tokio::select! {
            biased;
            lock = store.compaction_lock(&self.id) => lock.map_err(drop),
            () = store.locked() => Err(()),
        }
    }

    /// Forgets the last turns of the person; the text of the first of them, if there was one.
    pub fn rewind(&mut self, turns: usize) -> Option<String> {
        let is_said = |message: &Message| {
            message.role == Role::User && !crate::notes::is_note(&message.text())
        };
        let said: Vec<usize> =
            (0..self.messages.len()).filter(|at| is_said(&self.messages[*at])).collect();
        let first = *said.get(said.len().saturating_sub(turns.max(1)))?;
        let text = self.messages[first].text().into_owned();
        // The record counts notes as well.
        let recorded = self.messages[first..]
            .iter()
            .zip(&self.rows[first..])
            .filter(|(message, row)| message.role == Role::User && row.is_some())
            .count();
        if let Some(recorder) = &mut self.recorder {
            recorder.rewind(recorded);
        }
        self.messages.truncate(first);
        self.rows.truncate(first);
        Some(text)
    }

    /// Adds to what the session cost.
    pub fn spend(&mut self, usage: &TokenUsage, cost: Option<f64>, entry: &ChainModel) {
        let Some(recorder) = &mut self.recorder else { return };
        let whole = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
        recorder.add_usage(hermes_sessions::Usage {
            model: entry.model.name().to_owned(),
            billing_provider: Some(entry.model.provider().to_owned()),
            api_calls: 1,
            input_tokens: whole(usage.input_tokens),
            output_tokens: whole(usage.output_tokens),
            cache_read_tokens: whole(usage.cache_read_tokens),
            cache_write_tokens: whole(usage.cache_write_tokens),
            reasoning_tokens: whole(usage.reasoning_tokens),
            estimated_cost_usd: cost,
            cost_status: cost.map(|_| "estimated".to_owned()),
            ..hermes_sessions::Usage::default()
        });
    }

    /// Keeps the instructions the conversation began with.
    pub fn keep_prompt(&mut self, prompt: &str) {
        if let Some(recorder) = &mut self.recorder {
            recorder.set_system_prompt(prompt.to_owned());
        }
    }

    /// Says how the conversation ended, for now.
    pub fn end(&mut self, reason: &str) {
        if let Some(recorder) = self.recorder.as_mut().filter(|_| self.begun) {
            recorder.end(reason);
        }
    }
}

fn new_message(message: &Message) -> NewMessage {
    let content = match &message.content {
        MessageContent::Text(text) => hermes_sessions::Content::Text(text.clone()),
        MessageContent::Parts(parts) => {
            hermes_sessions::Content::Json(serde_json::to_value(parts).unwrap_or(Value::Null))
        }
    };
    let calls = (!message.tool_calls.is_empty())
        .then(|| serde_json::to_value(&message.tool_calls).unwrap_or(Value::Null));
    NewMessage {
        tool_call_id: message.tool_call_id.clone(),
        tool_calls: calls,
        tool_name: message.tool_name.clone(),
        finish_reason: message.finish_reason.clone(),
        reasoning: message.reasoning.clone(),
        reasoning_content: message.reasoning_content.clone(),
        reasoning_details: message.reasoning_details.clone(),
        api_content: message.api_content.clone(),
        ..NewMessage::new(message.role.as_str(), content)
    }
}

/// A row as a message. What another program wrote differently is taken as text.
#[must_use]
pub fn message_of(row: MessageRow) -> Message {
    let content = match row.content {
        None => MessageContent::default(),
        Some(hermes_sessions::Content::Text(text)) => MessageContent::Text(text),
        Some(hermes_sessions::Content::Json(value)) => {
            match serde_json::from_value::<Vec<ContentPart>>(value.clone()) {
                Ok(parts) => MessageContent::Parts(parts),
                Err(_) => {
                    MessageContent::Text(hermes_sessions::Content::Json(value).text().into_owned())
                }
            }
        }
    };
    let tool_calls: Vec<RequestedCall> =
        row.tool_calls.and_then(|calls| serde_json::from_value(calls).ok()).unwrap_or_default();
    let base = match row.role.as_str() {
        "assistant" => Message::assistant(content),
        "system" => Message::system(content),
        "tool" => Message::tool("", "", content),
        _ => Message::user(content),
    };
    Message {
        tool_calls,
        tool_call_id: row.tool_call_id,
        tool_name: row.tool_name,
        reasoning: row.reasoning,
        reasoning_content: row.reasoning_content,
        reasoning_details: row.reasoning_details,
        finish_reason: row.finish_reason,
        api_content: row.api_content,
        ..base
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beginning(id: &str) -> NewSession {
        NewSession { id: id.to_owned(), source: "cli".to_owned(), ..NewSession::default() }
    }

    fn store() -> (tempfile::TempDir, SessionStore) {
        let dir = tempfile::tempdir().unwrap();
        let store = SessionStore::at(dir.path().join("state.db"));
        (dir, store)
    }

    async fn again(store: &SessionStore) -> Conversation {
        let rows = store.read(|database| database.messages("s")).await.unwrap();
        Conversation::resumed("s".into(), rows, store.clone())
    }

    #[tokio::test]
    async fn a_conversation_comes_back_as_it_was() {
        let (_dir, store) = store();
        let mut talk = Conversation::new("s".into(), Some(store.clone()));
        talk.begin(&beginning);
        talk.push(Message::user("list it"));
        let call = RequestedCall {
            id: "c1".into(),
            name: "todo".into(),
            arguments: "{".into(),
            extra_content: None,
        };
        talk.push(Message { tool_calls: vec![call], ..Message::assistant("") });
        talk.push(Message::tool("c1", "todo", "{}"));
        talk.send_instead(2, "{} and more".into());
        talk.push_unrecorded(Message::user("only now"));
        let back = again(&store).await;
        assert_eq!(back.messages(), &talk.messages()[..3]);
        assert_eq!(back.messages()[2].api_content.as_deref(), Some("{} and more"));
    }

    #[tokio::test]
    async fn what_is_summarised_leaves_the_conversation_and_not_the_record() {
        let (_dir, store) = store();
        let mut talk = Conversation::new("s".into(), Some(store.clone()));
        talk.begin(&beginning);
        for text in ["a", "b", "c", "d"] {
            talk.push(Message::user(text));
        }
        talk.compact(1, vec![Message::user("b and c"), Message::user("d")]);
        talk.push(Message::user("e"));
        let texts = |talk: &Conversation| {
            talk.messages().iter().map(|m| m.text().into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(texts(&talk), ["a", "b and c", "d", "e"]);
        assert_eq!(texts(&again(&store).await), ["a", "b and c", "d", "e"]);
    }

    #[tokio::test]
    async fn undo_counts_what_the_person_said_and_not_our_notes() {
        let (_dir, store) = store();
        let mut talk = Conversation::new("s".into(), Some(store.clone()));
        talk.begin(&beginning);
        talk.push(Message::user("first"));
        talk.push(Message::assistant("yes"));
        talk.push(Message::user("second"));
        talk.push(Message::assistant("part"));
        talk.push(Message::user(crate::notes::note("go on")));
        talk.push(Message::assistant("rest"));
        assert_eq!(talk.rewind(1).as_deref(), Some("second"));
        assert_eq!(talk.messages().len(), 2);
        assert_eq!(again(&store).await.messages().len(), 2);
    }

    #[tokio::test]
    async fn without_a_database_the_conversation_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.db");
        std::fs::create_dir(&path).unwrap();
        let mut talk = Conversation::new("s".into(), Some(SessionStore::at(path)));
        talk.begin(&beginning);
        talk.push(Message::user("hello"));
        assert_eq!(talk.messages().len(), 1);
        assert!(matches!(talk.recorded().await, Some(RecordNotice::Failed(_))));
        assert_eq!(talk.recorded().await, None, "told once");
    }
}

//! The messages of a conversation, and their record on disk.
//!
//! What is pushed is recorded before [`push`](Conversation::push) returns. A database that fails
//! does not end the conversation: it goes on in memory, and whoever watches is told once. What a
//! message said and what was sent for it may differ (a steering text, a result cut to the turn's
//! budget); the record keeps both, so a conversation that is taken up again sends the same bytes.

use hermes_llm::{Content, Message, Part, Role, ToolCall, Usage};
use hermes_store::sessions::{
    self, CompressionLock, MessageRow, NewMessage, NewSession, SessionStore,
};
use serde_json::Value;

use crate::seats::Seat;

/// A conversation.
#[derive(Debug)]
pub struct Conversation {
    id: String,
    messages: Vec<Message>,
    rows: Vec<Option<i64>>,
    record: Option<SessionStore>,
    begun: bool,
    /// Why nothing is recorded any more.
    trouble: Option<String>,
}

/// What a session is begun with.
pub type Beginning<'a> = dyn Fn(&str) -> NewSession + 'a;

impl Conversation {
    /// A new conversation; its session is created with the first message.
    #[must_use]
    pub fn new(id: String, record: Option<SessionStore>) -> Self {
        Self { id, messages: Vec::new(), rows: Vec::new(), record, begun: false, trouble: None }
    }

    /// A conversation as it was recorded.
    #[must_use]
    pub fn resumed(id: String, rows: Vec<MessageRow>, record: SessionStore) -> Self {
        let (rows, messages) = rows.into_iter().map(|row| (Some(row.id), message_of(row))).unzip();
        Self { id, messages, rows, record: Some(record), begun: true, trouble: None }
    }

    /// The session's name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// All messages.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The record, while it works.
    #[must_use]
    pub fn record(&self) -> Option<&SessionStore> {
        self.record.as_ref()
    }

    /// Why the record stopped working; told once.
    pub fn take_trouble(&mut self) -> Option<String> {
        self.trouble.take()
    }

    /// Creates the session's row, unless it is there.
    pub fn begin(&mut self, beginning: &Beginning<'_>) {
        if !std::mem::replace(&mut self.begun, true) {
            let new = beginning(&self.id);
            self.recording(|store, _| store.create(&new));
        }
    }

    /// Adds a message and records it.
    pub fn push(&mut self, message: Message) {
        let new = new_message(&message);
        let row = self.recording(|store, id| store.append(id, std::slice::from_ref(&new)));
        self.rows.push(row.and_then(|rows| rows.first().copied()));
        self.messages.push(message);
    }

    /// Adds a message that the model sees and the record does not keep.
    pub fn push_unrecorded(&mut self, message: Message) {
        self.rows.push(None);
        self.messages.push(message);
    }

    /// Changes what is sent for a message.
    pub fn send_instead(&mut self, index: usize, text: String) {
        if let Some(row) = self.rows.get(index).copied().flatten() {
            self.recording(|store, _| store.set_api_content(row, &text));
        }
        if let Some(message) = self.messages.get_mut(index) {
            message.api_content = Some(text);
        }
    }

    /// Keeps the first messages and puts `fresh` in the place of the others, which stay in the record
    /// as summarised.
    pub fn compact(&mut self, kept: usize, fresh: Vec<Message>) {
        let replaced: Vec<i64> = self.rows.split_off(kept).into_iter().flatten().collect();
        self.messages.truncate(kept);
        let new: Vec<NewMessage> = fresh.iter().map(new_message).collect();
        let rows = self.recording(|store, id| store.compact(id, &replaced, &new));
        let rows = rows.unwrap_or_default();
        self.rows.extend((0..fresh.len()).map(|at| rows.get(at).copied()));
        self.messages.extend(fresh);
    }

    /// The right to make the conversation shorter; none while another process has it. `Err` where
    /// nothing is recorded, so that nobody else can have it.
    pub(crate) fn lock_for_compression(&self) -> Result<Option<CompressionLock>, ()> {
        let store = self.record.as_ref().ok_or(())?;
        store.compression_lock(&self.id).map_err(drop)
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
        self.recording(|store, id| store.rewind(id, recorded));
        self.messages.truncate(first);
        self.rows.truncate(first);
        Some(text)
    }

    /// Adds to what the session cost.
    pub fn spend(&mut self, usage: &Usage, cost: Option<f64>, seat: &Seat) {
        let whole = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
        let spent = sessions::Usage {
            model: seat.model.name().to_owned(),
            billing_provider: Some(seat.model.provider().to_owned()),
            api_calls: 1,
            input_tokens: whole(usage.input_tokens),
            output_tokens: whole(usage.output_tokens),
            cache_read_tokens: whole(usage.cache_read_tokens),
            cache_write_tokens: whole(usage.cache_write_tokens),
            reasoning_tokens: whole(usage.reasoning_tokens),
            estimated_cost_usd: cost,
            cost_status: cost.map(|_| "estimated".to_owned()),
            ..sessions::Usage::default()
        };
        self.recording(|store, id| store.add_usage(id, &spent));
    }

    /// Keeps the instructions the conversation began with.
    pub fn keep_prompt(&mut self, prompt: &str) {
        self.recording(|store, id| store.set_system_prompt(id, prompt));
    }

    /// Says how the conversation ended, for now.
    pub fn end(&mut self, reason: &str) {
        if self.begun {
            self.recording(|store, id| store.end(id, reason));
        }
    }

    fn recording<T>(
        &mut self,
        act: impl FnOnce(&SessionStore, &str) -> sessions::Result<T>,
    ) -> Option<T> {
        let done = act(self.record.as_ref()?, &self.id);
        match done {
            Ok(done) => Some(done),
            Err(problem) => {
                self.trouble = Some(problem.to_string());
                self.record = None;
                None
            }
        }
    }
}

fn new_message(message: &Message) -> NewMessage {
    let content = match &message.content {
        Content::Text(text) => sessions::Content::Text(text.clone()),
        Content::Parts(parts) => {
            sessions::Content::Json(serde_json::to_value(parts).unwrap_or(Value::Null))
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
        None => Content::default(),
        Some(sessions::Content::Text(text)) => Content::Text(text),
        Some(sessions::Content::Json(value)) => {
            match serde_json::from_value::<Vec<Part>>(value.clone()) {
                Ok(parts) => Content::Parts(parts),
                Err(_) => Content::Text(sessions::Content::Json(value).text().into_owned()),
            }
        }
    };
    let tool_calls: Vec<ToolCall> =
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

    fn again(store: &SessionStore) -> Conversation {
        Conversation::resumed("s".into(), store.messages("s").unwrap(), store.clone())
    }

    #[test]
    fn a_conversation_comes_back_as_it_was() {
        let (_dir, store) = store();
        let mut talk = Conversation::new("s".into(), Some(store.clone()));
        talk.begin(&beginning);
        talk.push(Message::user("list it"));
        let call = ToolCall {
            id: "c1".into(),
            name: "todo".into(),
            arguments: "{".into(),
            extra_content: None,
        };
        talk.push(Message { tool_calls: vec![call], ..Message::assistant("") });
        talk.push(Message::tool("c1", "todo", "{}"));
        talk.send_instead(2, "{} and more".into());
        talk.push_unrecorded(Message::user("only now"));
        let back = again(&store);
        assert_eq!(back.messages(), &talk.messages()[..3]);
        assert_eq!(back.messages()[2].api_content.as_deref(), Some("{} and more"));
    }

    #[test]
    fn what_is_summarised_leaves_the_conversation_and_not_the_record() {
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
        assert_eq!(texts(&again(&store)), ["a", "b and c", "d", "e"]);
    }

    #[test]
    fn undo_counts_what_the_person_said_and_not_our_notes() {
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
        assert_eq!(again(&store).messages().len(), 2);
    }

    #[test]
    fn without_a_database_the_conversation_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.db");
        std::fs::create_dir(&path).unwrap();
        let mut talk = Conversation::new("s".into(), Some(SessionStore::at(path)));
        talk.begin(&beginning);
        talk.push(Message::user("hello"));
        assert_eq!(talk.messages().len(), 1);
        assert!(talk.take_trouble().is_some());
        assert!(talk.take_trouble().is_none());
    }
}

//! One scripted answer.
//!
//! A step is what the model says (text, thinking, calls), how it says it (pieces, delays, oddities of a
//! provider) and how it goes wrong (status, cut, silence). It is the same for both wires; where one has no
//! such thing the field does nothing there. A call's arguments may be any text, so that tests can send
//! what models really send.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

/// How many characters a streamed piece has unless the step says otherwise.
const PIECE: usize = 24;

/// One answer of the scripted model. Made by [`Step::text`], [`Step::call`] and the like, refined by the
/// methods, or read from JSON, where the fields have these names.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Step {
    /// What is said. `{{tool}}` and `{{user}}` stand for the last result and the last user text.
    pub text: Option<String>,
    /// What is thought before it.
    pub reasoning: Option<String>,
    /// The signature of the thinking, on the messages wire.
    pub signature: Option<String>,
    /// The tools that are called.
    pub calls: Vec<Call>,
    /// Why it stops, in chat-completions words; by default `stop` or `tool_calls`.
    pub finish: Option<String>,
    /// The explanation that goes with a refusal, on the chat wire.
    pub refusal: Option<String>,
    /// What it cost; roughly counted by default.
    pub usage: Option<ScriptedUsage>,
    /// Characters in each streamed piece; 0 sends everything at once.
    pub chunk: usize,
    /// Milliseconds before the first byte.
    pub delay_ms: u64,
    /// Milliseconds after each streamed piece.
    pub chunk_delay_ms: u64,
    /// Fail with this status.
    pub status: Option<u16>,
    /// What a failure says: an object, or the text of its message.
    pub error: Option<Value>,
    /// Further headers of the answer.
    pub headers: BTreeMap<String, String>,
    /// Cut the connection after this many streamed pieces.
    pub drop_after: Option<usize>,
    /// Wait for a release after this many streamed pieces; 0 is before the first byte.
    pub hold_after: Option<usize>,
    /// Never say why it stops.
    pub no_finish: bool,
    /// Leave out the end marker of a chat stream.
    pub no_done: bool,
    /// Leave out the cost.
    pub no_usage: bool,
    /// Begin a stream and send nothing.
    pub empty_stream: bool,
    /// Send this text as the whole body.
    pub raw_body: Option<String>,
    /// Send these as the data of a stream's events.
    pub raw_events: Option<Vec<String>>,
    /// Send this content type.
    pub content_type: Option<String>,
    /// Oddities of providers.
    pub quirks: Vec<Quirk>,
    /// How often the step is played; once by default.
    pub repeat: usize,
}

impl Default for Step {
    fn default() -> Self {
        Self {
            text: None,
            reasoning: None,
            signature: None,
            calls: Vec::new(),
            finish: None,
            refusal: None,
            usage: None,
            chunk: PIECE,
            delay_ms: 0,
            chunk_delay_ms: 0,
            status: None,
            error: None,
            headers: BTreeMap::new(),
            drop_after: None,
            hold_after: None,
            no_finish: false,
            no_done: false,
            no_usage: false,
            empty_stream: false,
            raw_body: None,
            raw_events: None,
            content_type: None,
            quirks: Vec::new(),
            repeat: 1,
        }
    }
}

/// A tool call in a step.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The tool.
    pub name: String,
    /// Its arguments: an object, or any text to be sent as it is.
    #[serde(default = "no_arguments")]
    pub arguments: Value,
    /// The id; by default one made of the request's and the call's number.
    #[serde(default)]
    pub id: Option<String>,
}

fn no_arguments() -> Value {
    json!({})
}

impl Call {
    pub(crate) fn argument_text(&self) -> String {
        match &self.arguments {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

/// What an answer cost, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScriptedUsage {
    /// The whole request, cached or not.
    pub input: u64,
    /// The answer.
    pub output: u64,
    /// What of the request came from a cache.
    pub cached: u64,
    /// What of the request went into a cache (messages wire).
    pub cache_write: u64,
    /// What of the answer was thinking (chat wire).
    pub reasoning: u64,
}

/// Something that some provider does differently in a chat stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quirk {
    /// Every call says it is number 0; only the ids differ.
    Index0,
    /// The tool's name comes again with each piece of its arguments.
    RepeatName,
    /// A whole call comes in one piece.
    OneChunk,
    /// Ids are numbers.
    IntId,
    /// The number of a call is null.
    NullIndex,
    /// Calls have no id.
    NoId,
    /// The cost comes with the finish and not after it.
    UsageInline,
    /// Comment lines between the events.
    Ping,
    /// Thinking is sent as `reasoning` with `reasoning_details`.
    ReasoningDetails,
}

impl Step {
    /// Says this.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// Calls a tool. Arguments that are a string are sent as they are, valid or not.
    #[must_use]
    pub fn call(name: &str, arguments: Value) -> Self {
        Self::default().and_call(name, arguments)
    }

    /// Fails with a status.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self { status: Some(status), ..Self::default() }
    }

    /// Begins a stream and ends it without an event.
    #[must_use]
    pub fn empty_stream() -> Self {
        Self { empty_stream: true, ..Self::default() }
    }

    /// Sends this body, whatever was asked for.
    #[must_use]
    pub fn raw_body(body: impl Into<String>) -> Self {
        Self { raw_body: Some(body.into()), ..Self::default() }
    }

    /// Sends these as the data of a stream's events.
    #[must_use]
    pub fn raw_events<T: Into<String>>(events: impl IntoIterator<Item = T>) -> Self {
        let events = events.into_iter().map(Into::into).collect();
        Self { raw_events: Some(events), ..Self::default() }
    }

    /// Never answers until it is released.
    #[must_use]
    pub fn held() -> Self {
        Self::text("released").hold_after(0)
    }

    /// Says this as well.
    #[must_use]
    pub fn and_text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// Calls one more tool.
    #[must_use]
    pub fn and_call(mut self, name: &str, arguments: Value) -> Self {
        self.calls.push(Call { name: name.to_owned(), arguments, id: None });
        self
    }

    /// Gives the newest call this id.
    #[must_use]
    pub fn with_id(mut self, id: &str) -> Self {
        if let Some(call) = self.calls.last_mut() {
            call.id = Some(id.to_owned());
        }
        self
    }

    /// Thinks this first.
    #[must_use]
    pub fn reasoning(mut self, text: impl Into<String>) -> Self {
        self.reasoning = Some(text.into());
        self
    }

    /// Stops for this reason, in chat-completions words.
    #[must_use]
    pub fn finish(mut self, reason: &str) -> Self {
        self.finish = Some(reason.to_owned());
        self
    }

    /// Costs this.
    #[must_use]
    pub fn usage(mut self, usage: ScriptedUsage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// Streams pieces of this many characters; 0 sends everything at once.
    #[must_use]
    pub fn chunk(mut self, characters: usize) -> Self {
        self.chunk = characters;
        self
    }

    /// Waits before the first byte.
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay_ms = millis(delay);
        self
    }

    /// Waits after each streamed piece.
    #[must_use]
    pub fn chunk_delay(mut self, delay: Duration) -> Self {
        self.chunk_delay_ms = millis(delay);
        self
    }

    /// Says this in the failure: an object, or the text of its message.
    #[must_use]
    pub fn error(mut self, error: impl Into<Value>) -> Self {
        self.error = Some(error.into());
        self
    }

    /// Sends this header as well.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.insert(name.to_owned(), value.into());
        self
    }

    /// Cuts the connection after this many streamed pieces.
    #[must_use]
    pub fn drop_after(mut self, pieces: usize) -> Self {
        self.drop_after = Some(pieces);
        self
    }

    /// Waits for a release after this many streamed pieces; 0 is before the first byte.
    #[must_use]
    pub fn hold_after(mut self, pieces: usize) -> Self {
        self.hold_after = Some(pieces);
        self
    }

    /// Never says why it stops, and ends without a marker.
    #[must_use]
    pub fn no_finish(mut self) -> Self {
        (self.no_finish, self.no_done) = (true, true);
        self
    }

    /// Leaves out the cost.
    #[must_use]
    pub fn no_usage(mut self) -> Self {
        self.no_usage = true;
        self
    }

    /// Does what some provider does.
    #[must_use]
    pub fn quirk(mut self, quirk: Quirk) -> Self {
        self.quirks.push(quirk);
        self
    }

    /// Is played this often.
    #[must_use]
    pub fn times(mut self, times: usize) -> Self {
        self.repeat = times;
        self
    }

    pub(crate) fn has(&self, quirk: Quirk) -> bool {
        self.quirks.contains(&quirk)
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

impl From<&str> for Step {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

//! What goes out.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::MediaKind;
use crate::markdown::Rendered;

/// A place on a platform.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Target {
    /// By the platform's own id.
    pub chat_id: String,
    /// The thread or topic in it.
    pub thread_id: Option<String>,
}

impl Target {
    /// A chat without a thread.
    #[must_use]
    pub fn chat(chat: impl Into<String>) -> Self {
        Self { chat_id: chat.into(), thread_id: None }
    }

    /// A thread in a chat.
    #[must_use]
    pub fn thread(chat: impl Into<String>, thread: impl Into<String>) -> Self {
        Self { chat_id: chat.into(), thread_id: Some(thread.into()) }
    }
}

/// One message on its way out. It fits the platform's limit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outgoing {
    /// Where to.
    pub target: Target,
    /// In the platform's own form.
    pub content: Rendered,
    /// The message it answers. One that is gone is no reason not to send.
    pub reply_to: Option<String>,
    /// Rows of buttons below it; empty rows take away those of a message that is edited.
    pub buttons: Vec<Vec<Button>>,
    /// The same for the same message, whenever it is sent: for platforms that recognise what they have already.
    pub key: String,
    /// Does not ring.
    pub is_silent: bool,
    /// For platforms with subjects or titles.
    pub subject: Option<String>,
}

/// Something to press below a message, which comes back as a press.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Button {
    /// What stands on it.
    pub label: String,
    /// What comes back; at most 64 bytes.
    pub data: String,
    /// How it looks where looks can be chosen.
    pub style: ButtonStyle,
}

/// How a button looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ButtonStyle {
    /// Like any other.
    #[default]
    Plain,
    /// As the way on.
    Primary,
    /// As what cannot be taken back.
    Danger,
}

/// A file on its way out. It was checked that it may leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutgoingFile {
    /// What it is sent as.
    pub kind: MediaKind,
    /// Where it was taken from.
    pub path: PathBuf,
    /// What it is called there.
    pub name: String,
    /// Its type by its content.
    pub mime: String,
    /// The content, read when it was checked: what is at the path later does not count.
    pub bytes: Vec<u8>,
    /// Goes along, where captions exist.
    pub caption: Option<String>,
    /// The message it answers.
    pub reply_to: Option<String>,
}

/// A chat that can be written to by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelInfo {
    /// The platform's id of it.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// `dm`, `group`, `channel` …
    pub kind: String,
}

//! What comes in.

use serde::{Deserialize, Serialize};

/// Where something was said, and by whom. Stored with sessions and jobs, in the words of the Python program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct ChatSource {
    /// The platform's name.
    pub platform: String,
    /// The chat by the platform's own id, which may hold any sign.
    pub chat_id: String,
    /// What people call the chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat_name: Option<String>,
    /// What kind of chat it is.
    #[serde(rename = "chat_type")]
    pub kind: ChatKind,
    /// Who spoke.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// What people call them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_name: Option<String>,
    /// The thread or topic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// What the chat is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat_topic: Option<String>,
    /// Another id of the same person, which is used first where both are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id_alt: Option<String>,
    /// Another id of the same chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat_id_alt: Option<String>,
    /// Whether a program spoke.
    pub is_bot: bool,
    /// The server, team or guild the chat is in.
    #[serde(skip_serializing_if = "Option::is_none", alias = "guild_id")]
    pub scope_id: Option<String>,
    /// The chat a thread belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_chat_id: Option<String>,
    /// Which message of the chat this was, by the platform's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// Which of several homes on this machine is meant; none: the usual one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
}

/// Who else is in a chat. Part of the key of its session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatKind {
    /// One person and us.
    #[default]
    Dm,
    /// Several people.
    Group,
    /// One voice, many listeners.
    Channel,
    /// A group with topics.
    Forum,
    /// A thread of its own.
    Thread,
    /// A program that calls us.
    Webhook,
}

impl ChatKind {
    /// Its word in keys of sessions.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Dm => "dm",
            Self::Group => "group",
            Self::Channel => "channel",
            Self::Forum => "forum",
            Self::Thread => "thread",
            Self::Webhook => "webhook",
        }
    }

    /// Whether others are there.
    #[must_use]
    pub fn is_shared(self) -> bool {
        !matches!(self, Self::Dm | Self::Webhook)
    }
}

/// Something that happened on a platform. Serialised into the inbox, so that a restart finds it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum InboundEvent {
    /// Somebody said something.
    Message(Box<InboundMessage>),
    /// Somebody changed what they had said.
    Edited(Box<InboundMessage>),
    /// Somebody pressed a button of ours.
    Button(Box<ButtonPress>),
    /// Somebody reacted to a message.
    Reaction(Box<ReactionEvent>),
    /// Somebody came into a chat.
    MemberJoined(Box<MemberJoined>),
}

impl InboundEvent {
    /// Where it happened.
    #[must_use]
    pub fn source(&self) -> &ChatSource {
        match self {
            Self::Message(message) | Self::Edited(message) => &message.source,
            Self::Button(press) => &press.source,
            Self::Reaction(reaction) => &reaction.source,
            Self::MemberJoined(joined) => &joined.source,
        }
    }

    /// By which the same event is known again when it is delivered twice.
    #[must_use]
    pub fn identity(&self) -> String {
        match self {
            Self::Message(message) => format!("m:{}", message.message_id),
            Self::Edited(message) => format!("e:{}:{}", message.message_id, message.revision),
            Self::Button(press) => format!("b:{}", press.id),
            Self::Reaction(reaction) => format!("r:{}", reaction.id),
            Self::MemberJoined(joined) => format!("j:{}", joined.id),
        }
    }
}

/// What somebody said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct InboundMessage {
    /// Where and by whom.
    pub source: ChatSource,
    /// The platform's id of it, unique in its chat.
    pub message_id: String,
    /// Tells versions of an edited message apart.
    pub revision: String,
    /// The words. A mention of us is cut out already.
    pub text: String,
    /// Files that came along, not fetched yet.
    pub media: Vec<InboundMedia>,
    /// Whether it was meant for us.
    pub addressing: Addressing,
    /// The message it answers.
    pub reply_to: Option<QuotedMessage>,
    /// Whose words were passed on.
    pub forwarded_from: Option<String>,
    /// Messages with the same text here are one: the pictures of an album.
    pub album: Option<String>,
    /// When it was sent, in seconds since 1970.
    pub sent_at: Option<f64>,
    /// Whether the adapter vouches for whoever spoke: by a role, or because the platform's own policy let them through.
    pub is_vouched: bool,
    /// Where the answer goes, if not where it was said: a target as people write it. For platforms that only tell of things.
    pub deliver_to: Option<String>,
    /// The words are the answer already, and no model is asked.
    pub is_answer: bool,
    /// Nobody said it: it is what became of work that was begun in this session. Never set by an adapter.
    pub is_news: bool,
}

/// Whether a message in a group was meant for us.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Addressing {
    /// It names us, or answers us.
    #[default]
    Direct,
    /// It was said to everybody. The gateway decides by the settings of the chat.
    Ambient,
    /// It names another program, and not us.
    Elsewhere,
}

/// A message that another one answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuotedMessage {
    /// The platform's id of it.
    pub message_id: String,
    /// What it says.
    pub text: String,
    /// Who said it.
    pub author: Option<String>,
    /// Whether it is ours.
    pub is_ours: bool,
}

/// A file that came along. Fetched by [`Adapter::fetch`](super::Adapter::fetch) once it is known that whoever sent it may talk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InboundMedia {
    /// As what it was sent; the content decides what it is.
    pub kind: MediaKind,
    /// By which the adapter gets it.
    pub handle: String,
    /// What the sender calls it.
    pub name: Option<String>,
    /// What the platform says it is.
    pub mime: Option<String>,
    /// In bytes, if the platform tells.
    pub size: Option<u64>,
    /// What stands for it in words, where that says enough (a sticker's emoji).
    pub description: Option<String>,
}

/// What a file is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaKind {
    /// A picture to look at.
    Photo,
    /// Spoken just now.
    Voice,
    /// Sound.
    Audio,
    /// Moving pictures.
    Video,
    /// Anything else.
    #[default]
    Document,
}

/// A button of ours that somebody pressed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ButtonPress {
    /// Where and by whom.
    pub source: ChatSource,
    /// The platform's id of the press, by which it is answered.
    pub id: String,
    /// The message it stands under.
    pub message_id: String,
    /// What the button carries.
    pub data: String,
}

/// A reaction somebody put on a message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReactionEvent {
    /// Where and by whom.
    pub source: ChatSource,
    /// The platform's id of it.
    pub id: String,
    /// The one that was reacted to.
    pub message_id: String,
    /// Which one; empty if it was taken away.
    pub emoji: String,
}

/// Somebody came into a chat, or we did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemberJoined {
    /// Where, and who.
    pub source: ChatSource,
    /// The platform's id of it.
    pub id: String,
    /// Whether it is us.
    pub is_us: bool,
}

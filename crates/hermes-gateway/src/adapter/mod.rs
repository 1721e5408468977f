//! The contract between the gateway and a messaging platform.
//!
//! A platform is one file in `src/platforms/`: a [`Platform`] that describes it, registered with
//! [`register_platform!`](crate::register_platform), and an [`Adapter`] that speaks its wire. Everything that is the
//! same on all platforms is the gateway's: who may talk, sessions, commands, approvals, splitting, retries, the inbox and
//! outbox on disk. An adapter therefore never decides who somebody is allowed to be, never asks a model, and never sends
//! a thing twice on its own account.
//!
//! ```text
//! Platform ─ open(AdapterSetup) ─► Adapter ─ connect(Inbox) ─► Receiving      runs until the connection is lost
//!                                     │                          │
//!                                     │ send, edit, …            └─► Inbox::accept(events, marks)   durable when it returns
//! ```
//!
//! What the gateway promises an adapter: `send` is called for one chat at a time and in order, with text that fits the
//! limit of the [`Platform`]; [`Receiving`] is polled by one task and dropped when the platform is to be let go;
//! after an error of the class [`LinkError::Retry`] `connect` is called again, later and later.
//!
//! What an adapter promises: [`Inbox::accept`] is awaited *before* the platform is told that an event has arrived; tokens
//! reach neither logs nor errors; the address of the service is [`AdapterSetup::base_url`].

mod descriptor;
mod error;
mod event;
mod inbox;
mod lines;
mod listener;
mod multipart;
mod outgoing;
mod rest;
mod sections;
mod setup;
mod socket;

use std::future::Future;
use std::pin::Pin;

pub use descriptor::{
    Capabilities, DisplayDefaults, MessageLimit, Pace, Platform, ToolProgress, Variable,
};
pub use error::{LinkError, SendClass, SendError};
pub use event::{
    Addressing, ButtonPress, ChatKind, ChatSource, InboundEvent, InboundMedia, InboundMessage,
    MediaKind, MemberJoined, QuotedMessage, ReactionEvent,
};
pub use inbox::{Inbox, InboxError, Intake, RecordedEvents};
pub use lines::{LineSecurity, LineStream};
pub use listener::{
    CallAnswer, ListenAt, Listener, WebhookRequest, WebhookResponse, hex, receive_calls,
    same_secret, signed,
};
pub use multipart::Multipart;
pub use outgoing::{Button, ButtonStyle, ChannelInfo, Outgoing, OutgoingFile, Target};
pub use rest::{ResponseLines, RestReply, download, exchange, is_on_host};
pub use sections::written_extra;
pub use setup::{AdapterSetup, SetupError};
pub use socket::{Socket, SocketEvent};

pub use crate::markdown::LengthUnit;
use crate::markdown::{Document, Rendered};

/// What an adapter's methods give.
pub type AdapterFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A connection at work: takes in events until it is lost, and ends with why. Dropped to end it from our side.
pub type Receiving = Pin<Box<dyn Future<Output = LinkError> + Send>>;

/// One platform's wire. The first two are needed; the rest have defaults that say "not here", which the gateway knows
/// from [`Capabilities`] before it asks.
pub trait Adapter: Send + Sync {
    /// Logs in and begins to receive. Returns when the platform has accepted the credentials; what comes in goes to
    /// `inbox`, from which it also learns where it left off ([`Inbox::mark`]).
    fn connect(&self, inbox: Inbox) -> AdapterFuture<'_, Result<Receiving, LinkError>>;

    /// Sends one message that fits the platform's limit; gives the platform's id of it. Must work without
    /// [`connect`](Self::connect): `hermes send` and cron use it alone.
    fn send<'a>(&'a self, message: &'a Outgoing) -> AdapterFuture<'a, Result<String, SendError>>;

    /// Says goodbye. [`Receiving`] has been dropped before; is given five seconds.
    fn disconnect(&self) -> AdapterFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Replaces what a message says. That it says so already is a success.
    fn edit<'a>(
        &'a self,
        _id: &'a str,
        _message: &'a Outgoing,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        unsupported("edit messages")
    }

    /// Takes a message back.
    fn delete<'a>(
        &'a self,
        _target: &'a Target,
        _id: &'a str,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        unsupported("delete messages")
    }

    /// Puts a reaction on a message, or takes ours away.
    fn react<'a>(
        &'a self,
        _target: &'a Target,
        _id: &'a str,
        _emoji: Option<&'a str>,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        unsupported("react")
    }

    /// Shows that somebody is writing; fades by itself after [`Pace::typing`](Pace).
    fn typing<'a>(&'a self, _target: &'a Target) -> AdapterFuture<'a, Result<(), SendError>> {
        unsupported("show that it is writing")
    }

    /// Sends a file; gives the platform's id of the message.
    fn send_file<'a>(
        &'a self,
        _target: &'a Target,
        _file: &'a OutgoingFile,
    ) -> AdapterFuture<'a, Result<String, SendError>> {
        unsupported("send files")
    }

    /// Gets a file that came in. Called only for people who may talk. More than `most` bytes are an error of the class
    /// [`SendClass::TooLong`], noticed while reading, not afterwards.
    fn fetch<'a>(
        &'a self,
        _media: &'a InboundMedia,
        _most: u64,
    ) -> AdapterFuture<'a, Result<Vec<u8>, SendError>> {
        unsupported("fetch files")
    }

    /// Tells the platform that a button was dealt with, with a line for whoever pressed it. Its failure changes nothing.
    fn answer_button<'a>(
        &'a self,
        _press: &'a ButtonPress,
        _line: &'a str,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Opens a thread below a message; gives where it is.
    fn create_thread<'a>(
        &'a self,
        _target: &'a Target,
        _message: &'a str,
        _name: &'a str,
    ) -> AdapterFuture<'a, Result<Target, SendError>> {
        unsupported("open threads")
    }

    /// Chats that can be written to by name.
    fn list_channels(&self) -> AdapterFuture<'_, Result<Vec<ChannelInfo>, SendError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// Shows the commands of the chat in the platform's own menu: names without a slash, and what they do.
    fn show_commands<'a>(
        &'a self,
        _commands: &'a [(&'a str, &'a str)],
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Tries the credentials and says in a line who we are there. For `status --deep` and the wizard.
    fn probe(&self) -> AdapterFuture<'_, Result<String, SendError>> {
        unsupported("be tried out")
    }

    /// A document in the platform's own form.
    fn render(&self, document: &Document) -> Rendered {
        crate::markdown::plain(document)
    }

    /// The place a person means by what stands behind `platform:` in a target. Without a rule of its own, a platform
    /// takes the text as the id of a chat.
    ///
    /// # Errors
    /// Why it cannot be one, in words.
    fn parse_target(&self, text: &str) -> Result<Target, String> {
        match text.trim() {
            "" => Err("it names no chat".to_owned()),
            chat => Ok(Target::chat(chat)),
        }
    }
}

fn unsupported<'a, T: Send + 'a>(what: &'static str) -> AdapterFuture<'a, Result<T, SendError>> {
    Box::pin(std::future::ready(Err(SendError::unsupported(what))))
}

/// Makes a [`Platform`] known. Written once in the platform's file.
#[macro_export]
macro_rules! register_platform {
    ($platform:expr) => {
        ::inventory::submit! { $crate::adapter::RegisteredPlatform($platform) }
    };
}

/// A platform that was registered; made by [`register_platform!`](crate::register_platform) alone.
#[doc(hidden)]
pub struct RegisteredPlatform(pub &'static Platform);

inventory::collect!(RegisteredPlatform);

/// Every platform of this program, by name.
#[must_use]
pub fn platforms() -> Vec<&'static Platform> {
    let mut all: Vec<&'static Platform> =
        inventory::iter::<RegisteredPlatform>.into_iter().map(|known| known.0).collect();
    all.sort_by_key(|platform| platform.name);
    all
}

/// The platform of this name, whatever its case.
#[must_use]
pub fn platform(name: &str) -> Option<&'static Platform> {
    platforms().into_iter().find(|platform| platform.name.eq_ignore_ascii_case(name))
}

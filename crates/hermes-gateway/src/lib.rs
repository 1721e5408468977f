//! The agent in chats: one process per home that receives, thinks and answers on messaging platforms.
//!
//! | module | what lives there |
//! |---|---|
//! | [`adapter`] | the contract with a platform: adding one is adding one file in `platforms/` |
//! | `core` | from an event on disk to an answer in a chat: dispatch, one turn per session, questions, outbox |
//! | [`Pairing`], `who`, `key` | who may talk, and which session a chat talks in |
//! | [`delivery`], `jobs` | texts that are no answers: `hermes send`, jobs and their clock |
//! | [`run`], [`verbs`], `service`, `wizard` | the life of the process, the commands of the program, its setting up |
//! | [`markdown`] | one parse of an answer, a renderer per platform, long messages in parts |
//!
//! An [`adapter::Adapter`] is opened from its [`adapter::Platform`], connected to an [`adapter::Inbox`] and sent to.
//! How to add a platform is told in `docs/gateway-adapters.md`.
//!
//! What holds: an event is on disk before its platform is told that it arrived; an answer is parsed once and cut before
//! it is rendered, so that code comes out as it went in.
//!
//! What never happens here: an adapter decides who may talk, a token reaches a log, or a file leaves that the agent's own
//! file tools would not have read.

pub mod adapter;
mod core;
pub mod delivery;
mod jobs;
mod key;
mod link;
pub mod markdown;
mod media;
mod pairing;
mod platforms;
mod process;
mod service;
mod settings;
pub mod verbs;
mod who;
mod wizard;

pub use media::named_files;
pub use pairing::{PairedPerson, Pairing, PairingError};
pub use process::{GatewayEnd, GatewayError, GatewayOptions, run, running};
pub use settings::GatewaySettings;

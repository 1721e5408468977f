//! Pictures, sound and video, and the services behind them.
//!
//! What the tools for media and for services of other people do lives here; the tools themselves are declared in
//! `hermes-tools`, one file each, and mostly read arguments and hand on results.
//!
//! | module | what |
//! |---|---|
//! | [`picture`] | pictures recognised, made fit for models, fetched; drawings made into dots |
//! | [`vision`] | looking at a picture: natively, or by a model on the side |
//! | [`drawing`] | pictures made from words and from other pictures |
//! | [`speech`] | speech from text: services, programs on this machine, commands |
//! | [`transcription`] | words from speech: Whisper on this machine, services |
//! | [`chat_services`] | what chat platforms offer beside messages: servers of Discord, documents of Feishu |
//! | [`home_assistant`] | the things of a smart home and what can be done with them |
//! | [`spotify`] | music of the person who is signed in |
//! | [`video`] | clips made, changed, lengthened and watched |
//! | [`x_search`] | posts on X |
//! | [`service`] | one way to ask a service at a fixed address |
//!
//! # Two kinds of addresses
//!
//! An address that a model or a server wrote goes through the door of `hermes-web`, which judges it at the connection
//! and at every redirect. An address that the program knows or its user wrote in the settings is a [`service::Service`];
//! it may be on this machine, its key goes nowhere else, and it can be given another address in the settings, which is
//! also how each is tested against a double on the loopback.
//!
//! # What never happens here
//!
//! No key in a message, a log line or a file. No answer held that is longer than its named limit. No paid service
//! because a key for it happens to be there: the user names the provider.

pub mod chat_services;
pub mod drawing;
mod fal_queue;
pub mod home_assistant;
pub mod picture;
mod programs;
pub mod service;
pub mod speech;
pub mod spotify;
pub mod transcription;
pub mod video;
pub mod vision;
pub mod x_search;

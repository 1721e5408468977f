//! Talks with language models.
//!
//! # How it is used
//!
//! ```no_run
//! # async fn example(config: &serde_json::Value) -> Result<(), Box<dyn std::error::Error>> {
//! use hermes_llm::{EndpointChoice, ModelClient, Message, Model, ClientOptions, ModelRequest, provider};
//! use tokio_util::sync::CancellationToken;
//!
//! let vars = |name: &str| (name == "OPENAI_API_KEY").then(|| "a key".to_owned());
//! let endpoint = provider::resolve(&EndpointChoice::default(), config, &vars)?;
//! let client = ModelClient::new(endpoint, ClientOptions::read(config, &vars));
//! let request = ModelRequest { messages: vec![Message::user("Hello!")], ..ModelRequest::default() };
//! let answer = client.answer(&request, &mut |delta| drop(delta), &CancellationToken::new()).await?;
//! assert!(!answer.content.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! # What is where
//!
//! | module | what |
//! |---|---|
//! | [`message`], [`model`] | the shapes: messages, requests, answers, errors, and the [`Model`] trait |
//! | [`provider`], [`endpoint`] | who can be asked, how one is chosen, which key goes where |
//! | [`client`], [`http`] | one attempt over HTTP, with its clocks |
//! | [`wire`], [`sse`] | how requests are written and answers are read, on both wires; pure |
//! | [`error`], [`retry`] | what kind of failure it is, and whether and when to try again; pure |
//! | [`metadata`] | windows, caps, prices and estimates; data and arithmetic |
//! | [`on_demand`] | servers that run only while somebody asks them |
//! | [`discover`] | which servers run on this machine, and how large a model's window is |
//!
//! # What never happens here
//!
//! * A key is never sent to a host it was not meant for, never follows a redirect and is never in a
//!   message, a log line or a debug output.
//! * Nothing reads the environment or the configuration file: both are handed in.
//! * Nothing waits without hearing a cancellation, and nothing grows without a bound.
//! * Nothing decides to try again except where it cannot be noticed: see [`client`].

pub mod client;
pub mod discover;
pub mod endpoint;
pub mod error;
pub mod http;
pub mod message;
pub mod metadata;
pub mod model;
pub mod on_demand;
pub mod provider;
pub mod retry;
pub mod secret;
pub mod sse;
pub mod wire;

pub use client::{ClientOptions, ModelClient};
pub use endpoint::{Endpoint, WireApi};
pub use message::{ContentPart, Message, MessageContent, RequestedCall, Role};
pub use model::{
    Delta, Effort, ErrorClass, Finish, Model, ModelError, ModelRequest, ModelResponse, TokenUsage,
};
pub use provider::EndpointChoice;
pub use secret::Secret;

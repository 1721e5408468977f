//! The tools runtime: everything between a set of tools and a caller.
//!
//! A *caller* is whoever wants a tool to run: an agent loop, a person at a terminal, an MCP client,
//! a script, a batch. The runtime tells it which tools there are, describes them to a model, and
//! takes every call the same way.
//!
//! ```
//! use hermes_runtime::registry::Registry;
//! use hermes_runtime::{DefinitionRequest, Runtime, ToolCall};
//! use hermes_tool::{Effects, Tool, ToolOutput};
//! use serde_json::json;
//! use std::sync::Arc;
//!
//! let registry = Arc::new(Registry::with_linked_tools()); // every `#[tool]` in the program
//! let runtime = Runtime::builder().registry(registry).build();
//! runtime.registry().register(
//!     Tool::builder("add", "arithmetic")
//!         .description("Add two whole numbers.")
//!         .parameters(json!({"type": "object", "properties": {
//!             "a": {"type": "integer"}, "b": {"type": "integer"}}}))
//!         .effects(Effects::NONE)
//!         .handler(|args, _cx| {
//!             let number = |key: &str| args[key].as_i64().unwrap_or(0);
//!             Ok(ToolOutput::text((number("a") + number("b")).to_string()))
//!         }),
//! );
//!
//! // What a model is offered …
//! let definitions = runtime.definitions(&DefinitionRequest::default());
//! assert!(definitions.json().contains("Add two whole numbers."));
//! // … and what happens when it calls, even with numbers as text.
//! let outcome = runtime.call_blocking(ToolCall::new("add", json!({"a": "2", "b": 3})));
//! assert_eq!(outcome.text(), "5");
//! ```
//!
//! # Where things are
//!
//! | module | answers |
//! |---|---|
//! | [`registry`] | which tools are there, and who may replace whom? |
//! | [`toolsets`], [`distributions`] | which tools belong together? |
//! | [`availability`] | can a tool work here and now? |
//! | [`definitions`], [`schema`] | what does the model get to see? |
//! | [`tool_search`] | what if that is too much? |
//! | [`repair`], [`coerce`] | what did the model mean? |
//! | [`pipeline`] | how does one call go? |
//! | [`hooks`], [`approval`] | who has a say in it? |
//! | [`limits`] | what if the result is too long? |
//! | [`executor`], [`guardrails`] | how do the calls of one turn go? |
//!
//! # What never happens here
//!
//! A tool's error or panic never reaches the caller as one: the answer is always an
//! [`CallOutcome`] with well-formed text. Readers never wait for writers. Nothing is
//! read from disk, no child is started and nothing is sent anywhere: hosts bring configuration,
//! variables, hooks and a person to ask. No list of tool names decides anything that a tool can
//! declare for itself.

pub mod approval;
pub mod availability;
pub mod bridge;
pub mod call;
pub mod coerce;
pub mod definitions;
mod definitions_builder;
pub mod distributions;
mod error_text;
pub mod executor;
pub mod guardrails;
pub mod hooks;
pub mod limits;
pub mod middleware;
pub mod pipeline;
pub mod registry;
pub mod repair;
mod runtime;
pub mod schema;
pub mod settings;
mod tool_list;
pub mod tool_search;
pub mod toolsets;

pub use call::{CallOutcome, Status, ToolCall, Verdict};
pub use definitions::{Deferral, DefinitionRequest, Definitions, ToolScope};
pub use runtime::{MissingState, Runtime, RuntimeBuilder};
pub use settings::RuntimeSettings;
pub use tool_list::{ListedTool, ToolListCache};

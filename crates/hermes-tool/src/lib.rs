//! The contract between Hermes and the people who write tools for it.
//!
//! A *tool* is a function that a language model may call. This crate holds what its author needs
//! and nothing else: the [`tool`] attribute, the context a call runs in, the ways to answer and to
//! fail, and the declaration of effects. It knows nothing of registries, models, terminals or
//! configuration files; those live in crates above this one.
//!
//! # Writing a tool
//!
//! ```
//! use hermes_tool::{ToolContext, ToolError, tool};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct CountWords {
//!     /// The text to count in.
//!     text: String,
//!     /// Words shorter than this are not counted.
//!     #[serde(default)]
//!     min_length: usize,
//! }
//!
//! #[derive(Serialize)]
//! struct Count {
//!     words: usize,
//! }
//!
//! /// Count the words of a text.
//! #[tool(toolset = "text", emoji = "🔢", effects(none))]
//! fn count_words(args: CountWords, _cx: &ToolContext) -> Result<Count, ToolError> {
//!     let words = args.text.split_whitespace().filter(|word| word.len() >= args.min_length).count();
//!     Ok(Count { words })
//! }
//! # assert_eq!(count_words_tool().name().as_ref(), "count_words");
//! ```
//!
//! That is the whole of it. The doc comment is what the model reads; the struct becomes the JSON
//! schema; the tool registers itself when the crate is linked. In the `hermes-tools` crate the file
//! is found by its place in a toolset's folder, so adding a tool is adding one file. The function
//! may be `async`; the context parameter may be left out; a function without arguments is fine.
//! Beside it stands `<name>_tool()`, which builds the [`Tool`] for tests or registration by hand.
//!
//! # What may be declared
//!
//! | in `#[tool(…)]` | meaning |
//! |---|---|
//! | `toolset = "file"` | the one toolset that owns the tool (required) |
//! | `effects(reads(path), network)` | what it does to the world (required; `effects(none)` for pure functions). Naming arguments binds reads and writes to those paths |
//! | `name = "read_file"` | another name than the function's |
//! | `description = include_str!("read_file.md")` | instead of the doc comment |
//! | `emoji = "📖"` | for tables and progress lines |
//! | `check = function` | `fn(&Vars) -> Availability` (or `bool`): can it work here? |
//! | `requires_env("API_KEY")` | variables it wants, for display |
//! | `dynamic_schema = function` | `fn(&SchemaScope) -> SchemaPatch`: adapts the schema to what is available |
//! | `max_result_chars = 100_000` | longer results go to a file; `unlimited` for tools that bound themselves |
//! | `manual` | does not register itself |
//!
//! # Failing
//!
//! [`ToolError::answer`] is a normal part of the conversation with the model ("no such file; did
//! you mean …?"). [`ToolError::failure`] and `?` on other errors report something unforeseen, with
//! a stable kind. Neither ever reaches the caller as a Rust error: the pipeline turns both, and
//! panics too, into a JSON answer.
//!
//! # What never happens here
//!
//! No I/O except [`Vars::from_process`], no global state except the linker's list of tools, no
//! thread, no lock, no dependency on another Hermes crate but the macro.

mod availability;
mod call_tools;
mod context;
mod effects;
mod error;
mod linked;
mod output;
mod schema;
mod tool;
mod vars;

pub use availability::{Availability, Check, CheckId};
pub use call_tools::{CallTools, InnerCall};
pub use context::{CallIds, ContextParts, Progress, Services, ToolContext};
pub use effects::{Effect, Effects};
pub use error::{ToolError, ToolErrorExt};
pub use hermes_tool_macros::tool;
pub use linked::{CallObserver, LinkedTool, linked, linked_tools, tell_observers};
pub use output::{IntoToolOutput, ToolOutput};
pub use schema::{no_parameters, parameters_of, read_arguments};
pub use tool::{
    Args, AsyncHandler, BoxFuture, Concurrency, DEFAULT_EMOJI, DynamicSchema, Handler, Origin,
    ResultLimit, SchemaPatch, SchemaScope, SyncHandler, Tool, ToolBuilder, ToolResult,
};
pub use vars::Vars;

/// For `inventory::submit!` of a [`CallObserver`].
pub use inventory;

/// Used by the expansion of [`tool`]; not part of the contract.
#[doc(hidden)]
pub mod __private {
    pub use crate::schema::paragraphs;
    pub use inventory;
}

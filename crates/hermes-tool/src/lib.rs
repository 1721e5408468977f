//! The contract between Hermes and the people who write tools for it.
//!
//! A *tool* is a function that a language model may call. This crate holds what its author needs
//! and nothing else: the [`tool`] attribute, the context a call runs in, the ways to answer and to
//! fail, the declaration of effects, and [`settings`]. It knows nothing of registries, models, terminals or
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
//! What the host keeps and the tool works on is a parameter too: [`State<T>`](State), after the
//! arguments.
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
//! | `never_spilled` | results are not moved to a file, whatever the settings say |
//! | `aliases("search")` | names it had before: understood in calls, allow-lists and toolsets, never offered |
//! | `failure = exit_code` | a result is judged by its exit code alone; a function judges by the fields |
//! | `free_of_budget` | a step of the loop with just this call costs nothing |
//! | `upkeep` | what a model said beside the call is its answer all the same |
//! | `deadline = 30` | seconds after which a call is ended whose caller has set no limit |
//! | `display = CallDisplay::verb("read").args(&["path"])` | how a chat tells of a call: a word instead of the name, and what says most |
//! | `summary = function` | `fn(&PastCall) -> Option<String>`: the line that is left of an old result |
//! | `newest_result_kept` | the newest result is never shortened: it is the tool's state |
//! | `guidance = "…"` | a paragraph of the system prompt, as long as the tool is on offer |
//! | `output = untrusted` | results hold text of strangers and are marked as such; `trusted` if they do not. By default network tools and MCP servers are not trusted |
//! | `subagents = withheld` | subagents do not have it; `delegates` if it makes them |
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
mod display;
mod effects;
mod error;
mod linked;
mod numbers;
mod output;
mod output_caps;
mod policy;
mod schema;
pub mod settings;
mod state;
mod tool;
mod vars;

pub use availability::{Availability, Check, CheckId};
pub use call_tools::{CallTools, InnerCall};
pub use context::{
    CallIds, CalledAs, ContextParts, OutputTail, Progress, Services, SessionVars, ToolContext,
};
pub use display::{
    CallDisplay, CountedAs, CutAt, PastCall, ResultView, ShownCall, Summary, clipped_line,
};
pub use effects::{Effect, Effects};
pub use error::{ToolError, ToolErrorExt};
pub use hermes_tool_macros::tool;
pub use linked::{CallObserver, LinkedTool, ObservedCall, linked, linked_tools, tell_observers};
pub use numbers::thousands;
pub use output::{IntoToolOutput, ToolOutput};
pub use output_caps::OutputCaps;
pub use policy::{
    BudgetRule, CallJudgement, FailureKind, FailureRule, HistoryRule, OutputRule, SpillRule,
    SubagentRule, ToolPolicy, UpkeepRule,
};
pub use schema::{no_parameters, parameters_of, read_arguments};
pub use state::{State, StateType};
pub use tool::{
    Args, AsyncHandler, BoxFuture, Concurrency, DEFAULT_EMOJI, DynamicSchema, Handler, Origin,
    ResultLimit, SchemaDetail, SchemaPatch, SchemaScope, SyncHandler, Tool, ToolBuilder,
    ToolResult,
};
pub use vars::Vars;

/// For `inventory::submit!` of a [`CallObserver`].
pub use inventory;

/// Used by the expansion of [`tool`]; not part of the contract.
#[doc(hidden)]
pub mod __private {
    pub use crate::schema::paragraphs;
    pub use inventory;
    pub use serde_json;
}

// The derives name this crate by its name, also inside it.
extern crate self as hermes_tool;

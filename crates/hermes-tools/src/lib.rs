//! The built-in tools: one folder per toolset, one file per tool.
//!
//! # Adding a tool
//!
//! Put a file into the folder of its toolset, `src/<toolset>/<tool>.rs`. That is all: no list, no
//! `mod` line, no registration call. The same holds for the first file of a new folder, which makes
//! a new toolset. This is a whole tool, as `src/text/slug.rs`:
//!
//! ```
//! use hermes_tool::{ToolError, tool};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use serde_json::{Value, json};
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Slug {
//!     /// The title to shorten.
//!     title: String,
//! }
//!
//! /// Turn a title into a short name that is safe in URLs and file names.
//! #[tool(toolset = "text", emoji = "🐌", effects(none))]
//! fn slug(args: Slug) -> Result<Value, ToolError> {
//!     let title = args.title.to_lowercase();
//!     let words: Vec<&str> = title.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
//!     if words.is_empty() {
//!         return Err(ToolError::answer("the title holds no letters or digits"));
//!     }
//!     Ok(json!({"slug": words.join("-")}))
//! }
//! # fn main() {
//! # use hermes_tool::{Handler, ToolContext, ToolOutput, linked_tools};
//! # let tools = linked_tools();
//! # let (_, tool) = tools.iter().find(|(_, tool)| tool.name().as_ref() == "slug").unwrap();
//! # let Handler::Sync(run) = tool.handler() else { panic!() };
//! # let Value::Object(args) = json!({"title": "Hello, World!"}) else { panic!() };
//! # let answer = run(args, &ToolContext::default()).unwrap();
//! # assert_eq!(answer, ToolOutput::text(r#"{"slug":"hello-world"}"#));
//! # }
//! ```
//!
//! The next build has the tool, and `hermes tools list` shows it. What else an author can say
//! (checks, effects, dynamic schemas, result limits) is in the documentation of `hermes_tool`. What
//! is asked of every tool is in `tests/every_tool.rs`, which needs no edit either: the toolset named
//! in the attribute is the folder, the description is long enough to be useful and short enough to
//! be read, and each argument says what it is for.
//!
//! # Where things go
//!
//! | what | where |
//! |---|---|
//! | a tool | `src/<toolset>/<tool>.rs`, its unit tests at the end |
//! | a long description | `<tool>.md` beside it: `description = include_str!("<tool>.md")` |
//! | code that tools of one toolset share | any other file of the folder; `use super::<file>` |
//! | code that several toolsets share | a file in `src`, declared below like [`agent_level`] |
//! | the inner parts of a tool that grew | `src/<toolset>/<tool>/*.rs`, declared in `<tool>.rs` |
//!
//! A misplaced file is a build error that says where to put it. The build script (`build/scan.rs`)
//! finds the files; the linker collects what `#[tool]` leaves in them.
//!
//! One thing to know: `cargo fmt` follows written `mod` lines and so does not reach these files.
//! `rustfmt --edition 2024 src/*/*.rs` in this folder does.
//!
//! # Using the crate
//!
//! Link it: `use hermes_tools as _;` in the program. A crate that nothing names is not linked, and
//! its tools are then missing without a word. To write tools in a crate of your own, depend on
//! `hermes-tool` alone; `examples/third-party-tool` shows how.
//!
//! # What never happens here
//!
//! No tool knows of another by name, none reads the environment except through its context, none
//! starts a process by itself. Nothing runs when the program starts: a tool is a declaration until
//! it is called.

// Defines `toolsets!`, which declares a module for each file of each folder.
include!(concat!(env!("OUT_DIR"), "/toolsets.rs"));
toolsets!();

pub mod agent_level;
pub(crate) mod checkpoints;

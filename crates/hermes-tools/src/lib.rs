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
//! | code that several toolsets share | a file in `src`, declared below like `checkpoints` |
//! | which toolsets the product ships, and what each platform gets | `src/product/` |
//! | what other crates use of a toolset | `src/<toolset>/exports.rs`, with `pub use` |
//! | the inner parts of a tool that grew | `src/<toolset>/<tool>/*.rs`, declared in `<tool>.rs` |
//!
//! A misplaced file is a build error that says where to put it. The build script (`build/scan.rs`)
//! finds the files; the linker collects what `#[tool]` leaves in them.
//!
//! One thing to know: `cargo fmt` follows written `mod` lines and so does not reach these files.
//! `rustfmt --edition 2024 src/*/*.rs` in this folder does.
//!
//! # Tools that work on an agent
//!
//! `todo`, `memory`, `session_search`, `clarify`, `delegate_task` and `mixture_of_agents` are like any
//! other, with one parameter more: `State<T>`, what they work on. The state and what is done with it
//! live here, in the tool's folder ([`todo::TodoList`], [`memory::MemoryStore`]); what only an agent
//! can do is a trait here that the agent implements ([`delegation::Delegation`], [`moa::ModelPanel`],
//! [`FrontEnd`](hermes_protocol::FrontEnd) for questions to the person). A program without an agent lists them all the same; a call is answered with
//! the one sentence that says so, whatever its arguments.
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

pub(crate) mod brief_schema;
pub(crate) mod checkpoints;
pub(crate) mod discord_server;
pub(crate) mod feishu_office;
pub(crate) mod host_services;
pub(crate) mod media_cache;
pub(crate) mod picture_sources;
pub(crate) mod side_model;
pub use host_services::{configured_redactor, http_door};
pub mod product;

#[cfg(test)]
mod tests {
    use hermes_tool::{Effect, Handler, StateType, Tool, ToolContext, ToolError, linked_tools};
    use serde_json::{Value, json};

    fn agent_level_tools() -> Vec<Tool> {
        let tools = linked_tools().into_iter().map(|(_, tool)| tool);
        tools.filter(|tool| tool.effects().has(Effect::AgentState)).collect()
    }

    async fn answer(tool: &Tool, args: Value) -> ToolError {
        let Value::Object(args) = args else { panic!("arguments are an object") };
        match tool.handler() {
            Handler::Sync(run) => run(args, &ToolContext::default()),
            Handler::Async(run) => run(args, ToolContext::default()).await,
        }
        .unwrap_err()
    }

    #[test]
    fn tools_that_work_on_an_agent_declare_it_and_no_others_do() {
        // Skills and jobs belong to the home: a host brings them to every call, with or without an agent.
        let of_the_home = [
            StateType::of::<hermes_skills::SkillLibrary>(),
            StateType::of::<crate::cronjob::CronJobs>(),
            StateType::of::<crate::messaging::Messenger>(),
        ];
        for (_, tool) in linked_tools() {
            let declared = tool.effects().has(Effect::AgentState);
            let works_on_agent = tool.states().iter().any(|state| !of_the_home.contains(state));
            assert_eq!(declared, works_on_agent, "{}", tool.name());
        }
    }

    #[test]
    fn follow_agent_level_tools_include_clarify() {
        let names: Vec<String> =
            agent_level_tools().iter().map(|tool| tool.name().to_string()).collect();
        for name in ["todo", "memory", "session_search", "delegate_task", "clarify"] {
            assert!(names.iter().any(|other| other == name), "{name}");
        }
    }

    #[tokio::test]
    async fn each_says_that_it_needs_an_agent_whatever_the_arguments() {
        for tool in agent_level_tools() {
            for args in [json!({}), json!({"question": 7, "todos": "[", "nobody": null})] {
                let expected = format!("{} must be handled by the agent loop", tool.name());
                assert_eq!(answer(&tool, args).await, ToolError::answer(expected));
            }
        }
    }

    #[test]
    fn only_searching_and_asking_models_may_run_beside_other_calls() {
        let plan: Vec<(String, bool)> = agent_level_tools()
            .iter()
            .map(|tool| (tool.name().to_string(), tool.effects().is_read_only()))
            .collect();
        assert_eq!(
            plan,
            [
                ("clarify".to_owned(), false),
                ("delegate_task".to_owned(), false),
                ("memory".to_owned(), false),
                ("mixture_of_agents".to_owned(), true),
                ("session_search".to_owned(), true),
                ("todo".to_owned(), false),
            ]
        );
    }
}

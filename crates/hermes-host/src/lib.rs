//! The composition root: from a state folder to tools that can be called and agents that work.
//!
//! Every surface of Hermes (the command line, the chat, `hermes serve`, `hermes mcp serve`, a program
//! of somebody else's) needs the same parts put together in the same order: home, variables, settings,
//! tool runtime, plugins, shell hooks, approval gate, environments for commands, MCP servers, models,
//! session database, agent. This crate is the one place that does it.
//!
//! ```text
//! HostOptions ──► Host                     reads config.yaml and .env, starts nothing
//!                  ├─► ToolSession          a runtime whose calls work: gate, environments, plugins, MCP
//!                  └─► AgentSession         a ToolSession, models, a session of the database, an agent
//! ```
//!
//! - [`Host::open`] finds the [`Home`](hermes_store::home::Home) once and reads the two files in it. A
//!   broken file is no reason to stop: [`Host::file_problems`] says what is wrong with them.
//! - [`Host::tools`] makes a [`ToolSession`], for calls without an agent.
//! - [`Host::agent_session`] makes an [`AgentSession`]; [`AgentSession::ask`] is one turn.
//! - [`AgentConversation`] puts on top of it all that a person may ask of a session: other models, goals,
//!   work in the background, settings read anew. It is what a surface talks with.
//! - [`Interaction`] is who can be asked on the way: about commands, calls, hooks, forms of servers.
//!   [`Interaction::unattended`] is nobody, and what would need somebody's word is refused.
//!
//! Both kinds of sessions are ended by their `close`, in the order that loses nothing: the servers and
//! commands they started first, then the plugins, then the database.
//!
//! What never happens here: something is printed, a person is asked by other means than the given
//! [`Interaction`], or the process is ended. What a person should know comes back as warnings, what
//! went wrong as a [`HostError`].

mod analysis_lines;
mod approval_hooks;
mod approvals;
mod conversation;
mod diagnosis;
mod environments;
mod error;
mod headless;
mod host;
mod interaction;
mod mcp;
mod models;
mod plugin_model;
mod plugin_skills;
mod plugins;
mod reviewer;
mod sampler;
mod session;
mod shell_hooks;
mod skill_auditor;
mod tools;
mod toolsets;

pub use analysis_lines::analyse_lines;
pub use conversation::{AgentConversation, content};
pub use diagnosis::{Health, HealthFinding};
pub use error::HostError;
pub use headless::{Headless, NOBODY_ANSWERS};
pub use host::{FileProblem, Host, HostOptions, PLATFORM};
pub use interaction::{HookQuestion, Interaction};
pub use mcp::McpStart;
pub use models::{ModelSources, SessionModels};
pub use plugins::PluginStart;
pub use session::{
    AgentSession, ChosenSession, Continue, Expanded, SessionOptions, SessionParts, SessionSkills,
    find_session, resume_session, session_finalized, session_reset,
};
pub use tools::{CallServices, ToolOptions, ToolSession};

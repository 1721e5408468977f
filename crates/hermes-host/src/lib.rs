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
//!                  ├─► AgentSession         a ToolSession, models, a session of the database, an agent
//!                  └─► TaskAgents           a ToolSession and an agent for each task of a batch
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
pub mod candidates;
mod command_pages;
mod conversation;
mod diagnosis;
mod engine;
mod environments;
mod error;
mod factory;
mod git;
mod headless;
mod host;
mod interaction;
mod jobs;
mod mcp;
mod models;
mod planning;
mod plugin_model;
mod plugin_skills;
mod plugins;
mod reviewer;
mod sampler;
mod session;
pub mod setup;
mod shell_hooks;
mod skill_auditor;
mod tools;
mod toolsets;
mod unknown;
mod usage;
mod worktree;

pub use analysis_lines::analyse_lines;
pub use command_pages::{COMPLETION_VARIABLE, completion_script, manual_page, write_manual};
pub use conversation::{AgentConversation, content};
pub use diagnosis::{Health, HealthFinding};
pub use error::HostError;
pub use factory::{AgentFactory, AgentRequest, MemoryAccess};
pub use headless::{Headless, NOBODY_ANSWERS};
pub use host::{ACTIVE_PROFILE_FILE, FileProblem, Host, HostOptions, PLATFORM, active_profile};
pub use interaction::{HookQuestion, Interaction};
pub use jobs::HostJobRunner;
pub use mcp::McpStart;
pub use models::{ModelSources, SessionModels};
pub use plugins::PluginStart;
pub use session::{
    AgentSession, CallFurnishing, ChosenSession, Continue, Expanded, SessionNotes, SessionOptions,
    SessionParts, SessionSkills, TaskAgentOptions, TaskAgents, ToolOffer, find_session,
    resume_session, session_finalized, session_reset,
};
pub use tools::{CallServices, ToolOptions, ToolSession};
pub use unknown::is_unknown_name;
pub use usage::UsageError;
pub use worktree::{Worktree, WorktreeChange, WorktreeEnd};

//! The agent: a conversation between a person, a model and the tools.
//!
//! A host brings what it has: tools in a runtime, a place for sessions, somebody who watches. The agent
//! brings the loop: what a person says is recorded and sent to the model with instructions and tools; the
//! calls the model makes are run and their results sent back, until it answers.
//!
//! ```text
//! let context = AgentContext { runtime, services, config, vars, cwd, home, store, front, … };
//! let mut agent = Agent::new(Arc::new(context), AgentOptions { chain, scope, conversation, prompt, … });
//! let result = agent.turn("What is in this folder?", &cancel).await;
//! println!("{}", result.final_response);
//! ```
//!
//! # Where things are
//!
//! | module | answers |
//! |---|---|
//! | [`agent`], `agent::turn` | how does one turn go? |
//! | [`model_call`], [`model_chain`] | which model is asked, when is it asked again, when does a fallback take over? |
//! | [`context`] | what do all agents of a process share? |
//! | [`conversation`], [`history`] | what was said, what is kept, what is sent? |
//! | [`system_prompt`] | what is the model told before anything is said? |
//! | [`compaction`] | what if the conversation outgrows the context window? |
//! | `agent::state`, [`mod@todo`] | what do the tools that work on the agent itself work on? |
//! | `agent::delegate`, [`moa`], [`agent::template`] | what if several models or agents work on it? |
//! | [`goal`] | what does it work towards, turn after turn? |
//! | [`steer`], [`untrusted`], [`thinking`] | whose words are these? |
//! | [`title`] | what is it called? |
//! | [`event`] | what does whoever watches see? |
//! | [`outcome`] | how did it end? |
//!
//! # What it promises
//!
//! * What is shown is recorded first. A process that is killed leaves a conversation that goes on.
//! * Every call gets exactly one result, in the order of the calls.
//! * Within a conversation the instructions and tools are the same bytes, and what was sent before is
//!   sent again unchanged, except after the history was made shorter.
//! * An interrupt ends whatever is being waited for: a stream, a retry, a tool, a subagent.
//! * A failure ends the turn as a failure. It never looks like an answer.
//!
//! # What never happens here
//!
//! Nothing is printed and nobody is asked except through [`FrontEnd`]. No process is started, no file but
//! the memory's and the record's is written, and no tool is known by what it does: which results hold
//! strangers' words, which calls may run together and which change files follows from what tools declare.

pub mod agent;
pub mod budget;
pub mod compaction;
pub mod context;
pub mod conversation;
pub mod goal;
pub mod history;
pub mod moa;
pub mod model_call;
pub mod model_chain;
pub mod notes;
pub mod outcome;
pub mod settings;
pub mod steer;
pub mod system_prompt;
pub mod thinking;
pub mod title;
pub mod todo;
pub mod untrusted;

pub use agent::state::SteerBox;
pub use agent::template::AgentTemplate;
pub use agent::{Agent, AgentOptions};
pub use context::AgentContext;
pub use hermes_protocol::event;
pub use hermes_protocol::{AgentEvent, Confirmed, FrontEnd, NoticeLevel};
pub use model_chain::{ChainModel, ContextWindow, ModelChain};
pub use outcome::{ExitReason, TurnResult};
pub use system_prompt::SystemPrompt;

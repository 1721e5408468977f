//! The agent: a conversation between a person, a model and the tools.
//!
//! A host brings what it has: tools in a runtime, a place for sessions, somebody who watches. The agent
//! brings the loop: what a person says is recorded and sent to the model with instructions and tools; the
//! calls the model makes are run and their results sent back, until it answers.
//!
//! ```text
//! let world = World { runtime, services, config, vars, cwd, home, store, front, … };
//! let mut agent = Agent::new(Arc::new(world), Setup { seats, scope, conversation, prompt, … });
//! let result = agent.turn("What is in this folder?", &cancel).await;
//! println!("{}", result.final_response);
//! ```
//!
//! # Where things are
//!
//! | module | answers |
//! |---|---|
//! | [`agent`], `turn` | how does one turn go? |
//! | [`ask`], [`seats`] | who is asked, and what if they fail? |
//! | [`conversation`], [`history`] | what was said, what is kept, what is sent? |
//! | [`prompt`], [`standing`] | what is the model told before anything is said? |
//! | [`compress`], `shortening` | what if all that grows too long? |
//! | `desk`, [`memory`], [`mod@todo`] | what do the tools that work on the agent itself work on? |
//! | `delegate`, [`moa`], `mixture`, [`kin`] | what if several models or agents work on it? |
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
pub mod ask;
pub mod budget;
pub mod compress;
pub mod conversation;
mod delegate;
mod desk;
pub mod event;
pub mod goal;
pub mod history;
pub mod kin;
pub mod memory;
mod mixture;
pub mod moa;
pub mod notes;
pub mod outcome;
pub mod prompt;
pub mod seats;
pub mod settings;
mod shortening;
pub mod standing;
pub mod steer;
pub mod thinking;
pub mod title;
pub mod todo;
mod turn;
pub mod untrusted;

pub use agent::{Agent, Setup, World};
pub use desk::SteerBox;
pub use event::{Confirmed, Event, FrontEnd, Level};
pub use kin::Kin;
pub use outcome::{ExitReason, TurnResult};
pub use seats::{Seat, Seats, Window};
pub use standing::SystemPrompt;

//! The agent in code editors, over the Agent Client Protocol.
//!
//! An editor starts `hermes acp` and talks with it in lines of JSON on stdin and stdout. The wire is the official library's;
//! what is said on it is decided here.
//!
//! ```text
//! verb        the command: serve, --check, --manifest
//! server      every request of the editor, answered; the sessions by id
//! session     one conversation: its turns one after the other, its end
//! front       what happens in a turn, as updates: text, thinking, tools, the plan, usage
//! tool_calls  a call as editors show it: kind, title, places, the change it makes
//! consent     questions to the person: about commands, and about changes to files, with how long a yes lasts
//! files       files through the editor: what is typed and not saved yet is what the agent reads
//! options     modes and settings of a session
//! prompt      what a person sends, as the model gets it
//! replay      a conversation from the record, as updates
//! ```
//!
//! # What never happens here
//!
//! Something that is no message of the protocol on stdout. A change to a file or a flagged command without the person's word
//! where the mode wants it. A command run by the editor: its terminals would be a way around the gate. State of one
//! session in another: each has its tools, servers and working folder, and they end with it.

mod consent;
mod files;
mod front;
mod options;
mod prompt;
mod replay;
mod server;
mod session;
mod tool_calls;
mod verb;

pub use verb::{AcpArgs, run};

/// The platform by whose name tools, prompt and sessions know where a turn comes from.
const PLATFORM: &str = "acp";

//! What an agent with several models implements, and which models a preset names.

pub use super::mixture_of_agents::{MixtureOfAgents, ModelPanel};
pub use super::settings::{Fanout, MoaSettings, ModelRef};

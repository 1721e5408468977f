//! The notes for those who keep them beside the tool: the agent, `hermes memory`, the prompt.

pub use super::memory::AgentMemory;
pub use super::request::{Memory, MemoryAction, MemoryOperation, MemoryTarget};
pub use super::store::{
    MAX_BYTES, MAX_FAILURES, MemoryFileError, MemorySettings, MemorySnapshot, MemoryStore,
    MemorySwitch, approval, entries,
};

//! What an agent that can delegate implements, and the limits it keeps.

pub use super::delegate_task::{ChildRole, DelegateTask, DelegatedTask, Delegation, SubagentTask};
pub use super::limits::DelegationLimits;

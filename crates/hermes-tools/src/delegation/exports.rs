//! What an agent that can delegate implements, and the limits it keeps.

pub use super::delegate_task::{
    ChildRole, DelegateTask, DelegatedTask, Delegation, NOBODY_HEARS, SubagentTask,
};
pub use super::later::{LateReport, LateReports, LateWork};
pub use super::limits::DelegationLimits;

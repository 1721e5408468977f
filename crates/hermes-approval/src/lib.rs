//! The one gate: which commands may run, who is asked, and what is remembered.
//!
//! A command that a model wants to run reaches a process only as an [`Approved`] value, and only
//! [`Approvals::admit`] makes those. The analysis of commands is pure and lives in `hermes-guard`;
//! this crate adds everything that has a state: the user's settings and rules, what people have
//! said yes to, the questions they are asked, the model that reviews, the external scanner, and the
//! log of decisions.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! use hermes_approval::{Approvals, ExecutionTarget, RefusalReason, CommandRequest, ApprovalSettings};
//!
//! let approvals = Approvals::builder(ApprovalSettings::default()).build();
//!
//! let line = approvals.admit(CommandRequest::new("ls -l")).await?;
//! assert_eq!(line.text_for(ExecutionTarget::Local)?, "ls -l");
//!
//! let refusal = approvals.admit(CommandRequest::new("rm -rf /")).await.unwrap_err();
//! assert_eq!(*refusal.reason(), RefusalReason::Floor);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Who does what
//!
//! * [`ApprovalSettings`] are read once and frozen.
//! * [`Approvals`] decides; the order of decisions is told in the module `gate`.
//! * [`ApprovalPrompter`] and [`ApprovalQueue`] put questions to people, [`Reviewer`] to a model, [`CommandScanner`] to a
//!   program; [`Observer`] watches.
//! * [`ApprovalGrant`] and [`ApprovalRefusal`] say what was decided, by whom, and what the model is told.
//!
//! # What never happens here
//!
//! Nothing runs but the scanner. Nothing is allowed because something failed: a broken scanner
//! follows its setting, every other failure means asking, and failing to ask means no. A yes never
//! covers more than what was shown: all reasons to hesitate are collected before anybody is asked,
//! so a yes to one cannot hide another. No lock is held while something is waited for.

mod approved;
mod ask;
mod audit;
mod concern;
mod display;
mod gate;
mod grant;
mod links;
mod memory;
mod refusal;
mod request;
mod review;
mod rules;
mod scanner;
mod settings;

pub use approved::{Approved, ProgramInput, ScriptText, ShellLine, WrongTarget};
pub use ask::{
    AnswerTarget, ApprovalAnswer, ApprovalPrompter, ApprovalQuestion, ApprovalQueue,
    ApprovalSurface, AskEvent, AskPatience, Notifier, Observer, SecretQuestion, WaitingQuestion,
};
pub use audit::{
    FILE_NAME as AUDIT_FILE_NAME, KEPT as AUDIT_FILES_KEPT, MAX_BYTES as AUDIT_MAX_BYTES,
};
pub use concern::{Concern, ConcernSource, describe};
pub use gate::{
    Approvals, ApprovalsBuilder, Forecast, Outlook, RefusedAct, SUDO_PASSWORD_WAIT, UnseenQuestion,
};
pub use grant::{ApprovalGrant, GrantedBy};
pub use memory::{ALLOWLIST_KEY, SessionYolo};
pub use refusal::{ApprovalRefusal, RefusalReason};
pub use request::{
    Audience, CommandRequest, ConsentRequest, ExecutionTarget, GrantScope, HostAccess, HostFacts,
    InputEcho, InputRequest, Purpose, ScriptConfinement, ScriptRequest,
};
pub use review::{ReviewPrompt, Reviewer};
pub use rules::is_compound;
pub use scanner::{CommandScanner, ScanReport, Tirith};
pub use settings::{
    ApprovalMode, ApprovalSettings, DEFAULT_TIMEOUT, ScannerSettings, Unattended, YOLO_VARIABLE,
};

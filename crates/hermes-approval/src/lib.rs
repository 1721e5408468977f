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
//! use hermes_approval::{Approvals, Place, Reason, Request, Settings};
//!
//! let approvals = Approvals::builder(Settings::default()).build();
//!
//! let line = approvals.admit(Request::new("ls -l")).await?;
//! assert_eq!(line.text_for(Place::Local)?, "ls -l");
//!
//! let refusal = approvals.admit(Request::new("rm -rf /")).await.unwrap_err();
//! assert_eq!(*refusal.reason(), Reason::Floor);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Who does what
//!
//! * [`Settings`] are read once and frozen.
//! * [`Approvals`] decides; the order of decisions is told in the module `gate`.
//! * [`Asker`] and [`Queue`] put questions to people, [`Reviewer`] to a model, [`Scanner`] to a
//!   program; [`Observer`] watches.
//! * [`Grant`] and [`Refusal`] say what was decided, by whom, and what the model is told.
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
mod memory;
mod refusal;
mod request;
mod review;
mod rules;
mod scanner;
mod settings;

pub use approved::{Approved, Script, ShellLine, WrongPlace};
pub use ask::{
    Answer, AskEvent, Asker, Notifier, Observer, Question, Queue, SecretQuestion, Surface, Waiting,
    Which,
};
pub use audit::{
    FILE_NAME as AUDIT_FILE_NAME, KEPT as AUDIT_FILES_KEPT, MAX_BYTES as AUDIT_MAX_BYTES,
};
pub use concern::{Concern, Source, describe};
pub use gate::{Approvals, Builder, Forecast, Outlook, SUDO_PASSWORD_WAIT};
pub use grant::{Grant, GrantedBy};
pub use memory::{ALLOWLIST_KEY, SessionYolo};
pub use refusal::{Reason, Refusal};
pub use request::{
    Around, Audience, HostAccess, Matter, Place, Purpose, Request, Scope, ScriptRequest,
};
pub use review::{ReviewPrompt, Reviewer};
pub use rules::is_compound;
pub use scanner::{Scan, Scanner, Tirith};
pub use settings::{DEFAULT_TIMEOUT, Mode, ScannerSettings, Settings, Unattended, YOLO_VARIABLE};

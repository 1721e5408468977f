//! Other people's programs at work inside Hermes.
//!
//! The runtime raises events at fixed moments: a tool is about to run, a turn begins, a session
//! ends. This crate lets code that is not compiled into Hermes listen to them, always as a process
//! of its own, so that nothing it does can take Hermes down:
//!
//! * [`shell_hooks`]: commands named in the settings, run once per event with the event on their
//!   standard input and an answer, if any, on their standard output. A person has agreed to each
//!   of them before it runs for the first time.
//! * [`context_spill`]: what hooks add to a conversation is kept short; the full text of a long
//!   piece goes to a file the model can read.
//!
//! * [`Plugins`]: programs that stay, in any language, and bring tools, hooks, middleware, slash
//!   commands and skills. [`discover`] finds them, [`protocol`] is what is spoken with them, and a host written
//!   in Python runs those that are Python packages ([`python`]). A plugin runs because somebody
//!   enabled it, sees the variables somebody granted, and dies with us.
//!
//! # From settings to shell hooks
//!
//! ```no_run
//! use hermes_plugins::shell_hooks::{self, Allowlist, HookConsent, ConsentSources, HookRunner};
//! use hermes_runtime::hooks::Hooks;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let vars = hermes_tool::Vars::default();
//! # let home = hermes_store::home::Home::at("/home/ada/.hermes");
//! # let config = serde_json::json!({"hooks": {}});
//! # let hooks = Hooks::default();
//! let read = shell_hooks::read_config(&config);
//! for problem in &read.problems {
//!     tracing::warn!("{problem}");
//! }
//! let sources = ConsentSources { accept_hooks_flag: false, vars: &vars, config: &config };
//! let consent = HookConsent {
//!     allowlist: Allowlist::at(home.shell_hooks_allowlist()),
//!     policy: sources.policy(None),
//! };
//! let runner = HookRunner::new(vars, home.root());
//! let registered = shell_hooks::register(&hooks, &read.hooks, &consent, &runner);
//! for skipped in &registered.skipped {
//!     tracing::warn!("{skipped}");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Plugins register before shell hooks do: where both block a call, the plugin's word is the one
//! shown.
//!
//! # What never happens here
//!
//! * A hook that fails, hangs or writes nonsense never fails the event: it counts as silent, and
//!   the log says why. Hooks help; they are no wall. The guard is the wall.
//! * No command runs that nobody agreed to, and no agreement is lost: the list of them is replaced
//!   in one step, and a list that cannot be read is reported, not overwritten.
//! * No secret is handed out: a hook sees a short, named set of variables.
//! * No process outlives its purpose: a shell hook is ended at its time limit, a plugin with the
//!   session, each with everything it started.
//! * A plugin that crashes, hangs, floods or talks nonsense loses its own say and nothing else.

pub mod context_spill;
pub mod discover;
mod environment;
mod error;
mod link;
mod log;
pub mod manifest;
mod plugin;
mod plugins;
mod problem;
pub mod protocol;
pub mod python;
mod record;
mod report;
mod settings;
mod setup;
mod shared;
pub mod shell_hooks;
mod skills;
mod user_folder;

pub use error::PluginError;
pub use plugins::{DEBUG_VARIABLE, Plugins, Wake};
pub use problem::PluginSettingProblem;
pub use report::PluginReport;
pub use settings::PluginSettings;
pub use setup::PluginOptions;
pub use shared::{Injected, MessageSink, ModelDoor};
pub use skills::BroughtSkill;

/// Writes a file for a test.
#[cfg(test)]
pub(crate) fn put(file: &std::path::Path, text: &str) {
    let options = hermes_store::atomic::WriteOptions::KEEP;
    assert!(hermes_store::atomic::write(file, text.as_bytes(), options).is_ok());
}

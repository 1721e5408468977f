//! Which variables a child of ours sees.
//!
//! Hermes holds keys: of model providers, of services its tools call, of messaging accounts. A
//! command chosen by a model has no business with them, so they are taken out of what it inherits,
//! and the rest is put in order: `PATH` without holes, a `HOME` to work in, the marks of the
//! session it belongs to and of no other.
//!
//! [`variables`] is the whole of it; [`EnvRules`] says how. It is a pure function: what it needs to
//! know about the machine (is this a container? is there a home for the profile?) is told by the
//! caller. Which names are keys is data ([`tier`]).
//!
//! # The order
//!
//! 1. The variables of the process, and over them those of the backend, each without what is
//!    withheld.
//! 2. `PATH` and `HOME`.
//! 3. What the backend forces by [`FORCE_PREFIX`].
//! 4. The variables of the session.
//!
//! # What is kept on purpose
//!
//! Keys that are not ours: the general AWS chain, `CLAUDE_CODE_OAUTH_TOKEN`, whatever a program of
//! the user needs. Withholding everything that looks like a secret would break more than it saves.
//!
//! # What never happens here
//!
//! A name that is withheld is let through because a skill or `terminal.env_passthrough` asks for
//! it, a [dynamic secret](is_dynamic_secret) is let through by anything, or a variable of one
//! session is seen by another.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use hermes_tool::Vars;

mod home;
mod names;
mod passthrough;
mod script;
mod search_path;

#[cfg(test)]
mod tests;

pub use home::{HomeMode, HomeRules, HostKind};
pub use names::{Tier, is_dynamic_secret, is_withheld, tier};
pub use passthrough::{Passthrough, forwarded};
pub use script::script_variables;

/// In the environment of a backend, `_HERMES_FORCE_X` sets `X` even if `X` is withheld.
pub const FORCE_PREFIX: &str = "_HERMES_FORCE_";

/// Marks of a Python environment Hermes itself was started from, which commands are not in.
const ENVIRONMENT_MARKERS: [&str; 2] = ["VIRTUAL_ENV", "CONDA_PREFIX"];

/// Session variables whose names go on in many ways.
pub(crate) const SESSION_PREFIX: &str = "HERMES_CRON_AUTO_DELIVER_";

/// Variables that say whose command it is: bound anew for each call, never inherited.
pub(crate) const SESSION_VARIABLES: &[&str] = &[
    "HERMES_SESSION_PLATFORM",
    "HERMES_SESSION_SOURCE",
    "HERMES_SESSION_CHAT_ID",
    "HERMES_SESSION_CHAT_NAME",
    "HERMES_SESSION_THREAD_ID",
    "HERMES_SESSION_USER_ID",
    "HERMES_SESSION_USER_NAME",
    "HERMES_SESSION_KEY",
    "HERMES_SESSION_ID",
    "HERMES_SESSION_MESSAGE_ID",
    "HERMES_SESSION_PROFILE",
    "HERMES_UI_SESSION_ID",
];

/// How to choose.
#[derive(Clone, Debug, Default)]
pub struct EnvRules {
    /// Variables of the backend, laid over those of the process.
    pub backend: BTreeMap<String, String>,
    /// Names withheld beyond the built-in ones, such as the key variables of the user's own
    /// providers.
    pub also_withheld: BTreeSet<String>,
    /// Names that are wanted although they would be left out.
    pub passthrough: Passthrough,
    /// Whether the child gets the keys of model providers and tools.
    pub credentials: Credentials,
    /// The folder of our own executable, so that commands find `hermes`.
    pub own_directory: Option<PathBuf>,
    /// Which home the child gets.
    pub home: HomeRules,
    /// Whose child it is.
    pub session: SessionContext,
}

/// Whether a child gets the keys of model providers and tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Credentials {
    /// It gets none: every command, and all helpers that do not need one.
    #[default]
    Withheld,
    /// It gets those of [`Tier::Provider`], because it talks to providers for us. Those of
    /// [`Tier::Account`] stay here.
    Inherited,
}

/// Whose child it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SessionContext {
    /// No session was ever bound in this process, so what it inherited is its own session's.
    #[default]
    NotInUse,
    /// Sessions are bound, and this one has these values. A session variable without one is
    /// removed, since what the process has may be another session's. Other names are ignored.
    InUse(BTreeMap<String, String>),
}

/// The variables of a child.
#[must_use]
pub fn variables(process: &Vars, rules: &EnvRules) -> BTreeMap<String, String> {
    let backend = rules.backend.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut variables: BTreeMap<String, String> = process
        .iter()
        .chain(backend)
        .filter(|(name, _)| may_inherit(name, rules))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();

    let path = variables.get("PATH").map_or("", String::as_str);
    let path = search_path::in_order(path, rules.own_directory.as_deref());
    variables.insert("PATH".to_owned(), path);
    rules.home.apply(&mut variables);
    force(&rules.backend, &mut variables);
    bind_session(&rules.session, &mut variables);
    variables
}

/// Whether a variable says whose command it is.
#[must_use]
pub fn is_session_variable(name: &str) -> bool {
    SESSION_VARIABLES.contains(&name) || name.starts_with(SESSION_PREFIX)
}

fn may_inherit(name: &str, rules: &EnvRules) -> bool {
    if is_dynamic_secret(name) || name.starts_with(FORCE_PREFIX) {
        return false;
    }
    let tier = tier(name).or_else(|| rules.also_withheld.contains(name).then_some(Tier::Provider));
    match tier {
        Some(Tier::Account) => false,
        Some(Tier::Provider) => rules.credentials == Credentials::Inherited,
        None => !ENVIRONMENT_MARKERS.contains(&name) || rules.passthrough.allows(name),
    }
}

fn force(backend: &BTreeMap<String, String>, variables: &mut BTreeMap<String, String>) {
    for (name, value) in backend {
        let forced = name.strip_prefix(FORCE_PREFIX).filter(|name| !name.is_empty());
        if let Some(name) = forced.filter(|name| !is_dynamic_secret(name)) {
            variables.insert(name.to_owned(), value.clone());
        }
    }
}

fn bind_session(session: &SessionContext, variables: &mut BTreeMap<String, String>) {
    let SessionContext::InUse(bound) = session else { return };
    variables.retain(|name, _| !is_session_variable(name));
    let bound = bound.iter().filter(|(name, _)| is_session_variable(name));
    variables.extend(bound.map(|(name, value)| (name.clone(), value.clone())));
}

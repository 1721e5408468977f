//! Putting hooks into force.
//!
//! A hook already in force is recognised by the name it is registered under, which is made from its
//! command and matcher; so registering twice, after the settings were read again, adds only what is
//! new. This reads and writes the list of agreements and may ask a person: call it while starting
//! up, not on a thread that others wait for.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use hermes_runtime::hooks::{Hook, HookEvent, Hooks};
use tracing::{info, warn};

use super::ShellHook;
use super::consent::{
    ACCEPT_SETTING, ACCEPT_VARIABLE, AllowlistError, Approval, ConsentPolicy, ConsentReply,
    HookConsent, ScriptState,
};
use super::run::HookRunner;

/// The variable that keeps every hook and plugin out.
pub const SAFE_MODE_VARIABLE: &str = "HERMES_SAFE_MODE";

/// What came of the hooks in the settings.
#[derive(Debug, Default)]
pub struct RegisteredHooks {
    /// Those put into force by this call.
    pub active: Vec<Active>,
    /// The others.
    pub skipped: Vec<Skipped>,
    /// What was wrong with the list of agreements. A hook that somebody agreed to just now is in
    /// force even if that could not be noted.
    pub problems: Vec<AllowlistError>,
}

/// A hook in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Active {
    /// What runs, and when.
    pub hook: ShellHook,
    /// A person, or a setting that agrees to all.
    pub agreed: Agreed,
}

/// Who agreed to a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreed {
    /// Somebody, earlier; and how its script stands to that.
    Earlier(ScriptState),
    /// The user, to all hooks beforehand.
    Beforehand,
    /// The person who was asked just now.
    JustNow,
}

/// A hook not put into force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// As the configuration has it.
    pub hook: ShellHook,
    /// Why not.
    pub reason: SkipReason,
}

/// Why a hook was not put into force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// Safe mode is on.
    SafeMode,
    /// One with the same event, matcher and command already is.
    AlreadyActive,
    /// Nobody has agreed to it, and nobody could be asked.
    NotApproved,
    /// The person who was asked said no.
    Declined,
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SafeMode => write!(f, "{SAFE_MODE_VARIABLE} is on"),
            Self::AlreadyActive => write!(f, "it is in force already"),
            Self::NotApproved => write!(
                f,
                "nobody has approved it; start Hermes in a terminal to be asked, or approve all \
                 hooks with --accept-hooks, {ACCEPT_VARIABLE}=1 or `{ACCEPT_SETTING}: true`"
            ),
            Self::Declined => write!(f, "it was declined"),
        }
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hook `{}` on {} does not run: ", self.hook.command, self.hook.event)?;
        self.reason.fmt(f)
    }
}

/// Puts those hooks into force that somebody has agreed to.
pub fn register(
    hooks: &Hooks,
    configured: &[ShellHook],
    consent: &HookConsent,
    runner: &HookRunner,
) -> RegisteredHooks {
    let mut registered = RegisteredHooks::default();
    if configured.is_empty() {
        return registered; // and leave the list unread
    }
    if runner.vars().is_on(SAFE_MODE_VARIABLE) {
        for hook in configured {
            registered.skip(hook, SkipReason::SafeMode);
        }
        return registered;
    }
    let mut registrar =
        Registrar { consent, runner, approvals: Vec::new(), replies: HashMap::new() };
    match consent.allowlist.approvals() {
        Ok(approvals) => registrar.approvals = approvals,
        Err(error) => registered.problem(error),
    }
    for hook in configured {
        let owner = hook.owner();
        if hooks.owners(hook.event).iter().any(|known| **known == *owner) {
            registered.skip(hook, SkipReason::AlreadyActive);
            continue;
        }
        match registrar.agreement(hook, &mut registered) {
            Ok(agreed) => {
                hooks.on(hook.event, callback(owner, hook, runner));
                registered.active.push(Active { hook: hook.clone(), agreed });
            }
            Err(reason) => registered.skip(hook, reason),
        }
    }
    registered
}

impl RegisteredHooks {
    fn skip(&mut self, hook: &ShellHook, reason: SkipReason) {
        info!(event = %hook.event, command = hook.command, "shell hook skipped: {reason}");
        self.skipped.push(Skipped { hook: hook.clone(), reason });
    }

    fn problem(&mut self, error: AllowlistError) {
        warn!("{error}");
        self.problems.push(error);
    }
}

/// The hook as the runtime calls it.
fn callback(owner: String, hook: &ShellHook, runner: &HookRunner) -> Hook {
    let shared = Arc::new((hook.clone(), runner.clone()));
    Hook::future(owner, move |payload| {
        let shared = Arc::clone(&shared);
        async move {
            let (hook, runner) = &*shared;
            if !hook.applies_to(&payload) {
                return None;
            }
            runner.answer(hook, &payload).await
        }
    })
}

/// Who agreed to what, on the way through the hooks of one call.
struct Registrar<'a> {
    consent: &'a HookConsent,
    runner: &'a HookRunner,
    approvals: Vec<Approval>,
    /// Answers given on the way: a command with two matchers is asked about once.
    replies: HashMap<(HookEvent, &'a str), ConsentReply>,
}

impl<'a> Registrar<'a> {
    fn agreement(
        &mut self,
        hook: &'a ShellHook,
        registered: &mut RegisteredHooks,
    ) -> Result<Agreed, SkipReason> {
        let earlier = self.approvals.iter().find(|known| known.covers(hook.event, &hook.command));
        if let Some(approval) = earlier {
            let state = approval.script_state(self.runner.user_folder());
            if let ScriptState::Changed { .. } = state {
                let (event, command) = (hook.event, &hook.command);
                warn!(%event, command, "the script of this shell hook changed after its approval");
            }
            return Ok(Agreed::Earlier(state));
        }
        let agreed = match &self.consent.policy {
            ConsentPolicy::Skip => return Err(SkipReason::NotApproved),
            ConsentPolicy::AutoAccept => Agreed::Beforehand,
            ConsentPolicy::Ask(_) => Agreed::JustNow,
        };
        let key = (hook.event, hook.command.as_str());
        let reply = match self.replies.get(&key) {
            Some(reply) => *reply,
            None => {
                let reply = self.new_reply(hook, registered);
                self.replies.insert(key, reply);
                reply
            }
        };
        match reply {
            ConsentReply::Yes => Ok(agreed),
            ConsentReply::No => Err(SkipReason::Declined),
        }
    }

    /// Asks, where the policy says so, and notes a yes.
    fn new_reply(&self, hook: &ShellHook, registered: &mut RegisteredHooks) -> ConsentReply {
        if let ConsentPolicy::Ask(ask) = &self.consent.policy
            && ask(hook) == ConsentReply::No
        {
            return ConsentReply::No;
        }
        let folder = self.runner.user_folder();
        if let Err(error) = self.consent.allowlist.approve(hook.event, &hook.command, folder) {
            registered.problem(error);
        }
        ConsentReply::Yes
    }
}

//! Who agreed to what.
//!
//! A hook is a program somebody wrote into a settings file, and settings files come from
//! repositories, dotfile collections and advice on the net. So a person agrees to each pair of
//! event and command once, before it first runs; the agreement is kept in an [`Allowlist`]. Changing
//! the command in the settings takes a new agreement. Changing the script behind an unchanged
//! command does not, as people edit their scripts all the time, but it shows: see [`ScriptState`].

mod allowlist;
mod script;

pub use allowlist::{Allowlist, AllowlistError, Approval};
pub use script::{ScriptState, modified, script_of};

use std::fmt;

use hermes_tool::Vars;
use hermes_tool::settings::Settings;
use serde_json::Value;

use super::ShellHook;

/// The variable that agrees to every hook.
pub const ACCEPT_VARIABLE: &str = "HERMES_ACCEPT_HOOKS";
/// The setting that agrees to every hook.
pub const ACCEPT_SETTING: &str = "hooks_auto_accept";

/// What a person says to a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsentReply {
    /// It may run, from now on.
    Yes,
    /// It may not run; asked again next time.
    No,
}

/// A question to the person at the terminal.
pub type ConsentAsker = Box<dyn Fn(&ShellHook) -> ConsentReply + Send + Sync>;

/// What happens with a hook nobody has agreed to yet.
pub enum ConsentPolicy {
    /// The user has agreed to all of them beforehand; that is noted in the list.
    AutoAccept,
    /// A person is asked; a yes is noted in the list.
    Ask(ConsentAsker),
    /// Nobody is there to be asked: it does not run.
    Skip,
}

impl fmt::Debug for ConsentPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AutoAccept => "AutoAccept",
            Self::Ask(_) => "Ask",
            Self::Skip => "Skip",
        })
    }
}

/// The list of agreements and the way to new ones.
#[derive(Debug)]
pub struct HookConsent {
    /// What was agreed to.
    pub allowlist: Allowlist,
    /// What happens with everything else.
    pub policy: ConsentPolicy,
}

/// What the file says about hooks that nobody was asked about.
#[derive(Settings)]
struct ConsentSettings {
    /// Run new hook commands without asking.
    hooks_auto_accept: bool,
}

/// The places where a user may agree to every hook at once.
#[derive(Clone, Copy, Debug)]
pub struct ConsentSources<'a> {
    /// Whether `--accept-hooks` was given.
    pub accept_hooks_flag: bool,
    /// For [`ACCEPT_VARIABLE`].
    pub vars: &'a Vars,
    /// The whole configuration, for [`ACCEPT_SETTING`].
    pub config: &'a Value,
}

impl ConsentSources<'_> {
    /// Whether one of them agrees.
    #[must_use]
    pub fn accept_all(&self) -> bool {
        self.accept_hooks_flag
            || self.vars.is_on(ACCEPT_VARIABLE)
            || ConsentSettings::read(self.config, self.vars).hooks_auto_accept
    }

    /// The policy: agreement beforehand, else the person at the terminal, else none.
    #[must_use]
    pub fn policy(&self, terminal: Option<ConsentAsker>) -> ConsentPolicy {
        match terminal {
            _ if self.accept_all() => ConsentPolicy::AutoAccept,
            Some(ask) => ConsentPolicy::Ask(ask),
            None => ConsentPolicy::Skip,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn any_of_the_three_places_agrees_to_all() {
        let none = Vars::default();
        let on: Vars = [(ACCEPT_VARIABLE.to_owned(), "Yes".to_owned())].into_iter().collect();
        let accepts = |flag, vars, config: Value| {
            ConsentSources { accept_hooks_flag: flag, vars, config: &config }.accept_all()
        };
        assert!(accepts(true, &none, json!({})));
        assert!(accepts(false, &on, json!({})));
        assert!(accepts(false, &none, json!({"hooks_auto_accept": true})));
        for quoted in ["true", "True", " yes ", "on", "1", "YES"] {
            assert!(accepts(false, &none, json!({"hooks_auto_accept": quoted})), "{quoted}");
        }
        for config in
            [json!(null), json!({"hooks_auto_accept": "false"}), json!({"hooks_auto_accept": 7})]
        {
            assert!(!accepts(false, &none, config));
        }
    }

    #[test]
    fn without_agreement_or_terminal_hooks_are_skipped() {
        let sources = ConsentSources {
            accept_hooks_flag: false,
            vars: &Vars::default(),
            config: &Value::Null,
        };
        assert!(matches!(sources.policy(None), ConsentPolicy::Skip));
        let asked = sources.policy(Some(Box::new(|_| ConsentReply::No)));
        assert!(matches!(asked, ConsentPolicy::Ask(_)));
        let agreed = ConsentSources { accept_hooks_flag: true, ..sources };
        let policy = agreed.policy(Some(Box::new(|_| ConsentReply::No)));
        assert!(matches!(policy, ConsentPolicy::AutoAccept));
    }
}

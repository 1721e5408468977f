//! Settings that are declared where they are read.
//!
//! A crate that can be configured has structs with [`Settings`] derived on them. Each field is one key of
//! `config.yaml`: its type says what may be written there, its doc comment is the line in the reference, its
//! attribute holds the default. Reading, the table of keys, `hermes config check`, `hermes config keys` and the
//! documentation all come from that one place, so a key cannot be documented and forgotten.
//!
//! ```
//! use hermes_tool::settings::Settings;
//! use hermes_tool::Vars;
//! use serde_json::json;
//!
//! /// How far a conversation goes on by itself.
//! #[derive(Settings)]
//! #[settings(path = "goals", about = "Standing goals")]
//! struct GoalSettings {
//!     /// Most turns a goal goes on by itself.
//!     #[setting(default = 20, range = 1..)]
//!     max_turns: u32,
//! }
//!
//! let goals = GoalSettings::read(&json!({"goals": {"max_turns": 5}}), &Vars::default());
//! assert_eq!(goals.max_turns, 5);
//! assert_eq!(GoalSettings::default().max_turns, 20);
//! assert_eq!(GoalSettings::keys()[1].path, "goals.max_turns");
//! ```
//!
//! # The struct
//!
//! | in `#[settings(…)]` | meaning |
//! |---|---|
//! | `path = "goals"` | the section its fields stand in; without it they stand at the top of the file |
//! | `about = "…"` | what the section is for. Given by one of the structs that share a section |
//! | `open` | names that no struct declares are fine there (a plugin's, a newer version's) |
//! | `variables = "TERMINAL_"` | every field can also be given by a variable: this and the key in capitals |
//! | `manual` | is not part of the table: it is read into a field of another struct |
//!
//! # A field
//!
//! | in `#[setting(…)]` | meaning |
//! |---|---|
//! | `default = 20` | counts when nothing is given; without it the type's own default does |
//! | `key = "enabled"` | another name in the file than the field's; with dots, one further below |
//! | `path = "security.redact_secrets"` | another place in the file than the struct's section |
//! | `range = 1..=10` | what else a number must be |
//! | `variable = "HERMES_X"` | an environment variable that wins over the file |
//! | `variable_only = "HERMES_X"` | is no key at all: only this variable says it |
//! | `fallback = "TERMINAL_ENV"` | one that counts where the file says nothing; instead of the struct's `variables` |
//! | `file_only` | no variable, whatever the struct says |
//! | `older = "a.b"` | the path of an older spelling: read where the new one is absent, accepted by the check, not in the reference. From the top of the file, or from the struct that has no path of its own; can be given several times |
//! | `hidden` | the whole key is an older form: read, accepted by the check, not in the reference |
//!
//! Field types implement [`SettingValue`]: booleans, numbers, texts, lists, [`Seconds`], `Option` of those, `Value` for
//! what another module takes apart, enums with [`SettingWords`] derived, and other structs that derive [`Settings`].
//! Many of a kind are a `BTreeMap` by names of the user's choice, or [`Entries`] in a list; [`TextOr`] is a section with a
//! short form, and [`RawSetting`] keeps what is written for a reader that tells more about mistakes than a type could.
//!
//! # What a wrong value does
//!
//! It counts as not given and is kept as a [`SettingProblem`], which never shows what was written in a list or section.
//! [`Settings::read`] leaves the problems to `hermes config check`; [`Settings::read_strictly`] hands the first one back, for
//! settings where running on a default would be worse than not running.

mod declaration;
mod kind;
mod problem;
pub mod scalar;
mod seconds;
mod shapes;
mod source;
mod value;

pub use declaration::{DeclaredSettings, KeyInfo, KeyTable};
pub use hermes_tool_macros::{SettingWords, Settings};
pub use kind::Kind;
pub use problem::{SettingOrigin, SettingProblem};
pub use seconds::Seconds;
pub use shapes::{Entries, RawSetting, TextOr};
pub use source::{FieldSpec, SettingsSource};
pub use value::SettingValue;

use serde_json::Value;

use crate::Vars;

/// The path of a name below another; nothing is above the top of the file.
#[doc(hidden)]
#[must_use]
pub fn join(base: &str, key: &str) -> String {
    if base.is_empty() { key.to_owned() } else { format!("{base}.{key}") }
}

/// A struct whose fields are keys of the configuration. Derived, never written by hand.
pub trait Settings: Sized {
    /// The keys of all fields, below `base` if the struct is a field of another one.
    fn keys_below(base: &str) -> Vec<KeyInfo>;

    /// Reads all fields, in the order of their declaration.
    fn read_below(base: &str, source: &mut SettingsSource<'_>) -> Self;

    /// The keys as they stand in the file, the section before its fields.
    #[must_use]
    fn keys() -> Vec<KeyInfo> {
        Self::keys_below("")
    }

    /// Reads a configuration; what is absent or wrong has its default.
    #[must_use]
    fn read(config: &Value, vars: &Vars) -> Self {
        Self::read_with_problems(config, vars).0
    }

    /// Reads a configuration and tells what could not be used.
    #[must_use]
    fn read_with_problems(config: &Value, vars: &Vars) -> (Self, Vec<SettingProblem>) {
        let mut source = SettingsSource::new(config, vars);
        let settings = Self::read_below("", &mut source);
        (settings, source.into_problems())
    }

    /// Reads a configuration that must be right.
    ///
    /// # Errors
    ///
    /// The first value that cannot be used.
    fn read_strictly(config: &Value, vars: &Vars) -> Result<Self, SettingProblem> {
        let (settings, problems) = Self::read_with_problems(config, vars);
        problems.into_iter().next().map_or(Ok(settings), Err)
    }
}

#[cfg(test)]
mod tests;

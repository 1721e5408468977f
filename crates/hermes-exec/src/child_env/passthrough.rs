//! Variables that are asked for by name.
//!
//! A skill says in its frontmatter which variables its programs need, and a user lists more under
//! `terminal.env_passthrough`. Neither can ask for what is withheld: a skill is text from
//! elsewhere, and one line in it must not be enough to be handed the keys.

use std::collections::{BTreeMap, BTreeSet};

use hermes_tool::Vars;

use super::names::{is_dynamic_secret, is_withheld};

/// The names that were asked for and may be given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passthrough(BTreeSet<String>);

impl Passthrough {
    /// Those of the names that may be given. Nothing is let through that is in `also_withheld`.
    #[must_use]
    pub fn new<I>(names: I, also_withheld: &BTreeSet<String>) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let names = names.into_iter().map(|name| name.as_ref().trim().to_owned());
        Self(names.filter(|name| !name.is_empty() && !is_refused(name, also_withheld)).collect())
    }

    /// Those of the names that may not be given, to be told about.
    #[must_use]
    pub fn refused<I>(names: I, also_withheld: &BTreeSet<String>) -> Vec<String>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let names = names.into_iter().map(|name| name.as_ref().trim().to_owned());
        names.filter(|name| is_refused(name, also_withheld)).collect()
    }

    /// Whether a variable was asked for and may be given.
    #[must_use]
    pub fn allows(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

fn is_refused(name: &str, also_withheld: &BTreeSet<String>) -> bool {
    is_withheld(name) || also_withheld.contains(name)
}

/// The variables handed into a container that inherits nothing: those the user lists in the
/// settings of the container, which may name a key, and those that were asked for otherwise.
#[must_use]
pub fn forwarded(
    process: &Vars,
    explicit: &[String],
    passthrough: &Passthrough,
) -> BTreeMap<String, String> {
    let explicit = explicit.iter().map(String::as_str).filter(|name| !is_dynamic_secret(name));
    explicit
        .chain(passthrough.names())
        .filter_map(|name| Some((name.to_owned(), process.get(name)?.to_owned())))
        .collect()
}

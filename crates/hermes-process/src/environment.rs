//! The variables a child is given: none, unless named.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt as _;

/// Where bare names are looked up when neither the child nor we have a `PATH`.
const FALLBACK_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The whole environment of one child.
#[derive(Default)]
pub(crate) struct ChildEnvironment(BTreeMap<OsString, OsString>);

impl ChildEnvironment {
    pub(crate) fn set(&mut self, name: OsString, value: OsString) {
        self.0.insert(name, value);
    }

    pub(crate) fn inherit(&mut self, name: &OsStr) {
        if let Some(value) = ours(name) {
            self.set(name.to_owned(), value);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.0.iter()
    }

    /// The search path for a bare program name: the child's own, so that a caller who sets `PATH`
    /// gets what the child would find; else ours, as an empty environment should not hide programs.
    pub(crate) fn search_path(&self) -> OsString {
        let own = self.0.get(OsStr::new("PATH")).cloned();
        own.or_else(|| ours(OsStr::new("PATH"))).unwrap_or_else(|| FALLBACK_PATH.into())
    }

    /// What makes this environment impossible to pass on, if anything. Names no value.
    pub(crate) fn problem(&self) -> Option<String> {
        self.iter().find_map(|(name, value)| {
            let bytes = name.as_bytes();
            if bytes.is_empty() || bytes.contains(&b'=') || bytes.contains(&0) {
                return Some(format!("{name:?} cannot be the name of an environment variable"));
            }
            let nul = value.as_bytes().contains(&0);
            nul.then(|| format!("the value of environment variable {name:?} contains a NUL byte"))
        })
    }
}

/// Names only: values may be secrets.
impl fmt::Debug for ChildEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "handing on a variable of our own process, by name, is this module's purpose"
)]
pub(crate) fn ours(name: &OsStr) -> Option<OsString> {
    std::env::var_os(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inherits_only_what_is_set() {
        let mut environment = ChildEnvironment::default();
        environment.inherit(OsStr::new("PATH"));
        environment.inherit(OsStr::new("HERMES_PROCESS_NEVER_SET"));
        let names: Vec<_> = environment.iter().map(|(name, _)| name.clone()).collect();
        assert_eq!(names, ["PATH"]);
    }

    #[test]
    fn refuses_names_and_values_that_cannot_be_passed() {
        for (name, value) in [("", "x"), ("A=B", "x"), ("A\0", "x"), ("A", "x\0")] {
            let mut environment = ChildEnvironment::default();
            environment.set(name.into(), value.into());
            assert!(environment.problem().is_some(), "{name:?}={value:?}");
        }
        let mut fine = ChildEnvironment::default();
        fine.set("A".into(), "x=y".into());
        assert_eq!(fine.problem(), None);
    }
}

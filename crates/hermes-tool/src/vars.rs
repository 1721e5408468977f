//! Variables: the process environment with `HERMES_HOME/.env` laid over it.
//!
//! Tools and their checks read variables here and nowhere else. The values never reach a log: the
//! `Debug` form shows names only. A `Vars` is a snapshot; a change made to the environment later is
//! seen by the next snapshot, not by this one.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// A cheap-to-clone snapshot of variables.
#[derive(Clone)]
pub struct Vars(Arc<BTreeMap<String, String>>);

impl Default for Vars {
    fn default() -> Self {
        // Shared, because every call's context begins with one.
        static NONE: LazyLock<Vars> = LazyLock::new(|| Vars(Arc::default()));
        NONE.clone()
    }
}

impl Vars {
    /// The variables of this process; names or values that are not Unicode are left out.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
    pub fn from_process() -> Self {
        std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect()
    }

    /// This snapshot with other variables laid over it.
    #[must_use]
    pub fn overlaid(&self, over: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut merged = (*self.0).clone();
        merged.extend(over);
        Self(Arc::new(merged))
    }

    /// The value of a variable, if set.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The value of a variable, if set to more than blanks.
    #[must_use]
    pub fn non_blank(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.trim().is_empty())
    }

    /// Whether a variable holds one of the words for yes: 1, true, yes, on.
    #[must_use]
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| {
            ["1", "true", "yes", "on"].iter().any(|word| value.trim().eq_ignore_ascii_case(word))
        })
    }

    /// Names and values, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl FromIterator<(String, String)> for Vars {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Self {
        Self(Arc::new(variables.into_iter().collect()))
    }
}

impl fmt::Debug for Vars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vars() -> Vars {
        [("TOKEN", "s3cret"), ("EMPTY", " "), ("FLAG", "Yes")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into_iter()
            .collect()
    }

    #[test]
    fn debug_form_shows_names_and_never_values() {
        let shown = format!("{:?}", vars());
        assert!(shown.contains("TOKEN") && !shown.contains("s3cret"), "{shown}");
    }

    #[test]
    fn blank_counts_as_unset_where_a_value_is_needed() {
        assert_eq!(vars().non_blank("EMPTY"), None);
        assert_eq!(vars().non_blank("TOKEN"), Some("s3cret"));
        assert!(vars().is_on("FLAG"));
    }

    #[test]
    fn the_overlay_wins() {
        let over = vars().overlaid([("TOKEN".to_owned(), "new".to_owned())]);
        assert_eq!(over.get("TOKEN"), Some("new"));
        assert_eq!(vars().get("TOKEN"), Some("s3cret"));
    }
}

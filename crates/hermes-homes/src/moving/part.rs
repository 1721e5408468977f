//! A part of a home, and what becomes of it.

use serde::Serialize;

/// Names of one part that are told; the rest is counted.
const MOST_NAMES: usize = 20;

/// What becomes of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PartFate {
    /// It is here as it was there.
    Comes,
    /// It is here in another place or form.
    Changed,
    /// It is not, or does nothing here.
    Stays,
}

/// A part of a home that moves.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MovedPart {
    pub(super) part: &'static str,
    pub(super) fate: PartFate,
    pub(super) count: usize,
    pub(super) names: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) why: String,
}

impl MovedPart {
    fn new(part: &'static str, fate: PartFate, names: impl IntoIterator<Item = String>) -> Self {
        let mut names: Vec<String> = names.into_iter().collect();
        let count = names.len();
        names.truncate(MOST_NAMES);
        Self { part, fate, count, names, why: String::new() }
    }

    pub(super) fn comes(part: &'static str, names: impl IntoIterator<Item = String>) -> Self {
        Self::new(part, PartFate::Comes, names)
    }

    pub(super) fn changed(part: &'static str, names: impl IntoIterator<Item = String>) -> Self {
        Self::new(part, PartFate::Changed, names)
    }

    pub(super) fn stays(
        part: &'static str,
        names: impl IntoIterator<Item = String>,
        why: impl Into<String>,
    ) -> Self {
        Self::new(part, PartFate::Stays, names).because(why)
    }

    /// The same with a count of what has no names.
    pub(super) fn counting(self, count: usize) -> Self {
        Self { count, ..self }
    }

    pub(super) fn because(self, why: impl Into<String>) -> Self {
        Self { why: why.into(), ..self }
    }

    /// Whether it does nothing here.
    pub(super) fn is_left(&self) -> bool {
        self.fate == PartFate::Stays
    }

    /// As a row: what, how much of it, what becomes of it, and why.
    pub(crate) fn row(&self) -> [String; 4] {
        let fate = match self.fate {
            PartFate::Comes => "comes along",
            PartFate::Changed => "changed",
            PartFate::Stays => "stays",
        };
        let mut about = self.names.join(", ");
        if !self.names.is_empty() && self.count > self.names.len() {
            about.push_str(", …");
        }
        if !self.why.is_empty() {
            let between = if about.is_empty() { "" } else { ": " };
            about = format!("{about}{between}{}", self.why);
        }
        [self.part.to_owned(), self.count.to_string(), fate.to_owned(), about]
    }
}

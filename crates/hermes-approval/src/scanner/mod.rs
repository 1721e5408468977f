//! A second opinion on commands from an external program.

mod tirith;

use hermes_tool::BoxFuture;
use tokio_util::sync::CancellationToken;

pub use tirith::Tirith;

use crate::concern::{Concern, ConcernSource};

/// Longest summary taken from a scanner, in characters.
pub(crate) const MAX_SUMMARY: usize = 500;
/// Most findings taken from a scanner.
pub(crate) const MAX_FINDINGS: usize = 50;

/// What a scanner says about a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScanReport {
    /// Whether it objects. Its grades, warning and block, are the same to us: a person decides.
    pub objects: bool,
    /// The rules that objected, the first one first; may be empty even if it objects.
    pub rules: Vec<String>,
    /// Why, in the scanner's words.
    pub summary: String,
}

impl ScanReport {
    /// As a concern, if it is one.
    pub(crate) fn concern(&self, command: &str) -> Option<Concern> {
        if !self.objects {
            return None;
        }
        let rule = self.rules.first().map_or("unnamed", String::as_str);
        let why = if self.summary.is_empty() {
            "The scanner objects.".to_owned()
        } else {
            self.summary.clone()
        };
        Some(Concern {
            key: format!("tirith:{rule}"),
            words: command.to_owned(),
            why,
            source: ConcernSource::Scanner,
        })
    }
}

/// Looks at commands.
pub trait CommandScanner: Send + Sync {
    /// What it says about a command. Failure is an answer too: objecting or not, as configured.
    fn scan(&self, command: &str, cancellation: CancellationToken) -> BoxFuture<ScanReport>;
}

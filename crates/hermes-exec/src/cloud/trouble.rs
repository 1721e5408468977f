//! What can go wrong between us and a cloud.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::backend::ClientTrouble;

/// What a bridge's own words begin with. A command cannot say them: what it writes goes another way.
pub(super) const OURS: &str = "hermes-sandbox: ";

/// Why a vendor did not do what it was asked.
#[derive(Clone, Debug, Deserialize, Error, PartialEq, Eq, Serialize)]
pub(super) enum CloudTrouble {
    /// The key is missing or not accepted, or the account may not do this.
    #[error("{0}")]
    Unwelcome(String),
    /// The sandbox is not there, or does not run.
    #[error("{0}")]
    Gone(String),
    /// It says no.
    #[error("{0}")]
    Refused(String),
    /// It cannot be reached, or does not answer as it should.
    #[error("{0}")]
    Unreachable(String),
}

impl CloudTrouble {
    /// As a bridge tells it, with the number of the sandbox it is about: another may have taken its place meanwhile.
    pub(super) fn told(&self, sandbox: u64, has_begun: bool) -> String {
        let kind = match self {
            Self::Gone(_) if !has_begun => "gone",
            Self::Unwelcome(_) | Self::Refused(_) if !has_begun => "refused",
            _ => "unreachable",
        };
        format!("{OURS}{sandbox} {kind}: {self}\n")
    }
}

/// What a bridge told, if it told of trouble, and of which sandbox.
pub(super) fn read(words: &str) -> Option<(u64, ClientTrouble)> {
    let told = words.lines().find_map(|line| line.strip_prefix(OURS))?;
    let (kind, why) = told.split_once(": ")?;
    let (sandbox, kind) = kind.split_once(' ')?;
    let why = why.to_owned();
    let trouble = match kind {
        "gone" => ClientTrouble::Gone(why),
        "refused" => ClientTrouble::Refused(why),
        _ => ClientTrouble::Unreachable(why),
    };
    Some((sandbox.parse().ok()?, trouble))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_have_begun_is_not_told_to_be_gone() {
        let gone = CloudTrouble::Gone("404".to_owned());
        assert_eq!(read(&gone.told(7, false)), Some((7, ClientTrouble::Gone("404".to_owned()))));
        let unreachable = ClientTrouble::Unreachable("404".to_owned());
        assert_eq!(read(&gone.told(7, true)), Some((7, unreachable)));
        let refused = CloudTrouble::Refused("no: bash".to_owned());
        let expected = Some((8, ClientTrouble::Refused("no: bash".to_owned())));
        assert_eq!(read(&format!("words\n{}", refused.told(8, false))), expected);
        assert_eq!(read("bash: command not found\n"), None);
    }
}

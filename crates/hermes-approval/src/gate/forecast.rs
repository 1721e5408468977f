//! What the gate would do, without doing it.

use hermes_guard::command::{Analysis, analyse};

use super::rule::Ruling;
use super::settle::Case;
use super::{Approvals, widest};
use crate::concern::Concern;
use crate::request::{Request, Scope};
use crate::{Grant, Refusal};

/// What would become of a command, and what the analysis found.
#[derive(Debug)]
pub struct Forecast {
    /// What would happen.
    pub outlook: Outlook,
    /// What the analysis says, also where nothing depends on it.
    pub analysis: Analysis,
}

/// What would happen to a command.
#[derive(Debug)]
pub enum Outlook {
    /// It would run.
    Runs(Grant),
    /// It would not.
    Refused(Refusal),
    /// Somebody would be asked.
    Asks {
        /// About this.
        concerns: Vec<Concern>,
        /// The longest-lasting yes they could give.
        widest: Scope,
    },
}

impl Approvals {
    /// What [`admit`](Self::admit) would do, as far as it can be told without running the scanner,
    /// the reviewing model or asking anybody. Nothing is logged.
    #[must_use]
    pub fn foresee(&self, request: &Request) -> Forecast {
        let analysis = analyse(&request.command, &request.around.surroundings());
        Forecast { outlook: self.outlook(request), analysis }
    }

    fn outlook(&self, request: &Request) -> Outlook {
        let ruling = match self.rule(request) {
            Ruling::Open(concerns) => self.weigh(&Case::of(request, concerns)),
            decided => decided,
        };
        match ruling {
            Ruling::Granted(grant) => Outlook::Runs(grant),
            Ruling::Refused(refusal) => Outlook::Refused(refusal),
            Ruling::Open(concerns) => Outlook::Asks { widest: widest(&concerns), concerns },
        }
    }
}

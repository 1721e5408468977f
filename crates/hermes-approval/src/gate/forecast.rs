//! What the gate would do, without doing it.

use hermes_guard::command::{Analysis, analyse};

use super::case::OpenCase;
use super::rule::GateRuling;
use super::{Approvals, widest};
use crate::concern::Concern;
use crate::request::{CommandRequest, GrantScope};
use crate::{ApprovalGrant, ApprovalRefusal};

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
    Runs(ApprovalGrant),
    /// It would not.
    Refused(ApprovalRefusal),
    /// Somebody would be asked.
    Asks {
        /// About this.
        concerns: Vec<Concern>,
        /// The longest-lasting yes they could give.
        widest: GrantScope,
    },
}

impl Approvals {
    /// What [`admit`](Self::admit) would do, as far as it can be told without running the scanner,
    /// the reviewing model or asking anybody. Nothing is logged.
    #[must_use]
    pub fn foresee(&self, request: &CommandRequest) -> Forecast {
        let earlier = self.memory.earlier(&request.session);
        let around = request.command_context().after(earlier.as_deref());
        let analysis = analyse(&request.command, &around);
        Forecast { outlook: self.outlook(request), analysis }
    }

    fn outlook(&self, request: &CommandRequest) -> Outlook {
        let ruling = match self.rule(request) {
            GateRuling::Open(concerns) => self.weigh(&OpenCase::of(request, concerns)),
            decided => decided,
        };
        match ruling {
            GateRuling::Granted(grant) => Outlook::Runs(grant),
            GateRuling::Refused(refusal) => Outlook::Refused(refusal),
            GateRuling::Open(concerns) => Outlook::Asks { widest: widest(&concerns), concerns },
        }
    }
}

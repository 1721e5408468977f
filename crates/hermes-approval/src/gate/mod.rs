//! The gate itself: the order of decisions, in one place.
//!
//! [`Approvals::admit`] is the way of a command, from top to bottom:
//!
//! 1. a sandbox that cannot reach this machine lets everything through;
//! 2. the floor, which nothing lifts;
//! 3. sudo that would read a password from its input although none is configured;
//! 4. the user's deny rules;
//! 5. yolo, for the process or the session, or `approvals.mode: off`;
//! 6. the user's allow rules, unless an ask rule holds as well;
//! 7. where nobody can be asked: `approvals.cron_mode` and `approvals.headless_mode`;
//! 8. everything that speaks against it, without what was said yes to before;
//! 9. the reviewing model, in mode smart;
//! 10. a person.
//!
//! Whole scripts (`scripts`) and text for programs that run (`input`) are judged in the same order.
//!
//! The first that decides ends it. Steps 1 to 8 look at nothing but the command, the settings and
//! what is remembered (`rule`; only the scanner runs in between), the rest may take time
//! (`escalate`). Every end is written to the log, and only here is anything turned into an
//! [`Approved`].

mod case;
mod escalate;
mod forecast;
mod input;
mod rule;
mod scripts;
mod sudo;
mod unseen;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use hermes_guard::command::{EarlierCommands, analyse};
use hermes_store::home::Home;
use tokio::sync::Semaphore;

pub use forecast::{Forecast, Outlook};
pub use sudo::SUDO_PASSWORD_WAIT;
pub use unseen::UnseenQuestion;

use crate::approved::{Approved, ShellLine};
use crate::ask::{AnswerTarget, ApprovalAnswer, ApprovalPrompter, ApprovalQueue, Observer};
use crate::audit::{Audit, AuditSubject};
use crate::concern::Concern;
use crate::display::shown;
use crate::memory::{GrantMemory, SessionYolo};
use crate::request::{Audience, CommandRequest, ConsentRequest, GrantScope, HostFacts};
use crate::review::Reviewer;
use crate::rules::CommandRules;
use crate::scanner::CommandScanner;
use crate::settings::{ApprovalMode, ApprovalSettings, Unattended};
use crate::{ApprovalGrant, ApprovalRefusal, GrantedBy, RefusalReason};
use case::OpenCase;
use rule::GateRuling;

/// What a lasting yes to scripts as a whole is remembered under.
const SCRIPT_KEY: &str = "execute_code";

/// Decides what may run. One for the whole process, shared.
pub struct Approvals {
    settings: ApprovalSettings,
    rules: CommandRules,
    memory: GrantMemory,
    audit: Option<Audit>,
    asker: Option<Arc<dyn ApprovalPrompter>>,
    queue: Option<ApprovalQueue>,
    reviewer: Option<Arc<dyn Reviewer>>,
    scanner: Option<Arc<dyn CommandScanner>>,
    observer: Option<Arc<dyn Observer>>,
    /// One question at a time on the terminal.
    terminal: Semaphore,
    lineage: Lineage,
    /// What it said no to, for whoever reports on a session at its end.
    refused: Mutex<Vec<RefusedAct>>,
}

/// Something the gate said no to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedAct {
    /// The command or the question, secrets left out.
    pub what: String,
    /// By which rule.
    pub by: &'static str,
}

/// Most refusals a gate remembers; the log has them all.
const REFUSED_KEPT: usize = 50;

/// Who started this process, as far as that matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lineage {
    /// A person, or a program of theirs.
    Person,
    /// A command of a Hermes.
    OwnCommand,
}

/// Collects what the gate works with; without a prompter nobody can be asked, and what needs an answer is refused.
pub struct ApprovalsBuilder {
    settings: ApprovalSettings,
    home: Option<Home>,
    asker: Option<Arc<dyn ApprovalPrompter>>,
    queue: Option<ApprovalQueue>,
    reviewer: Option<Arc<dyn Reviewer>>,
    scanner: Option<Arc<dyn CommandScanner>>,
    observer: Option<Arc<dyn Observer>>,
}

impl ApprovalsBuilder {
    /// Where "always" is saved and decisions are logged. Without it nothing is written.
    #[must_use]
    pub fn home(mut self, home: &Home) -> Self {
        self.home = Some(home.clone());
        self
    }

    /// Asks the person at the terminal, or behind a program that calls us.
    #[must_use]
    pub fn asker(mut self, asker: Arc<dyn ApprovalPrompter>) -> Self {
        self.asker = Some(asker);
        self
    }

    /// Asks the person in a chat.
    #[must_use]
    pub fn queue(mut self, queue: ApprovalQueue) -> Self {
        self.queue = Some(queue);
        self
    }

    /// Reaches the model that reviews commands in mode smart.
    #[must_use]
    pub fn reviewer(mut self, reviewer: Arc<dyn Reviewer>) -> Self {
        self.reviewer = Some(reviewer);
        self
    }

    /// Gives a second opinion on commands.
    #[must_use]
    pub fn scanner(mut self, scanner: Arc<dyn CommandScanner>) -> Self {
        self.scanner = Some(scanner);
        self
    }

    /// Hears of every question and answer.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// The gate. Below one of our own commands it trusts nobody: whatever loosens it, and whoever
    /// answers its questions, may be the model that wrote the command.
    #[must_use]
    pub fn build(self) -> Arc<Approvals> {
        let lineage = match hermes_process::descends_from_own_command() {
            true => Lineage::OwnCommand,
            false => Lineage::Person,
        };
        self.build_below(lineage)
    }

    fn build_below(mut self, lineage: Lineage) -> Arc<Approvals> {
        if lineage == Lineage::OwnCommand {
            self.settings = self.settings.strictest();
            self.asker = None;
            self.queue = None;
            self.reviewer = None;
        }
        let config_file = self.home.as_ref().map(Home::config_file);
        let lasting = self.settings.allowlist.iter().chain(&self.settings.allow);
        Arc::new(Approvals {
            rules: CommandRules::new(&self.settings),
            memory: GrantMemory::new(lasting, config_file),
            audit: self.home.as_ref().map(Audit::in_home),
            settings: self.settings,
            asker: self.asker,
            queue: self.queue,
            reviewer: self.reviewer,
            scanner: self.scanner,
            observer: self.observer,
            terminal: Semaphore::new(1),
            lineage,
            refused: Mutex::default(),
        })
    }
}

impl Approvals {
    /// A gate with these settings, and nobody to ask yet.
    #[must_use]
    pub fn builder(settings: ApprovalSettings) -> ApprovalsBuilder {
        ApprovalsBuilder {
            settings,
            home: None,
            asker: None,
            queue: None,
            reviewer: None,
            scanner: None,
            observer: None,
        }
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> &ApprovalSettings {
        &self.settings
    }

    /// Decides about a command.
    pub async fn admit(
        &self,
        request: CommandRequest,
    ) -> Result<Approved<ShellLine>, ApprovalRefusal> {
        let decision = self.decide(&request).await;
        if decision.is_ok() && !request.target.is_isolated() {
            let earlier = self.memory.earlier(&request.session);
            let around = request.command_context().after(earlier.as_deref());
            self.memory.remember_left(&request.session, analyse(&request.command, &around).left);
        }
        let purpose = request.purpose.name();
        self.log(&request.session, purpose, &request.command, &decision).await;
        decision.map(|grant| Approved::new(ShellLine::of(request), grant))
    }

    async fn decide(&self, request: &CommandRequest) -> Result<ApprovalGrant, ApprovalRefusal> {
        let concerns = match self.rule(request) {
            GateRuling::Granted(grant) => return Ok(grant),
            GateRuling::Refused(refusal) => return Err(refusal),
            GateRuling::Open(concerns) => concerns,
        };
        let mut case = OpenCase::of(request, concerns);
        case.concerns.extend(self.second_opinion(request).await);
        self.escalate(case).await
    }

    async fn second_opinion(&self, request: &CommandRequest) -> Option<Concern> {
        let scanner = self.scanner.as_ref()?;
        let scan = scanner.scan(&request.command, request.cancellation.clone()).await;
        scan.concern(&request.command)
    }

    /// Decides about something that is no command: a plugin's rule, a question of an MCP server.
    /// No model reviews it, because somebody wanted a person asked; and where nobody is there it is
    /// refused whatever the settings for commands say.
    pub async fn consult(&self, request: ConsentRequest) -> Result<ApprovalGrant, ApprovalRefusal> {
        let decision = self.decide_consent(&request).await;
        self.log(&request.session, request.purpose.name(), &request.what, &decision).await;
        decision
    }

    async fn decide_consent(
        &self,
        request: &ConsentRequest,
    ) -> Result<ApprovalGrant, ApprovalRefusal> {
        if let Some(by) = self.everything_goes(&request.session) {
            return Ok(ApprovalGrant::by(by));
        }
        let case = OpenCase::of_consent(request);
        match request.audience {
            Audience::Cron if self.settings.cron == Unattended::Approve => {
                Ok(ApprovalGrant::by(GrantedBy::CronMode))
            }
            Audience::Cron => {
                Err(ApprovalRefusal::new(RefusalReason::Cron, &request.what, case.concerns))
            }
            Audience::Nobody => {
                Err(ApprovalRefusal::new(RefusalReason::Headless, &request.what, case.concerns))
            }
            Audience::Terminal | Audience::Gateway | Audience::Client => self.escalate(case).await,
        }
    }

    /// Remembers for a session that a tool wrote a file, so that whoever runs it later is judged by what is
    /// in it. Without a text nobody knows that.
    pub fn file_written(&self, session: &str, path: &Path, text: Option<String>, host: &HostFacts) {
        let earlier = self.memory.earlier(session);
        let around = host.command_context().after(earlier.as_deref());
        let left = EarlierCommands::file_written(&path.to_string_lossy(), text, &around);
        self.memory.remember_left(session, left);
    }

    /// Who has said that nothing is asked.
    fn everything_goes(&self, session: &str) -> Option<GrantedBy> {
        if self.settings.yolo {
            Some(GrantedBy::Yolo)
        } else if self.memory.yolo(session) == SessionYolo::On {
            Some(GrantedBy::SessionYolo)
        } else if self.settings.mode == ApprovalMode::Off {
            Some(GrantedBy::ModeOff)
        } else {
            None
        }
    }

    /// Lets a session run without questions, or no longer. The floor and the deny rules stay.
    pub fn set_yolo(&self, session: &str, yolo: SessionYolo) {
        if self.lineage == Lineage::Person {
            self.memory.set_yolo(session, yolo);
        }
    }

    /// Forgets what was said in a session, and answers its waiting questions with no.
    pub fn reset_session(&self, session: &str) {
        self.memory.forget_session(session);
        if let Some(queue) = &self.queue {
            queue.answer(session, AnswerTarget::All, &ApprovalAnswer::no());
        }
    }

    /// What this gate said no to so far, the first ones first.
    #[must_use]
    pub fn refused(&self) -> Vec<RefusedAct> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn log(
        &self,
        session: &str,
        purpose: &'static str,
        text: &str,
        decision: &Result<ApprovalGrant, ApprovalRefusal>,
    ) {
        if let Err(refusal) = decision {
            let act = RefusedAct { what: shown(text), by: refusal.reason().name() };
            let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
            if refused.len() < REFUSED_KEPT {
                refused.push(act);
            }
        }
        if let Some(audit) = &self.audit {
            audit.record(&AuditSubject { session, purpose, text }, decision).await;
        }
    }
}

/// The longest-lasting yes that all concerns allow.
fn widest(concerns: &[Concern]) -> GrantScope {
    concerns.iter().map(|concern| concern.source.widest()).min().unwrap_or(GrantScope::Once)
}

#[cfg(test)]
mod tests;

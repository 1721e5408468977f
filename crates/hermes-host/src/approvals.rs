//! The gate that commands pass, built from the user's settings.

use std::sync::Arc;

use hermes_approval::{ApprovalPrompter, ApprovalSettings, Approvals, HostFacts, Reviewer, Tirith};
use hermes_runtime::Runtime;
use hermes_tool::settings::{SettingWords, Settings};

use crate::Host;
use crate::approval_hooks::HookObserver;

/// What happens to flagged commands of a single question, where nobody can be asked.
#[derive(Settings)]
#[settings(path = "approvals", open)]
struct OneShotSettings {
    /// Risky commands of a single question (-q): deny, or allow all that may be allowed at all.
    oneshot: OneShotCommands,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, SettingWords)]
enum OneShotCommands {
    #[default]
    Deny,
    Allow,
}

impl Host {
    /// Whether flagged commands run where one question is asked and nobody is there.
    pub(crate) fn allows_flagged_in_one_shot(&self) -> bool {
        let settings = OneShotSettings::read(self.config().value(), self.vars());
        settings.oneshot == OneShotCommands::Allow
    }

    /// The settings of the gate, and what is wrong with them. A broken configuration has none, so the
    /// careful defaults are in force.
    #[must_use]
    pub fn approval_settings(&self) -> (ApprovalSettings, Vec<String>) {
        let (mut settings, warnings) = ApprovalSettings::read(self.config().value(), self.vars());
        settings.yolo |= self.options().yolo;
        (settings, warnings.into_iter().map(|warning| warning.to_string()).collect())
    }

    /// The gate for commands of a session. Hooks of the runtime hear of its questions; a reviewer looks
    /// at flagged commands before a person does.
    pub(crate) fn approvals(
        &self,
        settings: ApprovalSettings,
        runtime: &Runtime,
        asker: Option<Arc<dyn ApprovalPrompter>>,
        reviewer: Option<Arc<dyn Reviewer>>,
    ) -> Arc<Approvals> {
        let scanner = Tirith::new(&settings.scanner, self.vars());
        let mut gate = Approvals::builder(settings)
            .home(self.home())
            .observer(Arc::new(HookObserver(Arc::clone(runtime.hooks()))));
        if let Some(asker) = asker {
            gate = gate.asker(asker);
        }
        if let Some(reviewer) = reviewer {
            gate = gate.reviewer(reviewer);
        }
        match scanner {
            Some(scanner) => gate.scanner(Arc::new(scanner)).build(),
            None => gate.build(),
        }
    }

    /// What is known about this machine, for commands that run on it.
    #[must_use]
    pub fn host_facts(&self) -> HostFacts {
        HostFacts {
            cwd: std::env::current_dir().ok().map(|dir| dir.to_string_lossy().into_owned()),
            ..HostFacts::from_vars(self.vars(), self.home().root())
        }
    }
}

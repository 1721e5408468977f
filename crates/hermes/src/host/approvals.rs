//! The gate that commands pass, built from the user's settings.

use std::sync::Arc;

use hermes_approval::{Approvals, Around, Asker, Reviewer, Settings, Tirith};
use hermes_runtime::Runtime;
use hermes_tool::Vars;

use super::Host;
use crate::approve::{HookObserver, TerminalAsker, is_interactive};
use crate::ui::Ui;

impl Host {
    /// The settings of the gate, after telling what is wrong with them. A broken configuration
    /// has none, so the careful defaults are in force.
    pub(crate) fn approval_settings(&self, ui: &mut Ui) -> anyhow::Result<Settings> {
        let (mut settings, warnings) = Settings::read(self.config.value(), &self.vars);
        settings.yolo |= self.flags.yolo;
        for warning in warnings {
            ui.warn(warning)?;
        }
        Ok(settings)
    }

    /// The gate for commands of this process. Hooks of the runtime hear of its questions.
    pub(crate) fn approvals(&self, settings: Settings, runtime: &Runtime) -> Arc<Approvals> {
        self.approvals_with(settings, runtime, Some(Arc::new(TerminalAsker)), None)
    }

    /// The same with somebody else to ask, or nobody, and a model that looks at commands first.
    pub(crate) fn approvals_with(
        &self,
        settings: Settings,
        runtime: &Runtime,
        asker: Option<Arc<dyn Asker>>,
        reviewer: Option<Arc<dyn Reviewer>>,
    ) -> Arc<Approvals> {
        let scanner = Tirith::new(&settings.scanner, &self.vars);
        let mut gate = Approvals::builder(settings)
            .home(&self.home)
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

    /// The variables of a call, which say whether a person is at the terminal.
    pub(crate) fn call_vars(&self) -> Vars {
        const INTERACTIVE: &str = "HERMES_INTERACTIVE";
        if is_interactive() && self.vars.get(INTERACTIVE).is_none() {
            self.vars.overlaid([(INTERACTIVE.to_owned(), "1".to_owned())])
        } else {
            self.vars.clone()
        }
    }

    /// What is known about this machine, for commands that run on it.
    pub(crate) fn around(&self) -> Around {
        Around {
            cwd: std::env::current_dir().ok().map(|dir| dir.to_string_lossy().into_owned()),
            ..Around::from_vars(&self.vars, self.home.root())
        }
    }
}

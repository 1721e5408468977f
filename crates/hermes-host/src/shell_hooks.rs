//! Shell hooks of the configuration, and the consent to them.

use hermes_plugins::shell_hooks::consent::{ConsentAsker, ConsentPolicy};
use hermes_plugins::shell_hooks::{
    Allowlist, ConsentSources, HookConsent, HookRunner, ReadConfig, read_config, register,
};
use hermes_runtime::Runtime;

use crate::Host;
use crate::interaction::HookQuestion;

impl Host {
    /// The shell hooks of the configuration, and what is wrong with the rest.
    #[must_use]
    pub fn shell_hooks(&self) -> ReadConfig {
        read_config(self.config().value())
    }

    /// The file of agreements to shell hooks.
    #[must_use]
    pub fn allowlist(&self) -> Allowlist {
        Allowlist::at(self.home().shell_hooks_allowlist())
    }

    /// What runs shell hooks, in the current folder.
    #[must_use]
    pub fn hook_runner(&self) -> HookRunner {
        let runner = HookRunner::new(self.vars().clone(), self.home().root());
        match std::env::current_dir() {
            Ok(cwd) => runner.in_directory(cwd),
            Err(_) => runner,
        }
    }

    /// Puts into force the shell hooks somebody has agreed to, asking where somebody can answer. Gives
    /// what is wrong with those that are not in force.
    pub(crate) fn register_shell_hooks(
        &self,
        runtime: &Runtime,
        question: Option<HookQuestion>,
    ) -> Vec<String> {
        let ReadConfig { hooks, problems } = self.shell_hooks();
        let mut warnings: Vec<String> =
            problems.into_iter().map(|problem| problem.to_string()).collect();
        let sources = ConsentSources {
            accept_hooks_flag: self.options().accept_hooks,
            vars: self.vars(),
            config: self.config().value(),
        };
        let asker =
            question.map(|question| Box::new(move |hook: &_| question(hook)) as ConsentAsker);
        // Nobody agrees to anything through a command of ours: it may be the model that does.
        let policy = match hermes_process::descends_from_own_command() {
            true => ConsentPolicy::Skip,
            false => sources.policy(asker),
        };
        let consent = HookConsent { allowlist: self.allowlist(), policy };
        let registered = register(runtime.hooks(), &hooks, &consent, &self.hook_runner());
        warnings.extend(registered.skipped.into_iter().map(|skipped| skipped.to_string()));
        warnings.extend(registered.problems.into_iter().map(|problem| problem.to_string()));
        warnings
    }
}

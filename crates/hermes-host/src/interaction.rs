//! Who can be asked while tools work.

use std::fmt;
use std::sync::Arc;

use hermes_approval::ApprovalPrompter;
use hermes_mcp::client::elicitation::Person;
use hermes_plugins::shell_hooks::ShellHook;
use hermes_plugins::shell_hooks::consent::ConsentReply;
use hermes_runtime::approval::{Approver, Nobody};

/// Asks whether a shell hook of the configuration may run from now on.
pub type HookQuestion = Arc<dyn Fn(&ShellHook) -> ConsentReply + Send + Sync>;

/// The four kinds of questions that can come up, and who answers each of them. A surface brings its
/// own: the chat draws them, `hermes mcp serve` passes them to its client.
#[derive(Clone)]
pub struct Interaction {
    /// Answers for commands that the approval gate has flagged. Without anybody they are refused.
    pub asker: Option<Arc<dyn ApprovalPrompter>>,
    /// Answers for tool calls that a plugin's or hook's rule is unsure of.
    pub approver: Arc<dyn Approver>,
    /// Fills in the forms of MCP servers. Without anybody they are told that nobody will.
    pub elicitation: Option<Arc<dyn Person>>,
    /// Agrees to shell hooks that nobody has agreed to yet. Without anybody they do not run.
    pub hook_question: Option<HookQuestion>,
}

impl Interaction {
    /// Nobody is there: whatever needs a person's word is refused.
    #[must_use]
    pub fn unattended() -> Self {
        Self { asker: None, approver: Arc::new(Nobody), elicitation: None, hook_question: None }
    }
}

impl Default for Interaction {
    fn default() -> Self {
        Self::unattended()
    }
}

impl fmt::Debug for Interaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interaction")
            .field("asker", &self.asker.is_some())
            .field("elicitation", &self.elicitation.is_some())
            .field("hook_question", &self.hook_question.is_some())
            .finish_non_exhaustive()
    }
}

//! The moments at which hooks are called.

use std::fmt;

macro_rules! events {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal,)+) => {
        /// A moment at which hooks are called.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum HookEvent {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl HookEvent {
            /// Every event, in the order of the reference page.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The name used in configuration files and payloads.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// What happens at this moment, in one line.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc,)+),)+ }
            }
        }
    };
}

events! {
    /// A tool is about to run; may block the call or send it to a person for approval.
    PreToolCall = "pre_tool_call",
    /// A tool has run, or was kept from running.
    PostToolCall = "post_tool_call",
    /// The result of a tool may be replaced; the first text wins.
    TransformToolResult = "transform_tool_result",
    /// The output of a terminal command may be replaced before it is cut.
    TransformTerminalOutput = "transform_terminal_output",
    /// The model's answer may be replaced; the first text that is not empty wins.
    TransformLlmOutput = "transform_llm_output",
    /// A turn begins; returned context joins the user's message.
    PreLlmCall = "pre_llm_call",
    /// A turn has ended with an answer.
    PostLlmCall = "post_llm_call",
    /// The model wants to stop; a hook may keep the turn going.
    PreVerify = "pre_verify",
    /// A request to the model is about to be sent.
    PreApiRequest = "pre_api_request",
    /// A request to the model was answered.
    PostApiRequest = "post_api_request",
    /// A request to the model failed.
    ApiRequestError = "api_request_error",
    /// A session begins.
    OnSessionStart = "on_session_start",
    /// A turn of a session has ended, one way or another.
    OnSessionEnd = "on_session_end",
    /// A session is closed for good.
    OnSessionFinalize = "on_session_finalize",
    /// A session gives way to a new one.
    OnSessionReset = "on_session_reset",
    /// A delegated agent begins.
    SubagentStart = "subagent_start",
    /// A delegated agent has ended.
    SubagentStop = "subagent_stop",
    /// A message from a platform is about to be handled.
    PreGatewayDispatch = "pre_gateway_dispatch",
    /// A person is about to be asked for approval.
    PreApprovalRequest = "pre_approval_request",
    /// A person has answered, or nobody has.
    PostApprovalResponse = "post_approval_response",
    /// A board task was taken.
    KanbanTaskClaimed = "kanban_task_claimed",
    /// A board task was completed.
    KanbanTaskCompleted = "kanban_task_completed",
    /// A board task is blocked.
    KanbanTaskBlocked = "kanban_task_blocked",
}

impl HookEvent {
    /// The event of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|event| event.name() == name)
    }

    /// Whether the payload names a tool, so that a matcher makes sense.
    #[must_use]
    pub const fn is_about_a_tool(self) -> bool {
        matches!(self, Self::PreToolCall | Self::PostToolCall)
    }
}

impl fmt::Display for HookEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_event() {
        for event in HookEvent::ALL {
            assert_eq!(HookEvent::from_name(event.name()), Some(*event));
        }
        assert_eq!(HookEvent::from_name("PreToolCall"), None);
    }
}

//! A call without its handler: what would happen?

use hermes_tool::Args;
use serde_json::Value;

use super::deferred::Crossing;
use super::gate::{Directive, not_read_only, outside_allowed};
use super::without_state;
use crate::approval::derived_rule_key;
use crate::call::ToolCall;
use crate::coerce::Coercions;
use crate::runtime::Runtime;

/// What the gate would say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RehearsedGate {
    /// The call would run.
    Pass,
    /// It would be refused with this message.
    Block(String),
    /// A person would be asked.
    Ask {
        /// Why.
        reason: String,
        /// What a lasting yes would cover.
        rule_key: String,
    },
}

/// The result of a rehearsal.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// The tool that would run.
    pub tool: String,
    /// Whether it is registered.
    pub known: bool,
    /// The arguments it would get.
    pub args: Args,
    /// What coercion changed.
    pub coercions: Coercions,
    /// What middleware did.
    pub trace: Vec<Value>,
    /// What the gate would say.
    pub gate: RehearsedGate,
    /// The call does not bring what the tool works on: a real one would say just that.
    pub needs_agent: bool,
}

impl Runtime {
    /// Goes the way of a call up to its handler, and stops. Hooks and request middleware really
    /// run; nobody is asked and the tool does not.
    pub async fn rehearse(&self, mut call: ToolCall) -> Rehearsal {
        let mut tool = self.named(&mut call);
        let (mut args, mut coercions) =
            self.read_args(tool.as_ref(), std::mem::take(&mut call.args));
        if let Some(Crossing::Unwrapped { name, args: inner }) = self.cross_bridge(&call, &args) {
            call.name = name;
            tool = self.named(&mut call);
            (args, coercions) = self.read_args(tool.as_ref(), Value::Object(inner));
        }
        let args = self.request_middleware(tool.as_ref(), &mut call, args).await;
        let refused =
            outside_allowed(tool.as_ref(), &call).or_else(|| not_read_only(tool.as_ref(), &call));
        let gate = match refused {
            Some(block) => RehearsedGate::Block(block.message),
            None => match self.directive(&call, &args).await {
                None => RehearsedGate::Pass,
                Some(Directive::Block(message)) => RehearsedGate::Block(message),
                Some(Directive::Approve { reason, rule_key }) => RehearsedGate::Ask {
                    rule_key: rule_key.unwrap_or_else(|| derived_rule_key(&call.name, &reason)),
                    reason,
                },
            },
        };
        let needs_agent = without_state(tool.as_ref(), &call).is_some();
        let ToolCall { name, trace, .. } = call;
        Rehearsal { known: tool.is_some(), tool: name, args, coercions, trace, gate, needs_agent }
    }
}

//! `memory`: a change of the notes, with a person's word where that is wanted.

use std::time::Duration;

use hermes_tool::{Args, ToolContext, ToolOutput, ToolResult, read_arguments};
use hermes_tools::agent_level::Memory;
use serde_json::Value;

use super::Desk;
use crate::event::Confirmed;
use crate::memory::{MemoryStore, Switch, approval};

/// How long a person has for an answer, unless `approvals.timeout` says otherwise.
const USUAL_WAIT: Duration = Duration::from_secs(60);

impl Desk {
    pub(super) async fn remember(
        &self,
        memory: &MemoryStore,
        args: Args,
        cx: &ToolContext,
    ) -> ToolResult {
        let payload = Value::Object(args.clone());
        let wish: Memory = read_arguments(args)?;
        if memory.settings().approval == Switch::Off {
            return ToolOutput::json(&memory.call(wish));
        }
        if let Some(refusal) = memory.refusal(wish.clone()) {
            return ToolOutput::json(&refusal);
        }
        let question = approval::question(&wish);
        let asked = self.world.front.confirm(&question);
        let answer = tokio::select! {
            () = cx.cancellation().cancelled() => Confirmed::NoAnswer,
            answer = tokio::time::timeout(self.patience(), asked) => {
                answer.unwrap_or(Confirmed::NoAnswer)
            }
        };
        ToolOutput::json(&match answer {
            Confirmed::Yes => memory.call(wish),
            Confirmed::No { reason } => approval::refused(reason.as_deref()),
            Confirmed::NoAnswer => memory.stage(&wish, payload, &self.session),
        })
    }

    fn patience(&self) -> Duration {
        let seconds = self.world.config["approvals"]["timeout"].as_u64();
        seconds.filter(|seconds| *seconds > 0).map_or(USUAL_WAIT, Duration::from_secs)
    }
}

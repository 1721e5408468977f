//! What goes on beside the agent of a chat, and commands of the person's own.

use std::sync::Arc;

use hermes_agent::AgentTemplate;
use hermes_protocol::text::count;
use hermes_protocol::{StopTarget, TaskSummary};
use hermes_tools::terminal::command_call;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::background::Background;
use super::goals::Goals;
use super::process_events::ProcessEvents;

/// What goes on beside the agent.
pub(super) struct SideWork {
    pub(super) background: Background,
    pub(super) processes: Arc<ProcessEvents>,
    pub(super) goals: Goals,
}

impl SideWork {
    /// All that works or did, oldest first.
    pub(super) fn lines(&self) -> Vec<TaskSummary> {
        let mut lines = self.background.lines();
        lines.extend(self.processes.lines());
        lines
    }

    /// Ends one or all; a line on it.
    pub(super) async fn stop(&self, which: StopTarget) -> anyhow::Result<String> {
        match which {
            StopTarget::All => {
                let ended = self.background.stop_all() + self.processes.stop_all().await;
                Ok(format!("Ended {}.", count(ended, "task")))
            }
            StopTarget::One(id) => match self.background.stop(&id) {
                Some(true) => Ok(format!("{id} ends.")),
                Some(false) => Ok(format!("{id} has ended already.")),
                None if self.processes.lines().iter().any(|task| task.id == id) => {
                    self.processes.stop(&id).await.map(|()| format!("{id} is ended."))
                }
                None => anyhow::bail!("Nothing is called `{id}`. /agents lists what runs."),
            },
        }
    }
}

/// Runs a command line as the agent would, past the same rules; what it wrote.
pub(super) async fn run_command(
    template: &AgentTemplate,
    command: &str,
    stop: &CancellationToken,
) -> String {
    let (tool, args) = command_call(command);
    written(&template.call(tool, args, stop).await)
}

/// What a command wrote, and how it ended where that was not well.
fn written(result: &str) -> String {
    let Ok(result) = serde_json::from_str::<Value>(result) else { return result.to_owned() };
    let text = |key: &str| result[key].as_str().unwrap_or_default().trim_end().to_owned();
    let code = result["exit_code"].as_i64().filter(|code| *code != 0);
    let end = code.map(|code| format!("[exit {code}]")).unwrap_or_default();
    let parts = [text("output"), text("error"), end];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "(no output)".to_owned() } else { parts.join("\n") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_command_wrote_is_shown_with_how_it_ended() {
        let result = |value: Value| written(&value.to_string());
        assert_eq!(result(json!({"output": "a\n", "exit_code": 0, "error": null})), "a");
        assert_eq!(result(json!({"output": "", "exit_code": 0})), "(no output)");
        assert_eq!(result(json!({"output": "x", "exit_code": 2})), "x\n[exit 2]");
        assert_eq!(result(json!({"error": "refused"})), "refused");
        assert_eq!(written("plain"), "plain");
    }
}

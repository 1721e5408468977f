//! Tools as a host offers them: a gate with its default settings, and this machine to run commands
//! and scripts on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use hermes_approval::{ApprovalSettings, Approvals, Approved, CommandRequest, ShellLine};
use hermes_exec::background::Processes;
use hermes_exec::manager::{Blueprint, EnvironmentLease, Environments};
use hermes_runtime::registry::Registry;
use hermes_runtime::{Runtime, ToolCall};
use hermes_tool::{CallIds, ContextParts, Services, Vars};
use serde_json::{Value, json};

const TASK: &str = "bench";

/// A host with a terminal.
pub(crate) struct Rig {
    runtime: Runtime,
    services: Services,
    environments: Arc<Environments>,
    approvals: Arc<Approvals>,
    tools: Arc<[Arc<str>]>,
}

impl Rig {
    /// A rig in the current directory, whose files go below it too.
    pub(super) fn new() -> Result<Self> {
        let here = std::env::current_dir().context("finding the current directory")?;
        Self::with(&here, json!({}))
    }

    /// A rig in a directory, with further settings.
    pub(crate) fn with(here: &Path, own: Value) -> Result<Self> {
        let here = here.to_owned();
        let mut config = json!({"terminal": {"backend": "local", "cwd": here}});
        if let (Value::Object(config), Value::Object(own)) = (&mut config, own) {
            config.extend(own);
        }
        let home = home(&here)?;
        let process_vars = Vars::from_process();
        let vars = process_vars.overlaid([("HERMES_HOME".to_owned(), home.display().to_string())]);
        let (settings, _) = ApprovalSettings::read(&config, &vars);
        let approvals = Approvals::builder(settings).build();
        let blueprint = Blueprint {
            config: Arc::new(config.clone()),
            vars: vars.clone(),
            process_vars,
            home,
            process_cwd: here,
        };
        let processes = Processes::new(None, Processes::DEFAULT_GRACE);
        let environments = Environments::new(blueprint, processes);
        let services =
            Services::default().with(Arc::clone(&approvals)).with(Arc::clone(&environments));
        let runtime = Runtime::builder()
            .registry(Arc::new(Registry::with_linked_tools()))
            .toolsets(hermes_tools::product::toolset_catalog())
            .config(config)
            .vars(vars)
            .build();
        let tables = runtime.registry().snapshot();
        let tools = tables.tools().into_iter().map(|tool| Arc::clone(tool.name())).collect();
        Ok(Self { runtime, services, environments, approvals, tools })
    }

    /// The environment behind the tool.
    pub(super) async fn environment(&self) -> Result<EnvironmentLease> {
        self.environments.of_task(TASK).await.context("starting the environment")
    }

    /// A command that passed the gate.
    pub(super) async fn approved(&self, command: &str) -> Result<Approved<ShellLine>> {
        let admitted = self.approvals.admit(CommandRequest::new(command)).await;
        admitted.map_err(|refusal| anyhow::anyhow!("{command} was refused: {}", refusal.message()))
    }

    /// The tool called as an agent calls it.
    pub(super) async fn call(&self, command: &str) -> String {
        self.call_tool("terminal", json!({"command": command})).await
    }

    /// A tool called as an agent calls it.
    pub(crate) async fn call_tool(&self, tool: &str, args: Value) -> String {
        let ids =
            CallIds { task_id: TASK.to_owned(), session_id: TASK.to_owned(), ..CallIds::default() };
        let context = ContextParts {
            ids,
            services: self.services.clone(),
            enabled_tools: Arc::clone(&self.tools),
            ..ContextParts::default()
        };
        let call = ToolCall { context, ..ToolCall::new(tool.to_owned(), args) };
        self.runtime.call(call).await.text().to_string()
    }

    /// Ends what was started.
    pub(crate) async fn close(&self) {
        self.environments.close_all().await;
    }
}

/// A number for the wrong work is worthless: refuses an answer of the tool without this output.
pub(super) fn check(answer: &str, output: &str) -> Result<()> {
    let fields: Value = serde_json::from_str(answer)
        .with_context(|| format!("the answer is no JSON: {answer:.500}"))?;
    ensure!(
        fields["exit_code"] == 0 && fields["output"] == output,
        "the answer should be {output:?} with exit code 0 and is {answer:.500}"
    );
    Ok(())
}

fn home(here: &Path) -> Result<PathBuf> {
    let home = here.join("hermes-home");
    std::fs::create_dir_all(&home).with_context(|| format!("making {}", home.display()))?;
    Ok(home)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_an_answer_with_another_output_or_code() {
        assert!(check(r#"{"output": "x", "exit_code": 0}"#, "x").is_ok());
        assert!(check(r#"{"output": "y", "exit_code": 0}"#, "x").is_err());
        assert!(check(r#"{"output": "x", "exit_code": 1}"#, "x").is_err());
        assert!(check(r#"{"error": "refused"}"#, "").is_err());
    }
}

//! What the tools of the toolset share: the trainings of the home, the gate for what they start, and when they are offered.

use std::path::Path;

use hermes_rl::training::{RlSettings, TrainingError, TrainingGate, Trainings};
use hermes_tool::settings::Settings as _;
use hermes_tool::{SchemaPatch, SchemaScope, ToolContext, ToolError, ToolOutput, ToolResult};
use serde_json::{Value, json};

use crate::host_services;
use crate::terminal::context::TerminalContext;

/// Keys that the usual trainer needs.
const KEYS: [&str; 2] = ["TINKER_API_KEY", "WANDB_API_KEY"];

/// Trainings are offered where there are environments, and a trainer: one of the user's own, or the keys for the usual.
pub(super) fn only_with_a_trainer(scope: &SchemaScope<'_>) -> SchemaPatch {
    let settings = RlSettings::read(scope.config, scope.vars);
    let has_keys = KEYS.iter().all(|key| scope.vars.non_blank(key).is_some());
    let has_trainer = has_keys || settings.has_own_trainer();
    let has_environments =
        settings.environments_dir.is_some_and(|folder| Path::new(&folder).is_dir());
    match has_environments && has_trainer {
        true => SchemaPatch::Keep,
        false => SchemaPatch::Remove,
    }
}

/// The trainings of the home of a call.
pub(super) fn trainings(cx: &ToolContext) -> Result<Trainings, ToolError> {
    let home =
        host_services::home(cx).ok_or_else(|| ToolError::answer("there is no state folder"))?;
    let settings = RlSettings::read(cx.config(), cx.vars());
    let program = std::env::current_exe().map_err(|error| ToolError::answer(error.to_string()))?;
    Ok(Trainings::new(home.root(), settings, cx.vars().clone(), program))
}

/// The gate, asking for this call.
pub(super) fn gate(cx: &ToolContext) -> Result<TrainingGate, ToolError> {
    let terminal = TerminalContext::of(cx)?;
    Ok(TrainingGate::new(terminal.approvals(), terminal.host_request()))
}

/// What came of it; a refusal is an answer with the names that would do.
pub(super) fn answered(done: Result<Value, TrainingError>) -> ToolResult {
    match done {
        Ok(answer) => ToolOutput::json(&answer),
        Err(TrainingError::Refused { why, available }) if !available.is_empty() => {
            ToolOutput::json(&json!({"error": why, "available": available}))
        }
        Err(TrainingError::Forbidden(refusal)) => {
            ToolOutput::json(&Value::Object(refusal.to_result()))
        }
        Err(error) => Err(ToolError::answer(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hermes_tool::{SchemaDetail, Vars};

    use super::*;

    fn offered(config: &Value, vars: &[(&str, &str)]) -> bool {
        let vars: Vars =
            vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let available = BTreeSet::new();
        let scope =
            SchemaScope { available: &available, vars: &vars, config, detail: SchemaDetail::Full };
        matches!(only_with_a_trainer(&scope), SchemaPatch::Keep)
    }

    #[test]
    fn trainings_need_environments_and_a_trainer() {
        let folder = tempfile::tempdir().unwrap();
        let both = [("TINKER_API_KEY", "t"), ("WANDB_API_KEY", "w")];
        let known = json!({"rl": {"environments_dir": folder.path()}});
        assert!(offered(&known, &both));
        assert!(!offered(&known, &both[..1]), "the usual trainer needs both keys");
        let own = json!({"rl": {"environments_dir": folder.path(), "trainer_command": "./train {config}"}});
        assert!(offered(&own, &[]), "a trainer of one's own needs none");
        assert!(!offered(&json!({"rl": {"trainer_command": "./train"}}), &both), "no environments");
        let gone = json!({"rl": {"environments_dir": folder.path().join("gone")}});
        assert!(!offered(&gone, &both));
    }
}

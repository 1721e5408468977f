//! Settings and keys read anew in the middle of a conversation.
//!
//! What can change safely does: what is shown, commands of one's own, models and their keys. The
//! rest counts from the next session or start, and is named with that.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::Context as _;
use hermes_mcp::client::status::{ServerState, ServerStatus};
use hermes_protocol::ReloadedSettings;
use hermes_protocol::text::error_chain;
use hermes_runtime::ToolScope;
use serde_json::Value;

use super::{AgentConversation, lock};
use crate::models::{ModelSources, SessionModels};
use crate::{Host, PLATFORM};

/// Changes that are named one by one; more are counted.
const MAX_NAMED: usize = 20;
/// How long servers are waited for that were just connected anew.
const RECONNECTION: Duration = Duration::from_secs(20);

impl AgentConversation {
    /// Reads settings and keys anew, and puts into force what can be.
    pub(super) async fn read_anew(&self) -> anyhow::Result<ReloadedSettings> {
        let (changes, config) = {
            let host = self.host.reread();
            host.require_sound_config()?;
            if let Some(problem) = host.dotenv_error() {
                anyhow::bail!("{problem}");
            }
            let newer = InForce::of(&host);
            let mut in_force = lock(&self.in_force);
            let changes = in_force.compare(&newer);
            *in_force = newer;
            *lock(&self.sources) = ModelSources::of(&host);
            (changes, host.config().clone())
        };
        let mut lines = changes.lines();
        if changes.touch_models() {
            lines.extend(self.choose_models_anew().await);
        }
        Ok(ReloadedSettings { lines, config })
    }

    /// Reads which MCP servers there are, connects to them, and gives the agent their tools.
    pub(super) async fn connect_anew(&self) -> anyhow::Result<String> {
        let servers = self.parts.tools.servers().context("this conversation has no MCP servers")?;
        let host = self.host.reread();
        host.require_sound_config()?;
        servers.reload(host.config().value()).await;
        for server in servers.status() {
            if matches!(server.state, ServerState::Failed | ServerState::Parked) {
                // Fails only for a server that is not in the table just read.
                let _ = servers.reconnect(&server.name);
            }
        }
        servers.wait_ready(RECONNECTION).await;
        let mut agent = self.agent.lock().await;
        // Who chose toolsets by hand keeps them.
        if self.options.toolsets.is_empty() {
            let enabled = host.platform_toolsets(agent.runtime(), PLATFORM);
            let scope = ToolScope { enabled: Some(enabled), ..agent.scope().clone() };
            agent.change_tools(scope);
        }
        self.note(&agent);
        let line = |server: ServerStatus| match server.error {
            Some(error) => format!("{}: {}: {error}", server.name, server.state.label()),
            None => format!("{}: {}, {} tools", server.name, server.state.label(), server.tools),
        };
        let lines: Vec<String> = servers.status().into_iter().map(line).collect();
        Ok(match lines.is_empty() {
            true => "No MCP server is configured; `hermes mcp add` adds one.".to_owned(),
            false => lines.join("\n"),
        })
    }

    /// Chooses the models anew, as settings and keys say now.
    async fn choose_models_anew(&self) -> Option<String> {
        let (sources, choice) = (lock(&self.sources).clone(), lock(&self.choice).clone());
        let models = match SessionModels::of(&sources, &choice).await {
            Ok(models) => models,
            Err(problem) => {
                return Some(format!("The model stays as it was: {}", error_chain(&problem)));
            }
        };
        let warning = models.learn_window().await;
        let mut agent = self.agent.lock().await;
        let effort = agent.effort();
        agent.change_model(models.chain());
        agent.set_effort(effort);
        self.note(&agent);
        warning
    }
}

/// What is in force: settings, and variables of `.env`.
pub(super) struct InForce {
    config: Value,
    secrets: BTreeMap<String, String>,
}

/// What changed.
pub(super) struct Changes {
    /// Settings, by their path.
    pub(super) keys: Vec<String>,
    /// Variables of `.env`; their values are nobody's business.
    pub(super) variables: Vec<String>,
}

impl InForce {
    pub(super) fn of(host: &Host) -> Self {
        let secrets = host.dotenv().iter();
        Self {
            config: host.config().value().clone(),
            secrets: secrets.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        }
    }

    /// What is different in newer settings.
    pub(super) fn compare(&self, newer: &Self) -> Changes {
        let mut keys = BTreeSet::new();
        differences("", &self.config, &newer.config, &mut keys);
        let names = self.secrets.keys().chain(newer.secrets.keys()).collect::<BTreeSet<_>>();
        let changed = |name: &&&String| self.secrets.get(**name) != newer.secrets.get(**name);
        let variables = names.iter().filter(changed).map(|name| (*name).clone()).collect();
        Changes { keys: keys.into_iter().collect(), variables }
    }
}

impl Changes {
    /// Whether the models may be others, or reached differently.
    pub(super) fn touch_models(&self) -> bool {
        !self.variables.is_empty() || self.keys.iter().any(|key| when(key) == When::Models)
    }

    /// What changed and from when on it counts, a line each.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> =
            self.keys.iter().map(|key| format!("{key}: {}", when(key).words())).collect();
        lines.extend(self.variables.iter().map(|name| {
            format!("{name} (.env): in force for models; for tools from the next start")
        }));
        if lines.is_empty() {
            return vec!["Settings and keys were read anew; nothing has changed.".to_owned()];
        }
        let more = lines.len().saturating_sub(MAX_NAMED);
        lines.truncate(MAX_NAMED);
        if more > 0 {
            lines.push(format!("and {more} more"));
        }
        lines
    }
}

/// When a setting counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    Now,
    /// Now, as models are chosen anew.
    Models,
    NextSession,
    NextStart,
}

impl When {
    fn words(self) -> &'static str {
        match self {
            Self::Now | Self::Models => "in force now",
            Self::NextSession => "from the next session on (/new)",
            Self::NextStart => "from the next start on",
        }
    }
}

fn when(key: &str) -> When {
    let section = key.split('.').next().unwrap_or_default();
    match section {
        "display" | "quick_commands" => When::Now,
        "model" | "providers" | "custom_providers" | "fallback_providers" | "fallback_model" => {
            When::Models
        }
        "memory" => When::NextSession,
        "agent" if key == "agent.personality" || key.starts_with("agent.personalities") => {
            When::NextSession
        }
        _ => When::NextStart,
    }
}

/// The paths of what differs. Lists and plain values are compared whole.
fn differences(path: &str, before: &Value, after: &Value, found: &mut BTreeSet<String>) {
    let none = serde_json::Map::new();
    let (old, new) = match (before, after) {
        (Value::Object(old), Value::Object(new)) => (old, new),
        (Value::Null, Value::Object(new)) => (&none, new),
        (Value::Object(old), Value::Null) => (old, &none),
        _ => {
            if before != after {
                found.insert(path.to_owned());
            }
            return;
        }
    };
    for name in old.keys().chain(new.keys()) {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let value = |map: &serde_json::Map<String, Value>| map.get(name).cloned();
        let (old, new) = (value(old).unwrap_or_default(), value(new).unwrap_or_default());
        differences(&path, &old, &new, found);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn in_force(config: Value, secrets: &[(&str, &str)]) -> InForce {
        let secrets = secrets.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        InForce { config, secrets: secrets.collect() }
    }

    #[test]
    fn changes_are_named_with_when_they_count_and_without_secrets() {
        let before = in_force(
            json!({"display": {"streaming": true}, "terminal": {"timeout": 1}, "same": [1]}),
            &[("OPENAI_API_KEY", "old-secret"), ("SAME", "x")],
        );
        let after = in_force(
            json!({"display": {"streaming": false}, "agent": {"personality": "teacher"},
                   "terminal": {"timeout": 1, "cwd": "/x"}, "same": [1]}),
            &[("OPENAI_API_KEY", "new-secret"), ("SAME", "x"), ("MORE", "y")],
        );
        let changes = before.compare(&after);
        let lines = changes.lines().join("\n");
        assert_eq!(
            lines,
            "agent.personality: from the next session on (/new)\n\
             display.streaming: in force now\n\
             terminal.cwd: from the next start on\n\
             MORE (.env): in force for models; for tools from the next start\n\
             OPENAI_API_KEY (.env): in force for models; for tools from the next start"
        );
        assert!(changes.touch_models());
        let same = before.compare(&before);
        assert!(!same.touch_models() && same.lines()[0].contains("nothing has changed"));
    }
}

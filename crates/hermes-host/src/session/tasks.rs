//! Agents for tasks that have nothing to do with each other: those of a batch run.
//!
//! All tasks share what is dear to make (runtime, plugins, MCP servers, gate), and nothing else: each agent
//! has its own conversation, list of steps, view of files, shell and directory. No project files, no memory and
//! no session database are part of it, so that a task depends on what its row says and on nothing that
//! happened on this machine before.

use std::path::PathBuf;
use std::sync::Arc;

use hermes_agent::conversation::Conversation;
use hermes_agent::system_prompt::ProjectRules;
use hermes_agent::{Agent, AgentContext, AgentOptions, FrontEnd, ModelChain, SystemPrompt};
use hermes_files::state::FileState;
use hermes_llm::Message;
use hermes_runtime::ToolScope;
use hermes_skills::offer::SessionPlatform;
use serde_json::Map;

use super::SessionOptions;
use super::prompt::PromptParts;
use super::skills::PreloadedSkills;
use crate::mcp::McpStart;
use crate::models::ModelSources;
use crate::plugins::PluginStart;
use crate::tools::{ToolOptions, ToolSession};
use crate::{Host, HostError, Interaction};

/// What makes agents for tasks. End it with [`close`](Self::close).
pub struct TaskAgents {
    host: Host,
    tools: ToolSession,
    sources: ModelSources,
}

/// What is particular to the agent of one task.
pub struct TaskAgentOptions {
    /// Names its conversation, its shell and its view of files; no two tasks at a time share one.
    pub task: String,
    /// The toolsets it may use; none is none.
    pub toolsets: Vec<String>,
    /// Where relative paths begin.
    pub cwd: PathBuf,
    /// Who answers.
    pub chain: ModelChain,
    /// More instructions, behind our own.
    pub system: Option<String>,
    /// What was said before, as far as the model knows.
    pub prefill: Vec<Message>,
    /// Most model calls.
    pub max_turns: u32,
    /// Variables its tools know beside those of the process.
    pub variables: Vec<(String, String)>,
    /// The platform whose paragraph the system prompt has.
    pub platform: String,
    /// Who watches.
    pub front: Arc<dyn FrontEnd>,
}

impl Host {
    /// Gets ready what agents of many tasks share. Nobody can be asked: what needs a person's word is refused.
    /// Must be called inside an async runtime.
    ///
    /// # Errors
    /// If the configuration cannot be read.
    pub async fn task_agents(&self) -> Result<TaskAgents, HostError> {
        let options = ToolOptions {
            plugins: PluginStart::AllReady,
            mcp: McpStart::All,
            ..ToolOptions::default()
        };
        let tools = self.tools(options, &Interaction::unattended()).await?;
        Ok(TaskAgents { host: self.clone(), tools, sources: ModelSources::of(self) })
    }
}

impl TaskAgents {
    /// An agent that has not been asked anything yet.
    #[must_use]
    pub fn agent(&self, options: TaskAgentOptions) -> Agent {
        let vars = self.host.vars().overlaid(options.variables);
        let context = Arc::new(AgentContext {
            runtime: Arc::clone(self.tools.runtime()),
            services: self
                .tools
                .services()
                .with(Arc::new(FileState::default()))
                .with(Arc::new(SessionPlatform(options.platform.clone()))),
            config: self.host.config_value(),
            vars,
            cwd: options.cwd,
            home: self.host.home().root().to_owned(),
            store: None,
            front: options.front,
            summariser: None,
            models: Some(self.sources.clone().finder()),
            redactor: self.host.redactor(),
        });
        let scope = ToolScope { enabled: Some(options.toolsets), disabled: Vec::new() };
        let session = SessionOptions {
            rules: ProjectRules::Ignore,
            platform: options.platform,
            ..SessionOptions::default()
        };
        let entry = options.chain.primary();
        let (model, provider) = (entry.model.name().to_owned(), entry.model.provider().to_owned());
        let parts = PromptParts {
            host: &self.host,
            options: &session,
            model: &model,
            provider: &provider,
            window: entry.window.tokens(),
            scope: &scope,
        };
        let prepared = parts.prepare(&context, None, &options.task, PreloadedSkills::default());
        let prompt = match &options.system {
            None => prepared.prompt,
            Some(more) => {
                let text = format!("{}\n\n{more}", prepared.prompt.text());
                let prompt = SystemPrompt::new(text, model.as_str(), provider.as_str());
                match prepared.prompt.situation() {
                    Some(situation) => prompt.with_situation(Arc::clone(situation)),
                    None => prompt,
                }
            }
        };
        let mut conversation = Conversation::new(options.task.clone(), None);
        for message in options.prefill {
            conversation.push(message);
        }
        Agent::new(
            context,
            AgentOptions {
                chain: options.chain,
                scope,
                conversation,
                prompt,
                source: session.platform,
                depth: 0,
                memory: None,
                max_turns: Some(options.max_turns),
                origin: Map::new(),
                steering: prepared.steering,
                task: Some(options.task),
                vars: None,
            },
        )
    }

    /// What the tasks share of the tools.
    #[must_use]
    pub fn tools(&self) -> &ToolSession {
        &self.tools
    }

    /// What models are chosen from.
    #[must_use]
    pub fn model_sources(&self) -> &ModelSources {
        &self.sources
    }

    /// The host they were made from.
    #[must_use]
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Ends everything that was started for the tasks.
    pub async fn close(&self) {
        self.tools.close().await;
    }
}

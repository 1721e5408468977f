//! One conversation of the editor.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::Client;
use agent_client_protocol::Error;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AvailableCommandsUpdate, ClientCapabilities, ConfigOptionUpdate, ContentBlock,
    CurrentModeUpdate, McpServer, SessionConfigOption, SessionId, SessionInfoUpdate,
    SessionModeState, SessionUpdate, StopReason,
};
use hermes_agent::{ExitReason, FrontEnd, TurnResult};
use hermes_approval::Audience;
use hermes_exec::BackendKind;
use hermes_exec::manager::Environments;
use hermes_files::fs::Files;
use hermes_host::{AgentConversation, CallFurnishing, Continue, Host, Interaction, SessionOptions};
use hermes_llm::{Message, MessageContent};
use hermes_protocol::{ChatSession as _, ChoiceScope, CompactRequest, ModelChoice};
use hermes_runtime::pipeline::EditGate;
use hermes_runtime::registry::Registry;
use hermes_tool::Services;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::consent::{Consent, EditorAsker};
use crate::files::EditorFiles;
use crate::front::EditorFront;
use crate::options::{self, EditMode};
use crate::{PLATFORM, prompt, replay};

/// What a session is opened with.
pub(crate) struct Wanted {
    pub(crate) which: Continue,
    pub(crate) cwd: PathBuf,
    pub(crate) more_folders: Vec<PathBuf>,
    pub(crate) servers: Vec<McpServer>,
}

/// One conversation. Its turns follow each other; a prompt that comes meanwhile waits for its own.
pub(crate) struct EditorSession {
    pub(crate) id: SessionId,
    conversation: Arc<AgentConversation>,
    consent: Arc<Consent>,
    front: Arc<EditorFront>,
    registry: Arc<Registry>,
    cwd: PathBuf,
    turns: tokio::sync::Mutex<()>,
    is_working: AtomicBool,
    /// Ends every prompt that was sent until now.
    stop: Mutex<CancellationToken>,
}

impl EditorSession {
    /// Opens a session. Warnings go to the log: stdout is the protocol's.
    pub(crate) async fn open(
        host: &Host,
        registry: &Arc<Registry>,
        connection: &ConnectionTo<Client>,
        editor: &ClientCapabilities,
        wanted: Wanted,
    ) -> Result<Arc<Self>, Error> {
        if !wanted.cwd.is_absolute() {
            return Err(bad("cwd must be an absolute path"));
        }
        let mut workspace = vec![wanted.cwd.clone()];
        workspace.extend(wanted.more_folders);
        let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
        let workspace: Vec<PathBuf> = workspace.into_iter().map(real).collect();
        let consent = Consent::new(connection.clone(), workspace);
        let has_forms = editor.elicitation.as_ref().is_some_and(|can| can.form.is_some());
        let front = EditorFront::new(
            connection.clone(),
            Arc::clone(registry),
            wanted.cwd.clone(),
            has_forms,
        );
        let files = EditorFiles::of(connection.clone(), &editor.fs);
        let session_options = SessionOptions {
            platform: PLATFORM.to_owned(),
            session: wanted.which,
            cwd: Some(wanted.cwd.clone()),
            audience: Some(Audience::Client),
            mcp_servers: servers(wanted.servers)?,
            furnishing: Some(furnishing(&consent, files.clone())),
            ..SessionOptions::default()
        };
        let asker = Arc::new(EditorAsker(Arc::clone(&consent)));
        let interaction = Interaction { asker: Some(asker), ..Interaction::unattended() };
        let events: Arc<dyn FrontEnd> = Arc::clone(&front) as Arc<dyn FrontEnd>;
        let opened = host.agent_session(&session_options, Arc::clone(&events), &interaction).await;
        let opened = opened.map_err(|problem| not_opened(&problem))?;
        for warning in opened.warnings() {
            tracing::warn!("{warning}");
        }
        let id = SessionId::new(opened.agent().conversation().id().to_owned());
        let conversation = AgentConversation::new(opened, host, session_options, &events).await;
        front.belongs_to(id.clone(), conversation.status().window);
        consent.belongs_to(id.clone(), &front);
        if let Some(files) = files {
            files.belongs_to(id.clone());
        }
        Ok(Arc::new(Self {
            id,
            conversation,
            consent,
            front,
            registry: Arc::clone(registry),
            cwd: wanted.cwd,
            turns: tokio::sync::Mutex::default(),
            is_working: AtomicBool::new(false),
            stop: Mutex::default(),
        }))
    }

    fn lock_stop(&self) -> MutexGuard<'_, CancellationToken> {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the editor what can be typed after a slash.
    pub(crate) fn tell_commands(&self) {
        let commands = options::commands(&self.conversation.skill_commands());
        self.front
            .update(SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(commands)));
    }

    /// Tells the editor what was said so far.
    pub(crate) async fn replay(&self) {
        let said: Vec<Message> = self.conversation.history().await.unwrap_or_default();
        for update in replay::updates(&said, &self.registry, &self.cwd) {
            self.front.update(update);
        }
    }

    pub(crate) fn modes(&self) -> SessionModeState {
        options::modes(self.consent.mode())
    }

    pub(crate) fn set_mode(&self, id: &str) -> Result<(), Error> {
        let mode = EditMode::of(id).ok_or_else(|| bad("there is no such mode"))?;
        self.consent.set_mode(mode);
        self.front.update(SessionUpdate::CurrentModeUpdate(CurrentModeUpdate::new(id.to_owned())));
        Ok(())
    }

    pub(crate) async fn settings(&self) -> Vec<SessionConfigOption> {
        let models = self.conversation.models().await.unwrap_or_default();
        options::settings(&self.conversation.status(), &models)
    }

    /// Another model from now on.
    pub(crate) async fn set_model(&self, model: String) -> Result<Vec<SessionConfigOption>, Error> {
        let choice = ModelChoice { model, provider: None, reach: ChoiceScope::Session };
        let set = self.conversation.set_model(choice).await;
        set.map_err(|problem| bad(&format!("{problem:#}")))?;
        let settings = self.settings().await;
        let told = SessionUpdate::ConfigOptionUpdate(ConfigOptionUpdate::new(settings.clone()));
        self.front.update(told);
        Ok(settings)
    }

    /// Ends the turn that runs and those that wait.
    pub(crate) fn cancel(&self) {
        std::mem::take(&mut *self.lock_stop()).cancel();
    }

    /// What a cancellation from now on will end.
    pub(crate) fn stop_of_next_turn(&self) -> CancellationToken {
        self.lock_stop().child_token()
    }

    /// Answers a prompt: why its turn ended, or what went wrong.
    pub(crate) async fn prompt(
        &self,
        blocks: &[ContentBlock],
        stop: &CancellationToken,
    ) -> Result<StopReason, Error> {
        let said = prompt::content(blocks).map_err(|problem| bad(&problem))?;
        if let MessageContent::Text(text) = &said
            && self.is_command(text).await
        {
            return Ok(StopReason::EndTurn);
        }
        let said = match said {
            // What only steers a turn is an ordinary message where none runs.
            MessageContent::Text(text) => MessageContent::Text(
                text.strip_prefix("/steer ").map_or(text.clone(), str::to_owned),
            ),
            parts => parts,
        };
        let Some(_turn) = stop.run_until_cancelled(self.turns.lock()).await else {
            return Ok(StopReason::Cancelled);
        };
        self.is_working.store(true, Ordering::Relaxed);
        let result = self.conversation.ask(said, stop).await;
        self.is_working.store(false, Ordering::Relaxed);
        if let Some(title) = self.conversation.status().title {
            let now = jiff::Timestamp::now().to_string();
            let about = SessionInfoUpdate::new().title(title).updated_at(now);
            self.front.update(SessionUpdate::SessionInfoUpdate(about));
        }
        if stop.is_cancelled() {
            return Ok(StopReason::Cancelled);
        }
        reason(&result)
    }

    /// Does what a slash command says; whether it was one.
    async fn is_command(&self, text: &str) -> bool {
        let Some(line) = text.trim().strip_prefix('/') else { return false };
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let status = self.conversation.status();
        let answer = match name {
            "help" => {
                let all = options::commands(&self.conversation.skill_commands());
                let lines = all.iter().map(|one| format!("- `/{}`: {}", one.name, one.description));
                lines.collect::<Vec<_>>().join("\n")
            }
            "version" => format!("hermes {}", env!("CARGO_PKG_VERSION")),
            "tools" => self.conversation.tool_names().await.join(", "),
            "context" => {
                let window =
                    status.window.map_or("an unknown number".to_owned(), |all| all.to_string());
                format!(
                    "{} of {window} tokens, {} messages",
                    status.context_tokens, status.messages
                )
            }
            "compact" => match self.conversation.compress(CompactRequest::All(None)).await {
                Ok(line) => line,
                Err(problem) => format!("{problem:#}"),
            },
            "steer" if self.is_working.load(Ordering::Relaxed) && !rest.trim().is_empty() => {
                self.conversation.steer(rest.trim());
                return true;
            }
            _ => return false,
        };
        self.front.say(answer);
        true
    }

    /// Ends it, and everything that was started for it.
    pub(crate) async fn close(&self) {
        self.cancel();
        if let Some(unwritten) = self.conversation.close().await {
            tracing::warn!("{unwritten}");
        }
    }
}

/// Why a turn ended, in the protocol's words; a turn that failed is an error.
fn reason(result: &TurnResult) -> Result<StopReason, Error> {
    Ok(match result.exit {
        ExitReason::Interrupted => StopReason::Cancelled,
        ExitReason::MaxIterationsReached => StopReason::MaxTurnRequests,
        ExitReason::Truncated => StopReason::MaxTokens,
        ExitReason::Refusal => StopReason::Refusal,
        exit if exit.is_failure() => {
            let text = result.error.clone().unwrap_or_else(|| result.final_response.clone());
            let class = match exit {
                ExitReason::ApiError(class) => serde_json::to_value(class).unwrap_or_default(),
                other => other.name().into(),
            };
            let about = json!({"class": class, "advice": result.advice});
            return Err(Error::new(-32603, text).data(about));
        }
        _ => StopReason::EndTurn,
    })
}

/// A request that makes no sense.
pub(crate) fn bad(why: &str) -> Error {
    Error::new(-32602, format!("Invalid params: {why}")).data(Value::from(why))
}

fn not_opened(problem: &hermes_host::HostError) -> Error {
    use hermes_host::HostError;
    match problem {
        HostError::NoModel(_) | HostError::UnknownProvider(_) | HostError::WhichModel { .. } => {
            let advice = format!("{problem}; `hermes setup` in a terminal sets up a model");
            Error::auth_required().data(Value::from(advice))
        }
        _ if problem.is_mistaken_request() => bad(&problem.to_string()),
        _ => Error::new(-32603, problem.to_string()),
    }
}

/// The editor's own servers, in the form of the configuration.
fn servers(given: Vec<McpServer>) -> Result<Map<String, Value>, Error> {
    let mut all = Map::new();
    for server in given {
        let (name, entry) = match server {
            McpServer::Stdio(server) => {
                let env: Map<String, Value> =
                    server.env.into_iter().map(|one| (one.name, one.value.into())).collect();
                let entry = json!({"command": server.command, "args": server.args, "env": env});
                (server.name, entry)
            }
            McpServer::Http(server) => {
                let headers: Map<String, Value> =
                    server.headers.into_iter().map(|one| (one.name, one.value.into())).collect();
                (server.name, json!({"url": server.url, "headers": headers}))
            }
            McpServer::Sse(server) => {
                let headers: Map<String, Value> =
                    server.headers.into_iter().map(|one| (one.name, one.value.into())).collect();
                (server.name, json!({"url": server.url, "headers": headers, "transport": "sse"}))
            }
            _ => return Err(bad("a kind of MCP server that is not known here")),
        };
        all.insert(name, entry);
    }
    Ok(all)
}

/// What calls of the session have besides the usual: the question before a change, and the editor's files.
fn furnishing(consent: &Arc<Consent>, files: Option<EditorFiles>) -> CallFurnishing {
    let consent = Arc::clone(consent);
    CallFurnishing::new(move |services: Services| {
        let asked = Arc::clone(&consent);
        let gate = EditGate::new(move |tool, args| {
            let asking = Arc::clone(&asked).edit(tool.to_owned(), Value::Object(args.clone()));
            Box::pin(asking)
        });
        let services = services.with(Arc::new(gate));
        // Where commands run elsewhere or are confined, files are where they are, by those rules.
        let is_plain = services
            .get::<Environments>()
            .and_then(|places| places.settings("").ok())
            .is_some_and(|settings| {
                settings.backend() == BackendKind::Local && settings.writable_places().is_none()
            });
        match files.clone().filter(|_| is_plain) {
            Some(files) => services.with(Arc::new(Files(Arc::new(files)))),
            None => services,
        }
    })
}

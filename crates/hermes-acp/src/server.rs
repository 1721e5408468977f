//! The requests of an editor, answered.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, AuthMethod, AuthMethodAgent, AuthMethodTerminal, AuthenticateRequest,
    AuthenticateResponse, CancelNotification, ClientCapabilities, CloseSessionRequest,
    CloseSessionResponse, DeleteSessionRequest, DeleteSessionResponse, ForkSessionRequest,
    ForkSessionResponse, Implementation, InitializeRequest, InitializeResponse,
    ListSessionsRequest, ListSessionsResponse, LoadSessionRequest, LoadSessionResponse,
    McpCapabilities, NewSessionRequest, NewSessionResponse, PromptCapabilities, PromptRequest,
    PromptResponse, ResumeSessionRequest, ResumeSessionResponse,
    SessionAdditionalDirectoriesCapabilities, SessionCapabilities, SessionCloseCapabilities,
    SessionDeleteCapabilities, SessionForkCapabilities, SessionId, SessionInfo,
    SessionListCapabilities, SessionResumeCapabilities, SetSessionConfigOptionRequest,
    SetSessionConfigOptionResponse, SetSessionModeRequest, SetSessionModeResponse,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{
    Agent, ByteStreams, Client, Error, JsonRpcRequest, JsonRpcResponse, on_receive_notification,
    on_receive_request,
};
use hermes_host::{Continue, Host, ModelSources};
use hermes_runtime::registry::Registry;
use hermes_sessions::{ListFilter, SessionStore, new_session_id};
use serde::{Deserialize, Serialize};
use tokio_util::compat::{TokioAsyncReadCompatExt as _, TokioAsyncWriteCompatExt as _};

use crate::options::MODEL;
use crate::session::{EditorSession, Wanted, bad};

/// Sessions of one page of the list.
const PAGE: usize = 50;

/// How editors of older versions choose a model.
#[derive(Clone, Debug, Serialize, Deserialize, JsonRpcRequest)]
#[request(method = "session/set_model", response = SetModelResponse)]
#[serde(rename_all = "camelCase")]
struct SetModelRequest {
    session_id: SessionId,
    model_id: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonRpcResponse)]
struct SetModelResponse {}

/// The agent of one editor.
pub(crate) struct Server {
    host: Host,
    registry: Arc<Registry>,
    store: SessionStore,
    editor: OnceLock<ClientCapabilities>,
    sessions: Mutex<HashMap<String, Arc<EditorSession>>>,
}

impl Server {
    pub(crate) fn new(host: &Host) -> Arc<Self> {
        Arc::new(Self {
            host: host.clone(),
            registry: Arc::clone(host.runtime().registry()),
            store: SessionStore::at(host.home().state_db()),
            editor: OnceLock::new(),
            sessions: Mutex::default(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<EditorSession>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn session(&self, id: &SessionId) -> Result<Arc<EditorSession>, Error> {
        let found = self.lock().get(&*id.0).cloned();
        found.ok_or_else(|| bad(&format!("there is no open session {id}")))
    }

    fn initialize(&self, request: InitializeRequest) -> InitializeResponse {
        let _ = self.editor.set(request.client_capabilities);
        let sessions = SessionCapabilities::new()
            .list(SessionListCapabilities::new())
            .delete(SessionDeleteCapabilities::new())
            .additional_directories(SessionAdditionalDirectoriesCapabilities::new())
            .fork(SessionForkCapabilities::new())
            .resume(SessionResumeCapabilities::new())
            .close(SessionCloseCapabilities::new());
        let can = AgentCapabilities::new()
            .load_session(true)
            .prompt_capabilities(PromptCapabilities::new().image(true).embedded_context(true))
            .mcp_capabilities(McpCapabilities::new().http(true).sse(true))
            .session_capabilities(sessions);
        let configured = AuthMethodAgent::new("configured", "The model that is set up")
            .description("Uses the provider and key of Hermes' own settings".to_owned());
        let terminal = AuthMethodTerminal::new("setup", "Set up a model")
            .description("Asks three questions in a terminal".to_owned())
            .args(vec!["setup".to_owned()]);
        InitializeResponse::new(ProtocolVersion::V1)
            .agent_capabilities(can)
            .auth_methods(vec![AuthMethod::Agent(configured), AuthMethod::Terminal(terminal)])
            .agent_info(
                Implementation::new("hermes-agent", env!("CARGO_PKG_VERSION"))
                    .title("Hermes".to_owned()),
            )
    }

    fn authenticate(&self) -> Result<AuthenticateResponse, Error> {
        match ModelSources::of(&self.host.reread()).pinned() {
            Some(_) => Ok(AuthenticateResponse::new()),
            None => Err(Error::auth_required()
                .data(serde_json::Value::from("no model is set up; `hermes setup` does it"))),
        }
    }

    async fn open(
        &self,
        connection: &ConnectionTo<Client>,
        wanted: Wanted,
    ) -> Result<Arc<EditorSession>, Error> {
        let editor = self.editor.get().cloned().unwrap_or_default();
        let host = self.host.reread();
        let opened =
            EditorSession::open(&host, &self.registry, connection, &editor, wanted).await?;
        let before = self.lock().insert(opened.id.0.to_string(), Arc::clone(&opened));
        if let Some(before) = before {
            before.close().await;
        }
        Ok(opened)
    }

    /// A session of the record, by its whole id.
    async fn recorded(&self, id: &SessionId) -> Result<String, Error> {
        let wanted = id.0.to_string();
        let row = self.store.read(move |database| database.get(&wanted)).await;
        match row {
            Ok(Some(row)) => Ok(row.id),
            Ok(None) => Err(bad(&format!("there is no session {id}"))),
            Err(problem) => Err(Error::new(-32603, problem.to_string())),
        }
    }

    async fn new_session(
        &self,
        request: NewSessionRequest,
        connection: &ConnectionTo<Client>,
    ) -> Result<NewSessionResponse, Error> {
        let wanted = Wanted {
            which: Continue::New,
            cwd: request.cwd,
            more_folders: request.additional_directories,
            servers: request.mcp_servers,
        };
        let session = self.open(connection, wanted).await?;
        Ok(NewSessionResponse::new(session.id.clone())
            .modes(session.modes())
            .config_options(session.settings().await))
    }

    async fn load(
        &self,
        request: LoadSessionRequest,
        connection: &ConnectionTo<Client>,
    ) -> Result<LoadSessionResponse, Error> {
        let which = Continue::Named(self.recorded(&request.session_id).await?);
        let (cwd, more_folders) = (request.cwd, request.additional_directories);
        let wanted = Wanted { which, cwd, more_folders, servers: request.mcp_servers };
        let session = self.open(connection, wanted).await?;
        session.replay().await;
        Ok(LoadSessionResponse::new()
            .modes(session.modes())
            .config_options(session.settings().await))
    }

    async fn resume(
        &self,
        request: ResumeSessionRequest,
        connection: &ConnectionTo<Client>,
    ) -> Result<ResumeSessionResponse, Error> {
        let which = Continue::Named(self.recorded(&request.session_id).await?);
        let (cwd, more_folders) = (request.cwd, request.additional_directories);
        let wanted = Wanted { which, cwd, more_folders, servers: request.mcp_servers };
        let session = self.open(connection, wanted).await?;
        Ok(ResumeSessionResponse::new()
            .modes(session.modes())
            .config_options(session.settings().await))
    }

    async fn fork(
        &self,
        request: ForkSessionRequest,
        connection: &ConnectionTo<Client>,
    ) -> Result<ForkSessionResponse, Error> {
        let from = self.recorded(&request.session_id).await?;
        let new = new_session_id();
        let id = new.clone();
        let copied = self.store.write(move |database| database.branch(&from, &id, None).map(drop));
        copied.await.map_err(|problem| Error::new(-32603, problem.to_string()))?;
        let (cwd, more_folders) = (request.cwd, request.additional_directories);
        let which = Continue::Named(new);
        let wanted = Wanted { which, cwd, more_folders, servers: request.mcp_servers };
        let session = self.open(connection, wanted).await?;
        Ok(ForkSessionResponse::new(session.id.clone())
            .modes(session.modes())
            .config_options(session.settings().await))
    }

    async fn list(&self, request: ListSessionsRequest) -> Result<ListSessionsResponse, Error> {
        let from: usize = match &request.cursor {
            None => 0,
            Some(cursor) => cursor.parse().map_err(|_| bad("the cursor is not one of ours"))?,
        };
        let filter = ListFilter {
            workspace: request.cwd.map(|cwd| cwd.display().to_string()),
            limit: Some(from.saturating_add(PAGE + 1)),
            ..ListFilter::default()
        };
        let rows = self.store.read(move |database| database.list(&filter)).await;
        let rows = rows.map_err(|problem| Error::new(-32603, problem.to_string()))?;
        let has_more = rows.len() > from + PAGE;
        let page = rows.into_iter().skip(from).take(PAGE).map(|row| {
            let at = jiff::Timestamp::from_microsecond((row.last_active * 1e6) as i64);
            let title = row.title.unwrap_or(row.preview);
            SessionInfo::new(row.id, row.cwd.unwrap_or_else(|| "/".to_owned()))
                .title(title)
                .updated_at(at.ok().map(|at| at.to_string()))
        });
        let next = has_more.then(|| (from + PAGE).to_string());
        Ok(ListSessionsResponse::new(page.collect()).next_cursor(next))
    }

    async fn close(&self, id: &SessionId) -> bool {
        let open = self.lock().remove(&*id.0);
        match open {
            Some(session) => {
                session.close().await;
                true
            }
            None => false,
        }
    }

    async fn delete(&self, request: DeleteSessionRequest) -> Result<DeleteSessionResponse, Error> {
        let id = self.recorded(&request.session_id).await?;
        self.close(&request.session_id).await;
        let deleted = self.store.write(move |database| database.delete(&id)).await;
        deleted.map_err(|problem| Error::new(-32603, problem.to_string()))?;
        Ok(DeleteSessionResponse::new())
    }

    async fn set_option(
        &self,
        request: SetSessionConfigOptionRequest,
    ) -> Result<SetSessionConfigOptionResponse, Error> {
        let session = self.session(&request.session_id)?;
        let value = request.value.as_value_id().map(|value| value.0.to_string());
        match (&*request.config_id.0, value) {
            (MODEL, Some(model)) => {
                Ok(SetSessionConfigOptionResponse::new(session.set_model(model).await?))
            }
            _ => Err(bad("there is no such setting")),
        }
    }

    /// Ends every session.
    pub(crate) async fn end(&self) {
        let all: Vec<Arc<EditorSession>> = self.lock().drain().map(|(_, one)| one).collect();
        for session in all {
            session.close().await;
        }
        let _ = self.store.close().await;
    }
}

/// Answers requests until the editor is gone. Each is answered in a task of its own, so that none holds up another.
pub(crate) async fn serve(server: &Arc<Server>) -> Result<(), Error> {
    macro_rules! answered {
        ($request:ty, |$server:ident, $given:ident, $connection:ident| $answer:expr) => {{
            let server = Arc::clone(server);
            async move |$given: $request, responder, $connection: ConnectionTo<Client>| {
                let $server = Arc::clone(&server);
                answer_later(responder, async move {
                    let _ = &$connection;
                    $answer
                });
                Ok(())
            }
        }};
    }
    let prompting = Arc::clone(server);
    let cancelling = Arc::clone(server);
    let opening = Arc::clone(server);
    let transport =
        ByteStreams::new(tokio::io::stdout().compat_write(), tokio::io::stdin().compat());
    Agent
        .v1()
        .name("hermes")
        .on_receive_request(
            async move |request: InitializeRequest, responder, _connection| {
                responder.respond(opening.initialize(request))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            answered!(AuthenticateRequest, |server, _given, connection| server.authenticate()),
            on_receive_request!(),
        )
        .on_receive_request(
            answered!(NewSessionRequest, |server, given, connection| {
                let answer = server.new_session(given, &connection).await?;
                tell_commands_soon(&server, &answer.session_id);
                Ok(answer)
            }),
            on_receive_request!(),
        )
        .on_receive_request(
            answered!(LoadSessionRequest, |server, given, connection| {
                let id = given.session_id.clone();
                let answer = server.load(given, &connection).await?;
                tell_commands_soon(&server, &id);
                Ok(answer)
            }),
            on_receive_request!(),
        )
        .on_receive_request(
            answered!(ResumeSessionRequest, |server, given, connection| {
                server.resume(given, &connection).await
            }),
            on_receive_request!(),
        )
        .on_receive_request(
            answered!(ForkSessionRequest, |server, given, connection| {
                server.fork(given, &connection).await
            }),
            on_receive_request!(),
        )
        .on_receive_request(
            answered!(ListSessionsRequest, |server, given, connection| server.list(given).await),
            on_receive_request!(),
        )
        .on_receive_request(
            answered!(CloseSessionRequest, |server, given, connection| {
                match server.close(&given.session_id).await {
                    true => Ok(CloseSessionResponse::new()),
                    false => Err(bad(&format!("there is no open session {}", given.session_id))),
                }
            }),
            on_receive_request!(),
        )
        .on_receive_request(
            answered!(DeleteSessionRequest, |server, given, connection| server.delete(given).await),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |given: PromptRequest, responder, _connection| {
                // Before the next message is read: a cancellation right behind a prompt is meant for it.
                let found = prompting.session(&given.session_id);
                let found = found.map(|session| (session.stop_of_next_turn(), session));
                answer_later(responder, async move {
                    let (stop, session) = found?;
                    session.prompt(&given.prompt, &stop).await.map(PromptResponse::new)
                });
                Ok(())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            answered!(SetSessionModeRequest, |server, given, connection| {
                server.session(&given.session_id)?.set_mode(&given.mode_id.0)?;
                Ok(SetSessionModeResponse::new())
            }),
            on_receive_request!(),
        )
        .on_receive_request(
            answered!(SetSessionConfigOptionRequest, |server, given, connection| {
                server.set_option(given).await
            }),
            on_receive_request!(),
        )
        .on_receive_request(
            answered!(SetModelRequest, |server, given, connection| {
                server.session(&given.session_id)?.set_model(given.model_id).await?;
                Ok(SetModelResponse::default())
            }),
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |given: CancelNotification, _connection| {
                if let Ok(session) = cancelling.session(&given.session_id) {
                    session.cancel();
                }
                Ok(())
            },
            on_receive_notification!(),
        )
        .connect_to(transport)
        .await
}

/// Answers in a task of its own.
fn answer_later<T: JsonRpcResponse>(
    responder: Responder<T>,
    answer: impl Future<Output = Result<T, Error>> + Send + 'static,
) {
    tokio::spawn(async move {
        let told = match answer.await {
            Ok(answer) => responder.respond(answer),
            Err(error) => responder.respond_with_error(error),
        };
        if let Err(problem) = told {
            tracing::debug!(?problem, "an answer did not reach the editor");
        }
    });
}

/// After the answer: an editor does not know a session before it.
fn tell_commands_soon(server: &Arc<Server>, id: &SessionId) {
    let found = server.session(id);
    tokio::spawn(async move {
        tokio::task::yield_now().await;
        if let Ok(session) = found {
            session.tell_commands();
        }
    });
}

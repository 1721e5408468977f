//! From settings to a live session: the checks, the transport, the handshake.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hermes_runtime::registry::Registry;
use hermes_store::home::Home;
use hermes_tool::Vars;
use rmcp::RoleClient;
use rmcp::model::{ErrorCode, ProtocolVersion};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, RunningService, serve_client_with_lifecycle,
};
use rmcp::transport::Transport;
use tokio::sync::Notify;

use super::authorize::{AuthorizerRequest, MakeAuthorizer};
use super::connect_error::ConnectError;
use super::connection::{Connection, Revision, ServerHello};
use super::elicitation::{Elicitation, Person};
use super::failure::RequestFailure;
use super::handler::ServerRequestHandler;
use super::progress::{OpenCalls, ProgressTable};
use super::protocol::{NEWEST, VERSIONS};
use super::sampling::{Sampler, Sampling};
use super::settings::{HttpSettings, ServerSettings, StdioSettings, TransportSettings};
use super::transport::authorized_http::AuthorizedHttp;
use super::transport::http_client::{self, Headers};
use super::transport::monitor::{ConnectionMonitor, MonitoredTransport};
use super::transport::pipe::RequestPipe;
use super::transport::send_failure::send_failure;
use super::transport::sse::{Sse, SseError};
use super::transport::stdio::Stdio;
use super::transport::{chain, environment, http, preflight, stderr_log};
use crate::names::NameTable;
use crate::safety::osv::{self, Database};
use crate::safety::{redact_error, suspicious_entry};

/// How patient we are; tests are less so.
#[derive(Clone, Copy, Debug)]
pub struct ReconnectPace {
    /// The first pause before another attempt; it doubles each time.
    pub retry: Duration,
    /// The longest pause.
    pub longest_retry: Duration,
    /// How often a parked server is tried.
    pub parked: Duration,
    /// How long an unreachable server is left alone by calls.
    pub cool_down: Duration,
    /// How long a call waits for a reconnection that is under way.
    pub wait: Duration,
    /// How long a call waits for a restart it has caused.
    pub restart: Duration,
}

impl Default for ReconnectPace {
    fn default() -> Self {
        Self {
            retry: Duration::from_secs(1),
            longest_retry: Duration::from_secs(60),
            parked: Duration::from_secs(300),
            cool_down: Duration::from_secs(60),
            wait: Duration::from_secs(5),
            restart: Duration::from_secs(15),
        }
    }
}

/// What all servers of one host share.
pub(crate) struct ServersContext {
    pub(crate) home: Home,
    pub(crate) vars: Vars,
    pub(crate) folder: PathBuf,
    pub(crate) registry: Arc<Registry>,
    pub(crate) names: Arc<NameTable>,
    pub(crate) sampler: Option<Arc<dyn Sampler>>,
    pub(crate) person: Option<Arc<dyn Person>>,
    pub(crate) authorizer: Option<MakeAuthorizer>,
    pub(crate) pace: ReconnectPace,
}

/// What one server keeps from connection to connection.
#[derive(Clone)]
pub(crate) struct LastingState {
    pub(crate) sampling: Arc<Sampling>,
    pub(crate) calls: Arc<OpenCalls>,
    pub(crate) tools_changed: Arc<Notify>,
}

/// Whether the server has been reached before. Only a first attempt looks at the address beforehand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConnectAttempt {
    First,
    Again,
}

/// Connects and shakes hands. Dropping the future leaves nothing behind.
pub(crate) async fn connect(
    shared: &ServersContext,
    settings: &Arc<ServerSettings>,
    lasting: &LastingState,
    attempt: ConnectAttempt,
) -> Result<Connection, ConnectError> {
    let handler = || ServerRequestHandler {
        settings: Arc::clone(settings),
        sampling: Arc::clone(&lasting.sampling),
        sampler: shared.sampler.clone(),
        elicitation: Elicitation::new(&settings.name, settings.elicitation.clone()),
        person: shared.person.clone(),
        folder: shared.folder.clone(),
        progress: Arc::new(ProgressTable::default()),
        calls: Arc::clone(&lasting.calls),
        tools_changed: Arc::clone(&lasting.tools_changed),
        monitor: ConnectionMonitor::new(),
    };
    let mut pipe = None;
    let running = match &settings.transport {
        TransportSettings::Stdio(stdio) => {
            let mut begin = async |greeting| {
                let handler = handler();
                let monitor = Arc::clone(&handler.monitor);
                let transport = start_program(shared, settings, stdio, monitor).await?;
                pipe = Some(transport.requests());
                Ok::<_, ConnectError>(greet(handler, transport, greeting).await)
            };
            // Every program there is knows the handshake or says at once that it does not; many of those
            // that do have never heard of anything else, and would make us wait.
            match begin(Greeting::Handshake).await? {
                Err(error) if knows_no_handshake(&error) => begin(Greeting::Discovery).await?,
                greeted => greeted,
            }
        }
        TransportSettings::Http(http) => {
            let client = authorized_http(shared, settings, http)?;
            if attempt == ConnectAttempt::First && http.preflight && http.oauth.is_none() {
                preflight::look(&client.http, settings, http).await?;
            }
            let standalone = Arc::clone(&client.standalone);
            let running =
                match greet(handler(), http::transport(client.clone(), http), Greeting::Either)
                    .await
                {
                    // It said something, but nothing that makes sense: an older one that answers anything.
                    Err(error) if is_misunderstanding(&error) => {
                        greet(handler(), http::transport(client, http), Greeting::Handshake).await
                    }
                    greeted => greeted,
                };
            standalone.until_open().await;
            running
        }
        TransportSettings::Sse(http) => {
            let client = authorized_http(shared, settings, http)?;
            let sse = Sse::open(client, http).await.map_err(|error| sse_error(settings, &error))?;
            greet(handler(), sse, Greeting::Handshake).await
        }
    };
    let running = running.map_err(|error| handshake_error(settings, &error))?;
    greeted(settings, running, pipe)
}

async fn start_program(
    shared: &ServersContext,
    settings: &ServerSettings,
    stdio: &StdioSettings,
    monitor: Arc<ConnectionMonitor>,
) -> Result<Stdio, ConnectError> {
    let server = || settings.name.to_string();
    if let Some(why) = suspicious_entry(&stdio.command, &stdio.args) {
        return Err(ConnectError::Suspicious { server: server(), why });
    }
    let program = environment::find(stdio, &shared.vars, shared.home.root())
        .map_err(|why| ConnectError::Program { server: server(), why })?;
    let command = program.file.to_string_lossy();
    if let Some(package) = osv::package_of(&command, &stdio.args)
        && let Some(http) = http_client::plain_client(&shared.vars)
    {
        let endpoint = shared.vars.non_blank(osv::ENDPOINT_VARIABLE);
        let database = Database::new(endpoint, &shared.home.cache());
        if let Some(why) = database.malice(&http, &package).await {
            return Err(ConnectError::Malicious { server: server(), why });
        }
    }
    let failed = |why: String| ConnectError::Failed { server: server(), why };
    let errors = stderr_log::open(&shared.home.logs(), &settings.name)
        .map_err(|error| failed(format!("its log cannot be opened: {error}")))?;
    Stdio::start(program, &stdio.args, errors, monitor)
        .map_err(|error| ConnectError::Program { server: server(), why: error.to_string() })
}

fn authorized_http(
    shared: &ServersContext,
    settings: &ServerSettings,
    http: &HttpSettings,
) -> Result<AuthorizedHttp, ConnectError> {
    let client = http_client::client(settings, http, Headers::Server, &shared.vars)?;
    let authorizer = match (&http.oauth, &shared.authorizer) {
        (Some(oauth), Some(make)) => {
            let request = AuthorizerRequest {
                server: Arc::clone(&settings.name),
                url: http.url.clone(),
                settings: oauth.clone(),
                http: http_client::client(settings, http, Headers::None, &shared.vars)?,
            };
            let made = make(request);
            Some(made.map_err(|error| login(settings, &error.to_string()))?)
        }
        (Some(_), None) => {
            return Err(login(settings, "no login is possible here"));
        }
        (None, _) => None,
    };
    Ok(AuthorizedHttp { http: client, authorizer, standalone: Arc::default() })
}

fn login(settings: &ServerSettings, why: &str) -> ConnectError {
    ConnectError::Login { server: settings.name.to_string(), why: redact_error(why) }
}

fn sse_error(settings: &ServerSettings, error: &SseError) -> ConnectError {
    match error.failure() {
        RequestFailure::Auth(why) => login(settings, &why),
        _ => failed(settings, &error.to_string()),
    }
}

fn failed(settings: &ServerSettings, why: &str) -> ConnectError {
    let why = redact_error(why) + certificate_hint(why);
    ConnectError::Failed { server: settings.name.to_string(), why }
}

/// How we begin with a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Greeting {
    /// With the handshake of the revisions that have one.
    Handshake,
    /// By asking what it is, as the newest revision has it.
    Discovery,
    /// The second; the first with a server that does not know it.
    Either,
}

impl Greeting {
    fn lifecycle(self) -> ClientLifecycleMode {
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        match self {
            Self::Handshake => ClientLifecycleMode::Initialize,
            Self::Discovery => ClientLifecycleMode::Discover { preferred_versions },
            Self::Either => {
                let legacy_version = Some(ProtocolVersion::V_2025_11_25);
                ClientLifecycleMode::Auto { preferred_versions, legacy_version }
            }
        }
    }
}

type Running = RunningService<RoleClient, ServerRequestHandler>;

async fn greet<T>(
    handler: ServerRequestHandler,
    transport: T,
    greeting: Greeting,
) -> Result<Running, ClientInitializeError>
where
    T: Transport<RoleClient> + 'static,
{
    let monitor = Arc::clone(&handler.monitor);
    let transport = MonitoredTransport::new(transport, monitor);
    serve_client_with_lifecycle(handler, transport, greeting.lifecycle()).await
}

/// Whether a server speaks only revisions that have no handshake.
fn knows_no_handshake(error: &ClientInitializeError) -> bool {
    matches!(error, ClientInitializeError::JsonRpcError(error)
        if [ErrorCode::METHOD_NOT_FOUND, ErrorCode::UNSUPPORTED_PROTOCOL_VERSION].contains(&error.code))
}

/// Whether a server answered the question of the newest revision with something else.
fn is_misunderstanding(error: &ClientInitializeError) -> bool {
    matches!(
        error,
        ClientInitializeError::ExpectedInitResponse(_)
            | ClientInitializeError::ExpectedInitResult(_)
    )
}

fn handshake_error(settings: &ServerSettings, error: &ClientInitializeError) -> ConnectError {
    match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => {
            handshake_error(settings, fallback)
        }
        ClientInitializeError::TransportError { error, .. } => {
            match send_failure(error.error.as_ref()) {
                RequestFailure::Auth(why) => login(settings, &why),
                other => failed(settings, &format!("the handshake failed: {other}")),
            }
        }
        ClientInitializeError::ConnectionClosed(_) => {
            let log = stderr_log::NAME;
            let text = "the connection ended during the handshake";
            match settings.transport {
                TransportSettings::Stdio(_) => {
                    failed(settings, &format!("{text}; its own words are in logs/{log}"))
                }
                _ => failed(settings, text),
            }
        }
        other => failed(settings, &format!("the handshake failed: {}", chain(other))),
    }
}

/// What to do about certificates that do not fit.
fn certificate_hint(why: &str) -> &'static str {
    if why.contains("CertificateRequired") {
        "; the server wants a certificate of ours: name its file with `client_cert`"
    } else if why.contains("UnknownIssuer") {
        "; if you trust whoever signed the server's certificate, name the authority's file with \
         `ssl_verify`"
    } else {
        ""
    }
}

/// Keeps what the server said, if we understand each other.
fn greeted(
    settings: &ServerSettings,
    running: Running,
    pipe: Option<Arc<RequestPipe>>,
) -> Result<Connection, ConnectError> {
    let Some(info) = running.peer().peer_info() else {
        return Err(failed(settings, "the handshake gave no answer"));
    };
    let theirs = info.protocol_version.as_str();
    if !VERSIONS.contains(&theirs) {
        return Err(ConnectError::Version {
            server: settings.name.to_string(),
            theirs: theirs.to_owned(),
            ours: VERSIONS.join(", "),
        });
    }
    let capabilities = match serde_json::to_value(&info.capabilities) {
        Ok(serde_json::Value::Object(map)) => map,
        _ => serde_json::Map::new(),
    };
    let server = info.server_info.as_ref().map(|own| format!("{} {}", own.name, own.version));
    let revision = match theirs == NEWEST {
        true => Revision::Newest,
        false => Revision::WithHandshake,
    };
    let instructions = info.instructions.clone();
    let hello = ServerHello { capabilities, server, instructions, revision };
    Ok(Connection::new(running, hello, pipe))
}

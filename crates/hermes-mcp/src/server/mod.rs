//! Our tools for other programs: a server of the Model Context Protocol.
//!
//! A [`Server`] offers the tools of a [`Runtime`] to whoever speaks the protocol, over a pair of
//! streams ([`Server::serve`]) or over HTTP ([`Server::http_router`]). Every client gets a session
//! of its own, except over HTTP in revision 2026-07-28, which knows none: there each call stands alone
//! unless it names one. What is offered beside the tools comes from [`Resources`] and [`Prompts`]; a host
//! adds as many of either as it likes. [`SessionResources`] shows recorded conversations and
//! [`BuiltInPrompts`] a few ready questions; [`SkillSource`] gives skills as both.
//!
//! ```
//! use hermes_mcp::server::Server;
//! use hermes_runtime::Runtime;
//! # async fn run() -> Result<(), hermes_mcp::server::ServeError> {
//! let runtime = Runtime::builder().build();
//! let server = Server::builder(runtime, "my-tools", "1.0.0").build();
//! let (client, here) = tokio::io::duplex(64 * 1024);
//! drop(client);
//! let (read, write) = tokio::io::split(here);
//! server.serve(read, write, Default::default()).await
//! # }
//! ```
//!
//! # The way of one call
//!
//! > name looked up among the tools on offer → arguments without their nulls → a [`Caller`] put
//! > into the services of the call → the runtime's pipeline, with its gate, hooks and limits → text,
//! > images and sound as the protocol wants them
//!
//! While the tool runs, whatever it or the gate want from the client goes through the [`Caller`]:
//! progress, log lines, questions to the person. They are sent from the task of the request, so that over
//! HTTP they travel on its very stream. A host that has to ask somebody (the gate for commands, hooks)
//! finds the client behind a call in [`Callers`].
//!
//! A question is a request to the client up to revision 2025-11-25. From 2026-07-28 it is the result of
//! the call: the call stands still where it asked, and goes on when the client calls again with the
//! answer. Who asks notices no difference.
//!
//! # What never happens here
//!
//! A call reaches a handler around the pipeline. A question without an answer counts as a yes. A
//! result is sent twice, once as text and once as structure. Anything is printed: logs go to
//! `tracing`.

pub mod bridge;
mod call;
mod caller;
mod catalog;
mod client_state;
mod content;
mod declared;
mod handles;
mod http;
mod lines;
mod log;
mod open_call;
mod progress;
mod prompts;
mod questions;
mod revision;
mod session;
mod session_resources;
mod skill_sources;
mod sources;
mod stdio;
mod unreadable;
mod waiting;
mod watch;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use hermes_runtime::{Runtime, ToolListCache, ToolScope};
use hermes_tool::Services;
use tokio_util::sync::CancellationToken;

pub use caller::{Caller, CallerError, Callers, ClientChoice};
pub use http::{HTTP_PATH, HttpOptions, MAX_BODY_BYTES, MAX_SESSIONS};
pub use log::{LogLevel, LogLine};
pub use prompts::BuiltInPrompts;
pub use rmcp::model;
pub use session_resources::SessionResources;
pub use skill_sources::SkillSource;
pub use sources::{Prompts, Resources, SourceError};
pub use stdio::ServeError;

use catalog::ToolCatalog;
use handles::SessionHandles;
use session::ClientSession;
use waiting::WaitingCalls;

/// What happens when a client's session is over; it gets the session's id.
type SessionEnd = Arc<dyn Fn(&str) + Send + Sync>;
/// Makes services for one call, given the client behind it.
type CallServices = Arc<dyn Fn(&Caller) -> Services + Send + Sync>;

/// The tools of a runtime, for clients of the protocol. Cheap to clone.
#[derive(Clone)]
pub struct Server {
    shared: Arc<ServerContext>,
}

/// What all sessions of a server share.
pub(crate) struct ServerContext {
    pub(crate) runtime: Runtime,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) catalog: ToolListCache<ToolCatalog>,
    pub(crate) instructions: Option<String>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) resources: Vec<Arc<dyn Resources>>,
    pub(crate) prompts: Vec<Arc<dyn Prompts>>,
    pub(crate) callers: Arc<Callers>,
    pub(crate) services: CallServices,
    pub(crate) session_end: Option<SessionEnd>,
    /// Calls that stand still until their client answers.
    waiting: Arc<WaitingCalls>,
    /// Sessions that are named in calls.
    handles: Arc<SessionHandles>,
}

impl ServerContext {
    /// The tools on offer right now.
    pub(crate) fn catalog(&self) -> Arc<ToolCatalog> {
        self.catalog.get(&self.runtime, |offers| ToolCatalog::new(&offers))
    }

    /// Gives up what was held for a session.
    fn end_session(&self, session: &str) {
        if let Some(act) = &self.session_end {
            act(session);
        }
    }
}

/// Collects what the server offers; whoever is not named is not offered.
pub struct ServerBuilder {
    shared: ServerContext,
}

impl Server {
    /// Starts building a server that calls itself by this name and version.
    pub fn builder(
        runtime: Runtime,
        name: impl Into<String>,
        version: impl Into<String>,
    ) -> ServerBuilder {
        ServerBuilder {
            shared: ServerContext {
                runtime,
                name: name.into(),
                version: version.into(),
                catalog: ToolListCache::new(ToolScope::default()),
                instructions: None,
                cwd: None,
                resources: Vec::new(),
                prompts: Vec::new(),
                callers: Arc::default(),
                services: Arc::new(|_| Services::default()),
                session_end: None,
                waiting: Arc::default(),
                handles: Arc::default(),
            },
        }
    }

    /// Names of the tools on offer, sorted.
    #[must_use]
    pub fn tool_names(&self) -> BTreeSet<String> {
        self.shared.catalog().names.as_ref().clone()
    }

    /// A session for one client.
    pub(crate) fn session(&self) -> ClientSession {
        ClientSession::new(Arc::clone(&self.shared))
    }

    /// Serves one client on a pair of streams, until it hangs up or `stop` is cancelled.
    ///
    /// # Errors
    /// When the client does not begin the way the protocol wants, or the streams break.
    pub async fn serve<R, W>(
        &self,
        read: R,
        write: W,
        stop: CancellationToken,
    ) -> Result<(), ServeError>
    where
        R: tokio::io::AsyncRead + Send + Unpin + 'static,
        W: tokio::io::AsyncWrite + Send + Unpin + 'static,
    {
        stdio::serve(self.session(), read, write, stop).await
    }

    /// The server over HTTP (streamable HTTP), at [`HTTP_PATH`]. Hosts and origins that the options
    /// do not list are refused; checking tokens is the host's part.
    pub fn http_router(&self, options: &HttpOptions) -> axum::Router {
        http::router(self.clone(), options)
    }
}

impl ServerBuilder {
    /// The toolsets on offer; all by default.
    #[must_use]
    pub fn scope(mut self, scope: ToolScope) -> Self {
        self.shared.catalog = ToolListCache::new(scope);
        self
    }

    /// What clients may tell their model about this server.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.shared.instructions = Some(text.into());
        self
    }

    /// Where relative paths start; the process's own directory by default.
    #[must_use]
    pub fn cwd(mut self, cwd: Option<PathBuf>) -> Self {
        self.shared.cwd = cwd;
        self
    }

    /// Adds things to read. The first source that knows an address answers for it.
    #[must_use]
    pub fn resources(mut self, source: Arc<dyn Resources>) -> Self {
        self.shared.resources.push(source);
        self
    }

    /// Adds ready questions. The first source that knows a name answers for it.
    #[must_use]
    pub fn prompts(mut self, source: Arc<dyn Prompts>) -> Self {
        self.shared.prompts.push(source);
        self
    }

    /// Where clients are found by those who have to ask somebody about a call.
    #[must_use]
    pub fn callers(mut self, callers: Arc<Callers>) -> Self {
        self.shared.callers = callers;
        self
    }

    /// Services for every call, made when it comes in.
    #[must_use]
    pub fn services(mut self, make: impl Fn(&Caller) -> Services + Send + Sync + 'static) -> Self {
        self.shared.services = Arc::new(make);
        self
    }

    /// What to do when a client's session is over, to give up what was held for it.
    #[must_use]
    pub fn on_session_end(mut self, act: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.shared.session_end = Some(Arc::new(act));
        self
    }

    /// The server.
    #[must_use]
    pub fn build(self) -> Server {
        Server { shared: Arc::new(self.shared) }
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("name", &self.shared.name).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for ServerBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ServerBuilder")
    }
}

#[cfg(test)]
mod tests;

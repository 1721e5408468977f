//! The tools of a runtime for programs: which are on offer, and with what they are called.

use std::path::PathBuf;
use std::sync::Arc;

use axum::http::StatusCode;
use hermes_runtime::{ListedTool, Runtime, ToolListCache, ToolScope};
use hermes_tool::Services;

use crate::problem::ApiProblem;
use crate::sessions::OpenSessions;

/// Makes services for a call, given the name of its session.
type SessionServices = Arc<dyn Fn(&str) -> Services + Send + Sync>;

/// The tools of a runtime, for programs. Cheap to clone.
#[derive(Clone)]
pub struct Api {
    pub(crate) shared: Arc<ApiContext>,
}

pub(crate) struct ApiContext {
    pub(crate) runtime: Runtime,
    pub(crate) tools: ToolListCache<Vec<ListedTool>>,
    pub(crate) services: SessionServices,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) version: String,
    pub(crate) sessions: OpenSessions,
}

/// Collects runtime, token and limits; nothing listens before it is built.
pub struct ApiBuilder(ApiContext);

impl Api {
    /// Starts building.
    #[must_use]
    pub fn builder(runtime: Runtime) -> ApiBuilder {
        ApiBuilder(ApiContext {
            runtime,
            tools: ToolListCache::new(ToolScope::default()),
            services: Arc::new(|_| Services::default()),
            cwd: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            sessions: OpenSessions::default(),
        })
    }

    /// The tools on offer, sorted by name.
    #[must_use]
    pub fn list_tools(&self) -> Arc<Vec<ListedTool>> {
        self.shared.tools.get(&self.shared.runtime, |tools| tools)
    }

    /// The version it tells.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.shared.version
    }

    pub(crate) fn find(&self, name: &str) -> Result<ListedTool, ApiProblem> {
        let tools = self.list_tools();
        let found = tools.iter().find(|listed| &**listed.tool.name() == name);
        found.cloned().ok_or_else(|| {
            ApiProblem::new(
                StatusCode::NOT_FOUND,
                "unknown_tool",
                format!("There is no tool `{name}`"),
                "GET /v1/tools lists those on offer",
            )
        })
    }
}

impl ApiBuilder {
    /// The toolsets on offer; all by default.
    #[must_use]
    pub fn scope(mut self, scope: ToolScope) -> Self {
        self.0.tools = ToolListCache::new(scope);
        self
    }

    /// Services for every call, given the name of its session.
    #[must_use]
    pub fn services(mut self, make: impl Fn(&str) -> Services + Send + Sync + 'static) -> Self {
        self.0.services = Arc::new(make);
        self
    }

    /// Where relative paths start; the process's own directory by default.
    #[must_use]
    pub fn cwd(mut self, cwd: Option<PathBuf>) -> Self {
        self.0.cwd = cwd;
        self
    }

    /// The version to tell.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.0.version = version.into();
        self
    }

    /// The tools for programs.
    #[must_use]
    pub fn build(self) -> Api {
        Api { shared: Arc::new(self.0) }
    }
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Api")
    }
}

impl std::fmt::Debug for ApiBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ApiBuilder")
    }
}

//! The runtime: everything a host needs, in one value that is cheap to clone.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use hermes_tool::{CallTools, Services, StateType, Vars};
use serde_json::Value;

use crate::approval::{ApprovalMemory, Approver, Nobody};
use crate::availability::{AvailabilityCache, Clock, SystemClock};
use crate::definitions::Memo;
use crate::hooks::Hooks;
use crate::limits::{LocalSpill, SpillStore};
use crate::middleware::Middleware;
use crate::registry::Registry;
use crate::settings::RuntimeSettings;
use crate::toolsets::{ConfigProblem, ToolsetCatalog, ToolsetTable};

/// Registry, toolsets, availability, hooks and settings together. Clones share everything.
///
/// ```
/// use hermes_runtime::{Runtime, ToolCall};
/// use hermes_tool::{Effects, Tool, ToolOutput};
/// use serde_json::json;
///
/// let runtime = Runtime::builder().build();
/// runtime.registry().register(
///     Tool::builder("shout", "text")
///         .description("Write a text in capitals.")
///         .parameters(json!({"type": "object", "properties": {"text": {"type": "string"}}}))
///         .effects(Effects::NONE)
///         .handler(|args, _cx| {
///             let text = args["text"].as_str().unwrap_or_default().to_uppercase();
///             Ok(ToolOutput::text(json!({"text": text}).to_string()))
///         }),
/// );
/// let outcome = runtime.call_blocking(ToolCall::new("shout", json!({"text": "hello"})));
/// assert_eq!(outcome.text(), r#"{"text":"HELLO"}"#);
/// ```
#[derive(Clone)]
pub struct Runtime {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    registry: Arc<Registry>,
    toolsets: ToolsetTable,
    availability: AvailabilityCache,
    hooks: Arc<Hooks>,
    middleware: Middleware,
    settings: ArcSwap<RuntimeSettings>,
    settings_revision: AtomicU64,
    memo: Memo,
    approver: Arc<dyn Approver>,
    approvals: ApprovalMemory,
    spill: Option<Arc<dyn SpillStore>>,
    visible: ArcSwap<Arc<[Arc<str>]>>,
}

impl Inner {
    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }
}

/// Builds a [`Runtime`]; every part has a sensible default.
pub struct RuntimeBuilder {
    registry: Option<Arc<Registry>>,
    toolsets: Arc<ToolsetCatalog>,
    config: Value,
    vars: Vars,
    clock: Arc<dyn Clock>,
    approver: Arc<dyn Approver>,
    spill: Option<Arc<dyn SpillStore>>,
}

impl RuntimeBuilder {
    /// The registry to use; an empty one by default.
    #[must_use]
    pub fn registry(mut self, registry: Arc<Registry>) -> Self {
        self.registry = Some(registry);
        self
    }

    /// The toolsets the product ships; none by default.
    #[must_use]
    pub fn toolsets(mut self, catalog: Arc<ToolsetCatalog>) -> Self {
        self.toolsets = catalog;
        self
    }

    /// The configuration, as a JSON object.
    #[must_use]
    pub fn config(mut self, config: Value) -> Self {
        self.config = config;
        self
    }

    /// Variables for checks and handlers; none by default.
    #[must_use]
    pub fn vars(mut self, vars: Vars) -> Self {
        self.vars = vars;
        self
    }

    /// Where availability takes its time from.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Who asks people; nobody by default, and then the answer is no.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approver = approver;
        self
    }

    /// Where results too long for a model are saved; the system's temporary folder by default.
    #[must_use]
    pub fn spill(mut self, spill: Option<Arc<dyn SpillStore>>) -> Self {
        self.spill = spill;
        self
    }

    /// Builds the runtime.
    #[must_use]
    pub fn build(self) -> Runtime {
        let settings = RuntimeSettings::read(self.config, self.vars);
        let toolsets = ToolsetTable::new(self.toolsets);
        for problem in toolsets.load_config(&settings.custom_toolsets) {
            tracing::warn!(%problem, "custom toolset ignored");
        }
        Runtime {
            inner: Arc::new(Inner {
                registry: self.registry.unwrap_or_default(),
                toolsets,
                availability: AvailabilityCache::new(settings.check_timeout, self.clock),
                hooks: Arc::default(),
                middleware: Middleware::default(),
                settings: ArcSwap::from_pointee(settings),
                settings_revision: AtomicU64::new(0),
                memo: Memo::default(),
                approver: self.approver,
                approvals: ApprovalMemory::default(),
                spill: self.spill,
                visible: ArcSwap::from_pointee(Arc::from([])),
            }),
        }
    }
}

/// A tool that could only refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingState {
    /// Its name.
    pub tool: Arc<str>,
    /// What it works on.
    pub state: StateType,
}

impl std::fmt::Display for MissingState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} works on {}, which no service holds", self.tool, self.state.name())
    }
}

impl Runtime {
    /// Starts building.
    #[must_use]
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder {
            registry: None,
            toolsets: Arc::default(),
            config: Value::Object(serde_json::Map::new()),
            vars: Vars::default(),
            clock: Arc::new(SystemClock),
            approver: Arc::new(Nobody),
            spill: Some(Arc::new(LocalSpill::new(std::env::temp_dir()))),
        }
    }

    /// Every tool there is, offered or not; tools may come and go while it runs.
    #[must_use]
    pub fn registry(&self) -> &Arc<Registry> {
        &self.inner.registry
    }

    /// Built-in, configured and plugins' toolsets, with their includes.
    #[must_use]
    pub fn toolsets(&self) -> &ToolsetTable {
        &self.inner.toolsets
    }

    /// The memory of availability checks.
    #[must_use]
    pub fn availability(&self) -> &AvailabilityCache {
        &self.inner.availability
    }

    /// Who is told before and after calls, requests and sessions.
    #[must_use]
    pub fn hooks(&self) -> &Arc<Hooks> {
        &self.inner.hooks
    }

    /// What stands between a call and its tool, outermost first.
    #[must_use]
    pub fn middleware(&self) -> &Middleware {
        &self.inner.middleware
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> Arc<RuntimeSettings> {
        self.inner.settings.load_full()
    }

    /// Takes over a changed configuration or changed variables. Says which custom toolsets were
    /// ignored.
    pub fn reload(&self, config: Value, vars: Vars) -> Vec<ConfigProblem> {
        let settings = RuntimeSettings::read(config, vars);
        let problems = self.inner.toolsets.load_config(&settings.custom_toolsets);
        self.inner.settings.store(Arc::new(settings));
        self.inner.settings_revision.fetch_add(1, Ordering::AcqRel);
        self.inner.availability.invalidate();
        problems
    }

    /// What tools work on and these services do not hold. A host that makes services for many calls
    /// asks once, instead of learning it from a model that was refused.
    #[must_use]
    pub fn missing_states(&self, services: &Services) -> Vec<MissingState> {
        let tables = self.registry().snapshot();
        let of_tool = |tool: &hermes_tool::Tool| {
            let lacking = tool.states().iter().filter(|state| !state.is_in(services));
            lacking
                .map(|state| MissingState { tool: Arc::clone(tool.name()), state: *state })
                .collect::<Vec<_>>()
        };
        tables.tools().into_iter().flat_map(of_tool).collect()
    }

    /// Names of the tools of the latest definitions: what a session sees, for callers that do not
    /// say it themselves.
    #[must_use]
    pub fn visible_tools(&self) -> Arc<[Arc<str>]> {
        Arc::clone(&self.inner.visible.load())
    }

    pub(crate) fn remember_visible(&self, names: &Arc<[Arc<str>]>) {
        if !Arc::ptr_eq(&**self.inner.visible.load(), names) {
            self.inner.visible.store(Arc::new(Arc::clone(names)));
        }
    }

    pub(crate) fn of(inner: Arc<Inner>) -> Self {
        Self { inner }
    }

    /// This runtime as handlers see it.
    pub(crate) fn caller(&self) -> Arc<dyn CallTools> {
        Arc::clone(&self.inner) as Arc<dyn CallTools>
    }

    pub(crate) fn settings_revision(&self) -> u64 {
        self.inner.settings_revision.load(Ordering::Acquire)
    }

    pub(crate) fn memo(&self) -> &Memo {
        &self.inner.memo
    }

    pub(crate) fn approver(&self) -> &dyn Approver {
        &*self.inner.approver
    }

    pub(crate) fn approvals(&self) -> &ApprovalMemory {
        &self.inner.approvals
    }

    pub(crate) fn spill(&self) -> Option<&dyn SpillStore> {
        self.inner.spill.as_deref()
    }
}

impl std::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runtime").field("registry", self.registry()).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for RuntimeBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RuntimeBuilder")
    }
}

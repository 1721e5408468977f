//! What lets other programs in: the runtime, its gate and its places, without an agent.
//!
//! `hermes mcp serve` and `hermes serve` open a [`Door`] and put a wire before it. Tools, rules and
//! limits are those of `hermes tools call`; what differs is who can be asked (`ask`) and how a program
//! gets to us (`http`). Tools of plugins are there; those of other MCP servers are not passed on, since
//! whoever wants them connects to those servers.

mod ask;
mod http;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use hermes_approval::{Approvals, Asker, Audience};
use hermes_exec::manager::{Environments, Override};
use hermes_files::state::FileState;
use hermes_plugins::{Plugins, Wake};
use hermes_runtime::approval::Approver;
use hermes_runtime::{Runtime, ToolScope};
use hermes_tool::{ContextParts, Services};
use tokio_util::sync::CancellationToken;

pub(crate) use ask::{ClientApprover, ClientAsker};
pub(crate) use http::{HttpFlags, Opening};

use crate::host::Host;
use crate::talk;
use crate::ui::Ui;

/// How long plugins that nothing is known about are waited for: a client is waiting.
const PATIENCE: Duration = Duration::from_secs(2);

/// Who can be asked about calls that come through a door.
pub(crate) struct Company {
    /// About commands that the gate has flagged.
    pub(crate) asker: Option<Arc<dyn Asker>>,
    /// About calls that a hook is unsure of.
    pub(crate) approver: Arc<dyn Approver>,
}

/// Everything a call needs.
pub(crate) struct Door {
    pub(crate) runtime: Runtime,
    pub(crate) scope: ToolScope,
    services: Services,
    pub(crate) approvals: Arc<Approvals>,
    environments: Arc<Environments>,
    plugins: Arc<Plugins>,
}

impl Door {
    /// Gets everything ready. Must be called inside the async runtime.
    pub(crate) async fn open(
        host: &Host,
        toolsets: &[String],
        company: Company,
        ui: &mut Ui,
    ) -> anyhow::Result<Self> {
        host.warn_about_files(ui)?;
        let runtime = host.runtime_asking(company.approver);
        let plugins = Arc::new(host.plugins(&runtime, ui)?);
        plugins.wake(Wake::All, PATIENCE).await;
        host.register_shell_hooks(&runtime, ui)?;
        let scope = talk::scope(host, toolsets, &runtime, ui)?;
        let settings = host.approval_settings(ui)?;
        let approvals = host.approvals_with(settings, &runtime, company.asker, None);
        let environments = host.environments();
        let services = Services::default()
            .with(Arc::clone(&approvals))
            .with(Arc::clone(&environments))
            .with(Arc::new(FileState::default()));
        plugins.set_context(ContextParts {
            cwd: std::env::current_dir().ok(),
            vars: host.vars.clone(),
            config: Arc::new(host.config.value().clone()),
            services: services.clone(),
            ..ContextParts::default()
        });
        Ok(Self { runtime, scope, services, approvals, environments, plugins })
    }

    /// Makes services for the calls of a session. Sessions share a terminal; each begins where the
    /// settings say, not where another has gone to.
    pub(crate) fn services_of(
        &self,
    ) -> impl Fn(&str, Audience) -> Services + Send + Sync + Clone + use<> {
        let (services, environments) = (self.services.clone(), Arc::clone(&self.environments));
        move |session, audience| {
            if environments.directory(session, session).is_none()
                && let Ok(settings) = environments.settings(session)
            {
                let cwd = Some(settings.cwd.clone());
                environments.override_task(session, Override { cwd, ..Override::default() });
            }
            services.with(Arc::new(audience))
        }
    }

    /// Ends everything that was started through it.
    pub(crate) async fn close(&self) {
        self.environments.close_all().await;
        self.plugins.close().await;
    }
}

/// Runs async work to its end on threads of its own. A tool left behind by a client that went away
/// does not hold up the end of the process.
pub(crate) fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let workers = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("start the async runtime")?;
    let done = workers.block_on(work);
    workers.shutdown_background();
    done
}

/// A token that is cancelled when somebody wants the process to end.
pub(crate) fn stop_on_signals() -> anyhow::Result<CancellationToken> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate()).context("listen for signals")?;
    let mut hang_up = signal(SignalKind::hangup()).context("listen for signals")?;
    let stop = CancellationToken::new();
    let told = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
        told.cancel();
    });
    Ok(stop)
}

//! The life of the process: one per home, one bot per token, an orderly end.

use std::fmt;
use std::fs;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_host::{Host, Interaction};
use hermes_sessions::SessionStore;
use hermes_store::atomic::{self, ExistingMode, WriteOptions};
use hermes_store::clock::now;
use hermes_store::lock::{FileLock, LockError, Wait};
use hermes_tool::settings::Settings as _;
use hermes_tools::product::PLATFORMS;
use serde_json::{Value, json};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::core::{Asking, Gateway, GatewayAsker, open_links};
use crate::jobs;
use crate::settings::GatewaySettings;

/// The lock that one gateway of a home holds for its life.
const LOCK_FILE: &str = concat!("gateway", ".lock");
/// Says which process that is.
const PID_FILE: &str = concat!("gateway", ".pid");
/// Says how it is.
pub(crate) const STATE_FILE: &str = "gateway_state.json";

/// What whoever started it is to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatewayEnd {
    /// Somebody stopped it.
    Stopped,
    /// Whoever supervises it is to start it again: exit code 75.
    Restart,
}

impl GatewayEnd {
    /// What a hangup asks for: that the settings are read anew, which a new process does. A terminal that is gone wants the end.
    fn of_hangup() -> Self {
        match std::io::stdin().is_terminal() {
            true => Self::Stopped,
            false => Self::Restart,
        }
    }
}

/// Why a gateway did not start. All of these need a person: exit code 78.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// Another one runs in this home.
    #[error("a gateway of this home runs already ({0})")]
    Running(String),
    /// The settings cannot be used.
    #[error("{0}")]
    Config(String),
    /// Something of the system failed.
    #[error("{0}")]
    System(String),
}

/// What `gateway run` was asked for.
#[derive(Clone, Debug, Default)]
pub struct GatewayOptions {
    /// Asks a running one to end, and takes over.
    pub replace: bool,
}

fn system(what: &str, error: impl fmt::Display) -> GatewayError {
    GatewayError::System(format!("{what}: {error}"))
}

/// Runs the gateway of a home until somebody stops it. `tell` gets lines for whoever watches.
///
/// # Errors
/// If it cannot start.
pub async fn run(
    host: &Host,
    options: &GatewayOptions,
    tell: &(dyn Fn(&str) + Send + Sync),
) -> Result<GatewayEnd, GatewayError> {
    host.require_sound_config().map_err(|error| GatewayError::Config(error.to_string()))?;
    refuse_root(host)?;
    let root = host.home().root();
    hermes_store::home::ensure_private_dir(root).map_err(|error| system("the home", error))?;
    let _lock = take_home(root, options).await?;
    let settings = GatewaySettings::read(host.config().value(), host.vars());
    let (mut links, problems) = open_links(host, &settings);
    let mut broken: Vec<(&'static str, String)> = problems
        .iter()
        .map(|(platform, problem)| (platform.name, format!("{}: {problem}", platform.label)))
        .collect();
    let mut tokens = Vec::new();
    links.retain(|name, link| match take_tokens(host, link.platform, &link.setup) {
        Ok(own) => {
            tokens.extend(own);
            true
        }
        Err(problem) => {
            broken.push((*name, problem.to_string()));
            false
        }
    });
    // One platform that cannot be used takes nothing from the others, nor from scheduled jobs.
    if links.is_empty() && !has_jobs(host) {
        return Err(GatewayError::Config(match broken.into_iter().next() {
            Some((_, problem)) => problem,
            None => "no messaging platform is set up, and there are no scheduled jobs; `hermes \
                     gateway list` shows what each platform wants in .env"
                .to_owned(),
        }));
    }
    for (name, problem) in &broken {
        tracing::error!(platform = name, %problem, "left out");
        tell(&format!("Left out: {problem}"));
    }
    let asking = Arc::new(Asking::default());
    let asker = GatewayAsker {
        asking: Arc::clone(&asking),
        store: SessionStore::at(host.home().state_db()),
        wait: settings.approval_wait.duration(),
    };
    let interaction = Interaction { asker: Some(Arc::new(asker)), ..Interaction::unattended() };
    let mut factory = host
        .agent_factory(&interaction)
        .await
        .map_err(|error| GatewayError::Config(error.to_string()))?;
    for name in links.keys().filter(|name| !PLATFORMS.contains(name)) {
        // Without a preset of its own a platform offers the core.
        factory.tools().runtime().registry().register_platform(*name);
    }
    let later = factory.hear_later();
    let gateway = Gateway::new(host, factory, links, asking, broken);
    for name in gateway.links.keys() {
        // Whoever was turned out is on no list that was read just now.
        gateway.pairing.forget_revoked(name);
    }
    let expired = gateway.store.write(|database| database.expire_gateway_approvals()).await;
    expired.map_err(|error| system("the database", error))?;
    let stop = CancellationToken::new();
    let mut work = tokio::task::JoinSet::new();
    let report = StateReport { file: root.join(STATE_FILE), since: now(), written: None };
    for link in gateway.links.values() {
        work.spawn(Arc::clone(&gateway).keep_connected(Arc::clone(link), stop.clone()));
        let (link, gateway) = (Arc::clone(link), Arc::clone(&gateway));
        tokio::spawn(async move {
            let menu = gateway.menu(&link);
            let names: Vec<_> = menu.iter().map(|(name, about)| (&**name, &**about)).collect();
            let _ = link.adapter.show_commands(&names).await;
        });
    }
    let dispatch = tokio::spawn(Arc::clone(&gateway).dispatch());
    let news = tokio::spawn(Arc::clone(&gateway).tell_news(later));
    let sending = tokio::spawn(Arc::clone(&gateway).keep_sending());
    let clock = tokio::spawn(jobs::keep_ticking(host.clone(), stop.clone()));
    let names: Vec<&str> = gateway.links.values().map(|link| link.platform.label).collect();
    tell(&match names.is_empty() {
        true => "The gateway runs: scheduled jobs only.".to_owned(),
        false => format!("The gateway runs: {}.", names.join(", ")),
    });
    let mut wishes = Wishes::listen()?;
    let end = live(&gateway, &mut wishes, report).await;
    gateway.begin_drain();
    let orderly = async {
        drain(&gateway, host).await;
        stop.cancel();
        let all = async { while work.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(Duration::from_secs(6), all).await;
        // Runs of jobs have a moment to end; what is left is called unknown by whoever ticks next.
        let _ = tokio::time::timeout(Duration::from_secs(12), clock).await;
    };
    tokio::select! {
        () = orderly => {}
        // Whoever asks twice does not want to wait. What is not done is on disk.
        () = wishes.end() => {
            tracing::warn!("asked again to end: turns are left as they are");
            stop.cancel();
        }
    }
    dispatch.abort();
    news.abort();
    sending.abort();
    gateway.factory.close().await;
    write_state(&root.join(STATE_FILE), &state_of(&gateway, "stopped", now()));
    let _ = fs::remove_file(root.join(PID_FILE));
    drop(tokens);
    Ok(end)
}

/// What signals ask for.
struct Wishes {
    terminate: Signal,
    interrupt: Signal,
    restart: Signal,
    hangup: Signal,
}

impl Wishes {
    fn listen() -> Result<Self, GatewayError> {
        let listen = |kind| signal(kind).map_err(|error| system("signals", error));
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            restart: listen(SignalKind::user_defined1())?,
            hangup: listen(SignalKind::hangup())?,
        })
    }

    /// Somebody wants the end, whatever comes after it.
    async fn end(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Waits for a signal or a command to end, and says how things are meanwhile.
async fn live(gateway: &Arc<Gateway>, wishes: &mut Wishes, mut report: StateReport) -> GatewayEnd {
    let mut tick = tokio::time::interval(Duration::from_secs(1));
    let Wishes { terminate, interrupt, restart, hangup } = wishes;
    loop {
        tokio::select! {
            _ = terminate.recv() => return GatewayEnd::Stopped,
            _ = interrupt.recv() => return GatewayEnd::Stopped,
            _ = restart.recv() => return GatewayEnd::Restart,
            _ = hangup.recv() => return GatewayEnd::of_hangup(),
            () = gateway.restart.cancelled() => return GatewayEnd::Restart,
            _ = tick.tick() => {
                let state = if gateway.is_connected() { "running" } else { "starting" };
                report.write(gateway, state);
            }
        }
    }
}

/// Lets running turns end for a while, then interrupts them; they go on after a restart.
async fn drain(gateway: &Arc<Gateway>, host: &Host) {
    write_state(&host.home().root().join(STATE_FILE), &state_of(gateway, "draining", now()));
    let patience = gateway.settings.restart_drain_timeout.duration();
    let begun = Instant::now();
    while gateway.load().0 > 0 && begun.elapsed() < patience {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    gateway.interrupt_all();
    let begun = Instant::now();
    while gateway.load().0 > 0 && begun.elapsed() < Duration::from_secs(5) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Whether there are scheduled jobs, which need somebody who runs them.
fn has_jobs(host: &Host) -> bool {
    host.job_store().is_ok_and(|store| store.jobs().is_ok_and(|jobs| !jobs.is_empty()))
}

fn refuse_root(host: &Host) -> Result<(), GatewayError> {
    let in_container =
        Path::new("/.dockerenv").exists() || Path::new("/run/.containerenv").exists();
    if nix::unistd::geteuid().is_root()
        && !in_container
        && !host.vars().is_on("HERMES_ALLOW_ROOT_GATEWAY")
    {
        return Err(GatewayError::Config(
            "the gateway does not run as root: people in chats would command this machine. Use an \
             ordinary user, or set HERMES_ALLOW_ROOT_GATEWAY=1"
                .to_owned(),
        ));
    }
    Ok(())
}

/// Holds the home, after the one that does has ended if that is wanted.
async fn take_home(root: &Path, options: &GatewayOptions) -> Result<FileLock, GatewayError> {
    let file = root.join(LOCK_FILE);
    if options.replace && signal_running(root, nix::sys::signal::Signal::SIGTERM).is_some() {
        let begun = Instant::now();
        while running(root).is_some() && begun.elapsed() < Duration::from_secs(60) {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    let lock = FileLock::acquire(&file, Wait::Never).map_err(|error| match error {
        LockError::Busy { holder, .. } => {
            let holder = holder
                .map_or("its process is not known".to_owned(), |pid| format!("process {pid}"));
            GatewayError::Running(format!(
                "{holder}; `hermes gateway stop` ends it, `--replace` takes over"
            ))
        }
        other => system("the lock of the gateway", other),
    })?;
    let pid = json!({
        "pid": std::process::id(), "kind": "hermes-gateway",
        "argv": std::env::args().collect::<Vec<_>>(),
        "start_time": hermes_process::process_start_time(std::process::id()),
    });
    write_state(&root.join(PID_FILE), &pid);
    Ok(lock)
}

/// One bot per token on this machine.
fn take_tokens(
    host: &Host,
    platform: &'static crate::adapter::Platform,
    setup: &crate::adapter::AdapterSetup,
) -> Result<Vec<FileLock>, GatewayError> {
    let vars = host.vars();
    let folder = vars.non_blank("HERMES_GATEWAY_LOCK_DIR").map(PathBuf::from).or_else(|| {
        let state = vars.non_blank("XDG_STATE_HOME").map(PathBuf::from);
        let usual = || vars.non_blank("HOME").map(|home| Path::new(home).join(".local/state"));
        state.or_else(usual).map(|state| state.join("hermes").join("gateway-locks"))
    });
    let Some(folder) = folder else { return Ok(Vec::new()) };
    hermes_store::home::ensure_private_dir(&folder).map_err(|error| system("the locks", error))?;
    let mut locks = Vec::new();
    for variable in platform.required.iter().filter(|variable| variable.is_secret) {
        let Some(secret) = setup.variable(variable.name) else { continue };
        let hash = ring::digest::digest(&ring::digest::SHA256, secret.as_bytes());
        let hash: String = hash.as_ref().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let file = folder.join(format!("{}-{hash}.lock", platform.name));
        let lock = FileLock::acquire(&file, Wait::Never).map_err(|error| {
            let holder = match error {
                LockError::Busy { holder: Some(pid), .. } => format!("process {pid}"),
                _ => "another process".to_owned(),
            };
            GatewayError::Config(format!(
                "{}: {holder} uses the same {} already. Each gateway needs a bot of its own",
                platform.label, variable.name
            ))
        })?;
        locks.push(lock);
    }
    Ok(locks)
}

/// The process of the gateway that runs in a home.
#[must_use]
pub fn running(root: &Path) -> Option<u32> {
    let text = fs::read(root.join(PID_FILE)).ok()?;
    let known: Value = serde_json::from_slice(&text).ok()?;
    let pid = u32::try_from(known["pid"].as_u64()?).ok()?;
    // Whoever can take the lock finds that nobody runs, whatever the file says.
    if FileLock::acquire(&root.join(LOCK_FILE), Wait::Never).is_ok() {
        return None;
    }
    Some(pid)
}

/// Sends a signal to the gateway of a home; its number if there is one.
#[must_use]
pub(crate) fn signal_running(root: &Path, signal: nix::sys::signal::Signal) -> Option<u32> {
    let pid = running(root)?;
    let process = nix::unistd::Pid::from_raw(i32::try_from(pid).ok()?);
    nix::sys::signal::kill(process, signal).ok()?;
    Some(pid)
}

fn write_state(file: &Path, value: &Value) {
    let options = WriteOptions { mode: 0o600, existing: ExistingMode::Replace };
    let text = serde_json::to_vec_pretty(value).unwrap_or_default();
    if let Err(error) = atomic::write(file, &text, options) {
        tracing::warn!(%error, "how the gateway is cannot be written");
    }
}

fn state_of(gateway: &Gateway, state: &str, since: f64) -> Value {
    let at_work = gateway.links.iter().map(|(name, link)| {
        ((*name).to_owned(), serde_json::to_value(link.health()).unwrap_or_default())
    });
    let broken = gateway.broken.iter().map(|(name, problem)| {
        (
            (*name).to_owned(),
            json!({"state": "fatal", "error_message": problem, "updated_at": since}),
        )
    });
    let platforms: serde_json::Map<String, Value> = at_work.chain(broken).collect();
    let (running, waiting) = gateway.load();
    json!({
        "kind": "hermes-gateway",
        "pid": std::process::id(),
        "start_time": since,
        "gateway_state": state,
        "active_agents": running,
        "waiting_messages": waiting,
        "platforms": platforms,
    })
}

/// Writes how things are when that has changed.
struct StateReport {
    file: PathBuf,
    since: f64,
    written: Option<Value>,
}

impl StateReport {
    fn write(&mut self, gateway: &Gateway, state: &str) {
        let value = state_of(gateway, state, self.since);
        if self.written.as_ref() == Some(&value) {
            return;
        }
        let mut stamped = value.clone();
        stamped["updated_at"] = json!(now());
        write_state(&self.file, &stamped);
        self.written = Some(value);
    }
}

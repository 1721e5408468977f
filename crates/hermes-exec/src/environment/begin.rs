//! Beginning a session of shells in an environment.

use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::time::Duration;

use hermes_process::{Command, Leftovers, OutputMode};

use super::shells::Shells;
use crate::backend::{Backend, ClientInput, FileReach, ShellCall, ShellKind, Variables};
use crate::error::ExecError;
use crate::guard::Guard;
use crate::quote::quoted;
use crate::session::kept::KeptState;
use crate::session::{Scripts, ShellStart, state};

/// How long the first shell may take to read the user's start-up files.
const SNAPSHOT_LIMIT: Duration = Duration::from_secs(30);
/// How long a shell that does nothing may take.
pub(super) const PROBE_LIMIT: Duration = Duration::from_secs(10);
/// The name of the call that makes the first snapshot.
const FIRST_CALL: &str = "0";

/// What there is to know about a session of shells.
#[derive(Clone)]
pub(super) struct SessionState {
    pub(super) scripts: Scripts,
    pub(super) start: StartOfShell,
    pub(super) guard: Option<Guard>,
}

/// What a command's shell begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartOfShell {
    /// The snapshot.
    Snapshot,
    /// No snapshot could be made, but a plain shell works.
    Plain,
    /// Only a login shell works.
    Login,
}

impl StartOfShell {
    pub(super) fn start(self, reach: FileReach, kept: &KeptState) -> ShellStart<'_> {
        match (self, reach) {
            (Self::Snapshot, FileReach::Local) => ShellStart::Kept(kept),
            (Self::Snapshot, FileReach::Remote) => ShellStart::Snapshot,
            (Self::Plain | Self::Login, _) => ShellStart::Inherited,
        }
    }

    pub(super) fn shell(self) -> ShellKind {
        match self {
            Self::Snapshot | Self::Plain => ShellKind::Plain,
            Self::Login => ShellKind::Login,
        }
    }

    pub(super) fn variables(self, reach: FileReach, kept: &KeptState) -> Variables<'_> {
        match self.start(reach, kept) {
            ShellStart::Snapshot => Variables::Snapshot,
            ShellStart::Kept(kept) => Variables::Kept(&kept.variables),
            ShellStart::Inherited => Variables::Inherited,
        }
    }
}

/// Begins a session: its folder, its guard where one is needed, its first snapshot.
pub(super) async fn session(
    backend: &dyn Backend,
    cwd: Option<String>,
) -> Result<(SessionState, Shells), ExecError> {
    let scripts = Scripts::new(&backend.temp_dir(), &random_id(), backend.reach());
    let guard = match backend.reach() {
        FileReach::Local => {
            make_folder(&scripts)?;
            None
        }
        FileReach::Remote => Some(Guard::post(backend, &scripts).await?),
    };
    let (start, kept) = match take_snapshot(backend, &scripts).await {
        Some(kept) => (StartOfShell::Snapshot, kept),
        None => (without_snapshot(backend, &scripts).await, KeptState::default()),
    };
    let cwd = cwd.unwrap_or_else(|| backend.first_cwd());
    let is_readable = backend.reach() == FileReach::Local && start == StartOfShell::Snapshot;
    let shells = Shells::new(cwd, kept, is_readable);
    Ok((SessionState { scripts, start, guard }, shells))
}

async fn without_snapshot(backend: &dyn Backend, scripts: &Scripts) -> StartOfShell {
    let probe = own_command(backend, scripts, "true").deadline(PROBE_LIMIT).run().await;
    let start = match probe {
        Ok(done) if done.success() => StartOfShell::Plain,
        _ => StartOfShell::Login,
    };
    tracing::warn!(
        backend = %backend.kind(),
        ?start,
        "the login shell made no snapshot; variables and functions are not kept between commands"
    );
    start
}

async fn take_snapshot(backend: &dyn Backend, scripts: &Scripts) -> Option<KeptState> {
    let mut script = String::new();
    for (name, value) in backend.forwarded() {
        let _ = writeln!(script, "export {name}={}", quoted(&value));
    }
    let caller_path = backend.caller_path();
    let init_files = backend.init_files();
    script.push_str(&scripts.first_snapshot(&init_files, caller_path.as_deref(), FIRST_CALL));
    let call = ShellCall {
        script: &script,
        shell: ShellKind::Login,
        variables: Variables::Inherited,
        granted: &[],
        input: ClientInput::None,
        tag: scripts.tag(FIRST_CALL),
    };
    let run = backend
        .client(&call)
        .output(OutputMode::Merged)
        .deadline(SNAPSHOT_LIMIT)
        .leftovers(Leftovers::Keep)
        .run()
        .await;
    if !run.is_ok_and(|done| done.success()) {
        return None;
    }
    match scripts.reach() {
        FileReach::Remote => Some(KeptState::default()),
        FileReach::Local => {
            let kept = left_by(scripts, FIRST_CALL)?.kept;
            put_down(scripts, FIRST_CALL, &kept, &KeptState::default(), 0).then_some(kept)
        }
    }
}

/// What a call on this machine left.
pub(super) struct LocalResult {
    pub(super) directory: state::Directory,
    pub(super) kept: KeptState,
}

/// Takes what a call left. A state that is not whole is worth nothing.
pub(super) fn left_by(scripts: &Scripts, call: &str) -> Option<LocalResult> {
    let file = scripts.state_file(call);
    let text = std::fs::read(&file).ok()?;
    let _ = std::fs::remove_file(&file);
    let (directory, body) = state::read(&text)?;
    Some(LocalResult { directory, kept: KeptState::of(body) })
}

/// Puts down what the next shell must read, unless it is there already. A shell that starts in this
/// moment reads the one or the other, as if it had started a moment earlier or later.
pub(super) fn put_down(
    scripts: &Scripts,
    call: &str,
    kept: &KeptState,
    before: &KeptState,
    snapshot: u64,
) -> bool {
    if kept.script.is_empty() || kept.script == before.script {
        return true;
    }
    let half_written = scripts.state_file(call);
    let put = std::fs::File::create_new(&half_written)
        .and_then(|mut file| file.write_all(&kept.script))
        .and_then(|()| std::fs::rename(&half_written, scripts.snapshot_file(snapshot)));
    if let Err(error) = &put {
        tracing::warn!(%error, "what a command did to its shell could not be kept");
    }
    put.is_ok()
}

/// A script of ours that needs nothing of the session.
pub(super) fn own_command(backend: &dyn Backend, scripts: &Scripts, script: &str) -> Command {
    backend.client(&ShellCall {
        script,
        shell: ShellKind::Plain,
        variables: Variables::Inherited,
        granted: &[],
        input: ClientInput::None,
        tag: scripts.tag(FIRST_CALL),
    })
}

fn make_folder(scripts: &Scripts) -> Result<(), ExecError> {
    let failed =
        |act: &'static str, path: String| move |source| ExecError::File { act, path, source };
    let folder = scripts.folder();
    let made = std::fs::DirBuilder::new().mode(0o700).create(folder);
    made.map_err(failed("make", folder.to_owned()))?;
    let prelude = scripts.prelude_file();
    let written = std::fs::File::create_new(&prelude)
        .and_then(|mut file| file.write_all(scripts.prelude().as_bytes()));
    written.map_err(failed("write", prelude))
}

/// Twelve digits that nobody can guess.
pub(crate) fn random_id() -> String {
    let mut bytes = [0; 6];
    // Only the system can fail here, and then nothing works: an id of the time is as good as any.
    if nix::fcntl::open("/dev/urandom", nix::fcntl::OFlag::O_RDONLY, nix::sys::stat::Mode::empty())
        .and_then(|file| nix::unistd::read(file, &mut bytes))
        .is_err()
    {
        let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos().to_le_bytes();
        bytes.copy_from_slice(&now[..6]);
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

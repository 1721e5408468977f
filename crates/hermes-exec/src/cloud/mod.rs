//! Sandboxes in clouds: Daytona, Vercel, Modal.
//!
//! # How a cloud is a backend
//!
//! A backend is a client, a program with pipes that hands a script to a bash elsewhere; a cloud is requests over HTTP.
//! There were two ways to bring the two together. One is a second path through everything that is built on pipes
//! (deadlines, capture, terminals, background processes, the guard, files, scripts): twice the code, and twice the
//! promises to keep. The other, which is taken, is a program with pipes. It is a *bridge* ([`bridge`]): this
//! very program, started again for each command, which only pumps bytes between its pipes and a socket of ours. The
//! requests are made in our own process ([`bridges`]), so that connections are shared and kept, no key is ever
//! in the environment, the words or the memory of a child, and the end of a bridge, `kill -9` included, is seen.
//!
//! What a vendor has to offer is little: make a sandbox, have a bash run a short script and return what it wrote, end
//! the sandbox ([`vendor`]). That all of them can do; input, separate outputs and bytes as they are, only some. A running
//! command is made of such short scripts ([`relay`]), each of which can be repeated without harm.
//!
//! A [`keeper`] makes the sandbox and ends it, even when we are killed. It, too, is this program.
//!
//! # What never happens here
//!
//! A command runs somewhere else because a key is missing or a cloud does not answer. A command runs twice
//! because an answer was lost. A key gets into a sandbox, an argument or a child's environment, or travels unencrypted.
//! A sandbox stays that nobody keeps.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use hermes_approval::{ExecutionTarget, HostAccess};
use hermes_process::Command;
use hermes_store::home::DOT_FOLDER;
use hermes_tool::Vars;

use crate::backend::{Backend, BackendKind, BackendState, ClientInput, ClientTrouble, ShellCall};
use crate::environment::random_id;
use crate::error::ExecError;
use crate::granted::GrantedFiles;
use crate::mark::SandboxMark;
use crate::quote::{directory, quoted};
use crate::settings::CloudSettings;
use crate::sync::{FileSync, RemoteShell, SyncPace, SyncSources};

mod bridge;
mod bridges;
mod daytona;
mod frames;
mod hidden;
mod keeper;
mod keys;
mod modal;
mod record;
mod relay;
mod rest;
mod trouble;
mod vendor;
mod vercel;

use bridges::{BridgeServer, PendingCall};
use daytona::Daytona;
use keeper::Keeper;
use keys::{CloudKeys, VendorKeys};
use modal::Modal;
use relay::RelayInput;
use rest::Rest;
use trouble::CloudTrouble;
use vendor::{Sandbox, SandboxPlan, Vendor};
use vercel::Vercel;

/// The program that is bridge and keeper, if not this one.
const PROGRAM_VARIABLE: &str = "HERMES_SANDBOX_PROGRAM";
/// How long the first question to a sandbox may take.
const GREETING_LIMIT: Duration = Duration::from_secs(60);
/// How long the end may take: what was changed over there is fetched first.
const CLOSE_LIMIT: Duration = Duration::from_secs(300);
/// The size of a terminal nobody gave a size.
const USUAL_TERMINAL: RelayInput = RelayInput::Terminal { rows: 30, columns: 120 };

/// What a cloud backend needs to know.
#[derive(Clone, Debug)]
pub struct CloudOptions {
    /// Which cloud, the image, and what its sandboxes may use.
    pub settings: CloudSettings,
    /// Where commands begin, if that is there; else in the home over there.
    pub cwd: String,
    /// The task it belongs to.
    pub task: String,
    /// The profile it belongs to.
    pub profile: String,
    /// Whose it is, where that is a run.
    pub mark: Option<SandboxMark>,
    /// `HERMES_HOME`, where it is written down what a vendor keeps.
    pub home: PathBuf,
    /// What is brought over; nothing if `None`.
    pub shown: Option<SyncSources>,
    /// How long a sandbox may be unused.
    pub lifetime: Duration,
}

/// Commands in a sandbox of a cloud.
pub struct Cloud {
    options: CloudOptions,
    keys: CloudKeys,
    program: PathBuf,
    vendor: Arc<dyn Vendor>,
    bridges: BridgeServer,
    /// The folder over there for the commands of this backend.
    base: String,
    live: Mutex<Option<LiveSandbox>>,
    /// How many sandboxes were made.
    made: AtomicU64,
    /// The keeper of a sandbox that is gone.
    former: Mutex<Option<Keeper>>,
    starting: tokio::sync::Mutex<()>,
    files: Option<FileSync>,
}

/// A sandbox that runs.
struct LiveSandbox {
    sandbox: Arc<Sandbox>,
    /// Which of the sandboxes of this backend it is; the first is 1.
    number: u64,
    keeper: Keeper,
    home: String,
    cwd: String,
}

/// Does the work of the processes that this crate starts of the program it is in: to be called first thing in `main`.
/// `None` if this process is none of them.
#[must_use]
pub fn sandbox_helper() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1).take(4).map(|word| word.into_string().ok());
    match (words.next()??.as_str(), words.next(), words.next(), words.next()) {
        (keeper::WORD, None, None, None) => Some(keeper::run()),
        (bridge::WORD, Some(Some(socket)), Some(Some(call)), None) => {
            Some(bridge::run(&socket, &call))
        }
        _ => None,
    }
}

/// Whether the keys are there. Nothing is started.
pub(crate) fn check(backend: BackendKind, vars: &Vars) -> Result<(), ExecError> {
    CloudKeys::read(backend, vars).map(|_| ())
}

/// Ends the sandboxes of a run that were made before a start of it; how many that were.
pub(crate) async fn end_leftovers(
    backend: BackendKind,
    vars: &Vars,
    run: &str,
    before: u64,
) -> Result<usize, ExecError> {
    let failed = |trouble: CloudTrouble| told(backend, &trouble);
    let vendor = open(CloudKeys::read(backend, vars)?).map_err(failed)?;
    vendor.end_leftovers(run, before).await.map_err(failed)
}

/// The cloud these keys open.
fn open(keys: CloudKeys) -> Result<Arc<dyn Vendor>, CloudTrouble> {
    let CloudKeys { vendor, proxies } = keys;
    let rest = |address: &str| Rest::new(address, &proxies);
    Ok(match vendor {
        VendorKeys::Daytona(own) => Arc::new(Daytona::new(rest(&own.url)?, own)),
        VendorKeys::Vercel(own) => Arc::new(Vercel::new(rest(&own.url)?, own)),
        VendorKeys::Modal(own) => Arc::new(Modal::new(own, &proxies)?),
    })
}

impl Cloud {
    /// Looks whether the keys are there; the sandbox is made with the first command.
    pub fn new(options: CloudOptions, vars: &Vars) -> Result<Self, ExecError> {
        let backend = options.settings.kind;
        let keys = CloudKeys::read(backend, vars)?;
        let program = match vars.non_blank(PROGRAM_VARIABLE) {
            Some(program) => PathBuf::from(program),
            None => own_program(backend)?,
        };
        let vendor = open(keys.clone()).map_err(|trouble| told(backend, &trouble))?;
        let bridges = BridgeServer::new(Arc::clone(&vendor)).map_err(|source| ExecError::File {
            act: "make",
            path: "a folder for the socket of a cloud".to_owned(),
            source,
        })?;
        let files = options.shown.clone().map(|shown| FileSync::new(shown, SyncPace::Sparing));
        Ok(Self {
            options,
            keys,
            program,
            vendor,
            bridges,
            base: format!("/tmp/hermes-relay-{}", random_id()),
            live: Mutex::default(),
            made: AtomicU64::default(),
            former: Mutex::default(),
            starting: tokio::sync::Mutex::default(),
            files,
        })
    }

    /// The same, which also brings over the files that conversations are granted.
    pub(crate) fn with_granted(mut self, granted: &Arc<GrantedFiles>) -> Self {
        self.files = self.files.take().map(|files| files.with_granted(Arc::clone(granted)));
        self
    }

    async fn make_ready(&self) -> Result<BackendState, ExecError> {
        let state = self.make_sure().await?;
        if let (Some(files), Some(base)) = (&self.files, self.files_base()) {
            if state == BackendState::Anew {
                files.begin_anew().await;
            }
            // A command that needs none of them must not fail for that.
            if let Err(error) = files.bring(&self.far(&base)).await {
                tracing::warn!(%error, "files could not be brought into the sandbox");
            }
        }
        Ok(state)
    }

    async fn make_sure(&self) -> Result<BackendState, ExecError> {
        if self.live().is_some() {
            return Ok(BackendState::AsBefore);
        }
        let _one_at_a_time = self.starting.lock().await;
        if self.live().is_some() {
            return Ok(BackendState::AsBefore);
        }
        // One that is kept must not be stopped by its former keeper while it is started by the next.
        let former = self.former.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(former) = former
            && let Err(error) = former.end().await
        {
            tracing::debug!(%error, "what is left of a sandbox that is gone");
        }
        let failed = |trouble: CloudTrouble| told(self.kind(), &trouble);
        self.bridges.open().map_err(|source| ExecError::File {
            act: "listen at",
            path: self.bridges.socket(),
            source,
        })?;
        self.bridges.forget_folders();
        let plan = self.plan();
        let made = Keeper::make(&self.program, &self.keys, &plan, self.lock(&plan)).await;
        let (keeper, sandbox) = made.map_err(failed)?;
        let greeted = self.greet(&sandbox).await;
        let (home, cwd) = greeted.map_err(failed)?;
        let number = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        *self.live() = Some(LiveSandbox { sandbox: Arc::new(sandbox), number, keeper, home, cwd });
        Ok(BackendState::Anew)
    }

    fn plan(&self) -> SandboxPlan {
        let CloudOptions { settings, task, profile, mark, home, lifetime, .. } = &self.options;
        let container = settings.container;
        let (task_word, profile_word) = (word(task), word(profile));
        let mut name = match profile.as_str() {
            "default" => format!("hermes-{task_word}"),
            _ => format!("hermes-{profile_word}-{task_word}"),
        };
        if !container.persistent {
            name = match mark {
                Some(mark) => mark.name(),
                None => format!("{name}-{}", random_id()),
            };
        }
        let own = mark.iter().flat_map(SandboxMark::labels);
        let labels = [("hermes_task_id", task.clone())].into_iter().chain(own);
        let record = match settings.kind {
            BackendKind::Modal => "modal_snapshots.json",
            _ => "vercel_sandbox_snapshots.json",
        };
        SandboxPlan {
            task: task.clone(),
            name,
            labels: labels.map(|(name, value)| (name.to_owned(), value)).collect(),
            network: container.network,
            image: settings.image.clone(),
            cpu: container.cpu,
            memory_mb: container.memory_mb,
            disk_mb: container.disk_mb,
            is_kept: container.persistent,
            lifetime: *lifetime,
            record: home.join(record),
        }
    }

    /// The note that a sandbox is in use, for vendors where two of us share one.
    fn lock(&self, plan: &SandboxPlan) -> Option<PathBuf> {
        let is_shared = plan.is_kept && self.kind() == BackendKind::Daytona;
        let folder = self.options.home.join("sandboxes").join(self.kind().name());
        is_shared.then(|| folder.join(format!("{}.lock", plan.name)))
    }

    /// The first words with a sandbox: where its home is and where commands begin.
    async fn greet(&self, sandbox: &Sandbox) -> Result<(String, String), CloudTrouble> {
        let wanted = match (self.options.cwd.as_str(), sandbox.cwd.as_str()) {
            // What the vendor has for those who do not choose.
            (_, own)
                if self.kind() == BackendKind::Vercel
                    && self.options.cwd == VERCEL_CWD
                    && !own.is_empty() =>
            {
                own
            }
            (wanted, _) => wanted,
        };
        let script = format!(
            "cd -P -- {} 2>/dev/null || cd -P ~ 2>/dev/null || cd /; \
             printf 'hermes-home:%s\\nhermes-cwd:%s\\n' ~ \"$PWD\"; umask 077; \
             mkdir -p ~/{DOT_FOLDER}/skills ~/{DOT_FOLDER}/cache",
            directory(wanted)
        );
        let said = self.vendor.execute(sandbox, &script, GREETING_LIMIT).await?;
        let line = |name: &str| {
            let line = said.output.lines().find_map(|line| line.strip_prefix(name));
            line.map(|line| line.trim_end().to_owned()).filter(|line| line.starts_with('/'))
        };
        match (line("hermes-home:"), line("hermes-cwd:")) {
            (Some(home), Some(cwd)) => Ok((home, cwd)),
            _ => {
                let words: String = said.output.chars().take(300).collect();
                let words = words.trim();
                let why = format!("its bash does not answer as one should: {words}");
                Err(CloudTrouble::Refused(format!(
                    "{why}. Choose an image with bash and coreutils"
                )))
            }
        }
    }

    fn bridge(
        &self,
        words: Vec<String>,
        granted: &[(String, String)],
        input: RelayInput,
    ) -> Command {
        let live = self.live();
        let live = live.as_ref().map(|live| (Arc::clone(&live.sandbox), live.number));
        let (sandbox, number) = live.unwrap_or_default();
        let call = self.bridges.expect(PendingCall {
            sandbox,
            number,
            words,
            granted: granted.to_vec(),
            input,
            base: self.base.clone(),
        });
        Command::new(&self.program).args([bridge::WORD, &self.bridges.socket(), &call]).cwd("/")
    }

    /// Where the files of Hermes are over there, once that is known.
    fn files_base(&self) -> Option<String> {
        let live = self.live();
        Some(format!("{}/{DOT_FOLDER}", live.as_ref()?.home.trim_end_matches('/')))
    }

    fn far<'a>(&'a self, base: &'a str) -> RemoteShell<'a> {
        let shell = |script: &str, input: ClientInput| {
            let words = ["sh", "-c", script].map(str::to_owned).to_vec();
            self.bridge(words, &[], relay_input(input))
        };
        RemoteShell { base, shell: Box::new(shell) }
    }

    fn live(&self) -> MutexGuard<'_, Option<LiveSandbox>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where commands begin at Vercel unless something is set.
const VERCEL_CWD: &str = "/vercel/sandbox";

fn relay_input(input: ClientInput) -> RelayInput {
    match input {
        ClientInput::None => RelayInput::None,
        ClientInput::Forwarded => RelayInput::Pieces,
        ClientInput::Terminal => USUAL_TERMINAL,
    }
}

/// This program. One that was replaced while it ran has to be started again.
fn own_program(backend: BackendKind) -> Result<PathBuf, ExecError> {
    let found = std::env::current_exe().ok().filter(|program| program.exists());
    found.ok_or_else(|| ExecError::Unavailable {
        backend,
        why: "the file of this program is gone, perhaps by an update; start Hermes again".into(),
    })
}

fn told(backend: BackendKind, trouble: &CloudTrouble) -> ExecError {
    let why = trouble.to_string();
    match trouble {
        CloudTrouble::Unwelcome(_) => {
            let why = format!("the key was not accepted: {why}; check it in .env");
            ExecError::Unavailable { backend, why }
        }
        _ => ExecError::NotStarted { backend, why },
    }
}

/// A text as part of a name.
fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let text: String =
        text.chars().map(|c| if is_plain(c) { c.to_ascii_lowercase() } else { '-' }).collect();
    text.chars().take(40).collect()
}

impl Backend for Cloud {
    fn kind(&self) -> BackendKind {
        self.options.settings.kind
    }

    fn target(&self) -> ExecutionTarget {
        ExecutionTarget::of_backend(self.kind().name(), HostAccess::None)
    }

    fn client(&self, call: &ShellCall<'_>) -> Command {
        self.bridge(call.words(), call.granted, relay_input(call.input))
    }

    fn first_cwd(&self) -> String {
        self.live().as_ref().map_or_else(|| self.options.cwd.clone(), |live| live.cwd.clone())
    }

    fn before_execute(&self) -> BoxFuture<'_, Result<BackendState, ExecError>> {
        Box::pin(self.make_ready())
    }

    fn trouble(&self, _code: i32, client_words: &str) -> Option<ClientTrouble> {
        let (number, trouble) = trouble::read(client_words)?;
        let mut live = self.live();
        // Another command may have found it missing first, and have had the next one made.
        let is_this = live.as_ref().is_some_and(|live| live.number == number);
        if matches!(trouble, ClientTrouble::Gone(_))
            && is_this
            && let Some(LiveSandbox { keeper, .. }) = live.take()
        {
            *self.former.lock().unwrap_or_else(PoisonError::into_inner) = Some(keeper);
        }
        Some(trouble)
    }

    fn clean_up_limit(&self) -> Duration {
        CLOSE_LIMIT
    }

    fn clean_up(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            // What a task of a run changed in there is its own affair: nobody reads it before it would count here.
            if let (Some(files), Some(base), None) =
                (&self.files, self.files_base(), &self.options.mark)
                && let Err(error) = files.fetch_back(&self.far(&base)).await
            {
                tracing::warn!(%error, "files could not be fetched back from the sandbox");
            }
            let live = self.live().take();
            let Some(LiveSandbox { sandbox, keeper, .. }) = live else { return };
            if self.options.settings.container.persistent {
                // What was kept for running commands is of no use the next time.
                let sweep = format!("rm -rf {}", quoted(&self.base));
                let _ = self.vendor.execute(&sandbox, &sweep, GREETING_LIMIT).await;
            }
            if let Err(error) = keeper.end().await {
                tracing::warn!(backend = %self.kind(), %error, "the sandbox could not be ended");
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_made_of_plain_letters() {
        assert_eq!(word("Task 7/ü"), "task-7--");
        assert_eq!(word(&"x".repeat(99)).len(), 40);
    }

    #[test]
    fn nobody_is_a_helper_by_accident() {
        assert!(sandbox_helper().is_none());
    }
}

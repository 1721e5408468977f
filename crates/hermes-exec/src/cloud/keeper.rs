//! The one who makes a sandbox and ends it, also when we cannot.
//!
//! A sandbox is paid for by the hour and would outlive us when we are killed. So a process of ours that outlives us
//! makes it and ends it: this program, started again under a word nobody types ([`WORD`]). It gets the keys and the
//! plan through a pipe, makes the sandbox, says so, and waits for the end of its input, whose other end only we hold.
//! That it does both is the point, as with a container: were we to make the sandbox, a request of ours could be
//! carried out after somebody had looked for it and found none.
//!
//! A sandbox that is kept may be in use by two of us at once. Each keeper holds a shared lock for as long as it
//! is there, and only the last one stops the sandbox.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use hermes_process::{Child, Command, InputPipe, Lifetime, OutputMode, OutputPipe, Stdin};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader, Lines};
use tokio::time::timeout;

use super::keys::CloudKeys;
use super::trouble::CloudTrouble;
use super::vendor::{Sandbox, SandboxPlan, Vendor};

/// The first word of the command line that makes this program a keeper.
pub(crate) const WORD: &str = "sandbox-keeper";
/// Variables by which a system's certificates are found elsewhere than usual.
const CERTIFICATES: [&str; 2] = ["SSL_CERT_FILE", "SSL_CERT_DIR"];
/// How long making may take, all in all.
const MAKE_LIMIT: Duration = Duration::from_secs(720);
/// How long the end may take before we go; the keeper goes on without us.
const END_LIMIT: Duration = Duration::from_secs(150);
/// How often an end that fails is tried.
const TRIES: u32 = 8;
/// The pause after the first time; each one after that is twice as long.
const PAUSE: Duration = Duration::from_secs(2);

/// What a keeper is told.
#[derive(Deserialize, Serialize)]
struct Job {
    keys: CloudKeys,
    plan: SandboxPlan,
    /// The file that says that a kept sandbox is in use.
    lock: Option<PathBuf>,
}

/// What a keeper tells.
#[derive(Deserialize, Serialize)]
enum Told {
    Made(Sandbox),
    NotMade(CloudTrouble),
    Ended,
    NotEnded(CloudTrouble),
}

/// A keeper on duty. Dropped, it ends the sandbox.
pub(super) struct Keeper {
    input: InputPipe,
    told: Lines<BufReader<OutputPipe>>,
    _child: Child,
}

impl Keeper {
    /// Posts one that makes a sandbox.
    pub(super) async fn make(
        program: &Path,
        keys: &CloudKeys,
        plan: &SandboxPlan,
        lock: Option<PathBuf>,
    ) -> Result<(Self, Sandbox), CloudTrouble> {
        let job = Job { keys: keys.clone(), plan: plan.clone(), lock };
        let refused = |why: String| CloudTrouble::Refused(why);
        let mut job = serde_json::to_vec(&job).map_err(|error| refused(error.to_string()))?;
        job.push(b'\n');
        let child = Command::new(program)
            .arg(WORD)
            .env_inherit(CERTIFICATES)
            .cwd("/")
            .stdin(Stdin::Piped)
            .output(OutputMode::Separate)
            .lifetime(Lifetime::Survives)
            .spawn();
        let mut child = child.map_err(|error| refused(error.to_string()))?;
        let (Some(mut input), Some(output)) = (child.take_stdin(), child.take_stdout()) else {
            return Err(refused("its keeper has no pipes".to_owned()));
        };
        let lost = || CloudTrouble::Unreachable("the keeper of the sandbox is gone".to_owned());
        input.write_all(&job).await.map_err(|_| lost())?;
        let mut keeper = Self { input, told: BufReader::new(output).lines(), _child: child };
        match timeout(MAKE_LIMIT, keeper.hear()).await {
            Ok(Some(Told::Made(sandbox))) => Ok((keeper, sandbox)),
            Ok(Some(Told::NotMade(trouble) | Told::NotEnded(trouble))) => Err(trouble),
            Ok(Some(Told::Ended) | None) => Err(lost()),
            Err(_) => {
                let limit = MAKE_LIMIT.as_secs();
                Err(CloudTrouble::Unreachable(format!("it was not made within {limit} s")))
            }
        }
    }

    /// Has the sandbox ended, and waits for it within bounds.
    pub(super) async fn end(self) -> Result<(), CloudTrouble> {
        let Self { input, told, _child } = self;
        drop(input);
        let mut told = told;
        match timeout(END_LIMIT, hear(&mut told)).await {
            Ok(Some(Told::NotEnded(trouble))) => Err(trouble),
            Ok(Some(_)) => Ok(()),
            Ok(None) => Err(CloudTrouble::Unreachable("its keeper is gone".to_owned())),
            Err(_) => {
                Err(CloudTrouble::Unreachable("it takes long; its keeper goes on".to_owned()))
            }
        }
    }

    async fn hear(&mut self) -> Option<Told> {
        hear(&mut self.told).await
    }
}

async fn hear<R: AsyncRead + Unpin>(lines: &mut Lines<BufReader<R>>) -> Option<Told> {
    let line = lines.next_line().await.ok()??;
    serde_json::from_str(&line).ok()
}

/// Does a keeper's work.
pub(crate) fn run() -> ExitCode {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return ExitCode::FAILURE;
    };
    runtime.block_on(async {
        let mut lines = BufReader::new(Input::take()).lines();
        let Ok(Some(job)) = lines.next_line().await else { return ExitCode::FAILURE };
        let Ok(Job { keys, plan, lock }) = serde_json::from_str(&job) else {
            return ExitCode::FAILURE;
        };
        let vendor = match super::open(keys) {
            Ok(vendor) => vendor,
            Err(trouble) => return tell(&Told::NotMade(trouble)),
        };
        let in_use = lock.as_deref().and_then(InUse::say);
        let sandbox = match vendor.make(&plan).await {
            Ok(sandbox) => sandbox,
            Err(trouble) => return tell(&Told::NotMade(trouble)),
        };
        tell(&Told::Made(sandbox.clone()));
        while let Ok(Some(_)) = lines.next_line().await {}
        if in_use.is_some_and(|in_use| !in_use.was_the_last()) {
            return tell(&Told::Ended);
        }
        match ended(&*vendor, &sandbox, &plan).await {
            Ok(()) => tell(&Told::Ended),
            Err(trouble) => tell(&Told::NotEnded(trouble)),
        }
    })
}

async fn ended(
    vendor: &dyn Vendor,
    sandbox: &Sandbox,
    plan: &SandboxPlan,
) -> Result<(), CloudTrouble> {
    let mut pause = PAUSE;
    let mut tries = 1;
    loop {
        match vendor.end(sandbox, plan).await {
            Ok(()) | Err(CloudTrouble::Gone(_)) => return Ok(()),
            Err(CloudTrouble::Unreachable(_)) if tries < TRIES => {}
            Err(trouble) => return Err(trouble),
        }
        tokio::time::sleep(pause).await;
        (pause, tries) = (pause * 2, tries + 1);
    }
}

/// Says a line. That nobody listens any more is what a keeper is for.
fn tell(told: &Told) -> ExitCode {
    use std::io::Write as _;
    let line = serde_json::to_string(told).unwrap_or_default();
    let _ = writeln!(std::io::stdout(), "{line}");
    let _ = std::io::stdout().flush();
    match told {
        Told::Made(_) | Told::Ended => ExitCode::SUCCESS,
        Told::NotMade(_) | Told::NotEnded(_) => ExitCode::FAILURE,
    }
}

/// Standard input, read on a thread: a pipe that a signal-safe runtime can wait for.
struct Input;

impl Input {
    fn take() -> tokio::io::DuplexStream {
        let (near, mut far) = tokio::io::duplex(1 << 16);
        let runtime = tokio::runtime::Handle::current();
        std::thread::spawn(move || {
            use std::io::Read as _;
            let mut bytes = [0; 1 << 12];
            while let Ok(count) = std::io::stdin().lock().read(&mut bytes) {
                if count == 0 || runtime.block_on(far.write_all(&bytes[..count])).is_err() {
                    break;
                }
            }
        });
        near
    }
}

/// A note that a kept sandbox is in use, for as long as this lives.
struct InUse(File);

impl InUse {
    fn say(path: &Path) -> Option<Self> {
        std::fs::create_dir_all(path.parent()?).ok()?;
        let file = File::options().create(true).append(true).open(path).ok()?;
        file.lock_shared().ok()?;
        Some(Self(file))
    }

    /// Whether nobody else uses it. Two who leave at once may both think so, which does no harm.
    fn was_the_last(self) -> bool {
        let _ = self.0.unlock();
        !matches!(self.0.try_lock(), Err(TryLockError::WouldBlock))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_one_to_leave_closes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sandboxes/daytona/default.lock");
        let (one, other) = (InUse::say(&path).unwrap(), InUse::say(&path).unwrap());
        assert!(!one.was_the_last());
        assert!(other.was_the_last());
    }
}

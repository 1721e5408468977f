//! A script on this machine.
//!
//! Its files lie in a folder of the run's own, which is removed with it; one that a killed Hermes
//! left is removed by the next that runs a script. The process is started like any other, with
//! variables made from scratch and kept by the kernel from looking into other processes. Then three
//! things go on side by side in one future: its output is read, its calls are answered, and its end
//! is waited for.
//!
//! When it ends, by itself or by us, no call is answered any more and those under way are dropped.
//! What is in the pipes is read for a moment, and whatever the script left running is killed.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::ExitStatus;
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use hermes_process::{Child, Command, Confinement, OutputPipe};
use tokio::io::AsyncReadExt as _;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::calls::CallDispatcher;
use super::token::CallToken;
use super::window::OutputWindow;
use super::{
    DRAIN_LIMIT, GRACE, LAUNCH, RunScript, STDERR, STDOUT, ScriptEnd, ScriptMode, ScriptRan,
};
use super::{python, socket};
use crate::error::ExecError;
use crate::own_folder::{OwnFolder, sweep};

/// What the names of the folders of scripts begin with.
const PREFIX: &str = "hermes_sandbox_";
/// The longest path a folder may have so that a socket fits into it.
const LONGEST_PLACE: usize = 60;
/// Bytes read at once: what a pipe holds.
const READ_SIZE: usize = 64 << 10;

/// This machine, for scripts.
#[derive(Clone, Debug)]
pub struct ScriptsHere {
    /// What a script sees of our variables.
    pub(crate) variables: BTreeMap<String, String>,
    /// What it may not do, by the kernel's own means.
    pub(crate) confinement: Option<Confinement>,
    /// Whether that keeps it from writing outside listed places.
    pub(crate) is_sandboxed: bool,
    /// Where it runs unless the session is elsewhere.
    pub(crate) cwd: String,
}

impl ScriptsHere {
    /// Whether there may be a Python to run scripts with. Nothing is started.
    #[must_use]
    pub fn has_python(&self, configured: Option<&Path>) -> bool {
        let all = python::candidates(configured, ScriptMode::Project, &self.variables);
        all.iter().any(|file| python::is_program(file))
    }

    /// Whether the kernel can keep scripts from looking into other processes.
    pub fn can_confine(&self) -> Result<(), String> {
        match &self.confinement {
            Some(confinement) => confinement.check().map_err(|error| error.to_string()),
            None => Ok(()),
        }
    }

    pub(super) async fn run(&self, code: &str, how: RunScript) -> Result<ScriptRan, ExecError> {
        let cwd = match how.mode {
            ScriptMode::Project => {
                let cwd = how.cwd.clone();
                if !Path::new(&cwd).is_dir() {
                    let source = std::io::ErrorKind::NotADirectory.into();
                    return Err(ExecError::File { act: "run a script in", path: cwd, source });
                }
                Some(cwd)
            }
            ScriptMode::Strict => None,
        };
        let python = python::choose(how.python.as_deref(), how.mode, &self.variables).await?;
        let staged = Staged::new(code, &how.module)?;
        let token = Arc::new(CallToken::draw().map_err(failed("read", "/dev/urandom"))?);
        let path = staged.path("rpc.sock");
        let listener = socket::open(&path).map_err(failed("listen on", &path.to_string_lossy()))?;

        let mut variables = self.variables.clone();
        variables.extend(how.variables);
        let late = staged.describe(&mut variables, cwd.as_deref());
        variables.insert("HERMES_RPC_TOKEN".to_owned(), token.text().to_owned());
        let mut command = Command::new(python)
            .arg(staged.path("launch.py"))
            .arg(staged.path("script.py"))
            .args(late)
            .cwd(cwd.map_or_else(|| staged.folder.path().to_owned(), PathBuf::from))
            .envs(variables);
        if let Some(confinement) = &self.confinement {
            command = command.confine(confinement.clone().writable(staged.folder.path()));
        }
        let begun = Instant::now();
        let child = command.spawn()?;
        let calls = socket::serve(listener, CallDispatcher::new(token, how.calls));
        let (mut stdout, mut stderr) = (OutputWindow::new(STDOUT), OutputWindow::new(STDERR));
        let end = ScriptWatch { timeout: how.timeout, cancel: how.cancel }
            .see_through(child, calls, (&mut stdout, &mut stderr))
            .await?;
        let (stdout, stderr) = (stdout.finish(), stderr.finish());
        Ok(ScriptRan { end, stdout, stderr, duration: begun.elapsed() })
    }
}

fn failed(act: &'static str, path: &str) -> impl FnOnce(std::io::Error) -> ExecError + use<> {
    let path = path.to_owned();
    move |source| ExecError::File { act, path, source }
}

/// The files of one run.
struct Staged {
    folder: OwnFolder,
}

impl Staged {
    fn new(code: &str, module: &str) -> Result<Self, ExecError> {
        let place = place();
        static SWEPT: Once = Once::new();
        SWEPT.call_once(|| sweep(&place, PREFIX));
        let folder = OwnFolder::new(&place, PREFIX)
            .map_err(failed("make a folder in", &place.to_string_lossy()))?;
        let staged = Self { folder };
        staged.write("hermes_tools.py", module)?;
        staged.write("launch.py", LAUNCH)?;
        staged.write("script.py", code)?;
        Ok(staged)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), ExecError> {
        let path = self.path(name);
        std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(failed("write", &path.to_string_lossy()))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The variables that go with the run. Gives back where modules are looked for last: the project,
    /// which may hold a file called like any module, and what the user has from it in `PYTHONPATH`.
    fn describe(
        &self,
        variables: &mut BTreeMap<String, String>,
        cwd: Option<&str>,
    ) -> Vec<PathBuf> {
        let asked = variables.get("PYTHONPATH").cloned().unwrap_or_default();
        let asked = std::env::split_paths(&asked).filter(|path| !path.as_os_str().is_empty());
        let (early, of_project): (Vec<PathBuf>, Vec<PathBuf>) = asked.partition(|path| {
            path.is_absolute() && !cwd.is_some_and(|project| path.starts_with(project))
        });
        // The script's own module first, then what the user has there anyway.
        let search: Vec<String> = std::iter::once(self.folder.path())
            .chain(early.iter().map(PathBuf::as_path))
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        let socket = self.path("rpc.sock").to_string_lossy().into_owned();
        let own = [
            ("HERMES_RPC_SOCKET", socket),
            ("PYTHONDONTWRITEBYTECODE", "1".to_owned()),
            ("PYTHONIOENCODING", "utf-8".to_owned()),
            ("PYTHONUTF8", "1".to_owned()),
            ("PYTHONPATH", search.join(":")),
        ];
        variables.extend(own.map(|(name, value)| (name.to_owned(), value)));
        cwd.map(PathBuf::from).into_iter().chain(of_project).collect()
    }
}

/// Where the folders of scripts are: with other temporary files, if the path is not too long for a
/// socket.
fn place() -> PathBuf {
    let usual = std::env::temp_dir();
    match usual.as_os_str().len() {
        0..=LONGEST_PLACE if usual.is_absolute() => usual,
        _ => PathBuf::from("/tmp"),
    }
}

/// What ends a script early.
struct ScriptWatch {
    timeout: Duration,
    cancel: CancellationToken,
}

impl ScriptWatch {
    /// Reads the script's output and answers its calls until it has ended, one way or another.
    async fn see_through(
        self,
        mut child: Child,
        calls: impl Future<Output = ()>,
        (stdout, stderr): (&mut OutputWindow, &mut OutputWindow),
    ) -> Result<ScriptEnd, ExecError> {
        let (out, err) = (child.take_stdout(), child.take_stderr());
        let reading = async { tokio::join!(collect(out, stdout), collect(err, stderr)) };
        let mut reading = pin!(async {
            reading.await;
        });
        let mut read = false;
        let stopped = {
            let mut calls = pin!(calls);
            let mut deadline = pin!(sleep(self.timeout));
            loop {
                tokio::select! {
                    biased;
                    status = child.wait() => break Some(status?),
                    () = self.cancel.cancelled() => break None,
                    () = &mut deadline => break None,
                    () = &mut reading, if !read => read = true,
                    () = &mut calls => {}
                }
            }
        };
        // From here on no call is answered: those under way ended with the block above.
        let Some(status) = stopped else {
            let ended = {
                let mut ending = pin!(child.terminate(GRACE));
                loop {
                    tokio::select! {
                        ended = &mut ending => break ended,
                        () = &mut reading, if !read => read = true,
                    }
                }
            };
            if let Err(error) = ended {
                tracing::warn!(%error, "gave up waiting for the end of a script");
            }
            if !read {
                let _ = timeout(DRAIN_LIMIT, &mut reading).await;
            }
            let code = child.try_wait().ok().flatten().and_then(code_of);
            return Ok(match self.cancel.is_cancelled() {
                true => ScriptEnd::Interrupted(code),
                false => ScriptEnd::TimedOut(code),
            });
        };
        if !read {
            let _ = timeout(DRAIN_LIMIT, &mut reading).await;
        }
        if !child.handle().is_gone()
            && let Err(error) = child.kill().await
        {
            tracing::warn!(%error, "gave up waiting for what a script left behind");
        }
        Ok(ScriptEnd::Finished(code_of(status)))
    }
}

fn code_of(status: ExitStatus) -> Option<i32> {
    status.code().or_else(|| status.signal().map(|signal| -signal))
}

async fn collect(pipe: Option<OutputPipe>, into: &mut OutputWindow) {
    let Some(mut pipe) = pipe else { return };
    let mut buffer = Vec::with_capacity(READ_SIZE);
    // An error ends the stream as well: what has been read is what there is.
    while let Ok(1..) = pipe.read_buf(&mut buffer).await {
        into.push(&buffer);
        buffer.clear();
        // Deadlines and calls have their turn, however much there is to read.
        tokio::task::consume_budget().await;
    }
}

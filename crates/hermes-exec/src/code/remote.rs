//! A script out of our reach.
//!
//! One process of ours ([`HELPER`], in the Python that runs the script) stands beside the script
//! for as long as it runs. It reads our messages from its input and writes its own to its output,
//! through the client of the environment, so that a call costs one message each way and no shell.
//! When its input ends, because we end, so does the script; whatever it cannot end itself, the
//! guard of the session does. The folder of a run is in that of the session, which the guard
//! removes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use hermes_process::{Child, InputPipe, OutputPipe};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use super::calls::CallDispatcher;
use super::frames::{HelperMessage, Messages, message};
use super::token::CallToken;
use super::window::OutputWindow;
use super::{GRACE, LAUNCH, RunScript, STDERR, STDOUT, ScriptEnd, ScriptMode, ScriptRan};
use crate::backend::ClientTrouble;
use crate::environment::{Environment, SpawnedProcess, random_id};
use crate::error::ExecError;
use crate::guard::Guard;
use crate::quote::quoted;
use crate::remote_files::words_of;

const HELPER: &str = include_str!("helper.py");

/// How long the helper may take to answer.
const START_LIMIT: Duration = Duration::from_secs(30);
/// How long a client may take to end once the helper has.
const CLIENT_LIMIT: Duration = Duration::from_secs(2);

/// Runs a script in an environment.
pub(super) async fn run(
    environment: &Environment,
    code: &str,
    how: RunScript,
) -> Result<ScriptRan, ExecError> {
    let token = Arc::new(CallToken::draw().map_err(|source| ExecError::File {
        act: "read",
        path: "/dev/urandom".to_owned(),
        source,
    })?);
    let mark = format!("hermes-script-{}", random_id());
    let size = HELPER.len();
    let begin = format!(
        "command -v python3 >/dev/null 2>&1 || {{ echo {mark}-none; exit 127; }}; exec python3 -I -S \
         -c 'import sys; exec(compile(sys.stdin.buffer.read({size}), \"helper\", \"exec\"))' {mark}"
    );
    let cwd = match how.mode {
        ScriptMode::Project => how.cwd.clone(),
        ScriptMode::Strict => "/".to_owned(),
    };
    let begun = Instant::now();
    let (spawned, scripts) = environment.spawn_apart(&how.session, &begin, Some(cwd)).await?;
    let folder = format!("{scripts}/hermes_exec_{}", random_id());
    let mut helper = HelperConnection::new(environment, spawned, mark)?;
    helper.say(HELPER.as_bytes().to_vec());
    let mut variables = how.variables;
    let fixed = [
        ("HERMES_RPC_TOKEN", token.text()),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("PYTHONIOENCODING", "utf-8"),
        ("PYTHONUTF8", "1"),
    ];
    variables.extend(fixed.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let setup = json!({
        "folder": folder,
        "launch.py": LAUNCH,
        "script.py": code,
        "hermes_tools.py": how.module,
        "project": how.mode == ScriptMode::Project,
        "variables": variables.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
    });
    helper.say(message(b's', &[setup.to_string().as_bytes()]));
    helper.wait_until_ready().await?;

    let dispatcher = CallDispatcher::new(token, how.calls);
    let mut output =
        Output { stdout: OutputWindow::new(STDOUT), stderr: OutputWindow::new(STDERR) };
    let running = helper.see_through(&dispatcher, &mut output);
    let stopped = tokio::select! {
        biased;
        code = running => Ok(code?),
        () = how.cancel.cancelled() => Err(ScriptEnd::Interrupted as fn(_) -> _),
        () = sleep(how.timeout) => Err(ScriptEnd::TimedOut as fn(_) -> _),
    };
    let end = match stopped {
        Ok(code) => {
            helper.leave().await;
            ScriptEnd::Finished(code)
        }
        Err(end) => {
            let code = helper.stop(&mut output).await;
            let job = crate::remote_files::ScriptJob {
                script: format!("rm -rf -- {}", quoted(&folder)),
                input: Vec::new(),
                most_output: 1 << 16,
                limit: START_LIMIT,
                cancel: tokio_util::sync::CancellationToken::new(),
            };
            if let Err(error) = environment.run_job(&job).await {
                tracing::debug!(%error, "the folder of a script stays until its session ends");
            }
            end(code)
        }
    };
    let Output { stdout, stderr } = output;
    let (stdout, stderr) = (stdout.finish(), stderr.finish());
    Ok(ScriptRan { end, stdout, stderr, duration: begun.elapsed() })
}

struct Output {
    stdout: OutputWindow,
    stderr: OutputWindow,
}

/// Has the guard end what belongs to a run, however that ends.
struct RunGuard {
    guard: Option<Guard>,
    call: String,
}

impl Drop for RunGuard {
    fn drop(&mut self) {
        if let Some(guard) = &self.guard {
            guard.end(&self.call);
        }
    }
}

/// The helper, and the way to it.
struct HelperConnection<'a> {
    environment: &'a Environment,
    child: Child,
    ended: RunGuard,
    messages: Messages<OutputPipe>,
    words: tokio::task::JoinHandle<String>,
    /// Written by a task of its own, so that nothing here waits for a reader.
    outbox: mpsc::UnboundedSender<Vec<u8>>,
}

impl<'a> HelperConnection<'a> {
    fn new(
        environment: &'a Environment,
        spawned: SpawnedProcess,
        mark: String,
    ) -> Result<Self, ExecError> {
        let SpawnedProcess { mut child, call, guard } = spawned;
        let ended = RunGuard { guard, call };
        let (Some(input), Some(output)) = (child.take_stdin(), child.take_stdout()) else {
            let why = "its client has no pipes".to_owned();
            return Err(ExecError::NotStarted { backend: environment.kind(), why });
        };
        let words = tokio::spawn(words_of(child.take_stderr()));
        let (outbox, inbox) = mpsc::unbounded_channel();
        tokio::spawn(write_all(input, inbox));
        let messages = Messages::new(output, mark);
        Ok(Self { environment, child, ended, messages, words, outbox })
    }

    fn say(&self, bytes: Vec<u8>) {
        // Who no longer listens has ended, which is heard elsewhere.
        let _ = self.outbox.send(bytes);
    }

    async fn wait_until_ready(&mut self) -> Result<(), ExecError> {
        let backend = self.environment.kind();
        match timeout(START_LIMIT, self.messages.next()).await {
            Ok(Some(HelperMessage::Ready)) => Ok(()),
            Ok(Some(HelperMessage::NoPython)) => Err(ExecError::Unavailable {
                backend,
                why: "scripts need python3, which is not there; install it over there".to_owned(),
            }),
            Ok(_) => Err(self.trouble().await),
            Err(_) => Err(ExecError::NotStarted {
                backend,
                why: "its python3 did not answer in time".to_owned(),
            }),
        }
    }

    /// Hands calls and output through until the script has ended; its code.
    async fn see_through(
        &mut self,
        dispatcher: &CallDispatcher,
        output: &mut Output,
    ) -> Result<Option<i32>, ExecError> {
        let mut calls = FuturesUnordered::new();
        loop {
            let heard = tokio::select! {
                heard = self.messages.next() => heard,
                Some((caller, answer)) = calls.next() => {
                    let answer: Vec<u8> = answer;
                    let caller: [u8; 4] = caller;
                    let _ = self.outbox.send(message(b'a', &[&caller, &answer]));
                    continue;
                }
            };
            match heard {
                Some(HelperMessage::Stdout(bytes)) => output.stdout.push(&bytes),
                Some(HelperMessage::Stderr(bytes)) => output.stderr.push(&bytes),
                Some(HelperMessage::Call { caller, line }) => {
                    calls.push(async move { (caller, dispatcher.answer(line).await) });
                }
                Some(HelperMessage::Ended(code)) => return Ok(code),
                Some(HelperMessage::Failed(why)) => {
                    return Err(ExecError::NotStarted { backend: self.environment.kind(), why });
                }
                Some(HelperMessage::Ready | HelperMessage::NoPython) => {}
                None => return Err(self.trouble().await),
            }
        }
    }

    /// Asks the script to end, and has the guard end whatever is left. The code, if it told one.
    async fn stop(mut self, output: &mut Output) -> Option<i32> {
        self.say(message(b't', &[]));
        let ending = async {
            while let Some(heard) = self.messages.next().await {
                match heard {
                    HelperMessage::Stdout(bytes) => output.stdout.push(&bytes),
                    HelperMessage::Stderr(bytes) => output.stderr.push(&bytes),
                    HelperMessage::Ended(code) => return code,
                    _ => {}
                }
            }
            None
        };
        let code = timeout(GRACE, ending).await.ok().flatten();
        if let Some(guard) = self.ended.guard.take() {
            guard.end_and_wait(&self.ended.call).await;
        }
        code
    }

    /// The script has ended; what it left behind ends too.
    async fn leave(self) {
        let Self { mut child, ended, outbox, .. } = self;
        drop((outbox, ended));
        if timeout(CLIENT_LIMIT, child.wait()).await.is_ok() {
            // A client may leave something to the ones after it, such as a shared connection.
            child.release();
        }
    }

    /// Why there is nothing to be heard any more.
    async fn trouble(&mut self) -> ExecError {
        let backend = self.environment.kind();
        let status = timeout(CLIENT_LIMIT, self.child.wait()).await;
        let code = status.ok().and_then(Result::ok).and_then(|status| status.code()).unwrap_or(-1);
        let words = match timeout(CLIENT_LIMIT, &mut self.words).await {
            Ok(Ok(words)) => words,
            _ => String::new(),
        };
        match self.environment.backend().trouble(code, &words) {
            Some(ClientTrouble::Gone(why)) => ExecError::Gone { backend, why },
            Some(ClientTrouble::Refused(why)) => ExecError::NotStarted { backend, why },
            Some(ClientTrouble::Unreachable(why)) => ExecError::Unreachable { backend, why },
            None => {
                let noise = self.messages.noise();
                let said = [words.trim(), noise.as_str()].into_iter().find(|text| !text.is_empty());
                let why = match said {
                    Some(said) => said.to_owned(),
                    None => format!("its client ended without a word (exit code {code})"),
                };
                ExecError::NotStarted { backend, why }
            }
        }
    }
}

async fn write_all(mut pipe: InputPipe, mut inbox: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(bytes) = inbox.recv().await {
        if pipe.write_all(&bytes).await.is_err() {
            return;
        }
    }
}

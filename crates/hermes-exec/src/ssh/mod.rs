//! Another machine, by `ssh`.
//!
//! One connection is made and kept ([`master`]); every command is a session in it, which costs no
//! handshake. The client is the user's own `ssh` with the user's own settings, keys and agent, and
//! it never asks anything: what it would have to ask is an error with advice ([`failure`]).
//!
//! Files the agent has at hand here (skills, caches, the credential files that were asked for) are
//! brought over before commands and fetched back at the end, if there are any to bring
//! ([`FileSync`]).
//!
//! What never happens here: a machine whose key changed is trusted, a connection outlives us, or a
//! command is run twice because its connection was lost.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use hermes_approval::ExecutionTarget;
use hermes_process::Command;
use hermes_store::home::DOT_FOLDER;
use hermes_tool::Vars;

use crate::backend::{Backend, BackendKind, BackendState, ClientInput, ClientTrouble, ShellCall};
use crate::error::ExecError;
use crate::granted::GrantedFiles;
use crate::programs::ClientProgram;
use crate::settings::SshSettings;
use crate::sync::{FileSync, RemoteShell, SyncPace, SyncSources};

mod arguments;
mod failure;
mod greeting;
mod master;

use arguments::SshCommandLine;
use failure::MasterState;
use greeting::Greeting;
use master::{Master, NoMaster};

/// How long the first question to the machine may take.
const GREETING_LIMIT: Duration = Duration::from_secs(15);
/// How long it may take to tell the master to leave.
const EXIT_LIMIT: Duration = Duration::from_secs(5);
/// How long the end may take: what was changed over there is fetched first, which has limits of its
/// own and is tried again.
const CLOSE_LIMIT: Duration = Duration::from_secs(300);

/// Variables the client needs of ours.
const VARIABLES: [&str; 5] = ["PATH", "HOME", "SSH_AUTH_SOCK", "USER", "LOGNAME"];

/// What a terminal over there is taken for.
const TERMINAL: &str = "xterm-256color";

/// What the ssh backend needs to know.
#[derive(Clone, Debug)]
pub struct SshOptions {
    /// The other host, and how to get in.
    pub settings: SshSettings,
    /// Where commands begin; `~` is the home over there.
    pub cwd: String,
    /// What is brought over; nothing if `None`.
    pub shown: Option<SyncSources>,
    /// Further options of the client, as they stand behind `-o`.
    pub options: Vec<String>,
}

/// Commands on another machine.
pub struct Ssh {
    client: ClientProgram,
    options: SshOptions,
    socket: PathBuf,
    connection: Mutex<Option<Connection>>,
    starting: tokio::sync::Mutex<()>,
    files: Option<FileSync>,
}

struct Connection {
    master: Master,
    home: String,
}

/// The client.
pub(crate) fn client(process: &Vars) -> Result<ClientProgram, ExecError> {
    ClientProgram::find(&["ssh"], &VARIABLES, process).ok_or_else(|| ExecError::Unavailable {
        backend: BackendKind::Ssh,
        why: "ssh was not found in PATH; install the OpenSSH client".into(),
    })
}

impl Ssh {
    /// Finds the client; the connection is made with the first command.
    pub fn new(options: SshOptions, process: &Vars) -> Result<Self, ExecError> {
        let client = client(process)?;
        let pace =
            if options.settings.force_sync { SyncPace::EveryTime } else { SyncPace::Sparing };
        let files = options.shown.clone().map(|shown| FileSync::new(shown, pace));
        let socket = master::socket(&options.settings, process);
        Ok(Self {
            client,
            options,
            socket,
            connection: Mutex::default(),
            starting: tokio::sync::Mutex::default(),
            files,
        })
    }

    /// The same, which also brings over the files that conversations are granted.
    pub(crate) fn with_granted(mut self, granted: &Arc<GrantedFiles>) -> Self {
        self.files = self.files.take().map(|files| files.with_granted(Arc::clone(granted)));
        self
    }

    async fn make_sure(&self) -> Result<BackendState, ExecError> {
        let ready = self.connect().await?;
        if let (Some(files), Some(base)) = (&self.files, self.base()) {
            // A command that needs none of them must not fail for that.
            if let Err(error) = files.bring(&self.far(&base)).await {
                tracing::warn!(%error, "files could not be brought to the other machine");
            }
        }
        Ok(ready)
    }

    async fn connect(&self) -> Result<BackendState, ExecError> {
        if self.stands() {
            return Ok(BackendState::AsBefore);
        }
        let _one_at_a_time = self.starting.lock().await;
        if self.stands() {
            return Ok(BackendState::AsBefore);
        }
        *self.connection() = None;
        let _ = std::fs::remove_file(&self.socket);
        let command = self.client.command().args(self.line().master());
        let master =
            Master::start(command, &self.socket).await.map_err(|problem| match problem {
                NoMaster::Error(error) => error,
                NoMaster::Said(words) => {
                    self.not_started(&failure::explain(&words, &self.options.settings))
                }
            })?;
        let home = self.greet().await?;
        *self.connection() = Some(Connection { master, home });
        Ok(BackendState::Anew)
    }

    /// Asks for the home over there and makes the folders Hermes uses in it.
    async fn greet(&self) -> Result<String, ExecError> {
        let words = ["sh", "-c", greeting::SCRIPT];
        let session = self.line().session(&words, ClientInput::None);
        let done = self.client.command().args(session).deadline(GREETING_LIMIT).run().await?;
        let answer = Greeting::read(&done.stdout.text()).ok_or_else(|| {
            let words = done.stderr.text();
            let words = words.trim();
            self.not_started(&format!("its shell does not answer as one should: {words}"))
        })?;
        if !answer.has_bash {
            return Err(self.not_started("there is no bash over there; install it"));
        }
        let user = &self.options.settings.user;
        Ok(answer.home.unwrap_or_else(|| match user.as_str() {
            "root" => "/root".to_owned(),
            user => format!("/home/{user}"),
        }))
    }

    fn not_started(&self, why: &str) -> ExecError {
        let SshSettings { user, host, .. } = &self.options.settings;
        ExecError::NotStarted { backend: BackendKind::Ssh, why: format!("{user}@{host}: {why}") }
    }

    fn line(&self) -> SshCommandLine<'_> {
        let SshOptions { settings, options, .. } = &self.options;
        SshCommandLine { settings, options, socket: &self.socket }
    }

    /// Where the files of Hermes are over there, once that is known.
    fn base(&self) -> Option<String> {
        let connection = self.connection();
        let home = &connection.as_ref()?.home;
        Some(format!("{}/{DOT_FOLDER}", home.trim_end_matches('/')))
    }

    fn far<'a>(&'a self, base: &'a str) -> RemoteShell<'a> {
        let shell = |script: &str, input| {
            let session = self.line().session(&["sh", "-c", script], input);
            self.client.command().args(session)
        };
        RemoteShell { base, shell: Box::new(shell) }
    }

    fn stands(&self) -> bool {
        self.connection().is_some() && master::greets(&self.socket)
    }

    fn connection(&self) -> MutexGuard<'_, Option<Connection>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for Ssh {
    fn kind(&self) -> BackendKind {
        BackendKind::Ssh
    }

    fn target(&self) -> ExecutionTarget {
        ExecutionTarget::Ssh
    }

    fn client(&self, call: &ShellCall<'_>) -> Command {
        let command = self.client.command().args(self.line().session(&call.words(), call.input));
        match call.input {
            // Handed on by the client.
            ClientInput::Terminal => command.env("TERM", TERMINAL),
            ClientInput::None | ClientInput::Forwarded => command,
        }
    }

    fn first_cwd(&self) -> String {
        let connection = self.connection();
        let home = connection.as_ref().map(|connection| connection.home.trim_end_matches('/'));
        match (self.options.cwd.strip_prefix('~'), home) {
            (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
                let directory = format!("{home}{}", rest.trim_end_matches('/'));
                if directory.is_empty() { "/".to_owned() } else { directory }
            }
            _ => self.options.cwd.clone(),
        }
    }

    fn before_execute(&self) -> BoxFuture<'_, Result<BackendState, ExecError>> {
        Box::pin(self.make_sure())
    }

    fn trouble(&self, code: i32, client_words: &str) -> Option<ClientTrouble> {
        let link = || if self.stands() { MasterState::Stands } else { MasterState::Lost };
        failure::trouble(code, client_words, link)
    }

    fn clean_up_limit(&self) -> Duration {
        CLOSE_LIMIT
    }

    fn clean_up(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            if let (Some(files), Some(base), true) = (&self.files, self.base(), self.stands())
                && let Err(error) = files.fetch_back(&self.far(&base)).await
            {
                tracing::warn!(%error, "files could not be fetched back from the other machine");
            }
            let connection = self.connection().take();
            let Some(Connection { master, .. }) = connection else { return };
            let exit = self.client.command().args(self.line().exit());
            let _ = exit.deadline(EXIT_LIMIT).run().await;
            master.leave().await;
            let _ = std::fs::remove_file(&self.socket);
        })
    }
}

impl Drop for Ssh {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.socket);
    }
}

//! The session database for async callers.
//!
//! A [`SessionStore`] owns two threads, each started at its first use: one writes, one reads, each with a
//! connection of its own. Its methods hand work to them and are awaited, so that no disk, no sleep and no
//! lock of another program holds up a thread on which other work is polled. An await may be dropped at
//! any time: a question that nobody waits for any more is not asked.
//!
//! What a conversation says goes through its [`SessionRecorder`](crate::SessionRecorder). Everything else is a function on the
//! [`SessionDatabase`], given to [`read`](SessionStore::read) or [`write`](SessionStore::write).

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, OnceLock};

use tokio::sync::oneshot;

use super::database::SessionDatabase;
use super::error::{Result, SessionsError};
use super::journal;
use super::writer::{Act, Attempt, Call, Writer};

/// The sessions of one home, for async callers. Cheap to clone; all clones share the same threads, which
/// end with the last of them.
#[derive(Clone, Debug)]
pub struct SessionStore {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    writer: OnceLock<std::result::Result<Writer, String>>,
    reader: OnceLock<std::result::Result<Sender<Question>, String>>,
}

/// A question to the database, which knows where the answer goes.
type Question = Box<dyn FnOnce(&SessionDatabase) + Send>;

impl SessionStore {
    /// The database in this file. Nothing is opened, made or started before the first use.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        let shared = Shared { path: path.into(), writer: OnceLock::new(), reader: OnceLock::new() };
        Self { shared: Arc::new(shared) }
    }

    /// Where it is. There need not be a file yet.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// Asks the database something. What was recorded before is seen, unless another program holds the
    /// database locked and it waits beside it.
    pub async fn read<T: Send + 'static>(
        &self,
        question: impl FnOnce(&SessionDatabase) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        if let Some(Ok(writer)) = self.shared.writer.get() {
            let last = writer.last();
            // A thread that is gone has nothing more to write.
            let _ = writer.status().wait_for(|status| status.recorded >= last).await;
        }
        let (answer, answered) = oneshot::channel();
        let ask: Question = Box::new(move |database| {
            if !answer.is_closed() {
                let _ = answer.send(question(database));
            }
        });
        self.reader()?.send(ask).map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }

    /// Changes something that has an answer, in its turn after everything queued before. The act may be
    /// tried several times. A database that stays locked for seconds is an error.
    pub async fn write<T: Send + 'static>(
        &self,
        act: impl Fn(&SessionDatabase) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (answer, answered) = oneshot::channel();
        let mut answer = Some(answer);
        self.act(Box::new(move |call| {
            if answer.as_ref().is_none_or(oneshot::Sender::is_closed) {
                return Attempt::Done;
            }
            let result = match call {
                Call::Try(database) => act(database),
                Call::GiveUp(problem) => {
                    answer.take().map(|answer| answer.send(Err(problem)));
                    return Attempt::Done;
                }
            };
            if result.as_ref().is_err_and(SessionsError::is_busy) {
                return Attempt::Busy;
            }
            answer.take().map(|answer| answer.send(result));
            Attempt::Done
        }))?;
        answered.await.map_err(|_| gone())?
    }

    /// Changes something whose answer nobody waits for.
    pub(super) fn queue(&self, act: impl Fn(&SessionDatabase) -> Result<()> + Send + 'static) {
        let queued = self.act(Box::new(move |call| {
            let Call::Try(database) = call else { return Attempt::Done };
            match act(database) {
                Err(problem) if problem.is_busy() => Attempt::Busy,
                Err(problem) => {
                    tracing::debug!(%problem, "a change of the session database that nobody waits for");
                    Attempt::Done
                }
                Ok(()) => Attempt::Done,
            }
        }));
        if let Err(problem) = queued {
            tracing::debug!(%problem, "a change of the session database that nobody waits for");
        }
    }

    fn act(&self, act: Act) -> Result<()> {
        self.writer()?.act(act);
        Ok(())
    }

    /// Waits until another program holds the database locked and changes wait for it; at once, if so
    /// already. Never, if that does not happen.
    pub async fn locked(&self) {
        if let Ok(writer) = self.writer()
            && writer.status().wait_for(|status| status.is_locked).await.is_ok()
        {
            return;
        }
        std::future::pending::<()>().await;
    }

    /// Writes everything that is queued and closes the database; the next use opens it again.
    ///
    /// # Errors
    /// While another program holds the database locked this does not wait for it:
    /// [`SessionsError::Unwritten`] tells how much is kept beside it, for the next start to take in.
    pub async fn close(&self) -> Result<()> {
        match self.shared.writer.get() {
            Some(Ok(writer)) => writer.close().await.map_err(|_| gone())?,
            _ => Ok(()),
        }
    }

    pub(super) fn writer(&self) -> Result<&Writer> {
        let started = self.shared.writer.get_or_init(|| {
            Writer::start(self.shared.path.clone()).map_err(|problem| problem.to_string())
        });
        started.as_ref().map_err(|why| SessionsError::NoThread { why: why.clone() })
    }

    fn reader(&self) -> Result<&Sender<Question>> {
        let started = self.shared.reader.get_or_init(|| {
            let (sender, questions) = mpsc::channel::<Question>();
            let path = self.shared.path.clone();
            let work = move || {
                journal::recover(&path);
                let database = SessionDatabase::at(path);
                for ask in questions {
                    let asked = std::panic::AssertUnwindSafe(|| ask(&database));
                    // Whoever asked finds the answer missing.
                    let _ = std::panic::catch_unwind(asked);
                }
            };
            let thread = std::thread::Builder::new().name("session-reader".to_owned());
            thread.spawn(work).map(|_| sender).map_err(|problem| problem.to_string())
        });
        started.as_ref().map_err(|why| SessionsError::NoThread { why: why.clone() })
    }
}

pub(super) fn gone() -> SessionsError {
    SessionsError::NoThread { why: "it has ended".to_owned() }
}

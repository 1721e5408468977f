//! Files out of our reach: the file tools in a container or on another machine.
//!
//! [`RemoteFiles`] does there what `hermes_files::fs::LocalFiles` does here, with the same answers
//! and the same errors. It has nothing over there but a bash and the tools every image has, so each
//! act is one script (`scripts/`), handed over by a [`ScriptRunner`] with its input and brought
//! back as bytes: one round trip for an act, two or three for a search.
//!
//! | file | what it holds |
//! |---|---|
//! | `scripts/*.sh` | the acts as the shell over there does them |
//! | `script` | putting a script together: values as words, whatever bytes they hold |
//! | `answer` | what a script says: records, states of files, errors in the system's own numbers |
//! | `acts` | resolving, listing, writing, moving, keeping |
//! | `reader` | reading, whole or in pieces as they are needed |
//! | `search` | searching with the engine of this machine |
//! | `runner` | how a script gets there |
//!
//! # What never happens here
//!
//! A file is left half written: content goes to a file beside it and is counted before it takes its
//! place, so a broken connection changes nothing. A link is followed that appeared after the path
//! was resolved. What a banner or a start-up file prints is taken for an answer: that begins with a
//! word of ours. A message is understood by its language: the tools speak the one of the standard.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hermes_files::fs::{
    ContentQuery, FileSystem, FilesLocation, FsError, NameQuery, OpenFile, Resolved, SearchRoot,
    Stamp, Written,
};
use hermes_files::search::{ContentReply, FileReply, SearchError};
use hermes_tool::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::error::ExecError;

mod acts;
mod answer;
mod reader;
mod runner;
mod script;
mod search;
#[cfg(test)]
mod tests;

pub(crate) use runner::{run_client, words_of};

/// How long an act may take that moves no content.
const ACT_LIMIT: Duration = Duration::from_secs(60);
/// How long it may take to bring a file there or back.
const TRANSFER_LIMIT: Duration = Duration::from_secs(300);

/// A script of ours with what it reads, and its bounds.
#[derive(Debug)]
pub(crate) struct ScriptJob {
    /// For bash.
    pub(crate) script: String,
    /// What the script reads.
    pub(crate) input: Vec<u8>,
    /// Bytes of output after which it is stopped.
    pub(crate) most_output: usize,
    /// Time after which it is stopped.
    pub(crate) limit: Duration,
    /// Stops it early.
    pub(crate) cancel: CancellationToken,
}

/// How a script ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunEnd {
    /// By itself, with this code.
    Exited(i32),
    /// It said more than it was allowed to.
    TooMuch,
    /// It took too long.
    TimedOut,
    /// Nobody wanted to know any more.
    Cancelled,
}

/// What came of a script.
#[derive(Debug)]
pub(crate) struct RawRun {
    /// How it ended.
    pub(crate) end: RunEnd,
    /// What it said, byte for byte.
    pub(crate) stdout: Vec<u8>,
    /// What the client said.
    pub(crate) stderr: String,
}

/// Runs scripts of ours with bash in some environment.
pub(crate) trait ScriptRunner: Send + Sync {
    /// Runs one to its end or to its bounds.
    fn run(&self, job: ScriptJob) -> BoxFuture<Result<RawRun, ExecError>>;
}

/// The files of an environment that only a shell can reach.
#[derive(Clone)]
pub struct RemoteFiles {
    runner: Arc<dyn ScriptRunner>,
    location: FilesLocation,
}

impl RemoteFiles {
    /// The files that the scripts of this runner see.
    pub(crate) fn new(runner: Arc<dyn ScriptRunner>, location: FilesLocation) -> Self {
        Self { runner, location }
    }

    fn runner(&self) -> Arc<dyn ScriptRunner> {
        Arc::clone(&self.runner)
    }
}

impl FileSystem for RemoteFiles {
    fn location(&self) -> FilesLocation {
        self.location
    }

    fn resolve(&self, path: PathBuf) -> BoxFuture<Result<Resolved, FsError>> {
        Box::pin(acts::resolve(self.runner(), path))
    }

    fn read(&self, canonical: PathBuf, most: u64) -> BoxFuture<Result<(Vec<u8>, Stamp), FsError>> {
        Box::pin(reader::read(self.runner(), canonical, most))
    }

    fn open(&self, canonical: PathBuf) -> BoxFuture<Result<OpenFile, FsError>> {
        Box::pin(reader::open(self.runner(), canonical))
    }

    fn names(&self, directory: PathBuf, most: usize) -> BoxFuture<Result<Vec<String>, FsError>> {
        Box::pin(acts::names(self.runner(), directory, most))
    }

    fn write(&self, canonical: PathBuf, content: Vec<u8>) -> BoxFuture<Result<Written, FsError>> {
        Box::pin(acts::write(self.runner(), canonical, content))
    }

    fn remove(&self, canonical: PathBuf) -> BoxFuture<Result<(), FsError>> {
        Box::pin(acts::remove(self.runner(), canonical))
    }

    fn rename(&self, from: PathBuf, to: PathBuf) -> BoxFuture<Result<(), FsError>> {
        Box::pin(acts::rename(self.runner(), from, to))
    }

    fn keep(&self, canonical: PathBuf) -> BoxFuture<Result<PathBuf, FsError>> {
        Box::pin(acts::keep(self.runner(), canonical))
    }

    fn put_back(&self, kept: PathBuf, canonical: PathBuf) -> BoxFuture<Result<(), FsError>> {
        Box::pin(acts::put_back(self.runner(), kept, canonical))
    }

    fn search_content(
        &self,
        place: SearchRoot,
        query: ContentQuery,
    ) -> BoxFuture<Result<ContentReply, SearchError>> {
        Box::pin(search::content(self.runner(), place, query))
    }

    fn search_names(
        &self,
        place: SearchRoot,
        query: NameQuery,
    ) -> BoxFuture<Result<FileReply, SearchError>> {
        Box::pin(search::names(self.runner(), place, query))
    }
}

impl std::fmt::Debug for RemoteFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteFiles").field("location", &self.location).finish_non_exhaustive()
    }
}

//! Plugins that come as installed Python packages.
//!
//! A package names its plugins in the entry-point group `hermes_agent.plugins`. Only Python can say
//! which packages it would find, so it is asked; its answer is kept with the folders it looked at,
//! and holds until one of them changes.

use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use hermes_process::{CaptureLimit, Command, ProcessError};
use hermes_store::atomic::{self, WriteOptions};
use hermes_store::home::{Home, ensure_private_dir};
use hermes_tool::Vars;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
use thiserror::Error;

use super::{FoundPlugin, PluginSource, Runs};
use crate::environment::environment;
use crate::manifest::Manifest;
use crate::python;

/// How long Python may take to list packages.
const DEADLINE: Duration = Duration::from_secs(10);
/// Most characters of its answer.
const MAX_ANSWER_CHARS: usize = 1024 * 1024;

/// Why installed packages are not known.
#[derive(Debug, Error)]
pub enum EntryPointError {
    /// The host's files could not be written.
    #[error(transparent)]
    Host(#[from] atomic::AtomicError),
    /// Python could not be started.
    #[error(
        "plugins in Python packages cannot be found: {0}; `plugins.python` names another Python"
    )]
    Process(#[from] ProcessError),
    /// Python said something else.
    #[error("`{python}` cannot list plugins in packages: {said}")]
    Answer {
        /// The Python.
        python: String,
        /// What it said instead.
        said: String,
    },
}

/// One entry point.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
struct EntryPoint {
    name: String,
    #[serde(default)]
    module: String,
    #[serde(default)]
    package: String,
    #[serde(default)]
    version: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    author: String,
}

#[derive(Debug, Deserialize)]
struct Listing {
    plugins: Vec<EntryPoint>,
    folders: Vec<PathBuf>,
}

/// What was found out, and what it depends on.
#[derive(Debug, Deserialize, Serialize)]
struct Kept {
    python: PathBuf,
    host: String,
    folders: Vec<(PathBuf, u64)>,
    plugins: Vec<EntryPoint>,
}

/// Asks one Python about installed plugins.
#[derive(Clone, Debug)]
pub struct EntryPoints {
    home: Home,
    vars: Vars,
    python: PathBuf,
}

impl EntryPoints {
    /// For this Python.
    #[must_use]
    pub fn of(home: &Home, vars: &Vars, python: &Path) -> Self {
        Self { home: home.clone(), vars: vars.clone(), python: python.to_owned() }
    }

    /// What is known without starting Python.
    #[must_use]
    pub fn known(&self) -> Option<Vec<FoundPlugin>> {
        let text = std::fs::read_to_string(self.file()).ok()?;
        let kept: Kept = serde_json::from_str(&text).ok()?;
        let holds = kept.python == self.python
            && kept.host == python::digest()
            && kept.folders.iter().all(|(folder, changed)| changed_at(folder) == *changed);
        holds.then(|| kept.plugins.into_iter().map(found).collect())
    }

    /// Asks Python, and keeps its answer.
    ///
    /// # Errors
    /// When there is no Python, or it does not answer.
    pub async fn ask(&self) -> Result<Vec<FoundPlugin>, EntryPointError> {
        let host = python::host_folder(&self.home)?;
        let done = Command::new(&self.python)
            .arg(host)
            .arg("entry-points")
            .envs(environment(&self.vars, &[], self.home.root()))
            .deadline(DEADLINE)
            .capture(CaptureLimit::chars(MAX_ANSWER_CHARS))
            .run()
            .await?;
        let Ok(listing) = serde_json::from_str::<Listing>(&done.stdout.text()) else {
            let said = done.stderr.text();
            let said = said.trim().lines().last().unwrap_or("nothing").to_owned();
            return Err(EntryPointError::Answer {
                python: self.python.display().to_string(),
                said,
            });
        };
        self.keep(&listing);
        Ok(listing.plugins.into_iter().map(found).collect())
    }

    /// What cannot be kept is asked again next time.
    fn keep(&self, listing: &Listing) {
        let folders =
            listing.folders.iter().map(|folder| (folder.clone(), changed_at(folder))).collect();
        let kept = Kept {
            python: self.python.clone(),
            host: python::digest(),
            folders,
            plugins: listing.plugins.clone(),
        };
        let file = self.file();
        let written = file.parent().map_or(Ok(()), ensure_private_dir).and_then(|()| {
            atomic::write(&file, json!(kept).to_string().as_bytes(), WriteOptions::KEEP)
        });
        if let Err(problem) = written {
            tracing::debug!(%problem, "keep the list of plugins in packages");
        }
    }

    fn file(&self) -> PathBuf {
        self.home.cache().join("plugins").join("entry-points.json")
    }
}

/// When a folder was last changed; zero if it is not there.
fn changed_at(folder: &Path) -> u64 {
    let changed = std::fs::metadata(folder).and_then(|found| found.modified()).ok();
    changed
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .and_then(|since| u64::try_from(since.as_nanos()).ok())
        .unwrap_or(0)
}

fn found(point: EntryPoint) -> FoundPlugin {
    let manifest = Manifest {
        name: point.name.clone(),
        version: point.version,
        description: point.description,
        author: point.author,
        raw: Map::from_iter([("package".to_owned(), point.package.into())]),
        ..Manifest::default()
    };
    FoundPlugin {
        key: point.name.clone(),
        source: PluginSource::Package,
        folder: PathBuf::new(),
        manifest,
        runs: Runs::EntryPoint(point.name),
    }
}

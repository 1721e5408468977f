//! The store on disk: where things are, and making it on first use.
//!
//! ```text
//! checkpoints/
//!   store/               one bare git repository for all projects
//!     refs/snapshots/<id>/<n>   one ref for each checkpoint
//!     indexes/<id>       git's index of the project's last checkpoint
//!     projects/<id>.json which directory it is
//!   locks/               see `locks.rs`
//!   legacy-<time>/       repositories of older layouts
//!   .last_prune          when upkeep was last done
//! ```

use std::fs::{self, DirBuilder};
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::sync::OnceCell;

use super::error::{CheckpointError, Skip};
use super::excludes;
use super::git::{Deadline, Git};
use super::locks::Locks;
use super::project::{Project, ProjectRecord, canonical};
use super::settings::CheckpointSettings;
use super::survey::{MAX_ENTRIES, ProjectSurvey, Terms};
use super::turns::Turns;

/// Begins the name of an archive of repositories in the older layout.
pub(super) const LEGACY_PREFIX: &str = "legacy-";
/// Where a store of the older layout has its refs.
const CHAINS: &str = "refs/hermes/";
/// The checkpoints hold copies of people's files: for their owner only.
const PRIVATE_DIRECTORY: u32 = 0o700;

/// The checkpoints of one Hermes home.
#[derive(Debug)]
pub struct CheckpointStore {
    pub(super) base: PathBuf,
    pub(super) settings: CheckpointSettings,
    pub(super) locks: Locks,
    pub(super) turns: Turns,
    pub(super) max_entries: usize,
    ready: OnceCell<()>,
}

impl CheckpointStore {
    /// The store in a directory, usually `<home>/checkpoints`. Touches nothing: the directory is
    /// made with the first checkpoint.
    #[must_use]
    pub fn open(directory: &Path, settings: CheckpointSettings) -> Self {
        let base = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
        let locks = Locks::new(base.join("locks"));
        let turns = Turns::default();
        Self { base, settings, locks, turns, max_entries: MAX_ENTRIES, ready: OnceCell::new() }
    }

    /// What the store was opened with.
    #[must_use]
    pub fn settings(&self) -> &CheckpointSettings {
        &self.settings
    }

    /// Whether the directory is one that may be saved at all.
    pub(super) fn placement(&self, project: &Project) -> Result<(), Skip> {
        let dir = &project.workdir;
        if dir.parent().is_none() {
            Err(Skip::FileSystemRoot)
        } else if !dir.is_dir() {
            Err(Skip::NoDirectory)
        } else if self.settings.home.as_deref().is_some_and(|home| plain(home).starts_with(dir)) {
            Err(Skip::HomeDirectory)
        } else if dir.starts_with(plain(&self.base)) {
            Err(Skip::InsideStore)
        } else {
            Ok(())
        }
    }

    /// Looks at a directory, away from the async runtime.
    pub(super) async fn survey(
        &self,
        project: &Project,
    ) -> Result<Result<ProjectSurvey, Skip>, CheckpointError> {
        let terms = Terms {
            max_entries: self.max_entries,
            max_file_bytes: self.settings.max_file_bytes,
            avoid: plain(&self.base),
        };
        let root = project.workdir.clone();
        let survey = in_background(move || ProjectSurvey::of(&root, &terms)).await?;
        Ok(survey.ok_or(Skip::TooManyEntries { limit: self.max_entries }))
    }

    pub(super) fn deadline(&self) -> Deadline {
        Deadline::after(self.settings.timeout)
    }

    pub(super) fn git(&self, deadline: Deadline) -> Git {
        let search_path = self.settings.search_path.clone();
        Git { store: self.repository(), search_path, deadline }
    }

    pub(super) fn repository(&self) -> PathBuf {
        self.base.join("store")
    }

    /// Whether anything was ever saved.
    pub(super) fn exists(&self) -> bool {
        self.repository().join("HEAD").exists()
    }

    pub(super) fn index(&self, id: &str) -> PathBuf {
        self.repository().join("indexes").join(id)
    }

    pub(super) fn projects(&self) -> PathBuf {
        self.repository().join("projects")
    }

    pub(super) fn record_file(&self, id: &str) -> PathBuf {
        self.projects().join(format!("{id}.json"))
    }

    /// What is known about a project; nothing if that cannot be read.
    pub(super) fn record(&self, id: &str) -> Option<ProjectRecord> {
        serde_json::from_slice(&fs::read(self.record_file(id)).ok()?).ok()
    }

    pub(super) fn write_record(
        &self,
        id: &str,
        record: &ProjectRecord,
    ) -> Result<(), CheckpointError> {
        let path = self.record_file(id);
        let text = serde_json::to_vec(record).map_err(|error| CheckpointError::Io {
            act: "write",
            path: path.clone(),
            source: error.into(),
        })?;
        replace(&path, &text)
    }

    /// Makes the store if it is not there, and brings its rules up to date, once per process.
    pub(super) async fn prepare(&self, deadline: Deadline) -> Result<(), CheckpointError> {
        if self.ready.initialized() && self.exists() {
            return Ok(());
        }
        self.ready.get_or_try_init(|| self.set_up(deadline)).await?;
        // Someone may have cleared the store since.
        if self.exists() { Ok(()) } else { self.set_up(deadline).await }
    }

    async fn set_up(&self, deadline: Deadline) -> Result<(), CheckpointError> {
        let repository = self.repository();
        make_private(&self.base.join("locks"))?;
        let _held = self.locks.take("setup", deadline).await?;
        self.archive_older_layouts()?;
        if !self.exists() {
            let init = self.git(deadline).call("init").args(["--bare", "--quiet", "--template="]);
            init.env("GIT_DEFAULT_REF_FORMAT", "files").run().await?;
        }
        for folder in ["indexes", "projects", "info"] {
            make_private(&repository.join(folder))?;
        }
        let info = repository.join("info");
        for (name, text) in
            [("exclude", excludes::ignore_file().as_str()), ("attributes", excludes::ATTRIBUTES)]
        {
            let path = info.join(name);
            if fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
                replace(&path, text.as_bytes())?;
            }
        }
        Ok(())
    }

    /// Moves repositories of older layouts out of the way: those of one project each, and a store
    /// whose checkpoints of a project are one chain of commits.
    fn archive_older_layouts(&self) -> Result<(), CheckpointError> {
        let is_older = |path: &PathBuf| {
            let is_repository = path.join("HEAD").is_file();
            is_repository && (*path != self.repository() || has_chains(path))
        };
        let older: Vec<PathBuf> = list(&self.base)?.into_iter().filter(is_older).collect();
        if older.is_empty() {
            return Ok(());
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let archive = self.base.join(format!("{LEGACY_PREFIX}{now}"));
        make_private(&archive)?;
        for path in older {
            let Some(name) = path.file_name() else { continue };
            fs::rename(&path, archive.join(name)).map_err(CheckpointError::io("archive", &path))?;
        }
        Ok(())
    }
}

/// Whether a store has refs of the older layout, each a chain of all checkpoints of a project.
fn has_chains(repository: &Path) -> bool {
    let packed = fs::read_to_string(repository.join("packed-refs")).unwrap_or_default();
    packed.contains(CHAINS) || repository.join(CHAINS).is_dir()
}

/// The canonical path, or the path as it is where that cannot be known.
fn plain(path: &Path) -> PathBuf {
    canonical(path).unwrap_or_else(|_| path.to_owned())
}

/// Runs file work that may take a while where it blocks nobody.
pub(super) async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is going away, and with it whoever waits for this.
            Err(_) => std::future::pending().await,
        },
    }
}

/// The entries of a directory; none if it is not there.
pub(super) fn list(dir: &Path) -> Result<Vec<PathBuf>, CheckpointError> {
    match fs::read_dir(dir) {
        Ok(entries) => Ok(entries.filter_map(|entry| Some(entry.ok()?.path())).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(CheckpointError::io("read directory", dir)(error)),
    }
}

/// Replaces a file in one step. Not flushed to the disk: what it tells can be found out again.
pub(super) fn replace(path: &Path, content: &[u8]) -> Result<(), CheckpointError> {
    let attempt = || {
        let folder = path.parent().unwrap_or(path);
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(content)?;
        file.persist(path).map(drop).map_err(|error| error.error)
    };
    attempt().map_err(CheckpointError::io("write", path))
}

fn make_private(dir: &Path) -> Result<(), CheckpointError> {
    DirBuilder::new()
        .recursive(true)
        .mode(PRIVATE_DIRECTORY)
        .create(dir)
        .map_err(CheckpointError::io("create directory", dir))
}

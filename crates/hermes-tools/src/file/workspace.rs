//! What the four tools share: where files are, which may be touched, what is remembered.
//!
//! A [`Workspace`] is made for one call from its context. The services it looks for, all optional:
//! [`Files`] for files elsewhere than on this machine, [`FileState`] for a memory of its own instead of
//! the process's, and [`ReaderKind`] for a call made by a script. Every path a caller wrote becomes a
//! [`Target`] here, once; checks and acts use that and never the text again.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use hermes_exec::manager::EnvironmentLease;
use hermes_exec::{BackendKind, ExecError, RemoteFiles};
use hermes_files::checkpoints::{CheckpointStore, project_root};
use hermes_files::fs::{
    FileKind, FileSystem, Files, FilesLocation, FsError, LocalFiles, Resolved, Stamp, user_home,
};
use hermes_files::state::{FileState, ReaderKind, WriteExtent};
use hermes_guard::command::MAX_FILE_TEXT;
use hermes_guard::paths::{PathFaces, PathRefusal, PathRules};
use hermes_guard::redact::{RedactMode, Redactor};
use hermes_store::home::Home;
use hermes_tool::{CallObserver, ToolContext, ToolError, inventory};

use crate::terminal::context::TerminalContext;
use crate::{checkpoints, host_services};

/// What all tasks of this process remember, unless a call brings a memory of its own.
static SHARED_STATE: LazyLock<Arc<FileState>> = LazyLock::new(Arc::default);

/// Tools that look at files without doing anything else.
const LOOKING: [&str; 2] = ["read_file", "search_files"];

inventory::submit! {
    CallObserver(|call| {
        if !LOOKING.contains(&call.tool) {
            own_or_shared(call.services.get()).other_tool_ran(&call.ids.task_id);
        }
    })
}

/// The memory a call works with. The tools and the observer of other calls both come here: with two
/// ways to it, what one wrote down the other did not find.
fn own_or_shared(own: Option<Arc<FileState>>) -> Arc<FileState> {
    own.unwrap_or_else(|| Arc::clone(&SHARED_STATE))
}

/// The files of one call.
pub(super) struct Workspace {
    pub(super) files: Arc<dyn FileSystem>,
    pub(super) state: Arc<FileState>,
    pub(super) rules: Arc<PathRules>,
    pub(super) task: String,
    pub(super) reader: ReaderKind,
    pub(super) redactor: Redactor,
    /// Whose call it is: for looking around and for asking.
    pub(super) cx: ToolContext,
    warns_of_stale: bool,
    turn: String,
    checkpoints: Option<Arc<CheckpointStore>>,
    base: PathBuf,
    home: Option<PathBuf>,
    /// Keeps a place elsewhere from being closed while we work in it.
    _in_use: Option<EnvironmentLease>,
}

/// Where files are, and where relative paths start.
struct FileContext {
    files: Arc<dyn FileSystem>,
    base: PathBuf,
    /// Where commands may write, if they run in a sandbox on this machine.
    sandbox: Option<Vec<PathBuf>>,
    in_use: Option<EnvironmentLease>,
}

impl FileContext {
    /// What the host says; else where the terminal of this conversation is.
    async fn of(cx: &ToolContext) -> Result<Self, ToolError> {
        let here = std::path::absolute(cx.cwd()).unwrap_or_else(|_| PathBuf::from("/"));
        if let Some(files) = cx.service::<Files>() {
            let files = Arc::clone(&files.0);
            return Ok(Self { files, base: here, sandbox: None, in_use: None });
        }
        let local =
            |base, sandbox| Self { files: Arc::new(LocalFiles), base, sandbox, in_use: None };
        // Without a home there is no terminal either, and files can only be here.
        let Ok(terminal) = TerminalContext::of(cx) else { return Ok(local(here, None)) };
        let answer = |error: ExecError| ToolError::answer(error.to_string());
        let directory = terminal.directory().map(PathBuf::from);
        let settings = terminal.environments.settings(terminal.task()).map_err(answer)?;
        if settings.backend() == BackendKind::Local {
            return Ok(local(directory.unwrap_or(here), settings.writable_places()));
        }
        let in_use = terminal.environments.of_task(terminal.task()).await.map_err(answer)?;
        let base = directory.unwrap_or_else(|| PathBuf::from(in_use.cwd()));
        let files = Arc::new(RemoteFiles::of(Arc::clone(&in_use.environment)));
        Ok(Self { files, base, sandbox: None, in_use: Some(in_use) })
    }
}

/// A path somebody wrote, worked out.
pub(super) struct Target {
    /// As written.
    pub(super) given: String,
    pub(super) resolved: Resolved,
    /// A note when a relative path leads out of the working directory.
    pub(super) outside: Option<String>,
}

impl Target {
    pub(super) fn canonical(&self) -> &Path {
        &self.resolved.canonical
    }

    pub(super) fn faces(&self) -> PathFaces<'_> {
        let Resolved { literal, hops, canonical, .. } = &self.resolved;
        PathFaces { literal, hops, canonical }
    }

    /// The kind of what is there.
    pub(super) fn kind(&self) -> Option<FileKind> {
        self.resolved.stat.map(|stat| stat.kind)
    }
}

impl Workspace {
    /// The files of the place where this conversation's commands run.
    pub(super) async fn of(cx: &ToolContext) -> Result<Self, ToolError> {
        let FileContext { files, base, sandbox, in_use } = FileContext::of(cx).await?;
        let state = own_or_shared(cx.service());
        let vars = cx.vars();
        let home = vars.non_blank("HOME").map(PathBuf::from);
        let agent_home = host_services::home(cx);
        // The rules compare with paths whose links are followed, so theirs must be too. Elsewhere than
        // here the links are not ours to follow.
        let real = |path: PathBuf| match files.location() {
            FilesLocation::Local => path.canonicalize().unwrap_or(path),
            FilesLocation::Remote | FilesLocation::Container => path,
        };
        let safe_roots = vars
            .non_blank("HERMES_WRITE_SAFE_ROOT")
            .map(|list| std::env::split_paths(list).map(real).collect())
            .unwrap_or_default();
        let checkpoints = match files.location() {
            FilesLocation::Local => {
                agent_home.as_ref().and_then(|home| checkpoints::store(cx, home))
            }
            FilesLocation::Remote | FilesLocation::Container => None,
        };
        let rules = PathRules {
            user_home: home.clone().map(real),
            agent_homes: agent_home.iter().flat_map(homes_of).map(real).collect(),
            safe_roots,
            sandbox: sandbox.map(|places| places.into_iter().map(real).collect()),
            // Looked for when something is to be changed: most calls only read.
            ..PathRules::default()
        };
        Ok(Self {
            files,
            state,
            rules: Arc::new(rules),
            reader: cx.service::<ReaderKind>().map_or_else(ReaderKind::default, |reader| *reader),
            redactor: host_services::redactor(cx),
            cx: cx.clone(),
            warns_of_stale: vars.non_blank("HERMES_DISABLE_FILE_STATE_GUARD") != Some("1"),
            task: cx.ids().task_id.clone(),
            turn: cx.ids().turn_id.clone(),
            checkpoints,
            base,
            home,
            _in_use: in_use,
        })
    }

    /// Whether a model called, within a turn of its own: what was shown to it before is known then.
    pub(super) fn is_models_turn(&self) -> bool {
        self.reader == ReaderKind::Conversation && !self.turn.is_empty()
    }

    /// Works out a path as the caller wrote it.
    pub(super) async fn target(&self, given: &str) -> Result<Target, ToolError> {
        if given.trim().is_empty() {
            return Err(ToolError::answer("path is empty; name a file"));
        }
        let expanded = self.expanded(given);
        let is_relative = expanded.is_relative();
        let path = self.base.join(expanded);
        let resolved = self.files.resolve(path).await.map_err(fs_error)?;
        let outside = (is_relative && !resolved.literal.starts_with(&self.base)).then(|| {
            format!(
                "'{given}' leads to {}, outside the working directory {}",
                resolved.literal.display(),
                self.base.display()
            )
        });
        Ok(Target { given: given.to_owned(), resolved, outside })
    }

    /// `~` is the home of this profile, `~ada` that of a user of this machine. A tilde that names
    /// nobody is a name like any other.
    fn expanded(&self, given: &str) -> PathBuf {
        let plain = || PathBuf::from(given);
        let Some(rest) = given.strip_prefix('~') else { return plain() };
        let (user, below) = rest.split_once('/').unwrap_or((rest, ""));
        let home = match (user, self.files.location()) {
            ("", _) => self.home.clone(),
            (user, FilesLocation::Local) => user_home(user),
            (_, FilesLocation::Remote | FilesLocation::Container) => None,
        };
        home.map_or_else(plain, |home| home.join(below))
    }

    /// Text of a file as it may be shown.
    pub(super) fn redacted(&self, text: &str) -> String {
        self.redactor.redact(text, RedactMode::FileRead).into_owned()
    }

    /// What the task should be told before it changes a file.
    pub(super) fn stale(
        &self,
        path: &Path,
        stamp: Option<Stamp>,
        extent: WriteExtent,
    ) -> Option<String> {
        if !self.warns_of_stale {
            return None;
        }
        self.state.before_write(&self.task, path, stamp, extent)
    }

    /// Remembers what was written: for whoever reads the file next, and for the gate, which judges a file that
    /// is run by what is in it.
    pub(super) fn wrote(&self, path: &Path, stamp: Stamp, text: Option<String>) {
        self.state.after_write(&self.task, path, stamp);
        let Ok(terminal) = TerminalContext::of(&self.cx) else { return };
        // Commands may know the working directory by the name of a link.
        let real = self.base.canonicalize().ok().filter(|real| *real != self.base);
        let below = real.and_then(|real| Some(path.strip_prefix(real).ok()?.to_owned()));
        if let Some(below) = below {
            terminal.file_written(&self.base.join(below), text.clone());
        }
        terminal.file_written(path, text);
    }

    /// Saves the projects of these files before the first change of a turn.
    pub(super) async fn checkpoint(&self, paths: &[PathBuf], reason: &str) {
        let Some(store) = &self.checkpoints else { return };
        let projects = paths.iter().map(|path| project_root(path)).collect();
        checkpoints::take(store, &self.turn, projects, reason).await;
    }

    /// Says what is not there, and what is there under a like name.
    pub(super) async fn not_found(&self, target: &Target) -> ToolError {
        const MOST: usize = 5_000;
        let literal = &target.resolved.literal;
        let similar = match (literal.parent(), literal.file_name()) {
            (Some(parent), Some(name)) => {
                let siblings = self.files.names(parent.to_owned(), MOST).await.unwrap_or_default();
                let missing = name.to_string_lossy();
                hermes_files::search::similar_names(&missing, siblings)
                    .into_iter()
                    .map(|name| parent.join(name).display().to_string())
                    .collect()
            }
            _ => Vec::new(),
        };
        let error = ToolError::answer(format!("File not found: {}", target.given));
        if similar.is_empty() { error } else { error.with("similar_files", similar) }
    }
}

/// A home, and the one around it if it is a profile's.
fn homes_of(home: &Home) -> impl Iterator<Item = PathBuf> + use<> {
    let around = home.of_default_profile();
    [Some(home.clone()), around].into_iter().flatten().map(|home| home.root().to_owned())
}

/// A refusal of the guard, for the model.
pub(super) fn refused(refusal: &PathRefusal) -> ToolError {
    ToolError::answer(refusal.message.clone()).with("rule", refusal.rule)
}

/// An error of the file system, for the model.
#[expect(clippy::needless_pass_by_value, reason = "shaped for `map_err`")]
pub(super) fn fs_error(error: FsError) -> ToolError {
    let kind = error.kind();
    ToolError::answer(error.to_string()).with("error_type", kind)
}

/// What the gate is to know of a file's content; nothing of long ones and of what is no text.
pub(super) fn gate_text(content: &[u8]) -> Option<String> {
    let is_short = content.len() <= MAX_FILE_TEXT;
    let text = is_short.then(|| std::str::from_utf8(content).ok()).flatten()?;
    Some(text.to_owned())
}

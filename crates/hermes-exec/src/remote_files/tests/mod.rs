//! Every act is tried on two trees that are alike, one with the files of this machine and one with
//! scripts, and must come to the same.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hermes_files::fs::{FileSystem, FilesLocation, LocalFiles};
use hermes_process::Command;
use hermes_tool::BoxFuture;

use super::{ExecError, RawRun, RemoteFiles, ScriptJob, ScriptRunner, run_client};

mod acts;
mod docker;
mod environment;
mod reading;
mod searching;

/// Runs scripts with these words before them.
pub(super) struct LocalShell {
    words: Vec<String>,
    path: String,
    runs: AtomicUsize,
}

const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

impl LocalShell {
    pub(super) fn of(words: &[&str]) -> Arc<Self> {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Arc::new(Self { words, path: PATH.to_owned(), runs: AtomicUsize::new(0) })
    }

    pub(super) fn here() -> Arc<Self> {
        Self::of(&["bash"])
    }

    /// A shell that finds only these tools, as a small image has them.
    pub(super) fn with_tools_in(folder: &Path) -> Arc<Self> {
        let words = vec!["/bin/bash".to_owned()];
        let path = folder.display().to_string();
        Arc::new(Self { words, path, runs: AtomicUsize::new(0) })
    }

    pub(super) fn files(self: &Arc<Self>) -> RemoteFiles {
        RemoteFiles::new(Arc::clone(self) as Arc<dyn ScriptRunner>, FilesLocation::Container)
    }

    pub(super) fn runs(&self) -> usize {
        self.runs.swap(0, Ordering::Relaxed)
    }
}

impl ScriptRunner for LocalShell {
    fn run(&self, job: ScriptJob) -> BoxFuture<Result<RawRun, ExecError>> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        let client = Command::new(&self.words[0])
            .args(self.words[1..].iter().cloned())
            .args(["-c", &job.script])
            .env("PATH", &self.path);
        Box::pin(async move { run_client(client, &job).await })
    }
}

/// Two trees that are alike, and the files of each.
pub(super) struct Twins {
    pub(super) shell: Arc<LocalShell>,
    sides: [(tempfile::TempDir, Arc<dyn FileSystem>); 2],
}

impl Twins {
    pub(super) fn new(plant: impl Fn(&Path)) -> Self {
        let shell = LocalShell::here();
        let remote: Arc<dyn FileSystem> = Arc::new(shell.files());
        let sides = [Arc::new(LocalFiles) as Arc<dyn FileSystem>, remote].map(|files| {
            let folder = tempfile::tempdir().unwrap();
            plant(folder.path());
            (folder, files)
        });
        Self { shell, sides }
    }

    /// Does the same on both sides and compares what is said and what is there afterwards.
    pub(super) async fn agree<F>(&self, what: &str, act: F) -> String
    where
        F: AsyncFn(Arc<dyn FileSystem>, PathBuf) -> String,
    {
        let mut outcomes = Vec::new();
        for (folder, files) in &self.sides {
            let base = folder.path().canonicalize().unwrap();
            let said = act(Arc::clone(files), base.clone()).await;
            let said = said.replace(&base.display().to_string(), "BASE");
            outcomes.push((said, tree(&base)));
        }
        let [here, there] = outcomes.try_into().unwrap();
        assert_eq!(there.0, here.0, "{what}: what is said");
        assert_eq!(there.1, here.1, "{what}: what is there");
        there.0
    }
}

/// Names, kinds, modes, links and contents below a directory.
fn tree(base: &Path) -> Vec<String> {
    let mut all = Vec::new();
    let mut left = vec![base.to_owned()];
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let content =
                if metadata.is_file() { std::fs::read(&path).unwrap() } else { Vec::new() };
            if metadata.is_dir() {
                left.push(path.clone());
            }
            let name = path.strip_prefix(base).unwrap();
            let link = path.read_link().unwrap_or_default();
            let link = link.strip_prefix(base).unwrap_or(&link).to_owned();
            all.push(format!(
                "{name:?} {:o} {link:?} {:?}",
                metadata.mode(),
                String::from_utf8_lossy(&content)
            ));
        }
    }
    all.sort();
    all
}

pub(super) fn put(path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
    use std::io::Write as _;
    let path = path.as_ref();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::File::create(path).unwrap().write_all(content.as_ref()).unwrap();
}

/// A tree with one of everything.
pub(super) fn one_of_everything(base: &Path) {
    put(base.join("plain"), "plain\n");
    put(base.join("folder/inner"), "inner\n");
    put(base.join("it's \"odd\" $HOME\n-n"), "odd\n");
    put(base.join("-rf"), "dash\n");
    put(base.join(std::ffi::OsStr::from_bytes(b"latin-\xe4\xff")), "latin\n");
    put(base.join("empty"), "");
    symlink("plain", base.join("link")).unwrap();
    symlink(base.join("folder"), base.join("to-folder")).unwrap();
    symlink("to-folder/inner", base.join("twice")).unwrap();
    symlink("nowhere/at/all", base.join("dangling")).unwrap();
    symlink("up/../plain", base.join("through-missing")).unwrap();
    symlink("b\nc", base.join("break\nin name")).unwrap();
    symlink("loop-b", base.join("loop-a")).unwrap();
    symlink("loop-a", base.join("loop-b")).unwrap();
    symlink("plain\n", base.join("ends-in-break")).unwrap();
    nix::unistd::mkfifo(&base.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
}

/// Paths without a link in them, as every act but resolving gets them.
pub(super) const CANONICAL: [&str; 10] = [
    "plain",
    "folder",
    "folder/inner",
    "it's \"odd\" $HOME\n-n",
    "-rf",
    "empty",
    "pipe",
    "missing",
    "missing/deeper/file",
    "plain/below",
];

/// Paths that lead through links.
pub(super) const LINKED: [&str; 11] = [
    "link",
    "to-folder",
    "to-folder/inner",
    "to-folder/new/file",
    "twice",
    "dangling",
    "through-missing",
    "break\nin name",
    "ends-in-break",
    "loop-a",
    "loop-a/below",
];

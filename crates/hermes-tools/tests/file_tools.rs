//! The file tools as a caller meets them: through the pipeline, on real files.

#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

#[path = "file/concurrency.rs"]
mod concurrency;
#[path = "file/patching.rs"]
mod patching;
#[path = "file/reading.rs"]
mod reading;
#[path = "file/searching.rs"]
mod searching;
#[path = "file/writing.rs"]
mod writing;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hermes_files::state::FileState;
use hermes_runtime::registry::Registry;
use hermes_runtime::{Runtime, ToolCall};
use hermes_tool::{CallIds, ContextParts, Services, Vars};
use hermes_tools as _;
use serde_json::Value;

/// A folder with tools at work in it.
struct Bench {
    folder: tempfile::TempDir,
    runtime: Runtime,
    state: Arc<FileState>,
}

impl Bench {
    fn new() -> Self {
        Self::with_vars(&[])
    }

    fn with_vars(vars: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home").display().to_string();
        let vars: Vars = [("HOME", home.as_str())]
            .iter()
            .chain(vars)
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let registry = Arc::new(Registry::with_linked_tools());
        let runtime = Runtime::builder().registry(registry).vars(vars).build();
        Self { folder, runtime, state: Arc::default() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("work").join(name)
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        use std::io::Write as _;
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::File::create(&path).unwrap().write_all(content.as_ref()).unwrap();
        path
    }

    fn content(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    fn call_as(&self, task: &str, tool: &str, args: Value) -> ToolCall {
        let ids = CallIds { task_id: task.to_owned(), ..CallIds::default() };
        let services = Services::default().with(Arc::clone(&self.state));
        let cwd = Some(self.path(""));
        std::fs::create_dir_all(self.path("")).unwrap();
        let context = ContextParts { ids, services, cwd, ..ContextParts::default() };
        ToolCall { context, ..ToolCall::new(tool, args) }
    }

    fn run(&self, tool: &str, args: Value) -> Value {
        let text = self.runtime.call_blocking(self.call_as("t", tool, args)).text();
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("not JSON: {text}"))
    }

    fn error(&self, tool: &str, args: Value) -> String {
        let answer = self.run(tool, args);
        answer["error"].as_str().unwrap_or_else(|| panic!("no error: {answer}")).to_owned()
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

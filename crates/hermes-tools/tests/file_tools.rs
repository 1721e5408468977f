//! The file tools as a caller meets them: through the pipeline, on real files.

#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

#[path = "file/bad_input.rs"]
mod bad_input;
#[path = "file/concurrency.rs"]
mod concurrency;
#[path = "file/documents.rs"]
mod documents;
#[path = "file/full_disk.rs"]
mod full_disk;
#[path = "file/lenient_arguments.rs"]
mod lenient_arguments;
#[path = "file/patching.rs"]
mod patching;
#[path = "file/permissions.rs"]
mod permissions;
#[path = "file/protected_paths.rs"]
mod protected_paths;
#[path = "file/reading.rs"]
mod reading;
#[path = "file/repetition.rs"]
mod repetition;
#[path = "file/rollback.rs"]
mod rollback;
#[path = "file/scripts.rs"]
mod scripts;
#[path = "file/searching.rs"]
mod searching;
#[path = "file/staleness.rs"]
mod staleness;
#[path = "file/writing.rs"]
mod writing;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hermes_files::state::FileState;
use hermes_runtime::registry::Registry;
use hermes_runtime::{Runtime, ToolCall};
use hermes_tool::{CallIds, ContextParts, Services, Vars};
use hermes_tools as _;
use serde_json::{Value, json};

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
        Self::with(vars, json!({}))
    }

    fn with_config(config: Value) -> Self {
        Self::with(&[], config)
    }

    fn with(vars: &[(&str, &str)], config: Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home").display().to_string();
        let vars: Vars = [("HOME", home.as_str())]
            .iter()
            .chain(vars)
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let registry = Arc::new(Registry::with_linked_tools());
        let runtime = Runtime::builder().registry(registry).vars(vars).config(config).build();
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
        self.answer(self.call_as("t", tool, args))
    }

    fn run_as(&self, task: &str, tool: &str, args: Value) -> Value {
        self.answer(self.call_as(task, tool, args))
    }

    fn answer(&self, call: ToolCall) -> Value {
        let text = self.runtime.call_blocking(call).text();
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("not JSON: {text}"))
    }

    fn error(&self, tool: &str, args: Value) -> String {
        let answer = self.run(tool, args);
        answer["error"].as_str().unwrap_or_else(|| panic!("no error: {answer}")).to_owned()
    }
}

/// Applies a patch over several files.
fn patch_of(text: &str) -> Value {
    json!({"mode": "patch", "patch": text})
}

/// Names in a folder, hidden ones too.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

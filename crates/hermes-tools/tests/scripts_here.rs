//! Scripts on this machine: what they see, what they cannot reach, how they end.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a failed step fails the test")]

#[allow(dead_code, unused_imports, reason = "the suite uses the rest")]
mod backends;

mod scripts {
    mod calls;
    mod limits;
    mod surroundings;
}

use std::path::Path;

use backends::{Rig, TestBackend};
use serde_json::{Value, json};

/// This machine with these settings; nothing is started but scripts.
struct Here {
    rig: Rig,
    folder: tempfile::TempDir,
    workers: tokio::runtime::Runtime,
}

impl Here {
    fn new(own: Value) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let work = folder.path().join("work");
        std::fs::create_dir(&work).expect("a folder to work in");
        let rig = Rig::configured(TestBackend::Local, &work, &folder.path().join("home"), own);
        let workers = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        Self { rig, folder, workers }
    }

    /// Where scripts run in project mode.
    fn work(&self) -> std::path::PathBuf {
        self.folder.path().join("work")
    }

    /// Makes a file there.
    fn write(&self, name: &str, text: &str) {
        write(&self.work().join(name), text);
    }

    fn run(&self, code: &str) -> Value {
        self.workers.block_on(self.rig.call("execute_code", json!({"code": code})))
    }

    /// What a script wrote that did not fail.
    #[track_caller]
    fn output(&self, code: &str) -> String {
        let result = self.run(code);
        assert_eq!(result["status"], "success", "{result}");
        result["output"].as_str().expect("output").to_owned()
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        self.workers.block_on(self.rig.environments.close_all());
    }
}

/// Makes a file.
fn write(path: &Path, text: &str) {
    let mut file = std::fs::File::create_new(path).expect("a new file");
    std::io::Write::write_all(&mut file, text.as_bytes()).expect("room on the disk");
}

/// The folder of a script that told it.
fn is_gone(folder: &str) -> bool {
    assert!(folder.contains("hermes_sandbox_"), "{folder}");
    !Path::new(folder).exists()
}

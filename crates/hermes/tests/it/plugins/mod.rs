//! Plugins through the real program: written as their authors would write them, put into a state
//! folder, and used.

mod chat;
mod commands;
mod faults;
mod languages;
mod packages;
mod python;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hermes_testkit::{ModelServer, Script};

use crate::support::Sandbox;

/// Where the plugins of these tests are.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/plugins/fixtures").join(name)
}

/// A sandbox with these plugins installed and enabled, and further settings.
fn with_plugins(names: &[&str], settings: &str) -> Sandbox {
    let list: String = names.iter().map(|name| format!("    - {name}\n")).collect();
    let sandbox = Sandbox::with_config(&format!("plugins:\n  enabled:\n{list}{settings}"));
    for name in names {
        install(&sandbox, name);
    }
    sandbox
}

/// The same with a model that follows a script.
fn with_model(names: &[&str], script: impl Into<Script>) -> (Sandbox, ModelServer) {
    let server = ModelServer::start(script);
    let list: String = names.iter().map(|name| format!("    - {name}\n")).collect();
    let sandbox = Sandbox::with_config(&format!(
        "model:\n  provider: custom\n  base_url: {}\n  default: scripted\n  context_length: 200000\n\
         auxiliary:\n  title_generation:\n    enabled: false\n\
         plugins:\n  enabled:\n{list}",
        server.url()
    ));
    for name in names {
        install(&sandbox, name);
    }
    (sandbox, server)
}

/// Copies a plugin into the state folder.
fn install(sandbox: &Sandbox, name: &str) {
    copy(&fixture(name), &sandbox.path("plugins").join(name));
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(fs::copy(&path, target).unwrap()),
        }
    }
}

/// Command lines of running processes that mention a folder.
fn running_in(folder: &Path) -> Vec<String> {
    let name = folder.display().to_string();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|process| fs::read(process.path().join("cmdline")).ok())
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(&name))
        .collect()
}

/// Nothing of a sandbox runs any more, or will not in a moment.
#[track_caller]
fn nothing_is_left(sandbox: &Sandbox) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !running_in(&sandbox.home()).is_empty() {
        let left = running_in(&sandbox.home());
        assert!(Instant::now() < deadline, "still running: {left:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

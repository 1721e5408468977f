//! However the program ends, nothing of a script is left.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::{call, script};
use crate::support::Sandbox;

/// Tells who it is and sleeps, as does a child in a session of its own.
const SLEEPS: &str = r#"
import os, subprocess, time
child = subprocess.Popen(["sleep", "600"], start_new_session=True)
with open("told.new", "w") as file:
    print(os.getpid(), child.pid, os.path.dirname(__file__), file=file)
os.rename("told.new", "told")
print("begun", flush=True)
time.sleep(600)
"#;

/// A script that sleeps.
struct Sleeping {
    hermes: Child,
    processes: Vec<PathBuf>,
    folder: PathBuf,
}

fn wait_for(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(40), "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

impl Sleeping {
    fn start(sandbox: &Sandbox) -> Self {
        super::allow_scripts(sandbox);
        let mut command = sandbox.command();
        command.args(["tools", "call", "execute_code", &call(SLEEPS)]);
        let hermes = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let told = sandbox.scratch("told");
        wait_for("the script has begun", || told.exists());
        let text = std::fs::read_to_string(&told).unwrap();
        let words: Vec<&str> = text.split_whitespace().collect();
        let processes = words[..2].iter().map(|pid| Path::new("/proc").join(pid)).collect();
        Self { hermes, processes, folder: PathBuf::from(words[2]) }
    }

    fn signal(&self, signal: Signal) {
        let number = i32::try_from(self.hermes.id()).unwrap();
        kill(Pid::from_raw(number), signal).unwrap();
    }

    fn wait_until_gone(&self) {
        wait_for("its processes are gone", || !self.processes.iter().any(|path| path.exists()));
    }
}

#[test]
fn an_interrupt_ends_the_script_and_tells_what_it_wrote() {
    let sandbox = Sandbox::new();
    let sleeping = Sleeping::start(&sandbox);
    sleeping.signal(Signal::SIGINT);
    sleeping.wait_until_gone();
    let Sleeping { hermes, folder, .. } = sleeping;
    let output = hermes.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["status"], "interrupted", "{result}");
    assert!(result["output"].as_str().unwrap().starts_with("begun\n[Script interrupted"));
    assert!(!folder.exists());
}

#[test]
fn a_kill_leaves_no_process_and_the_next_run_clears_up() {
    let sandbox = Sandbox::new();
    let mut sleeping = Sleeping::start(&sandbox);
    assert!(sleeping.folder.join("script.py").exists());
    sleeping.signal(Signal::SIGKILL);
    sleeping.hermes.wait().unwrap();
    sleeping.wait_until_gone();
    script(&sandbox, "print('next')").exits(0).says("next");
    assert!(!sleeping.folder.exists(), "{}", sleeping.folder.display());
}

#[test]
fn a_time_limit_of_the_caller_ends_the_script() {
    let sandbox = Sandbox::new();
    super::allow_scripts(&sandbox);
    let run = sandbox.run(["tools", "call", "--timeout", "3", "execute_code", &call(SLEEPS)]);
    run.exits(5).says("timed out");
    let text = std::fs::read_to_string(sandbox.scratch("told")).unwrap();
    for pid in text.split_whitespace().take(2) {
        wait_for("its processes are gone", || !Path::new("/proc").join(pid).exists());
    }
}

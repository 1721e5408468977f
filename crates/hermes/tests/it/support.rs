//! A place for the program to run in, and what came out of a run.
//!
//! [`Sandbox`] is a temporary folder with a `HERMES_HOME` (which does not exist until somebody
//! makes it), a `HOME` and room for scripts. [`Sandbox::run`] starts the program there and answers
//! a [`Run`], whose methods check one thing each and hand the run on:
//!
//! ```text
//! Sandbox::new().run(["tools", "show", "tood"]).exits(2).notes("did you mean `todo`?");
//! ```
//!
//! What never happens here: the environment of the test reaches the program.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Where the scripts of hooks find `sh`, `cat` and the like.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// No run takes this long; a program that hangs must not hang the tests.
const DEADLINE: Duration = Duration::from_secs(60);

/// The program with a throw-away home and nothing in its environment.
pub(crate) struct Sandbox {
    program: PathBuf,
    folder: TempDir,
    vars: Vec<(&'static str, String)>,
}

impl Sandbox {
    /// The program under test. Its `HERMES_HOME` does not exist yet.
    pub(crate) fn new() -> Self {
        Self::of(env!("CARGO_BIN_EXE_hermes"))
    }

    /// Another build of the program.
    pub(crate) fn of(program: impl Into<PathBuf>) -> Self {
        let folder = TempDir::with_prefix("hermes-it-").unwrap();
        fs::create_dir(folder.path().join("user")).unwrap();
        Self { program: program.into(), folder, vars: Vec::new() }
    }

    /// A sandbox with this `config.yaml`.
    pub(crate) fn with_config(text: &str) -> Self {
        let sandbox = Self::new();
        sandbox.write("config.yaml", text);
        sandbox
    }

    /// Sets a variable for all runs.
    pub(crate) fn var(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.vars.push((name, value.into()));
        self
    }

    /// `HERMES_HOME`.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// A file in `HERMES_HOME`.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home().join(name)
    }

    /// Writes a file into `HERMES_HOME`, which only its owner can read.
    pub(crate) fn write(&self, name: &str, text: &str) {
        if !self.home().exists() {
            fs::create_dir(self.home()).unwrap();
            self.set_mode("", 0o700);
        }
        write(&self.path(name), text.as_bytes());
        self.set_mode(name, 0o600);
    }

    /// Changes the permissions of a file in `HERMES_HOME`.
    pub(crate) fn set_mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// The permissions of a file in `HERMES_HOME`.
    pub(crate) fn mode(&self, name: &str) -> u32 {
        fs::metadata(self.path(name)).unwrap().permissions().mode() & 0o777
    }

    /// The text of a file in `HERMES_HOME`.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names in `HERMES_HOME`, sorted; none if it does not exist.
    pub(crate) fn entries(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.home()) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A shell script outside `HERMES_HOME`, ready to run; its path.
    pub(crate) fn script(&self, name: &str, body: &str) -> String {
        let path = self.folder.path().join(name);
        write(&path, format!("#!/bin/sh\n{body}\n").as_bytes());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// A path that scripts may write to.
    pub(crate) fn scratch(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the program.
    pub(crate) fn run<T: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = T>) -> Run {
        self.run_with_stdin(args, Vec::new())
    }

    /// Runs the program with something on stdin.
    pub(crate) fn run_with_stdin<T: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = T>,
        stdin: impl Into<Vec<u8>>,
    ) -> Run {
        let mut command = assert_cmd::Command::new(&self.program);
        command.env_clear().envs(self.environment()).current_dir(self.folder.path());
        let started = Instant::now();
        let output = command.args(args).write_stdin(stdin).timeout(DEADLINE).output().unwrap();
        Run {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
            took: started.elapsed(),
        }
    }

    /// The program in its sandbox, for tests that look after the process themselves.
    pub(crate) fn command(&self) -> std::process::Command {
        let mut command = std_command(&self.program);
        command.env_clear().envs(self.environment()).current_dir(self.folder.path());
        command
    }

    /// Runs the program with a stdout of the test's choice; answers exit code and stderr.
    pub(crate) fn run_into(&self, stdout: impl Into<Stdio>, args: &[&str]) -> (i32, String) {
        let mut command = self.command();
        let child = command.args(args).stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped());
        let output = child.spawn().unwrap().wait_with_output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    }

    /// Runs the program at a terminal, where somebody answers its first question. What the terminal
    /// shows is the run's stderr.
    pub(crate) fn run_at_terminal(&self, args: &[&str], answer: &str) -> Run {
        let terminal = nix::pty::openpty(None, None).unwrap();
        let mut command = self.command();
        command.args(args);
        command.stdin(terminal.slave.try_clone().unwrap()).stderr(terminal.slave);
        let started = Instant::now();
        let child = command.stdout(Stdio::piped()).spawn().unwrap();
        // With the command its end of the terminal is dropped, so that reading ends with the child.
        drop(command);
        let mut screen = fs::File::from(terminal.master);
        let (mut shown, mut part, mut is_answered) = (Vec::new(), [0; 1024], false);
        while let Ok(count @ 1..) = screen.read(&mut part) {
            shown.extend_from_slice(&part[..count]);
            if !is_answered && shown.ends_with(b": ") {
                screen.write_all(answer.as_bytes()).unwrap();
                is_answered = true;
            }
        }
        let output = child.wait_with_output().unwrap();
        Run {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(shown).unwrap(),
            took: started.elapsed(),
        }
    }

    /// Runs a line of shell in which `$HERMES` is the program.
    pub(crate) fn shell(&self, line: &str) -> Run {
        let mut shell = Self::of("/bin/bash");
        shell.vars = self.environment();
        shell.vars.push(("HERMES", self.program.to_str().unwrap().to_owned()));
        shell.run(["-c", line])
    }

    fn environment(&self) -> Vec<(&'static str, String)> {
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        let mut all = vec![
            ("PATH", PATH.to_owned()),
            ("HOME", text(self.folder.path().join("user"))),
            ("HERMES_HOME", text(self.home())),
        ];
        all.extend(self.vars.iter().cloned());
        all
    }
}

/// What a run of the program came to.
#[derive(Debug)]
pub(crate) struct Run {
    /// Exit code; `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    /// Stdout.
    pub(crate) out: String,
    /// Stderr.
    pub(crate) err: String,
    /// How long it took.
    pub(crate) took: Duration,
}

impl Run {
    /// The run, if it ended with this exit code and without a panic.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        assert!(!self.err.contains("panicked"), "{self:#?}");
        self
    }

    /// Stdout as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|problem| panic!("{problem}: {self:#?}"))
    }

    /// Requires a text on stdout.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(self.out.contains(text), "no {text:?} on stdout: {self:#?}");
        self
    }

    /// Requires a text on stderr.
    #[track_caller]
    pub(crate) fn notes(self, text: &str) -> Self {
        assert!(self.err.contains(text), "no {text:?} on stderr: {self:#?}");
        self
    }

    /// Requires that nothing is on stderr.
    #[track_caller]
    pub(crate) fn quietly(self) -> Self {
        assert_eq!(self.err, "", "{self:#?}");
        self
    }
}

/// Writes a file in one go.
#[track_caller]
pub(crate) fn write(path: &Path, bytes: &[u8]) {
    fs::File::create(path).unwrap().write_all(bytes).unwrap();
}

/// A program with the streams and environment of the test's choice.
#[expect(
    clippy::disallowed_methods,
    reason = "hermes-process is part of what is tested here, and assert_cmd cannot redirect stdout"
)]
pub(crate) fn std_command(program: impl AsRef<OsStr>) -> std::process::Command {
    std::process::Command::new(program)
}

/// A value of the env file that the scripts of the real parts write.
#[track_caller]
pub(crate) fn part(key: &str) -> String {
    let process = hermes_tool::Vars::from_process();
    let cache = process
        .non_blank("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| process.non_blank("HOME").map(|home| Path::new(home).join(".cache")));
    let file = cache.unwrap().join("hermes-test-parts/env");
    let text = fs::read_to_string(&file).unwrap_or_default();
    let found = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    match found {
        Some(value) => value.to_owned(),
        None => panic!("{key} is not in {}: run scripts/test-parts/all start", file.display()),
    }
}

/// The values under `field` in a list of objects.
#[track_caller]
pub(crate) fn column<'a>(list: &'a Value, field: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|item| item[field].as_str().unwrap()).collect()
}

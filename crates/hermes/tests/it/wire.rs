//! For tests of servers: the program as a server, requests byte by byte, and processes to look for.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::support::Sandbox;

/// Nothing here takes this long; a server that hangs must not hang the tests.
pub(crate) const DEADLINE: Duration = Duration::from_secs(50);

/// The program, listening.
pub(crate) struct Served {
    child: Child,
    /// `127.0.0.1:PORT`.
    pub(crate) authority: String,
    /// The address it printed.
    pub(crate) url: String,
}

impl Served {
    /// Starts the program and waits until it says where it listens.
    pub(crate) fn start(sandbox: &Sandbox, args: &[&str]) -> Self {
        Self::start_saying(sandbox, args, 0)
    }

    /// The same for a program that says so many lines before.
    pub(crate) fn start_saying(sandbox: &Sandbox, args: &[&str], before: usize) -> Self {
        let mut command = sandbox.command();
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut url = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        for _ in 0..=before {
            url.clear();
            lines.read_line(&mut url).unwrap();
        }
        let url = url.trim().to_owned();
        let rest = url.strip_prefix("http://").unwrap_or_else(|| panic!("no address: {url:?}"));
        let authority = rest.split('/').next().unwrap().to_owned();
        Self { child, authority, url }
    }

    /// Sends a request with these headers and reads the answer.
    pub(crate) fn send(&self, request: &Request<'_>) -> Answer {
        let mut stream = self.open(request);
        let mut bytes = Vec::new();
        // A server that refuses a large body may hang up before all of it is sent.
        let _ = stream.read_to_end(&mut bytes);
        Answer::parse(&String::from_utf8_lossy(&bytes))
    }

    /// Sends a request and leaves the answer to the caller.
    pub(crate) fn open(&self, request: &Request<'_>) -> TcpStream {
        let mut stream = TcpStream::connect(&self.authority).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        let host = request.host.unwrap_or(&self.authority);
        let mut head = format!(
            "{} {} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {}\r\n",
            request.method,
            request.path,
            request.body.len()
        );
        for (name, value) in &request.headers {
            head += &format!("{name}: {value}\r\n");
        }
        stream.write_all((head + "\r\n").as_bytes()).unwrap();
        let _ = stream.write_all(request.body);
        stream
    }

    /// Ends the program at once, as nobody expects it.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks the program to end and waits until it has; its exit code.
    pub(crate) fn stop(&mut self) -> Option<i32> {
        kill(Pid::from_raw(i32::try_from(self.child.id()).unwrap()), Signal::SIGTERM).unwrap();
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(started.elapsed() < DEADLINE, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What to send.
pub(crate) struct Request<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    /// The address, unless it is to be another.
    pub(crate) host: Option<&'a str>,
    pub(crate) headers: Vec<(&'a str, String)>,
    pub(crate) body: &'a [u8],
}

impl<'a> Request<'a> {
    pub(crate) fn get(path: &'a str) -> Self {
        Self { method: "GET", path, host: None, headers: Vec::new(), body: b"" }
    }

    pub(crate) fn post(path: &'a str, body: &'a [u8]) -> Self {
        Self { method: "POST", body, ..Self::get(path) }.header("Content-Type", "application/json")
    }

    pub(crate) fn header(mut self, name: &'a str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn token(self, token: &str) -> Self {
        self.header("Authorization", format!("Bearer {token}"))
    }

    pub(crate) fn host(self, host: &'a str) -> Self {
        Self { host: Some(host), ..self }
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Self {
            status: status.unwrap_or_else(|| panic!("no answer: {text:?}")),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|why| panic!("{why}: {self:?}"))
    }

    /// The word for what was wrong.
    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// Waits until a condition holds.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < DEADLINE, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The number of a process in a file, once it is there.
#[track_caller]
pub(crate) fn pid_in(file: &Path) -> i32 {
    let mut pid = None;
    wait_until("the number of a process", || {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        pid = text.strip_suffix('\n').and_then(|text| text.parse().ok());
        pid.is_some()
    });
    pid.unwrap()
}

/// Waits until a process is gone.
#[track_caller]
pub(crate) fn wait_until_gone(pid: i32) {
    wait_until("the end of a process", || kill(Pid::from_raw(pid), None).is_err());
}

/// The folder with other people's programs for the protocol, installed by a script.
pub(crate) fn mcp_programs() -> PathBuf {
    hermes_testkit::part("HERMES_TEST_MCP_BIN").into()
}

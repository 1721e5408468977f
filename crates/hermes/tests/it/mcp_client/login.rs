//! Logging in to a server, as a person does: with a browser, with a pasted address, or not at all.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Sandbox, std_command};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/fixtures/login_server.py");
const PATIENCE: Duration = Duration::from_secs(40);

/// A server that wants a login.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Its tokens last so many seconds.
    fn start(lifetime: &str) -> Self {
        let mut command = std_command("python3");
        let mut child = command
            .args([SERVER, lifetime])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut words = BufReader::new(child.stdout.take().unwrap());
        let mut address = String::new();
        words.read_line(&mut address).unwrap();
        // Read to the end, or the server would stand still when the pipe is full.
        std::thread::spawn(move || std::io::copy(&mut words, &mut std::io::sink()));
        Self { child, address: address.trim().to_owned() }
    }

    /// A sandbox in which the server is configured.
    fn sandbox(&self) -> Sandbox {
        let sandbox = Sandbox::new();
        let url = format!("{}/mcp", self.address);
        sandbox.run(["mcp", "add", "web", "--url", &url, "--auth", "oauth"]).exits(0);
        sandbox
    }

    /// Where a page of the server leads.
    fn location(&self, page: &str) -> String {
        let host = self.address.strip_prefix("http://").unwrap();
        let path = page.strip_prefix(&self.address).unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        write!(stream, "GET {path} HTTP/1.0\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let location = answer.lines().find_map(|line| line.strip_prefix("Location: "));
        location.unwrap_or_else(|| panic!("{answer}")).to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Nothing of a token is where people or programs look.
fn keeps_tokens_to_itself(sandbox: &Sandbox, shown: &str) {
    let file = std::fs::read_dir(sandbox.path("mcp-tokens")).unwrap();
    let files: Vec<_> =
        file.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!files.is_empty());
    for name in files {
        let name = format!("mcp-tokens/{name}");
        assert_eq!(sandbox.mode(&name), 0o600, "{name}");
        let kept: serde_json::Value = serde_json::from_str(&sandbox.read(&name)).unwrap();
        for key in ["access_token", "refresh_token"] {
            if let Some(token) = kept[key].as_str() {
                assert!(!shown.contains(token), "{key} is shown:\n{shown}");
            }
        }
    }
}

#[test]
fn a_browser_logs_in_and_the_login_lasts_beyond_its_token() {
    let server = Server::start("1");
    let sandbox = server.sandbox();
    sandbox.run(["mcp", "test", "web"]).exits(1).notes("hermes mcp login web");

    // A desktop whose browser needs no clicks.
    let browser =
        "exec python3 -c 'import sys, urllib.request as u; u.urlopen(sys.argv[1])' \"$1\"";
    let browser = sandbox.script("xdg-open", browser);
    let folder = std::path::Path::new(&browser).parent().unwrap().display().to_string();
    let sandbox = sandbox.var("DISPLAY", ":7").var("PATH", format!("{folder}:/usr/bin:/bin"));
    let login = sandbox.run_at_terminal(&["mcp", "login", "web"], "").exits(0);
    let login = login.says("logged in to web");

    let test = sandbox.run(["mcp", "test", "web"]).exits(0).says("whoami");
    // The token is of no use any more; the one to renew it is used without anybody.
    std::thread::sleep(Duration::from_millis(1200));
    let call = sandbox.run(["tools", "call", "mcp__web__whoami"]).exits(0);
    let call = call.says("somebody who is logged in");
    keeps_tokens_to_itself(&sandbox, &[login.err, test.out, test.err, call.out, call.err].concat());

    sandbox.run(["mcp", "remove", "web"]).exits(0).says("and its login");
    let left = std::fs::read_dir(sandbox.path("mcp-tokens")).unwrap();
    for entry in left.map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        assert!(name.ends_with(".lock"), "{name} is left of the login");
    }
}

#[test]
fn the_address_one_ends_at_can_be_pasted() {
    let server = Server::start("3600");
    let sandbox = server.sandbox();
    let terminal = nix::pty::openpty(None, None).unwrap();
    let mut command = sandbox.command();
    command.args(["mcp", "login", "web"]);
    command.stdin(terminal.slave.try_clone().unwrap()).stderr(terminal.slave);
    let child = command.stdout(Stdio::piped()).spawn().unwrap();
    drop(command);
    let mut keys = File::from(terminal.master);
    let begun = Instant::now();
    let (mut shown, mut part) = (String::new(), [0; 1024]);
    while !shown.ends_with("leaves): ") {
        assert!(begun.elapsed() < PATIENCE, "no question:\n{shown}");
        let count = keys.read(&mut part).unwrap();
        shown.push_str(std::str::from_utf8(&part[..count]).unwrap());
    }
    let page = shown.lines().find(|line| line.starts_with(&server.address)).unwrap().trim();
    let ended_at = server.location(page);
    keys.write_all(b"http://127.0.0.1/?nothing=1\r").unwrap();
    while !shown.ends_with("after the login: ") {
        assert!(begun.elapsed() < PATIENCE, "a wrong address is taken:\n{shown}");
        let count = keys.read(&mut part).unwrap();
        shown.push_str(std::str::from_utf8(&part[..count]).unwrap());
    }
    keys.write_all(format!("{ended_at}\r").as_bytes()).unwrap();
    std::thread::spawn(move || while matches!(keys.read(&mut part), Ok(1..)) {});
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{shown}");
    sandbox.run(["mcp", "test", "web"]).exits(0).says("whoami");
}

#[test]
fn who_leaves_or_is_no_person_is_not_logged_in() {
    let server = Server::start("3600");
    let sandbox = server.sandbox();
    sandbox.run_at_terminal(&["mcp", "login", "web"], "skip\r").exits(1);
    sandbox.run(["mcp", "login", "web"]).exits(1).notes("in a terminal");
    sandbox.run(["mcp", "test", "web"]).exits(1).notes("hermes mcp login web");
}

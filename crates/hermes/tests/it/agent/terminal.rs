//! The program at a terminal: keys go in, a screen comes out.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZero;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support::Sandbox;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(40);
/// Rows of the screen: so many that nothing scrolls away.
const ROWS: NonZero<u16> = NonZero::new(300).unwrap();
const COLUMNS: NonZero<u16> = NonZero::new(100).unwrap();

/// A chat at a terminal.
pub(crate) struct Terminal {
    keys: File,
    child: Child,
    screen: Arc<Mutex<vt100::Parser>>,
}

impl Terminal {
    /// Starts the chat and waits for its prompt.
    pub(crate) fn open(sandbox: &Sandbox) -> Self {
        let terminal = Self::start(sandbox, &[]);
        terminal.sees("/help lists commands");
        terminal
    }

    /// Starts the program with these arguments.
    pub(crate) fn start(sandbox: &Sandbox, args: &[&str]) -> Self {
        let size = nix::pty::Winsize {
            ws_row: ROWS.get(),
            ws_col: COLUMNS.get(),
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        let pair = nix::pty::openpty(Some(&size), None).unwrap();
        let mut command = sandbox.command();
        command.args(args);
        command.env("TERM", "xterm-256color").env("NO_COLOR", "1");
        command.stdin(pair.slave.try_clone().unwrap());
        command.stdout(pair.slave.try_clone().unwrap()).stderr(pair.slave);
        let child = command.spawn().unwrap();
        drop(command);
        let keys = File::from(pair.master);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(ROWS, COLUMNS, 0)));
        let (mut reader, drawn) = (keys.try_clone().unwrap(), Arc::clone(&screen));
        std::thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut part) {
                drawn.lock().unwrap().process(&part[..count]);
            }
        });
        Self { keys, child, screen }
    }

    /// What stands on the screen.
    pub(crate) fn text(&self) -> String {
        let contents = self.screen.lock().unwrap().screen().contents();
        contents.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }

    /// Types a line and sends it.
    pub(crate) fn send(&mut self, line: &str) {
        self.keys.write_all(format!("{line}\r").as_bytes()).unwrap();
    }

    /// Answers a question, as soon as an answer is taken: keys pressed in the first moments of a
    /// question count for nothing.
    pub(crate) fn answer(&mut self, question: &str, words: &str) {
        self.sees(question);
        std::thread::sleep(Duration::from_millis(600));
        self.send(words);
    }

    /// Waits for a text.
    pub(crate) fn sees(&self, part: &str) -> String {
        self.until(part, |text| text.contains(part))
    }

    /// Waits until the screen is as it should be.
    pub(crate) fn until(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let started = Instant::now();
        loop {
            let text = self.text();
            if is_so(&text) {
                return text;
            }
            assert!(started.elapsed() < PATIENCE, "{what} never came:\n{text}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Leaves by Ctrl-D; the exit code.
    pub(crate) fn leaves(mut self) -> Option<i32> {
        self.keys.write_all(b"\x04").unwrap();
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("it never ends:\n{}", self.text());
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A test that failed leaves a program behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

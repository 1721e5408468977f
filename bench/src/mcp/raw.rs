//! The plainest client there can be: a pipe each way, a line out, a line in.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::process::command;

/// A server and the pipes to it.
pub(super) struct Raw {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next_id: u64,
}

impl Raw {
    /// Starts the server and shakes hands.
    pub(super) fn start(server: &[&str]) -> Result<Self> {
        let (program, args) = server.split_first().context("no server is named")?;
        let mut child = command(program.as_ref())
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("starting {program}"))?;
        let input = child.stdin.take().context("the server's input")?;
        let output = BufReader::new(child.stdout.take().context("the server's output")?);
        let mut raw = Self { child, input, output, next_id: 0 };
        let client = json!({"name": "bench", "version": "0"});
        raw.ask(
            "initialize",
            &json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}),
        )?;
        raw.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(raw)
    }

    /// One call of the tool that says what it is told, in nanoseconds.
    pub(super) fn echo(&mut self) -> Result<f64> {
        let start = Instant::now();
        let result =
            self.ask("tools/call", &json!({"name": "echo", "arguments": {"message": "hello"}}))?;
        let took = start.elapsed().as_nanos() as f64;
        ensure!(result.to_string().contains("hello"), "no echo: {result}");
        Ok(took)
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let line = message.to_string() + "\n";
        self.input.write_all(line.as_bytes()).context("writing to the server")
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let mut line = String::new();
        loop {
            line.clear();
            let count = self.output.read_line(&mut line).context("reading from the server")?;
            ensure!(count > 0, "the server is gone");
            let mut answer: Value = serde_json::from_str(&line).context("the server's answer")?;
            if answer["id"] == id {
                return Ok(answer["result"].take());
            }
        }
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

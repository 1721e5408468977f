//! The tool context of a reward: any tool, in the sandbox of the rollout that is judged.
//!
//! A reward program finds a Unix socket in `HERMES_TOOL_SOCKET`. Each line it writes there is a call,
//! `{"tool": "terminal", "args": {"command": "pytest -q"}}`, each line it reads the answer, `{"result": …}` or
//! `{"error": "…"}`. Calls pass the same gate as those of the model. The socket is in a folder only we can enter.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hermes_llm::model::BoxFuture;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio_util::sync::{CancellationToken, DropGuard};

/// The variable that names the socket.
pub(crate) const SOCKET_VARIABLE: &str = "HERMES_TOOL_SOCKET";

/// Calls tools in the sandbox of one rollout.
pub trait RolloutTools: Send + Sync {
    /// What the tool answers; `Err` if there is no such tool or a rule says no.
    fn call(&self, tool: String, args: Value) -> BoxFuture<'_, Result<Value, String>>;
}

/// The socket, as long as it is kept.
#[derive(Debug)]
pub struct ToolDoor {
    path: PathBuf,
    _folder: TempDir,
    _open: DropGuard,
}

impl ToolDoor {
    /// Opens a socket behind which these tools are. Must be called inside an async runtime.
    ///
    /// # Errors
    /// If no socket can be made.
    pub fn open(tools: Arc<dyn RolloutTools>) -> std::io::Result<Self> {
        let folder = TempDir::with_prefix("hermes-rl-")?;
        let path = folder.path().join("tools.sock");
        let listener = UnixListener::bind(&path)?;
        let closing = CancellationToken::new();
        let until = closing.clone();
        tokio::spawn(async move {
            loop {
                let accepted = tokio::select! {
                    accepted = listener.accept() => accepted,
                    () = until.cancelled() => return,
                };
                let Ok((stream, _)) = accepted else { return };
                let (tools, until) = (Arc::clone(&tools), until.clone());
                tokio::spawn(
                    async move { until.run_until_cancelled(serve(stream, &*tools)).await },
                );
            }
        });
        Ok(Self { path, _folder: folder, _open: closing.drop_guard() })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

async fn serve(stream: UnixStream, tools: &dyn RolloutTools) {
    let (input, mut output) = stream.into_split();
    let mut lines = BufReader::new(input).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let mut answer = answer(&line, tools).await.to_string();
        answer.push('\n');
        if output.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn answer(line: &str, tools: &dyn RolloutTools) -> Value {
    let Ok(call) = serde_json::from_str::<Value>(line) else {
        return json!({"error": "the line is no JSON object"});
    };
    let Some(tool) = call["tool"].as_str() else {
        return json!({"error": "the call names no tool: {\"tool\": \"terminal\", \"args\": {…}}"});
    };
    let args = match &call["args"] {
        Value::Null => json!({}),
        args => args.clone(),
    };
    match tools.call(tool.to_owned(), args).await {
        Ok(result) => json!({"result": result}),
        Err(error) => json!({"error": error}),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Tells what it was asked.
    pub(crate) struct Echo;

    impl RolloutTools for Echo {
        fn call(&self, tool: String, args: Value) -> BoxFuture<'_, Result<Value, String>> {
            let answer = match tool.as_str() {
                "no" => Err("a rule says no".to_owned()),
                _ => Ok(json!({"tool": tool, "args": args})),
            };
            Box::pin(std::future::ready(answer))
        }
    }

    #[tokio::test]
    async fn each_line_is_answered_and_the_socket_goes_with_the_door() {
        let door = ToolDoor::open(Arc::new(Echo)).unwrap();
        let path = door.path().to_owned();
        let (input, mut output) = UnixStream::connect(&path).await.unwrap().into_split();
        output
            .write_all(b"{\"tool\":\"terminal\",\"args\":{\"a\":1}}\nnonsense\n{\"tool\":\"no\"}\n")
            .await
            .unwrap();
        let mut lines = BufReader::new(input).lines();
        let mut answers = Vec::new();
        for _ in 0..3 {
            answers.push(lines.next_line().await.unwrap().unwrap());
        }
        assert_eq!(answers[0], "{\"result\":{\"tool\":\"terminal\",\"args\":{\"a\":1}}}");
        assert!(answers[1].contains("no JSON"), "{}", answers[1]);
        assert_eq!(answers[2], "{\"error\":\"a rule says no\"}");
        drop(door);
        assert!(!path.exists());
    }
}

//! The tasks behind a link.

use std::sync::{Arc, Weak};
use std::time::Duration;

use hermes_process::{Child, InputPipe, OutputPipe};
use serde_json::{Map, Value};
use tokio::io::AsyncWriteExt as _;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::{About, LinkError, PluginLink, Serve, lock};
use crate::log::Log;
use crate::protocol::lines::{ProtocolLine, ProtocolLines};
use crate::protocol::{self, MAX_LINE_BYTES, ProtocolMessage};

/// Longest line of the standard error that is kept.
const MAX_COMPLAINT_BYTES: usize = 64 * 1024;
/// How long the last words of a process may take to arrive.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Lines without meaning that are logged; a plugin that floods is not to fill the disk.
const MAX_LOGGED_GARBAGE: u32 = 100;

/// Stands for the end of the input.
pub(super) const NO_MORE: Vec<u8> = Vec::new();

/// Writes lines until the process or we are gone.
pub(super) async fn write(stdin: Option<InputPipe>, mut lines: mpsc::Receiver<Vec<u8>>) {
    let Some(mut stdin) = stdin else { return };
    while let Some(line) = lines.recv().await {
        if line == NO_MORE || stdin.write_all(&line).await.is_err() {
            return; // it is ending; the watcher tells how
        }
    }
}

/// Reads messages until the plugin closes its output.
pub(super) async fn read(
    link: Weak<PluginLink>,
    stdout: Option<OutputPipe>,
    serve: Arc<dyn Serve>,
) {
    let Some(stdout) = stdout else { return };
    let mut lines = ProtocolLines::new(stdout, MAX_LINE_BYTES);
    let mut garbage = 0;
    while let Ok(Some(line)) = lines.next().await {
        let Some(link) = link.upgrade() else { return };
        let line = match line {
            ProtocolLine::Whole(line) => line,
            ProtocolLine::TooLong { beginning, bytes } => {
                link.log.line("hermes", &format!("a line of {bytes} bytes was skipped"));
                if let Some(id) = protocol::answered_id(&beginning) {
                    link.answered(id, Err(LinkError::TooLong(bytes)));
                }
                continue;
            }
        };
        match ProtocolMessage::read(&line) {
            Some(ProtocolMessage::Answer { id, outcome }) => {
                link.answered(id, outcome.map_err(LinkError::Failed));
            }
            Some(ProtocolMessage::Request { id, method, params }) => {
                answer(&link, &serve, id, method, params);
            }
            Some(ProtocolMessage::Notice { method, params }) => {
                take_notice(&link, &serve, &method, params);
            }
            None if line.iter().all(u8::is_ascii_whitespace) => {}
            None => {
                garbage += 1;
                if garbage <= MAX_LOGGED_GARBAGE {
                    link.log.line("stdout", &String::from_utf8_lossy(&line));
                }
            }
        }
    }
}

/// Serves a request of the plugin beside everything else.
fn answer(
    link: &Arc<PluginLink>,
    serve: &Arc<dyn Serve>,
    id: Value,
    method: String,
    params: Map<String, Value>,
) {
    let out = link.out.clone();
    let Ok(place) = Arc::clone(&link.served).try_acquire_owned() else {
        let busy = Err("too many requests at the same time".to_owned());
        let _ = out.try_send(protocol::answer(&id, busy));
        return;
    };
    let about = params.get("request").and_then(Value::as_u64).and_then(|id| link.about(id));
    let serve = Arc::clone(serve);
    let gone = link.gone.clone();
    tokio::spawn(gone.run_until_cancelled_owned(async move {
        let outcome = serve.request(method, params, about).await;
        let mut line = protocol::answer(&id, outcome);
        if line.len() > MAX_LINE_BYTES {
            let too_long = format!("the answer of {} bytes is too long", line.len());
            line = protocol::answer(&id, Err(too_long));
        }
        let _ = out.send(line).await;
        drop(place);
    }));
}

fn take_notice(
    link: &Arc<PluginLink>,
    serve: &Arc<dyn Serve>,
    method: &str,
    params: Map<String, Value>,
) {
    let text = |key: &str| params.get(key).and_then(Value::as_str).unwrap_or_default();
    match method {
        "log" => {
            let level = Some(text("level")).filter(|level| !level.is_empty());
            link.log.line(level.unwrap_or("log"), text("message"));
        }
        "progress" => {
            let about = params.get("request").and_then(Value::as_u64).and_then(|id| link.about(id));
            if let Some(About::Tool(cx)) = about.as_deref() {
                let fraction = params.get("fraction").and_then(Value::as_f64);
                cx.report(text("message"), fraction.map(|share| share.clamp(0.0, 1.0)));
            }
        }
        _ => serve.notice(method, params),
    }
}

/// Keeps what the plugin writes to its standard error.
pub(super) async fn complaints(log: Arc<Log>, stderr: Option<OutputPipe>) {
    let Some(stderr) = stderr else { return };
    let mut lines = ProtocolLines::new(stderr, MAX_COMPLAINT_BYTES);
    while let Ok(Some(line)) = lines.next().await {
        let (ProtocolLine::Whole(text) | ProtocolLine::TooLong { beginning: text, .. }) = line;
        log.line("stderr", &String::from_utf8_lossy(&text));
    }
}

/// Waits for the end of the process, and tells whoever waits for it.
pub(super) async fn watch(link: Weak<PluginLink>, mut child: Child, readers: [JoinHandle<()>; 2]) {
    let ended = match child.wait().await {
        Ok(status) => format!("ended ({status})"),
        Err(problem) => format!("was lost: {problem}"),
    };
    // What it said last may still be on its way.
    let last_words = async {
        for reader in readers {
            let _ = reader.await;
        }
    };
    let _ = tokio::time::timeout(LAST_WORDS, last_words).await;
    drop(child);
    let Some(link) = link.upgrade() else { return };
    let ended = lock(&link.end).get_or_insert(ended).clone();
    link.log.line("hermes", &format!("the plugin {ended}"));
    link.gone.cancel();
    let waiting: Vec<_> = lock(&link.pending).drain().collect();
    for (_, pending) in waiting {
        let _ = pending.answer.send(Err(LinkError::Gone(ended.clone())));
    }
}

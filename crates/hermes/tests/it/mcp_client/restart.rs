//! A server that was started again, and knows nothing of the session it had with us.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::Duration;

use hermes_testkit::Step;
use serde_json::json;

use crate::agent::{Scene, Wire};
use crate::support::std_command;

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/fixtures/mcp_http_server.py");

struct Forgetful {
    process: Child,
    port: u16,
    counted: tempfile::NamedTempFile,
}

impl Forgetful {
    fn start(how: &str) -> Self {
        let counted = tempfile::NamedTempFile::new().unwrap();
        let mut process = std_command("python3")
            .args([SERVER, how, counted.path().to_str().unwrap()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { process, port: line.trim().parse().unwrap(), counted }
    }

    fn calls(&self) -> usize {
        std::fs::read(self.counted.path()).unwrap().len()
    }
}

impl Drop for Forgetful {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Every later call waited for five minutes.
#[test]
fn calls_to_a_restarted_server_begin_a_new_session_and_run_once_each() {
    for how in ["400", "named", "text", "404"] {
        let server = Forgetful::start(how);
        let config = json!({"desk": {"url": format!("http://127.0.0.1:{}/mcp", server.port)}});
        let call = |name: &str| Step::call("mcp__desk__greet", json!({"name": name}));
        let steps = [call("Ada"), call("Bo"), call("Cy"), Step::text("Greeted.")];
        let scene = Scene::with_config(Wire::Chat, steps, &format!("mcp_servers: {config}\n"));
        let run = scene.asks("greet them").exits(0).says("Greeted.");
        assert!(run.took < Duration::from_secs(30), "{how}: {:?}", run.took);
        let results = scene.results();
        for (result, name) in results.iter().zip(["Ada", "Bo", "Cy"]) {
            assert!(result.contains(&format!("Hello {name}!")), "{how}: {results:?}");
        }
        assert_eq!(server.calls(), 3, "{how}: each once");
    }
}

//! A gateway on a real homeserver, Synapse, with matrix-nio as the other person.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hermes_testkit::{Step, part};

use super::others::free_port;
use super::stage::Stage;
use crate::support::std_command;

struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn python() -> String {
    format!("{}/python/bin/python", part("HERMES_TEST_CHATS"))
}

/// A homeserver with open registration, in a folder of its own.
fn synapse(folder: &std::path::Path, port: u16) -> Ended {
    let config = folder.join("homeserver.yaml");
    let module = ["-m", "synapse.app.homeserver"];
    let made = std_command(python())
        .args(module)
        .args(["--server-name", "test.local", "--generate-config", "--report-stats=no"])
        .arg("--config-path")
        .arg(&config)
        .arg("--data-directory")
        .arg(folder)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let text =
        std::fs::read_to_string(&config).unwrap().replace("port: 8008", &format!("port: {port}"));
    let open = "enable_registration: true\nenable_registration_without_verification: true\n";
    #[expect(clippy::disallowed_methods, reason = "a test's own file")]
    std::fs::write(&config, format!("{text}\n{open}")).unwrap();
    let mut command = std_command(python());
    command.args(module).arg("--config-path").arg(&config).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let server = Ended(command.spawn().unwrap());
    let end = Instant::now() + Duration::from_secs(60);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < end, "the homeserver does not listen");
        std::thread::sleep(Duration::from_millis(100));
    }
    server
}

/// Ann, and what she sees: messages by their ids, as they are now.
struct Ann {
    says: ChildStdin,
    sees: Arc<Mutex<BTreeMap<String, String>>>,
    _process: Ended,
}

impl Ann {
    fn arrive(base: &str) -> Self {
        let mut command = std_command(python());
        command.args(["-c", include_str!("../fixtures/matrix_person.py"), base]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let says = child.stdin.take().unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), "ready");
        let sees: Arc<Mutex<BTreeMap<String, String>>> = Arc::default();
        let seen = Arc::clone(&sees);
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let (id, words) = line.split_once(' ').unwrap_or((&line, ""));
                seen.lock().unwrap().insert(id.to_owned(), words.to_owned());
            }
        });
        Self { says, sees, _process: Ended(child) }
    }

    fn say(&mut self, words: &str) {
        writeln!(self.says, "{words}").unwrap();
    }

    fn count(&self, words: &str) -> usize {
        self.sees.lock().unwrap().values().filter(|seen| *seen == words).count()
    }
}

#[test]
fn a_gateway_on_synapse_answers_once_through_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    let _server = synapse(folder.path(), port);
    let base = format!("http://127.0.0.1:{port}");
    let mut ann = Ann::arrive(&base);
    let env = format!(
        "MATRIX_HOMESERVER={base}\nMATRIX_USER_ID=@hermes:test.local\nMATRIX_PASSWORD=pass-word-1\n\
         MATRIX_ALLOWED_USERS=@ann:test.local\n"
    );
    let steps = [Step::text("I am here."), Step::text("Back again."), Step::text("And once more.")];
    let mut stage = Stage::new(steps, "  matrix: {}\n", &env);
    stage.start_until("matrix", "connected");
    ann.say("are you there?");
    stage.until("an answer", || ann.count("I am here.") == 1);
    stage.kill();
    ann.say("are you there after a kill?");
    stage.start_until("matrix", "connected");
    stage.until("an answer after a kill", || ann.count("Back again.") == 1);
    ann.say("and now?");
    stage.until("a third answer", || ann.count("And once more.") == 1);
    let seen = ann.sees.lock().unwrap().clone();
    assert_eq!(seen.len(), 3, "nothing twice, and nothing else: {seen:#?}");
    assert_eq!(stage.model.questions().len(), 3);
}

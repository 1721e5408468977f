//! A program that does everything the terminal can do at once, and waits to be killed.
//!
//! Its arguments are the place, a folder of its own, and a mark that every process it starts for
//! the model carries. Says `ready` when all of them run.
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test reads what it says, and what goes wrong here fails the test"
)]

#[path = "../backends/rig.rs"]
#[allow(dead_code, reason = "the suite uses the rest")]
mod rig;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use rig::{Rig, TestBackend};
use serde_json::json;

const PAUSE: Duration = Duration::from_millis(5);
const LONGEST_LIFE: Duration = Duration::from_secs(100);

fn main() -> ExitCode {
    // The suite has it stand in for `hermes` where commands in clouds need a helper.
    if let Some(ended) = hermes_exec::sandbox_helper() {
        return ended;
    }
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().expect("usage: hermes-tools-doomed-host PLACE FOLDER MARK");
    let place = match next().as_str() {
        "local" => TestBackend::Local,
        "docker" => TestBackend::Docker,
        "ssh" => TestBackend::Ssh,
        "apptainer" => TestBackend::Apptainer,
        other => panic!("{other} is no place"),
    };
    let (folder, mark) = (PathBuf::from(next()), next());
    let workers = tokio::runtime::Builder::new_current_thread().enable_all().build();
    workers.expect("a runtime").block_on(async {
        // Containers are labelled with the profile, which is named after its folder.
        let home = folder.join("h/profiles").join(&mark);
        let rig = Rig::bare(place, &folder, &home);
        let files = folder.join("files").display().to_string();
        let work = async {
            tokio::join!(
                foreground(&rig, &mark, &files),
                edit(&rig, &files),
                announce(&rig, &mark, &files)
            )
        };
        // Should nobody kill it.
        let _ = tokio::time::timeout(LONGEST_LIFE, work).await;
    });
    ExitCode::SUCCESS
}

/// A process that carries the mark, and never ends by itself in time.
fn marked(mark: &str) -> String {
    format!("bash -c 'exec -a {mark} sleep 600'")
}

/// A command with children of all kinds: one like any other, one in a session of its own, one that
/// was orphaned on purpose, and one that is deaf to kind words. They are in a script, as the model
/// would be advised against them.
async fn foreground(rig: &Rig, mark: &str, files: &str) {
    let sleep = marked(mark);
    let script = format!(
        "{sleep} &\nsetsid {sleep} &\n(setsid {sleep} &)\n(trap '' TERM HUP; {sleep}) &\n\
         : >{files}/up\n{sleep}\ntrue\n"
    );
    let written = json!({"path": format!("{files}/tree.sh"), "content": script});
    rig.call("write_file", written).await;
    let command = format!("bash {files}/tree.sh");
    let ended = rig.call("terminal", json!({"command": command, "timeout": 500})).await;
    panic!("the command ended: {ended}");
}

/// Writes, reads and searches for ever.
async fn edit(rig: &Rig, files: &str) {
    let path = format!("{files}/notes/text.txt");
    loop {
        rig.call("write_file", json!({"path": path, "content": "one\ntwo\n"})).await;
        rig.call("read_file", json!({"path": path})).await;
        rig.call("search_files", json!({"pattern": "two", "path": files})).await;
        // On this machine they may never have to wait, and the others would have no turn.
        tokio::time::sleep(PAUSE).await;
    }
}

/// Starts a background process and one on a terminal, and tells when everything runs.
async fn announce(rig: &Rig, mark: &str, files: &str) {
    let sleep = marked(mark);
    let background = json!({"command": format!("trap '' TERM; {sleep}; true"), "background": true});
    let terminal = json!({
        "command": format!("trap '' HUP; echo up; {sleep}; true"),
        "background": true,
        "pty": true,
    });
    let until_up = format!("until [ -e {files}/up ]; do sleep 0.05; done");
    let (_, terminal, _) =
        tokio::join!(rig.background(background), rig.background(terminal), rig.terminal(&until_up));
    rig.until(&terminal, "up").await;
    println!("ready");
    std::io::stdout().flush().expect("somebody listens");
    std::future::pending::<()>().await;
}

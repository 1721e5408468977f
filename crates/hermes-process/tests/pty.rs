//! Programs on a terminal of their own.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::time::Duration;

use common::{PATIENCE, eventually, is_alive, pids, sh};
use hermes_process::{Child, Command, End, Lifetime, OutputMode, Pty, PtySize};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

const SIZE: PtySize = PtySize { rows: 30, columns: 120 };

/// Runs a script on a terminal to its end: how it ended, and what was on the screen.
async fn on_terminal(script: &str) -> (End, String) {
    let done = sh(script).pty(SIZE).deadline(PATIENCE).run().await.unwrap();
    (done.end, done.stdout.text().replace("\r\n", "\n"))
}

fn start(command: Command) -> (Child, Pty) {
    let mut child = command.pty(SIZE).spawn().unwrap();
    assert!(child.take_stdin().is_none() && child.take_stdout().is_none());
    let pty = child.take_pty().unwrap();
    assert!(child.take_pty().is_none());
    (child, pty)
}

/// Reads until `text` has appeared; all that was read.
async fn read_until(screen: &mut (impl AsyncRead + Unpin), text: &str) -> String {
    let mut seen = Vec::new();
    let reading = async {
        loop {
            let mut piece = [0; 1_024];
            let count = screen.read(&mut piece).await.unwrap();
            seen.extend_from_slice(&piece[..count]);
            let shown = String::from_utf8_lossy(&seen).into_owned();
            if shown.contains(text) {
                return shown;
            }
            assert_ne!(count, 0, "ended without {text:?}: {shown:?}");
        }
    };
    let read = timeout(PATIENCE, reading).await;
    read.unwrap_or_else(|_| panic!("no {text:?} yet"))
}

/// Waits for the end of program and terminal.
async fn finish(child: &mut Child, pty: &mut Pty) -> (End, String) {
    let mut rest = Vec::new();
    timeout(PATIENCE, pty.read_to_end(&mut rest)).await.expect("in time").unwrap();
    let status = timeout(PATIENCE, child.wait()).await.expect("in time").unwrap();
    (status.into(), String::from_utf8_lossy(&rest).replace("\r\n", "\n"))
}

#[tokio::test]
async fn all_three_streams_are_the_same_terminal() {
    let (end, shown) = on_terminal("test -t 0 && test -t 1 && test -t 2 && tty").await;
    assert_eq!(end, End::Exited(0), "{shown}");
    assert!(shown.starts_with("/dev/pts/"), "{shown}");
    // Without, there is none.
    let done = sh("test -t 0 || test -t 1 || tty").run().await.unwrap();
    assert_eq!(done.stdout.text(), "not a tty\n");
}

#[tokio::test]
async fn the_terminal_is_the_controlling_one() {
    let (end, shown) = on_terminal("echo by name > /dev/tty && ps -o tty= -p $$").await;
    assert_eq!(end, End::Exited(0), "{shown}");
    let mut lines = shown.lines();
    assert_eq!(lines.next(), Some("by name"));
    assert!(lines.next().unwrap().starts_with("pts/"), "{shown}");
}

#[tokio::test]
async fn the_program_leads_its_session_and_foreground() {
    // Session, group, foreground group and own id are one.
    let (_, shown) = on_terminal("ps -o pid=,sid=,pgid=,tpgid= -p $$").await;
    let ids: Vec<&str> = shown.split_whitespace().collect();
    let &[pid, session, group, _foreground] = ids.as_slice() else { panic!("{shown}") };
    assert!(pid == session && pid == group, "{shown}");
}

#[tokio::test]
async fn it_has_the_size_asked_for_and_changes_it() {
    let (_, shown) = on_terminal("stty size").await;
    assert_eq!(shown, "30 120\n");

    let script = "trap 'stty size; exit 5' WINCH; echo ready; while :; do sleep 0.05; done";
    let (mut child, mut pty) = start(sh(script));
    read_until(&mut pty, "ready").await;
    pty.resize(PtySize { rows: 40, columns: 99 }).unwrap();
    let (end, shown) = finish(&mut child, &mut pty).await;
    assert_eq!((end, shown.trim()), (End::Exited(5), "40 99"));
}

#[tokio::test]
async fn ctrl_c_interrupts_the_foreground() {
    let script = "trap 'echo caught; exit 7' INT; echo ready; while :; do sleep 0.05; done";
    let (mut child, mut pty) = start(sh(script));
    read_until(&mut pty, "ready").await;
    pty.write_all(b"\x03").await.unwrap();
    let (end, shown) = finish(&mut child, &mut pty).await;
    assert_eq!(end, End::Exited(7));
    assert!(shown.contains("caught"), "{shown}");

    let (mut child, mut pty) = start(Command::new("sleep").arg("600"));
    pty.write_all(b"\x03").await.unwrap();
    let (end, _) = finish(&mut child, &mut pty).await;
    assert_eq!(end, End::Signalled(2));
}

#[tokio::test]
async fn one_can_talk_with_an_interpreter() {
    // Only asks when it believes to talk to a person.
    let python = Command::new("python3").args(["-q", "-i"]).env_inherit(["PATH", "HOME"]);
    let (mut child, mut pty) = start(python.env("TERM", "dumb"));
    read_until(&mut pty, ">>> ").await;
    pty.write_all(b"6 * 7000\n").await.unwrap();
    read_until(&mut pty, "42000").await;
    pty.write_all(b"input('name? ')\n").await.unwrap();
    // The echo of the line, then the question itself.
    read_until(&mut pty, "\nname? ").await;
    pty.write_all(b"Ada\n").await.unwrap();
    // The key for the end of input means something only at a prompt: typed before the interpreter
    // has taken the terminal back for its next line, it is lost.
    read_until(&mut pty, "'Ada'\r\n>>> ").await;
    pty.send_eof().await.unwrap();
    let (end, _) = finish(&mut child, &mut pty).await;
    assert_eq!(end, End::Exited(0));
}

#[tokio::test]
async fn the_end_of_input_ends_a_reader_also_within_a_line() {
    for text in ["", "line\n", "line\nhalf"] {
        let (mut child, mut pty) = start(sh("stty -echo; echo ready; exec cat"));
        read_until(&mut pty, "ready\r\n").await;
        pty.write_all(text.as_bytes()).await.unwrap();
        pty.send_eof().await.unwrap();
        let (end, shown) = finish(&mut child, &mut pty).await;
        assert_eq!((end, shown.as_str()), (End::Exited(0), text));
    }
}

#[tokio::test]
async fn running_types_the_input_and_captures_the_screen() {
    let command = sh("stty -echo; read name; echo hello $name; cat").pty(SIZE);
    let done = command.stdin_bytes("Ada\nrest").deadline(PATIENCE).run().await.unwrap();
    assert_eq!(done.end, End::Exited(0));
    let text = done.stdout.text();
    assert!(text.contains("hello Ada") && text.ends_with("rest"), "{text:?}");
    // Without input there is an end of it as well.
    let (end, _) = on_terminal("cat").await;
    assert_eq!(end, End::Exited(0));
}

#[tokio::test]
async fn reader_and_writer_can_be_in_different_tasks() {
    let (mut child, pty) = start(sh("while read line; do echo got $line; done"));
    let (mut screen, mut keyboard) = pty.into_split();
    let typist = tokio::spawn(async move {
        for number in 0..50 {
            keyboard.write_all(format!("{number}\n").as_bytes()).await.unwrap();
        }
        keyboard.send_eof().await.unwrap();
        keyboard
    });
    read_until(&mut screen, "got 49").await;
    drop(typist.await.unwrap());
    assert!(timeout(PATIENCE, child.wait()).await.unwrap().unwrap().success());
}

#[tokio::test]
async fn output_written_just_before_the_end_is_not_lost() {
    for _ in 0..20 {
        let (end, shown) = on_terminal("seq 1 2000; exit 3").await;
        assert_eq!(end, End::Exited(3));
        assert!(shown.ends_with("1999\n2000\n"), "{:?}", &shown[shown.len().saturating_sub(40)..]);
    }
}

#[tokio::test]
async fn the_deadline_ends_the_whole_tree_on_a_terminal() {
    let script = "trap '' HUP; setsid sleep 600 & echo $!; sleep 600 & echo $!; echo $$; wait";
    let done = sh(script).pty(SIZE).deadline(Duration::from_secs(1)).run().await.unwrap();
    assert_eq!(done.end, End::TimedOut);
    let seen = pids(&done.stdout.text().replace('\r', ""));
    assert_eq!(seen.len(), 3, "{:?}", done.stdout.text());
    assert!(!seen.iter().any(|pid| is_alive(*pid)), "{seen:?}");
}

#[tokio::test]
async fn dropping_the_terminal_hangs_up() {
    let (mut child, mut pty) =
        start(sh("trap 'exit 8' HUP; echo ready; while :; do sleep 0.02; done"));
    read_until(&mut pty, "ready").await;
    drop(pty);
    let status = timeout(PATIENCE, child.wait()).await.unwrap().unwrap();
    assert_eq!(End::from(status), End::Exited(8));
}

#[tokio::test]
async fn no_descriptor_but_the_standard_three_is_open() {
    let command = sh("ls /proc/self/fd").pty(SIZE).output(OutputMode::Discard);
    let done = command.deadline(PATIENCE).run().await.unwrap();
    // The fourth is the directory being listed.
    let listed = done.stdout.text();
    assert_eq!(listed.split_whitespace().collect::<Vec<_>>(), ["0", "1", "2", "3"]);
}

#[tokio::test]
async fn a_program_on_a_terminal_may_survive_its_handle() {
    let script = "trap '' HUP; echo $$; exec sleep 600 </dev/null >/dev/null 2>&1";
    let (child, mut pty) = start(sh(script).lifetime(Lifetime::Survives));
    read_until(&mut pty, "\n").await;
    let pid = child.pid();
    drop((child, pty));
    std::thread::sleep(Duration::from_millis(50));
    assert!(is_alive(pid));
    common::kill_9(pid);
    assert!(eventually(|| !is_alive(pid)));
}

//! Running real programs: what they are given, what they give back, how they end.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use common::{PATIENCE, sh};
use hermes_process::{CaptureLimit, Command, End, OutputMode, ProcessError, Stdin};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn reports_exit_codes_and_signals() {
    for code in [0, 1, 42, 255] {
        let done = sh(&format!("exit {code}")).run().await.unwrap();
        assert_eq!(done.end, End::Exited(code));
        assert_eq!(done.success(), code == 0);
    }
    let done = sh("kill -USR1 $$").run().await.unwrap();
    assert_eq!(done.end, End::Signalled(10));
    // 64 is the last real-time signal, which not every wrapper can name.
    let done = sh("kill -64 $$").run().await.unwrap();
    assert_eq!(done.end, End::Signalled(64));
}

#[tokio::test]
async fn keeps_streams_apart_or_together() {
    let script = "echo one; echo two >&2; echo three";
    let apart = sh(script).run().await.unwrap();
    assert_eq!(apart.stdout.text(), "one\nthree\n");
    assert_eq!(apart.stderr.text(), "two\n");

    let together = sh(script).output(OutputMode::Merged).run().await.unwrap();
    assert_eq!(together.stdout.text(), "one\ntwo\nthree\n");
    assert_eq!(together.stderr.text(), "");

    let nowhere = sh(script).output(OutputMode::Discard).run().await.unwrap();
    assert_eq!(nowhere.stdout.total_chars(), 0);

    let mut file = tempfile::NamedTempFile::new().unwrap();
    let to_file = OutputMode::ToFile(file.reopen().unwrap());
    sh(script).output(to_file).run().await.unwrap();
    let mut written = String::new();
    file.read_to_string(&mut written).unwrap();
    assert_eq!(written, "one\ntwo\nthree\n");
}

#[tokio::test]
async fn environment_is_empty_unless_named() {
    let env = |command: Command| async move { command.run().await.unwrap().stdout.text() };
    assert_eq!(env(Command::new("env")).await, "");

    let named = Command::new("env").envs([("A", "1"), ("B", "two words")]);
    assert_eq!(env(named).await, "A=1\nB=two words\n");

    let inherited = Command::new("env").env_inherit(["PATH", "HERMES_PROCESS_NEVER_SET"]);
    let inherited = env(inherited).await;
    assert!(inherited.starts_with("PATH=/") && inherited.lines().count() == 1, "{inherited}");
}

#[tokio::test]
async fn a_bare_name_is_found_in_the_path_given_to_the_child() {
    let dir = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/bin/echo", dir.path().join("greet")).unwrap();
    let greet = || Command::new("greet").arg("hello");

    let found = greet().env("PATH", dir.path()).run().await.unwrap();
    assert_eq!(found.stdout.text(), "hello\n");
    assert!(matches!(greet().run().await, Err(ProcessError::NotFound { .. })));
}

#[tokio::test]
async fn runs_in_the_directory_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    let done = Command::new("pwd").cwd(&dir).run().await.unwrap();
    assert_eq!(done.stdout.text().trim_end(), dir.to_str().unwrap());

    std::os::unix::fs::symlink("/bin/echo", dir.join("here")).unwrap();
    let relative = Command::new("./here").arg("x").cwd(&dir).run().await.unwrap();
    assert_eq!(relative.stdout.text(), "x\n");
}

#[tokio::test]
async fn a_script_without_interpreter_line_is_run_by_the_shell() {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("script");
    let mut file = std::fs::File::create(&script).unwrap();
    file.write_all(b"echo $0 $# $2").unwrap();
    file.set_permissions(std::fs::Permissions::from_mode(0o755)).unwrap();
    drop(file);
    let done = Command::new(&script).args(["a", "b c"]).run().await.unwrap();
    assert_eq!(done.stdout.text(), format!("{} 2 b c\n", script.display()));
}

#[tokio::test]
async fn starts_with_default_signals_and_only_the_standard_descriptors() {
    // Things that would be handed down if nobody took care: a descriptor that is not marked to be
    // closed, a blocked signal, and SIGPIPE, which every Rust program ignores.
    let leaky = nix::unistd::dup(std::io::stdin()).unwrap();
    nix::sys::signal::SigSet::from(nix::sys::signal::SIGUSR2).thread_block().unwrap();

    let command = sh("ls /proc/self/fd; grep -E '^Sig(Blk|Ign)' /proc/self/status");
    let text = command.run().await.unwrap().stdout.text();
    drop(leaky);
    // 3 is the directory that `ls` reads.
    assert!(text.starts_with("0\n1\n2\n3\nSigBlk"), "{text}");
    for line in text.lines().skip(4) {
        let (_, mask) = line.split_once('\t').unwrap();
        let mask = u64::from_str_radix(mask, 16).unwrap();
        // Signals 32 and 33 belong to the C library, which lets nobody touch them.
        assert_eq!(mask & !(0b11 << 31), 0, "{line}");
    }
}

#[tokio::test]
async fn leads_a_session_and_group_of_its_own() {
    let child = sh("exec cat").stdin(Stdin::Piped).spawn().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.pid())).unwrap();
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    let fields: Vec<&str> = fields.split(' ').collect();
    let pid = child.pid().to_string();
    assert_eq!((fields[2], fields[3]), (pid.as_str(), pid.as_str()));
}

#[tokio::test]
async fn input_reaches_the_program_whole() {
    let input: String = (0..100_000).map(|n| format!("{n}\n")).collect();
    let done = Command::new("cat").stdin_bytes(input.clone()).capture(CaptureLimit::UNBOUNDED);
    assert_eq!(done.run().await.unwrap().stdout.text(), input);
}

#[tokio::test]
async fn input_that_nobody_reads_does_not_block() {
    let big = vec![b'x'; 8 << 20];
    let begun = Instant::now();
    let done = sh("exit 7").stdin_bytes(big.clone()).run().await.unwrap();
    assert_eq!(done.end, End::Exited(7));
    // Neither does a program that holds the pipe and reads nothing.
    let holds = sh("sleep 0.05; echo done").stdin_bytes(big).run().await.unwrap();
    assert_eq!(holds.stdout.text(), "done\n");
    assert!(begun.elapsed() < PATIENCE);
}

#[tokio::test]
async fn fifty_megabytes_are_cut_to_head_and_tail() {
    let script = "echo first; yes | head -c 50000000; echo last";
    let done = sh(script).capture(CaptureLimit::chars(1_000)).run().await.unwrap();
    let text = done.stdout.text();
    assert_eq!(done.stdout.total_chars(), 50_000_011);
    assert_eq!(text.chars().count(), 1_000);
    assert!(text.starts_with("first\ny\n") && text.ends_with("y\nlast\n"), "{text}");
    assert!(text.contains("out of 50,000,011 total"), "{text}");
}

#[tokio::test]
async fn output_that_is_not_text_is_replaced() {
    let done = sh(r"printf 'a\377b\342\202'").run().await.unwrap();
    assert_eq!(done.stdout.text(), "a\u{FFFD}b\u{FFFD}");
}

#[tokio::test]
async fn a_spawned_program_can_be_talked_to() {
    let mut child = Command::new("cat").stdin(Stdin::Piped).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.take_stdin().unwrap(), child.take_stdout().unwrap());
    for word in ["ping", "pong"] {
        stdin.write_all(word.as_bytes()).await.unwrap();
        let mut answer = [0; 4];
        stdout.read_exact(&mut answer).await.unwrap();
        assert_eq!(answer, word.as_bytes());
    }
    drop(stdin);
    assert!(child.wait().await.unwrap().success());
    assert!(child.wait().await.unwrap().success(), "waiting again gives the same");
}

#[test]
fn blocking_works_with_and_without_a_runtime() {
    let greet = || sh("echo hello").run_blocking().unwrap().stdout.text();
    assert_eq!(greet(), "hello\n");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    assert_eq!(runtime.block_on(async { greet() }), "hello\n");
}

#[test]
fn spawning_without_a_runtime_is_an_error_not_a_panic() {
    assert!(matches!(sh("true").spawn(), Err(ProcessError::NoRuntime { .. })));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_run_at_once() {
    let tasks: Vec<_> = (0..40)
        .map(|n| {
            tokio::spawn(sh(&format!("echo {n}; exit {n}")).deadline(Duration::from_secs(60)).run())
        })
        .collect();
    for (n, task) in (0..).zip(tasks) {
        let done = task.await.unwrap().unwrap();
        assert_eq!((done.end, done.stdout.text()), (End::Exited(n), format!("{n}\n")));
    }
}

#[tokio::test]
async fn output_is_shown_as_it_arrives() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let tap = Arc::clone(&seen);
    let token = CancellationToken::new();
    let ready = token.clone();
    // The program ends only after its first words were seen.
    let command = sh("echo one; echo two >&2; exec sleep 600")
        .cancel(token)
        .capture(CaptureLimit::chars(2))
        .on_output(Arc::new(move |piece: &[u8]| {
            let mut seen = tap.lock().unwrap();
            seen.extend_from_slice(piece);
            if seen.len() == "one\ntwo\n".len() {
                ready.cancel();
            }
        }));
    assert_eq!(command.run().await.unwrap().end, End::Cancelled);
    let mut words: Vec<String> =
        String::from_utf8(seen.lock().unwrap().clone()).unwrap().lines().map(Into::into).collect();
    words.sort();
    assert_eq!(words, ["one", "two"], "all of it, whatever the capture keeps");
}

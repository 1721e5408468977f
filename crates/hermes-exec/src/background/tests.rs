use super::*;

use crate::environment::{ShellMemory, SpawnedProcess};
use crate::local::{Local, LocalOptions};
use hermes_approval::{ApprovalSettings, Approvals, Audience, HostFacts, InputRequest};
use hermes_tool::CallIds;
use std::collections::BTreeMap;

async fn local() -> Environment {
    let variables =
        BTreeMap::from([("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())]);
    let options = LocalOptions { variables, cwd: "/".into(), ..LocalOptions::default() };
    let backend = Local::new(options).expect("a shell");
    Environment::start(Arc::new(backend), ShellMemory::Kept).await.expect("a session")
}

struct Bench {
    environment: Environment,
    processes: Arc<Processes>,
}

impl Bench {
    async fn new() -> Self {
        let processes = Processes::new(None, Duration::from_millis(500));
        Self { environment: local().await, processes }
    }

    async fn start(&self, command: &str, start: ProcessStart) -> String {
        let how = SpawnOptions { pty: start.pty, ..SpawnOptions::default() };
        let spawned: SpawnedProcess =
            self.environment.spawn_text(command, how).await.expect("a process");
        let id = format!("proc_{}", random_id());
        let start = ProcessStart { command: command.to_owned(), ..start };
        self.processes.adopt(&id, spawned, start, BackgroundSlot::default()).id
    }

    async fn wait(&self, id: &str) -> ProcessSnapshot {
        let waited =
            self.processes.wait(id, Duration::from_secs(20), &CancellationToken::new()).await;
        assert_eq!(waited.unwrap(), Waited::Ended);
        self.processes.get(id).unwrap()
    }

    async fn write(&self, id: &str, text: &str) -> Result<usize, TellError> {
        let keyboard = self.processes.keyboard(id).await?;
        let request = InputRequest {
            text: text.to_owned(),
            before: keyboard.before().to_owned(),
            command: keyboard.start().command.clone(),
            processes: keyboard.processes(),
            terminal: keyboard.start().pty.is_some(),
            echo: keyboard.echo(),
            session: String::new(),
            target: keyboard.target(),
            audience: Audience::Nobody,
            host: HostFacts::default(),
            call: CallIds::default(),
            cancellation: CancellationToken::new(),
        };
        let gate = Approvals::builder(ApprovalSettings::default()).build();
        keyboard.write(&gate.admit_input(request).await.expect("a yes")).await
    }

    async fn until(&self, id: &str, words: &str) {
        for _ in 0..400 {
            if self.processes.get(id).unwrap().output.contains(words) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{words:?} never came: {:?}", self.processes.get(id).unwrap().output);
    }
}

#[tokio::test]
async fn a_process_is_seen_from_start_to_end() {
    let bench = Bench::new().await;
    let id = bench.start("echo begun; sleep 0.3; echo done; exit 3", ProcessStart::default()).await;
    let seen = bench.processes.get(&id).unwrap();
    assert!(seen.ended.is_none() && seen.pid.is_some());
    let seen = bench.wait(&id).await;
    assert_eq!(seen.ended, Some((Some(3), CompletionReason::Exited, None)));
    assert_eq!(seen.output, "begun\ndone\n");
    assert!(bench.processes.get("proc_none").is_none());
}

#[tokio::test]
async fn input_stays_open_until_it_is_closed() {
    let bench = Bench::new().await;
    let id = bench
        .start("while read -r line; do echo got $line; done; echo end", ProcessStart::default());
    let id = id.await;
    assert_eq!(bench.write(&id, "one\n").await.unwrap(), 4);
    bench.until(&id, "got one").await;
    bench.write(&id, "two\n").await.unwrap();
    bench.processes.close(&id).await.unwrap();
    assert_eq!(bench.wait(&id).await.output, "got one\ngot two\nend\n");
    let late = bench.write(&id, "x").await;
    assert!(matches!(late, Err(TellError::AlreadyExited(_))), "{late:?}");
}

#[tokio::test]
async fn a_kill_reaches_the_whole_tree() {
    let bench = Bench::new().await;
    let id = bench.start(
        "setsid sleep 1000 & trap '' TERM; echo up; while :; do sleep 1; done",
        ProcessStart::default(),
    );
    let id = id.await;
    bench.until(&id, "up").await;
    bench.processes.kill(&id, TerminationSource::ProcessKill).await.unwrap();
    let seen = bench.processes.get(&id).unwrap();
    let expected = (Some(-15), CompletionReason::Killed, Some(TerminationSource::ProcessKill));
    assert_eq!(seen.ended, Some(expected));
    let pid = seen.pid.unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
    let again = bench.processes.kill(&id, TerminationSource::ProcessKill).await;
    assert!(matches!(again, Err(TellError::AlreadyExited(_))), "{again:?}");
}

#[tokio::test]
async fn a_terminal_is_a_terminal() {
    let bench = Bench::new().await;
    let pty = Some(hermes_process::PtySize { rows: 30, columns: 120 });
    let start = ProcessStart { pty, ..ProcessStart::default() };
    let id = bench.start("stty size; tty; read -r x; echo read:$x", start).await;
    bench.until(&id, "/dev/pts/").await;
    bench.write(&id, "hello\n").await.unwrap();
    let output = bench.wait(&id).await.output;
    assert!(output.contains("30 120") && output.contains("read:hello"), "{output}");
}

#[tokio::test]
async fn news_wait_for_their_own_session() {
    let bench = Bench::new().await;
    let start = |session: &str| ProcessStart {
        session_key: session.to_owned(),
        notify_on_complete: true,
        ..ProcessStart::default()
    };
    let first = bench.start("echo one", start("a")).await;
    let second = bench.start("echo two", start("b")).await;
    bench.wait(&first).await;
    bench.wait(&second).await;
    let news = bench.processes.drain("a");
    assert_eq!(news.len(), 1);
    assert!(news[0].render().contains("one"), "{}", news[0].render());
    bench.processes.consume(&second);
    assert!(bench.processes.drain("b").is_empty(), "what is known is no news");
}

#[tokio::test]
async fn a_watched_word_is_told_while_the_process_runs() {
    let bench = Bench::new().await;
    let start = ProcessStart {
        session_key: "s".into(),
        watch_patterns: vec!["ready".into()],
        ..ProcessStart::default()
    };
    let id = bench.start("echo getting; echo server ready; sleep 5", start).await;
    bench.until(&id, "ready").await;
    let news = bench.processes.drain("s");
    assert!(
        matches!(&news[..], [ProcessEvent { kind: ProcessEventKind::WatchMatch { .. }, .. }]),
        "{news:?}"
    );
    assert!(bench.processes.get(&id).unwrap().watch_hit);
    bench.processes.kill(&id, TerminationSource::KillAll).await.unwrap();
}

#[tokio::test]
async fn what_runs_is_written_down_and_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("processes.json");
    let environment = local().await;
    let processes = Processes::new(Some(file.clone()), Duration::from_millis(300));
    let spawned = environment.spawn_text("sleep 1000", SpawnOptions::default()).await.unwrap();
    let start =
        ProcessStart { command: "sleep 1000".into(), on_host: true, ..ProcessStart::default() };
    let id = processes.adopt("proc_x", spawned, start, BackgroundSlot::default()).id;

    let later = Processes::new(Some(file.clone()), Duration::from_millis(300));
    let found = later.get(&id).expect("the process still runs");
    assert!(found.detached && found.ended.is_none());
    later.kill(&id, TerminationSource::ProcessKill).await.unwrap();
    assert_eq!(bench_end(&processes, &id).await.1, CompletionReason::Exited);

    let after = Processes::new(Some(file), Duration::from_millis(300));
    assert!(after.get(&id).is_none(), "one that has ended is not found again");
}

async fn bench_end(
    processes: &Processes,
    id: &str,
) -> (Option<i32>, CompletionReason, Option<TerminationSource>) {
    processes.wait(id, Duration::from_secs(10), &CancellationToken::new()).await.unwrap();
    processes.get(id).unwrap().ended.unwrap()
}

#[tokio::test]
async fn finished_ones_give_way_to_new_ones() {
    let bench = Bench::new().await;
    let first = bench.start("true", ProcessStart::default()).await;
    bench.wait(&first).await;
    for _ in 0..MOST_TRACKED {
        bench.processes.add(new_entry(&format!("proc_{}", random_id()), ProcessStart::default()));
    }
    assert!(bench.processes.get(&first).is_none());
    assert_eq!(bench.processes.list().len(), MOST_TRACKED);
}

#[tokio::test]
async fn those_that_run_are_told_when_there_is_no_room_for_another() {
    let bench = Bench::new().await;
    let ids = [bench.start("sleep 60", ProcessStart::default()).await];
    let running = bench.processes.reserve(1).await.unwrap_err();
    assert_eq!(running.iter().map(|seen| seen.id.clone()).collect::<Vec<_>>(), ids);
    assert!(bench.processes.reserve(2).await.is_ok());
    bench.processes.kill(&ids[0], TerminationSource::ProcessKill).await.unwrap();
    assert!(bench.processes.reserve(1).await.is_ok());
}

#[tokio::test]
async fn a_keyboard_knows_what_was_typed_and_who_listens() {
    let bench = Bench::new().await;
    let start = ProcessStart { on_host: true, ..ProcessStart::default() };
    let id = bench.start("sh", start).await;
    bench.write(&id, "echo re").await.unwrap();
    bench.write(&id, "ady\n").await.unwrap();
    bench.until(&id, "ready").await;
    let keyboard = bench.processes.keyboard(&id).await.unwrap();
    assert_eq!(keyboard.before(), "echo ready\n");
    let names = keyboard.processes();
    assert!(names.iter().any(|name| name == "sh"), "{names:?}");
    drop(keyboard);
    bench.processes.kill(&id, TerminationSource::ProcessKill).await.unwrap();
}

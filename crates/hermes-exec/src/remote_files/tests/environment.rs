//! The way of a script through an environment.

use std::time::Duration;

use futures_util::future::BoxFuture as Borrowed;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::backend::{Backend, BackendKind, ClientTrouble, ShellCall};
use crate::environment::{Environment, ShellMemory};
use crate::remote_files::RunEnd;

/// An environment that only its client can reach, and which is lost as often as it is told to be.
#[derive(Default)]
struct Behind {
    lost: AtomicUsize,
}

const LOST: &str = "this place was lost";

impl Backend for Behind {
    fn kind(&self) -> BackendKind {
        BackendKind::Ssh
    }

    fn target(&self) -> hermes_approval::ExecutionTarget {
        hermes_approval::ExecutionTarget::Ssh
    }

    fn client(&self, call: &ShellCall<'_>) -> Command {
        let lose = |left: usize| left.checked_sub(1);
        let is_ours = call.script.contains("hermes-files");
        if is_ours && self.lost.fetch_update(Ordering::Relaxed, Ordering::Relaxed, lose).is_ok() {
            return Command::new("bash")
                .args(["-c", &format!("echo {LOST} >&2; exit 77")])
                .env("PATH", PATH);
        }
        let mut words = call.words().into_iter();
        Command::new(words.next().unwrap()).args(words).env("PATH", PATH)
    }

    fn temp_dir(&self) -> String {
        std::env::temp_dir().display().to_string()
    }

    fn first_cwd(&self) -> String {
        "/".to_owned()
    }

    fn trouble(&self, code: i32, client_words: &str) -> Option<ClientTrouble> {
        let is_lost = code == 77 && client_words.contains(LOST);
        is_lost.then(|| ClientTrouble::Gone(client_words.to_owned()))
    }

    fn clean_up(&self) -> Borrowed<'_, ()> {
        Box::pin(async {})
    }
}

async fn start() -> (Arc<Behind>, Arc<Environment>) {
    let backend = Arc::new(Behind::default());
    let environment =
        Environment::start(Arc::clone(&backend) as Arc<dyn Backend>, ShellMemory::Kept);
    (Arc::clone(&backend), Arc::new(environment.await.unwrap()))
}

#[tokio::test]
async fn files_are_reached_through_an_environment() {
    let folder = tempfile::tempdir().unwrap();
    let (_, environment) = start().await;
    let files = RemoteFiles::of(Arc::clone(&environment));
    assert_eq!(files.location(), FilesLocation::Remote);
    let path = folder.path().join("new/file");
    files.write(path.clone(), b"\0binary\xff".into()).await.unwrap();
    assert_eq!(files.read(path, 100).await.unwrap().0, b"\0binary\xff");
    environment.clean_up().await;
}

#[tokio::test]
async fn an_act_is_tried_again_when_the_place_was_lost_before_it_began() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let (backend, environment) = start().await;
    let files = RemoteFiles::of(Arc::clone(&environment));
    backend.lost.store(1, Ordering::Relaxed);
    files.write(path.clone(), b"x".into()).await.unwrap();
    backend.lost.store(2, Ordering::Relaxed);
    let error = files.write(path, b"y".into()).await.unwrap_err().to_string();
    assert!(error.contains("gone") && error.contains(LOST), "{error}");
    environment.clean_up().await;
}

#[tokio::test]
async fn what_is_stopped_does_not_run_on_over_there() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let (_, environment) = start().await;
    // Leaves its group, so that only the guard finds it.
    let script = format!("setsid bash -c 'sleep 1.5; touch {}' & sleep 30", mark.display());
    let job = |limit, most_output| ScriptJob {
        script: script.clone(),
        input: Vec::new(),
        most_output,
        limit,
        cancel: CancellationToken::new(),
    };
    let run = environment.run_job(&job(Duration::from_millis(300), 100)).await.unwrap();
    assert_eq!(run.end, RunEnd::TimedOut);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(!mark.exists());
    let talkative = ScriptJob { script: "yes".to_owned(), ..job(Duration::from_secs(20), 1000) };
    let run = environment.run_job(&talkative).await.unwrap();
    assert_eq!(run.end, RunEnd::TooMuch);
    environment.clean_up().await;
}

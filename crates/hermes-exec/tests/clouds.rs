//! Commands in sandboxes of clouds, against doubles that the vendors' own libraries accept.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hermes_exec::{
    Backend, BackendKind, BackendState, ClientInput, ClientTrouble, Cloud, CloudOptions,
    Environment, ExecError, ShellMemory,
};
use hermes_process::{Command, End, PtySize};
use hermes_testkit::{CloudDouble, DoubledCloud};
use hermes_tool::Vars;

mod parts;

use DoubledCloud::{Daytona, Modal, Vercel};
use parts::backends::{cloud_options, part};
use parts::{a_late_command_is_ended, client, eventually, killed_with, output, run, said};

const CHECK_DAYTONA: &str = include_str!("../../hermes-testkit/clouds/check_daytona.py");
const CHECK_MODAL: &str = include_str!("../../hermes-testkit/clouds/check_modal.py");
const CHECK_VERCEL: &str = include_str!("../../hermes-testkit/clouds/check_vercel.mjs");

/// Writes a test for each cloud.
macro_rules! in_every_cloud {
    ($($test:ident),+ $(,)?) => {
        mod daytona { $(#[tokio::test] async fn $test() { super::$test(super::Daytona).await; })+ }
        mod vercel { $(#[tokio::test] async fn $test() { super::$test(super::Vercel).await; })+ }
        mod modal { $(#[tokio::test] async fn $test() { super::$test(super::Modal).await; })+ }
    };
}

in_every_cloud! {
    the_vendors_own_library_accepts_the_double,
    scripts_run_with_input_code_and_two_outputs,
    a_session_goes_on_when_its_sandbox_is_lost_and_nothing_is_left_at_the_end,
    a_server_in_trouble_is_asked_again_and_nothing_runs_twice,
    no_key_and_no_answer_are_errors_and_never_another_place,
    a_sandbox_is_ended_even_when_we_are_killed,
    no_key_is_in_a_sandbox_or_with_a_child,
    files_of_a_sandbox_that_is_kept_are_there_the_next_time,
}

fn kind(cloud: DoubledCloud) -> BackendKind {
    match cloud {
        Daytona => BackendKind::Daytona,
        Vercel => BackendKind::Vercel,
        Modal => BackendKind::Modal,
    }
}

fn double(cloud: DoubledCloud, words: &[&str]) -> CloudDouble {
    CloudDouble::start(cloud, &part("HERMES_TEST_CLOUDS"), words)
}

fn variables(double: &CloudDouble) -> Vec<(String, String)> {
    let program = env!("CARGO_BIN_EXE_hermes-exec-holds-a-backend");
    let mut variables = double.variables();
    variables.push(("HERMES_SANDBOX_PROGRAM".to_owned(), program.to_owned()));
    variables
}

fn place_with(double: &CloudDouble, options: CloudOptions) -> Cloud {
    let vars: Vars = variables(double).into_iter().collect();
    Cloud::new(options, &vars).expect("keys")
}

async fn started(double: &CloudDouble, cloud: DoubledCloud, home: &Path) -> Cloud {
    let place = place_with(double, cloud_options(kind(cloud), home, false));
    assert_eq!(place.before_execute().await.expect("a sandbox"), BackendState::Anew);
    place
}

async fn the_vendors_own_library_accepts_the_double(cloud: DoubledCloud) {
    let (program, script) = match cloud {
        Daytona => ("python/bin/python", CHECK_DAYTONA),
        Modal => ("python/bin/python", CHECK_MODAL),
        Vercel => ("node/node", CHECK_VERCEL),
    };
    let folder = part("HERMES_TEST_CLOUDS");
    let home = tempfile::tempdir().unwrap();
    let double = double(cloud, &[]);
    let words: &[&str] = match cloud {
        Vercel => &["--input-type=module", "-e", script],
        Daytona | Modal => &["-c", script, double.url()],
    };
    let done = Command::new(format!("{folder}/{program}"))
        .args(words.iter().copied())
        .cwd(format!("{folder}/node"))
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", home.path())
        .env("VERCEL_DOUBLE_URL", double.url())
        .envs(double.variables())
        .deadline(Duration::from_secs(90))
        .run()
        .await
        .unwrap();
    let (out, err) = (done.stdout.text(), done.stderr.text());
    assert!(done.success() && out.contains("all of it"), "{out}\n{err}");
}

async fn scripts_run_with_input_code_and_two_outputs(cloud: DoubledCloud) {
    let home = tempfile::tempdir().unwrap();
    // Not ready at once.
    let double = double(cloud, &["0.7"]);
    let place = started(&double, cloud, home.path()).await;
    assert_eq!(place.before_execute().await.unwrap(), BackendState::AsBefore);
    assert_eq!(place.first_cwd(), "/usr");
    assert_eq!(output(&place, "mkdir ~/new && echo ok").await, "ok");
    let done = run(&place, "echo out; echo err >&2; exit 3").await;
    assert_eq!(
        (done.end, &*done.stdout.text(), &*done.stderr.text()),
        (End::Exited(3), "out\n", "err\n")
    );
    let bytes: Vec<u8> = (0..=255).cycle().take(700_000).collect();
    let done = client(&place, "cat | sha256sum; exit 4", ClientInput::Forwarded)
        .stdin_bytes(bytes.clone())
        .run()
        .await
        .unwrap();
    let expected = Command::new("sha256sum")
        .stdin_bytes(bytes)
        .env("PATH", "/usr/bin:/bin")
        .run()
        .await
        .unwrap();
    assert_eq!((done.end, done.stdout.text()), (End::Exited(4), expected.stdout.text()));
    let size = PtySize { rows: 30, columns: 120 };
    let call =
        client(&place, "test -t 0 && stty size && echo $TERM", ClientInput::Terminal).pty(size);
    let text = call.deadline(Duration::from_secs(60)).run().await.unwrap().stdout.text();
    assert!(text.contains("30 120") && text.contains("xterm-256color"), "{text:?}");
    place.clean_up().await;
    assert_eq!(double.running(), [""; 0]);
}

async fn a_session_goes_on_when_its_sandbox_is_lost_and_nothing_is_left_at_the_end(
    cloud: DoubledCloud,
) {
    let home = tempfile::tempdir().unwrap();
    let double = double(cloud, &[]);
    let place = Arc::new(started(&double, cloud, home.path()).await);
    let environment = Environment::start(Arc::clone(&place) as _, ShellMemory::Kept).await.unwrap();
    assert_eq!(
        said(&environment, "export A=1; cd /usr/lib; pwd; echo words >&2").await,
        "/usr/lib\nwords"
    );
    assert_eq!(said(&environment, "echo $A; pwd").await, "1\n/usr/lib");
    let first = double.running();
    assert_eq!(double.obey(&format!("lose {}", first[0])), true);
    assert_eq!(said(&environment, "pwd").await, "/usr/lib");
    assert_ne!(double.running(), first);
    a_late_command_is_ended(&environment).await;
    environment.clean_up().await;
    assert_eq!(double.running(), [""; 0]);
}

async fn a_server_in_trouble_is_asked_again_and_nothing_runs_twice(cloud: DoubledCloud) {
    let home = tempfile::tempdir().unwrap();
    let double = double(cloud, &[]);
    let place = started(&double, cloud, home.path()).await;
    for trouble in ["busy 2", "down 2", "cut 2"] {
        assert_eq!(double.obey(trouble), true);
        let said = output(
            &place,
            "echo x >>~/count; for i in 1 2 3 4 5 6 7 8 9; do echo line $i; sleep 0.02; done",
        )
        .await;
        assert_eq!(said.lines().count(), 9, "{trouble}: {said}");
    }
    assert_eq!(output(&place, "cat ~/count").await, "x\nx\nx");
    place.clean_up().await;
    assert_eq!(double.running(), [""; 0]);
}

async fn no_key_and_no_answer_are_errors_and_never_another_place(cloud: DoubledCloud) {
    let home = tempfile::tempdir().unwrap();
    let options = || cloud_options(kind(cloud), home.path(), false);
    let missing = Cloud::new(options(), &Vars::default()).err().expect("no key");
    assert!(
        missing.is_missing_dependency() && missing.to_string().contains("is not set"),
        "{missing}"
    );
    let double = double(cloud, &[]);
    let variables = variables(&double);
    let wrong = |secret: &str| -> Cloud {
        let vars: Vars = variables
            .iter()
            .cloned()
            .map(
                |(name, value)| {
                    if value == "good-key" { (name, secret.to_owned()) } else { (name, value) }
                },
            )
            .collect();
        Cloud::new(options(), &vars).expect("keys of the right form")
    };
    let refused = wrong("a-bad-key").before_execute().await.unwrap_err();
    assert!(matches!(refused, ExecError::Unavailable { .. }), "{refused}");
    assert!(!refused.to_string().contains("a-bad-key"), "{refused}");
    drop(double);
    // Nobody listens there any more.
    let gone = wrong("good-key").before_execute().await.unwrap_err();
    assert!(matches!(gone, ExecError::NotStarted { .. }), "{gone}");
}

async fn a_sandbox_is_ended_even_when_we_are_killed(cloud: DoubledCloud) {
    let home = tempfile::tempdir().unwrap();
    let double = double(cloud, &[]);
    let held = killed_with(cloud.backend(), home.path(), &variables(&double)).await;
    assert!(held.starts_with("held"), "{held}");
    eventually("it is ended", || double.running().is_empty()).await;
}

async fn no_key_is_in_a_sandbox_or_with_a_child(cloud: DoubledCloud) {
    let home = tempfile::tempdir().unwrap();
    let double = double(cloud, &[]);
    let place = started(&double, cloud, home.path()).await;
    let inside = output(
        &place,
        "env; find /tmp/hermes-relay-* -type f -exec cat {} + 2>/dev/null | tr -d '\\0'; true",
    )
    .await;
    assert!(inside.contains("PATH=") && !inside.contains("good-key"), "{inside}");
    // Every process of this program with a word of ours, while a command runs.
    let call = client(&place, "sleep 2", ClientInput::None).spawn().unwrap();
    let helpers = parts::processes_with(&["sandbox-"]);
    assert!(helpers.len() >= 2, "a keeper and a bridge");
    for helper in helpers {
        for file in ["cmdline", "environ"] {
            let told = std::fs::read(format!("/proc/{helper}/{file}")).unwrap_or_default();
            assert!(!String::from_utf8_lossy(&told).contains("good-key"), "{file}");
        }
    }
    drop(call);
    place.clean_up().await;
}

async fn files_of_a_sandbox_that_is_kept_are_there_the_next_time(cloud: DoubledCloud) {
    let home = tempfile::tempdir().unwrap();
    let double = double(cloud, &[]);
    let options = || cloud_options(kind(cloud), home.path(), true);
    let place = place_with(&double, options());
    place.before_execute().await.unwrap();
    output(&place, "echo kept >~/file").await;
    place.clean_up().await;
    assert_eq!(double.running(), [""; 0]);
    let place = place_with(&double, options());
    assert_eq!(place.before_execute().await.unwrap(), BackendState::Anew);
    assert_eq!(output(&place, "cat ~/file").await, "kept");
    place.clean_up().await;
    if cloud != Daytona {
        // What was kept is gone over there: begun anew, and said so.
        for record in ["vercel_sandbox_snapshots.json", "modal_snapshots.json"] {
            let file = home.path().join(record);
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            let (id, _) = text.rsplit_once('"').unwrap();
            let (before, _) = id.rsplit_once('"').unwrap();
            let odd = format!("{before}\"no-such-thing\"\n}}");
            std::io::Write::write_all(&mut std::fs::File::create(&file).unwrap(), odd.as_bytes())
                .unwrap();
        }
        let place = place_with(&double, options());
        place.before_execute().await.unwrap();
        assert_eq!(output(&place, "cat ~/file 2>/dev/null || echo new").await, "new");
        place.clean_up().await;
    }
    assert_eq!(double.running(), [""; 0]);
}

#[tokio::test]
async fn a_kept_sandbox_in_use_by_another_is_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let double = double(Daytona, &[]);
    let options = || cloud_options(BackendKind::Daytona, home.path(), true);
    let (one, other) = (place_with(&double, options()), place_with(&double, options()));
    one.before_execute().await.unwrap();
    other.before_execute().await.unwrap();
    assert_eq!(double.running().len(), 1, "they share it");
    one.clean_up().await;
    assert_eq!(output(&other, "echo still here").await, "still here");
    other.clean_up().await;
    assert_eq!(double.running(), [""; 0]);
}

#[tokio::test]
async fn a_sandbox_that_fell_asleep_is_woken() {
    let home = tempfile::tempdir().unwrap();
    let double = double(Daytona, &[]);
    let place = place_with(&double, cloud_options(BackendKind::Daytona, home.path(), true));
    place.before_execute().await.unwrap();
    let id = double.running().remove(0);
    assert_eq!(double.obey(&format!("sleep {id}")), true);
    let done = run(&place, "true").await;
    let End::Exited(code) = done.end else { panic!("{:?}", done.end) };
    let trouble = place.trouble(code, &done.stderr.text());
    assert!(matches!(trouble, Some(ClientTrouble::Gone(_))), "{trouble:?}");
    assert_eq!(place.before_execute().await.unwrap(), BackendState::Anew);
    assert_eq!(double.running(), [id], "the same one");
    place.clean_up().await;
}

#[tokio::test]
async fn a_server_without_the_newer_sandboxes_gives_the_older_ones() {
    let home = tempfile::tempdir().unwrap();
    let double = double(Modal, &["0", "older"]);
    let place = started(&double, Modal, home.path()).await;
    assert_eq!(output(&place, "echo fine").await, "fine");
    place.clean_up().await;
    assert!(double.asked().contains(&"SandboxTerminate".to_owned()));
    assert_eq!(double.running(), [""; 0]);
}

#[tokio::test]
async fn a_disk_that_cannot_be_had_is_told() {
    let home = tempfile::tempdir().unwrap();
    let double = double(Vercel, &[]);
    let mut options = cloud_options(BackendKind::Vercel, home.path(), false);
    options.settings.container.disk_mb = 1000;
    let error = place_with(&double, options).before_execute().await.unwrap_err().to_string();
    assert!(error.contains("container_disk"), "{error}");
    assert_eq!(double.asked(), [""; 0], "nothing was asked for");
}

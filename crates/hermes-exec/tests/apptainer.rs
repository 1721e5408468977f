//! Commands in instances of apptainer, against the real engine.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hermes_exec::{
    Apptainer, ApptainerOptions, Backend, BackendState, ClientInput, ClientTrouble, Environment,
    ShellMemory,
};
use hermes_process::{Command, End, PtySize};
use hermes_tool::Vars;

mod parts;

use parts::backends::{apptainer_options as options, vars};
use parts::{
    a_late_command_is_ended, client, eventually, kill, killed_while_holding, output, run, said,
};

async fn started(options: ApptainerOptions) -> Apptainer {
    let place = Apptainer::new(options, &vars(&[])).expect("a client");
    assert_eq!(place.before_execute().await.expect("an instance"), BackendState::Anew);
    place
}

async fn name_of(place: &Apptainer) -> String {
    output(place, "echo ${APPTAINER_INSTANCE:-$SINGULARITY_INSTANCE}").await
}

/// The process of an instance, if the engine still knows it.
async fn instance(name: &str) -> Option<i32> {
    let process = Vars::from_process();
    let listed = Command::new("apptainer")
        .args(["instance", "list", "--json", name])
        .envs(process.iter())
        .run()
        .await
        .expect("a list");
    let listed: serde_json::Value = serde_json::from_str(&listed.stdout.text()).expect("JSON");
    let pid = listed["instances"][0]["pid"].as_i64()?;
    Some(i32::try_from(pid).expect("a pid"))
}

async fn is_gone(name: &str) -> bool {
    for _ in 0..100 {
        if instance(name).await.is_none() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    false
}

fn logs_of(name: &str) -> usize {
    let home = Vars::from_process().get("HOME").expect("a home").to_owned();
    let logs = Path::new(&home).join(".apptainer/instances/logs");
    let hosts = std::fs::read_dir(logs).into_iter().flatten().flatten();
    let users =
        hosts.flat_map(|host| std::fs::read_dir(host.path()).into_iter().flatten().flatten());
    let files =
        users.flat_map(|user| std::fs::read_dir(user.path()).into_iter().flatten().flatten());
    files.filter(|file| file.file_name().to_string_lossy().starts_with(name)).count()
}

#[tokio::test]
async fn scripts_run_shut_off_from_the_host() {
    let home = tempfile::tempdir().unwrap();
    let skills = home.path().join("skills");
    std::fs::create_dir(&skills).unwrap();
    std::fs::File::create(skills.join("SKILL.md")).unwrap();
    let mut options = options(home.path());
    options.shown = vec![(skills.display().to_string(), "skills".to_owned())];
    let bind = format!("{}:/mnt", home.path().display());
    let process =
        vars(&[("HERMES_TEST_SECRET", "x"), ("APPTAINER_BIND", &bind), ("APPTAINERENV_LEAK", "x")]);
    let place = Apptainer::new(options, &process).unwrap();
    assert_eq!(place.before_execute().await.unwrap(), BackendState::Anew);
    assert_eq!(place.before_execute().await.unwrap(), BackendState::AsBefore);
    assert_eq!(place.first_cwd(), "/root");

    assert_eq!(output(&place, "cd /root; ls .hermes/skills; ls /mnt").await, "SKILL.md");
    let done = run(&place, "cd /root; touch .hermes/skills/x").await;
    assert!(!done.success() && done.stderr.text().contains("Read-only"), "{}", done.stderr.text());
    assert_eq!(output(&place, "echo ${HERMES_TEST_SECRET-none} ${LEAK-none}").await, "none none");
    assert_eq!(output(&place, "touch /written && ls /written").await, "/written");
    let done = client(&place, "cat; exit 3", ClientInput::Forwarded)
        .stdin_bytes("one\0two")
        .run()
        .await
        .unwrap();
    assert_eq!((done.end, done.stdout.text().as_str()), (End::Exited(3), "one\0two"));
    assert_eq!(done.stderr.text(), "", "the client says nothing of its own");
    place.clean_up().await;
}

#[tokio::test]
async fn a_program_can_have_a_terminal() {
    let home = tempfile::tempdir().unwrap();
    let place = started(options(home.path())).await;
    let size = PtySize { rows: 30, columns: 120 };
    let call =
        client(&place, "test -t 0 && stty size && echo $TERM", ClientInput::Terminal).pty(size);
    let text = call.deadline(Duration::from_secs(30)).run().await.unwrap().stdout.text();
    assert!(text.contains("30 120") && text.contains("xterm-256color"), "{text:?}");
    place.clean_up().await;
}

#[tokio::test]
async fn an_instance_that_is_gone_is_told_and_started_again() {
    let home = tempfile::tempdir().unwrap();
    let place = started(options(home.path())).await;
    let name = name_of(&place).await;
    kill(instance(&name).await.expect("its process"));
    assert!(is_gone(&name).await);
    let done = run(&place, "true").await;
    let End::Exited(code) = done.end else { panic!("{:?}", done.end) };
    let trouble = place.trouble(code, &done.stderr.text());
    assert!(matches!(trouble, Some(ClientTrouble::Gone(_))), "{trouble:?}");
    assert_eq!(place.before_execute().await.unwrap(), BackendState::Anew);
    let second = name_of(&place).await;
    assert_ne!(second, name);

    // Seen without asking the engine, too.
    kill(instance(&second).await.expect("its process"));
    assert!(is_gone(&second).await);
    assert_eq!(place.before_execute().await.unwrap(), BackendState::Anew);
    place.clean_up().await;
}

#[tokio::test]
async fn what_an_overlay_holds_is_there_the_next_time() {
    let home = tempfile::tempdir().unwrap();
    let mut options = options(home.path());
    options.settings.container.persistent = true;
    let place = started(options.clone()).await;
    output(&place, "cd /root; echo kept >file").await;
    place.clean_up().await;
    let place = started(options).await;
    assert_eq!(output(&place, "cd /root; cat file").await, "kept");
    place.clean_up().await;
    let record = std::fs::read_to_string(home.path().join("singularity_snapshots.json")).unwrap();
    assert!(record.contains("overlay-a_task"), "{record}");
}

#[tokio::test]
async fn a_session_goes_on_when_its_instance_is_lost_and_nothing_is_left_at_the_end() {
    let home = tempfile::tempdir().unwrap();
    let place = Arc::new(started(options(home.path())).await);
    let name = name_of(&place).await;
    let environment =
        Environment::start(Arc::clone(&place) as _, ShellMemory::Kept).await.expect("a session");
    assert_eq!(environment.cwd(), "/root");
    assert_eq!(said(&environment, "export A=1; cd /usr; pwd; echo words >&2").await, "/usr\nwords");
    assert_eq!(said(&environment, "echo $A; pwd").await, "1\n/usr");
    kill(instance(&name).await.expect("its process"));
    assert_eq!(said(&environment, "pwd").await, "/usr");
    a_late_command_is_ended(&environment).await;
    let name = name_of(&place).await;
    environment.clean_up().await;
    assert_eq!(instance(&name).await, None);
    assert_eq!(logs_of(&name), 0);
}

#[tokio::test]
async fn an_instance_is_stopped_even_when_we_are_killed() {
    let home = tempfile::tempdir().unwrap();
    let held = killed_while_holding("apptainer", home.path()).await;
    let name = held.strip_prefix("held ").expect("a name").to_owned();
    assert!(name.starts_with("hermes_"), "{name}");
    assert!(is_gone(&name).await);
    eventually("its logs are gone", || logs_of(&name) == 0).await;
}

#[tokio::test]
async fn an_image_that_is_not_there_is_an_error_in_the_engines_words() {
    let home = tempfile::tempdir().unwrap();
    let mut options = options(home.path());
    options.settings.image = home.path().join("no.sif").display().to_string();
    let place = Apptainer::new(options, &vars(&[])).unwrap();
    let error = place.before_execute().await.unwrap_err().to_string();
    assert!(error.contains("no.sif"), "{error}");
}

#[test]
fn without_an_engine_the_backend_is_not_available() {
    let home = tempfile::tempdir().unwrap();
    let nowhere = vars(&[("PATH", "/nonexistent")]);
    let error = Apptainer::new(options(home.path()), &nowhere).err().expect("none").to_string();
    assert!(error.contains("apptainer nor singularity"), "{error}");
}

#[tokio::test]
async fn granted_variables_are_seen_inside() {
    let folder = tempfile::tempdir().unwrap();
    let place = started(options(folder.path())).await;
    let call = hermes_exec::ShellCall {
        script: "echo $A_KEY",
        shell: hermes_exec::ShellKind::Plain,
        variables: hermes_exec::Variables::Inherited,
        granted: &[("A_KEY".to_owned(), "hush, hush".to_owned())],
        input: ClientInput::None,
        tag: "x".to_owned(),
    };
    let done = place.client(&call).run().await.unwrap();
    assert_eq!(done.stdout.text().trim_end(), "hush, hush");
    place.clean_up().await;
}

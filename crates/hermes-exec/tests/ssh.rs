//! Commands on another machine, against a real server.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hermes_exec::{
    Backend, BackendState, ClientInput, ClientTrouble, Environment, ShellMemory, Ssh, SshOptions,
    SyncScope, SyncSources,
};
use hermes_process::{End, PtySize};

mod parts;

use parts::backends::{part, ssh_options as options, vars};
use parts::{
    a_late_command_is_ended, client, eventually, kill, killed_while_holding, output,
    processes_with, run, said,
};

/// A folder for sockets whose name is short enough.
fn temp() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("hx").tempdir_in("/tmp").expect("a folder")
}

fn ssh(options: SshOptions, temp: &Path) -> Ssh {
    Ssh::new(options, &vars(&[("TMPDIR", &temp.to_string_lossy())])).expect("a client")
}

async fn connected(temp: &Path) -> Ssh {
    let place = ssh(options(), temp);
    assert_eq!(place.before_execute().await.expect("a connection"), BackendState::Anew);
    place
}

fn sockets(temp: &Path) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(temp).expect("a folder").flatten();
    let inside = folders.flat_map(|folder| std::fs::read_dir(folder.path()).into_iter().flatten());
    inside.flatten().map(|entry| entry.path()).collect()
}

fn masters(temp: &Path) -> Vec<i32> {
    processes_with(&[&*temp.to_string_lossy(), " -M -N "])
}

#[tokio::test]
async fn scripts_arrive_unchanged_and_their_codes_come_back() {
    let temp = temp();
    let place = connected(temp.path()).await;
    assert_eq!(place.before_execute().await.unwrap(), BackendState::AsBefore);
    assert_eq!(place.first_cwd(), part("HERMES_TEST_SSH_HOME"));
    let odd = "printf '%s\\n' 'it'\"'\"'s $HOME `x` \\n' \"two\nlines\"; echo ä > /dev/stdout";
    assert_eq!(output(&place, odd).await, "it's $HOME `x` \\n\ntwo\nlines\nä");
    assert_eq!(output(&place, "cat").await, "", "without input there is none");
    let done = run(&place, "echo words >&2; exit 7").await;
    assert_eq!((done.end, done.stderr.text().as_str()), (End::Exited(7), "words\n"));
    let echoed = client(&place, "cat; exit 3", ClientInput::Forwarded).stdin_bytes("one\r\ntwo\0");
    let done = echoed.run().await.unwrap();
    assert_eq!((done.end, done.stdout.text().as_str()), (End::Exited(3), "one\r\ntwo\0"));
    place.clean_up().await;
}

#[tokio::test]
async fn a_program_can_have_a_terminal() {
    let temp = temp();
    let place = connected(temp.path()).await;
    let size = PtySize { rows: 30, columns: 120 };
    let call =
        client(&place, "test -t 0 && stty size && echo $TERM", ClientInput::Terminal).pty(size);
    let done = call.deadline(Duration::from_secs(20)).run().await.unwrap();
    let text = done.stdout.text();
    assert!(text.contains("30 120") && text.contains("xterm-256color"), "{text:?}");
    place.clean_up().await;
}

#[tokio::test]
async fn a_lost_connection_is_told_and_made_again() {
    let temp = temp();
    let place = connected(temp.path()).await;
    let long = client(&place, "echo begun; sleep 20", ClientInput::None);
    let running = tokio::spawn(long.run());
    eventually("the command runs", || {
        !processes_with(&[&*temp.path().to_string_lossy(), "sleep 20"]).is_empty()
    })
    .await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    for master in masters(temp.path()) {
        kill(master);
    }
    let done = running.await.unwrap().unwrap();
    assert_eq!(done.end, End::Exited(255));
    let trouble = place.trouble(255, &done.stderr.text());
    assert!(matches!(trouble, Some(ClientTrouble::Unreachable(_))), "{trouble:?}");
    assert_eq!(place.before_execute().await.unwrap(), BackendState::Anew);
    assert_eq!(output(&place, "echo again").await, "again");
    assert_eq!(place.trouble(255, ""), None, "a command may end with that code");
    place.clean_up().await;
}

#[tokio::test]
async fn failures_say_what_to_do() {
    let temp = temp();
    let with = |change: &dyn Fn(&mut SshOptions)| {
        let mut options = options();
        change(&mut options);
        ssh(options, temp.path())
    };
    // Any key that is not the server's.
    let other_key =
        std::fs::read_to_string(format!("{}.pub", part("HERMES_TEST_SSH_KEY"))).unwrap();
    let known = temp.path().join("known_hosts");
    let line =
        format!("[{}]:{} {other_key}", part("HERMES_TEST_SSH_HOST"), part("HERMES_TEST_SSH_PORT"));
    std::io::Write::write_all(&mut std::fs::File::create(&known).unwrap(), line.as_bytes())
        .unwrap();
    for (place, advice) in [
        (with(&|it| it.settings.port = 1), "terminal.ssh_port"),
        (with(&|it| it.settings.key = Some("/dev/null".into())), "ssh-add"),
        (with(&|it| it.settings.host = "no-such-host.invalid".into()), "terminal.ssh_host"),
        (
            with(&|it| it.options = vec![format!("UserKnownHostsFile={}", known.display())]),
            "ssh-keygen -R",
        ),
    ] {
        let error = place.before_execute().await.expect_err(advice).to_string();
        assert!(error.contains(advice), "{advice} in {error}");
    }
    assert_eq!(masters(temp.path()), Vec::<i32>::new());
}

#[tokio::test]
async fn nothing_is_left_after_the_end() {
    let temp = temp();
    let place = connected(temp.path()).await;
    assert_eq!((sockets(temp.path()).len(), masters(temp.path()).len()), (1, 1));
    place.clean_up().await;
    assert_eq!(sockets(temp.path()), Vec::<PathBuf>::new());
    assert_eq!(masters(temp.path()), Vec::<i32>::new());
    assert_eq!(place.before_execute().await.unwrap(), BackendState::Anew, "it can be used again");
    drop(place);
    eventually("the master leaves", || masters(temp.path()).is_empty()).await;
    assert_eq!(sockets(temp.path()), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn a_connection_dies_with_us_even_when_we_are_killed() {
    let temp = temp();
    let held = killed_while_holding("ssh", temp.path()).await;
    assert_eq!(held.trim_end(), "held");
    eventually("the master is gone", || masters(temp.path()).is_empty()).await;
    // The socket is cleared by whoever comes next.
    let place = connected(temp.path()).await;
    assert_eq!(sockets(temp.path()).len(), 1);
    place.clean_up().await;
}

#[tokio::test]
async fn a_session_begins_at_home_and_goes_on_when_the_connection_is_lost() {
    let temp = temp();
    let place = Arc::new(connected(temp.path()).await);
    let environment = Environment::start(place, ShellMemory::Kept).await.expect("a session");
    assert_eq!(environment.cwd(), part("HERMES_TEST_SSH_HOME"));
    assert_eq!(said(&environment, "export A=1; cd /usr; pwd; echo words >&2").await, "/usr\nwords");
    assert_eq!(said(&environment, "echo $A; pwd").await, "1\n/usr");
    for master in masters(temp.path()) {
        kill(master);
    }
    eventually("the master is gone", || masters(temp.path()).is_empty()).await;
    assert_eq!(said(&environment, "pwd").await, "/usr");
    a_late_command_is_ended(&environment).await;
    environment.clean_up().await;
    assert_eq!(masters(temp.path()), Vec::<i32>::new());
}

#[tokio::test]
async fn files_are_brought_before_commands_and_changes_fetched_at_the_end() {
    let temp = temp();
    let home = tempfile::tempdir().unwrap();
    let name = temp.path().file_name().unwrap().to_string_lossy().into_owned();
    let put = |path: &str, content: &str| {
        let path = home.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::io::Write::write_all(&mut std::fs::File::create(path).unwrap(), content.as_bytes())
            .unwrap();
    };
    let (skill, token) = (format!("skills/{name}/SKILL.md"), format!("{name}.json"));
    put(&skill, "here");
    put(&token, "secret");
    let shown = SyncSources {
        home: home.path().to_owned(),
        credential_files: vec![token.clone()],
        external_skills: Vec::new(),
        scope: SyncScope::Everything,
    };
    let place = ssh(SshOptions { shown: Some(shown), ..options() }, temp.path());
    place.before_execute().await.unwrap();
    let seen =
        output(&place, &format!("cd ~/.hermes && cat {skill} {token} && stat -c %a {token}")).await;
    assert_eq!(seen, "heresecret600");

    put(&skill, "here, changed");
    place.before_execute().await.unwrap();
    assert_eq!(output(&place, &format!("cat ~/.hermes/{skill}")).await, "here, changed");

    let change = format!(
        "cd ~/.hermes && echo there >{skill} && echo new >skills/{name}/new.md && echo stolen >{token}"
    );
    output(&place, &change).await;
    place.clean_up().await;
    let read = |path: &str| std::fs::read_to_string(home.path().join(path)).unwrap_or_default();
    assert_eq!(read(&skill), "there\n");
    assert_eq!(read(&format!("skills/{name}/new.md")), "new\n");
    assert_eq!(read(&token), "secret");

    // What is removed here is removed there.
    place.before_execute().await.unwrap();
    std::fs::remove_dir_all(home.path().join(format!("skills/{name}"))).unwrap();
    std::fs::remove_file(home.path().join(&token)).unwrap();
    place.before_execute().await.unwrap();
    let left = output(&place, &format!("find ~/.hermes -type f -path '*{name}*'")).await;
    assert_eq!(left, "");
    output(&place, &format!("rm -rf ~/.hermes/skills/{name}")).await;
    place.clean_up().await;
}

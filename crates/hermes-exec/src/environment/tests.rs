use std::collections::BTreeMap;
use std::path::Path;

use tokio_util::sync::CancellationToken;

use super::*;
use crate::local::{Local, LocalOptions};

async fn local_in(cwd: &Path) -> Environment {
    local_with(cwd, "/usr/local/bin:/usr/bin:/bin", None).await
}

async fn local_with(cwd: &Path, path: &str, temp_dir: Option<&Path>) -> Environment {
    let variables = BTreeMap::from(
        [("PATH", path), ("HOME", "/nonexistent"), ("BASE", "given")]
            .map(|(name, value)| (name.to_owned(), value.to_owned())),
    );
    let options = LocalOptions {
        variables,
        cwd: cwd.to_owned(),
        temp_dir: temp_dir.map(Path::to_owned),
        ..LocalOptions::default()
    };
    let backend = Local::new(options).expect("a shell");
    Environment::start(Arc::new(backend), ShellMemory::Kept).await.expect("a session")
}

async fn local() -> Environment {
    local_in(Path::new("/")).await
}

impl Environment {
    async fn run_text(&self, command: &str) -> ExecResult {
        self.run(command, ExecOptions::default()).await.expect("a run")
    }

    async fn run(&self, command: &str, how: ExecOptions) -> Result<ExecResult, ExecError> {
        self.run_as(CommandOwner::default(), command, how).await
    }

    /// Starts what nobody has judged.
    pub(crate) async fn spawn_text(
        &self,
        command: &str,
        how: SpawnOptions,
    ) -> Result<SpawnedProcess, ExecError> {
        self.spawn_as(CommandOwner::default(), command, how).await
    }

    /// Runs several commands and returns what the last one wrote.
    async fn last_of(&self, commands: &[&str]) -> String {
        let mut output = String::new();
        for command in commands {
            output = self.run_text(command).await.output;
        }
        output.trim_end().to_owned()
    }
}

#[tokio::test]
async fn directory_variables_functions_and_aliases_reach_the_next_command() {
    let env = local().await;
    for (first, second, expected) in [
        ("cd /usr/bin", "pwd", "/usr/bin"),
        ("export GREETING='a b'", "echo \"$GREETING\"", "a b"),
        ("greet() { echo hello $1; }", "greet you", "hello you"),
        ("alias shout='echo LOUD'", "shout", "LOUD"),
        ("declare -x MADE=1", "echo $MADE", "1"),
        ("unset BASE", "echo [${BASE-gone}]", "[gone]"),
        ("export MULTI=$'one\\ntwo'", "echo \"$MULTI\"", "one\ntwo"),
    ] {
        assert_eq!(env.last_of(&[first, second]).await, expected, "{first}");
        assert_eq!(env.last_of(&["true", second]).await, expected, "{first}, a command later");
    }
    env.clean_up().await;
}

/// Each of these is kept in another way: in the environment, in a script, or by hand.
#[tokio::test]
async fn every_kind_of_variable_is_as_it_was_left() {
    let env = local().await;
    let odd = "export QUOTES='a \"b\" $c `d` \\ \\\\ !' EMPTY= BELL=$'\\a\\tx' UTF='grün'; \
               export NOT_SET; declare -ix NUMBER=6*7; declare -rx FIXED=1; export LONG=$(printf \
               '%0110000d' 7) RAW=$'\\377\\n' SHLVL=5 BASH_ENV=/no/such/file IFS=,; cd /usr; cd /";
    env.run_text(odd).await;
    for _ in 0..2 {
        for (command, expected) in [
            ("printf '%s|' \"$QUOTES\" \"$EMPTY\" \"$UTF\"", "a \"b\" $c `d` \\ \\\\ !||grün|"),
            ("printf %s \"$BELL$RAW\" | od -An -tx1", " 07 09 78 ff 0a\n"),
            ("export -p | grep NOT_SET; echo ${NOT_SET-unset}", "declare -x NOT_SET\nunset\n"),
            ("NUMBER=2*3; echo $NUMBER; NUMBER=42", "6\n"),
            ("echo ${#LONG} $SHLVL $BASH_ENV", "110000 5 /no/such/file\n"),
            ("echo $OLDPWD $PWD; env | grep -c ^OLDPWD=/usr$", "/usr /\n1\n"),
            ("(FIXED=2) 2>/dev/null || echo still", "still\n"),
        ] {
            assert_eq!(env.run_text(command).await.output, expected, "{command}");
        }
    }
    assert_eq!(env.run_text("cd - >/dev/null; pwd").await.output, "/usr\n");
    env.clean_up().await;
}

#[tokio::test]
async fn a_shell_is_told_whose_command_it_runs_and_not_whose_the_last_one_was() {
    let env = local().await;
    let names = ["HERMES_SESSION_ID", "HERMES_CRON_AUTO_DELIVER_CHAT_ID"];
    let exports = names.map(|name| (name.to_owned(), "mine".to_owned())).to_vec();
    let how = ExecOptions { exports, ..ExecOptions::default() };
    let show = "f() { :; }; env | grep -c =mine$";
    assert_eq!(env.run(show, how).await.unwrap().output, "2\n");
    assert_eq!(env.run_text(show).await.output, "0\n");
    env.clean_up().await;
}

#[tokio::test]
async fn however_the_shell_ends_its_state_is_kept() {
    for (command, code) in [
        ("cd /usr; export A=1; exit 3", 3),
        ("cd /usr; export A=1; set -e; false; echo no", 1),
        ("cd /usr; export A=1; set -u; echo $nothing_of_that_name", 127),
        ("trap 'exit 9' EXIT; cd /usr; export A=1; false", 9),
        ("cd /usr; export A=1; set -x", 0),
        ("cd() { builtin cd \"$@\"; }; cd /usr; export A=1", 0),
    ] {
        let env = local().await;
        let ran = env.run_text(command).await;
        assert_eq!(ran.code, code, "{command}: {}", ran.output);
        assert!(!ran.output.contains("__hermes"), "{command}: {}", ran.output);
        assert_eq!(env.run_text("echo $A; pwd").await.output, "1\n/usr\n", "{command}");
        env.clean_up().await;
    }
}

#[tokio::test]
async fn a_trap_of_the_command_fires_once_and_sees_its_status() {
    let env = local().await;
    let ran = env.run_text("trap 'echo bye $?' EXIT; cd /usr; exit 4").await;
    assert_eq!((ran.output.as_str(), ran.code), ("bye 4\n", 4));
    assert_eq!(env.cwd(), "/usr");
    assert_eq!(env.run_text("trap 'echo x' EXIT; trap - EXIT; trap -p").await.output, "");
    assert_eq!(env.run_text("( trap 'echo sub' EXIT; cd / )").await.output, "sub\n");
    assert_eq!(env.run_text("trap 'echo got' USR1; kill -USR1 $$").await.output, "got\n");
    assert_eq!(
        env.run_text("type -t trap; declare -F | grep -c hermes").await.output,
        "function\n1\n"
    );
    assert_eq!(env.cwd(), "/usr");
    env.clean_up().await;
}

#[tokio::test]
async fn a_directory_given_for_one_command_is_not_remembered() {
    let env = local().await;
    let at = |cwd: &str| ExecOptions { cwd: Some(cwd.to_owned()), ..ExecOptions::default() };
    let ran = env.run("pwd", at("/usr")).await.unwrap();
    assert_eq!(ran.output, "/usr\n");
    assert_eq!(env.cwd(), "/");
    env.run("cd bin", at("/usr")).await.unwrap();
    assert_eq!(env.cwd(), "/usr/bin");
    let ran = env.run("pwd", at("/no/such/place")).await.unwrap();
    assert_eq!(ran.code, 126);
    assert_eq!(env.cwd(), "/usr/bin");
    env.clean_up().await;
}

#[tokio::test]
async fn deadlines_and_interrupts_are_told() {
    let env = local().await;
    let short = ExecOptions { timeout: Duration::from_millis(300), ..ExecOptions::default() };
    let ran = env.run("cd /usr; echo begun; sleep 10", short.clone()).await.unwrap();
    assert_eq!((ran.code, ran.ending), (124, ExecEnd::TimedOut));
    assert_eq!(ran.output, "begun\n\n[Command timed out after 0s]");
    let ran = env.run("sleep 10", short).await.unwrap();
    assert_eq!(ran.output, "[Command timed out after 0s]");

    let cancel = CancellationToken::new();
    let how = ExecOptions { cancel: cancel.clone(), ..ExecOptions::default() };
    let run = env.run("echo begun; sleep 10", how);
    let stop = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        cancel.cancel();
    };
    let (ran, ()) = tokio::join!(run, stop);
    let ran = ran.unwrap();
    assert_eq!((ran.code, ran.ending), (130, ExecEnd::Interrupted));
    assert!(ran.output.ends_with("begun\n\n[Command interrupted]"), "{}", ran.output);
    env.clean_up().await;
}

#[tokio::test]
async fn input_syntax_errors_and_odd_text_reach_the_shell_unchanged() {
    let env = local().await;
    let how = ExecOptions { stdin: Some(b"one\r\ntwo".to_vec()), ..ExecOptions::default() };
    let ran = env.run("cat", how).await.unwrap();
    assert_eq!(ran.output, "one\r\ntwo");
    assert_eq!(env.run_text("cat").await.output, "", "without input there is none");
    assert_eq!(env.run_text("").await.code, 0);
    let ran = env.run_text("echo \"open").await;
    assert_ne!(ran.code, 0);
    assert!(ran.output.contains("line 1"), "{}", ran.output);
    assert_eq!(env.run_text("cat <<'E'\nit's $HOME\nE").await.output, "it's $HOME\n");
    assert_eq!(env.run_text("printf 'a\\0b' | od -An -c").await.output.trim(), "a  \\0   b");
    env.clean_up().await;
}

#[tokio::test]
async fn a_session_leaves_no_file_behind_and_lets_nobody_in() {
    use std::os::unix::fs::PermissionsExt as _;
    let env = local().await;
    let folder = env.state().scripts.folder().to_owned();
    let mode = std::fs::metadata(&folder).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    let files = || -> Vec<_> {
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    };
    env.run_text("export A=1").await;
    assert_eq!(files(), ["prelude.sh"]);
    env.run_text("f() { :; }").await;
    let mut both = files();
    both.sort();
    assert_eq!(both, ["prelude.sh", "snapshot1.sh"]);
    env.clean_up().await;
    assert!(!Path::new(&folder).exists());
}

#[tokio::test]
async fn commands_at_once_do_not_disturb_each_other() {
    let env = Arc::new(local().await);
    let mut runs = tokio::task::JoinSet::new();
    for n in 0..20 {
        let env = Arc::clone(&env);
        runs.spawn(async move { (n, env.run_text(&format!("export N{n}={n}; echo {n}")).await) });
    }
    while let Some(done) = runs.join_next().await {
        let (n, ran) = done.unwrap();
        assert_eq!((ran.output, ran.code), (format!("{n}\n"), 0));
    }
    assert_eq!(env.run_text("echo ${BASE}").await.output, "given\n", "the snapshot is whole");
    env.clean_up().await;
}

/// A stand-in that wants the password "s3cret" and then runs what it is given, but never without
/// having asked the program it was told to ask.
const SUDO: &str = r#"#!/bin/bash
[[ $1 == -n ]] && exit 1
[[ $1 == -A && $2 == -p ]] || { echo "called with: $*"; exit 9; }
[[ $("$SUDO_ASKPASS" "${prompt:-$3}") == s3cret ]] || { echo "sudo: 3 incorrect password attempts"; exit 1; }
shift 3
exec "$@"
"#;

#[tokio::test]
async fn sudo_is_told_the_password_and_the_command_reads_its_own_input() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sudo");
    std::io::Write::write_all(&mut std::fs::File::create_new(&file).unwrap(), SUDO.as_bytes())
        .unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let env = local_with(Path::new("/"), &path, Some(folder.path())).await;
    // Start-up files of the machine may have set another one.
    env.run_text(&format!("export SUDO_ASKPASS=/own PATH={path}")).await;
    let told = |password: &str| ExecOptions {
        sudo: Some(Arc::new(password.to_owned())),
        stdin: Some(b"input\n".to_vec()),
        ..ExecOptions::default()
    };
    for (command, expected) in [
        ("sudo cat", "input\n"),
        ("echo x | sudo cat; cat", "x\ninput\n"),
        ("sudo true && sudo echo twice", "twice\n"),
        ("exec sudo echo replaced", "replaced\n"),
        // A system of another language has a prompt of its own.
        ("prompt='Passwort: ' sudo echo understood", "understood\n"),
        // Where nothing may be executed.
        ("SUDO_ASKPASS=/bin/cat sudo echo read", "read\n"),
        (
            "env | grep -c s3[c]ret; sudo true; sudo cat /proc/$$/cmdline | grep -c s3[c]ret",
            "0\n0\n",
        ),
    ] {
        let ran = env.run(command, told("s3cret")).await.unwrap();
        assert_eq!(ran.output, expected, "{command}");
        assert_eq!(env.run_text("echo $SUDO_ASKPASS").await.output, "/own\n", "{command}");
    }
    let ran = env.run("sudo cat", told("wrong")).await.unwrap();
    assert!(sudo::refused(&ran.output), "{}", ran.output);
    let folder = env.state().scripts.folder().to_owned();
    let files: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files, ["prelude.sh"], "no password is left behind");
    env.clean_up().await;
}

#[tokio::test]
async fn a_command_longer_than_an_argument_runs_as_any_other() {
    let env = local().await;
    let long = format!("export LENGTH=${{#x}}; : '{}'; cat; echo $LENGTH", "\"' ".repeat(80_000));
    let long = long.replace("\"' ", "\"'\\'' ");
    let how = ExecOptions { stdin: Some(b"input\n".to_vec()), ..ExecOptions::default() };
    let ran = env.run(&long, how).await.unwrap();
    assert_eq!((ran.output.as_str(), ran.code), ("input\n0\n", 0));
    let mut spawned = env.spawn_text(&long, SpawnOptions::default()).await.unwrap();
    let mut pipe = spawned.child.take_stdin().unwrap();
    pipe.write_all(b"more\n").await.unwrap();
    drop(pipe);
    let mut output = String::new();
    let mut pipe = spawned.child.take_stdout().unwrap();
    tokio::io::AsyncReadExt::read_to_string(&mut pipe, &mut output).await.unwrap();
    assert_eq!(output, "more\n0\n");
    let error = env.run("echo \0", ExecOptions::default()).await.unwrap_err();
    assert!(error.to_string().contains("NUL"), "{error}");
    env.clean_up().await;
}

#[tokio::test]
async fn what_a_conversation_was_granted_only_its_own_commands_see_and_no_list_of_processes_shows()
{
    let granted = Arc::new(GrantedVariables::default());
    let env = local().await.with_granted(Arc::clone(&granted));
    let own = CommandOwner { session: "mine", ..CommandOwner::default() };
    granted.add("mine", [("A_KEY".to_owned(), "hush-hush".to_owned())]);
    let run = |owner, command: &'static str| env.run_as(owner, command, ExecOptions::default());
    assert_eq!(run(own, "echo $A_KEY").await.unwrap().output, "hush-hush\n");
    assert_eq!(run(CommandOwner::default(), "echo [$A_KEY]").await.unwrap().output, "[]\n");
    // Read with builtins only: a child's words would hold the pattern.
    let look = "for f in /proc/[0-9]*/cmdline; do IFS= read -r -d '' w <$f; while [ -n \"$w\" ]; do \
                case $w in *\"$A_KEY\"*) echo seen;; esac; IFS= read -r -d '' w || break; done <$f; done 2>/dev/null; \
                echo end";
    assert_eq!(run(own, look).await.unwrap().output, "end\n");
    assert_eq!(run(own, "export A_KEY=other; true").await.unwrap().code, 0);
    assert_eq!(
        run(own, "echo $A_KEY").await.unwrap().output,
        "other\n",
        "what it set by itself stays"
    );
    env.clean_up().await;
}

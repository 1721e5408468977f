//! `hermes completion`.

use crate::support::Sandbox;

const SUBCOMMANDS: [&str; 8] =
    ["tools", "toolsets", "config", "hooks", "doctor", "schema", "resolve", "approve"];

#[test]
fn every_shell_gets_a_script_with_all_subcommands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = Sandbox::new().run(["completion", shell]).exits(0).quietly();
        assert!(run.out.contains("HERMES_COMPLETE"), "{shell}: {}", run.out);
    }
    let run = Sandbox::new().run(["completion", "nushell"]).exits(0).quietly();
    for name in SUBCOMMANDS {
        assert!(run.out.contains(name), "nushell lacks {name}");
    }
}

#[test]
fn bash_accepts_its_script() {
    Sandbox::new().shell(r#""$HERMES" completion bash | bash -n"#).exits(0).quietly();
}

#[test]
fn bash_completes_commands_and_flags() {
    offers(&Sandbox::new(), &["tools", "s"], &["show", "schema"]);
}

/// What a shell would offer after these words.
#[track_caller]
fn offers(sandbox: &Sandbox, words: &[&str], wanted: &[&str]) {
    let mut command = sandbox.command();
    let command = command.env("HERMES_COMPLETE", "fish").arg("--").arg("hermes").args(words);
    let out = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let names: Vec<&str> = out.lines().map(|line| line.split('\t').next().unwrap()).collect();
    for name in wanted {
        assert!(names.contains(name), "{words:?} offers {names:?}");
    }
}

#[test]
fn names_of_this_installation_are_offered() {
    let server = hermes_testkit::ModelServer::start([hermes_testkit::Step::text("Hi.")]);
    let sandbox = Sandbox::with_config(&format!(
        "model: {{ provider: custom, base_url: '{}', default: scripted, context_length: 200000 }}\n",
        server.url()
    ));
    sandbox.run(["-z", "hello"]).exits(0);
    let listed = sandbox.run(["sessions", "list", "--json"]).exits(0).json();
    let id = listed[0]["id"].as_str().unwrap().to_owned();
    offers(&sandbox, &["--resume", &id[..4]], &[&id]);
    offers(&sandbox, &["tools", "show", "read_"], &["read_file"]);
    offers(&sandbox, &["tools", "enable", "we"], &["web"]);
    offers(&sandbox, &["config", "get", "display.st"], &["display.status_line"]);
    std::fs::create_dir_all(sandbox.path("profiles/work")).unwrap();
    offers(&sandbox, &["-p", "w"], &["work"]);
}

#[test]
fn a_broken_installation_offers_nothing_and_says_nothing() {
    let sandbox = Sandbox::with_config("model: [oops\n");
    let mut command = sandbox.command();
    let words = ["--", "hermes", "--resume", "2"];
    let done = command.env("HERMES_COMPLETE", "fish").args(words).output().unwrap();
    assert!(done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn there_are_manual_pages() {
    let sandbox = Sandbox::new();
    sandbox.run(["man"]).exits(0).quietly().says(".TH hermes 1");
    sandbox.run(["man", "sessions", "export"]).exits(0).says("for stdout");
    sandbox.run(["man", "nosuch"]).exits(2).notes("no command `nosuch`");
    let folder = sandbox.scratch("pages");
    sandbox.run(["man", "--dir", folder.to_str().unwrap()]).exits(0);
    assert!(folder.join("hermes.1").exists() && folder.join("hermes-tools-call.1").exists());
}

#[test]
fn a_command_of_the_python_program_that_is_missing_says_so() {
    for words in [&["kanban", "list"][..], &["portal"], &["slack", "manifest"], &["computer-use"]] {
        let run = Sandbox::new().run(words).exits(2).notes("is not built yet").notes("/issues");
        assert!(!run.err.contains("similar"), "{}", run.err);
    }
    Sandbox::new().run(["tolls"]).exits(2).notes("unrecognized subcommand");
}

#[test]
fn an_unknown_shell_names_the_known_ones() {
    Sandbox::new()
        .run(["completion", "tcsh"])
        .exits(2)
        .notes("bash, zsh, fish, elvish, powershell, nushell");
}

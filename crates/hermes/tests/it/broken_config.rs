//! A `config.yaml` that cannot be read: named with its place, never changed, and nothing that acts runs
//! until it is mended; what only looks still works.

use crate::support::Sandbox;

const BROKEN: &str = "# keep me\nmodel: some\ntools:\n  coercion: [deep\nplatform_toolsets: {}\n";

#[test]
fn the_message_names_file_line_and_problem() {
    let sandbox = Sandbox::with_config(BROKEN);
    let place = format!("{}:5:", sandbox.path("config.yaml").display());
    let run =
        sandbox.run(["config", "check"]).exits(1).notes(&place).notes("platform_toolsets: {}");
    assert!(run.err.lines().any(|line| line.trim() == "^"), "the place is shown: {run:#?}");
    let checked = sandbox.run(["config", "check", "--json"]).exits(1).json();
    assert_eq!(checked["valid"], false);
    assert_eq!(checked["line"], 5);
}

#[test]
fn each_way_of_being_broken_is_told() {
    for (text, problem) in [
        ("a: 1\na: 2\n", "the key `a` is there twice"),
        ("just words\n", "it is a text"),
        ("- a\n- b\n", "it is a list"),
        ("42\n", "it is a number"),
        ("a:\n\tb: 1\n", "tab"),
        ("a: &x [*x]\n", "config.yaml:1:"),
        ("a: \"unclosed\n", "config.yaml:"),
    ] {
        let sandbox = Sandbox::with_config(text);
        sandbox.run(["config", "check"]).exits(1).notes(problem);
        sandbox.run(["tools", "list"]).exits(0).notes("warning:").notes(problem);
        assert_eq!(sandbox.read("config.yaml"), text);
    }
}

#[test]
fn bytes_that_are_no_text_are_told_with_their_place() {
    let sandbox = Sandbox::with_config("");
    crate::support::write(&sandbox.path("config.yaml"), b"model: x\nname: \xff\n");
    sandbox.run(["config", "check"]).exits(1).notes("config.yaml:2:7").notes("not UTF-8");
}

#[test]
fn other_commands_work_with_a_loud_warning() {
    let sandbox = Sandbox::with_config(BROKEN);
    for (args, code) in [
        (&["tools", "list"][..], 0),
        (&["tools", "show", "todo"], 0),
        (&["tools", "schema"], 0),
        (&["toolsets", "list"], 0),
        (&["toolsets", "resolve", "todo"], 0),
    ] {
        let run = sandbox.run(args).exits(code);
        assert!(!run.out.is_empty(), "{run:#?}");
        run.notes("warning: the configuration is broken, and until it is mended nothing runs")
            .notes("config.yaml:5:")
            .notes("hermes config edit");
    }
    for args in [&["config", "path"][..], &["config", "keys"], &["completion", "bash"]] {
        sandbox.run(args).exits(0).quietly();
    }
    assert_eq!(sandbox.entries(), ["config.yaml"]);
}

#[test]
fn the_warning_stays_out_of_the_data() {
    let sandbox = Sandbox::with_config(BROKEN);
    let sound = Sandbox::new();
    for args in [&["tools", "list", "--json"][..], &["tools", "schema"]] {
        assert_eq!(sandbox.run(args).exits(0).out, sound.run(args).exits(0).out);
    }
}

#[test]
fn commands_about_the_configuration_refuse() {
    let sandbox = Sandbox::with_config(BROKEN);
    for args in [
        &["config", "show"][..],
        &["config", "get", "model"],
        &["hooks", "list"],
        &["hooks", "approve"],
    ] {
        let run = sandbox.run(args).exits(1).notes("config.yaml:5:");
        assert_eq!(run.out, "");
    }
}

#[test]
fn changing_a_broken_file_changes_nothing() {
    let sandbox = Sandbox::with_config(BROKEN);
    sandbox.run(["config", "set", "model", "other"]).exits(1).notes("was not changed");
    sandbox.run(["config", "unset", "model"]).exits(1).notes("config.yaml:5:");
    sandbox.run(["tools", "disable", "todo"]).exits(1).notes("config.yaml:5:");
    assert_eq!(sandbox.read("config.yaml"), BROKEN);
}

#[test]
fn the_editor_opens_a_broken_file() {
    let sandbox = Sandbox::with_config(BROKEN);
    let editor = sandbox.script("editor", "sed -i 's/\\[deep/deep/' \"$1\"");
    let sandbox = sandbox.var("EDITOR", editor);
    sandbox.run(["config", "edit"]).exits(0).says("is fine");
    assert_eq!(sandbox.read("config.yaml"), BROKEN.replace("[deep", "deep"));
}

#[test]
fn wrong_kinds_of_values_stop_nothing() {
    let sandbox = Sandbox::with_config(
        "tools: 5\nhooks: 5\nplatform_toolsets: 7\ncustom_toolsets: x\nmcp_servers: [1]\nmodel: ${NOPE}\n",
    );
    for args in [
        &["tools", "list"][..],
        &["tools", "schema"],
        &["toolsets", "list"],
        &["hooks", "list"],
        &["config", "show"],
        &["config", "check"],
        &["tools", "call", "todo", "-n"],
    ] {
        sandbox.run(args).exits(0);
    }
}

#[test]
fn a_folder_in_place_of_the_file_is_told() {
    let sandbox = Sandbox::with_config("");
    std::fs::remove_file(sandbox.path("config.yaml")).unwrap();
    std::fs::create_dir(sandbox.path("config.yaml")).unwrap();
    sandbox.run(["tools", "list"]).exits(0).notes("cannot read").notes("Is a directory");
    sandbox.run(["config", "set", "model", "x"]).exits(1).notes("Is a directory");
}

#[test]
fn toolsets_nobody_knows_are_warned_about_and_stop_nothing() {
    let sandbox = Sandbox::with_config("platform_toolsets:\n  cli: [todo, memmory]\n");
    for args in [["tools", "list"], ["tools", "schema"]] {
        let run = sandbox.run(args).exits(0).says("todo");
        run.notes("warning: unknown toolset `memmory`").notes("did you mean `memory`?");
    }
}

#[test]
fn custom_toolsets_that_make_no_sense_are_told() {
    let sandbox = Sandbox::with_config("custom_toolsets:\n  mine: 5\n");
    let run = sandbox.run(["tools", "list"]).exits(0).notes("toolsets.mine");
    assert!(!run.err.contains('\u{1b}'), "{run:#?}");
}

/// What cannot be read, each in another way.
fn unreadable() -> Vec<(&'static str, Sandbox)> {
    let odd = |make: &dyn Fn(&std::path::Path)| {
        let sandbox = Sandbox::with_config("");
        let file = sandbox.path("config.yaml");
        std::fs::remove_file(&file).unwrap();
        make(&file);
        sandbox
    };
    vec![
        ("config.yaml:5:1", Sandbox::with_config(BROKEN)),
        ("not UTF-8", odd(&|file| crate::support::write(file, b"a: \xff\n"))),
        (
            "not a file",
            odd(&|file| {
                nix::unistd::mkfifo(file, nix::sys::stat::Mode::S_IRWXU).unwrap();
            }),
        ),
        ("Is a directory", odd(&|file| std::fs::create_dir(file).unwrap())),
        (
            "a link to a file that is not there",
            odd(&|file| {
                std::os::unix::fs::symlink("/nonexistent/config.yaml", file).unwrap();
            }),
        ),
    ]
}

#[test]
fn broken_configuration_fails_closed() {
    for (problem, sandbox) in unreadable() {
        let made = sandbox.path("made");
        let write = format!("path={}", made.display());
        let touch = format!("command=touch {}", made.display());
        for args in [
            &["tools", "call", "terminal", "-a", &touch][..],
            &["tools", "call", "process", "-a", "action=list"],
            &["tools", "call", "execute_code", "-a", "code=print(1)"],
            &["tools", "call", "write_file", "-a", &write, "-a", "content=x"],
            &["tools", "call", "patch", "-a", &write, "-a", "old_string=a", "-a", "new_string=b"],
            &["serve", "--listen", "127.0.0.1:0"],
            &["mcp", "serve"],
            &["-z", "hello"],
            &["chat"],
        ] {
            let run = sandbox.run(args).exits(1).notes(problem).notes("hermes config edit");
            assert_eq!(run.out, "", "{args:?}");
        }
        assert!(!made.exists(), "{problem}");
        for args in
            [&["config", "path"][..], &["tools", "list"], &["sessions", "list"], &["--help"]]
        {
            sandbox.run(args).exits(0);
        }
        assert!(sandbox.run(["doctor"]).out.contains("config"), "{problem}");
        sandbox.run(["config", "check"]).exits(1).notes(problem);
    }
}

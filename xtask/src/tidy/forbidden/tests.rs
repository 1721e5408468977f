use super::super::breaches;
use super::*;

#[test]
fn unsafe_is_found_outside_its_home_and_only_in_code() {
    let code = "fn f() {\n    unsafe { g() }\n}";
    let files = [
        ("crates/hermes-process/src/lib.rs", code),
        ("crates/hermes/src/lib.rs", code),
        ("xtask/src/main.rs", "// unsafe\nconst WORD: &str = \"unsafe\";"),
    ];
    let found = breaches(unsafe_code_has_one_home, &files);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("crates/hermes/src/lib.rs:2: "), "{found:?}");
}

#[test]
fn every_way_to_name_the_command_is_found() {
    for code in [
        "fn f() { std::process::Command::new(\"x\"); }",
        "use std::process::Command;",
        "use std::process::{ExitCode, Command as Cmd};",
        "use std::{io, process::{Command, Stdio}};",
        "fn f() { process::Command::new(\"x\"); }",
        "use tokio::process::Command;",
    ] {
        let found = breaches(processes_start_in_one_place, &[("crates/hermes/src/a.rs", code)]);
        assert_eq!(found.len(), 1, "{code}: {found:?}");
    }
}

#[test]
fn other_commands_and_other_places_are_fine() {
    for code in [
        "use std::process::{ExitCode, Stdio}; use clap::Command;",
        "use hermes_process::Command;",
        "fn f() { std::process::exit(1); }",
    ] {
        let found = breaches(processes_start_in_one_place, &[("crates/hermes/src/a.rs", code)]);
        assert_eq!(found, Vec::<String>::new(), "{code}");
    }
    let code = "use std::process::Command;";
    let places = [("bench/src/a.rs", code), ("crates/hermes-process/tests/a.rs", code)];
    assert_eq!(breaches(processes_start_in_one_place, &places), Vec::<String>::new());
}

#[test]
fn unfinished_work_is_found_but_a_tool_called_todo_is_not() {
    let code = "fn todo() -> bool { todo != 3 }\nfn f() { todo!(); }\nfn g() { dbg![1]; }";
    let found = breaches(nothing_is_left_unfinished, &[("src/a.rs", code)]);
    assert_eq!(
        found,
        [
            "src/a.rs:2: `todo!`: finish it or take it out",
            "src/a.rs:3: `dbg!`: finish it or take it out",
        ]
    );
}

#[test]
fn switched_off_tests_and_examples_are_found() {
    let code = "#[test]\n#[ignore = \"slow\"]\nfn a() {}\n\
                #[cfg_attr(miri, ignore)]\nfn b() {}\n\
                /// ```ignore\n/// x\n/// ```\nfn c() {}\n\
                #[expect(dead_code, reason = \"ignore\")]\nfn d() { let ignore = 1; }";
    let found = breaches(no_test_is_switched_off, &[("src/a.rs", code)]);
    let places: Vec<&str> = found.iter().map(|line| line.split(": ").next().unwrap()).collect();
    assert_eq!(places, ["src/a.rs:2", "src/a.rs:4", "src/a.rs:6"]);
}

#[test]
fn machine_paths_are_found_and_parts_of_other_paths_are_not() {
    for folder in MACHINE_FOLDERS {
        let path = format!("/{folder}/");
        for text in [path.clone(), format!("see `{path}main`"), format!("HOME={path}x")] {
            assert_eq!(machine_path(&text), Some(path.clone()), "{text}");
        }
        for text in [format!("src{path}mod.rs"), format!("~{path}a"), format!("/{folder}space/")] {
            assert_eq!(machine_path(&text), None, "{text}");
        }
    }
    assert_eq!(machine_path("/home/ada/project and /srv/data"), None);
}

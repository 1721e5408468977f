//! `hermes sessions` on a database made by the store, as conversations leave it.

use hermes_sessions::{NewMessage, NewSession, SessionDatabase, Usage};

use crate::support::{Run, Sandbox, column, std_command};

/// Three sessions: one of today, one old, one of a helper.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let store = SessionDatabase::at(sandbox.path("state.db"));
    let talk = [
        ("20260101_000000_aaaaaa", "cli", None, "where does the zebra cross?"),
        ("20200101_000000_bbbbbb", "cli", Some(1_577_836_800.0), "an old giraffe"),
        ("20260102_000000_cccccc", "subagent", None, "a zebra for the helper"),
    ];
    for (id, source, at, text) in talk {
        let new = NewSession {
            id: id.into(),
            source: source.into(),
            model: Some("test/model".into()),
            started_at: at,
            ..NewSession::default()
        };
        store.create(&new).unwrap();
        let said = |role, text: &str| NewMessage { timestamp: at, ..NewMessage::new(role, text) };
        store.append(id, &[said("user", text), said("assistant", "At the street.")]).unwrap();
    }
    store.set_title("20260101_000000_aaaaaa", "Animals").unwrap();
    let usage = Usage { model: "test/model".into(), input_tokens: 7, ..Usage::default() };
    store.add_usage("20260101_000000_aaaaaa", &usage).unwrap();
    sandbox
}

fn ids(run: &Run) -> Vec<String> {
    column(&run.json(), "id").into_iter().map(str::to_owned).collect()
}

#[test]
fn an_empty_home_has_no_sessions_and_gets_none() {
    let sandbox = Sandbox::new();
    sandbox.run(["sessions", "list"]).exits(0).notes("no sessions here yet");
    assert_eq!(sandbox.run(["sessions", "list", "--json"]).exits(0).json(), serde_json::json!([]));
    sandbox.run(["sessions", "search", "zebra"]).exits(0);
    sandbox.run(["sessions", "stats", "--json"]).exits(0);
    sandbox.run(["sessions", "show", "x"]).exits(2).notes("there is no session `x`");
    sandbox.run(["sessions", "prune", "--yes"]).exits(0).notes("nothing to remove");
    sandbox.run(["sessions", "repair"]).exits(0);
    assert_eq!(sandbox.entries(), [""; 0]);
}

#[test]
fn the_list_shows_titles_and_hides_helpers() {
    let sandbox = sandbox();
    let run = sandbox.run(["sessions", "list"]).exits(0).quietly();
    let run = run.says("Animals").says("an old giraffe").says("20260101_000000_aaaaaa");
    assert!(!run.out.contains("helper"), "{run:#?}");
    let run = sandbox.run(["sessions", "list", "--json", "--limit", "1"]).exits(0);
    assert_eq!(ids(&run), ["20260101_000000_aaaaaa"]);
    let run = sandbox.run(["sessions", "list", "--json", "--source", "subagent"]).exits(0);
    assert_eq!(ids(&run), ["20260102_000000_cccccc"]);
}

#[test]
fn a_session_is_shown_by_beginning_and_title() {
    let sandbox = sandbox();
    for name in ["Animals", "20260101"] {
        sandbox
            .run(["sessions", "show", name])
            .exits(0)
            .says("where does the zebra cross?")
            .says("7 in, 0 out")
            .quietly();
    }
    let shown = sandbox.run(["sessions", "show", "Animals", "--json"]).exits(0).json();
    assert_eq!(shown["messages"][1]["content"], "At the street.");
    sandbox.run(["sessions", "show", "20"]).exits(2).notes("beginning of several sessions");
}

#[test]
fn a_search_takes_any_punctuation() {
    let sandbox = sandbox();
    for query in ["zebra", "zebra? (cross)", "'zebra\" -- cross", "zeb* NOT giraffe"] {
        let run = sandbox.run(["sessions", "search", query]).exits(0);
        assert_eq!(run.out.matches("_aaaaaa").count(), 1, "{run:#?}");
        assert!(!run.out.contains("cccccc"), "{run:#?}");
    }
    let found = sandbox.run(["sessions", "search", "giraffe", "--json"]).exits(0).json();
    assert_eq!(
        (&found["count"], &found["results"][0]["matched_role"]),
        (&1.into(), &"user".into())
    );
    sandbox.run(["sessions", "search", "NOT zebra"]).exits(0).notes("No session holds this");
}

#[test]
fn exports_go_to_stdout_or_a_file_and_hide_secrets() {
    let sandbox = sandbox();
    let store = SessionDatabase::at(sandbox.path("state.db"));
    let key = format!("sk-proj-{}", "a1B2c3D4".repeat(6));
    let secret = NewMessage::new("user", format!("OPENAI_API_KEY={key}"));
    store.append("20260101_000000_aaaaaa", &[secret]).unwrap();
    drop(store);
    let run = sandbox.run(["sessions", "export"]).exits(0).quietly();
    assert_eq!(run.out.lines().count(), 2, "{run:#?}");
    assert!(run.out.contains(&key));
    let run = sandbox.run(["sessions", "export", "--redact"]).exits(0);
    assert!(!run.out.contains(&key) && run.out.contains("zebra"), "{run:#?}");
    let file = sandbox.scratch("out.md");
    let args =
        ["sessions", "export", file.to_str().unwrap(), "--format", "md", "--session-id", "Animals"];
    sandbox.run(args).exits(0).notes("1 session exported");
    assert!(std::fs::read_to_string(file).unwrap().starts_with("# Animals\n"));
}

#[test]
fn titles_change_but_never_twice() {
    let sandbox = sandbox();
    sandbox.run(["sessions", "rename", "20200101", "Tall", "ones"]).exits(0).says("Tall ones");
    sandbox.run(["sessions", "rename", "20200101", "Animals"]).exits(1).notes("belongs to session");
    sandbox.run(["sessions", "show", "Tall ones"]).exits(0);
}

#[test]
fn nothing_is_removed_without_a_word() {
    let sandbox = sandbox();
    sandbox.run(["sessions", "delete", "Animals"]).exits(1).notes("pass --yes");
    sandbox.run(["sessions", "prune"]).exits(1).notes("pass --yes");
    let run = sandbox.run(["sessions", "prune", "--dry-run", "--json"]).exits(0);
    assert_eq!(ids(&run), ["20200101_000000_bbbbbb"]);
    sandbox.run(["sessions", "prune", "--yes"]).exits(0).says("removed 1 session");
    let refused = sandbox.run_at_terminal(&["sessions", "delete", "Animals"], "n\n");
    assert_eq!(refused.code, Some(1), "{refused:#?}");
    sandbox.run(["sessions", "delete", "Animals", "--yes"]).exits(0).says("removed");
    assert_eq!(sandbox.run(["sessions", "list", "--json"]).exits(0).json(), serde_json::json!([]));
}

#[test]
fn archived_sessions_leave_the_list_only() {
    let sandbox = sandbox();
    sandbox.run(["sessions", "archive", "Animals"]).exits(0).says("archived");
    let run = sandbox.run(["sessions", "list", "--json"]).exits(0);
    assert_eq!(ids(&run), ["20200101_000000_bbbbbb"]);
    sandbox.run(["sessions", "search", "zebra"]).exits(0).says("_aaaaaa");
    sandbox.run(["sessions", "archive", "Animals", "--undo"]).exits(0).says("listed again");
    sandbox.run(["sessions", "archive"]).exits(2).notes("say which session");
    sandbox.run(["sessions", "archive", "--older-than", "1y"]).exits(2).notes("no length of time");
    sandbox
        .run(["sessions", "archive", "--older-than", "90d"])
        .exits(0)
        .notes("1 session archived");
}

#[test]
fn numbers_and_upkeep() {
    let sandbox = sandbox();
    let stats = sandbox.run(["sessions", "stats", "--json"]).exits(0).json();
    assert_eq!(
        (&stats["sessions"], &stats["messages"], &stats["input_tokens"]),
        (&3.into(), &6.into(), &7.into())
    );
    sandbox.run(["sessions", "stats"]).exits(0).says("3 sessions").says("test/model");
    sandbox.run(["sessions", "optimize"]).exits(0).says("before");
    sandbox.run(["sessions", "repair"]).exits(0).says("is sound");
    sandbox.run(["sessions", "repair", "--check", "--json"]).exits(0);
}

#[test]
fn what_is_no_database_is_told_with_a_way_out() {
    let sandbox = Sandbox::new();
    sandbox.write("state.db", &"this is not a database at all ".repeat(200));
    let before = sandbox.read("state.db");
    sandbox.run(["sessions", "list"]).exits(1).notes("hermes sessions repair");
    assert_eq!(sandbox.read("state.db"), before);
    sandbox.run(["sessions", "repair"]).exits(0).says("0 rows moved").says("state.db.backup-");
    sandbox.run(["sessions", "list"]).exits(0).notes("no sessions here yet");
}

/// A home with a database that only the Python program has written.
fn with_python_database() -> Sandbox {
    const MAKER: &str =
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/fixtures/python_state_db.py");
    let sandbox = Sandbox::with_config("");
    let made = std_command("python3").arg(MAKER).arg(sandbox.path("state.db")).status().unwrap();
    assert!(made.success());
    sandbox
}

#[test]
fn a_database_only_the_python_program_has_written_is_listed_searched_exported_and_shown_as_it_is() {
    let sandbox = with_python_database();
    let before = std::fs::read(sandbox.path("state.db")).unwrap();
    sandbox.run(["sessions", "list"]).exits(0).quietly().says("Animals").says("an old giraffe");
    let run = sandbox.run(["sessions", "list", "--json"]).exits(0);
    assert_eq!(ids(&run), ["20260102_000000_bbbbbb", "20260101_000000_aaaaaa"]);
    sandbox.run(["sessions", "search", "zebra"]).exits(0).says("20260101_000000_aaaaaa");
    sandbox.run(["sessions", "search", "東京"]).exits(0).says("20260102_000000_bbbbbb");
    sandbox.run(["sessions", "show", "Animals"]).exits(0).says("where does the zebra cross?");
    let exported = sandbox.run(["sessions", "export", "-"]).exits(0);
    assert_eq!(exported.out.lines().count(), 2, "{exported:#?}");
    sandbox.run(["sessions", "stats", "--json"]).exits(0);
    assert_eq!(std::fs::read(sandbox.path("state.db")).unwrap(), before, "not a byte is written");
}

/// Resuming is the first time that we write to such a database.
#[test]
fn a_session_only_the_python_program_has_written_is_resumed() {
    use hermes_testkit::{ModelServer, Step};
    let server = ModelServer::start([Step::text("By the river."), Step::text("Still there.")]);
    let sandbox = with_python_database();
    sandbox.write(
        "config.yaml",
        &format!(
            "model:\n  provider: custom\n  base_url: {}\n  default: scripted\n  context_length: 200000\n",
            server.url()
        ),
    );
    let run = sandbox.run(["--resume", "Animals", "-z", "and the giraffe?"]).exits(0);
    assert_eq!(run.out, "By the river.\n");
    let turns = |at: usize| {
        let view = server.questions()[at].view();
        view.turns.iter().map(|turn| (turn.role.clone(), turn.text.clone())).collect::<Vec<_>>()
    };
    let said = |role: &str, text: &str| (role.to_owned(), text.to_owned());
    let first = vec![
        said("user", "where does the zebra cross?"),
        said("assistant", "At the street."),
        said("user", "and the giraffe?"),
    ];
    let sent = turns(0);
    // A conversation that was not told where the agent works hears it with the next thing that is said.
    let (role, told) = &sent[2];
    assert!(
        told.starts_with("Working directory: ") && told.ends_with("\n\nand the giraffe?"),
        "{told}"
    );
    assert_eq!([&sent[..2], &[said(role, "and the giraffe?")]].concat(), first);
    // It is one session, found and searched like any other, and goes on a second time.
    sandbox.run(["sessions", "show", "Animals"]).exits(0).says("By the river.");
    sandbox.run(["sessions", "search", "river"]).exits(0).says("20260101_000000_aaaaaa");
    sandbox.run(["sessions", "search", "zebra"]).exits(0).says("20260101_000000_aaaaaa");
    sandbox.run(["--resume", "20260101_000000_aaaaaa", "-z", "sure?"]).exits(0);
    let second = turns(1);
    assert_eq!(second.len(), 5, "{second:?}");
    assert_eq!(second[..3], sent, "what was said stays as it was");
    let listed = sandbox.run(["sessions", "list", "--json"]).exits(0);
    assert_eq!(ids(&listed).len(), 2, "no session was made beside it: {}", listed.out);
}

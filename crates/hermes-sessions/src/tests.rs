//! Sessions and messages as a host uses them.

use serde_json::json;

use super::*;

/// A store in a folder of its own.
pub(super) fn store() -> (tempfile::TempDir, SessionDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let store = SessionDatabase::at(folder.path().join("home/state.db"));
    (folder, store)
}

pub(super) fn session(store: &SessionDatabase, id: &str) {
    session_of(store, id, "cli");
}

pub(super) fn session_of(store: &SessionDatabase, id: &str, source: &str) {
    let new = NewSession { id: id.into(), source: source.into(), ..NewSession::default() };
    store.create(&new).unwrap();
}

pub(super) fn say(store: &SessionDatabase, session: &str, lines: &[&str]) -> Vec<i64> {
    let role = |index: usize| if index.is_multiple_of(2) { "user" } else { "assistant" };
    let messages: Vec<NewMessage> =
        lines.iter().enumerate().map(|(index, line)| NewMessage::new(role(index), *line)).collect();
    store.append(session, &messages).unwrap()
}

fn texts(store: &SessionDatabase, session: &str) -> Vec<String> {
    let messages = store.messages(session).unwrap();
    messages.into_iter().map(|row| row.content.unwrap().text().into_owned()).collect()
}

#[test]
fn looking_into_a_missing_database_makes_none() {
    let (_folder, store) = store();
    assert_eq!(store.messages("x").unwrap(), []);
    assert_eq!(store.list(&ListFilter::default()).unwrap(), []);
    assert_eq!(store.latest("cli").unwrap(), None);
    assert!(matches!(store.find("x"), Err(SessionsError::NoSession { .. })));
    assert!(!store.path().parent().unwrap().exists());
}

#[cfg(unix)]
#[test]
fn the_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, store) = store();
    session(&store, "a");
    let mode = std::fs::metadata(store.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_message_comes_back_with_everything_in_it() {
    let (_folder, store) = store();
    session(&store, "a");
    let calls =
        json!([{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{"}}]);
    let asked = NewMessage {
        role: "assistant".into(),
        tool_calls: Some(calls.clone()),
        finish_reason: Some("tool_calls".into()),
        reasoning: Some("hm".into()),
        reasoning_details: Some(json!([{"signature": "s"}])),
        token_count: Some(7),
        timestamp: Some(12.5),
        ..NewMessage::default()
    };
    let answered = NewMessage {
        tool_call_id: Some("c".into()),
        tool_name: Some("f".into()),
        ..NewMessage::new("tool", json!([{"type": "image_url"}]).to_string())
    };
    let parts = NewMessage::new("user", json!([{"type": "text", "text": "look"}]));
    let ids = store.append("a", &[asked, answered, parts]).unwrap();
    store.close().unwrap();
    let rows = store.messages("a").unwrap();
    assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), ids);
    assert_eq!(rows[0].tool_calls, Some(calls));
    assert_eq!(
        (rows[0].content.as_ref(), rows[0].timestamp, rows[0].token_count),
        (None, 12.5, Some(7))
    );
    assert_eq!(rows[0].reasoning_details, Some(json!([{"signature": "s"}])));
    assert_eq!(rows[1].content, Some(Content::from("[{\"type\":\"image_url\"}]")));
    assert_eq!(rows[2].content, Some(Content::Json(json!([{"type": "text", "text": "look"}]))));
    let row = store.get("a").unwrap().unwrap();
    assert_eq!((row.message_count, row.tool_call_count), (3, 1));
}

#[test]
fn messages_of_no_session_are_refused_and_nothing_is_kept() {
    let (_folder, store) = store();
    session(&store, "a");
    let lost = store.append("b", &[NewMessage::new("user", "x")]).unwrap_err();
    assert!(matches!(lost, SessionsError::NoSession { .. }), "{lost}");
    assert!(!lost.ends_persistence());
    assert!(matches!(
        store.create(&NewSession { id: "a".into(), source: "cli".into(), ..Default::default() }),
        Err(SessionsError::Exists { .. })
    ));
}

#[test]
fn rewinding_takes_back_turns_and_says_what_was_asked() {
    let (_folder, store) = store();
    session(&store, "a");
    say(&store, "a", &["one", "1", "two", "2", "three", "3"]);
    let rewound = store.rewind("a", 2).unwrap();
    assert_eq!((rewound.turns, rewound.messages), (2, 4));
    assert_eq!(rewound.prompt, Some(Content::from("two")));
    assert_eq!(texts(&store, "a"), ["one", "1"]);
    let row = store.get("a").unwrap().unwrap();
    assert_eq!((row.message_count, row.rewind_count), (2, 1));
    assert_eq!(store.rewind("a", 9).unwrap().turns, 1);
    assert_eq!(store.rewind("a", 1).unwrap(), Rewound::default());
    assert!(store.rewind("b", 1).is_err());
}

#[test]
fn compacting_is_one_step_and_keeps_the_old_rows() {
    let (_folder, store) = store();
    session(&store, "a");
    let old = say(&store, "a", &["one", "1", "two", "2"]);
    let new = [
        NewMessage::new("user", "summary"),
        NewMessage::new("user", "two"),
        NewMessage::new("assistant", "2"),
    ];
    store.compact("a", &old, &new).unwrap();
    assert_eq!(texts(&store, "a"), ["summary", "two", "2"]);
    assert_eq!(store.get("a").unwrap().unwrap().message_count, 3);
    // What was summarised is not touched by a later rewind.
    store.rewind("a", 5).unwrap();
    let answer =
        store.search(&search::Request { query: Some("one".into()), ..Default::default() }).unwrap();
    assert_eq!(answer.count(), 1);
    assert!(store.compact("b", &[], &new).is_err());
}

#[test]
fn titles_are_unique_and_numbered() {
    let (_folder, store) = store();
    for id in ["a", "b", "c"] {
        session(&store, id);
    }
    assert_eq!(store.set_title("a", " My \u{200b} plan ").unwrap(), "My plan");
    let taken = store.set_title("b", "My plan").unwrap_err();
    assert!(
        matches!(&taken, SessionsError::Title(TitleError::Taken { owner, .. }) if owner == "a"),
        "{taken}"
    );
    assert_eq!(store.next_title("My plan").unwrap(), "My plan #2");
    assert_eq!(store.set_title_if_none("b", "My plan").unwrap(), "My plan #2");
    assert_eq!(store.set_title_if_none("c", "My plan #2").unwrap(), "My plan #3");
    assert_eq!(store.set_title_if_none("a", "Another").unwrap(), "My plan");
    assert_eq!(store.next_title("My plans").unwrap(), "My plans");
    assert_eq!(store.set_title("a", "My plan").unwrap(), "My plan");
}

#[test]
fn sessions_are_found_by_id_beginning_and_title() {
    let (_folder, store) = store();
    for (id, at) in [
        ("20260101_000000_aaaaaa", 1.0),
        ("20260101_000000_bbbbbb", 2.0),
        ("20260202_000000_cccccc", 3.0),
    ] {
        let new = NewSession {
            id: id.into(),
            source: "cli".into(),
            started_at: Some(at),
            ..Default::default()
        };
        store.create(&new).unwrap();
    }
    store.set_title("20260101_000000_aaaaaa", "Zebra").unwrap();
    store.set_title("20260101_000000_bbbbbb", "Zebra #2").unwrap();
    let id = |wanted| store.find(wanted).map(|row| row.id);
    assert_eq!(id("20260101_000000_aaaaaa").unwrap(), "20260101_000000_aaaaaa");
    assert_eq!(id("20260202").unwrap(), "20260202_000000_cccccc");
    assert_eq!(id("Zebra").unwrap(), "20260101_000000_bbbbbb");
    let unclear = id("2026").unwrap_err();
    assert!(
        matches!(&unclear, SessionsError::Ambiguous { ids, .. } if ids.len() == 3),
        "{unclear}"
    );
    for wanted in ["", "%", "Zeb", "20260303"] {
        assert!(matches!(id(wanted), Err(SessionsError::NoSession { .. })), "{wanted}");
    }
}

#[test]
fn a_compressed_session_is_resumed_at_its_newest_child() {
    let (_folder, store) = store();
    session(&store, "a");
    store.end("a", COMPRESSION).unwrap();
    let child = |id: &str, parent: &str, source: &str, config| NewSession {
        id: id.into(),
        source: source.into(),
        parent_session_id: Some(parent.into()),
        model_config: config,
        ..NewSession::default()
    };
    store.create(&child("b", "a", "cli", None)).unwrap();
    store.create(&child("helper", "a", "subagent", None)).unwrap();
    store.create(&child("fork", "a", "cli", Some(json!({BRANCHED_FROM: "a"})))).unwrap();
    assert_eq!(store.tip("a").unwrap(), "b");
    assert_eq!(store.find_tip("a").unwrap().id, "b");
    // A session that ended otherwise goes on nowhere.
    store.end("b", "user_exit").unwrap();
    store.create(&child("c", "b", "cli", None)).unwrap();
    assert_eq!(store.tip("a").unwrap(), "b");
    let listed: Vec<String> =
        store.list(&ListFilter::default()).unwrap().into_iter().map(|row| row.id).collect();
    assert!(
        !listed.contains(&"a".to_owned()) && !listed.contains(&"helper".to_owned()),
        "{listed:?}"
    );
}

#[test]
fn a_branch_goes_on_from_a_copy() {
    let (_folder, store) = store();
    session(&store, "a");
    store.set_title("a", "Plan").unwrap();
    store.set_system_prompt("a", "be kind").unwrap();
    say(&store, "a", &["one", "1", "two", "2"]);
    store.rewind("a", 1).unwrap();
    let branch = store.branch("a", "b", None).unwrap();
    assert_eq!(branch.title.as_deref(), Some("Plan #2"));
    assert_eq!(branch.note(BRANCHED_FROM), Some("a"));
    assert_eq!(branch.system_prompt.as_deref(), Some("be kind"));
    assert_eq!(
        (branch.message_count, texts(&store, "b")),
        (2, vec!["one".to_owned(), "1".to_owned()])
    );
    say(&store, "b", &["other"]);
    assert_eq!(texts(&store, "a").len(), 2);
    assert!(store.branch("none", "c", None).is_err());
}

#[test]
fn usage_adds_up_in_all_and_by_model() {
    let (_folder, store) = store();
    session(&store, "a");
    let usage = Usage {
        model: "m".into(),
        api_calls: 1,
        input_tokens: 10,
        output_tokens: 3,
        estimated_cost_usd: Some(0.5),
        ..Usage::default()
    };
    store.add_usage("a", &usage).unwrap();
    store.add_usage("a", &usage).unwrap();
    store.add_usage("a", &Usage { task: Some("compression".into()), ..usage }).unwrap();
    let row = store.get("a").unwrap().unwrap();
    assert_eq!((row.api_call_count, row.input_tokens, row.estimated_cost_usd), (3, 30, Some(1.5)));
    let rows: Vec<(String, i64)> = store
        .maintain(|connection| {
            let mut statement = connection
                .prepare("SELECT task, input_tokens FROM session_model_usage ORDER BY task")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .unwrap();
    assert_eq!(rows, [(String::new(), 20), ("compression".to_owned(), 10)]);
}

#[test]
fn ends_are_kept_and_taken_back() {
    let (_folder, store) = store();
    session(&store, "a");
    store.end("a", "user_exit").unwrap();
    store.end("a", "agent_close").unwrap();
    assert_eq!(store.get("a").unwrap().unwrap().end_reason.as_deref(), Some("user_exit"));
    store.reopen("a").unwrap();
    let row = store.get("a").unwrap().unwrap();
    assert_eq!((row.ended_at, row.end_reason), (None, None));
    say(&store, "a", &["x"]);
    assert_eq!(store.latest("cli").unwrap().unwrap().id, "a");
    store.archive("a", Archive::Hidden).unwrap();
    assert_eq!(store.latest("cli").unwrap(), None);
    assert_eq!(store.list(&ListFilter::default()).unwrap(), []);
    let only = ListFilter { archived: Archived::Only, ..ListFilter::default() };
    assert_eq!(store.list(&only).unwrap().len(), 1);
}

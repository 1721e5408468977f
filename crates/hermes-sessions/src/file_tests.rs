//! Files of other programs, of other times, and damaged ones.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use hermes_store::clock::now;
use rusqlite::Connection;

use super::search::Request;
use super::tests::{say, session, store};
use super::*;

/// A file as another program leaves it.
#[expect(clippy::disallowed_methods, reason = "another program does not ask us")]
fn foreign(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

fn names(store: &SessionDatabase, of: &str) -> Vec<String> {
    store
        .maintain(|connection| {
            let mut statement = connection.prepare(of)?;
            let rows = statement.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .unwrap()
}

/// The oldest form that is read: few columns, an index that holds its own text.
const VERSION_11: &str = "
    CREATE TABLE schema_version (version INTEGER NOT NULL);
    INSERT INTO schema_version VALUES (11);
    CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT,
        model_config TEXT, system_prompt TEXT, parent_session_id TEXT, started_at REAL NOT NULL,
        ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0,
        tool_call_count INTEGER DEFAULT 0, input_tokens INTEGER DEFAULT 0,
        output_tokens INTEGER DEFAULT 0, title TEXT, private_note TEXT,
        FOREIGN KEY (parent_session_id) REFERENCES sessions(id));
    CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT,
        session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL, content TEXT,
        tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL,
        token_count INTEGER, finish_reason TEXT, reasoning TEXT);
    CREATE VIRTUAL TABLE messages_fts USING fts5(content);
    CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(content, tokenize='trigram');
    CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
        INSERT INTO messages_fts(rowid, content) VALUES (new.id, coalesce(new.content, '') || ' '
            || coalesce(new.tool_name, '') || ' ' || coalesce(new.tool_calls, '')); END;
    CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN
        DELETE FROM messages_fts WHERE rowid = old.id; END;
    CREATE TRIGGER messages_fts_update AFTER UPDATE ON messages BEGIN
        DELETE FROM messages_fts WHERE rowid = old.id;
        INSERT INTO messages_fts(rowid, content) VALUES (new.id, coalesce(new.content, '') || ' '
            || coalesce(new.tool_name, '') || ' ' || coalesce(new.tool_calls, '')); END;
    CREATE TRIGGER messages_fts_trigram_insert AFTER INSERT ON messages BEGIN
        INSERT INTO messages_fts_trigram(rowid, content) VALUES (new.id, coalesce(new.content, '')
            || ' ' || coalesce(new.tool_name, '') || ' ' || coalesce(new.tool_calls, '')); END;
    CREATE TRIGGER messages_fts_trigram_delete AFTER DELETE ON messages BEGIN
        DELETE FROM messages_fts_trigram WHERE rowid = old.id; END;
    CREATE TRIGGER messages_fts_trigram_update AFTER UPDATE ON messages BEGIN
        DELETE FROM messages_fts_trigram WHERE rowid = old.id;
        INSERT INTO messages_fts_trigram(rowid, content) VALUES (new.id, coalesce(new.content, '')
            || ' ' || coalesce(new.tool_name, '') || ' ' || coalesce(new.tool_calls, '')); END;
    INSERT INTO sessions(id, source, started_at, title, message_count, private_note)
        VALUES ('old', 'cli', 1000.0, 'Old one', 2, 'keep me');
    INSERT INTO messages(session_id, role, content, timestamp) VALUES
        ('old', 'user', 'where is the zebra', 1000.0),
        ('old', 'assistant', '日本語の答え', 1001.0);
";

#[test]
fn an_old_file_gains_columns_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    foreign(&path, VERSION_11);
    let store = SessionDatabase::at(&path);
    assert_eq!(store.messages("old").unwrap().len(), 2);
    say(&store, "old", &["another zebra"]);
    for query in ["zebra", "日本語", "答"] {
        let answer = store.search(&Request::discover(query)).unwrap();
        assert_eq!(answer.count(), 1, "{query}");
    }
    let stats = store.stats().unwrap();
    assert_eq!((stats.schema_version, stats.index), (Some(11), Some(IndexKind::Inline)));
    assert_eq!(names(&store, "SELECT private_note FROM sessions"), ["keep me"]);
    store.rewind("old", 9).unwrap();
    assert_eq!(store.search(&Request::discover("zebra")).unwrap().count(), 0);
    assert_eq!(store.check().unwrap(), [""; 0]);
    assert!(store.delete("old").unwrap());
    assert_eq!(names(&store, "SELECT count(*) || '' FROM messages_fts"), ["0"]);
    // The second time there is nothing left to add.
    store.close().unwrap();
    let before = std::fs::read(&path).unwrap();
    assert_eq!(store.list(&ListFilter::default()).unwrap(), []);
    store.close().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_new_file_holds_every_text_once_and_all_names_of_its_version() {
    let (_folder, store) = store();
    session(&store, "a");
    say(&store, "a", &["zebra", "日本語"]);
    let stats = store.stats().unwrap();
    assert_eq!((stats.schema_version, stats.index), (Some(VERSION), Some(IndexKind::External)));
    let tables = names(&store, "SELECT name FROM sqlite_master WHERE name LIKE '%_content'");
    assert_eq!(tables, [""; 0], "no index has a copy of the text");
    assert_eq!(names(&store, "SELECT count(*) || '' FROM messages_fts_trigram_docsize"), ["1"]);
    assert!(store.delete("a").unwrap());
    assert!(!store.delete("a").unwrap());
    assert_eq!(names(&store, "SELECT count(*) || '' FROM messages_fts_docsize"), ["0"]);
    assert_eq!(store.check().unwrap(), [""; 0]);
}

#[test]
fn newer_files_are_used_and_older_ones_refused() {
    let (_folder, store) = store();
    session(&store, "a");
    store
        .maintain(|connection| {
            Ok(connection.execute_batch("UPDATE schema_version SET version = 30")?)
        })
        .unwrap();
    store.close().unwrap();
    say(&store, "a", &["x"]);
    assert_eq!(store.stats().unwrap().schema_version, Some(30));
    store
        .maintain(|connection| {
            Ok(connection.execute_batch("UPDATE schema_version SET version = 10")?)
        })
        .unwrap();
    store.close().unwrap();
    let refused = store.messages("a").unwrap_err();
    assert!(matches!(refused, SessionsError::TooOld { version: 10, .. }), "{refused}");
    assert!(refused.ends_persistence());
}

#[test]
fn what_is_no_database_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    std::fs::File::create(&path).unwrap().write_all(&b"not a database ".repeat(300)).unwrap();
    let before = std::fs::read(&path).unwrap();
    let problem = SessionDatabase::at(&path).open().unwrap_err();
    assert_eq!(problem.trouble(), Some(DatabaseTrouble::Corrupt), "{problem}");
    assert!(problem.ends_persistence() && problem.to_string().contains("state.db"), "{problem}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_place_that_cannot_be_is_an_error_of_its_kind() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::File::create(&file).unwrap();
    let problem = SessionDatabase::at(file.join("state.db")).open().unwrap_err();
    assert!(problem.ends_persistence(), "{problem}");
}

#[test]
fn a_full_disk_and_a_protected_file_are_told_apart() {
    let (_folder, store) = store();
    session(&store, "a");
    let pragma = |text: &'static str| {
        store.maintain(|connection| Ok(connection.execute_batch(text)?)).unwrap();
    };
    pragma("PRAGMA max_page_count = 1");
    let long = "x".repeat(1_000_000);
    let full = store.append("a", &[NewMessage::new("user", long.as_str())]).unwrap_err();
    assert_eq!(full.trouble(), Some(DatabaseTrouble::Full), "{full}");
    assert_eq!(store.messages("a").unwrap(), []);
    pragma("PRAGMA max_page_count = 1000000; PRAGMA query_only = 1");
    let protected = store.append("a", &[NewMessage::new("user", "x")]).unwrap_err();
    assert_eq!(protected.trouble(), Some(DatabaseTrouble::ReadOnly), "{protected}");
    pragma("PRAGMA query_only = 0");
    store.append("a", &[NewMessage::new("user", long.as_str())]).unwrap();
}

#[test]
fn a_reader_changes_nothing() {
    let (_folder, store) = store();
    session(&store, "a");
    say(&store, "a", &["zebra", "東京"]);
    let reader = SessionDatabase::read_only(store.path());
    assert_eq!(reader.messages("a").unwrap().len(), 2);
    for query in ["zebra", "東京"] {
        assert_eq!(reader.search(&Request::discover(query)).unwrap().count(), 1, "{query}");
    }
    let refused = reader.end("a", "user_exit").unwrap_err();
    assert_eq!(refused.trouble(), Some(DatabaseTrouble::ReadOnly), "{refused}");
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("state.db");
    foreign(&old, VERSION_11);
    let before = std::fs::read(&old).unwrap();
    let reader = SessionDatabase::read_only(&old);
    assert!(!reader.messages("old").unwrap().is_empty());
    assert_eq!(reader.list(&ListFilter::default()).unwrap().len(), 1);
    drop(reader);
    assert_eq!(std::fs::read(&old).unwrap(), before, "not a byte");
}

/// A file without an index that we make, and without those for words.
#[test]
fn a_file_without_our_indexes_is_read_and_searched_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    foreign(&path, VERSION_11);
    let without = "DROP TABLE messages_fts; DROP TABLE messages_fts_trigram;
        DROP TRIGGER messages_fts_insert; DROP TRIGGER messages_fts_trigram_insert";
    foreign(&path, without);
    let before = std::fs::read(&path).unwrap();
    let reader = SessionDatabase::read_only(&path);
    for query in ["zebra", "日本語", "答"] {
        assert_eq!(reader.search(&Request::discover(query)).unwrap().count(), 1, "{query}");
    }
    let around = Request {
        session_id: Some("old".into()),
        around_message_id: Some(1),
        ..Request::default()
    };
    assert_eq!(reader.search(&around).unwrap().count(), 2);
    assert_eq!(reader.find_tip("Old one").unwrap().id, "old");
    drop(reader);
    assert_eq!(std::fs::read(&path).unwrap(), before, "not a byte");
}

/// Makes a part of the index of words senseless.
fn damage_index(store: &SessionDatabase, which: &str) {
    let damage =
        format!("UPDATE messages_fts_data SET block = x'00000000ffffffffffffffffff' WHERE {which}");
    store.maintain(|connection| Ok(connection.execute_batch(&damage)?)).unwrap();
    store.close().unwrap();
}

fn finds(store: &SessionDatabase, query: &str) -> usize {
    store.search(&Request::discover(query)).unwrap().count()
}

#[test]
fn a_damaged_index_is_made_anew_while_writing() {
    let (_folder, store) = store();
    session(&store, "a");
    say(&store, "a", &["zebra"]);
    damage_index(&store, "id = 10");
    say(&store, "a", &["giraffe"]);
    assert_eq!((finds(&store, "zebra"), finds(&store, "giraffe")), (1, 1));
    assert_eq!(store.check().unwrap(), [""; 0]);
    let copies = std::fs::read_dir(store.path().parent().unwrap()).unwrap();
    let is_copy = |name: &str| name.starts_with("state.db.backup-");
    assert!(copies.flatten().any(|entry| is_copy(&entry.file_name().to_string_lossy())));
}

#[test]
fn a_damaged_index_is_made_anew_while_searching() {
    let (_folder, store) = store();
    session(&store, "a");
    say(&store, "a", &["zebra"]);
    damage_index(&store, "id > 10");
    assert_eq!(finds(&store, "zebra"), 1);
    assert_eq!(store.check().unwrap(), [""; 0]);
}

#[test]
fn what_can_be_read_of_a_damaged_file_is_saved() {
    let (_folder, store) = store();
    for id in ["a", "b", "c"] {
        session(&store, id);
        let lines: Vec<String> =
            (0..200).map(|n| format!("line {n} of {id} {}", "y".repeat(200))).collect();
        say(&store, id, &lines.iter().map(String::as_str).collect::<Vec<_>>());
    }
    store.optimize().unwrap();
    store.close().unwrap();
    let pages = names(
        &store,
        "SELECT pageno || '' FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' ORDER BY pageno",
    );
    store.close().unwrap();
    let page: u64 = pages[pages.len() / 2].parse().unwrap();
    let mut file = std::fs::OpenOptions::new().write(true).open(store.path()).unwrap();
    file.seek(SeekFrom::Start((page - 1) * 4_096)).unwrap();
    file.write_all(&[0xff; 4_096]).unwrap();
    drop(file);
    assert!(store.check().map_or(true, |complaints| !complaints.is_empty()));
    let repaired = store.repair().unwrap();
    assert!(repaired.salvaged_rows.is_some_and(|rows| rows > 500), "{repaired:?}");
    assert_eq!(repaired.remaining, [""; 0]);
    assert!(repaired.backup.exists());
    let left: usize = ["a", "b", "c"].map(|id| store.messages(id).unwrap().len()).iter().sum();
    assert!((500..600).contains(&left), "{left}");
    assert!(store.search(&Request::discover("line")).unwrap().count() > 0);
}

#[test]
fn old_sessions_are_pruned_by_activity() {
    let (_folder, store) = store();
    for (id, source, at) in
        [("old", "cli", 1_000.0), ("job", "cron", 1_000.0), ("new", "cli", now())]
    {
        let new = NewSession {
            id: id.into(),
            source: source.into(),
            started_at: Some(at),
            cwd: Some("/w/p".into()),
            ..Default::default()
        };
        store.create(&new).unwrap();
        store
            .append(id, &[NewMessage { timestamp: Some(at), ..NewMessage::new("user", "x") }])
            .unwrap();
    }
    let ids = |filter: &PruneFilter, act| -> Vec<String> {
        store.prune(filter, act).unwrap().into_iter().map(|summary| summary.id).collect()
    };
    let before = PruneFilter { before: Some(2_000.0), ..PruneFilter::default() };
    assert_eq!(ids(&before, Act::Pretend), ["old", "job"]);
    let elsewhere = PruneFilter { cwd: Some("/w/pp".into()), ..PruneFilter::default() };
    assert_eq!(ids(&elsewhere, Act::Pretend), [""; 0]);
    let here =
        PruneFilter { cwd: Some("/w/".into()), min_messages: Some(1), ..PruneFilter::default() };
    assert_eq!(ids(&here, Act::Pretend).len(), 3);
    let jobs = PruneFilter { source: Some("cron".into()), ..before.clone() };
    assert_eq!(store.archive_all(&jobs, Act::Perform).unwrap().len(), 1);
    assert_eq!(store.archive_all(&jobs, Act::Perform).unwrap().len(), 0);
    assert_eq!(store.prune(&before, Act::Perform).unwrap().len(), 2);
    assert_eq!(ids(&PruneFilter::default(), Act::Pretend), ["new"]);
    assert_eq!(store.stats().unwrap().messages, 1);
}

#[test]
fn exports_hold_everything_and_hide_what_is_asked() {
    let (_folder, store) = store();
    session(&store, "a");
    store.set_title("a", "A <b>").unwrap();
    say(&store, "a", &["my secret", "```\nfence"]);
    store
        .append(
            "a",
            &[NewMessage {
                tool_name: Some("read_file".into()),
                ..NewMessage::new("tool", "`````")
            }],
        )
        .unwrap();
    let export = |format, only, redact: Option<Redact<'_>>| {
        let mut out = Vec::new();
        store
            .export(&["a".to_owned()], &Export { format, only, redact }, &mut out)
            .unwrap()
            .unwrap();
        String::from_utf8(out).unwrap()
    };
    let hide = |text: &str| text.replace("secret", "***");
    let lines = export(Format::Jsonl, Only::Everything, Some(&hide));
    let value: serde_json::Value = serde_json::from_str(lines.trim()).unwrap();
    assert_eq!((&value["id"], &value["messages"][0]["content"]), (&"a".into(), &"my ***".into()));
    assert!(value.as_object().unwrap().contains_key("handoff_state") && !lines.contains("secret"));
    let prompts = export(Format::Jsonl, Only::UserPrompts, None);
    assert!(prompts.contains("my secret") && !prompts.contains("fence"));
    let page = export(Format::Markdown, Only::Everything, None);
    assert!(
        page.starts_with("# A <b>\n")
            && page.contains("## tool (read_file)\n\n``````\n`````\n``````"),
        "{page}"
    );
    let html = export(Format::Html, Only::Everything, None);
    assert!(html.contains("<h2>A &lt;b&gt;</h2>") && html.ends_with("</html>\n"), "{html}");
    let mut out = Vec::new();
    assert!(
        store
            .export(
                &["x".to_owned()],
                &Export { format: Format::Jsonl, only: Only::Everything, redact: None },
                &mut out
            )
            .is_err()
    );
}

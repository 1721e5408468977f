//! The async way: order, locks of other programs, and what outlives a process.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::*;

fn store() -> (tempfile::TempDir, SessionStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = SessionStore::at(folder.path().join("state.db"));
    (folder, store)
}

async fn begun(store: &SessionStore) -> SessionRecorder {
    let mut recorder = SessionRecorder::new(store.clone(), "a");
    let new = NewSession { id: "a".into(), source: "cli".into(), ..NewSession::default() };
    recorder.create(new);
    recorder.append(NewMessage::new("user", "0"));
    assert_eq!(recorder.recorded().await, Recorded::Written);
    recorder
}

/// Another program that holds the database locked.
#[expect(clippy::disallowed_methods, reason = "another program does not ask us")]
fn lock(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch("BEGIN EXCLUSIVE").unwrap();
    connection
}

fn texts(path: &Path) -> Vec<String> {
    let rows = SessionDatabase::at(path).messages("a").unwrap();
    rows.into_iter().map(|row| row.content.unwrap().text().into_owned()).collect()
}

fn files_beside(path: &Path) -> usize {
    let entries = std::fs::read_dir(path.parent().unwrap()).unwrap();
    let is_journal = |name: &str| name.contains(".unwritten-");
    entries
        .filter(|entry| is_journal(&entry.as_ref().unwrap().file_name().to_string_lossy()))
        .count()
}

#[tokio::test]
async fn a_locked_database_holds_nobody_up_and_gets_everything_once_it_is_free() {
    let (_folder, store) = store();
    let mut recorder = begun(&store).await;
    let held = lock(store.path());
    let start = Instant::now();
    let first = recorder.append(NewMessage::new("user", "1"));
    recorder.set_api_content(first, "one".to_owned());
    assert_eq!(recorder.recorded().await, Recorded::Beside);
    for number in 2..20 {
        recorder.append(NewMessage::new("user", number.to_string()));
        assert_eq!(recorder.recorded().await, Recorded::Beside);
    }
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    assert_eq!(files_beside(store.path()), 1);
    drop(held);
    while recorder.recorded().await != Recorded::Written {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let expected: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    assert_eq!(texts(store.path()), expected);
    let rows = SessionDatabase::at(store.path()).messages("a").unwrap();
    assert_eq!(rows[1].api_content.as_deref(), Some("one"));
    store.close().await.unwrap();
    assert_eq!(files_beside(store.path()), 0);
}

#[tokio::test]
async fn what_could_not_be_written_is_taken_in_by_the_next_process_exactly_once() {
    let (_folder, store) = store();
    let mut recorder = begun(&store).await;
    let early = recorder.append(NewMessage::new("user", "early"));
    recorder.recorded().await;
    let path = store.path().to_owned();
    let held = lock(&path);
    recorder.append(NewMessage::new("assistant", "late"));
    // Rows this process knows are known to the next one as well.
    let summary = NewMessage::new("user", "summary");
    recorder.compact(vec![early], vec![summary]);
    recorder.end("user_exit");
    recorder.recorded().await;
    let refused = store.close().await.unwrap_err();
    assert!(matches!(refused, SessionsError::Unwritten { changes: 3, .. }), "{refused}");
    recover(&path);
    assert_eq!(texts(&path), ["0", "early"], "its process lives");
    drop((recorder, store));
    while files_beside(&path) == 1
        && SessionDatabase::at(&path).get("a").unwrap().unwrap().ended_at.is_none()
    {
        recover(&path);
        tokio::time::sleep(Duration::from_millis(10)).await;
        if files_beside(&path) == 1 && !held.is_autocommit() {
            held.execute_batch("ROLLBACK").unwrap();
        }
    }
    recover(&path);
    assert_eq!(files_beside(&path), 0);
    assert_eq!(texts(&path), ["0", "late", "summary"]);
    recover(&path);
    assert_eq!(texts(&path).len(), 3);
}

#[tokio::test]
async fn lines_that_are_in_the_database_already_are_left_out() {
    let (_folder, store) = store();
    let mut recorder = begun(&store).await;
    let path = store.path().to_owned();
    let held = lock(&path);
    for number in 1..4 {
        recorder.append(NewMessage::new("user", number.to_string()));
    }
    recorder.recorded().await;
    let entries = std::fs::read_dir(path.parent().unwrap()).unwrap();
    let file = entries
        .map(|entry| entry.unwrap().path())
        .find(|file| file.to_string_lossy().contains(".unwritten-"))
        .unwrap();
    let mut copy = std::fs::read(&file).unwrap();
    drop(held);
    while recorder.recorded().await != Recorded::Written {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    store.close().await.unwrap();
    // As if the process had been killed after two of the lines were in, and in the middle of a fifth.
    copy.extend_from_slice(b"{\"session\":\"a\",\"chan");
    hermes_store::atomic::write(&file, &copy, hermes_store::atomic::WriteOptions::KEEP).unwrap();
    let key = format!("unwritten:{}", file.file_name().unwrap().to_string_lossy());
    SessionDatabase::at(&path)
        .write(|connection| Ok(super::notes::set(connection, &key, Some("2"))?))
        .unwrap();
    recover(&path);
    assert_eq!(texts(&path), ["0", "1", "2", "3", "3"]);
    assert_eq!(files_beside(&path), 0);
}

#[tokio::test]
async fn acts_have_answers_in_their_turn_and_hear_of_a_lock() {
    let (_folder, store) = store();
    let _recorder = begun(&store).await;
    let name =
        |title: &'static str| move |database: &SessionDatabase| database.set_title("a", title);
    assert_eq!(store.write(name("one")).await.unwrap(), "one");
    let row = store.read(|database| database.get("a")).await.unwrap().unwrap();
    assert_eq!(row.title.as_deref(), Some("one"));
    let held = lock(store.path());
    let start = Instant::now();
    let refused = store.write(name("two")).await.unwrap_err();
    assert_eq!(refused.trouble(), Some(DatabaseTrouble::Busy), "{refused}");
    assert!(start.elapsed() >= Duration::from_secs(4) && start.elapsed() < Duration::from_secs(8));
    // Looking works all the while, and an act nobody waits for any more is not done.
    let gone = tokio::time::timeout(Duration::from_millis(50), store.write(name("three"))).await;
    assert!(gone.is_err());
    assert!(store.read(|database| database.get("a")).await.unwrap().is_some());
    drop(held);
    assert_eq!(store.write(name("four")).await.unwrap(), "four");
}

#[tokio::test]
async fn after_a_failure_nothing_of_that_session_is_written_and_others_go_on() {
    let (_folder, store) = store();
    let mut whole = begun(&store).await;
    let mut broken = SessionRecorder::new(store.clone(), "never made");
    broken.append(NewMessage::new("user", "x"));
    whole.append(NewMessage::new("user", "1"));
    broken.append(NewMessage::new("user", "y"));
    whole.append(NewMessage::new("user", "2"));
    assert!(matches!(broken.recorded().await, Recorded::Failed(_)));
    assert_eq!(whole.recorded().await, Recorded::Written);
    assert_eq!(texts(store.path()), ["0", "1", "2"]);
}

#[tokio::test]
async fn one_process_compacts_at_a_time() {
    let (_folder, store) = store();
    let _recorder = begun(&store).await;
    let held = store.compaction_lock("a").await.unwrap().unwrap();
    assert!(store.compaction_lock("a").await.unwrap().is_none());
    drop(held);
    assert!(store.compaction_lock("a").await.unwrap().is_some());
}

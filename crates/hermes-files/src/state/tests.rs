use std::sync::Arc;
use std::time::Duration;

use super::*;

fn stamp(size: u64) -> Stamp {
    Stamp { modified_ns: 1, size, inode: 1 }
}

fn key(path: &str) -> ReadKey {
    ReadKey { path: path.into(), offset: 1, limit: 500, column: 1 }
}

const FILE: &str = "/w/a";

fn file() -> &'static Path {
    Path::new(FILE)
}

#[test]
fn a_file_never_read_nor_written_gives_no_warning() {
    let state = FileState::default();
    assert_eq!(state.before_write("a", file(), Some(stamp(1)), WriteExtent::Whole), None);
    assert_eq!(state.before_write("a", file(), None, WriteExtent::Whole), None);
}

#[test]
fn a_siblings_write_is_told() {
    let state = FileState::default();
    state.after_write("b", file(), stamp(1));
    let warning = state.before_write("a", file(), Some(stamp(1)), WriteExtent::Quoted).unwrap();
    assert!(warning.contains("task 'b'") && warning.contains("not read"), "{warning}");
    state.after_read("a", file(), stamp(1), false);
    assert_eq!(state.before_write("a", file(), Some(stamp(1)), WriteExtent::Whole), None);
    std::thread::sleep(Duration::from_millis(2));
    state.after_write("b", file(), stamp(2));
    let warning = state.before_write("a", file(), Some(stamp(2)), WriteExtent::Whole).unwrap();
    assert!(warning.contains("after this task last read it"), "{warning}");
}

#[test]
fn a_change_from_outside_is_told_even_if_the_time_is_the_same() {
    let state = FileState::default();
    state.after_read("a", file(), stamp(1), false);
    let warning = state.before_write("a", file(), Some(stamp(2)), WriteExtent::Quoted).unwrap();
    assert!(warning.contains("another program"), "{warning}");
}

#[test]
fn a_partial_read_is_told_before_the_whole_is_replaced() {
    let state = FileState::default();
    state.after_read("a", file(), stamp(1), true);
    assert!(state.before_write("a", file(), Some(stamp(1)), WriteExtent::Whole).is_some());
    assert_eq!(state.before_write("a", file(), Some(stamp(1)), WriteExtent::Quoted), None);
    state.after_write("a", file(), stamp(2));
    assert_eq!(state.before_write("a", file(), Some(stamp(2)), WriteExtent::Whole), None);
}

#[test]
fn unchanged_windows_are_stubbed_once_and_then_refused() {
    let state = FileState::default();
    let key = key(FILE);
    assert_eq!(state.seen_before("a", &key, stamp(1)), SeenBefore::Never);
    state.count_read("a", key.clone(), stamp(1));
    assert_eq!(state.seen_before("a", &key, stamp(1)), SeenBefore::Unchanged);
    assert_eq!(state.seen_before("a", &key, stamp(1)), SeenBefore::Repeated { times: 3 });
    state.other_tool_ran("a");
    assert_eq!(state.seen_before("a", &key, stamp(1)), SeenBefore::Unchanged);
    assert_eq!(state.seen_before("a", &key, stamp(2)), SeenBefore::Never, "it changed");
    assert_eq!(state.seen_before("b", &key, stamp(1)), SeenBefore::Never, "another task");
    state.after_write("a", file(), stamp(1));
    assert_eq!(state.seen_before("a", &key, stamp(1)), SeenBefore::Never, "own write");
}

#[test]
fn identical_calls_in_a_row_are_warned_about_and_then_refused() {
    let state = FileState::default();
    let search = || state.count_search("a", SearchKey("x".into()));
    assert_eq!([search(), search()], [LoopVerdict::Fine, LoopVerdict::Fine]);
    assert_eq!([search(), search()], [LoopVerdict::Warn, LoopVerdict::Block { times: 4 }]);
    state.count_search("a", SearchKey("y".into()));
    assert_eq!(state.count_search("a", SearchKey("x".into())), LoopVerdict::Fine);
    state.other_tool_ran("a");
    assert_eq!(state.count_search("a", SearchKey("x".into())), LoopVerdict::Fine);
}

#[test]
fn failed_edits_are_counted_until_one_succeeds() {
    let state = FileState::default();
    assert_eq!([state.edit_failed("a", file()), state.edit_failed("a", file())], [1, 2]);
    state.after_write("a", file(), stamp(1));
    assert_eq!(state.edit_failed("a", file()), 1);
}

#[test]
fn a_parent_learns_what_its_child_wrote() {
    let state = FileState::default();
    let start = SystemTime::now();
    state.after_read("parent", file(), stamp(1), false);
    state.after_write("child", file(), stamp(2));
    state.after_write("child", Path::new("/w/other"), stamp(2));
    assert_eq!(state.written_by_others("parent", start), [PathBuf::from(FILE)]);
}

#[test]
fn memory_is_bounded() {
    let mut map = Bounded::default();
    for number in 0..1_000 {
        map.put(number, number, 100);
    }
    assert!(map.iter().count() <= 100);
    assert_eq!(map.get(&999), Some(&999));
}

#[tokio::test]
async fn patches_of_the_same_files_in_other_order_do_not_wait_for_each_other() {
    let state = Arc::new(FileState::default());
    let paths = [PathBuf::from("/a"), PathBuf::from("/b")];
    let mut tasks = Vec::new();
    for turn in 0..50 {
        let (state, mut paths) = (Arc::clone(&state), paths.clone());
        if turn % 2 == 0 {
            paths.reverse();
        }
        tasks.push(tokio::spawn(async move {
            let _held = state.lock(paths).await;
            tokio::task::yield_now().await;
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
}

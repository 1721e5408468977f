use std::time::{Duration, SystemTime};

use super::*;
use serde_json::json;

const EVENT: HookEvent = HookEvent::PreToolCall;

fn list() -> (tempfile::TempDir, Allowlist) {
    let folder = tempfile::tempdir().unwrap();
    let list = Allowlist::at(folder.path().join("home/shell-hooks-allowlist.json"));
    (folder, list)
}

fn list_with(content: &str) -> (tempfile::TempDir, Allowlist) {
    let (folder, list) = list();
    ensure_private_dir(list.file().parent().unwrap()).unwrap();
    atomic::write(list.file(), content.as_bytes(), WriteOptions::KEEP).unwrap();
    (folder, list)
}

fn content(list: &Allowlist) -> Value {
    serde_json::from_slice(&fs::read(list.file()).unwrap()).unwrap()
}

#[test]
fn reading_and_revoking_create_nothing() {
    let (folder, list) = list();
    assert_eq!(list.approvals().unwrap(), []);
    assert_eq!(list.revoke("x").unwrap(), 0);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn an_approval_counts_for_its_event_and_its_exact_command() {
    let (_folder, list) = list();
    list.approve(EVENT, "a --b", None).unwrap();
    let [approval] = &list.approvals().unwrap()[..] else { panic!() };
    assert!(approval.covers(EVENT, "a --b"));
    assert!(!approval.covers(EVENT, "a --c"));
    assert!(!approval.covers(HookEvent::PostToolCall, "a --b"));
    assert!(Timestamp::now().duration_since(approval.approved_at.unwrap()).as_secs() < 60);
    assert_eq!(content(&list)["approvals"][0]["script_mtime_at_approval"], Value::Null);
}

#[test]
fn approving_again_renews_and_keeps_what_it_does_not_know() {
    let (_folder, list) = list_with(
        r#"{"note": "mine", "approvals": [
            "odd",
            {"by": "ada", "event": "pre_tool_call", "command": "a", "approved_at": "2020-01-01T00:00:00Z"}
        ], "version": 2}"#,
    );
    list.approve(EVENT, "a", None).unwrap();
    list.approve(EVENT, "b", None).unwrap();
    let now = content(&list);
    assert_eq!(
        now.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["note", "approvals", "version"]
    );
    assert_eq!(now["approvals"].as_array().unwrap().len(), 3);
    assert_eq!(now["approvals"][0], "odd");
    assert_eq!(now["approvals"][1]["by"], "ada");
    assert_ne!(now["approvals"][1]["approved_at"], "2020-01-01T00:00:00Z");
    assert_eq!(now["approvals"][2]["command"], "b");
}

#[test]
fn revoking_takes_the_command_from_every_event() {
    let (_folder, list) = list();
    for (event, command) in [(EVENT, "a"), (HookEvent::PostToolCall, "a"), (EVENT, "b")] {
        list.approve(event, command, None).unwrap();
    }
    assert_eq!(list.revoke("a").unwrap(), 2);
    assert_eq!(list.revoke("a").unwrap(), 0);
    let left = list.approvals().unwrap();
    assert!(left.len() == 1 && left[0].covers(EVENT, "b"));
}

#[test]
fn a_damaged_file_is_named_and_never_overwritten() {
    for broken in ["", "{\"approvals\": [", "[]", "{\"approvals\": {}}"] {
        let (_folder, list) = list_with(broken);
        for error in [
            list.approvals().unwrap_err(),
            list.approve(EVENT, "a", None).unwrap_err(),
            list.revoke("a").unwrap_err(),
        ] {
            let text = error.to_string();
            assert!(text.contains("shell-hooks-allowlist.json is damaged"), "{text}");
        }
        assert_eq!(fs::read_to_string(list.file()).unwrap(), broken);
    }
}

#[test]
fn a_changed_script_shows() {
    let (folder, list) = list();
    let script = folder.path().join("hook.sh");
    atomic::write(&script, b"exit 0", WriteOptions::KEEP).unwrap();
    let command = format!("sh {}", script.display());
    list.approve(EVENT, &command, None).unwrap();
    let state = || list.approvals().unwrap()[0].script_state(None);
    assert_eq!(state(), ScriptState::Unchanged);

    let later = SystemTime::now() + Duration::from_secs(90);
    fs::File::options().write(true).open(&script).unwrap().set_modified(later).unwrap();
    assert!(matches!(state(), ScriptState::Changed { approved, now } if now > approved));

    list.approve(EVENT, &command, None).unwrap();
    assert_eq!(state(), ScriptState::Unchanged);
    fs::remove_file(&script).unwrap();
    assert_eq!(state(), ScriptState::Missing);
}

#[test]
fn times_written_by_other_programs_are_understood() {
    let entry = |time: &str| json!({"event": "e", "command": "c", "script_mtime_at_approval": time, "approved_at": "?"});
    let read = Approval::read(&entry("2026-02-27T18:02:11.482930+00:00")).unwrap();
    assert_eq!(read.script_mtime, "2026-02-27T18:02:11.48293Z".parse().ok());
    assert_eq!(read.approved_at, None);
}

#[test]
fn approvals_from_many_sides_at_once_are_all_kept() {
    let (_folder, list) = list();
    std::thread::scope(|scope| {
        for name in ["a", "b", "c", "d"] {
            let list = &list;
            scope.spawn(move || {
                for turn in 0..5 {
                    list.approve(EVENT, &format!("{name}{turn}"), None).unwrap();
                }
            });
        }
    });
    assert_eq!(list.approvals().unwrap().len(), 20);
}

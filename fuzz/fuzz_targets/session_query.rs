//! Searches for any text: never an error, whatever quotes, operators and scripts are in it.
#![no_main]

use std::sync::LazyLock;

use hermes_sessions::search::{Request, explain_query};
use hermes_sessions::{NewMessage, NewSession, SessionDatabase};
use libfuzzer_sys::fuzz_target;

static LIBRARY: LazyLock<(tempfile::TempDir, SessionDatabase)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let store = SessionDatabase::at(folder.path().join("state.db"));
    let new = NewSession { id: "a".into(), source: "cli".into(), ..NewSession::default() };
    store.create(&new).unwrap();
    let texts = ["the zebra doesn't cross", "日本語の東京", "mixed 東京 zebra"];
    store.append("a", &texts.map(|text| NewMessage::new("user", text))).unwrap();
    (folder, store)
});

fuzz_target!(|text: String| {
    explain_query(&text);
    LIBRARY.1.search(&Request::discover(text.as_str())).unwrap();
});

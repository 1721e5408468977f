//! Answers of any kind: no panic, and whatever is read as calls names offered tools only and reads back as itself.
#![no_main]

use hermes_runtime::repair::written::{MAX_CALLS, calls_in_text};
use libfuzzer_sys::fuzz_target;
use serde_json::json;

fuzz_target!(|text: &str| {
    let offered = |name: &str| name == "terminal" || name == "read_file";
    if let Some(calls) = calls_in_text(text, &offered) {
        assert!(!calls.is_empty() && calls.len() <= MAX_CALLS);
        for call in calls {
            assert!(offered(&call.name));
            let plain = json!({"name": call.name, "arguments": call.arguments}).to_string();
            assert_eq!(calls_in_text(&plain, &offered), Some(vec![call]));
        }
    }
});

//! Any text: no panic, and redacting twice gives the same as once.
#![no_main]

use hermes_guard::redact::redact_file;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let once = redact_file(text).into_owned();
    assert_eq!(redact_file(&once), once);
});

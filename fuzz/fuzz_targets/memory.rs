//! A memory file of any kind: no panic, and what we would write from it reads back as itself.
#![no_main]

use hermes_tools::memory::entries::{holds_delimiter, is_foreign, parse, render, size};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let entries = parse(text);
    let written = render(&entries);
    assert_eq!(size(&entries), written.chars().count());
    let _ = is_foreign(text);
    if !entries.iter().any(|entry| holds_delimiter(entry)) {
        assert_eq!(parse(&written), entries);
        assert!(!is_foreign(&written));
    }
});

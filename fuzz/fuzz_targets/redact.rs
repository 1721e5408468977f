//! Any text in any mode: no panic, and redacting twice gives the same as once. As a command, the text
//! can be read as well. The work grows no faster than the text.
#![no_main]

mod pump;

use hermes_guard::redact::{Mode, redact, redact_file};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for mode in [Mode::Full, Mode::CodeFile, Mode::FileRead, Mode::UrlCredentials] {
        let once = redact(text, mode).into_owned();
        assert_eq!(redact(&once, mode), once, "{mode:?}");
    }
    assert_eq!(redact_file(text), redact(text, Mode::FileRead));
    let _ = redact("TOKEN=abc", Mode::Terminal { command: text });
    if let Some(long) = pump::pumped(text) {
        let _ = redact(&long, Mode::Full);
        let _ = redact("TOKEN=abc", Mode::Terminal { command: &long });
    }
});

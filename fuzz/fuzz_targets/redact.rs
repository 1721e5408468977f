//! Any text in any mode: no panic, and redacting twice gives the same as once. As a command, the text
//! can be read as well. The work grows no faster than the text.
#![no_main]

mod pump;

use hermes_guard::redact::{RedactMode, redact, redact_file};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for mode in
        [RedactMode::Full, RedactMode::CodeFile, RedactMode::FileRead, RedactMode::UrlCredentials]
    {
        let once = redact(text, mode).into_owned();
        assert_eq!(redact(&once, mode), once, "{mode:?}");
    }
    assert_eq!(redact_file(text), redact(text, RedactMode::FileRead));
    let _ = redact("TOKEN=abc", RedactMode::Terminal { command: text });
    if let Some(long) = pump::pumped(text) {
        let _ = redact(&long, RedactMode::Full);
        let _ = redact("TOKEN=abc", RedactMode::Terminal { command: &long });
    }
});

//! Any text: no panic, spans that point at the source, at most the allowed number of findings, and work
//! that grows no faster than the text.
#![no_main]

mod pump;

use hermes_guard::command::{CommandContext, MAX_FINDINGS, analyse, spellings};
use hermes_guard::shell;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let script = shell::parse(text);
    for place in script.simple_commands() {
        for word in &place.command.words {
            assert_eq!(word.span.of(text), word.text);
        }
    }
    let around =
        CommandContext { home: Some("/home/me"), cwd: Some("/"), ..CommandContext::default() };
    assert!(analyse(text, &around).findings.len() <= 2 * MAX_FINDINGS);
    let _ = spellings(text, &around);
    if let Some(long) = pump::pumped(text) {
        let _ = analyse(&long, &around);
        let _ = spellings(&long, &around);
    }
});

//! Any text typed to any program: no panic, and what is remembered of it is bounded.
#![no_main]

use hermes_guard::command::CommandContext;
use hermes_guard::input::{Listening, MAX_TYPED_BYTES, analyse_input, remember};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|texts: (&str, &str, &str)| {
    let (command, before, text) = texts;
    let around =
        CommandContext { home: Some("/home/me"), cwd: Some("/"), ..CommandContext::default() };
    let who = Listening { command, before, terminal: true, ..Listening::default() };
    let _ = analyse_input(text, &who, &around);
    let mut typed = before.to_owned();
    remember(&mut typed, text);
    assert!(typed.len() <= MAX_TYPED_BYTES);
});

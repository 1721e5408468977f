//! Any text: no panic, nothing is added, and what is shown cannot steer a terminal. The work grows no
//! faster than the text.
#![no_main]

mod pump;

use hermes_guard::ansi::{strip, strip_for_display};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let stripped = strip(text);
    let mut rest = text.chars();
    assert!(stripped.chars().all(|kept| rest.any(|original| original == kept)));
    let shown = strip_for_display(text).into_owned();
    assert!(shown.chars().all(|shown| !shown.is_control() || shown == '\n' || shown == '\t'));
    assert_eq!(strip_for_display(&shown), shown);
    if let Some(long) = pump::pumped(text) {
        let _ = strip_for_display(&long);
    }
});

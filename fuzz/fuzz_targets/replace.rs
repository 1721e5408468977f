//! Edits of any bytes by any texts: no panic, success is a change, and what lies outside the
//! replaced lines keeps its bytes. The diff of every edit can be shown.
#![no_main]

use hermes_files::edit::{ReplaceScope, replace, unified_diff};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (Vec<u8>, String, String, bool)| {
    let (content, old, new, all) = input;
    let scope = if all { ReplaceScope::All } else { ReplaceScope::One };
    let Ok(edited) = replace(&content, &old, &new, scope) else { return };
    assert_ne!(edited.bytes, content);
    let lines_before = edited.replacements[0].before.first - 1;
    let kept: usize =
        content.split_inclusive(|byte| *byte == b'\n').take(lines_before).map(<[u8]>::len).sum();
    assert_eq!(edited.bytes[..kept], content[..kept]);
    assert!(!unified_diff(&content, &edited.bytes, "file").is_empty());
});

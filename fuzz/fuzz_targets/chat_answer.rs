//! An answer on its way into a chat: parts fit and lose nothing, and files are named by absolute paths only.
#![no_main]

use hermes_gateway::markdown::{LengthUnit, SplitLimit, split};
use hermes_gateway::named_files;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, u16)| {
    let (text, length) = input;
    let (shown, paths) = named_files(text);
    assert!(shown.len() <= text.len());
    assert!(paths.iter().all(|path| path.starts_with('/')));
    let length = usize::from(length).max(64);
    let measure = |part: &str| LengthUnit::Utf16.of(part);
    let parts = split(&shown, &SplitLimit { length, measure: &measure, unit: LengthUnit::Utf16 });
    // Marks of parts and fences that are opened again come on top.
    assert!(parts.iter().all(|part| LengthUnit::Utf16.of(part) <= length + 64), "{parts:?}");
});

//! The scan of skills: any bytes under any name are read, and findings point at lines that exist.
#![no_main]

use hermes_guard::skill_scan::{BundleEntry, scan};
use libfuzzer_sys::fuzz_target;

const PATHS: [&str; 8] =
    ["SKILL.md", "a.sh", "b.py", "c.js", "d.json", "e.ipynb", "tests/f.md", "noext"];

fuzz_target!(|input: (u8, &[u8])| {
    let (which, bytes) = input;
    let path = PATHS[usize::from(which) % PATHS.len()];
    let report = scan(&[BundleEntry::file(path, bytes)]);
    // A text has at most one line more than it has line ends, in whichever encoding.
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
    for finding in report.findings {
        assert!(finding.line <= lines, "{finding:?}");
    }
});

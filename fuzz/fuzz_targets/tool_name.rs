//! Tool names of any kind: no panic, only known tools, and likeness never leads to one that
//! changes something.
#![no_main]

use hermes_runtime::repair::name::{How, Known, NameRepair, repair_name};
use libfuzzer_sys::fuzz_target;

const TOOLS: [&str; 6] =
    ["read_file", "write_file", "terminal", "web_search", "todo", "mcp__server__find"];

fuzz_target!(|name: &str| {
    let known = Known::new(TOOLS).with_legacy("shell", "terminal");
    let reads = |tool: &str| matches!(tool, "read_file" | "web_search" | "mcp__server__find");
    match repair_name(name, &known, reads) {
        NameRepair::Exact(tool) => assert_eq!(tool, name),
        NameRepair::Repaired(tool, How::CloseMatch) => assert!(reads(tool)),
        NameRepair::Repaired(tool, _) => assert!(TOOLS.contains(&tool)),
        NameRepair::Unknown { nearest } => {
            assert!(nearest.is_none_or(|tool| TOOLS.contains(&tool)))
        }
    }
});

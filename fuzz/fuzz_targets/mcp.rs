//! What an MCP server says of its tools and errors: no panic, schemas that stay as they are when they are
//! made fit again, and names every model takes.
#![no_main]

use hermes_mcp::names::{plain_name, sanitise};
use hermes_mcp::safety::{redact_error, scan_description, scan_tool};
use hermes_mcp::schema::normalise;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|text: &str| {
    let fits = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    assert!(fits(&sanitise(text)) && fits(&plain_name(text, text)));
    let _ = scan_description(text);
    let _ = redact_error(text);
    if let Ok(schema) = serde_json::from_str::<Value>(text) {
        let _ = scan_tool(text, &schema);
        let fit = normalise(schema);
        assert!(fit.is_object());
        assert_eq!(normalise(fit.clone()), fit);
    }
});

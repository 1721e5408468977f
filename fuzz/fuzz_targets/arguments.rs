//! Argument text of any kind: no panic, agreement with JSON, and every result is an object that
//! reads back as itself.
#![no_main]

use hermes_runtime::repair::arguments::parse_arguments;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|text: &str| {
    let outcome = parse_arguments(text);
    if let Ok(Value::Object(object)) = serde_json::from_str(text) {
        let parsed = outcome.as_ref().expect("valid JSON is accepted");
        assert_eq!((&parsed.object, parsed.repaired), (&object, false));
    }
    if let Ok(parsed) = outcome {
        let again = parse_arguments(&Value::Object(parsed.object.clone()).to_string());
        let again = again.expect("JSON we wrote is accepted");
        assert_eq!((again.object, again.repaired), (parsed.object, false));
    }
});

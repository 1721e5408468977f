//! Tests of the tolerant reader: every accepted and every refused form, then general laws.

mod accept;
mod properties;
mod refuse;

use serde_json::Value;

use super::{ArgumentError, parse_arguments};

/// The text must be read as this object, by repair.
#[track_caller]
fn repairs(text: &str, wanted: &Value) {
    match parse_arguments(text) {
        Ok(parsed) => {
            assert_eq!(&Value::Object(parsed.object), wanted, "{text}");
            assert!(parsed.repaired, "{text} needs no repair");
        }
        Err(error) => panic!("{text}: {error}"),
    }
}

/// The text must be refused.
#[track_caller]
fn refused(text: &str) -> ArgumentError {
    match parse_arguments(text) {
        Ok(parsed) => panic!("{text} was read as {:?}", parsed.object),
        Err(error) => {
            assert!(error.to_string().contains("send one"), "{error}");
            error
        }
    }
}

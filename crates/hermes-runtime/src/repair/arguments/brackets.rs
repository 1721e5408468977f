//! What to do about closing brackets that do not match: read the text both possible ways.
//!
//! A `}` where a `]` is due has two explanations. Either the `]` was forgotten and `}` closes the
//! object further out, as in `{"a": [{"b": 1], "c": 2}`; or it is simply the wrong character, as
//! in `{"a": [1}, "c": 2}`. Only the rest of the text can tell. So text with a mismatch is read
//! once in each way, and the reading that needs fewer bracket corrections stands. Two different
//! readings of equal cost are refused.

use serde_json::Value;

use super::document;
use super::error::ArgumentError;
use super::reader::{Mismatch, Reader};

struct Reading {
    outcome: Result<Value, ArgumentError>,
    corrections: usize,
    mismatch_at: Option<usize>,
}

/// Read a document, resolving mismatched brackets.
pub(super) fn read(text: &str) -> Result<Value, ArgumentError> {
    let outer = reading(text, Mismatch::ClosesOuter);
    let Some(at) = outer.mismatch_at else { return outer.outcome };
    let inner = reading(text, Mismatch::Miswritten);
    match (outer.outcome, inner.outcome) {
        (Ok(value), Err(_)) | (Err(_), Ok(value)) => Ok(value),
        (Err(error), Err(_)) => Err(error),
        (Ok(left), Ok(right)) if left == right => Ok(left),
        (Ok(left), Ok(right)) => match outer.corrections.cmp(&inner.corrections) {
            std::cmp::Ordering::Less => Ok(left),
            std::cmp::Ordering::Greater => Ok(right),
            std::cmp::Ordering::Equal => Err(ArgumentError::Malformed {
                at,
                problem: "the closing bracket does not match what is open",
            }),
        },
    }
}

fn reading(text: &str, mismatch: Mismatch) -> Reading {
    let mut reader = Reader::new(text, mismatch);
    let outcome = document::read(&mut reader);
    let mismatch_at = reader.mismatch.map(|offset| reader.character(offset));
    Reading { outcome, corrections: reader.corrections, mismatch_at }
}

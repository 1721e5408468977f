//! Lists and objects that came as text.

use serde_json::Value;

use super::{CoercionMode, JsonKind, python};

/// Which notations a container's text may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    /// Strict JSON; the last of duplicate keys wins.
    Json,
    /// Strict JSON, else a Python literal.
    JsonOrPython,
}

impl Notation {
    /// What a mode reads at a place that can only be the container in question.
    pub(super) fn of(mode: CoercionMode) -> Self {
        match mode {
            CoercionMode::Deep => Self::JsonOrPython,
            CoercionMode::Reference => Self::Json,
        }
    }
}

/// The kind of container that trimmed text begins like.
pub(super) fn opened_by(trimmed: &str) -> Option<JsonKind> {
    match trimmed.as_bytes().first()? {
        b'[' => Some(JsonKind::Array),
        b'{' => Some(JsonKind::Object),
        _ => None,
    }
}

/// Parse text that is, completely, a container of the given kind.
pub(super) fn parse(text: &str, kind: JsonKind, notation: Notation) -> Option<Value> {
    // Looking at the first character spares a useless parse of, say, a whole source file.
    let start = text.trim_start_matches([' ', '\t', '\n', '\r']);
    if opened_by(start) != Some(kind) {
        return None;
    }
    match serde_json::from_str(text) {
        Ok(value) => Some(value),
        Err(_) if notation == Notation::JsonOrPython => python::parse(text),
        Err(_) => None,
    }
}

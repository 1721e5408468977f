//! TOML, by the reader that also reads it everywhere else here.

use ::toml::de::DeTable;

use super::{SyntaxVerdict, text};

/// Checks one TOML document.
pub(super) fn check(text: &str) -> SyntaxVerdict {
    let Err(fault) = DeTable::parse(text) else { return SyntaxVerdict::Ok };
    if fault.message().contains("recur") {
        return SyntaxVerdict::skipped("Not checked: nested too deeply");
    }
    let offset = fault.span().map_or(text.len(), |span| span.start);
    SyntaxVerdict::Errors(vec![text::error_at("TOMLDecodeError", text, offset, fault.message())])
}

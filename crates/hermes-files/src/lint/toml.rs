//! TOML, by the reader that also reads it everywhere else here.

use ::toml::de::DeTable;

use super::{Lint, text};

/// Checks one TOML document.
pub(super) fn check(text: &str) -> Lint {
    let Err(fault) = DeTable::parse(text) else { return Lint::Ok };
    if fault.message().contains("recur") {
        return Lint::skipped("Not checked: nested too deeply");
    }
    let offset = fault.span().map_or(text.len(), |span| span.start);
    Lint::Errors(vec![text::error_at("TOMLDecodeError", text, offset, fault.message())])
}

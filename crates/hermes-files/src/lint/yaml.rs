//! YAML, judged by its events alone: several documents, unknown tags and undefined aliases are
//! the business of whoever loads the file.

use serde_saphyr::granit_parser::{self, ErrorKind, Parser};

use super::{Lint, text};

/// Deeper nesting is not judged.
const MAX_DEPTH: usize = 2000;

/// Checks a stream of YAML documents.
pub(super) fn check(text: &str) -> Lint {
    let options = granit_parser::options! {
        emit_comments: false,
        emit_unresolved_aliases: true,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
        max_directive_bytes: usize::MAX,
        max_reserved_directive_params: usize::MAX,
    };
    let fault = Parser::new_from_str_with_options(text, options).find_map(Result::err);
    let Some(fault) = fault else { return Lint::Ok };
    if matches!(fault.kind(), ErrorKind::RecursionLimitExceeded) {
        return Lint::skipped("Not checked: nested too deeply");
    }
    let mark = fault.marker();
    let offset =
        mark.byte_offset().unwrap_or_else(|| text::offset_of(text, mark.line(), mark.col() + 1));
    Lint::Errors(vec![text::error_at("YAMLError", text, offset, fault.info())])
}

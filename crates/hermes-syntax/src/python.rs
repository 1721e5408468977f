//! Python 3, newest grammar.

use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};

use super::bounded::Stack;
use super::{MAX_ERRORS, SyntaxVerdict, text};

/// The parser grows its own stack; dropping a deep tree is what needs ours.
pub(super) const STACK: Stack = Stack::per_token(256);

/// Checks one module or stub.
pub(super) fn check(text: &str) -> SyntaxVerdict {
    let parsed = parse_unchecked(text, ParseOptions::from(Mode::Module));
    let error = |fault: &ruff_python_parser::ParseError| {
        let offset = fault.location.start().to_usize();
        text::error_at("SyntaxError", text, offset, fault.error.to_string())
    };
    SyntaxVerdict::from_errors(parsed.errors().iter().take(MAX_ERRORS).map(error).collect())
}

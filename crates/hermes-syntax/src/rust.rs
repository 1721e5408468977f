//! Rust, current editions.

use super::bounded::Stack;
use super::{MAX_ERRORS, SyntaxVerdict, text};

/// The parser is recursive.
pub(super) const STACK: Stack = Stack::per_token(6 * 1024);

/// What the lexer says about anything it does not like.
const NO_TOKENS: &str = "cannot parse string into token stream";

/// Checks one source file.
pub(super) fn check(text: &str) -> SyntaxVerdict {
    if has_front_matter(text) {
        return SyntaxVerdict::skipped("Not checked: a script with a manifest inside");
    }
    let Err(fault) = syn::parse_file(text) else { return SyntaxVerdict::Ok };
    let offsets: Vec<(usize, String)> = fault
        .into_iter()
        .take(MAX_ERRORS)
        .map(|fault| {
            let start = fault.span().start();
            (text::offset_of(text, start.line, start.column + 1), fault.to_string())
        })
        .collect();
    if offsets.iter().any(|(offset, _)| is_bare_trait_object(text, *offset)) {
        return SyntaxVerdict::skipped("Not checked: may be edition 2015");
    }
    let errors = offsets.into_iter().map(|(offset, message)| {
        let found = text::quote_at(text, offset).unwrap_or_else(|| "end of file".into());
        let message = match message.as_str() {
            NO_TOKENS => format!("unbalanced bracket or broken literal at {found}"),
            _ => format!("{message}, found {found}"),
        };
        text::error_at("SyntaxError", text, offset, message)
    });
    SyntaxVerdict::from_errors(errors.collect())
}

/// A `---` block at the top holds a package manifest, in scripts that cargo runs.
fn has_front_matter(text: &str) -> bool {
    let mut lines = text.lines();
    let first = lines.by_ref().find(|line| !line.starts_with("#!") && !line.trim().is_empty());
    first.is_some_and(|line| line.starts_with("---"))
}

/// Edition 2015 allowed `Fn(A) -> B` and `A + Send` as types without `dyn`; the parser does not.
fn is_bare_trait_object(text: &str, offset: usize) -> bool {
    let (before, after) = text.split_at(offset);
    let closure_trait = ["Fn", "FnMut", "FnOnce"].iter().any(|name| before.ends_with(name));
    after.starts_with('+') || (after.starts_with('(') && closure_trait)
}

//! JavaScript and TypeScript, with or without JSX.
//!
//! The same `.js` name stands for scripts, modules and CommonJS files, whose grammars differ in
//! corners (octal numbers, `await` as a name, `return` at the top). Content is only wrong if it is
//! wrong in each of them.

use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;

use super::bounded::Stack;
use super::{MAX_ERRORS, SyntaxError, SyntaxVerdict, text};

/// The parser is recursive.
pub(super) const STACK: Stack = Stack::per_token(2 * 1024);

/// How far into a file the mark of Flow is looked for.
const FLOW_MARK_WITHIN: usize = 2000;

/// What a file name says about its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScriptDialect(SourceType);

impl ScriptDialect {
    /// The dialect of a file name, if it is one.
    pub(super) fn of(name: &str) -> Option<ScriptDialect> {
        SourceType::from_path(name.to_ascii_lowercase()).ok().map(ScriptDialect)
    }

    /// The readings to try, the likeliest first.
    fn readings(self) -> [SourceType; 4] {
        let ScriptDialect(source) = self;
        [source, source.with_module(true), source.with_script(true), source.with_commonjs(true)]
    }
}

/// Checks one file.
pub(super) fn check(text: &str, dialect: ScriptDialect) -> SyntaxVerdict {
    if dialect.0.is_typescript() && is_markup(text) {
        return SyntaxVerdict::skipped("Not checked: markup, not TypeScript");
    }
    let mut first = None;
    for reading in dialect.readings() {
        let errors = errors(text, reading);
        if errors.is_empty() {
            return SyntaxVerdict::Ok;
        }
        first.get_or_insert(errors);
    }
    if dialect.0.is_javascript() && is_flow(text) {
        return SyntaxVerdict::skipped("Not checked: Flow types");
    }
    SyntaxVerdict::from_errors(first.unwrap_or_default())
}

fn errors(text: &str, source: SourceType) -> Vec<SyntaxError> {
    let arena = Allocator::default();
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let parsed = Parser::new(&arena, text, source).with_options(options).parse();
    let errors = parsed.diagnostics.errors().take(MAX_ERRORS).map(|fault| {
        let offset = fault.labels.first().map_or(text.len(), |label| label.offset() as usize);
        let message = match &fault.help {
            Some(help) => format!("{} ({help})", fault.message),
            None => fault.message.to_string(),
        };
        text::error_at("SyntaxError", text, offset, message)
    });
    errors.collect()
}

/// Qt's translation files share the extension.
fn is_markup(text: &str) -> bool {
    let start = text.trim_start();
    start.starts_with("<?xml") || start.starts_with("<!DOCTYPE")
}

/// Flow's type annotations look like JavaScript's errors.
fn is_flow(text: &str) -> bool {
    text[..text.floor_char_boundary(FLOW_MARK_WITHIN)].contains("@flow")
}

//! POSIX shell and bash.

use brush_parser::{ParseError, Parser, ParserOptions, SourcePosition, TokenizerError};

use super::bounded::Stack;
use super::{Lint, text};

/// The parser is recursive.
pub(super) const STACK: Stack = Stack::per_token(4 * 1024);

/// Checks one script.
pub(super) fn check(text: &str) -> Lint {
    if let Some(interpreter) = other_interpreter(text) {
        return Lint::Skipped(format!("Not checked: a script for {interpreter}"));
    }
    // The parser has no `select`, which is written exactly like `for`.
    let fault = fault(text).and_then(|_| fault(&text.replace("select ", "for    ")));
    let Some(fault) = fault else { return Lint::Ok };
    let (offset, message) = describe(text, &fault);
    Lint::Errors(vec![text::error_at("SyntaxError", text, offset, message)])
}

fn fault(text: &str) -> Option<ParseError> {
    Parser::new(text.as_bytes(), &ParserOptions::default()).parse_program().err()
}

/// The interpreter that the first line names, unless it is a shell known here.
fn other_interpreter(text: &str) -> Option<&str> {
    let line = text.lines().next()?.strip_prefix("#!")?;
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let name =
        words.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    (!matches!(name, "sh" | "bash" | "dash" | "ash")).then_some(name)
}

fn describe(text: &str, fault: &ParseError) -> (usize, String) {
    match fault {
        ParseError::ParsingNear(position) => {
            let offset = offset(text, position);
            let found = text::quote_at(text, offset).unwrap_or_else(|| "end of file".into());
            (offset, format!("unexpected {found}"))
        }
        ParseError::ParsingAtEndOfInput => (text.len(), "unexpected end of file".into()),
        ParseError::Tokenizing { inner, position } => {
            let (own, message) = unterminated(inner);
            let offset = own.or(position.as_ref()).map_or(text.len(), |at| offset(text, at));
            (offset, message)
        }
    }
}

/// Where something begins that never ends, and what it is.
fn unterminated(fault: &TokenizerError) -> (Option<&SourcePosition>, String) {
    let (position, what) = match fault {
        TokenizerError::UnterminatedSingleQuote(at) => (Some(at), "single quote"),
        TokenizerError::UnterminatedDoubleQuote(at) => (Some(at), "double quote"),
        TokenizerError::UnterminatedAnsiCQuote(at) => (Some(at), "$'…' quote"),
        TokenizerError::UnterminatedBackquote(at) => (Some(at), "backquote"),
        TokenizerError::UnterminatedExtendedGlob(at) => (Some(at), "extended glob"),
        TokenizerError::UnterminatedVariable => (None, "${…}"),
        TokenizerError::UnterminatedCommandSubstitution => (None, "$(…)"),
        TokenizerError::UnterminatedExpansion => (None, "$((…)) or ${…}"),
        TokenizerError::UnterminatedHereDocuments(tags, _) => {
            return (None, format!("the here-document {} never ends", tags.trim()));
        }
        other => return (None, other.to_string()),
    };
    (position, format!("unterminated {what}"))
}

fn offset(text: &str, position: &SourcePosition) -> usize {
    text::offset_of(text, position.line, position.column)
}

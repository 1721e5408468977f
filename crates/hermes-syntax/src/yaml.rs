//! YAML, judged by its events alone: several documents, unknown tags and undefined aliases are
//! the business of whoever loads the file.

use serde_saphyr::granit_parser::{self, ErrorKind, Parser, ScanError};

use super::{SyntaxVerdict, text};

/// Deeper nesting is not judged.
const MAX_DEPTH: usize = 2000;

/// How many lines of quoted text may stand too far left before a file is not judged.
const MAX_OUTDENTED: usize = 100;

/// Deeper than any text is indented.
const PADDING: &str = "                                                                ";

/// Checks a stream of YAML documents.
pub(super) fn check(text: &str) -> SyntaxVerdict {
    let mut relaxed = text.to_string();
    let mut padded = Vec::new();
    let fault = loop {
        let Some(fault) = fault(&relaxed) else { return SyntaxVerdict::Ok };
        // The standard wants the further lines of a quoted text indented; hardly any reader
        // does. Space there means nothing, so it is added until the real error shows, if any.
        let is_outdented = matches!(fault.kind(), ErrorKind::InvalidQuotedScalarIndent);
        let line = fault.marker().line();
        if !is_outdented || padded.len() == MAX_OUTDENTED || padded.contains(&line) {
            break fault;
        }
        relaxed.insert_str(text::offset_of(&relaxed, line, 1), PADDING);
        padded.push(line);
    };
    if matches!(fault.kind(), ErrorKind::RecursionLimitExceeded) {
        return SyntaxVerdict::skipped("Not checked: nested too deeply");
    }
    if is_commonly_accepted(fault.kind()) {
        return SyntaxVerdict::Skipped(format!(
            "Not checked: readers differ on it ({})",
            fault.info()
        ));
    }
    let (line, column) = (fault.marker().line(), fault.marker().col() + 1);
    let added = if padded.contains(&line) { PADDING.len() } else { 0 };
    let offset = text::offset_of(text, line, column.saturating_sub(added));
    SyntaxVerdict::Errors(vec![text::error_at("YAMLError", text, offset, fault.info())])
}

fn fault(text: &str) -> Option<ScanError> {
    let options = granit_parser::options! {
        emit_comments: false,
        emit_unresolved_aliases: true,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
        max_directive_bytes: usize::MAX,
        max_reserved_directive_params: usize::MAX,
    };
    Parser::new_from_str_with_options(text, options).find_map(Result::err)
}

/// What the standard forbids but widespread readers take, such as a comment right behind a
/// bracket.
fn is_commonly_accepted(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::InvalidQuotedScalarIndent
            | ErrorKind::CommentNotSeparated
            | ErrorKind::CommentInterceptedScalar
            | ErrorKind::MissingDocumentEndBeforeDirective
            | ErrorKind::InvalidBlockScalarIndent
            | ErrorKind::TabInIndentation
            | ErrorKind::InvalidTagTerminator
            | ErrorKind::PlainScalarStartsWithDashFlowIndicator
    )
}

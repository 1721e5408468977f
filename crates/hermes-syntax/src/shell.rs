//! POSIX shell and bash, read by the parser that also judges commands.

use hermes_guard::shell::{self, Error, ParseLimits, ShellScript};

use super::bounded::Stack;
use super::{SyntaxError, SyntaxVerdict, text};

/// The parser is recursive and counts its levels, so the usual stack is enough.
pub(super) const STACK: Stack = Stack::FIXED;

/// Enough for a script of [`super::MAX_BYTES`] that people wrote.
const LIMITS: ParseLimits =
    ParseLimits { depth: 200, commands: 100_000, words: 400_000, parts: 400_000 };

/// Checks one script.
pub(super) fn check(text: &str) -> SyntaxVerdict {
    if let Some(interpreter) = other_interpreter(text) {
        return SyntaxVerdict::Skipped(format!("Not checked: a script for {interpreter}"));
    }
    let script = shell::parse_within(text, LIMITS);
    match script.error {
        Some(Error::TooMuch { what, .. }) => {
            SyntaxVerdict::Skipped(format!("Not checked: too many {what} for one script"))
        }
        Some(error) => SyntaxVerdict::Errors(vec![described(text, error)]),
        None => {
            let error = missing_command(text, &script).or_else(|| open_heredoc(text, &script));
            SyntaxVerdict::from_errors(error.into_iter().collect())
        }
    }
}

/// The interpreter that the first line names, unless it is a shell known here.
fn other_interpreter(text: &str) -> Option<&str> {
    let line = text.lines().next()?.strip_prefix("#!")?;
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let name =
        words.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    (!matches!(name, "sh" | "bash" | "dash" | "ash")).then_some(name)
}

/// An error where a reader looks for it: a quotation that never ends at its beginning, because what
/// follows is all quoted; a command that never ends at the end, where the missing word belongs.
fn described(text: &str, error: Error) -> SyntaxError {
    let at_error = |at, message: String| text::error_at("SyntaxError", text, at, message);
    match error {
        Error::Unexpected { at, .. } | Error::TooMuch { at, .. } => {
            let found = text::quote_at(text, at).unwrap_or_else(|| "end of file".into());
            at_error(at, format!("unexpected {found}"))
        }
        Error::Unclosed { what, at } => match text.as_bytes().get(at) {
            Some(b'\'' | b'"' | b'`' | b'$') => at_error(at, format!("{what} is never closed")),
            Some(_) => {
                let line = text[..at].matches('\n').count() + 1;
                let message =
                    format!("unexpected end of file: {what} (line {line}) is never closed");
                at_error(text.len(), message)
            }
            None => at_error(text.len(), "unexpected end of file".into()),
        },
    }
}

/// `then` without anything to do: bash stops at the word that should not be there yet.
fn missing_command(text: &str, script: &ShellScript<'_>) -> Option<SyntaxError> {
    let at = script.missing_command?;
    let found = text::quote_at(text, at).unwrap_or_else(|| "end of file".into());
    Some(text::error_at("SyntaxError", text, at, format!("a command is missing before {found}")))
}

/// A shell takes the rest of the file as the text of such a document and only warns; it is never meant.
fn open_heredoc(text: &str, script: &ShellScript<'_>) -> Option<SyntaxError> {
    let open = script.heredocs.iter().find(|heredoc| !heredoc.closed)?;
    let message = format!("the here-document {} never ends", open.delimiter);
    Some(text::error_at("SyntaxError", text, text.len(), message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_error(text: &str) -> Option<String> {
        match check(text) {
            SyntaxVerdict::Ok => None,
            SyntaxVerdict::Errors(errors) => Some(errors[0].to_string()),
            SyntaxVerdict::Skipped(reason) => panic!("{reason}"),
        }
    }

    #[test]
    fn messages_say_what_is_missing_and_where_it_began() {
        let cases = [
            ("echo 'a\n", "SyntaxError: a single quote is never closed (line 1, column 6)"),
            ("\necho $(ls\n", "SyntaxError: a substitution is never closed (line 2, column 6)"),
            (
                "f() {\n  a\n",
                "SyntaxError: unexpected end of file: a group (line 1) is never closed \
                 (line 3, column 1)",
            ),
            ("a ||\n", "SyntaxError: unexpected end of file (line 2, column 1)"),
            ("a\nfi\n", "SyntaxError: unexpected `fi` (line 2, column 1)"),
            (
                "if a; then\n  # later\nfi\n",
                "SyntaxError: a command is missing before `fi` (line 3, column 1)",
            ),
            ("cat <<X\na\n", "SyntaxError: the here-document X never ends (line 3, column 1)"),
        ];
        for (text, expected) in cases {
            assert_eq!(first_error(text).as_deref(), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn only_what_must_not_be_empty_must_have_commands() {
        for text in ["x=$()", "x=``", "case a in b) ;; esac", "f() { :; }", "(( ))", "a=()", ""] {
            assert_eq!(first_error(text), None, "{text}");
        }
        for text in [
            "{ }",
            "( )",
            "f() { }",
            "while a; do done",
            "while do a; done",
            "if then a; fi",
            "if a; then b; else fi",
            "for a in b; do\ndone",
        ] {
            assert!(first_error(text).is_some(), "{text}");
        }
    }

    #[test]
    fn a_script_longer_than_any_command_is_checked() {
        let long = "case $a in x) echo \"$b ${c:-d}\";; esac\n".repeat(5_000);
        assert_eq!(first_error(&long), None);
        assert!(first_error(&format!("{long}fi\n")).is_some());
    }
}

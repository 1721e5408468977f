//! Go.
//!
//! The grammar used here lags behind the language by a release or two. Syntax that is known to
//! be missing from it is rewritten, byte for byte in place, into older syntax of the same shape
//! before a file is called wrong.

use std::ops::ControlFlow;
use std::time::Instant;

use tree_sitter::{Node, ParseOptions, Parser, Tree};

use super::bounded::DEADLINE;
use super::{MAX_ERRORS, SyntaxError, SyntaxVerdict, text};

/// Checks one source file.
pub(super) fn check(text: &str) -> SyntaxVerdict {
    let Some(tree) = parse(text) else {
        return SyntaxVerdict::skipped("Not checked: took too long");
    };
    if !tree.root_node().has_error() {
        return SyntaxVerdict::Ok;
    }
    let older = in_older_syntax(text);
    let Some(tree) = parse(&older) else {
        return SyntaxVerdict::skipped("Not checked: took too long");
    };
    SyntaxVerdict::from_errors(errors(text, &tree))
}

fn parse(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_go::LANGUAGE.into()).ok()?;
    let start = Instant::now();
    let mut progress = |_: &_| match start.elapsed() > DEADLINE {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// Rewrites what Go learned lately, `new` of a value (1.26) and methods with type parameters
/// (1.27), and functions that hide a built-in.
fn in_older_syntax(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match method_type_parameters(line) {
            Some((open, end)) => {
                out.push_str(&line[..open]);
                out.extend(std::iter::repeat_n(' ', end - open));
                out.push_str(&new_as_a_call(&line[end..]));
            }
            None => out.push_str(&new_as_a_call(line)),
        }
    }
    out
}

/// The `[…]` behind the name in `func (r R) name[…](`.
fn method_type_parameters(line: &str) -> Option<(usize, usize)> {
    let receiver = line.strip_prefix("func (")?;
    let name = line.len() - receiver.len() + receiver.find(')')? + 1;
    let open = name + line[name..].find(['[', '('])?;
    let mut depth = 0;
    for (at, byte) in line.bytes().enumerate().skip(open) {
        match byte {
            b'[' => depth += 1,
            b']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (byte == b']').then_some((open, at + 1));
        }
    }
    None
}

/// `new(` and `make(` under names that take any argument, unless a type literal follows.
fn new_as_a_call(line: &str) -> String {
    const TYPES: [&str; 8] =
        ["[", "*", "map[", "chan ", "func(", "struct{", "struct {", "interface"];
    let mut out = line.to_string();
    for (word, call) in [("new(", "neW("), ("make(", "makE(")] {
        for (at, _) in line.match_indices(word) {
            let argument = &line[at + word.len()..];
            if !TYPES.iter().any(|start| argument.starts_with(start)) {
                out.replace_range(at..at + word.len(), call);
            }
        }
    }
    out
}

/// The outermost errors, each where a reader would look for it.
fn errors(text: &str, tree: &Tree) -> Vec<SyntaxError> {
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_error = node.is_error() || node.is_missing();
        if is_error {
            found.push(describe(text, node));
        }
        if found.len() == MAX_ERRORS {
            return found;
        }
        let inside = !is_error && node.has_error() && cursor.goto_first_child();
        while !inside && !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

fn describe(text: &str, node: Node<'_>) -> SyntaxError {
    let error = |offset, message: String| text::error_at("SyntaxError", text, offset, message);
    if node.is_missing() {
        return error(node.start_byte(), format!("missing `{}`", node.kind()));
    }
    if let Some(open) = never_ended(node) {
        return error(open.start_byte(), format!("`{}` is never closed", open.kind()));
    }
    let found = text::quote_at(text, node.start_byte()).unwrap_or_else(|| "end of file".into());
    error(node.start_byte(), format!("unexpected {found}"))
}

/// The last bracket or quote among an error's own tokens that has no partner.
fn never_ended(node: Node<'_>) -> Option<Node<'_>> {
    let mut open: Vec<Node<'_>> = Vec::new();
    for child in node.children(&mut node.walk()) {
        match child.kind() {
            quote @ ("\"" | "`" | "'") if open.last().is_some_and(|last| last.kind() == quote) => {
                open.pop();
            }
            "(" | "[" | "{" | "\"" | "`" | "'" => open.push(child),
            ")" | "]" | "}" => drop(open.pop()),
            _ => {}
        }
    }
    open.pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_syntax_is_rewritten_in_place() {
        let cases = [
            ("x := new(42) + new([]int)", "x := neW(42) + new([]int)"),
            ("func (r *R) N[I any](n I) I {", "func (r *R) N       (n I) I {"),
            ("func (r R[T]) N(n []I) {", "func (r R[T]) N(n []I) {"),
            ("func N[I any](n I) {", "func N[I any](n I) {"),
            ("func (r R) N[", "func (r R) N["),
            ("make(n - 1), make(chan int)", "makE(n - 1), make(chan int)"),
        ];
        for (text, expected) in cases {
            assert_eq!(in_older_syntax(text), expected);
        }
    }
}

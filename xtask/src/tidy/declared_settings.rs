//! Every setting is read, and every setting that is read is declared.
//!
//! A field of a struct that derives `Settings` is a documented key. If nothing asks for the field, the key is a promise
//! nobody keeps. And whoever takes a value out of the configuration by its name, past such a struct, has a key that no
//! reference, check or completion knows.

use std::collections::BTreeSet;

use super::Findings;
use super::tokens::{Kind, Token, inside, without_tests};
use super::tree::Tree;

/// Who may look into the configuration by name, and why.
const READERS: &[(&str, &str)] = &[
    ("crates/hermes-store/", "reads and edits the file for everybody"),
    ("crates/hermes-tool/src/settings/", "reads what is declared"),
];

pub(super) fn are_read(tree: &Tree, findings: &mut Findings) {
    let mut used: BTreeSet<String> = BTreeSet::new();
    let mut declared: Vec<(String, String, usize)> = Vec::new();
    for (path, file) in sources(tree) {
        let tokens = without_tests(&file.tokens);
        for pair in tokens.windows(2) {
            if let [dot, Token { kind: Kind::Word(name), .. }] = pair
                && dot.is_mark('.')
            {
                used.insert(name.clone());
            }
        }
        // `let Settings { max_turns, .. } = settings;` reads as well.
        for at in 0..tokens.len() {
            if tokens[at].is_word("let") {
                let names = tokens[at + 1..].iter().take_while(|token| !token.is_mark('='));
                used.extend(names.filter_map(|token| match &token.kind {
                    Kind::Word(word) => Some(word.clone()),
                    _ => None,
                }));
            }
        }
        declared.extend(
            settings_fields(&tokens).into_iter().map(|(name, line)| (path.to_owned(), name, line)),
        );
    }
    findings.note(format!("{} declared settings", declared.len()));
    for (path, name, line) in declared {
        if !used.contains(&name) {
            let what = format!("nothing reads the setting `{name}`: use it, or take it out");
            findings.breach(format!("{path}:{line}"), what);
        }
    }
}

pub(super) fn are_declared(tree: &Tree, findings: &mut Findings) {
    for (path, file) in sources(tree) {
        if READERS.iter().any(|(reader, _)| path.starts_with(reader)) {
            continue;
        }
        for token in lookups(&without_tests(&file.tokens)) {
            let what =
                "takes a setting by its name; declare it in a struct with `derive(Settings)`";
            findings.breach(format!("{path}:{}", token.line), what);
        }
    }
}

fn sources(tree: &Tree) -> impl Iterator<Item = (&str, &super::tree::SourceFile)> {
    tree.ending_in(".rs").filter(|(path, _)| {
        path.starts_with("crates/")
            && path.contains("/src/")
            && !path.contains("/tests/")
            && !path.ends_with("tests.rs")
    })
}

/// `config["…"]`, `config.get("…")` and the same behind `config.value()`.
fn lookups(tokens: &[Token]) -> Vec<Token> {
    const READS: &[&str] =
        &["get", "bool", "integer", "number", "text", "text_list", "section", "pointer"];
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        if !tokens[at].is_word("config") {
            continue;
        }
        let mut rest = &tokens[at + 1..];
        if let [dot, value, open, close, after @ ..] = rest
            && dot.is_mark('.')
            && value.is_word("value")
            && open.kind == Kind::Open
            && close.kind == Kind::Close
        {
            rest = after;
        }
        let text = |tokens: &[Token]| matches!(inside(tokens), [Token { kind: Kind::Literal(text), .. }, ..] if text.starts_with('"'));
        let is_lookup = match rest {
            [open, ..] if open.kind == Kind::Open => text(rest),
            [dot, Token { kind: Kind::Word(method), .. }, call @ ..] => {
                dot.is_mark('.') && READS.contains(&method.as_str()) && text(call)
            }
            _ => false,
        };
        if is_lookup {
            found.push(tokens[at].clone());
        }
    }
    found
}

/// The fields of structs with `Settings` among their derives.
fn settings_fields(tokens: &[Token]) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut derives = false;
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at].is_mark('#')
            && tokens.get(at + 1).is_some_and(|token| token.kind == Kind::Open)
        {
            let attribute = inside(&tokens[at + 1..]);
            derives |= attribute.first().is_some_and(|word| word.is_word("derive"))
                && attribute.iter().any(|token| token.is_word("Settings"));
            at += attribute.len() + 3;
            continue;
        }
        if tokens[at].is_word("struct") {
            let body = tokens[at..].iter().position(|token| token.kind == Kind::Open);
            if let (true, Some(open)) = (derives, body) {
                found.extend(fields(inside(&tokens[at + open..])));
            }
            derives = false;
        }
        at += 1;
    }
    found
}

/// Names before a single colon, outside brackets.
fn fields(body: &[Token]) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut angle = 0_usize;
    for at in 0..body.len() {
        match body[at].kind {
            Kind::Open => depth += 1,
            Kind::Close => depth = depth.saturating_sub(1),
            Kind::Mark('<') => angle += 1,
            Kind::Mark('>') => angle = angle.saturating_sub(1),
            _ => {}
        }
        let is_colon = |at: usize| body.get(at).is_some_and(|token| token.is_mark(':'));
        if let (0, 0, Kind::Word(name)) = (depth, angle, &body[at].kind)
            && is_colon(at + 1)
            && !is_colon(at + 2)
            && (at == 0 || !is_colon(at - 1))
        {
            found.push((name.clone(), body[at].line));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::breaches;
    use super::*;

    #[test]
    fn a_setting_that_nothing_reads_is_reported() {
        let source = "#[derive(Clone, Settings)] #[settings(path = \"a\")] pub struct A { \
            /// One.\n pub one: u32, #[setting(default = 1)] pub two: Option<Vec<a::B>>, pub three: u8 } \
            fn f(a: A) { a.one; let A { three, .. } = a; } struct B { four: u8 }";
        let found = breaches(are_read, &[("crates/a/src/lib.rs", source)]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("`two`"), "{found:?}");
    }

    #[test]
    fn a_value_taken_by_its_name_is_reported() {
        let source = "fn f() { config[\"a\"]; self.config.value()[\"b\"]; config.get(\"c\"); config.get(key); \
            config.clone(); host.config.bool(\"d\"); } #[cfg(test)] mod t { fn g() { config[\"e\"]; } }";
        assert_eq!(breaches(are_declared, &[("crates/a/src/lib.rs", source)]).len(), 4);
    }
}

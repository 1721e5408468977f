//! A doc comment says something its item's name does not.
//!
//! `/// The model.` above `model` costs a line and tells nothing. A short comment whose every word stands in the
//! name already is reported; whether a longer one is worth reading stays a matter of review.

use super::Findings;
use super::tokens::{Kind, Token, without_tests};
use super::tree::Tree;

/// Comments of at least so many characters are left to reviewers.
const SHORT: usize = 25;

/// Words that tell nothing by themselves.
const EMPTY_WORDS: &[&str] = &[
    "a", "an", "the", "this", "that", "its", "it", "of", "for", "to", "in", "is", "are", "be",
    "with", "what", "who", "which", "how", "gives", "returns", "get", "new", "one", "all", "these",
    "them", "and", "or",
];

pub(super) fn say_more_than_names(tree: &Tree, findings: &mut Findings) {
    let mut documented = 0;
    for (path, file) in tree.ending_in(".rs").filter(|(path, _)| path.starts_with("crates/")) {
        for (comment, name, line) in documented_items(&without_tests(&file.tokens)) {
            documented += 1;
            if comment.chars().count() < SHORT && repeats(&comment, &name) {
                let what =
                    format!("\"{comment}\" repeats `{name}`: say what it means, or when it counts");
                findings.breach(format!("{path}:{line}"), what);
            }
        }
    }
    findings.note(format!("{documented} documented public items"));
}

/// Whether every word of the comment that tells something is in the name.
fn repeats(comment: &str, name: &str) -> bool {
    let name = split_words(name);
    let told: Vec<String> = split_words(comment)
        .into_iter()
        .filter(|word| !EMPTY_WORDS.contains(&word.as_str()))
        .collect();
    told.iter().all(|word| name.iter().any(|part| same_stem(word, part)))
}

/// `settings` and `setting`, `removed` and `remove`.
fn same_stem(a: &str, b: &str) -> bool {
    let shared = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let (short, long) = (a.len().min(b.len()), a.len().max(b.len()));
    shared + 1 >= short && shared >= 3.min(short) && long - shared <= 3
}

/// The words of a sentence, or of a name in snake or camel case, in small letters.
fn split_words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in text.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && was_small) {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        was_small = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Comment, name and line of `pub` items and fields whose comment is one line.
fn documented_items(tokens: &[Token]) -> Vec<(String, String, usize)> {
    let mut found = Vec::new();
    let mut comment: Vec<String> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if let Some((text, rest)) = doc_attribute(&tokens[at..]) {
            comment.push(text);
            at = tokens.len() - rest.len();
            continue;
        }
        if tokens[at].is_mark('#') {
            // Some other attribute between the comment and its item.
            at += 1 + super::tokens::inside(&tokens[at + 1..]).len() + 2;
            continue;
        }
        if let ([only], true) = (comment.as_slice(), tokens[at].is_word("pub"))
            && let Some((name, line)) = name_of(&tokens[at + 1..])
        {
            found.push((only.trim().to_owned(), name, line));
        }
        comment.clear();
        at += 1;
    }
    found
}

/// `#[doc = "…"]`, which is what `///` is to the compiler.
fn doc_attribute(tokens: &[Token]) -> Option<(String, &[Token])> {
    match tokens {
        [hash, open, doc, equals, Token { kind: Kind::Literal(text), .. }, close, rest @ ..]
            if hash.is_mark('#')
                && open.kind == Kind::Open
                && doc.is_word("doc")
                && equals.is_mark('=')
                && close.kind == Kind::Close =>
        {
            let text = text.trim_start_matches(['r', '#']).trim_end_matches('#');
            Some((text.trim_matches('"').to_owned(), rest))
        }
        _ => None,
    }
}

/// The name behind `pub`: of a field, or of an item after its keywords.
fn name_of(tokens: &[Token]) -> Option<(String, usize)> {
    const KEYWORDS: &[&str] = &[
        "async", "const", "unsafe", "extern", "static", "fn", "struct", "enum", "trait", "type",
        "union", "mod", "use",
    ];
    // `pub(crate)` is not public.
    let mut tokens = tokens.iter();
    tokens.find_map(|token| match &token.kind {
        Kind::Word(word) if word == "use" => Some(None),
        Kind::Word(word) if KEYWORDS.contains(&word.as_str()) => None,
        Kind::Word(word) => Some(Some((word.clone(), token.line))),
        Kind::Literal(_) => None,
        _ => Some(None),
    })?
}

#[cfg(test)]
mod tests {
    use super::super::breaches;
    use super::*;

    #[test]
    fn a_comment_that_repeats_the_name_is_reported() {
        let source = "/// The models.\npub struct Model {\n/// Its name.\n#[serde(skip)]\npub name: String,\n/// Bytes.\npub size: u64 }\n\
            /// Who answers.\npub fn current() {}\n/// The redactor.\npub(crate) struct Redactor;\n/// Whether it is removed for good.\npub fn remove() {}";
        let found = breaches(say_more_than_names, &[("crates/a/src/lib.rs", source)]);
        let lines: Vec<&str> = found.iter().filter_map(|breach| breach.split(':').nth(1)).collect();
        assert_eq!(lines, ["2", "5"], "{found:?}");
    }

    #[test]
    fn words_of_a_name_are_told_apart() {
        assert_eq!(split_words("ModelChain"), ["model", "chain"]);
        assert_eq!(split_words("max_turns"), ["max", "turns"]);
        assert!(repeats("The settings of it.", "setting"));
        assert!(!repeats("Tokens it can look at.", "window"));
    }
}

//! Rust source as a flat row of tokens, so that rules about code never trip over comments or texts.
//!
//! Brackets are tokens of their own here. Comments are gone, doc comments are attributes with a
//! text inside, and a text is one token: a rule that looks for a word finds it only where it is
//! code.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// One token and its line, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) line: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word(String),
    Mark(char),
    Open,
    Close,
    /// As written, quotes included.
    Literal(String),
}

impl Token {
    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(&self.kind, Kind::Word(found) if found == word)
    }

    pub(super) fn is_mark(&self, mark: char) -> bool {
        self.kind == Kind::Mark(mark)
    }
}

/// The tokens of a file.
pub(super) fn of(source: &str) -> anyhow::Result<Vec<Token>> {
    let stream: TokenStream = source.parse().map_err(|error: proc_macro2::LexError| {
        anyhow::anyhow!("line {}: {error}", error.span().start().line)
    })?;
    let mut tokens = Vec::new();
    flatten(stream, &mut tokens);
    Ok(tokens)
}

fn flatten(stream: TokenStream, tokens: &mut Vec<Token>) {
    for tree in stream {
        let line = tree.span().start().line;
        let kind = match tree {
            TokenTree::Ident(word) => Kind::Word(word.to_string()),
            TokenTree::Punct(mark) => Kind::Mark(mark.as_char()),
            TokenTree::Literal(text) => Kind::Literal(text.to_string()),
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                flatten(group.stream(), tokens);
                continue;
            }
            TokenTree::Group(group) => {
                tokens.push(Token { kind: Kind::Open, line: group.span_open().start().line });
                flatten(group.stream(), tokens);
                let line = group.span_close().start().line;
                tokens.push(Token { kind: Kind::Close, line });
                continue;
            }
        };
        tokens.push(Token { kind, line });
    }
}

/// The tokens inside the bracket that opens at the beginning of `tokens`; none if none does.
pub(super) fn inside(tokens: &[Token]) -> &[Token] {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Open => depth += 1,
            Kind::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return tokens.get(1..index).unwrap_or_default();
        }
    }
    &[]
}

/// The same without modules and functions that only tests have.
pub(super) fn without_tests(tokens: &[Token]) -> Vec<Token> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if is_test_mark(&tokens[at..]) {
            at += test_item_length(&tokens[at..]);
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

/// `#[cfg(test)]`, also as part of a longer condition.
fn is_test_mark(tokens: &[Token]) -> bool {
    match tokens {
        [hash, rest @ ..] if hash.is_mark('#') => match inside(rest) {
            [cfg, condition @ ..] if cfg.is_word("cfg") => {
                condition.iter().any(|token| token.is_word("test"))
                    && !condition.iter().any(|token| token.is_word("not"))
            }
            _ => false,
        },
        _ => false,
    }
}

/// From the attribute to the end of its item: a semicolon, or the bracket that closes its body.
fn test_item_length(tokens: &[Token]) -> usize {
    // Behind the attribute's own brackets.
    let mut at = 1 + inside(&tokens[1..]).len() + 2;
    while let Some(token) = tokens.get(at) {
        match &token.kind {
            Kind::Mark(';' | ',') => return at + 1,
            Kind::Open => {
                let length = inside(&tokens[at..]).len() + 2;
                at += length;
                // Arguments and attributes are followed by more; a body is not.
                let ends = tokens.get(at).is_none_or(|next| {
                    !(next.is_mark('-')
                        || next.is_mark(';')
                        || next.is_mark('<')
                        || next.kind == Kind::Open)
                });
                let is_body = tokens.get(at - length - 1).is_none_or(|before| !before.is_mark('#'));
                if ends && is_body {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_comments_and_texts_are_not_code() {
        let source = "// unsafe\n/* unsafe /* unsafe */ */\n/// unsafe\nconst A: &str = r#\"unsafe\"#;\nfn safe<'unsafe_>() { b\"unsafe\"; unsafe {} }";
        let lines: Vec<usize> = of(source)
            .unwrap()
            .iter()
            .filter(|token| token.is_word("unsafe"))
            .map(|token| token.line)
            .collect();
        assert_eq!(lines, [5]);
    }

    #[test]
    fn the_inside_of_a_bracket_ends_where_it_closes() {
        let tokens = of("(a [b] c) d").unwrap();
        let words: Vec<_> = inside(&tokens)
            .iter()
            .filter_map(|token| match &token.kind {
                Kind::Word(word) => Some(word.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(words, ["a", "b", "c"]);
        assert_eq!(inside(&of("a b").unwrap()), []);
    }

    #[test]
    fn what_only_tests_have_is_left_out() {
        let source = "fn a() {} #[cfg(test)] mod tests { fn b() {} } fn c() {} #[cfg(test)] fn d(x: u8) -> u8 { x } \
            #[cfg(test)] #[allow(x)] mod e; fn f() {} #[cfg(not(test))] fn g() {}";
        let words: Vec<String> = without_tests(&of(source).unwrap())
            .windows(2)
            .filter(|pair| pair[0].is_word("fn"))
            .map(|pair| format!("{:?}", pair[1].kind))
            .collect();
        assert_eq!(words, ["Word(\"a\")", "Word(\"c\")", "Word(\"f\")", "Word(\"g\")"]);
    }

    #[test]
    fn what_is_not_rust_is_an_error_with_its_line() {
        assert!(of("fn f() {\n\n\"").unwrap_err().to_string().starts_with("line "));
    }
}

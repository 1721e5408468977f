//! Names under which a program knows something else: `import os as o`, `f = shutil.rmtree`.
//!
//! What a name stands for is written down where it is given, and read wherever it is used. A name that
//! is given twice stands for the last, as far as the text has come.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::tokens::Token;

/// So many names of a program are remembered.
const MAX_NAMES: usize = 256;
/// Longer chains of names lead nowhere.
const MAX_LENGTH: usize = 120;

/// What the names of a program stand for.
#[derive(Debug, Default)]
pub(super) struct NameAliases<'t> {
    names: HashMap<&'t str, String>,
    /// Where names are only given: an import uses nothing yet.
    imported: HashSet<usize>,
}

impl<'t> NameAliases<'t> {
    /// Every other name that a program gives something.
    pub(super) fn of(tokens: &[Token<'t>]) -> Self {
        let mut aliases = Self::default();
        for at in 0..tokens.len() {
            aliases.take_in(tokens, at);
        }
        aliases
    }

    /// The name at a place, with its beginning replaced by what that stands for.
    pub(super) fn name_at<'n>(&self, at: usize, name: &'n str) -> Cow<'n, str> {
        match self.names.is_empty() || self.imported.contains(&at) {
            true => Cow::Borrowed(name),
            false => self.resolve(name),
        }
    }

    fn resolve<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let (first, rest) = match name.find(['.', ':']) {
            Some(at) => name.split_at(at),
            None => (name, ""),
        };
        match self.names.get(first) {
            Some(stands_for) if stands_for != first => Cow::Owned(format!("{stands_for}{rest}")),
            _ => Cow::Borrowed(name),
        }
    }

    fn take_in(&mut self, tokens: &[Token<'t>], at: usize) {
        match &tokens[at..] {
            // `import a.b as c`, `import os, shutil as s`
            [Token::Name(module), Token::Name("as"), Token::Name(name), ..]
                if !self.imported.contains(&at) && begins_import(&tokens[..at]) =>
            {
                self.give(name, module);
            }
            // `from a import b as c, d`
            [Token::Name("from"), Token::Name(module), Token::Name("import"), ..] => {
                self.import_from(module, tokens, at + 3);
            }
            // `const c = require('child_process')`, `const f = require('fs').rmSync`
            [
                Token::Name(name),
                Token::Sign('='),
                Token::Name("require" | "__import__" | "importlib.import_module"),
                Token::Sign('('),
                Token::Text(Some(module)),
                Token::Sign(')'),
                rest @ ..,
            ] => match rest {
                [Token::Sign('.'), Token::Name(_), Token::Sign('('), ..] => {}
                [Token::Sign('.'), Token::Name(part), ..] => {
                    self.give(name, &format!("{module}.{part}"));
                }
                _ => self.give(name, module),
            },
            // `f = shutil.rmtree`, but not what a call gives, nor `a == b`
            [Token::Name(name), Token::Sign('='), Token::Name(value), rest @ ..]
                if !is_part(&tokens[..at])
                    && !matches!(rest.first(), Some(Token::Sign('(' | '[' | '.'))) =>
            {
                self.give(name, value);
            }
            // `const {rmSync: z} = …`
            [
                Token::Sign('{' | ','),
                Token::Name(known),
                Token::Sign(':'),
                Token::Name(name),
                ..,
            ] if !name.contains('.') && is_destructured(&tokens[at..]) => self.give(name, known),
            _ => {}
        }
    }

    fn import_from(&mut self, module: &str, tokens: &[Token<'t>], from: usize) {
        let mut at = from + usize::from(tokens.get(from) == Some(&Token::Sign('(')));
        while let Some(Token::Name(known)) = tokens.get(at) {
            let (name, end) = match tokens.get(at + 1..at + 3) {
                Some([Token::Name("as"), Token::Name(name)]) => (name, at + 3),
                _ => (known, at + 1),
            };
            self.give(name, &format!("{module}.{known}"));
            self.imported.extend(at..end);
            if tokens.get(end) != Some(&Token::Sign(',')) {
                return;
            }
            at = end + 1;
        }
    }

    fn give(&mut self, name: &'t str, stands_for: &str) {
        let resolved = self.resolve(stands_for).into_owned();
        let is_simple = !name.contains(['.', ':']) && resolved.len() <= MAX_LENGTH;
        let has_room = self.names.len() < MAX_NAMES || self.names.contains_key(name);
        if is_simple && has_room && resolved != name {
            self.names.insert(name, resolved);
        }
    }
}

/// So many pieces are looked at for the end of a brace.
const MAX_BRACES: usize = 32;

/// The modules that a program names, as paths without endings: `import a.b` is `a/b`, `require('./c')` is
/// `./c`. Up to a few, each once.
pub(super) fn imports(tokens: &[Token<'_>]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if found.len() == MAX_IMPORTS {
            break;
        }
        let ends_from = at >= 2 && matches!(tokens[at - 2], Token::Name("from"));
        let module = match (token, tokens.get(at + 1), tokens.get(at + 2)) {
            (
                Token::Name("require" | "import"),
                Some(Token::Sign('(')),
                Some(Token::Text(text)),
            )
            | (Token::Name("require_relative" | "from" | "import"), Some(Token::Text(text)), _) => {
                text.clone()
            }
            (Token::Name("import"), ..) if ends_from => None,
            // `import a from './b'` names it behind.
            (Token::Name("import"), _, Some(Token::Name("from"))) => None,
            (Token::Name("from" | "import"), Some(Token::Name(name)), _) => {
                Some(name.replace('.', "/"))
            }
            // `import a, b`
            (Token::Sign(','), Some(Token::Name(name)), _) if begins_import(&tokens[..at]) => {
                Some(name.replace('.', "/"))
            }
            _ => None,
        };
        if let Some(module) = module
            && !found.contains(&module)
        {
            found.push(module);
        }
    }
    found
}

/// So many imports of a program are followed.
const MAX_IMPORTS: usize = 24;

/// Whether the braces around a name are on the left of an assignment.
fn is_destructured(tokens: &[Token<'_>]) -> bool {
    let end = tokens.iter().take(MAX_BRACES).position(|token| *token == Token::Sign('}'));
    end.is_some_and(|end| tokens.get(end + 1) == Some(&Token::Sign('=')))
}

/// Whether the statement so far is `import`, or a list of modules behind it.
fn begins_import(before: &[Token<'_>]) -> bool {
    let near = before.iter().rev().take(MAX_BRACES);
    let mut list = near.take_while(|token| matches!(token, Token::Name(_) | Token::Sign(',')));
    list.any(|token| *token == Token::Name("import"))
}

/// Whether a name continues something: a comparison, a keyword argument, a part of an object.
fn is_part(before: &[Token<'_>]) -> bool {
    matches!(
        before.last(),
        Some(Token::Sign('=' | '!' | '<' | '>' | '(' | ',' | '.' | '+' | '-' | '*' | '/' | '%'))
    )
}

#[cfg(test)]
mod tests {
    use super::super::languages::{NODE, PYTHON};
    use super::super::tokens::tokens;
    use super::*;

    fn resolved(code: &str, name: &str) -> String {
        let pieces = tokens(code, if code.contains("const") { &NODE } else { &PYTHON });
        NameAliases::of(&pieces).resolve(name).into_owned()
    }

    #[test]
    fn a_name_is_read_as_what_it_was_given_for() {
        for (code, name, meant) in [
            ("import os as o", "o.remove", "os.remove"),
            ("import sys, subprocess as sp", "sp.run", "subprocess.run"),
            ("from shutil import rmtree as z", "z", "shutil.rmtree"),
            ("from os import (remove, unlink as u)", "u", "os.unlink"),
            ("import shutil\nf = shutil.rmtree", "f", "shutil.rmtree"),
            ("import os as o\nf = o.system\ng = f", "g", "os.system"),
            ("const {rmSync: z} = require('fs')", "z", "rmSync"),
            ("const f = fs.rmSync", "f", "fs.rmSync"),
        ] {
            assert_eq!(resolved(code, name), meant, "{code}");
        }
    }

    #[test]
    fn imports_are_files_of_the_same_language() {
        let of = |code: &str| imports(&tokens(code, &PYTHON));
        assert_eq!(of("import a\nimport b.c as d\nfrom e import f"), ["a", "b/c", "e"]);
        assert_eq!(of("import os, mine"), ["os", "mine"]);
        let of = |code: &str| imports(&tokens(code, &NODE));
        assert_eq!(of("const a = require('./a'); import b from './b.js'"), ["./a", "./b.js"]);
    }

    #[test]
    fn results_of_calls_and_comparisons_give_no_name() {
        for (code, name) in [
            ("f = os.getcwd()", "f"),
            ("if f == os.system: pass", "f"),
            ("g(key=os.remove)", "key"),
            ("x = x", "x"),
            ("const o = {a: b}", "b"),
        ] {
            assert_eq!(resolved(code, name), name, "{code}");
        }
    }
}

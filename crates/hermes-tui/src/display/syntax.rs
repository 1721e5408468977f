//! Colours for code: words of the language, texts, comments, numbers, names that are called.
//!
//! Code arrives line by line while a model writes it, in any language and often wrong, and has to be coloured at once.
//! A lexer with a small table per language does that in one walk over the line, with no tables to load and no patterns
//! that hostile text could make slow; grammars of editors (`syntect`) would cost megabytes of program and memory for
//! colours that few would tell apart. What it gets wrong is a colour, never a character.

use super::fit::StyledSpan;
use super::style::{Ink, Shade};

/// What has to be known of a language.
#[derive(Debug)]
struct Language {
    names: &'static [&'static str],
    line_comments: &'static [&'static str],
    block_comment: Option<(&'static str, &'static str)>,
    /// Signs that begin and end a text.
    quotes: &'static str,
    /// Texts that may go over several lines.
    long_quotes: &'static [&'static str],
    keywords: &'static [&'static str],
    /// Words in front of names, such as `$` in a shell.
    sigil: Option<char>,
}

const C_LIKE: Language = Language {
    names: &[],
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    quotes: "\"'",
    long_quotes: &[],
    keywords: &[],
    sigil: None,
};

const LANGUAGES: &[Language] = &[
    Language {
        names: &["rust", "rs"],
        quotes: "\"",
        keywords: &[
            "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum",
            "extern", "false", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod",
            "move", "mut", "pub", "ref", "return", "self", "static", "struct", "super", "trait",
            "true", "type", "unsafe", "use", "where", "while",
        ],
        ..C_LIKE
    },
    Language {
        names: &["python", "py", "python3", "starlark"],
        line_comments: &["#"],
        block_comment: None,
        long_quotes: &["\"\"\"", "'''"],
        keywords: &[
            "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
            "elif", "else", "except", "False", "finally", "for", "from", "global", "if", "import",
            "in", "is", "lambda", "None", "nonlocal", "not", "or", "pass", "raise", "return",
            "self", "True", "try", "while", "with", "yield",
        ],
        ..C_LIKE
    },
    Language {
        names: &["javascript", "js", "jsx", "typescript", "ts", "tsx", "mjs"],
        long_quotes: &["`"],
        keywords: &[
            "async",
            "await",
            "break",
            "case",
            "catch",
            "class",
            "const",
            "continue",
            "default",
            "delete",
            "do",
            "else",
            "enum",
            "export",
            "extends",
            "false",
            "finally",
            "for",
            "from",
            "function",
            "if",
            "implements",
            "import",
            "in",
            "instanceof",
            "interface",
            "let",
            "new",
            "null",
            "of",
            "return",
            "static",
            "super",
            "switch",
            "this",
            "throw",
            "true",
            "try",
            "type",
            "typeof",
            "undefined",
            "var",
            "void",
            "while",
            "yield",
        ],
        ..C_LIKE
    },
    Language {
        names: &["go", "golang"],
        long_quotes: &["`"],
        keywords: &[
            "break",
            "case",
            "chan",
            "const",
            "continue",
            "default",
            "defer",
            "else",
            "false",
            "for",
            "func",
            "go",
            "if",
            "import",
            "interface",
            "map",
            "nil",
            "package",
            "range",
            "return",
            "select",
            "struct",
            "switch",
            "true",
            "type",
            "var",
        ],
        ..C_LIKE
    },
    Language {
        names: &[
            "c", "cpp", "c++", "h", "hpp", "java", "kotlin", "kt", "csharp", "cs", "swift",
            "scala", "dart", "php",
        ],
        keywords: &[
            "abstract",
            "auto",
            "bool",
            "break",
            "case",
            "catch",
            "char",
            "class",
            "const",
            "continue",
            "default",
            "do",
            "double",
            "else",
            "enum",
            "extends",
            "extern",
            "false",
            "final",
            "float",
            "for",
            "fun",
            "func",
            "guard",
            "if",
            "implements",
            "import",
            "include",
            "int",
            "interface",
            "let",
            "long",
            "namespace",
            "new",
            "null",
            "nullptr",
            "override",
            "package",
            "private",
            "protected",
            "public",
            "return",
            "short",
            "sizeof",
            "static",
            "struct",
            "super",
            "switch",
            "template",
            "this",
            "throw",
            "true",
            "try",
            "typedef",
            "union",
            "unsigned",
            "using",
            "val",
            "var",
            "virtual",
            "void",
            "when",
            "while",
        ],
        ..C_LIKE
    },
    Language {
        names: &["bash", "sh", "shell", "zsh", "fish", "console", "dockerfile", "makefile", "make"],
        line_comments: &["#"],
        block_comment: None,
        keywords: &[
            "case",
            "do",
            "done",
            "elif",
            "else",
            "esac",
            "export",
            "fi",
            "for",
            "function",
            "if",
            "in",
            "local",
            "return",
            "select",
            "set",
            "then",
            "until",
            "while",
            "FROM",
            "RUN",
            "COPY",
            "CMD",
            "ENTRYPOINT",
            "ENV",
        ],
        sigil: Some('$'),
        ..C_LIKE
    },
    Language {
        names: &["ruby", "rb", "elixir", "ex", "perl", "pl", "r", "julia"],
        line_comments: &["#"],
        block_comment: None,
        keywords: &[
            "begin",
            "case",
            "class",
            "def",
            "defmodule",
            "do",
            "else",
            "elsif",
            "end",
            "false",
            "fn",
            "for",
            "function",
            "if",
            "in",
            "module",
            "my",
            "nil",
            "return",
            "self",
            "sub",
            "then",
            "true",
            "unless",
            "use",
            "when",
            "while",
            "yield",
        ],
        ..C_LIKE
    },
    Language {
        names: &["yaml", "yml", "toml", "ini", "conf", "properties", "env"],
        line_comments: &["#", ";"],
        block_comment: None,
        keywords: &["true", "false", "null", "yes", "no"],
        ..C_LIKE
    },
    Language {
        names: &["json", "jsonc", "json5"],
        quotes: "\"",
        keywords: &["true", "false", "null"],
        ..C_LIKE
    },
    Language {
        names: &["sql", "postgresql", "sqlite", "mysql"],
        line_comments: &["--"],
        keywords: &[
            "add",
            "all",
            "alter",
            "and",
            "as",
            "asc",
            "between",
            "by",
            "case",
            "create",
            "default",
            "delete",
            "desc",
            "distinct",
            "drop",
            "else",
            "end",
            "exists",
            "from",
            "group",
            "having",
            "in",
            "index",
            "inner",
            "insert",
            "into",
            "is",
            "join",
            "key",
            "left",
            "like",
            "limit",
            "not",
            "null",
            "on",
            "or",
            "order",
            "outer",
            "primary",
            "references",
            "right",
            "select",
            "set",
            "table",
            "then",
            "union",
            "unique",
            "update",
            "values",
            "view",
            "when",
            "where",
            "with",
        ],
        ..C_LIKE
    },
    Language {
        names: &["lua", "haskell", "hs"],
        line_comments: &["--"],
        block_comment: None,
        keywords: &[
            "and", "case", "data", "do", "else", "end", "false", "for", "function", "if", "import",
            "in", "let", "local", "module", "nil", "not", "of", "or", "return", "then", "true",
            "type", "where", "while",
        ],
        ..C_LIKE
    },
    Language {
        names: &["html", "xml", "svg", "vue", "svelte"],
        line_comments: &[],
        block_comment: Some(("<!--", "-->")),
        ..C_LIKE
    },
    Language { names: &["css", "scss", "less"], keywords: &["important"], ..C_LIKE },
];

/// Reads code of one language, line after line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Highlighter {
    language: Option<&'static Language>,
    /// What a comment or text that goes on from the line before ends with, and its shade.
    open: Option<(&'static str, Shade)>,
    is_diff: bool,
}

impl PartialEq for Highlighter {
    fn eq(&self, other: &Self) -> bool {
        let names = |reader: &Self| reader.language.map(|language| language.names);
        (names(self), self.open, self.is_diff) == (names(other), other.open, other.is_diff)
    }
}

impl Eq for Highlighter {}

impl Highlighter {
    /// For the language that a fence names; code of none that is known has no colours.
    pub(crate) fn new(info: &str) -> Self {
        let name = info.split(|sign: char| !(sign.is_alphanumeric() || "+#".contains(sign)));
        let name = name.into_iter().next().unwrap_or_default().to_ascii_lowercase();
        let language = LANGUAGES.iter().find(|language| language.names.contains(&name.as_str()));
        Self { language, open: None, is_diff: name == "diff" }
    }

    /// One line in its colours. The texts of the spans together are the line.
    pub(crate) fn line(&mut self, line: &str) -> Vec<StyledSpan> {
        if self.is_diff {
            let ink = match line.chars().next() {
                Some('+') => Ink::shaded(Shade::Added),
                Some('-') => Ink::shaded(Shade::Removed),
                Some('@') => Ink::CYAN,
                _ => Ink::PLAIN,
            };
            return vec![StyledSpan::new(line, ink)];
        }
        let Some(language) = self.language else { return vec![StyledSpan::plain(line)] };
        let mut spans = Vec::new();
        let mut rest = line;
        if let Some((end, shade)) = self.open.take() {
            rest = self.long_text(rest, 0, end, shade, &mut spans);
        }
        let mut before = ' ';
        while let Some(first) = rest.chars().next() {
            let start = rest;
            rest = self.token(language, rest, first, before, &mut spans);
            before = start[..start.len() - rest.len()].chars().next_back().unwrap_or(' ');
        }
        spans
    }

    /// Takes one token off the line.
    fn token<'a>(
        &mut self,
        language: &Language,
        rest: &'a str,
        first: char,
        before: char,
        spans: &mut Vec<StyledSpan>,
    ) -> &'a str {
        if language.line_comments.iter().any(|sign| rest.starts_with(sign))
            // In a shell and in addresses a sign within a word begins no comment.
            && !(before.is_alphanumeric() || before == ':' || before == '$')
        {
            push(spans, rest, Ink::shaded(Shade::Comment));
            return "";
        }
        if let Some((begin, end)) = language.block_comment
            && rest.starts_with(begin)
        {
            return self.long_text(rest, begin.len(), end, Shade::Comment, spans);
        }
        if let Some(quote) = language.long_quotes.iter().find(|quote| rest.starts_with(*quote)) {
            return self.long_text(rest, quote.len(), quote, Shade::Literal, spans);
        }
        if language.quotes.contains(first) && !(first == '\'' && before.is_alphanumeric()) {
            let end = end_of_text(rest, first);
            push(spans, &rest[..end], Ink::shaded(Shade::Literal));
            return &rest[end..];
        }
        if language.sigil == Some(first) {
            let is_name = |sign: char| sign.is_alphanumeric() || "_{}".contains(sign);
            let end = 1 + rest[1..].find(|sign| !is_name(sign)).unwrap_or(rest.len() - 1);
            push(spans, &rest[..end], Ink::shaded(Shade::Name));
            return &rest[end..];
        }
        if first.is_ascii_digit() {
            let is_part = |sign: char| sign.is_alphanumeric() || "._".contains(sign);
            let end = rest.find(|sign| !is_part(sign)).unwrap_or(rest.len());
            push(spans, &rest[..end], Ink::shaded(Shade::Number));
            return &rest[end..];
        }
        if first.is_alphabetic() || first == '_' {
            let is_part = |sign: char| sign.is_alphanumeric() || sign == '_';
            let end = rest.find(|sign| !is_part(sign)).unwrap_or(rest.len());
            let word = &rest[..end];
            push(spans, word, word_ink(language, word, &rest[end..]));
            return &rest[end..];
        }
        let end = first.len_utf8();
        push(spans, &rest[..end], Ink::PLAIN);
        &rest[end..]
    }

    /// Takes a comment or text off the line that may go on in the next one.
    fn long_text<'a>(
        &mut self,
        rest: &'a str,
        begin: usize,
        end: &'static str,
        shade: Shade,
        spans: &mut Vec<StyledSpan>,
    ) -> &'a str {
        match rest[begin..].find(end) {
            Some(at) => {
                let (text, after) = rest.split_at(begin + at + end.len());
                push(spans, text, Ink::shaded(shade));
                after
            }
            None => {
                self.open = Some((end, shade));
                push(spans, rest, Ink::shaded(shade));
                ""
            }
        }
    }
}

fn word_ink(language: &Language, word: &str, after: &str) -> Ink {
    let is_sql = language.line_comments == ["--"] && language.block_comment.is_some();
    let is_keyword = match is_sql {
        true => language.keywords.contains(&word.to_ascii_lowercase().as_str()),
        false => language.keywords.contains(&word),
    };
    if is_keyword {
        return Ink::shaded(Shade::Keyword);
    }
    let is_type = word.starts_with(|first: char| first.is_uppercase())
        && word.chars().any(|letter| letter.is_lowercase());
    match is_type || after.starts_with('(') || after.starts_with("!(") {
        true => Ink::shaded(Shade::Name),
        false => Ink::PLAIN,
    }
}

/// Where a text that begins with this quote ends; at the end of the line if it is not closed.
fn end_of_text(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, sign) in rest.char_indices().skip(1) {
        match sign {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            sign if sign == quote => return at + sign.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

fn push(spans: &mut Vec<StyledSpan>, text: &str, ink: Ink) {
    match spans.last_mut() {
        Some(last) if last.ink == ink => last.text.push_str(text),
        _ if text.is_empty() => {}
        _ => spans.push(StyledSpan::new(text, ink)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Each line as `shade:text` pieces, plain text without a shade.
    fn coloured(language: &str, code: &str) -> String {
        let mut reader = Highlighter::new(language);
        let mut all = Vec::new();
        for line in code.lines() {
            for span in reader.line(line) {
                let shade = [
                    ("comment", Shade::Comment),
                    ("keyword", Shade::Keyword),
                    ("text", Shade::Literal),
                    ("number", Shade::Number),
                    ("name", Shade::Name),
                ];
                let shade = shade.iter().find(|(_, shade)| span.ink == Ink::shaded(*shade));
                all.extend(shade.map(|(name, _)| format!("{name}:{}", span.text)));
            }
        }
        all.join(" ")
    }

    #[test]
    fn words_texts_comments_and_numbers_are_told_apart() {
        assert_eq!(
            coloured("rust", "let x: Vec<u8> = read(\"a \\\" b\", 0x1f); // why\nfn it<'a>()"),
            "keyword:let name:Vec name:read text:\"a \\\" b\" number:0x1f comment:// why keyword:fn"
        );
        assert_eq!(
            coloured("sh", "echo \"$HOME\" ${A} # done\ncurl http://a.org#x"),
            "text:\"$HOME\" name:${A} comment:# done"
        );
        assert_eq!(
            coloured("sql", "SELECT 'it' FROM t -- x"),
            "keyword:SELECT text:'it' keyword:FROM comment:-- x"
        );
    }

    #[test]
    fn comments_and_texts_go_over_lines() {
        assert_eq!(
            coloured("c", "int a; /* one\ntwo */ return 1;"),
            "keyword:int comment:/* one comment:two */ keyword:return number:1"
        );
        assert_eq!(
            coloured("python", "x = \"\"\"a\nb\"\"\" or 2"),
            "text:\"\"\"a text:b\"\"\" keyword:or number:2"
        );
    }

    #[test]
    fn what_is_unknown_has_no_colour() {
        assert_eq!(coloured("brainfuck", "++[>+<]"), "");
        assert_eq!(coloured("", "let x"), "");
    }

    #[test]
    fn hostile_lines_take_time_in_proportion() {
        let time = |length: usize| {
            let line = "/*\"'`a".repeat(length);
            let begun = std::time::Instant::now();
            Highlighter::new("js").line(&line);
            begun.elapsed()
        };
        time(1_000);
        assert!(time(100_000) < std::time::Duration::from_secs(5));
    }

    proptest! {
        #[test]
        fn no_character_is_lost(name in "(rust|py|js|sh|c|sql|html|diff)", lines in prop::collection::vec("[a-z0-9\"'`/*#$<>!\\-\\\\ 日(){}]{0,30}", 0..8)) {
            let mut reader = Highlighter::new(&name);
            for line in &lines {
                let text: String = reader.line(line).iter().map(|span| span.text.as_str()).collect();
                prop_assert_eq!(&text, line);
            }
        }
    }
}

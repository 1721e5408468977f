//! Code, byte for byte.

use super::Writer;
use super::inline::longest_run;
use crate::dom::NodeId;

/// Classes of the column that only counts the lines.
const LINE_NUMBERS: &[&str] = &[
    "linenos",
    "lineno",
    "linenumber",
    "line-number",
    "line-numbers-rows",
    "line-numbers",
    "linenodiv",
    "gutter",
    "rouge-gutter",
    "hljs-ln-numbers",
    "blob-num",
    "lnt",
    "ln",
    "gl",
    "line-num",
    "linenums-num",
    "react-code-line-number",
    "code-line-number",
    "lno",
];
/// Names that say that the language is not known.
const NO_LANGUAGE: &[&str] = &[
    "none",
    "auto",
    "default",
    "nohighlight",
    "unknown",
    "notranslate",
    "highlight",
    "wrapper",
    "source",
];
/// Languages that highlighters write as a class of their own on the block.
const LANGUAGES: &[&str] = &[
    "bash",
    "c",
    "clojure",
    "console",
    "cpp",
    "csharp",
    "css",
    "dart",
    "diff",
    "dockerfile",
    "elixir",
    "erlang",
    "go",
    "graphql",
    "groovy",
    "haskell",
    "html",
    "http",
    "ini",
    "java",
    "javascript",
    "js",
    "json",
    "jsx",
    "julia",
    "kotlin",
    "lua",
    "makefile",
    "nginx",
    "ocaml",
    "perl",
    "php",
    "powershell",
    "python",
    "ruby",
    "rust",
    "scala",
    "scss",
    "shell",
    "sql",
    "swift",
    "toml",
    "tsx",
    "typescript",
    "xml",
    "yaml",
    "zig",
];
/// How many elements around the code may name its language.
const NAMED_WITHIN: usize = 4;

impl Writer<'_> {
    /// A block of code between fences; nothing if there is none inside.
    pub(super) fn fenced(&self, id: NodeId) -> Option<String> {
        let code = self.code_text(id);
        if code.trim().is_empty() {
            return None;
        }
        let code = code.strip_suffix('\n').unwrap_or(&code);
        let fence = "`".repeat(longest_run(code).max(2) + 1);
        let language = self.language(id).unwrap_or_default();
        Some(format!("{fence}{language}\n{code}\n{fence}"))
    }

    /// The text of code, with the line ends that elements stand for.
    pub(super) fn code_text(&self, id: NodeId) -> String {
        let mut code = String::new();
        self.add_code(self.only_code(id).unwrap_or(id), &mut code);
        code
    }

    /// The one `code` right inside a `pre` that has no words of its own: what stands beside it is a label or a button.
    fn only_code(&self, id: NodeId) -> Option<NodeId> {
        let dom = self.dom;
        if !dom.is(id, &["pre"]) {
            return None;
        }
        let seen = || dom.children(id).filter(|&child| !self.is_dropped(child));
        let mut codes = seen().filter(|&child| dom.is(child, &["code"]));
        let only = codes.next().filter(|_| codes.next().is_none())?;
        let own_words =
            seen().filter_map(|child| dom.text(child)).any(|text| !text.trim().is_empty());
        (!own_words).then_some(only)
    }

    fn add_code(&self, id: NodeId, code: &mut String) {
        for child in self.dom.children(id) {
            if self.is_dropped(child) || self.is_line_number(child) {
                continue;
            }
            match self.dom.tag(child) {
                None => code.push_str(self.dom.text(child).unwrap_or_default()),
                Some("br") => code.push('\n'),
                Some("div" | "p" | "li" | "tr") => {
                    end_line(code);
                    let before = code.len();
                    self.add_code(child, code);
                    if code.len() == before {
                        code.push('\n');
                    }
                    end_line(code);
                }
                Some("img") => code.push_str(self.dom.attr(child, "alt").unwrap_or_default()),
                Some(_) => self.add_code(child, code),
            }
        }
    }

    pub(super) fn is_line_number(&self, id: NodeId) -> bool {
        self.dom.attr(id, "class").is_some_and(|classes| {
            // Some highlighters put the same word on the whole block.
            !self.dom.is(id, &["pre", "code", "table", "div", "figure"])
                && classes.split_ascii_whitespace().any(|class| LINE_NUMBERS.contains(&class))
                || classes.split_ascii_whitespace().any(|class| {
                    matches!(class, "linenodiv" | "line-numbers-rows" | "line-numbers-wrapper")
                })
        })
    }

    /// Whether an element for code inside a line holds several lines by breaks.
    pub(super) fn is_lines_of_code(&self, id: NodeId) -> bool {
        self.dom.subtree(id).any(|below| self.dom.is(below, &["br"]))
    }

    fn language(&self, id: NodeId) -> Option<String> {
        let inner = self.dom.subtree(id).skip(1).find(|&below| self.dom.is(below, &["code"]));
        // A table that only puts numbers beside the lines is no distance.
        let around = self
            .dom
            .ancestors(id)
            .filter(|&around| !self.dom.is(around, &["table", "tbody", "tr", "td"]))
            .take(NAMED_WITHIN);
        inner.into_iter().chain([id]).chain(around).find_map(|place| self.named_language(place))
    }

    fn named_language(&self, id: NodeId) -> Option<String> {
        let attribute =
            self.dom.attr(id, "data-lang").or_else(|| self.dom.attr(id, "data-language"));
        if let Some(language) = attribute.and_then(clean_language) {
            return Some(language);
        }
        let classes = self.dom.attr(id, "class")?;
        let mut all = classes.split_ascii_whitespace();
        while let Some(class) = all.next() {
            let lower = class.to_ascii_lowercase();
            let named = [
                "language-",
                "lang-",
                "mw-highlight-lang-",
                "highlight-source-",
                "highlight-text-html-",
                "highlight-",
            ]
            .iter()
            .find_map(|prefix| lower.strip_prefix(prefix));
            let named = match (named, lower.as_str()) {
                (Some(named), _) => Some(named.to_owned()),
                (None, "brush:" | "sourcecode" | "hljs" | "prettyprint") => {
                    all.clone().next().map(|next| {
                        let next = next.trim_end_matches(';').to_ascii_lowercase();
                        next.strip_prefix("lang-")
                            .or_else(|| next.strip_prefix("language-"))
                            .unwrap_or(&next)
                            .to_owned()
                    })
                }
                (None, _) => lower.strip_prefix("brush:").map(str::to_owned),
            };
            if let Some(language) = named.as_deref().and_then(clean_language) {
                return Some(language);
            }
        }
        let lower = classes.to_ascii_lowercase();
        let mut bare = lower.split_ascii_whitespace().filter(|class| LANGUAGES.contains(class));
        bare.next().filter(|_| self.dom.is(id, &["pre", "code"])).map(str::to_owned)
    }
}

fn end_line(code: &mut String) {
    if !code.is_empty() && !code.ends_with('\n') {
        code.push('\n');
    }
}

fn clean_language(named: &str) -> Option<String> {
    let named = named.trim().trim_end_matches(';');
    let fits = !named.is_empty()
        && named.len() <= 24
        && named.chars().all(|letter| letter.is_ascii_alphanumeric() || "+#._-".contains(letter));
    (fits && !NO_LANGUAGE.contains(&named)).then(|| named.to_owned())
}

//! What kind of file a path is, which decides how its text is read.

/// How a text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Markdown and everything written for readers.
    Prose,
    /// A program from the first line to the last.
    Program(Language),
    /// JSON with lines of programs in its strings.
    Notebook,
    /// Settings and data.
    Data,
}

/// What a piece of code is written in, as far as the rules care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    /// Anything that a POSIX shell reads.
    Shell,
    Python,
    /// JavaScript and its relatives.
    Script,
    /// Another programming language.
    Other,
    /// No program at all.
    Data,
}

impl Language {
    /// The language of a fenced block, by the first word of its info string.
    pub(super) fn of_fence(info: &str) -> Self {
        let word = info.split([' ', ',', '{', ':']).next().unwrap_or_default();
        match word.to_ascii_lowercase().as_str() {
            "" | "sh" | "bash" | "zsh" | "shell" | "console" | "shellsession" | "shell-session"
            | "fish" | "ksh" | "cmd" | "command" | "dockerfile" | "makefile" | "make" => {
                Self::Shell
            }
            "python" | "py" | "python3" | "ipython" | "pycon" => Self::Python,
            "js" | "javascript" | "ts" | "typescript" | "jsx" | "tsx" | "mjs" | "node" => {
                Self::Script
            }
            "text" | "txt" | "md" | "markdown" | "json" | "jsonc" | "yaml" | "yml" | "toml"
            | "ini" | "xml" | "html" | "css" | "diff" | "mermaid" | "csv" | "prompt" | "plain"
            | "plaintext" | "output" | "log" | "latex" | "tex" | "bibtex" | "dot" | "graphql"
            | "sql" | "regex" => Self::Data,
            // `term`, `terminal`, `terminal-session`
            word if word.starts_with("term") => Self::Shell,
            _ => Self::Other,
        }
    }
}

/// How the file at this path is read; `first_line` tells scripts without an extension.
pub(super) fn layout(path: &str, first_line: &str) -> Layout {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let by_extension = match extension {
        "sh" | "bash" | "zsh" | "ksh" | "fish" | "command" | "mk" => {
            Some(Layout::Program(Language::Shell))
        }
        "py" | "pyw" | "pyi" => Some(Layout::Program(Language::Python)),
        "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "jsx" | "tsx" | "vue" | "svelte" => {
            Some(Layout::Program(Language::Script))
        }
        "rb" | "php" | "pl" | "pm" | "lua" | "go" | "rs" | "java" | "kt" | "kts" | "swift"
        | "c" | "h" | "cc" | "cpp" | "cs" | "r" | "jl" | "ps1" | "psm1" | "bat" | "cmd"
        | "scala" | "groovy" | "ex" | "exs" | "vbs" | "tcl" | "awk" | "applescript" | "scpt"
        | "dart" | "zig" => Some(Layout::Program(Language::Other)),
        "md" | "mdx" | "markdown" | "txt" | "rst" | "adoc" | "org" | "html" | "htm" => {
            Some(Layout::Prose)
        }
        "ipynb" => Some(Layout::Notebook),
        "yml" | "yaml" if is_pipeline(path) => Some(Layout::Program(Language::Shell)),
        "json" if name == "package.json" || name == "composer.json" => Some(Layout::Notebook),
        "json" | "jsonl" | "yml" | "yaml" | "toml" | "ini" | "cfg" | "conf" | "csv" | "tsv"
        | "xml" | "svg" | "xsd" | "css" | "scss" | "sql" | "lock" | "plist" => Some(Layout::Data),
        _ => None,
    };
    if let Some(layout) = by_extension {
        return layout;
    }
    if matches!(
        name.as_str(),
        "makefile" | "dockerfile" | "containerfile" | "justfile" | "procfile"
    ) || name.starts_with("dockerfile.")
    {
        return Layout::Program(Language::Shell);
    }
    match first_line.strip_prefix("#!") {
        Some(shebang) if shebang.contains("python") => Layout::Program(Language::Python),
        Some(shebang) if ["node", "deno", "bun"].iter().any(|js| shebang.contains(js)) => {
            Layout::Program(Language::Script)
        }
        Some(shebang) if shebang.contains("sh") => Layout::Program(Language::Shell),
        Some(_) => Layout::Program(Language::Other),
        None => Layout::Prose,
    }
}

fn is_pipeline(path: &str) -> bool {
    path.contains(".github/") || path.contains(".gitlab-ci") || path.contains(".circleci/")
}

/// Whether a file is there to test or to show something.
pub(super) fn is_example(path: &str) -> bool {
    let mut parts = path.split('/').rev();
    let name = parts.next().unwrap_or_default().to_ascii_lowercase();
    let folder = parts.any(|part| {
        matches!(
            part.to_ascii_lowercase().as_str(),
            "test"
                | "tests"
                | "__tests__"
                | "fixture"
                | "fixtures"
                | "eval"
                | "evals"
                | "example"
                | "examples"
                | "spec"
                | "specs"
                | "testdata"
        )
    });
    let extension_at = name.find('.').unwrap_or(name.len());
    // Rules by which others look for attacks quote them.
    let detects = [".yar", ".yara", ".sigma"].iter().any(|end| name.ends_with(end));
    folder
        || detects
        || name.starts_with("test_")
        || name[..extension_at].ends_with("_test")
        || name[extension_at..].starts_with(".test.")
        || name[extension_at..].starts_with(".spec.")
}

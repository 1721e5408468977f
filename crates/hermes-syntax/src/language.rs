//! Which language a path names.

use std::path::Path;

use super::{javascript, json};

/// A language that can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    /// JSON, plain or with comments.
    Json(json::JsonDialect),
    /// YAML, any number of documents.
    Yaml,
    /// TOML.
    Toml,
    /// Python 3, or a stub file.
    Python,
    /// JavaScript and TypeScript.
    JavaScript(javascript::ScriptDialect),
    /// Rust.
    Rust,
    /// Go.
    Go,
    /// POSIX shell and bash.
    Shell,
}

impl Language {
    /// The language of a path, by its name alone.
    pub(super) fn of(path: &Path) -> Option<Language> {
        let name = path.file_name()?.to_str()?;
        match name {
            "Cargo.lock" | "Pipfile" | "poetry.lock" | "uv.lock" => return Some(Language::Toml),
            ".bashrc" | ".bash_profile" | ".bash_aliases" | ".bash_logout" | ".profile" => {
                return Some(Language::Shell);
            }
            _ => {}
        }
        Some(match extension(path)?.as_str() {
            "json" if json_with_comments(path, name) => Language::Json(json::JsonDialect::Comments),
            "json" | "ipynb" => Language::Json(json::JsonDialect::Strict),
            "jsonc" | "code-workspace" => Language::Json(json::JsonDialect::Comments),
            "yaml" | "yml" => Language::Yaml,
            "toml" => Language::Toml,
            "py" | "pyi" | "pyw" => Language::Python,
            "rs" => Language::Rust,
            "go" => Language::Go,
            "sh" | "bash" => Language::Shell,
            _ => Language::JavaScript(javascript::ScriptDialect::of(name)?),
        })
    }
}

/// The lower-case extension of a path.
pub(super) fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// The reason for not checking a path whose language is not known.
pub(super) fn unknown(path: &Path) -> String {
    match extension(path) {
        Some(extension) => format!("No linter for .{extension} files"),
        None => "No linter for files without an extension".to_string(),
    }
}

/// Names ending in `.json` whose readers accept comments.
fn json_with_comments(path: &Path, name: &str) -> bool {
    let parent = path.parent().and_then(Path::file_name).and_then(|parent| parent.to_str());
    matches!(parent, Some(".vscode" | ".devcontainer"))
        || name.starts_with("tsconfig")
        || name.starts_with("jsconfig")
        || matches!(name, ".eslintrc.json" | "devcontainer.json" | "deno.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_decide() {
        let json = |dialect| Some(Language::Json(dialect));
        let cases = [
            ("a/package.json", json(json::JsonDialect::Strict)),
            ("A.JSON", json(json::JsonDialect::Strict)),
            ("tsconfig.json", json(json::JsonDialect::Comments)),
            ("tsconfig.build.json", json(json::JsonDialect::Comments)),
            ("jsconfig.json", json(json::JsonDialect::Comments)),
            (".vscode/settings.json", json(json::JsonDialect::Comments)),
            (".eslintrc.json", json(json::JsonDialect::Comments)),
            ("a.jsonc", json(json::JsonDialect::Comments)),
            ("a.yml", Some(Language::Yaml)),
            ("Cargo.lock", Some(Language::Toml)),
            ("a.pyi", Some(Language::Python)),
            (".bashrc", Some(Language::Shell)),
            ("yarn.lock", None),
            ("a.md", None),
            ("Makefile", None),
            ("..", None),
        ];
        for (path, expected) in cases {
            assert_eq!(Language::of(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn every_script_extension_is_known() {
        for name in ["a.js", "a.mjs", "a.cjs", "a.jsx", "a.ts", "a.mts", "a.cts", "a.tsx"] {
            assert!(matches!(Language::of(Path::new(name)), Some(Language::JavaScript(_))));
        }
    }

    #[test]
    fn the_reason_names_the_extension() {
        assert_eq!(unknown(Path::new("a/b.XYZ")), "No linter for .xyz files");
        assert_eq!(unknown(Path::new("LICENSE")), "No linter for files without an extension");
    }
}

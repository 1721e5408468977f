//! The files of the repository, read once.
//!
//! The folder is walked rather than asked of `git`, so the rules also hold for files not yet added
//! and work in an unpacked archive. What `.gitignore` leaves out is left out here.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, bail};

use super::tokens::{self, Token};

/// Every text file, by its path from the root with `/` between folders.
#[derive(Debug, Default)]
pub(super) struct Tree {
    files: BTreeMap<String, SourceFile>,
}

#[derive(Debug)]
pub(super) struct SourceFile {
    pub(super) text: String,
    /// Of Rust files; empty for others.
    pub(super) tokens: Vec<Token>,
}

impl Tree {
    pub(super) fn read(root: &Path) -> anyhow::Result<Self> {
        let ignore_file = root.join(".gitignore");
        let ignored = match ignore_file.exists() {
            true => Ignored::parse(&fs::read_to_string(&ignore_file)?)?,
            false => Ignored::default(),
        };
        let mut tree = Self::default();
        tree.walk(root, "", &ignored)?;
        Ok(tree)
    }

    fn walk(&mut self, folder: &Path, prefix: &str, ignored: &Ignored) -> anyhow::Result<()> {
        for entry in fs::read_dir(folder).with_context(|| format!("list {}", folder.display()))? {
            let entry = entry?;
            let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if ignored.covers(&path) {
                continue;
            }
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.walk(&entry.path(), &format!("{path}/"), ignored)?;
            } else if kind.is_file() {
                let bytes = fs::read(entry.path()).with_context(|| format!("read {path}"))?;
                // What is not text has nothing to say to any rule.
                if let Ok(text) = String::from_utf8(bytes) {
                    self.add(path, text)?;
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, path: String, text: String) -> anyhow::Result<()> {
        let tokens = match path.ends_with(".rs") {
            true => tokens::of(&text).with_context(|| format!("read {path} as Rust"))?,
            false => Vec::new(),
        };
        self.files.insert(path, SourceFile { text, tokens });
        Ok(())
    }

    /// All files whose name ends in this.
    pub(super) fn ending_in(&self, ending: &str) -> impl Iterator<Item = (&str, &SourceFile)> {
        self.all().filter(move |(path, _)| path.ends_with(ending))
    }

    /// All files.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &SourceFile)> {
        self.files.iter().map(|(path, file)| (path.as_str(), file))
    }

    pub(super) fn get(&self, path: &str) -> Option<&SourceFile> {
        self.files.get(path)
    }

    /// Whether there is a file, or a folder with files, at this path.
    pub(super) fn has(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        path.is_empty()
            || self.files.contains_key(path)
            || self.files.keys().any(|file| file.starts_with(&folder))
    }

    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        for (path, text) in files {
            tree.add((*path).to_owned(), (*text).to_owned()).unwrap();
        }
        tree
    }
}

/// The two kinds of lines that our `.gitignore` has.
#[derive(Debug, Default)]
struct Ignored {
    paths: Vec<String>,
    endings: Vec<String>,
}

impl Ignored {
    fn parse(text: &str) -> anyhow::Result<Self> {
        let mut ignored = Self::default();
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            } else if let Some(path) = line.strip_prefix('/').filter(|path| !path.contains('*')) {
                ignored.paths.push(path.trim_end_matches('/').to_owned());
            } else if let Some(ending) =
                line.strip_prefix('*').filter(|end| !end.contains(['*', '/']))
            {
                ignored.endings.push(ending.to_owned());
            } else {
                bail!(
                    ".gitignore has the line `{line}`, but tidy only understands `/path` from the \
                     root and `*.ending`; write it so, or teach xtask/src/tidy/tree.rs"
                );
            }
        }
        Ok(ignored)
    }

    fn covers(&self, path: &str) -> bool {
        path == ".git"
            || self.paths.iter().any(|ignored| ignored == path)
            || self.endings.iter().any(|ending| path.ends_with(ending))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_files_are_left_out_and_the_rest_is_found() {
        let root = tempfile::tempdir().unwrap();
        for path in [".gitignore", "a.md", "target/b.md", "deep/down/c.md", "x.profraw", ".git/d"] {
            let file = root.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            let text = if path == ".gitignore" { "# builds\n/target/\n*.profraw\n" } else { "" };
            let options = hermes_store::atomic::WriteOptions::KEEP;
            hermes_store::atomic::write(&file, text.as_bytes(), options).unwrap();
        }
        let tree = Tree::read(root.path()).unwrap();
        let found: Vec<&str> = tree.all().map(|(path, _)| path).collect();
        assert_eq!(found, [".gitignore", "a.md", "deep/down/c.md"]);
        assert!(tree.has("deep") && tree.has("deep/down/c.md") && !tree.has("dee"));
    }

    #[test]
    fn a_line_of_another_kind_is_not_guessed_at() {
        let error = Ignored::parse("build/").unwrap_err().to_string();
        assert!(error.contains("`build/`"), "{error}");
    }
}

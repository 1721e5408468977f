//! Gitignore-style globs as a filter that works beside the ignore rules, never against them.
//!
//! A glob without a slash is compared with the name of a file at any depth; one with a slash,
//! with its path relative to the root. `!` in front turns it round. A bare word that ripgrep knows as
//! a type of file (`rust`, `py`, `!js`) stands for the files of that type. Since a glob may be a plain
//! name with brackets in it (`[id].tsx`), a file called exactly like the glob always matches.
//!
//! Hidden files stay hidden unless the glob spells a dot: a part that begins with one reveals the
//! names it matches, the last part files and the parts before it directories.

use std::path::{MAIN_SEPARATOR_STR, Path};

use globset::{GlobBuilder, GlobMatcher, GlobSet};
use ignore::types::TypesBuilder;

/// A glob that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "Invalid glob `{glob}`: {problem}. To match a special character itself, put a backslash before it."
)]
pub struct GlobError {
    /// The glob as given, exclamation mark and all.
    pub glob: String,
    /// The glob parser's own words for what is wrong.
    pub problem: String,
}

/// Directory or file: a hidden name is revealed by different parts of a glob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GlobbedKind {
    Directory,
    File,
}

/// A parsed glob.
#[derive(Debug)]
pub(super) struct FileGlob {
    matcher: GlobMatcher,
    literal: String,
    file_type: Option<GlobSet>,
    against: Against,
    sense: Sense,
    hidden_dirs: Vec<GlobMatcher>,
    hidden_file: Option<GlobMatcher>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Against {
    Name,
    Path,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sense {
    Only,
    Except,
}

impl FileGlob {
    /// Parses a glob for use under `root`; an absolute glob that leads into the root is accepted.
    pub(super) fn parse(glob: &str, root: &Path) -> Result<Self, GlobError> {
        let failed = |error: globset::Error| GlobError {
            glob: glob.to_owned(),
            problem: error.kind().to_string(),
        };
        let (sense, body) = match glob.strip_prefix('!') {
            Some(rest) => (Sense::Except, rest),
            None => (Sense::Only, glob),
        };
        let (against, body) = relative_to(body, root);
        let mut literal = body.to_owned();
        if literal.is_empty() || literal.ends_with('/') {
            literal.push_str("**");
        }
        let against = if literal.contains('/') { Against::Path } else { against };

        let mut parts = split_parts(&literal);
        let last = parts.pop().unwrap_or_default();
        let hidden_dirs = parts
            .into_iter()
            .filter(|part| spells_dot(part))
            .map(build)
            .collect::<Result<_, _>>()
            .map_err(failed)?;
        let hidden_file = spells_dot(last).then(|| build(last)).transpose().map_err(failed)?;
        let matcher = build(&literal).map_err(failed)?;
        let file_type = file_type(&literal).map_err(failed)?;
        Ok(Self { matcher, literal, file_type, against, sense, hidden_dirs, hidden_file })
    }

    /// Does the glob let this file through? `relative` is its path under the root.
    pub(super) fn admits(&self, relative: &Path) -> bool {
        let name = relative.file_name().map_or(relative, Path::new);
        let is_of_type = self.file_type.as_ref().is_some_and(|names| names.is_match(name));
        (is_of_type || self.hits(relative)) == (self.sense == Sense::Only)
    }

    /// Does the glob exclude this directory with all it holds?
    pub(super) fn prunes(&self, relative: &Path) -> bool {
        self.sense == Sense::Except && self.hits(relative)
    }

    /// Can any hidden name pass?
    pub(super) fn names_hidden(&self) -> bool {
        self.sense == Sense::Only && (self.hidden_file.is_some() || !self.hidden_dirs.is_empty())
    }

    /// Does the glob reveal this hidden name?
    pub(super) fn reveals(&self, name: &Path, kind: GlobbedKind) -> bool {
        match kind {
            GlobbedKind::Directory => self.hidden_dirs.iter().any(|part| part.is_match(name)),
            GlobbedKind::File => self.hidden_file.as_ref().is_some_and(|part| part.is_match(name)),
        }
    }

    fn hits(&self, relative: &Path) -> bool {
        let subject = match self.against {
            Against::Path => relative,
            Against::Name => relative.file_name().map_or(relative, Path::new),
        };
        self.matcher.is_match(subject) || subject.as_os_str() == self.literal.as_str()
    }
}

/// The names of the files of a type, if the word is one.
fn file_type(word: &str) -> Result<Option<GlobSet>, globset::Error> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+');
    if word.is_empty() || !word.chars().all(is_word) {
        return Ok(None);
    }
    let known = TypesBuilder::new().add_defaults().definitions();
    let Some(found) = known.iter().find(|known| known.name() == word) else { return Ok(None) };
    let mut names = GlobSet::builder();
    for glob in found.globs() {
        names.add(GlobBuilder::new(glob).literal_separator(true).build()?);
    }
    names.build().map(Some)
}

fn build(glob: &str) -> Result<GlobMatcher, globset::Error> {
    Ok(GlobBuilder::new(glob).literal_separator(true).build()?.compile_matcher())
}

/// Strips what only says "from the root", and tells whether anything did.
fn relative_to<'g>(glob: &'g str, root: &Path) -> (Against, &'g str) {
    if let Some(rest) = glob.strip_prefix("./") {
        return (Against::Path, rest);
    }
    let inside = root
        .to_str()
        .and_then(|root| glob.strip_prefix(root))
        .and_then(|rest| rest.strip_prefix(MAIN_SEPARATOR_STR));
    match inside.or_else(|| glob.strip_prefix('/')) {
        Some(rest) => (Against::Path, rest),
        None => (Against::Name, glob),
    }
}

/// The parts between slashes; a slash inside braces or brackets separates nothing.
pub(super) fn split_parts(glob: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, c) in glob.char_indices() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            '/' if depth == 0 => {
                parts.push(&glob[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&glob[start..]);
    parts
}

/// Does this part of a glob ask for names that begin with a dot?
fn spells_dot(part: &str) -> bool {
    let bare = part.trim_start_matches(['{', '[', '\\']);
    bare.starts_with('.') || (part.starts_with('{') && part.contains(",."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn admits(glob: &str, relative: &str) -> bool {
        FileGlob::parse(glob, Path::new("/tree/x")).unwrap().admits(Path::new(relative))
    }

    #[test]
    fn without_a_slash_compares_names_at_any_depth() {
        assert!(admits("*.py", "a.py") && admits("*.py", "deep/er/a.py"));
        assert!(!admits("*.py", "a.pyc"));
        assert!(!admits("list.py", "blacklist.py"));
        assert!(admits("*.{a,b}", "x/y.b") && !admits("*.{a,b}", "y.c"));
    }

    #[test]
    fn a_leading_class_keeps_its_anchor() {
        assert!(admits("[ab]c.txt", "d/ac.txt"));
        assert!(!admits("[ab]c.txt", "xac.txt"));
    }

    #[test]
    fn with_a_slash_compares_relative_paths() {
        assert!(admits("src/*.py", "src/a.py"));
        assert!(!admits("src/*.py", "lib/src/a.py") && !admits("src/*.py", "src/d/a.py"));
        assert!(admits("src/**", "src/d/a.py") && admits("src/", "src/d/a.py"));
        assert!(admits("**/src/*.py", "lib/src/a.py") && admits("**/src/*.py", "src/a.py"));
        assert!(admits("/a.py", "a.py") && !admits("/a.py", "d/a.py"));
        assert!(admits("./a.py", "a.py") && !admits("./a.py", "d/a.py"));
    }

    #[test]
    fn an_absolute_glob_into_the_root_is_relative_to_it() {
        assert!(admits("/tree/x/src/*.py", "src/a.py"));
        assert!(admits("/tree/x/*.py", "a.py") && !admits("/tree/x/*.py", "d/a.py"));
    }

    #[test]
    fn exclusions_turn_round_and_prune() {
        assert!(!admits("!*.ts", "d/a.ts") && admits("!*.ts", "d/a.js"));
        let glob = FileGlob::parse("!vendor", Path::new("/r")).unwrap();
        assert!(glob.prunes(Path::new("deep/vendor")) && !glob.prunes(Path::new("deep")));
        assert!(!FileGlob::parse("vendor", Path::new("/r")).unwrap().prunes(Path::new("vendor")));
    }

    #[test]
    fn a_file_called_like_the_glob_matches() {
        assert!(admits("[id].tsx", "app/[id].tsx") && admits("[id].tsx", "i.tsx"));
        assert!(admits("app/[id]/page.tsx", "app/[id]/page.tsx"));
        assert!(admits("#note", "#note"));
    }

    #[test]
    fn dots_reveal_only_what_they_spell() {
        let reveals = |glob: &str, name: &str, kind| {
            FileGlob::parse(glob, Path::new("/r")).unwrap().reveals(Path::new(name), kind)
        };
        assert!(reveals(".env*", ".env.local", GlobbedKind::File));
        assert!(!reveals(".env*", ".git", GlobbedKind::File));
        assert!(!reveals(".*", ".git", GlobbedKind::Directory));
        assert!(reveals(".github/**/*.yml", ".github", GlobbedKind::Directory));
        assert!(!reveals(".github/**/*.yml", ".x.yml", GlobbedKind::File));
        assert!(reveals("{a,.b}", ".b", GlobbedKind::File));
        assert!(!FileGlob::parse("*", Path::new("/r")).unwrap().names_hidden());
        assert!(!FileGlob::parse("!.env", Path::new("/r")).unwrap().names_hidden());
    }

    #[test]
    fn the_name_of_a_type_admits_its_files_and_its_namesake() {
        assert!(admits("rust", "src/a.rs") && !admits("rust", "a.py"));
        assert!(admits("py", "a.py") && admits("py", "a.pyi") && !admits("py", "a.rs"));
        assert!(admits("rust", "bin/rust"), "a file called so");
        assert!(!admits("!js", "a.js") && admits("!js", "a.rs"));
        assert!(!admits("norust", "a.rs") && !admits("src/rust", "src/a.rs"));
    }

    #[test]
    fn an_empty_glob_admits_everything() {
        assert!(admits("", "d/a.py") && admits("**", "d/a.py"));
    }

    #[test]
    fn malformed_globs_are_explained() {
        let error = FileGlob::parse("[abc", Path::new("/r")).unwrap_err().to_string();
        assert!(error.contains("[abc") && error.contains("backslash"), "{error}");
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused_without_panic(
            glob in r"[*?!\[\]{}\\/.,a-c#ä -]{0,20}",
            path in "[a-c./ä]{0,12}",
        ) {
            if let Ok(glob) = FileGlob::parse(&glob, Path::new("/r")) {
                glob.admits(Path::new(&path));
                glob.prunes(Path::new(&path));
                glob.reveals(Path::new(&path), GlobbedKind::File);
            }
        }
    }
}

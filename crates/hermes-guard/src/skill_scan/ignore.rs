//! Files that a bundle itself leaves out of its installation.
//!
//! What is ignored is not installed, so a bundle cannot hide from the scan what an agent would later
//! find on disk.

/// Files that hold patterns, at the root of a bundle.
pub const IGNORE_FILES: [&str; 2] = [".skillignore", ".clawhubignore"];

/// The patterns of a bundle.
#[derive(Clone, Debug, Default)]
pub struct BundleIgnore {
    patterns: Vec<IgnorePattern>,
}

#[derive(Clone, Debug)]
struct IgnorePattern {
    text: String,
    /// `dir/`: what is below it.
    directory: bool,
    /// `/x`: from the root only.
    anchored: bool,
}

impl BundleIgnore {
    /// Adds the patterns of one file: a pattern a line, `#` comments.
    pub fn add(&mut self, text: &str) {
        for line in text.lines() {
            let line = line.trim_start_matches('\u{feff}').trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let directory = line.ends_with('/');
            let anchored = line.starts_with('/');
            let text = line.trim_matches('/').to_owned();
            if !text.is_empty() {
                self.patterns.push(IgnorePattern { text, directory, anchored });
            }
        }
    }

    /// Whether a path is left out. `SKILL.md` never is.
    #[must_use]
    pub fn ignores(&self, path: &str) -> bool {
        if path.eq_ignore_ascii_case("SKILL.md") {
            return false;
        }
        self.patterns.iter().any(|pattern| pattern.matches(path))
    }

    /// Whether there is anything to leave out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }
}

impl IgnorePattern {
    fn matches(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        let folders = &parts[..parts.len() - 1];
        if self.anchored || self.text.contains('/') {
            // The whole path, or any folder on the way.
            let mut upto = 0;
            for (index, part) in parts.iter().enumerate() {
                upto += part.len() + usize::from(index > 0);
                let is_folder = index < folders.len();
                if (is_folder || !self.directory) && wildcard(&self.text, &path[..upto]) {
                    return true;
                }
            }
            return false;
        }
        let candidates = if self.directory { folders } else { &parts[..] };
        candidates.iter().any(|part| wildcard(&self.text, part))
            || !self.directory && wildcard(&self.text, path)
    }
}

/// `*` is any text, `?` any character. Goes over the text once for each star at most.
fn wildcard(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut upto) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while upto < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, upto));
                at += 1;
            }
            Some(&expected) if expected == '?' || expected == text[upto] => {
                at += 1;
                upto += 1;
            }
            _ => match star {
                Some((star_at, taken)) => {
                    star = Some((star_at, taken + 1));
                    at = star_at + 1;
                    upto = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|&rest| rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignores(patterns: &str, path: &str) -> bool {
        let mut ignore = BundleIgnore::default();
        ignore.add(patterns);
        ignore.ignores(path)
    }

    #[test]
    fn patterns_match_paths_names_and_components() {
        assert!(ignores("*.log", "a/b.log"));
        assert!(ignores("tests/", "tests/x.md") && ignores("tests/", "a/tests/x.md"));
        assert!(!ignores("tests/", "tests"));
        assert!(ignores("/docs", "docs/a.md") && !ignores("/docs", "x/docs/a.md"));
        assert!(ignores("a/*.txt", "a/b.txt") && !ignores("a/*.txt", "c/b.txt"));
        assert!(ignores("?.md", "x.md") && !ignores("?.md", "xy.md"));
        assert!(!ignores("# *.md\n\n", "x.md"));
    }

    #[test]
    fn skill_md_cannot_be_ignored() {
        assert!(!ignores("*", "SKILL.md") && !ignores("skill.md", "skill.md"));
        assert!(ignores("*", "references/a.md"));
    }
}

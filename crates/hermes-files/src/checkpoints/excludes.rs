//! What a checkpoint leaves out, whatever the project: things that can be made again, that are too
//! large to keep, or that must not be copied.
//!
//! The project's own ignore files apply as well, and win over these lists, as they do in git.

/// Directories with downloaded, built or cached content, and those of version control.
pub(super) const DIRECTORIES: &[&str] = &[
    // Version control
    ".git",
    ".hg",
    ".svn",
    ".bzr",
    ".jj",
    "CVS",
    ".worktrees",
    // Dependencies and virtual environments
    "node_modules",
    "bower_components",
    ".pnpm-store",
    ".yarn",
    ".venv",
    "venv",
    "virtualenv",
    "site-packages",
    "Pods",
    ".bundle",
    // Build output
    "target",
    "build",
    "dist",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".dart_tool",
    "DerivedData",
    ".terraform",
    // Caches
    "__pycache__",
    ".cache",
    ".gradle",
    ".mypy_cache",
    ".nox",
    ".parcel-cache",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".turbo",
    "coverage",
    "htmlcov",
];

/// Kinds of files: compiled code; sound and film; archives and disk images; secrets; what systems
/// and editors leave behind; logs. Images are kept: they are often part of a project, and the size
/// limit holds for them, too.
const FILES: &str = "
*.a *.class *.dll *.dylib *.exe *.lib *.o *.obj *.pyc *.pyo *.so *.so.*
*.aac *.avi *.flac *.m4a *.m4v *.mkv *.mov *.mp3 *.mp4 *.ogg *.wav *.webm *.wmv
*.7z *.bz2 *.dmg *.gz *.iso *.jar *.rar *.tar *.tgz *.war *.xz *.zip *.zst
.env*
.DS_Store Thumbs.db desktop.ini *.swp *~
*.log
";

/// The same as text for git's `info/exclude`.
pub(super) fn ignore_file() -> String {
    let directories = DIRECTORIES.iter().map(|name| format!("{name}/\n"));
    let files = FILES.split_whitespace().map(|pattern| format!("{pattern}\n"));
    directories.chain(files).collect()
}

/// Text for git's `info/attributes`, which beats the attributes of the project: a checkpoint holds
/// bytes as they are, with no line ending, encoding or filter touched on the way in or out.
pub(super) const ATTRIBUTES: &str = "* -text -filter -ident -working-tree-encoding\n";

/// Whether a project's ignore file takes one of [`DIRECTORIES`] back in.
///
/// Errs on the side of yes.
pub(super) fn reincludes_directory(ignore_file: &str) -> bool {
    let reincluded = |part: &str| match globset::Glob::new(part) {
        Ok(glob) => {
            let matcher = glob.compile_matcher();
            DIRECTORIES.iter().any(|name| matcher.is_match(name))
        }
        Err(_) => true,
    };
    let patterns = ignore_file.lines().filter_map(|line| line.trim_end().strip_prefix('!'));
    patterns.flat_map(|pattern| pattern.split('/')).any(reincluded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_directories_as_such() {
        let text = ignore_file();
        assert!(text.lines().any(|line| line == "node_modules/"));
        assert!(text.lines().any(|line| line == "*.log"));
    }

    #[test]
    fn notices_when_a_project_takes_a_directory_back_in() {
        for text in ["!node_modules/", "*\n!*/\n!*.py", "!/web/dist", "!build/keep.txt", "![x"] {
            assert!(reincludes_directory(text), "{text}");
        }
        for text in ["", "node_modules/\n", "*.tmp\n!.gitkeep\n!*.py\n", "# !target"] {
            assert!(!reincludes_directory(text), "{text}");
        }
    }
}

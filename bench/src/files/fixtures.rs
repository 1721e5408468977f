//! The files and trees of the file rows, and the jobs done on them.
//!
//! All of it looks like source code and is made from line numbers alone (`text.rs`), so it is the
//! same in every run and on every machine. It lies in a temporary folder on the disk the machine
//! uses for such, is flushed before anything is timed, and is removed when [`Fixtures`] is dropped.
//! No file of the user is read or written. A job never touches what another one reads: patches
//! work on a copy that is made anew for each call.

use std::fs::{File, create_dir_all};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use hermes_tool::Args;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::job::{Fresh, Job, Leaves, Lines, Work};
use super::text;

/// Matched by one line of every so many files of a tree.
const PATTERN: &str = r"rescued_(count|limit)_\d+";
const MATCHING_LINE: &str = "    rescued_count_417 = harbour(lantern, 417)\n";
const LARGE: Tree = Tree { name: "large", folders: 320, files: 100, one_in: 100 };
const SMALL: Tree = Tree { name: "small", folders: 5, files: 10, one_in: 10 };
const LINES_PER_FILE: usize = 80;

const LONG_FILE: &str = "long.txt";
const LONG_FILE_BYTES: usize = 200_000_000;
const WINDOW_LINES: usize = 50;

/// Lines quoted in a patch.
const QUOTED: usize = 5;
const REPLACEMENT: &str = "replaced_by_the_benchmark";
const WRITTEN_BYTES: usize = 20_000;

/// After this the reference is stopped.
const SECONDS: u64 = 60;

/// A tree of folders in two levels.
#[derive(Clone, Copy)]
struct Tree {
    name: &'static str,
    folders: usize,
    files: usize,
    one_in: usize,
}

impl Tree {
    fn matches(self) -> usize {
        self.folders * self.files / self.one_in
    }

    fn make(self, root: &Path) -> Result<()> {
        for folder in 0..self.folders {
            let path = root.join(format!("{}/area{:02}/part{folder:03}", self.name, folder / 16));
            create_dir_all(&path).with_context(|| format!("creating {}", path.display()))?;
            for file in 0..self.files {
                let number = folder * self.files + file;
                let lines = number * LINES_PER_FILE..(number + 1) * LINES_PER_FILE;
                let mut content: String = lines.map(text::line).collect();
                if number.is_multiple_of(self.one_in) {
                    content.push_str(MATCHING_LINE);
                }
                put(&path.join(format!("module_{file:03}.txt")), content.as_bytes())?;
            }
        }
        Ok(())
    }
}

/// Everything the jobs need, in a folder that goes away with this.
pub(crate) struct Fixtures {
    folder: TempDir,
    long_lines: usize,
}

impl Fixtures {
    pub(crate) fn make() -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("hermes-bench-files-").tempdir()?;
        let root = folder.path();
        LARGE.make(root)?;
        SMALL.make(root)?;
        let long_lines = lines_up_to(&root.join(LONG_FILE), LONG_FILE_BYTES)?;
        for megabytes in [1, 10] {
            lines_up_to(&pristine(root, megabytes), megabytes * 1_000_000)?;
        }
        // All is at rest on the disk before anything is timed.
        nix::unistd::sync();
        Ok(Self { folder, long_lines })
    }

    /// Where a job is put for the processes that do it.
    pub(crate) fn save(&self, work: Work, job: &Job) -> Result<String> {
        let path = self.folder.path().join(format!("{work:?}.json"));
        put(&path, &serde_json::to_vec(job)?)?;
        path.into_os_string().into_string().ok().context("the temporary folder is not UTF-8")
    }

    pub(crate) fn job(&self, work: Work) -> Result<Job> {
        Ok(match work {
            Work::SearchLarge => self.search(LARGE, 7),
            Work::SearchSmall => self.search(SMALL, 40),
            Work::Window => self.window(),
            Work::NewWindow => self.window_of_new_file(),
            Work::ExactPatch1 => self.patch(1, Quotation::Exact),
            Work::ExactPatch10 => self.patch(10, Quotation::Exact),
            Work::FuzzyPatch1 => self.patch(1, Quotation::IndentedOtherwise),
            Work::FuzzyPatch10 => self.patch(10, Quotation::IndentedOtherwise),
            Work::MissedPatch1 => self.patch(1, Quotation::Absent),
            Work::MissedPatch10 => self.patch(10, Quotation::Absent),
            Work::Write => self.write(),
        })
    }

    /// All matches are on the page: ripgrep lists all of them, too.
    fn search(&self, tree: Tree, times: usize) -> Job {
        let path = self.folder.path().join(tree.name);
        let call = |limit| json!({"pattern": PATTERN, "path": path, "limit": limit});
        Job {
            tool: "search_files".to_owned(),
            calls: (0..times).map(|time| args(call(tree.matches() + 1 + time))).collect(),
            answer: args(json!({"total_count": tree.matches()})),
            lines: Some(Lines { pattern: PATTERN, tree: path, count: tree.matches() }),
            ..Job::new()
        }
    }

    fn window(&self) -> Job {
        let path = self.folder.path().join(LONG_FILE);
        let middle = self.long_lines / 2;
        let call = |offset| json!({"path": path, "offset": offset, "limit": WINDOW_LINES});
        Job {
            tool: "read_file".to_owned(),
            calls: (0..7).map(|time| args(call(middle + time * WINDOW_LINES))).collect(),
            answer: args(json!({"total_lines": self.long_lines, "truncated": true})),
            ..Job::new()
        }
    }

    /// The same where nothing can be known from the window before.
    fn window_of_new_file(&self) -> Job {
        let from = self.folder.path().join(LONG_FILE);
        let to = self.folder.path().join("new.log");
        let mut job = self.window();
        for call in &mut job.calls {
            call.insert("path".to_owned(), json!(to));
        }
        Job { fresh: Some(Fresh { from, to }), ..job }
    }

    fn patch(&self, megabytes: usize, quotation: Quotation) -> Job {
        let root = self.folder.path();
        let from = pristine(root, megabytes);
        let to = root.join(format!("patched-{megabytes}.txt"));
        let middle = megabytes * 1_000_000 / text::LINE_BYTES / 2;
        let old = quotation.text(middle);
        let (new, success) = match quotation {
            Quotation::Absent => (REPLACEMENT.to_owned(), false),
            _ => (old.replacen(" = ", &format!(" = {REPLACEMENT} = "), 1), true),
        };
        let call = json!({"mode": "replace", "path": to, "old_string": old, "new_string": new});
        let leaves = Leaves { path: to.clone(), text: REPLACEMENT.to_owned() };
        Job {
            tool: "patch".to_owned(),
            calls: vec![args(call); 7],
            answer: args(json!({"success": success})),
            fresh: Some(Fresh { from, to }),
            leaves: success.then_some(leaves),
            ..Job::new()
        }
    }

    fn write(&self) -> Job {
        let path = self.folder.path().join("written.py");
        let content = |time| text::python(time, WRITTEN_BYTES);
        let call = |time| json!({"path": path, "content": content(time)});
        Job {
            tool: "write_file".to_owned(),
            calls: (0..25).map(|time| args(call(time))).collect(),
            answer: args(json!({
                "bytes_written": content(0).len(), "lint": {"status": "ok", "output": ""},
            })),
            leaves: Some(Leaves { path: path.clone(), text: text::PYTHON_END.to_owned() }),
            ..Job::new()
        }
    }
}

impl Job {
    fn new() -> Self {
        Self { seconds: SECONDS, ..Self::default() }
    }
}

/// How a patch quotes the file.
#[derive(Clone, Copy)]
enum Quotation {
    Exact,
    IndentedOtherwise,
    Absent,
}

impl Quotation {
    fn text(self, first: usize) -> String {
        let lines = (first..first + QUOTED).map(text::line);
        match self {
            Self::Exact => lines.collect(),
            Self::IndentedOtherwise => lines.map(|line| line.replacen("  ", "", 1)).collect(),
            Self::Absent => text::ABSENT.to_owned(),
        }
    }
}

fn args(value: Value) -> Args {
    match value {
        Value::Object(args) => args,
        _ => Args::new(),
    }
}

fn pristine(root: &Path, megabytes: usize) -> PathBuf {
    root.join(format!("pristine-{megabytes}.txt"))
}

fn put(path: &Path, content: &[u8]) -> Result<()> {
    let put = || File::create(path)?.write_all(content);
    put().with_context(|| format!("writing {}", path.display()))
}

/// A file of so many bytes, up to a line; says how many lines it has.
fn lines_up_to(path: &Path, bytes: usize) -> Result<usize> {
    let count = bytes / text::LINE_BYTES;
    let write = || {
        let mut file = BufWriter::new(File::create(path)?);
        for number in 0..count {
            file.write_all(text::line(number).as_bytes())?;
        }
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    };
    write().with_context(|| format!("writing {}", path.display()))?;
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_has_the_files_and_matches_it_promises() {
        let folder = tempfile::tempdir().unwrap();
        SMALL.make(folder.path()).unwrap();
        let mut found = (0, 0);
        for part in std::fs::read_dir(folder.path().join("small/area00")).unwrap() {
            for file in std::fs::read_dir(part.unwrap().path()).unwrap() {
                let content = std::fs::read_to_string(file.unwrap().path()).unwrap();
                found = (found.0 + 1, found.1 + content.matches(MATCHING_LINE).count());
            }
        }
        assert_eq!(found, (50, SMALL.matches()));
        assert_eq!(LARGE.folders * LARGE.files, 32_000, "as the row says");
    }

    #[test]
    fn quotations_differ_only_as_they_say() {
        let (exact, other) = (Quotation::Exact.text(7), Quotation::IndentedOtherwise.text(7));
        assert_ne!(exact, other);
        let trimmed = |text: &str| text.lines().map(str::trim_start).collect::<Vec<_>>().join("\n");
        assert_eq!(trimmed(&exact), trimmed(&other));
    }
}

//! One row's work as data, which every side reads from the same file.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use hermes_tool::Args;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The jobs, in the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Work {
    SearchLarge,
    SearchSmall,
    Window,
    NewWindow,
    ExactPatch1,
    ExactPatch10,
    FuzzyPatch1,
    FuzzyPatch10,
    MissedPatch1,
    MissedPatch10,
    Write,
}

impl Work {
    pub(crate) const ALL: &'static [Self] = &[
        Self::SearchLarge,
        Self::SearchSmall,
        Self::Window,
        Self::NewWindow,
        Self::ExactPatch1,
        Self::ExactPatch10,
        Self::FuzzyPatch1,
        Self::FuzzyPatch10,
        Self::MissedPatch1,
        Self::MissedPatch10,
        Self::Write,
    ];

    /// The row's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::SearchLarge => "search, 32,000 files",
            Self::SearchSmall => "search, 50 files",
            Self::Window => "read 50 lines amid 200 MB",
            Self::NewWindow => "read 50 lines amid 200 MB, new file",
            Self::ExactPatch1 => "patch, exact, 1 MB",
            Self::ExactPatch10 => "patch, exact, 10 MB",
            Self::FuzzyPatch1 => "patch, indented otherwise, 1 MB",
            Self::FuzzyPatch10 => "patch, indented otherwise, 10 MB",
            Self::MissedPatch1 => "patch, not found, 1 MB",
            Self::MissedPatch10 => "patch, not found, 10 MB",
            Self::Write => "write 20 kB of Python",
        }
    }
}

/// A tool call, repeated.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Job {
    /// The tool.
    pub(crate) tool: String,
    /// Its arguments, call by call. No two are the same: both sides notice repetitions.
    pub(crate) calls: Vec<Args>,
    /// Fields that every answer has to have.
    pub(crate) answer: Args,
    /// A file that is put in place anew before each call.
    pub(crate) fresh: Option<Fresh>,
    /// Text that the file has to hold after each call.
    pub(crate) leaves: Option<Leaves>,
    /// A call may take so many seconds.
    pub(crate) seconds: u64,
    /// The search behind the calls, for ripgrep.
    #[serde(skip)]
    pub(crate) lines: Option<Lines>,
}

/// A file to copy before a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Fresh {
    pub(crate) from: PathBuf,
    pub(crate) to: PathBuf,
}

/// What a call leaves behind.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Leaves {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// Which lines a search has to find.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    pub(crate) pattern: &'static str,
    pub(crate) tree: PathBuf,
    pub(crate) count: usize,
}

impl Job {
    /// Reads the job another process saved.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
        serde_json::from_slice(&text).with_context(|| format!("understanding {}", path.display()))
    }

    /// Puts the file of the next call in place. It is flushed, so that no call pays for it.
    pub(crate) fn prepare(&self) -> Result<()> {
        let Some(Fresh { from, to }) = &self.fresh else { return Ok(()) };
        std::fs::copy(from, to).with_context(|| format!("copying {}", from.display()))?;
        File::open(to)?.sync_all().with_context(|| format!("flushing {}", to.display()))
    }

    /// A number for the wrong work is worthless: refuses the answer rather than count it.
    pub(crate) fn check(&self, answer: &Value) -> Result<()> {
        for (name, wanted) in &self.answer {
            let got = answer.get(name).unwrap_or(&Value::Null);
            ensure!(got == wanted, "{name} should be {wanted} and is {got}");
        }
        let Some(Leaves { path, text }) = &self.leaves else { return Ok(()) };
        let left =
            std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        ensure!(left.contains(text), "{} should hold {text:?}", path.display());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn job(answer: &Value, leaves: Option<Leaves>) -> Job {
        Job { answer: answer.as_object().unwrap().clone(), leaves, ..Job::default() }
    }

    #[test]
    fn refuses_an_answer_without_the_wanted_fields() {
        let job = job(&json!({"success": true}), None);
        assert!(job.check(&json!({"success": true, "diff": "…"})).is_ok());
        assert!(job.check(&json!({"success": false})).is_err());
        assert!(job.check(&json!({})).is_err());
    }

    #[test]
    fn refuses_a_success_that_left_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        File::create(&path).unwrap();
        let job = job(&json!({}), Some(Leaves { path, text: "new".to_owned() }));
        let refusal = job.check(&json!({})).unwrap_err().to_string();
        assert!(refusal.contains("should hold \"new\""), "{refusal}");
    }
}

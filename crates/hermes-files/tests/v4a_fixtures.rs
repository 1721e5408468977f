//! Patch cases as directories: `fixtures/v4a/NAME/` holds `patch.txt`, the files before (`input/`,
//! absent if there are none) and either the files after (`expected/`) or `error.txt`, whose lines
//! all have to occur in what is reported. A new case is a new directory.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on should stop")]

use hermes_files::v4a::{PatchEffect, PatchWorkspace, PathNeed, PathState, parse, plan};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// There are at least this many cases; fewer means they were not found.
const CASES: usize = 60;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Files(BTreeMap<String, Vec<u8>>);

impl Files {
    fn read(root: &Path) -> Self {
        let mut files = Self::default();
        if root.is_dir() {
            files.read_below(root, "");
        }
        files
    }

    fn read_below(&mut self, directory: &Path, prefix: &str) {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            if entry.path().is_dir() {
                self.read_below(&entry.path(), &format!("{path}/"));
            } else {
                self.0.insert(path, fs::read(entry.path()).unwrap());
            }
        }
    }

    /// These files after a patch, or everything that was reported.
    fn patched(&self, patch: &str) -> Result<Self, String> {
        let patch = parse(patch).map_err(|error| error.to_string())?;
        let plan = plan(&patch, self).map_err(|problems| {
            problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        })?;
        let mut files = self.0.clone();
        for effect in plan.effects {
            match effect {
                PatchEffect::Move { from, to } => {
                    let content = files.remove(&from).expect("a file to move");
                    assert_eq!(files.insert(to, content), None, "the target of a move is free");
                }
                PatchEffect::Delete { path } => assert!(files.remove(&path).is_some(), "{path}"),
                PatchEffect::Write { path, before, after } => {
                    assert_eq!(files.insert(path, after), before, "writes know what they replace");
                }
            }
        }
        Ok(Self(files))
    }
}

impl PatchWorkspace for Files {
    fn state(&self, path: &str, need: PathNeed) -> PathState {
        let below = format!("{path}/");
        match (self.0.get(path), need) {
            (Some(content), _) if need == PathNeed::Content && content.contains(&0) => {
                PathState::Unreadable("binary file".to_owned())
            }
            (Some(content), PathNeed::Content) => PathState::Text(content.clone()),
            (Some(_), PathNeed::Existence) => PathState::Present,
            (None, _) if self.0.keys().any(|key| key.starts_with(&below)) => {
                PathState::NotRegular("directory".to_owned())
            }
            (None, _) => PathState::Missing,
        }
    }
}

/// What is wrong with a case, if anything.
fn failure(case: &Path) -> Option<String> {
    let patch = fs::read_to_string(case.join("patch.txt")).expect("each case has a patch.txt");
    let patched = Files::read(&case.join("input")).patched(&patch);
    let (expected, error) = (case.join("expected"), case.join("error.txt"));
    assert!(expected.is_dir() != error.is_file(), "{case:?}: either expected/ or error.txt");
    if error.is_file() {
        let wanted = fs::read_to_string(error).unwrap();
        assert!(!wanted.trim().is_empty(), "{case:?}: error.txt is empty");
        return match patched {
            Ok(files) => Some(format!("no error, but {}", shown(&files))),
            Err(report) => wanted
                .lines()
                .find(|line| !report.contains(line))
                .map(|line| format!("`{line}` is not in `{report}`")),
        };
    }
    match patched {
        Err(report) => Some(report),
        Ok(files) if files == Files::read(&expected) => None,
        Ok(files) => {
            Some(format!("{}, expected {}", shown(&files), shown(&Files::read(&expected))))
        }
    }
}

fn shown(files: &Files) -> String {
    let text = |(path, content): (&String, &Vec<u8>)| {
        format!("{path}: {:?}", String::from_utf8_lossy(content))
    };
    files.0.iter().map(text).collect::<Vec<_>>().join("; ")
}

#[test]
fn every_case_gives_its_files_or_its_error() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/v4a");
    let mut cases: Vec<PathBuf> =
        fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(cases.len() >= CASES, "only {} cases", cases.len());
    let failures: Vec<_> = cases
        .iter()
        .filter_map(|case| {
            let name = case.file_name().unwrap().to_string_lossy();
            failure(case).map(|failure| format!("{name}: {failure}"))
        })
        .collect();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

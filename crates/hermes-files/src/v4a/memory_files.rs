//! Files in memory, to plan against and to carry plans out on.

use super::{
    Patch, PatchEffect, PatchPlan, PatchProblem, PatchWorkspace, PathNeed, PathState, parse, plan,
};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct MemoryFiles(pub(super) BTreeMap<String, Vec<u8>>);

impl MemoryFiles {
    pub(super) fn new<const N: usize>(files: [(&str, &[u8]); N]) -> Self {
        Self(files.map(|(path, content)| (path.to_owned(), content.to_vec())).into())
    }

    pub(super) fn plan(&self, patch: &str) -> Result<PatchPlan, Vec<PatchProblem>> {
        plan(&parse(patch).expect("the patch is well-formed"), self)
    }

    pub(super) fn plan_parsed(&self, patch: &Patch) -> Result<PatchPlan, Vec<PatchProblem>> {
        plan(patch, self)
    }

    /// The messages of all problems of a patch.
    pub(super) fn problems(&self, patch: &str) -> Vec<String> {
        self.plan(patch)
            .expect_err("the patch has problems")
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    /// The world after a patch.
    pub(super) fn patched(&self, patch: &str) -> Self {
        self.after(&self.plan(patch).expect("the patch applies"))
    }

    /// Carries a plan out, checking that each effect finds what it expects.
    pub(super) fn after(&self, plan: &PatchPlan) -> Self {
        let mut files = self.0.clone();
        for effect in &plan.effects {
            match effect {
                PatchEffect::Move { from, to } => {
                    let content = files.remove(from).expect("a file to move");
                    assert_eq!(files.insert(to.clone(), content), None, "{to} was taken");
                }
                PatchEffect::Delete { path } => {
                    assert!(files.remove(path).is_some(), "{path} was gone");
                }
                PatchEffect::Write { path, before, after } => {
                    assert_eq!(&files.insert(path.clone(), after.clone()), before, "{path}");
                }
            }
        }
        Self(files)
    }
}

impl PatchWorkspace for MemoryFiles {
    fn state(&self, path: &str, need: PathNeed) -> PathState {
        let directory = format!("{path}/");
        match (self.0.get(path), need) {
            (Some(_), PathNeed::Existence) => PathState::Present,
            (Some(content), PathNeed::Content) if content.contains(&0) => {
                PathState::Unreadable("binary".to_owned())
            }
            (Some(content), PathNeed::Content) => PathState::Text(content.clone()),
            (None, _) if self.0.keys().any(|key| key.starts_with(&directory)) => {
                PathState::NotRegular("directory".to_owned())
            }
            (None, _) => PathState::Missing,
        }
    }

    /// Refuses content with the word `forbidden`, unless it was there before.
    fn gate(&self, _: &str, before: Option<&[u8]>, after: &[u8]) -> Option<String> {
        let bad = |bytes: &[u8]| memchr::memmem::find(bytes, b"forbidden").is_some();
        (bad(after) && !before.is_some_and(bad)).then(|| "holds a forbidden word".to_owned())
    }
}

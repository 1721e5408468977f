//! Patches of any kind against two small files: no panic, and every plan fits the files it was
//! made for.
#![no_main]

use hermes_files::v4a::{PatchEffect, PatchWorkspace, PathNeed, PathState, parse, plan};
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeMap;

struct Files(BTreeMap<String, Vec<u8>>);

impl PatchWorkspace for Files {
    fn state(&self, path: &str, need: PathNeed) -> PathState {
        match (self.0.get(path), need) {
            (None, _) => PathState::Missing,
            (Some(_), PathNeed::Existence) => PathState::Present,
            (Some(content), PathNeed::Content) => PathState::Text(content.clone()),
        }
    }
}

fuzz_target!(|input: (&str, &[u8], &[u8])| {
    let (text, a, b) = input;
    let files = Files([("a".to_owned(), a.to_vec()), ("b".to_owned(), b.to_vec())].into());
    let Ok(patch) = parse(text) else { return };
    let Ok(plan) = plan(&patch, &files) else { return };
    assert!(!plan.files.is_empty(), "a plan changes something");
    let mut after = files.0.clone();
    for effect in plan.effects {
        match effect {
            PatchEffect::Move { from, to } => {
                let content = after.remove(&from).expect("a file to move");
                assert_eq!(after.insert(to, content), None);
            }
            PatchEffect::Delete { path } => assert!(after.remove(&path).is_some()),
            PatchEffect::Write { path, before, after: content } => {
                assert_eq!(after.insert(path, content), before);
            }
        }
    }
});

//! Patches of any kind against two small files: no panic, and every plan fits the files it was
//! made for.
#![no_main]

use hermes_files::v4a::{Effect, FileState, Need, Workspace, parse, plan};
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeMap;

struct Files(BTreeMap<String, Vec<u8>>);

impl Workspace for Files {
    fn state(&self, path: &str, need: Need) -> FileState {
        match (self.0.get(path), need) {
            (None, _) => FileState::Missing,
            (Some(_), Need::Existence) => FileState::Present,
            (Some(content), Need::Content) => FileState::Text(content.clone()),
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
            Effect::Move { from, to } => {
                let content = after.remove(&from).expect("a file to move");
                assert_eq!(after.insert(to, content), None);
            }
            Effect::Delete { path } => assert!(after.remove(&path).is_some()),
            Effect::Write { path, before, after: content } => {
                assert_eq!(after.insert(path, content), before);
            }
        }
    }
});

use std::collections::BTreeMap;
use std::fs;

use serde_json::json;

use super::*;
use crate::folders::is_leftover;
use crate::testing::{SkillBench, document, put};

/// A stock of skills: folder and a line of text.
fn stock(bench: &SkillBench, skills: &[(&str, &str)]) -> Stock {
    let folder = bench.folder.path().join("stock");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for (path, text) in skills {
        let name = path.rsplit('/').next().unwrap();
        fs::create_dir_all(folder.join(path).join("references")).unwrap();
        put(folder.join(path).join("SKILL.md"), document(name, "d", &format!("{text}\n")));
        put(folder.join(path).join("references/r.md"), text);
    }
    fs::create_dir_all(folder.join("cat")).unwrap();
    put(folder.join("cat/DESCRIPTION.md"), "---\ndescription: things\n---\n");
    Stock::in_folder(&folder)
}

fn run(bench: &SkillBench, stock: &Stock) -> SyncReport {
    sync(bench.library.home(), stock, &bench.table())
}

fn manifest_of(bench: &SkillBench) -> BTreeMap<String, String> {
    manifest::read(bench.library.home())
}

#[test]
fn new_skills_are_copied_and_recorded() {
    let bench = SkillBench::new();
    let stock = stock(&bench, &[("cat/a", "one"), ("b", "two")]);
    let report = run(&bench, &stock);
    assert_eq!(
        report,
        SyncReport { copied: vec!["a".into(), "b".into()], ..SyncReport::default() }
    );
    assert!(
        bench.read("cat/a/SKILL.md").contains("one") && bench.path("b/references/r.md").exists()
    );
    assert_eq!(bench.read("cat/DESCRIPTION.md"), "---\ndescription: things\n---\n");
    let text = bench.read(".bundled_manifest");
    assert_eq!(text, format!("a:{}\nb:{}\n", stock.skills["a"].hash, stock.skills["b"].hash));
    assert_eq!(run(&bench, &stock), SyncReport::default(), "a second time there is nothing to do");
}

#[test]
fn a_home_that_opted_out_gets_nothing() {
    let bench = SkillBench::new();
    let stock = stock(&bench, &[("a", "one")]);
    opt_out(bench.library.home(), &stock, false).unwrap();
    assert!(run(&bench, &stock).skipped_opt_out);
    assert!(!bench.path("a").exists());
    opt_in(bench.library.home()).unwrap();
    opt_in(bench.library.home()).unwrap();
    assert_eq!(run(&bench, &stock).copied, ["a"]);
}

#[test]
fn what_the_curator_put_away_is_not_seeded() {
    let bench = SkillBench::new();
    let stock = stock(&bench, &[("a", "one")]);
    manifest::suppress(bench.library.home(), "a", true).unwrap();
    assert_eq!(run(&bench, &stock).suppressed, ["a"]);
    assert!(!bench.path("a").exists());
}

#[test]
fn a_skill_of_the_users_further_folders_is_not_shadowed() {
    let mut bench = SkillBench::new();
    let stock = stock(&bench, &[("a", "one")]);
    run(&bench, &stock);
    let far = bench.folder.path().join("far");
    fs::create_dir_all(far.join("a")).unwrap();
    put(far.join("a/SKILL.md"), document("a", "theirs", "x"));
    bench.config = json!({"skills": {"external_dirs": [far]}});
    fs::remove_file(bench.path(".bundled_manifest")).unwrap();
    assert_eq!(run(&bench, &stock).external, ["a"]);
    assert!(!bench.path("a").exists(), "a copy as we ship it only hides theirs");
    assert!(manifest_of(&bench).is_empty());
    bench.write("a/SKILL.md", &document("a", "edited", "x"));
    run(&bench, &stock);
    assert!(bench.path("a").exists(), "an edited copy stays");
}

#[test]
fn something_of_the_users_in_its_place_is_kept() {
    let bench = SkillBench::new();
    let stock = stock(&bench, &[("a", "one"), ("b", "two")]);
    bench.write("a/SKILL.md", &document("a", "mine", "mine"));
    for (path, bytes) in &stock.skills["b"].files {
        bench.write(&format!("b/{}", path.display()), std::str::from_utf8(bytes).unwrap());
    }
    let report = run(&bench, &stock);
    assert_eq!(report.kept, ["a"]);
    assert!(bench.read("a/SKILL.md").contains("mine"));
    assert_eq!(
        manifest_of(&bench).keys().collect::<Vec<_>>(),
        ["b"],
        "recorded when identical only"
    );
}

#[test]
fn a_pristine_copy_follows_the_stock_and_an_edited_one_stays() {
    let bench = SkillBench::new();
    run(&bench, &stock(&bench, &[("a", "one"), ("b", "one"), ("c", "one")]));
    bench.write("b/SKILL.md", &document("b", "d", "edited\n"));
    let newer = stock(&bench, &[("a", "two"), ("b", "two"), ("c", "two")]);
    for (path, bytes) in &newer.skills["c"].files {
        bench.write(&format!("c/{}", path.display()), std::str::from_utf8(bytes).unwrap());
    }
    let report = run(&bench, &newer);
    assert_eq!(
        (&report.updated, &report.user_modified),
        (&vec!["a".to_owned()], &vec!["b".to_owned()])
    );
    assert!(
        bench.read("a/SKILL.md").contains("two") && bench.read("b/SKILL.md").contains("edited")
    );
    assert_eq!(
        manifest_of(&bench)["c"],
        newer.skills["c"].hash,
        "what equals the new stock is ours again"
    );
    let left: Vec<_> =
        fs::read_dir(bench.path("")).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert!(left.iter().all(|name| !is_leftover(name)), "{left:?}");
}

#[test]
fn what_the_user_deleted_never_comes_back() {
    let bench = SkillBench::new();
    run(&bench, &stock(&bench, &[("a", "one")]));
    fs::remove_dir_all(bench.path("a")).unwrap();
    let newer = stock(&bench, &[("a", "two")]);
    assert_eq!(run(&bench, &newer).deleted, ["a"]);
    assert_eq!(run(&bench, &newer).copied, [""; 0]);
    assert!(!bench.path("a").exists());
    reset(bench.library.home(), &newer, "a").unwrap();
    assert_eq!(run(&bench, &newer).copied, ["a"], "unless they say so");
}

#[test]
fn a_category_move_takes_a_pristine_copy_along_and_strands_nothing() {
    let bench = SkillBench::new();
    run(&bench, &stock(&bench, &[("old/a", "one"), ("old/b", "one")]));
    bench.write("old/b/SKILL.md", &document("b", "d", "edited"));
    let newer = stock(&bench, &[("new/a", "two"), ("new/b", "two")]);
    let report = run(&bench, &newer);
    assert_eq!((&report.moved, &report.updated), (&vec!["a".to_owned()], &vec!["a".to_owned()]));
    assert_eq!(report.user_modified, ["b"]);
    assert!(bench.read("new/a/SKILL.md").contains("two") && !bench.path("old/a").exists());
    assert!(bench.read("old/b/SKILL.md").contains("edited"));
}

#[test]
fn what_is_no_longer_shipped_keeps_its_files() {
    let bench = SkillBench::new();
    run(&bench, &stock(&bench, &[("a", "one"), ("b", "one")]));
    assert_eq!(run(&bench, &stock(&bench, &[("b", "one")])).cleaned, ["a"]);
    assert!(bench.path("a/SKILL.md").exists());
    assert_eq!(manifest_of(&bench).keys().collect::<Vec<_>>(), ["b"]);
}

#[test]
fn an_entry_without_a_hash_never_adopts_an_edited_copy_as_origin() {
    let bench = SkillBench::new();
    let first = stock(&bench, &[("a", "one"), ("b", "one")]);
    run(&bench, &first);
    bench.write("b/SKILL.md", &document("b", "d", "edited"));
    bench.write(".bundled_manifest", "a\nb\n");
    let report = run(&bench, &first);
    assert_eq!(report.user_modified, ["b"]);
    let newer = stock(&bench, &[("a", "two"), ("b", "two")]);
    let report = run(&bench, &newer);
    assert_eq!(
        (&report.updated, &report.user_modified),
        (&vec!["a".to_owned()], &vec!["b".to_owned()])
    );
    assert!(bench.read("b/SKILL.md").contains("edited"));
}

#[test]
fn a_left_over_backup_is_moved_back_first() {
    let bench = SkillBench::new();
    let first = stock(&bench, &[("a", "one")]);
    run(&bench, &first);
    fs::rename(bench.path("a"), bench.path(".a.hermes-backup")).unwrap();
    assert!(bench.store().find("a").is_err(), "nothing takes it for a skill");
    let newer = stock(&bench, &[("a", "two")]);
    assert_eq!(run(&bench, &newer).updated, ["a"]);
    assert!(!bench.path(".a.hermes-backup").exists());
}

#[test]
fn reset_brings_the_updates_it_promises() {
    let bench = SkillBench::new();
    let first = stock(&bench, &[("a", "one")]);
    run(&bench, &first);
    bench.write("a/SKILL.md", &document("a", "d", "edited"));
    let home = bench.library.home();
    assert_eq!(list_modified(home, &first).len(), 1);
    assert!(diff(home, &first, "a").unwrap().contains("+edited"));
    reset(home, &first, "a").unwrap();
    let newer = stock(&bench, &[("a", "two")]);
    assert_eq!(run(&bench, &newer).updated, ["a"]);
    assert!(bench.read("a/SKILL.md").contains("two"));
    assert!(reset(home, &newer, "nobody").unwrap_err().to_string().contains("does not come with"));
}

#[test]
fn restore_replaces_the_copy_and_diff_notes_binaries() {
    let bench = SkillBench::new();
    let first = stock(&bench, &[("a", "one")]);
    run(&bench, &first);
    let home = bench.library.home();
    put(bench.path("a/references/r.md"), [0xff, 0x00]);
    assert!(diff(home, &first, "a").unwrap().contains("Binary files a/references/r.md"));
    restore_stock(home, &first, "a").unwrap();
    assert_eq!(diff(home, &first, "a").unwrap(), "");
    assert!(list_modified(home, &first).is_empty());
}

#[test]
fn opting_out_removes_pristine_copies_only() {
    let bench = SkillBench::new();
    let first = stock(&bench, &[("cat/a", "one"), ("b", "one")]);
    run(&bench, &first);
    bench.write("b/SKILL.md", &document("b", "d", "edited"));
    let done = opt_out(bench.library.home(), &first, true).unwrap();
    assert_eq!((done.removed, done.kept), (vec!["a".to_owned()], vec!["b".to_owned()]));
    assert!(!bench.path("cat").exists() && bench.path("b").exists());
}

#[cfg(unix)]
#[test]
fn a_copy_behind_a_link_is_never_touched() {
    let bench = SkillBench::new();
    let first = stock(&bench, &[("a", "one")]);
    run(&bench, &first);
    let outside = bench.folder.path().join("outside");
    fs::rename(bench.path("a"), &outside).unwrap();
    std::os::unix::fs::symlink(&outside, bench.path("a")).unwrap();
    let newer = stock(&bench, &[("a", "two")]);
    assert_eq!(run(&bench, &newer).user_modified, ["a"]);
    assert!(restore_stock(bench.library.home(), &newer, "a").is_err());
    opt_out(bench.library.home(), &newer, true).unwrap();
    assert!(fs::read_to_string(outside.join("SKILL.md")).unwrap().contains("one"));
}

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use super::*;
use crate::roots::RootKind;
use crate::testing::put;

struct Bench {
    folder: tempfile::TempDir,
    index: SkillIndex,
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), index: SkillIndex::default() }
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        put(file, text);
    }

    fn skill(&self, path: &str, name: &str) {
        self.write(
            &format!("{path}/SKILL.md"),
            &format!("---\nname: {name}\ndescription: about {name}\n---\nx\n"),
        );
    }

    fn roots(&self) -> Vec<SkillRoot> {
        [("local", RootKind::Local), ("far", RootKind::External)]
            .map(|(path, kind)| SkillRoot { path: self.folder.path().join(path), kind })
            .to_vec()
    }

    fn look(&mut self) -> Arc<SkillTable> {
        let snapshot = self.folder.path().join("snapshot.json");
        let roots = self.roots();
        self.index.refresh(&roots, &snapshot)
    }

    fn names(&mut self) -> Vec<String> {
        self.look().usable().map(|entry| entry.name.clone()).collect()
    }
}

#[test]
fn skills_are_found_by_path_and_local_ones_win() {
    let mut bench = Bench::new();
    bench.skill("local/zeta", "zeta");
    bench.skill("local/cat/alpha", "alpha");
    bench.skill("local/cat/deep/beta", "beta");
    bench.skill("far/alpha", "alpha");
    bench.skill("far/only", "only");
    assert_eq!(bench.names(), ["alpha", "beta", "zeta", "only"]);
    let table = bench.look();
    assert_eq!(table.all[0].category.as_deref(), Some("cat"));
    assert_eq!(table.all[1].chain.as_deref(), Some("cat/deep"));
    assert_eq!(table.all[2].category, None);
    assert_eq!(table.clashes().keys().collect::<Vec<_>>(), [&"alpha"]);
}

#[test]
fn folders_of_tools_and_of_our_own_state_are_pruned() {
    let mut bench = Bench::new();
    bench.skill("local/a", "a");
    for pruned in crate::layout::PRUNED_FOLDERS {
        bench.skill(&format!("local/{pruned}/x"), "x");
    }
    assert_eq!(bench.names(), ["a"]);
}

#[test]
fn support_folders_are_data_inside_a_skill_and_categories_elsewhere() {
    let mut bench = Bench::new();
    bench.skill("local/a", "a");
    bench.skill("local/a/references/old", "old");
    bench.skill("local/a/nested", "nested");
    bench.skill("local/scripts/b", "b");
    assert_eq!(bench.names(), ["a", "nested", "b"]);
}

#[test]
fn a_document_in_lower_case_is_read_when_there_is_no_other() {
    let mut bench = Bench::new();
    bench.write("local/a/skill.md", "---\nname: lower\ndescription: d\n---\nx");
    bench.skill("local/b", "upper");
    bench.write("local/b/skill.md", "---\nname: lower2\ndescription: d\n---\nx");
    assert_eq!(bench.names(), ["lower", "upper"]);
}

#[test]
fn a_skill_with_an_unclosed_block_is_left_out_and_reported() {
    let mut bench = Bench::new();
    bench.write("local/a/SKILL.md", "---\nname: a\n");
    bench.write("local/b/SKILL.md", "no block at all\n");
    assert_eq!(bench.names(), ["b"], "the folder's name counts where there is no other");
    assert!(bench.look().all[0].broken);
}

#[cfg(unix)]
#[test]
fn links_are_followed_but_never_round_in_circles() {
    use std::os::unix::fs::symlink;
    let mut bench = Bench::new();
    bench.skill("elsewhere/linked", "linked");
    bench.skill("local/a", "a");
    symlink(bench.folder.path().join("elsewhere"), bench.folder.path().join("local/door")).unwrap();
    symlink(bench.folder.path().join("local"), bench.folder.path().join("local/loop")).unwrap();
    symlink("/nowhere/at/all", bench.folder.path().join("local/broken")).unwrap();
    assert_eq!(bench.names(), ["a", "linked"]);
}

#[test]
fn depth_is_bounded() {
    let mut bench = Bench::new();
    bench.skill(&format!("local/{}", ["d"; 8].join("/")), "deep");
    bench.skill(&format!("local/{}", ["e"; 9].join("/")), "deeper");
    assert_eq!(bench.names(), ["deep"]);
    assert!(bench.look().warnings[0].contains("8 deep"));
}

#[test]
fn changes_of_others_show_at_the_next_look() {
    let mut bench = Bench::new();
    bench.skill("local/a", "a");
    assert_eq!(bench.names(), ["a"]);
    bench.skill("local/b", "b");
    assert_eq!(bench.names(), ["a", "b"]);
    bench.write("local/a/SKILL.md", "---\nname: a\ndescription: new words\n---\nx");
    assert_eq!(bench.look().all[0].description, "new words");
    fs::remove_dir_all(bench.folder.path().join("local/a")).unwrap();
    assert_eq!(bench.names(), ["b"]);
    sleep(Duration::from_millis(30));
    let (one, other) = (bench.look(), bench.look());
    assert!(
        Arc::ptr_eq(&bench.look(), &other) || Arc::ptr_eq(&one, &other),
        "nothing is read while nothing changes"
    );
}

#[test]
fn categories_have_descriptions() {
    let mut bench = Bench::new();
    bench.skill("local/cat/a", "a");
    bench.write("local/cat/DESCRIPTION.md", "---\ndescription: all\n  about cats\n---\n");
    assert_eq!(bench.look().descriptions["cat"], "all about cats");
}

#[test]
fn another_process_begins_with_what_this_one_knew() {
    let mut bench = Bench::new();
    for n in 0..40 {
        bench.skill(&format!("local/s{n}"), &format!("s{n}"));
    }
    sleep(Duration::from_millis(30));
    bench.look();
    let file = bench.folder.path().join("snapshot.json");
    let began = Instant::now();
    while !file.exists() && began.elapsed() < Duration::from_secs(20) {
        sleep(Duration::from_millis(5));
    }
    assert_eq!(snapshot::load(&file).len(), 40);
    // A file that changed behind the snapshot's back is read again.
    bench.write("local/s0/SKILL.md", "---\nname: changed\ndescription: d\n---\nx");
    bench.index = SkillIndex::default();
    assert!(bench.names().contains(&"changed".to_owned()));
    let broken = bench.folder.path().join("broken.json");
    put(&broken, "{ not json");
    assert!(snapshot::load(&broken).is_empty());
    assert!(snapshot::load(Path::new("/nowhere")).is_empty());
}

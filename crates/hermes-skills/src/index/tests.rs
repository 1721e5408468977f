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

/// Whether the system tells of changes here.
const IS_TOLD: bool = cfg!(all(target_os = "linux", not(hermes_portable)));

/// A home that is large enough to be listened to.
fn large() -> Bench {
    let bench = Bench::new();
    for n in 0..LISTEN_FROM {
        bench.skill(&format!("local/cat{}/s{n}", n % 3), &format!("s{n}"));
    }
    bench
}

impl Bench {
    /// Looks until everything is long enough as it is to be relied on, and changes are listened for.
    fn settle(&mut self) -> Arc<SkillTable> {
        sleep(Duration::from_millis(60));
        self.look();
        self.look()
    }

    fn is_listening(&self) -> bool {
        let events = self.index.state.as_ref().map(|state| &state.events);
        matches!(events, Some(Listening::Asked(Some(_))))
    }

    fn about(&mut self, name: &str) -> Option<String> {
        let table = self.look();
        table.all.iter().find(|one| one.name == name).map(|one| one.description.clone())
    }
}

#[test]
fn what_changes_while_it_is_listened_for_shows_at_the_next_look() {
    let mut bench = large();
    let known = bench.settle();
    assert!(Arc::ptr_eq(&known, &bench.look()), "nothing is read while nothing changes");
    assert_eq!(bench.is_listening(), IS_TOLD);
    let folder = bench.folder.path().join("local");
    bench.write("local/cat0/s0/SKILL.md", "---\nname: s0\ndescription: in place\n---\nx");
    assert_eq!(bench.about("s0").as_deref(), Some("in place"));
    bench.settle();
    bench.write("local/next.md", "---\nname: s0\ndescription: moved over\n---\nx");
    fs::rename(folder.join("next.md"), folder.join("cat0/s0/SKILL.md")).unwrap();
    assert_eq!(bench.about("s0").as_deref(), Some("moved over"));
    bench.settle();
    bench.skill("local/cat1/more", "more");
    assert_eq!(bench.about("more").as_deref(), Some("about more"));
    bench.settle();
    bench.skill("local/new-category/one", "one");
    assert_eq!(bench.about("one").as_deref(), Some("about one"));
    bench.settle();
    fs::remove_dir_all(folder.join("cat2/s2")).unwrap();
    assert_eq!(bench.about("s2"), None);
    bench.settle();
    fs::rename(folder.join("cat1"), bench.folder.path().join("away")).unwrap();
    assert_eq!(bench.about("s1"), None);
    bench.settle();
    fs::rename(&folder, bench.folder.path().join("all-away")).unwrap();
    assert_eq!(bench.look().all.len(), 0);
}

/// Every view of a skill is counted in a file beside the skills.
#[test]
fn what_we_note_beside_the_skills_has_nothing_looked_at_again() {
    let mut bench = large();
    let known = bench.settle();
    bench.write("local/.usage.json.tmp", "{}");
    let local = bench.folder.path().join("local");
    fs::rename(local.join(".usage.json.tmp"), local.join(".usage.json")).unwrap();
    let next = bench.look();
    assert_eq!(known.all, next.all);
    assert_eq!(Arc::ptr_eq(&known, &next), IS_TOLD);
    fs::create_dir(local.join(".hidden")).unwrap();
    assert!(!Arc::ptr_eq(&next, &bench.look()), "a folder may hold skills");
}

#[cfg(unix)]
#[test]
fn a_document_with_another_name_elsewhere_is_looked_at_every_time() {
    use std::os::unix::fs::symlink;
    for is_link in [true, false] {
        let mut bench = large();
        bench.write("elsewhere.md", "---\nname: linked\ndescription: one\n---\nx");
        let elsewhere = bench.folder.path().join("elsewhere.md");
        let document = bench.folder.path().join("local/linked/SKILL.md");
        fs::create_dir_all(document.parent().unwrap()).unwrap();
        match is_link {
            true => symlink(&elsewhere, &document).unwrap(),
            false => fs::hard_link(&elsewhere, &document).unwrap(),
        }
        bench.settle();
        assert!(!bench.is_listening());
        bench.write("elsewhere.md", "---\nname: linked\ndescription: two\n---\nx");
        assert_eq!(bench.about("linked").as_deref(), Some("two"));
    }
}

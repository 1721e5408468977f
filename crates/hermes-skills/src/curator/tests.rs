use serde_json::json;

use super::backups::KEPT_BACKUPS;
use super::*;
use crate::testing::{SkillBench, put};
use crate::usage::stored_time;

fn days_ago(days: i64) -> String {
    stored_time(Timestamp::now() - jiff::SignedDuration::from_hours(24 * days))
}

/// Skills of the agent, with the days since each was used.
fn bench(skills: &[(&str, Option<i64>)]) -> SkillBench {
    let bench = SkillBench::new();
    for (name, days) in skills {
        bench.skill(&format!("cat/{name}"), name, "d");
        usage::update(bench.library.home(), |records| {
            let record = records.entry((*name).to_owned()).or_default();
            record.created_by = Some("agent".into());
            record.last_used_at = days.map(days_ago);
        });
    }
    bench
}

fn settings() -> CuratorSettings {
    CuratorSettings::from_config(&json!({}))
}

fn look(bench: &SkillBench, mode: CuratorMode) -> CuratorReport {
    run(&bench.store(), &settings(), &HashSet::from(["job".to_owned()]), mode)
}

#[test]
fn unused_skills_become_stale_then_go_to_the_archive() {
    let bench =
        bench(&[("fresh", Some(1)), ("idle", Some(40)), ("old", Some(100)), ("unseen", None)]);
    let would = look(&bench, CuratorMode::DryRun);
    assert_eq!(
        (&would.stale, &would.archived, &would.first_seen),
        (&vec!["idle".into()], &vec!["old".into()], &vec!["unseen".to_owned()])
    );
    assert!(bench.path("cat/old/SKILL.md").exists(), "a dry run changes nothing");
    let done = look(&bench, CuratorMode::Run);
    assert_eq!(CuratorReport { backup: None, ..done.clone() }, would);
    assert!(done.backup.is_some_and(|file| file.is_file()), "a copy is made first");
    assert!(!bench.path("cat/old").exists() && bench.path(".archive/old/SKILL.md").exists());
    let records = usage::read(bench.library.home());
    assert_eq!(records["idle"].state, UsageState::Stale);
    assert_eq!(records["old"].state, UsageState::Archived);
    assert!(records["unseen"].created_at.is_some(), "the first sight starts the clock");
    usage::count(bench.library.home(), "idle", usage::UsageEvent::Viewed);
    assert_eq!(
        usage::read(bench.library.home())["idle"].state,
        UsageState::Active,
        "use brings it back"
    );
    restore(&bench.store(), "old").unwrap();
    assert!(bench.path("old/SKILL.md").exists());
    assert_eq!(
        look(&bench, CuratorMode::Run).archived,
        [""; 0],
        "what was restored counts as used"
    );
}

#[test]
fn pinned_protected_scheduled_and_other_peoples_skills_are_left_alone() {
    let bench = bench(&[
        ("pinned", Some(200)),
        ("plan", Some(200)),
        ("job", Some(200)),
        ("mine", Some(200)),
    ]);
    let home = bench.library.home();
    assert!(set_pinned(home, "pinned", true).unwrap());
    assert!(!set_pinned(home, "pinned", true).unwrap());
    usage::update(home, |records| records.get_mut("mine").unwrap().created_by = None);
    fs::create_dir_all(home.hub()).unwrap();
    bench.skill("hubbed", "hubbed", "d");
    put(
        home.hub_lock(),
        r#"{"version":1,"installed":{"hubbed":{"source":"github","install_path":"hubbed"}}}"#,
    );
    usage::update(home, |records| {
        let record = records.entry("hubbed".into()).or_default();
        record.created_by = Some("agent".into());
        record.last_used_at = Some(days_ago(300));
    });
    assert_eq!(look(&bench, CuratorMode::Run), CuratorReport::default());
    set_pinned(home, "pinned", false).unwrap();
    assert_eq!(look(&bench, CuratorMode::DryRun).archived, ["pinned"]);
}

#[test]
fn what_came_with_the_program_is_suppressed_when_put_away_unless_it_is_to_stay() {
    let bench = bench(&[("shipped", Some(200))]);
    let home = bench.library.home();
    usage::update(home, |records| records.get_mut("shipped").unwrap().created_by = None);
    put(home.bundled_manifest(), "shipped:0\n");
    let keep = CuratorSettings { prune_builtins: false, ..settings() };
    assert_eq!(run(&bench.store(), &keep, &HashSet::new(), CuratorMode::Run).archived, [""; 0]);
    assert_eq!(look(&bench, CuratorMode::Run).archived, ["shipped"]);
    assert_eq!(manifest::suppressed(home), ["shipped"]);
    restore(&bench.store(), "shipped").unwrap();
    assert_eq!(manifest::suppressed(home), [""; 0]);
}

#[test]
fn a_run_is_due_when_rested_idle_enabled_and_not_paused() {
    let bench = bench(&[("a", Some(1))]);
    let home = bench.library.home();
    assert!(is_due(home, &settings()));
    assert!(!is_due(home, &CuratorSettings { enabled: false, ..settings() }));
    set_paused(home, true).unwrap();
    assert!(!is_due(home, &settings()));
    set_paused(home, false).unwrap();
    usage::count(home, "a", usage::UsageEvent::Viewed);
    assert!(!is_due(home, &settings()), "somebody is at work");
    let impatient = CuratorSettings { min_idle_hours: 0.0, ..settings() };
    assert!(is_due(home, &impatient));
    run(&bench.store(), &impatient, &HashSet::new(), CuratorMode::Run);
    assert!(!is_due(home, &impatient), "it ran just now");
}

#[test]
fn one_skill_is_put_away_at_a_persons_word() {
    let bench = bench(&[("a", Some(1))]);
    archive_one(&bench.store(), "a").unwrap();
    assert_eq!(archive::list(bench.library.home()), ["a"]);
    assert!(archive_one(&bench.store(), "none").is_err());
    assert!(status(&bench.store(), &settings(), &HashSet::new()).is_empty());
}

#[test]
fn only_the_last_copies_are_kept() {
    let bench = bench(&[("a", Some(1))]);
    for _ in 0..7 {
        back_up(bench.library.home()).unwrap();
    }
    assert_eq!(backups(bench.library.home()).len(), KEPT_BACKUPS);
}

#[test]
fn a_rollback_brings_back_everything_and_keeps_what_was_there_as_a_copy() {
    let bench = bench(&[("old", Some(100)), ("kept", Some(1))]);
    let home = bench.library.home();
    fs::create_dir_all(home.hub()).unwrap();
    put(home.hub_lock(), "{}");
    let copy = look(&bench, CuratorMode::Run).backup.unwrap();
    bench.skill("made-later", "made-later", "d");
    let (used, before) = roll_back(&bench.store(), None).unwrap();
    assert_eq!(used, copy);
    assert!(bench.path("cat/old/SKILL.md").exists() && bench.path("cat/kept/SKILL.md").exists());
    assert!(!bench.path(".archive/old").exists() && !bench.path("made-later").exists());
    assert_eq!(usage::read(home)["old"].state, UsageState::Active, "records too");
    assert!(home.hub_lock().exists(), "what the hub knows stays");
    roll_back(&bench.store(), Some(&before)).unwrap();
    assert!(bench.path("made-later/SKILL.md").exists() && bench.path(".archive/old").exists());
    let mut left = fs::read_dir(home.root()).unwrap().flatten().map(|entry| entry.file_name());
    assert!(!left.any(|name| crate::folders::is_leftover(&name)));
}

#[test]
fn a_copy_that_cannot_be_read_changes_nothing() {
    let bench = bench(&[("a", Some(1))]);
    assert!(roll_back(&bench.store(), None).unwrap_err().to_string().contains("no copy"));
    bench.write("broken.tar.gz", "nonsense");
    let file = bench.path("broken.tar.gz");
    assert!(roll_back(&bench.store(), Some(&file)).is_err());
    assert!(bench.path("cat/a/SKILL.md").exists());
}

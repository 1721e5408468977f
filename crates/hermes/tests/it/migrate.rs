//! Moving in from the Python program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hermes_testkit::{ModelServer, Step};
use serde_json::{Value, json};

use crate::support::{Sandbox, column, std_command};

/// A sandbox, and a home of the Python program beside it, whose model is scripted.
struct Moving {
    sandbox: Sandbox,
    model: ModelServer,
    old: PathBuf,
}

impl Moving {
    fn new() -> Self {
        let model = ModelServer::start([Step::text("It was plum."), Step::text("And again.")]);
        let sandbox = Sandbox::new();
        let old = sandbox.scratch("old");
        std::fs::create_dir(&old).unwrap();
        let made = std_command("python3")
            .args(["-c", include_str!("fixtures/python_home.py")])
            .args([old.to_str().unwrap(), &model.url()])
            .status()
            .unwrap();
        assert!(made.success());
        Self { sandbox, model, old }
    }

    fn migrate(&self, flags: &[&str]) -> crate::support::Run {
        let mut args = vec!["migrate", "--from", self.old.to_str().unwrap()];
        args.extend(flags);
        self.sandbox.run(args)
    }
}

/// Every file and folder with its content and the time of its last change.
fn all_of(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let changed = entry.metadata().unwrap().modified().unwrap();
        if path.is_dir() {
            found.insert(path.clone(), (Vec::new(), changed));
            found.extend(all_of(&path));
        } else {
            found.insert(path.clone(), (std::fs::read(&path).unwrap(), changed));
        }
    }
    found
}

/// The parts of a report that come out one way, as `part: names`.
fn parts(report: &Value, fate: &str) -> Vec<String> {
    let all = report["parts"].as_array().unwrap().iter();
    all.filter(|part| part["fate"] == fate)
        .map(|part| {
            let names = part["names"].as_array().unwrap().iter();
            let names: Vec<&str> = names.map(|name| name.as_str().unwrap()).collect();
            format!("{} {}: {}", part["part"].as_str().unwrap(), part["count"], names.join(", "))
        })
        .collect()
}

#[test]
fn a_dry_run_says_everything_and_changes_nothing() {
    let moving = Moving::new();
    let before = all_of(&moving.old);
    let report = moving.migrate(&["--dry-run", "--json"]).exits(0).json();
    assert_eq!(moving.sandbox.entries(), Vec::<String>::new());
    assert_eq!(all_of(&moving.old), before);
    let comes = parts(&report, "comes");
    for part in [
        "model 1: scripted by custom",
        "sessions 2: ",
        "notes 2: ",
        "notes on you 1: ",
        "identity 1: SOUL.md",
        "skills 1: tidy",
        "jobs 2: morning, disk",
        "MCP servers 1: house",
        "plugins 1: greeter",
        "platforms 1: telegram",
        "who may talk 1: TELEGRAM_ALLOWED_USERS",
        "paired people 1: telegram 777",
        "allowed commands 1: recursive delete",
        "profile 1: work",
    ] {
        assert!(comes.iter().any(|one| one == part), "{part}: {comes:#?}");
    }
    let changed = parts(&report, "changed");
    assert_eq!(changed, ["variables 1: TELEGRAM_ALLOWED_USERS", "keys 1: OPENROUTER_API_KEY"]);
    let stays = parts(&report, "stays");
    for part in [
        "sign-ins 1: nous",
        "jobs 1: far",
        "platforms 1: wecom",
        "logs and caches 1: logs",
        "machinery 2: hermes-agent, .update_check",
    ] {
        assert!(stays.iter().any(|one| one == part), "{part}: {stays:#?}");
    }
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("its jobs run there and here"), "{warnings}");
    assert!(warnings.contains("1 lines of config.yaml name files"), "{warnings}");
    assert!(!report.to_string().contains("verysecret"), "{report}");
    moving.migrate(&["--dry-run"]).exits(0).says("comes along").says("nothing was changed");
}

#[test]
fn everything_is_there_afterwards_and_the_old_home_is_as_it_was() {
    let moving = Moving::new();
    let before = all_of(&moving.old);
    let Moving { sandbox, model, .. } = &moving;
    moving.migrate(&[]).exits(0).says("is as it was");
    assert_eq!(all_of(&moving.old), before);
    let listed = sandbox.run(["sessions", "list", "--json"]).exits(0).json();
    assert_eq!(column(&listed, "id"), ["20261118_200729_401eb7", "20261118_200725_6bc186"]);
    // A conversation goes on where it was.
    sandbox
        .run(["--resume", "20261118_200725_6bc186", "-z", "what do I like?"])
        .exits(0)
        .says("It was plum.");
    let asked = model.questions()[0].body.to_string();
    assert!(asked.contains("I keep it: plum.") && asked.contains("calm helper"), "{asked}");
    assert!(asked.contains("The house is green."), "{asked}");
    let jobs = sandbox.run(["cron", "list", "--json"]).exits(0).json();
    assert!(jobs.to_string().contains("morning") && jobs.to_string().contains("disk"), "{jobs}");
    sandbox.run(["mcp", "list"]).exits(0).says("house");
    sandbox.run(["plugins", "list"]).exits(0).says("greeter");
    sandbox.run(["plugins", "test", "greeter"]).exits(0).says("greet");
    sandbox.run(["pairing", "list"]).exits(0).says("777");
    sandbox.run(["approvals", "list"]).exits(0).says("recursive delete");
    let env = sandbox.read(".env");
    for line in
        ["TELEGRAM_ALLOWED_USERS=12345", "OPENROUTER_API_KEY=sk-or-v1-verysecret000000000000"]
    {
        assert!(env.contains(line), "{env}");
    }
    let config = sandbox.read("config.yaml");
    assert!(!config.contains("TELEGRAM") && config.contains("# a remark of the owner"), "{config}");
    for name in [".env", "auth.json", "state.db", "memories/USER.md"] {
        assert_eq!(sandbox.mode(name), 0o600, "{name}");
    }
    for name in ["scripts/disk.sh", "skills/own/tidy/scripts/run.sh"] {
        assert_eq!(sandbox.mode(name), 0o700, "{name}");
    }
    for gone in ["hermes-agent", ".update_check", "auth.lock", "memories/MEMORY.md.lock"] {
        assert!(!sandbox.path(gone).exists(), "{gone}");
    }
    sandbox.run(["-p", "work", "memory", "show"]).exits(0).says("Work only.");
    let work = sandbox.run(["-p", "work", "sessions", "list", "--json"]).exits(0).json();
    assert_eq!(work.as_array().unwrap().len(), 2);
}

#[test]
fn a_home_in_use_is_replaced_only_when_that_is_said_and_kept() {
    let moving = Moving::new();
    moving.sandbox.write("config.yaml", "timezone: UTC\n");
    moving.migrate(&[]).exits(1).notes("--force");
    assert_eq!(moving.sandbox.read("config.yaml"), "timezone: UTC\n");
    let report = moving.migrate(&["--force", "--json"]).exits(0).json();
    let kept = Path::new(report["before"].as_str().unwrap());
    assert_eq!(std::fs::read_to_string(kept.join("config.yaml")).unwrap(), "timezone: UTC\n");
    assert!(moving.sandbox.read("config.yaml").contains("scripted"));
}

/// The usual case: both programs use `~/.hermes`, and there is nothing to move.
#[test]
fn a_home_of_both_programs_is_looked_at_where_it_is() {
    let moving = Moving::new();
    let sandbox = Sandbox::new().var("HERMES_HOME", moving.old.to_str().unwrap());
    let before = all_of(&moving.old);
    let report = sandbox.run(["migrate", "--json"]).exits(0).json();
    assert_eq!((&report["in_place"], &report["files"].is_u64()), (&json!(true), &true));
    assert!(parts(&report, "stays").iter().any(|part| part.contains("TELEGRAM_ALLOWED_USERS")));
    let names = |all: BTreeMap<PathBuf, _>| all.into_keys().collect::<Vec<_>>();
    assert_eq!(names(all_of(&moving.old)), names(before));
    sandbox.run(["migrate"]).exits(0).says("home of both programs");
}

#[test]
fn what_is_no_home_or_lies_within_another_is_refused() {
    let sandbox = Sandbox::with_config("timezone: UTC\n");
    let empty = sandbox.scratch("user");
    sandbox.run(["migrate", "--from", empty.to_str().unwrap()]).exits(1).notes("is no home");
    sandbox.run(["migrate", "--from", "/nowhere/at/all"]).exits(1).notes("there is no folder");
    let inner = sandbox.path("profiles/x");
    std::fs::create_dir_all(&inner).unwrap();
    crate::support::write(&inner.join("config.yaml"), b"timezone: UTC\n");
    sandbox.run(["migrate", "--from", inner.to_str().unwrap()]).exits(1).notes("within each other");
}

//! State folders as a whole: profiles, backups, how things stand.

use hermes_testkit::{ModelServer, Step};
use serde_json::{Value, json};

use crate::support::{Sandbox, column, std_command, write};

/// A sandbox whose agent has said something.
fn used() -> (Sandbox, ModelServer) {
    let model = ModelServer::start(["One.", "Two.", "Three."].map(Step::text));
    let sandbox = Sandbox::with_config(&format!(
        "model:\n  provider: custom\n  base_url: {}\n  default: scripted\n  context_length: 200000\n\
         auxiliary: {{ title_generation: {{ enabled: false }} }}\n",
        model.url()
    ));
    sandbox.write(".env", "OPENAI_API_KEY=sk-verysecretverysecret0123456789\n");
    sandbox.run(["-z", "remember plum"]).exits(0);
    (sandbox, model)
}

fn names(sandbox: &Sandbox) -> Vec<String> {
    let list = sandbox.run(["profile", "list", "--json"]).exits(0).json();
    column(&list, "name").into_iter().map(str::to_owned).collect()
}

#[test]
fn a_profile_lives_from_its_making_to_the_trash() {
    let sandbox = Sandbox::with_config("timezone: UTC\n");
    sandbox
        .run(["profile", "create", "Work", "--description", "for the office", "--no-alias"])
        .exits(0)
        .says("work");
    assert_eq!(names(&sandbox), ["default", "work"]);
    assert!(sandbox.path("profiles/work/memories").is_dir());
    assert_eq!(sandbox.mode("profiles/work"), 0o700);
    sandbox.run(["profile", "show", "work"]).exits(0).says("for the office");
    sandbox.run(["profile", "create", "work", "--no-alias"]).exits(1).notes("already");
    for bad in ["default", "../up", "a b", "sudo"] {
        sandbox.run(["profile", "create", bad, "--no-alias"]).exits(1).notes("cannot be the name");
    }
    sandbox.run(["profile", "rename", "work", "office"]).exits(0);
    assert_eq!(names(&sandbox), ["default", "office"]);
    sandbox.run(["profile", "delete", "office"]).exits(2).notes("--yes");
    sandbox.run(["profile", "delete", "office", "--yes"]).exits(0).says("trash");
    assert_eq!(names(&sandbox), ["default"]);
    assert_eq!(std::fs::read_dir(sandbox.path("trash")).unwrap().count(), 1);
    sandbox.run(["profile", "show", "office"]).exits(2).notes("no profile");
}

/// Where nothing else names a home, the chosen profile is it.
#[test]
fn the_chosen_profile_is_used_where_none_is_named() {
    let sandbox = Sandbox::new();
    let home = sandbox.scratch("user/.hermes");
    let run = |args: &[&str]| {
        let mut command = sandbox.command();
        let output = command.env_remove("HERMES_HOME").args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let path = || run(&["config", "path"]).trim().to_owned();
    run(&["profile", "create", "work", "--no-alias"]);
    assert_eq!(path(), home.join("config.yaml").to_str().unwrap());
    run(&["profile", "use", "work"]);
    assert_eq!(path(), home.join("profiles/work/config.yaml").to_str().unwrap());
    assert_eq!(
        run(&["-p", "default", "config", "path"]).trim(),
        home.join("config.yaml").to_str().unwrap()
    );
    let status: Value = serde_json::from_str(&run(&["status", "--json"])).unwrap();
    assert_eq!((&status["profile"], &status["active_profile"]), (&json!("work"), &json!("work")));
    run(&["profile", "use", "default"]);
    assert_eq!(path(), home.join("config.yaml").to_str().unwrap());
    // The variable wins over the choice.
    run(&["profile", "use", "work"]);
    let named = sandbox.run(["config", "path"]).exits(0);
    assert_eq!(named.out.trim(), sandbox.path("config.yaml").to_str().unwrap());
}

#[test]
fn a_clone_has_settings_keys_and_skills_and_notes_only_when_asked() {
    let (sandbox, _model) = used();
    for (name, text) in [
        ("memories/MEMORY.md", "likes plums"),
        ("skills/own/tidy/SKILL.md", "---\nname: tidy\n---\n"),
    ] {
        std::fs::create_dir_all(sandbox.path(name).parent().unwrap()).unwrap();
        write(&sandbox.path(name), text.as_bytes());
    }
    sandbox.run(["profile", "create", "plain", "--clone", "--no-alias"]).exits(0);
    let has = |name: &str| sandbox.path(&format!("profiles/{name}")).exists();
    assert!(has("plain/config.yaml") && has("plain/.env") && has("plain/skills/own/tidy/SKILL.md"));
    assert_eq!(sandbox.mode("profiles/plain/.env"), 0o600);
    assert!(!has("plain/memories/MEMORY.md") && !has("plain/state.db"));
    sandbox
        .run(["profile", "create", "full", "--clone", "--with-memory", "--no-skills", "--no-alias"])
        .exits(0);
    assert!(has("full/memories/MEMORY.md") && !has("full/skills/own"));
    // Each is a home of its own: what one remembers the other does not know.
    let sessions = sandbox.run(["-p", "plain", "sessions", "list", "--json"]).exits(0).json();
    assert_eq!(sessions, json!([]));
}

#[test]
fn an_alias_is_never_put_over_somebody_elses_file() {
    let sandbox = Sandbox::with_config("");
    sandbox.run(["profile", "create", "work"]).exits(0).says(".local/bin/work");
    let alias = sandbox.scratch("user/.local/bin/work");
    assert!(std::fs::read_to_string(&alias).unwrap().contains("hermes -p work"));
    write(&sandbox.scratch("user/.local/bin/mine"), b"#!/bin/sh\necho mine\n");
    sandbox.run(["profile", "create", "mine"]).exits(0).notes("somebody else's");
    assert!(
        std::fs::read_to_string(sandbox.scratch("user/.local/bin/mine"))
            .unwrap()
            .contains("echo mine")
    );
    sandbox.run(["profile", "create", "doctor"]).exits(0).notes("a command of hermes");
    sandbox.run(["profile", "delete", "work", "--yes"]).exits(0);
    assert!(!alias.exists());
}

#[test]
fn an_export_carries_know_how_and_no_secret() {
    let (sandbox, _model) = used();
    std::fs::create_dir_all(sandbox.path("skills/tidy")).unwrap();
    write(&sandbox.path("skills/tidy/SKILL.md"), b"---\nname: tidy\n---\n");
    let file = sandbox.scratch("me.tar.gz");
    let file = file.to_str().unwrap();
    sandbox.run(["profile", "export", "default", "-o", file]).exits(0);
    let elsewhere = Sandbox::with_config("");
    elsewhere.run(["profile", "import", file, "--name", "moved"]).exits(0);
    assert!(elsewhere.path("profiles/moved/skills/tidy/SKILL.md").exists());
    for gone in [".env", "state.db"] {
        assert!(!elsewhere.path(&format!("profiles/moved/{gone}")).exists(), "{gone}");
    }
    elsewhere.run(["profile", "import", file, "--name", "moved"]).exits(1).notes("already");
}

/// With its history a profile is the same elsewhere, but for where it is and its keys.
#[test]
fn a_profile_that_is_carried_with_its_history_is_the_same_elsewhere() {
    let (sandbox, _model) = used();
    sandbox.run(["cron", "create", "0 9 * * *", "say hello"]).exits(0);
    let file = sandbox.scratch("whole.tar.gz");
    let file = file.to_str().unwrap();
    sandbox.run(["profile", "export", "default", "--with-history", "-o", file]).exits(0);
    let elsewhere = Sandbox::new();
    elsewhere.run(["profile", "import", file, "--name", "moved"]).exits(0);
    let told = |sandbox: &Sandbox, args: &[&str]| sandbox.run(args.iter().copied()).exits(0).json();
    let here = told(&sandbox, &["sessions", "list", "--json"]);
    assert_eq!(here.as_array().unwrap().len(), 1);
    assert_eq!(told(&elsewhere, &["-p", "moved", "sessions", "list", "--json"]), here);
    let (mut one, mut other) = (
        told(&sandbox, &["status", "--json"]),
        told(&elsewhere, &["-p", "moved", "status", "--json"]),
    );
    for own in ["home", "profile", "disk"] {
        (one[own], other[own]) = (Value::Null, Value::Null);
    }
    assert_eq!(one, other);
    assert!(!elsewhere.path("profiles/moved/.env").exists());
}

#[test]
fn a_backup_brings_everything_back_on_an_empty_home() {
    let (sandbox, _model) = used();
    let file = sandbox.scratch("copy.zip");
    let file = file.to_str().unwrap();
    sandbox.run(["backup", "-o", file]).exits(0).notes("not in it");
    let before = sandbox.run(["sessions", "list", "--json"]).exits(0).json();
    let fresh = Sandbox::new();
    fresh.run(["import", file, "--dry-run"]).exits(0).says("nothing was changed");
    assert_eq!(fresh.entries(), Vec::<String>::new());
    fresh.run(["import", file]).exits(0).says("are back");
    assert_eq!(fresh.run(["sessions", "list", "--json"]).exits(0).json(), before);
    assert!(!fresh.path(".env").exists());
    assert_eq!(fresh.mode("state.db"), 0o600);
    // A home in use is replaced only when that is said, keeps its keys, and can be had back.
    fresh.write(".env", "KEPT=yes\n");
    fresh.run(["import", file]).exits(1).notes("--force");
    fresh.run(["import", file, "--force"]).exits(0).says("state-snapshots");
    assert_eq!(fresh.read(".env"), "KEPT=yes\n");
    let kept =
        std::fs::read_dir(fresh.path("state-snapshots")).unwrap().next().unwrap().unwrap().path();
    assert!(kept.join("config.yaml").exists());
}

/// Archives that would write elsewhere, or are not what they say, change nothing.
#[test]
fn evil_and_damaged_backups_are_refused() {
    let sandbox = Sandbox::with_config("timezone: UTC\n");
    let make = |name: &str, code: &str| {
        let file = sandbox.scratch(name);
        let script = format!(
            "import zipfile, sys\nwith zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as z:\n    z.writestr('config.yaml', 'a: 1')\n    {code}\n"
        );
        let made =
            std_command("python3").args(["-c", &script, file.to_str().unwrap()]).status().unwrap();
        assert!(made.success());
        file.to_str().unwrap().to_owned()
    };
    let link =
        "i = zipfile.ZipInfo('skills'); i.external_attr = 0o120777 << 16; z.writestr(i, '/etc')";
    let sums = r#"z.writestr('hermes-backup.json', '{"format":1,"version":"x","created_at":"x","label":null,"files":[{"path":"config.yaml","size":4,"sha256":"00"}]}')"#;
    for (name, code, why) in [
        ("up.zip", "z.writestr('../evil.txt', 'x')", "leave the folder"),
        ("absolute.zip", "z.writestr('/tmp/hermes-evil.txt', 'x')", "leave the folder"),
        ("link.zip", link, "a link"),
        ("damaged.zip", sums, "damaged"),
    ] {
        let file = make(name, code);
        sandbox.run(["import", &file, "--force"]).exits(1).notes(why);
        assert_eq!(sandbox.read("config.yaml"), "timezone: UTC\n", "{name}");
    }
    assert!(!sandbox.scratch("evil.txt").exists());
    let leftovers = std::fs::read_dir(sandbox.scratch(""))
        .unwrap()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().contains(".new-"))
        .count();
    assert_eq!(leftovers, 0);
}

#[test]
fn status_and_report_say_how_things_stand_and_hide_secrets() {
    let (sandbox, _model) = used();
    let status = sandbox.run(["status", "--json"]).exits(0).json();
    assert_eq!(status["model"]["name"], "scripted");
    assert_eq!(status["gateway"]["running"], false);
    assert_eq!(status["sessions"]["total"], 1);
    assert_eq!(status["home"], sandbox.home().to_str().unwrap());
    sandbox.run(["status"]).exits(0).says("scripted by custom").says("stopped");
    let report = sandbox.run(["dump"]).exits(0).says("## Doctor").says("OPENAI_API_KEY");
    assert!(!report.out.contains("verysecret"), "{report:#?}");
}

/// Two profiles at the same time: each asks its own model with its own key and notes, runs its own job, and the file tools of
/// one leave the home of the other alone.
#[test]
fn two_profiles_at_once_have_nothing_of_each_other() {
    let sandbox = Sandbox::with_config("timezone: UTC\n");
    let other = |name: &str| if name == "one" { "two" } else { "one" };
    let models = ["one", "two"].map(|name| {
        let secret = sandbox.path(&format!("profiles/{}/.env", other(name)));
        let read = Step::call("read_file", json!({"path": secret}));
        let command =
            json!({"command": "echo var=$NOTE_TO_CHILD key=$OPENAI_API_KEY home=$HERMES_HOME"});
        let run = Step::call("terminal", command);
        (name, ModelServer::start([read, run, Step::text("done")]))
    });
    for (name, model) in &models {
        sandbox.run(["profile", "create", name, "--no-alias"]).exits(0);
        sandbox.write(
            &format!("profiles/{name}/config.yaml"),
            &format!(
                "model: {{ provider: custom, base_url: '{}', default: scripted, context_length: 200000, api_key: '${{OPENAI_API_KEY}}' }}\n\
                 auxiliary: {{ title_generation: {{ enabled: false }} }}\napprovals: {{ mode: off }}\n",
                model.url()
            ),
        );
        sandbox.write(
            &format!("profiles/{name}/.env"),
            &format!(
                "OPENAI_API_KEY=sk-{name}-secretsecretsecret0123456789\nNOTE_TO_CHILD=of-{name}\n"
            ),
        );
        sandbox.write(&format!("profiles/{name}/memories/MEMORY.md"), &format!("This is {name}."));
        let schedule = ["-p", name, "cron", "create", "0 9 * * *", "say hello", "--name"];
        sandbox.run(schedule.into_iter().chain([&*format!("job-{name}")])).exits(0);
    }
    std::thread::scope(|scope| {
        for (name, _) in &models {
            let sandbox = &sandbox;
            scope.spawn(move || sandbox.run(["-p", name, "-z", "look around"]).exits(0));
        }
    });
    for (name, model) in &models {
        let foreign = other(name);
        let seen: String = model.questions().iter().map(|one| one.body.to_string()).collect();
        assert!(seen.contains(&format!("This is {name}.")), "{name}");
        for crossed in [
            format!("This is {foreign}"),
            format!("of-{foreign}"),
            format!("sk-{foreign}"),
            format!("sk-{name}"),
            format!("job-{foreign}"),
        ] {
            assert!(!seen.contains(&crossed), "{name} knows {crossed}: {seen}");
        }
        assert!(
            seen.contains(&format!("home={}", sandbox.path(&format!("profiles/{name}")).display())),
            "{seen}"
        );
        let sessions = sandbox.run(["-p", name, "sessions", "list", "--json"]).exits(0).json();
        assert_eq!(sessions.as_array().unwrap().len(), 1);
        let jobs = sandbox.run(["-p", name, "cron", "list", "--json"]).exits(0).json().to_string();
        assert!(jobs.contains(&format!("job-{name}")) && !jobs.contains(foreign), "{jobs}");
    }
    assert!(!sandbox.path("state.db").exists());
}

/// A backup that lay in the home it was made of was packed into itself, until the disk was full.
#[test]
fn a_backup_with_profiles_may_lie_in_its_own_home() {
    let (sandbox, _model) = used();
    sandbox.run(["profile", "create", "work", "--no-alias"]).exits(0);
    sandbox.write("profiles/work/config.yaml", "timezone: UTC\n");
    std::fs::create_dir_all(sandbox.path("skills/tidy")).unwrap();
    write(&sandbox.path("skills/tidy/run.sh"), b"#!/bin/sh\n");
    sandbox.set_mode("skills/tidy/run.sh", 0o755);
    // Called like one, and no database.
    write(&sandbox.path("profiles/work/workspace/thumbs.db"), b"not a database");
    let file = sandbox.path("copy.zip");
    let file = file.to_str().unwrap();
    let made = sandbox.run(["backup", "--json", "-o", file]).exits(0).json();
    assert_eq!(made["profiles"], json!(["work"]));
    let again = sandbox.run(["backup", "--json", "-o", file]).exits(0).json();
    assert_eq!(again["files"], made["files"], "an older copy of the same name is no part of it");
    let fresh = Sandbox::new();
    fresh.run(["import", file]).exits(0);
    assert_eq!(names(&fresh), ["default", "work"]);
    assert_eq!(fresh.read("profiles/work/workspace/thumbs.db"), "not a database");
    assert_eq!(fresh.mode("skills/tidy/run.sh"), 0o700);
    let sessions = fresh.run(["sessions", "list", "--json"]).exits(0).json();
    assert_eq!(sessions.as_array().unwrap().len(), 1);
}

/// Two within a second: the second found the name of its snapshot taken.
#[test]
fn profiles_keep_what_no_backup_holds_however_often_one_comes_back() {
    let sandbox = Sandbox::with_config("timezone: UTC\n");
    for name in ["work", "later"] {
        if name == "later" {
            sandbox.run(["backup", "-o", sandbox.scratch("copy.zip").to_str().unwrap()]).exits(0);
        }
        sandbox.run(["profile", "create", name, "--no-alias"]).exits(0);
        sandbox.write(&format!("profiles/{name}/.env"), &format!("KEY_OF={name}\n"));
    }
    std::fs::create_dir_all(sandbox.path("profiles/work/models")).unwrap();
    write(&sandbox.path("profiles/work/models/m.gguf"), b"large");
    let file = sandbox.scratch("copy.zip");
    for _ in 0..3 {
        sandbox.run(["import", file.to_str().unwrap(), "--force"]).exits(0).says("are back");
        for name in ["work", "later"] {
            assert_eq!(sandbox.read(&format!("profiles/{name}/.env")), format!("KEY_OF={name}\n"));
        }
        assert_eq!(sandbox.read("profiles/work/models/m.gguf"), "large");
    }
    assert_eq!(std::fs::read_dir(sandbox.path("state-snapshots")).unwrap().count(), 3);
}

/// Killed between the exchange of the two homes and what follows: the next command finishes it.
#[test]
fn an_import_that_was_killed_is_finished_by_the_next_command() {
    let sandbox = Sandbox::with_config("timezone: UTC\n");
    let home = sandbox.home();
    let name = home.file_name().unwrap().to_str().unwrap().to_owned();
    let old = format!(".{name}.new-1-0");
    let beside = home.with_file_name(&old);
    // As it is at that moment: the new home in its place, the old one beside it.
    std::fs::rename(&home, &beside).unwrap();
    std::fs::create_dir(&home).unwrap();
    std::fs::create_dir_all(beside.join("profiles/work")).unwrap();
    write(&beside.join("profiles/work/.env"), b"KEPT=yes\n");
    let note = json!({"snapshot": "before-import-20260101-000000", "old": old});
    sandbox.write(".hermes-swap.json", &note.to_string());
    sandbox.write("config.yaml", "timezone: Europe/Paris\n");
    sandbox.run(["config", "get", "timezone"]).exits(0).says("Paris");
    assert_eq!(sandbox.read("profiles/work/.env"), "KEPT=yes\n");
    let kept = "state-snapshots/before-import-20260101-000000/config.yaml";
    assert_eq!(sandbox.read(kept), "timezone: UTC\n");
    assert!(!beside.exists() && !sandbox.path(".hermes-swap.json").exists());
}

#[test]
fn without_a_name_the_profile_that_is_worked_in_is_meant() {
    let sandbox = Sandbox::with_config("timezone: UTC\n");
    sandbox.run(["profile", "create", "work", "--no-alias"]).exits(0);
    sandbox.write("profiles/work/SOUL.md", "a clerk");
    sandbox.run(["-p", "work", "profile", "show"]).exits(0).says("profiles/work");
    sandbox.run(["-p", "work", "profile", "create", "copy", "--clone", "--no-alias"]).exits(0);
    assert_eq!(sandbox.read("profiles/copy/SOUL.md"), "a clerk");
}

/// `hermes -p wrok …` worked in a home of its own, without the keys and the history of the one that was meant.
#[test]
fn a_profile_that_is_not_there_is_not_worked_in() {
    let sandbox = Sandbox::with_config("timezone: UTC\n");
    for words in [&["status"][..], &["-z", "hello"], &["sessions", "list"], &["gateway", "run"]] {
        let words = ["-p", "wrok"].iter().chain(words);
        sandbox.run(words).exits(2).notes("no profile `wrok`");
    }
    assert!(!sandbox.path("profiles").exists());
}

/// Whatever was called as the new file was replaced, a device too.
#[test]
fn an_archive_takes_the_place_of_nothing_but_a_file() {
    let sandbox = Sandbox::with_config("timezone: UTC\n");
    let link = sandbox.scratch("link.zip");
    std::os::unix::fs::symlink(sandbox.path("config.yaml"), &link).unwrap();
    let link = link.to_str().unwrap();
    let missing = sandbox.scratch("nowhere/copy.zip");
    for make in [&["backup"][..], &["profile", "export", "default"]] {
        let to = |file: &str| {
            let words = make.iter().copied().chain(["-o", file]);
            sandbox.run(words).exits(1)
        };
        to(link).notes("no file");
        to(missing.to_str().unwrap()).notes("no folder");
    }
    assert_eq!(sandbox.read("config.yaml"), "timezone: UTC\n");
    assert!(!sandbox.scratch("nowhere").exists());
}

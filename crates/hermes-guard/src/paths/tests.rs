use super::*;

fn rules() -> PathRules {
    PathRules {
        user_home: Some("/home/ada".into()),
        agent_homes: vec!["/home/ada/.hermes/profiles/travel".into(), "/home/ada/.hermes".into()],
        program_folders: vec!["/home/ada/tools".into()],
        hook_folders: vec!["/home/ada/project/.husky".into()],
        ..PathRules::default()
    }
}

fn faces(path: &str) -> PathFaces<'_> {
    PathFaces { literal: Path::new(path), hops: &[], canonical: Path::new(path) }
}

fn may_write(path: &str) -> bool {
    rules().check_write(&faces(path)).is_ok()
}

fn may_read(path: &str) -> bool {
    rules().check_read(&faces(path)).is_ok()
}

#[test]
fn system_and_credential_files_are_not_written() {
    for path in [
        "/etc/hosts",
        "/etc/sudoers.d/x",
        "/boot/grub.cfg",
        "/usr/lib/systemd/system/a.service",
        "/private/etc/hosts",
        "/var/run/docker.sock",
        "/run/docker.sock",
        "/home/ada/.ssh/config",
        "/home/ada/.aws/credentials",
        "/home/ada/.config/gh/hosts.yml",
        "/home/ada/.netrc",
        "/home/ada/.git-credentials",
        "/home/ada/.hermes/.env",
        "/home/ada/.hermes/state.db",
        "/home/ada/.hermes/sessions/1.json",
        "/home/ada/.hermes/profiles/travel/.env",
        "/dev/zero",
    ] {
        assert!(!may_write(path), "{path}");
    }
    for path in [
        "/home/ada/project/etc/hosts",
        "/tmp/etc/x",
        "/etcetera/x",
        "/home/ada/.sshx/config",
        "/home/ada/.netrc.bak",
        "/home/ada/project/.env",
        "/usr/lib/systemd2/x",
    ] {
        assert!(may_write(path), "{path}");
    }
}

#[test]
fn secrets_are_not_read_and_examples_are() {
    for path in [
        "/home/ada/project/.env",
        "/home/ada/project/.ENV.Local",
        "/x/.envrc",
        "/home/ada/.hermes/auth.json",
        "/home/ada/.hermes/mcp-tokens/a",
        "/home/ada/.hermes/skills/.hub/index",
        "/proc/self/environ",
        "/proc/1/task/1/mem",
        "/proc/self/fd/0",
        "/dev/urandom",
        "/dev/fd/0",
    ] {
        assert!(!may_read(path), "{path}");
    }
    for path in [
        "/home/ada/project/.env.example",
        "/home/ada/.hermes/config.yaml",
        "/proc/cpuinfo",
        "/proc/self/status",
        "/home/ada/environ",
        "/etc/hosts",
        "/dev/null",
    ] {
        assert!(may_read(path), "{path}");
    }
}

#[test]
fn the_own_configuration_has_a_refusal_that_names_no_way_around_it() {
    let refusal = rules().check_write(&faces("/home/ada/.hermes/config.yaml")).unwrap_err();
    assert_eq!(refusal.rule, "own-config");
    assert!(!refusal.message.contains("config set"), "{}", refusal.message);
}

#[test]
fn file_tools_do_not_write_what_runs_later() {
    let rule = |path: &str| rules().check_write(&faces(path)).err().map(|refusal| refusal.rule);
    for path in [
        "/home/ada/.bashrc",
        "/home/ada/.zshenv",
        "/home/ada/.config/fish/conf.d/x.fish",
        "/home/ada/.config/fish/config.fish",
        "/home/ada/.tcshrc",
        "/home/ada/.xprofile",
        "/home/ada/.config/autostart/x.desktop",
        "/home/ada/.config/systemd/user/x.service",
        "/home/ada/.config/environment.d/x.conf",
        "/home/ada/Library/LaunchAgents/x.plist",
        "/var/spool/cron/crontabs/ada",
        "/usr/local/bin/ls",
        "/home/ada/.local/bin/git",
        "/home/ada/.local/lib/python3.12/site-packages/usercustomize.py",
        "/home/ada/.local/lib/python3.12/site-packages/x.pth",
        "/home/ada/.gitconfig",
        "/home/ada/.config/git/config",
        "/home/ada/tools/ls",
        "/home/ada/project/.husky/pre-commit",
        "/home/ada/project/.git",
        "/home/ada/project/.git/config",
        "/home/ada/project/.git/config.worktree",
        "/home/ada/project/.git/hooks/pre-commit",
        "/home/ada/project/.git/modules/sub/hooks/post-checkout",
        "/home/ada/project/.git/worktrees/w/config.worktree",
        "/home/ada/project/sub/.git",
        "/srv/project.git/hooks/update",
        "/srv/project.git/config",
        // What a forgiving disk takes for the same.
        "/home/ada/project/.GIT/hooks/pre-commit",
        "/home/ada/project/.git./hooks/pre-commit",
        "/home/ada/project/.git /config",
        "/home/ada/.Bashrc",
    ] {
        assert_eq!(rule(path), Some("runs-later"), "{path}");
        let refusal = rules().check_write(&faces(path)).unwrap_err();
        assert!(refusal.message.contains("in the terminal"), "{}", refusal.message);
    }
    for path in [
        "/home/ada/project/.gitignore",
        "/home/ada/project/.gitattributes",
        "/home/ada/project/.github/workflows/ci.yml",
        "/home/ada/project/.git/info/exclude",
        "/home/ada/project/.git/COMMIT_EDITMSG",
        "/home/ada/project/hooks/pre-commit",
        "/home/ada/project/config",
        "/home/ada/project/.envrc",
        "/home/ada/project/.bashrc",
        "/home/ada/project/bin/run",
        "/home/ada/tools/deeper/x",
        "/home/ada/.config/app/state.json",
        "/home/ada/.local/lib/python3.12/site-packages/mine.py",
    ] {
        assert_eq!(rule(path), None, "{path}");
    }
}

#[test]
fn of_the_agents_home_only_its_areas_are_written() {
    for home in ["/home/ada/.hermes", "/home/ada/.hermes/profiles/travel"] {
        let check = |below: &str| {
            let path = format!("{home}/{below}");
            rules().check_write(&faces(&path)).map_err(|refusal| refusal.rule)
        };
        for below in ["skills/a/SKILL.md", "memories/MEMORY.md", "workspace/x/y.py"] {
            assert_eq!(check(below), Ok(WriteConsent::NotNeeded), "{below}");
        }
        assert_eq!(check("SOUL.md"), Ok(WriteConsent::Personality));
        assert_eq!(check("soul.md"), Ok(WriteConsent::Personality));
        for below in [
            "logs/approvals.jsonl",
            "plugins/x/plugin.yaml",
            "cron/jobs.json",
            "shell-hooks-allowlist.json",
            "processes.json",
            "state.db-wal",
            "skills/.hub/lock.json",
            "Skills/../logs/x",
            "auth.json",
            "anything/new",
            "x",
        ] {
            let normal = if below.contains("..") { "logs/x" } else { below };
            assert_eq!(check(normal), Err("own-state"), "{below}");
        }
        assert_eq!(check("Config.YAML"), Err("own-config"));
    }
}

#[test]
fn a_user_who_lives_within_the_agents_home_has_files_of_their_own() {
    let rules = PathRules {
        user_home: Some("/data/home".into()),
        agent_homes: vec!["/data".into()],
        ..PathRules::default()
    };
    assert!(rules.check_write(&faces("/data/home/project/a.py")).is_ok());
    assert!(rules.check_write(&faces("/data/home/.bashrc")).is_err());
    assert!(rules.check_write(&faces("/data/logs/approvals.jsonl")).is_err());
}

#[test]
fn file_tools_obey_the_sandbox_of_commands() {
    let read_only = PathRules { sandbox: Some(Vec::new()), ..rules() };
    assert_eq!(read_only.check_write(&faces("/srv/x")).unwrap_err().rule, "sandbox");
    let workspace = PathRules { sandbox: Some(vec!["/srv/site".into()]), ..rules() };
    assert!(workspace.check_write(&faces("/srv/site/x")).is_ok());
    assert_eq!(workspace.check_write(&faces("/srv/other/x")).unwrap_err().rule, "sandbox");
}

#[test]
fn every_face_of_a_path_is_checked() {
    let hops = [PathBuf::from("/home/ada/.ssh/id"), PathBuf::from("/tmp/x")];
    let path =
        PathFaces { literal: Path::new("/tmp/link"), hops: &hops, canonical: Path::new("/tmp/x") };
    assert!(rules().check_write(&path).is_err(), "a link on the way led there");
    let path = PathFaces {
        literal: Path::new("/tmp/link"),
        hops: &[],
        canonical: Path::new("/home/ada/p/.env"),
    };
    assert!(rules().check_read(&path).is_err(), "it leads there in the end");
}

#[test]
fn a_safe_root_bounds_all_writes() {
    let rules = PathRules { safe_roots: vec!["/srv/site".into()], ..rules() };
    assert!(rules.check_write(&faces("/srv/site/a")).is_ok());
    assert_eq!(rules.check_write(&faces("/srv/sitemap/a")).unwrap_err().rule, "safe-root");
}

#[test]
fn the_state_of_another_profile_is_noticed() {
    let foreign = |path: &str| rules().check_profile(&faces(path)).is_err();
    assert!(foreign("/home/ada/.hermes/skills/x"), "the default profile's");
    assert!(foreign("/home/ada/.hermes/profiles/play/cron/jobs"));
    assert!(foreign("/home/ada/.hermes/sandboxes/docker/t1/home/.hermes/memories/a"));
    assert!(!foreign("/home/ada/.hermes/profiles/travel/skills/x"), "our own");
    assert!(!foreign("/home/ada/project/skills/x"));
}

#[test]
fn the_keys_of_every_profile_are_left_alone() {
    let may_read = |path: &str| rules().check_read(&faces(path)).is_ok();
    for home in ["", "/profiles/travel", "/profiles/work"] {
        assert!(!may_read(&format!("/home/ada/.hermes{home}/auth.json")), "{home}");
        assert!(!may_write(&format!("/home/ada/.hermes{home}/state.db")), "{home}");
        assert!(!may_write(&format!("/home/ada/.hermes{home}/config.yaml")), "{home}");
    }
    assert!(may_read("/home/ada/.hermes/profiles/work/SOUL.md"));
}

#[test]
fn settings_that_name_commands_are_written_by_no_file_tool() {
    for path in [
        "/home/ada/.vimrc",
        "/home/ada/.VIMRC",
        "/home/ada/.gdbinit",
        "/home/ada/.config/nvim/init.lua",
        "/home/ada/.config/pip/pip.conf",
        "/home/ada/.tmux.conf",
        "/home/ada/.psqlrc",
        "/home/ada/.tigrc",
        "/home/ada/.cargo/config.toml",
        "/home/ada/.gradle/init.d/x.gradle",
        "/home/ada/.claude/settings.json",
        "/home/bob/.profile",
        "/Users/bob/.zshrc",
        "/home/ada/project/.venv/bin/python",
        "/home/ada/project/node_modules/.bin/eslint",
        "/dev/sda",
        "/dev/new",
        "/proc/sys/kernel/panic",
        "/sys/power/state",
    ] {
        assert!(!may_write(path), "{path}");
    }
    for path in [
        "/home/ada/project/.vimrc",
        "/home/ada/.config/app/data.json",
        "/home/ada/notes.txt",
        "/home/projects/bin/tool",
        "/home/ada/project/.eslintrc",
        "/home/ada/project/venv/lib/x.py",
        "/dev/shm/x",
    ] {
        assert!(may_write(path), "{path}");
    }
}

#[test]
fn the_home_of_root_is_a_home_by_its_place() {
    let at_root = |below: &str| may_write(&format!("{}/{below}", "/root"));
    assert!(!at_root(".bashrc") && !at_root(".config/autostart/x.desktop"));
    assert!(at_root("project/main.rs"));
}

use super::*;

fn rules() -> PathRules {
    PathRules {
        user_home: Some("/home/ada".into()),
        agent_homes: vec!["/home/ada/.hermes/profiles/travel".into(), "/home/ada/.hermes".into()],
        safe_roots: Vec::new(),
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
fn the_own_configuration_has_its_own_advice() {
    let refusal = rules().check_write(&faces("/home/ada/.hermes/config.yaml")).unwrap_err();
    assert!(refusal.message.contains("hermes config set"), "{}", refusal.message);
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

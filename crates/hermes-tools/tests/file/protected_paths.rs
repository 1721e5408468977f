//! Which paths are left alone, through every way of naming them.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::{Bench, patch_of, shown};

/// Every way to change one path.
fn changes(path: &str) -> [(&'static str, Value); 6] {
    [
        ("write_file", json!({"path": path, "content": "x"})),
        ("patch", json!({"path": path, "old_string": "a", "new_string": "b"})),
        ("patch", patch_of(&format!("*** Add File: {path}\n+x\n"))),
        ("patch", patch_of(&format!("*** Delete File: {path}\n"))),
        ("patch", patch_of(&format!("*** Move File: {path} -> moved\n"))),
        ("patch", patch_of(&format!("*** Move File: here -> {path}\n"))),
    ]
}

#[test]
fn system_and_credential_files_are_not_changed_in_any_way() {
    let bench = Bench::new();
    bench.put("here", "a\n");
    for path in [
        "/etc/hosts",
        "/etc/sudoers",
        "/etc/sudoers.d/x",
        "/etc/passwd",
        "/etc/shadow",
        "/etc/systemd/system/x",
        "/boot/x",
        "/usr/lib/systemd/x",
        "/private/etc/hosts",
        "/private/var/x",
        "/var/run/docker.sock",
        "/run/docker.sock",
        "~/.ssh/config",
        "~/.aws/credentials",
        "~/.gnupg/x",
        "~/.kube/config",
        "~/.docker/config.json",
        "~/.azure/x",
        "~/.config/gh/hosts.yml",
        "~/.config/gcloud/x",
        "~/.netrc",
        "~/.pgpass",
        "~/.npmrc",
        "~/.pypirc",
        "~/.git-credentials",
        "~/.hermes/config.yaml",
        "~/.hermes/.env",
        "~/.hermes/.anthropic_oauth.json",
        "~/.hermes/state.db",
        "~/.hermes/sessions/x",
        "~/.hermes/mcp-tokens/x",
        "~/.hermes/pairing/x",
    ] {
        for (tool, args) in changes(path) {
            let answer = bench.run(tool, args.clone());
            let error = answer["error"].as_str().unwrap_or_default();
            assert!(error.contains("denied"), "{tool} {args}: {answer}");
            assert!(answer["rule"].is_string(), "{answer}");
        }
    }
    assert_eq!(bench.content("here"), b"a\n");
    assert!(!bench.path("../home").exists(), "nothing was made");
}

#[test]
fn the_own_configuration_is_refused_without_a_way_around() {
    let bench = Bench::new();
    let answer = bench.run("write_file", json!({"path": "~/.hermes/config.yaml", "content": "x"}));
    assert_eq!(answer["rule"], "own-config");
    assert!(!answer["error"].as_str().unwrap().contains("config set"), "{answer}");
}

#[test]
fn secrets_are_neither_read_nor_searched() {
    let bench = Bench::new();
    for path in [
        "~/.hermes/skills/.hub/x",
        "~/.hermes/auth.json",
        "~/.hermes/auth.lock",
        "~/.hermes/.anthropic_oauth.json",
        "~/.hermes/.env",
        "~/.hermes/webhook_subscriptions.json",
        "~/.hermes/auth/google_oauth.json",
        "~/.hermes/cache/bws_cache.json",
        "~/.hermes/mcp-tokens/x",
        ".env",
        ".env.local",
        ".env.development",
        ".env.production",
        ".env.test",
        ".env.staging",
        ".envrc",
        "sub/.ENV.Local",
    ] {
        bench.put(&path.replace("~/", "../home/"), "KEY=1\n");
        for (tool, args) in [
            ("read_file", json!({"path": path})),
            ("search_files", json!({"pattern": "KEY", "path": path})),
        ] {
            let answer = bench.run(tool, args);
            assert!(answer["error"].as_str().unwrap_or_default().contains("denied"), "{answer}");
            assert_eq!(answer["rule"], "credentials", "{path}");
        }
    }
    bench.put(".env.example", "KEY=\n");
    assert_eq!(bench.run("read_file", json!({"path": ".env.example"}))["content"], "1|KEY=");
}

#[test]
fn the_inside_of_processes_and_endless_devices_is_not_read_by_any_name() {
    let bench = Bench::new();
    bench.put("beside", "");
    symlink("/proc/self", bench.path("me")).unwrap();
    symlink("me/environ", bench.path("innocent")).unwrap();
    symlink("/dev", bench.path("devices")).unwrap();
    for path in [
        "/proc/self/environ",
        "/proc/self/cmdline",
        "/proc/self/maps",
        "/proc/self/smaps",
        "/proc/self/smaps_rollup",
        "/proc/self/numa_maps",
        "/proc/self/mem",
        "/proc/self/auxv",
        "/proc/self/pagemap",
        "/proc/self/fd/0",
        "/proc/self/task/../fd/1",
        "me/environ",
        "me/fd/0",
        "innocent",
        "/dev/zero",
        "/dev/random",
        "/dev/urandom",
        "/dev/full",
        "/dev/stdin",
        "/dev/stdout",
        "/dev/stderr",
        "/dev/tty",
        "/dev/console",
        "/dev/fd/0",
        "devices/zero",
    ] {
        let error = bench.error("read_file", json!({"path": path}));
        assert!(error.contains("denied"), "{path}: {error}");
    }
}

#[test]
fn links_lead_nobody_past_a_rule() {
    let bench = Bench::new();
    let home = bench.path("../home");
    std::fs::create_dir_all(home.join(".ssh")).unwrap();
    bench.put("../home/.ssh/id", "key\n");
    symlink(home.join(".ssh"), bench.path("keys")).unwrap();
    symlink("keys/id", bench.path("again")).unwrap();
    for path in ["keys/id", "keys/new", "again"] {
        let error = bench.error("write_file", json!({"path": path, "content": "x"}));
        assert!(error.contains("denied"), "{path}: {error}");
    }
    assert_eq!(std::fs::read(home.join(".ssh/id")).unwrap(), b"key\n");
    // And the other way: a protected name that is itself a link elsewhere.
    bench.put("elsewhere/x", "a\n");
    symlink(bench.path("elsewhere"), home.join(".aws")).unwrap();
    let error = bench.error("write_file", json!({"path": "~/.aws/x", "content": "x"}));
    assert!(error.contains("denied"), "{error}");
}

#[test]
fn a_home_behind_a_link_is_protected_by_both_names() {
    let outside = tempfile::tempdir().unwrap();
    let real = outside.path().canonicalize().unwrap().join("real");
    std::fs::create_dir_all(real.join(".hermes")).unwrap();
    let link = outside.path().join("link");
    symlink(&real, &link).unwrap();
    let bench = Bench::with_vars(&[("HOME", &shown(&link))]);
    for home in [&real, &link] {
        for name in [".ssh/id", ".netrc", ".hermes/state.db"] {
            let path = shown(&home.join(name));
            let error = bench.error("write_file", json!({"path": path, "content": "x"}));
            assert!(error.contains("denied"), "{path}: {error}");
        }
    }
}

#[test]
fn a_safe_root_may_be_a_link_and_several_may_be_named() {
    let outside = tempfile::tempdir().unwrap();
    let base = outside.path().canonicalize().unwrap();
    for name in ["one", "two", "three"] {
        std::fs::create_dir(base.join(name)).unwrap();
    }
    symlink(base.join("two"), base.join("link")).unwrap();
    let roots = format!("{}:{}", shown(&base.join("one")), shown(&base.join("link")));
    let bench = Bench::with_vars(&[("HERMES_WRITE_SAFE_ROOT", &roots)]);
    for (name, is_allowed) in
        [("one/a", true), ("two/a", true), ("link/b", true), ("three/a", false), ("onemore", false)]
    {
        let path = shown(&base.join(name));
        let answer = bench.run("write_file", json!({"path": path, "content": "x"}));
        assert_eq!(answer["error"].is_null(), is_allowed, "{name}: {answer}");
    }
}

#[test]
fn the_state_of_another_profile_is_changed_only_on_purpose() {
    let bench = Bench::new();
    let root = bench.folder.path().canonicalize().unwrap().join("root");
    let own = root.join("profiles/work");
    std::fs::create_dir_all(&own).unwrap();
    let bench = Bench::with_vars(&[("HERMES_HOME", &shown(&own))]);
    for path in
        [root.join("skills/x"), root.join("memories/x"), root.join("profiles/play/skills/x")]
    {
        let path = shown(&path);
        let refused = bench.run("write_file", json!({"path": path, "content": "x"}));
        assert_eq!(refused["rule"], "profile", "{refused}");
        let meant = json!({"path": path, "content": "x", "cross_profile": "true"});
        assert_eq!(bench.run("write_file", meant)["bytes_written"], 1, "{path}");
        let text = format!("*** Update File: {path}\n-x\n+y\n");
        assert_eq!(bench.run("patch", patch_of(&text))["rule"], "profile");
        let mut meant = patch_of(&text);
        meant["cross_profile"] = true.into();
        assert_eq!(bench.run("patch", meant)["success"], true, "{path}");
    }
    for path in [
        root.join("plugins/x"),
        root.join("cron/x"),
        root.join("sandboxes/docker/t/home/.hermes/skills/x"),
    ] {
        let meant = json!({"path": shown(&path), "content": "x", "cross_profile": true});
        assert_eq!(bench.run("write_file", meant)["rule"], "own-state", "{}", path.display());
    }
    let ours = shown(&own.join("skills/x"));
    assert_eq!(bench.run("write_file", json!({"path": ours, "content": "x"}))["bytes_written"], 1);
}

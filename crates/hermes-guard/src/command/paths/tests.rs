use super::*;
use crate::command::CommandContext;

fn resolved(path: &str, cwd: Option<&str>) -> String {
    let host =
        CommandContext { home: Some("/home/me"), user: Some("me"), ..CommandContext::default() };
    let facts = ShellFacts { host: &host, cwd: cwd.map(Into::into), links: Vec::new() };
    resolve(path, &facts).into_owned()
}

#[test]
fn resolves_detours_and_home() {
    for (path, expected) in [
        ("/", "/"),
        ("//", "/"),
        ("/.", "/"),
        ("/..", "/"),
        ("/...", "/..."),
        ("/tmp/../etc/", "/etc"),
        ("/home/me", "~"),
        ("/home/me/x/", "~/x"),
        ("/home/mean", "/home/mean"),
        ("~me/x", "~/x"),
        ("~/a/../..", "/home"),
        ("~/../..", "/"),
        ("a/./b", "a/b"),
        ("./a", "a"),
    ] {
        assert_eq!(resolved(path, None), expected, "{path}");
    }
    assert_eq!(resolved("*", Some("/etc")), "/etc/*");
    assert_eq!(resolved("../etc", Some("/usr")), "/etc");
    assert_eq!(resolved("x", Some("~")), "~/x");
}

#[test]
fn protects_what_cannot_be_mended() {
    for path in ["/", "/*", "/.*", "/**/*"] {
        assert_eq!(protected(path), Some(Protected::Root), "{path}");
    }
    for path in ["/etc", "/etc/*", "/usr/lib", "/e*", "/lib64", "/home/*"] {
        assert_eq!(protected(path), Some(Protected::System), "{path}");
    }
    for path in ["~", "~/*", "~/.*", "~other", "/home/u"] {
        assert_eq!(protected(path), Some(Protected::Home), "{path}");
    }
    for path in ["/tmp", "/...", "/.ssh", "/opt/x", "/home/u/scratch", "~/Downloads", "build", "*"]
    {
        assert_eq!(protected(path), None, "{path}");
    }
}

#[test]
fn knows_sensitive_files() {
    for path in [
        "/etc/hosts",
        "~/.ssh/config",
        concat!("/root", "/.bashrc"),
        "/dev/sda1",
        "a/.git/hooks/x",
        "~/.hermes/.env",
        "~/.hermes/profiles/p/config.yaml",
        "/dev/mapper/root",
    ] {
        assert!(is_sensitive(path), "{path}");
    }
    for path in [
        "/tmp/etc/x",
        "~/.bashrc.bak",
        "/dev/null",
        "~/.hermes/skills/x",
        "/var/log/x",
        "/dev/stdout",
        ".bashrc#x",
        "/usr/local/bin/x",
    ] {
        assert!(!is_sensitive(path), "{path}");
    }
    for path in [".env", "a/.env.local", "/srv/config.yaml"] {
        assert!(is_project_config(path), "{path}");
    }
    for path in ["config.yaml.bak", ".env#b", ".environment", ".env.bak", "my-config.yaml"] {
        assert!(!is_project_config(path), "{path}");
    }
}

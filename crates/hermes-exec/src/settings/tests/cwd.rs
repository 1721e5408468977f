//! Where commands begin.

use super::*;

/// The directory, for a process that is in `process_cwd`.
fn cwd(backend: &str, configured: Option<&str>, variable: Option<&str>, process: &Path) -> String {
    let mut section = json!({"backend": backend, "ssh_host": "h", "ssh_user": "u"});
    if let Some(configured) = configured {
        section["cwd"] = json!(configured);
    }
    let vars: Vec<_> = variable.map(|cwd| ("TERMINAL_CWD", cwd)).into_iter().collect();
    let config = json!({"terminal": section});
    let settings =
        TerminalSettings::read(&config, &vars_of(&vars), Path::new("/state"), process).unwrap();
    settings.cwd
}

#[test]
fn locally_it_is_where_hermes_was_started_unless_configured() {
    let here = tempfile::tempdir().unwrap();
    let process = here.path();
    let shown = process.to_str().unwrap();
    for word in [None, Some("."), Some("auto"), Some("CWD"), Some("")] {
        assert_eq!(cwd("local", word, None, process), shown, "{word:?}");
        let expected = if matches!(word, None | Some("")) { "/var" } else { shown };
        assert_eq!(cwd("local", word, Some("/var"), process), expected, "{word:?}");
    }
    assert_eq!(cwd("local", Some("/srv/gone"), Some("/var"), process), "/srv/gone");
    assert_eq!(cwd("local", Some("~/src"), None, process), "/home/me/src");
    assert_eq!(cwd("local", Some("./sub"), None, process), format!("{shown}/sub"));
}

#[test]
fn a_relative_path_that_leads_here_is_here() {
    let outer = tempfile::tempdir().unwrap();
    let process = outer.path().join("project/api");
    std::fs::create_dir_all(&process).unwrap();
    let shown = process.to_str().unwrap();
    assert_eq!(cwd("local", Some("project/api"), None, &process), shown);
    assert_eq!(cwd("local", Some("./api/"), None, &process), shown);
    assert_eq!(cwd("local", Some("pi"), None, &process), format!("{shown}/pi"));
}

#[test]
fn when_it_was_deleted_the_variable_and_then_the_home_take_its_place() {
    let there = tempfile::tempdir().unwrap();
    let path = there.path().to_str().unwrap();
    for gone in [Path::new("/no/such/directory"), Path::new("")] {
        assert_eq!(cwd("local", Some("."), Some(path), gone), path);
        let vars = |home: &str| -> Vars {
            let pairs = [("HOME", home), ("TERMINAL_CWD", "/no/such/either")];
            pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect()
        };
        let config = json!({"terminal": {"cwd": "auto"}});
        let read = |vars: &Vars| TerminalSettings::read(&config, vars, there.path(), gone);
        assert_eq!(read(&vars(path)).unwrap().cwd, path);
        assert_eq!(read(&vars("/no/such/home")).unwrap().cwd, "/");
    }
}

#[test]
fn on_another_host_it_is_that_hosts_home_unless_configured() {
    let process = Path::new("/tmp");
    for word in [None, Some("."), Some("auto"), Some("cwd")] {
        assert_eq!(cwd("ssh", word, None, process), "~", "{word:?}");
    }
    assert_eq!(cwd("ssh", Some("~/src"), None, process), "~/src");
    assert_eq!(cwd("ssh", Some("/home/them/src"), None, process), "/home/them/src");
    assert_eq!(cwd("ssh", None, Some("/srv"), process), "/srv");
}

#[test]
fn containers_ignore_paths_of_this_machine() {
    let process = Path::new("/tmp");
    for backend in ["docker", "singularity", "modal", "daytona", "vercel_sandbox"] {
        let default = if backend == "vercel_sandbox" { "/vercel/sandbox" } else { "/root" };
        assert_eq!(cwd(backend, None, None, process), default, "{backend}");
        for of_here in [".", "/home/me/x", "/Users/me", "C:\\x", "C:/x", "sub/dir", "~/x"] {
            assert_eq!(cwd(backend, Some(of_here), None, process), default, "{backend} {of_here}");
        }
        assert_eq!(cwd(backend, Some("/srv/app"), None, process), "/srv/app", "{backend}");
        assert_eq!(cwd(backend, None, Some("/data"), process), "/data", "{backend}");
    }
    for home in ["~", "/home/daytona"] {
        assert_eq!(cwd("daytona", Some(home), None, process), home);
        assert_eq!(cwd("docker", Some(home), None, process), "/root");
    }
}

#[test]
fn docker_mounts_the_directory_only_when_told_to() {
    let here = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let mounted = |mount: bool, configured: Option<&Path>| {
        let mut section = json!({"backend": "docker", "docker_mount_cwd_to_workspace": mount});
        if let Some(configured) = configured {
            section["cwd"] = json!(configured.to_str().unwrap());
        }
        let config = json!({"terminal": section});
        let settings =
            TerminalSettings::read(&config, &vars_of(&[]), Path::new("/state"), here.path())
                .unwrap();
        let BackendSettings::Docker(docker) = settings.backend_settings else {
            panic!("not docker")
        };
        (docker.workspace, settings.cwd)
    };
    let workspace = |path: &Path| (Some(path.to_owned()), "/workspace".to_owned());
    assert_eq!(mounted(false, None), (None, "/root".to_owned()));
    assert_eq!(mounted(true, None), workspace(here.path()));
    assert_eq!(mounted(true, Some(elsewhere.path())), workspace(elsewhere.path()));
    // Paths that are only in the container, or are its own by name.
    assert_eq!(mounted(true, Some(Path::new("/srv/gone"))), (None, "/srv/gone".to_owned()));
    assert_eq!(mounted(true, Some(Path::new("/root"))), (None, "/root".to_owned()));
    assert_eq!(mounted(true, Some(Path::new("/workspace/a"))), (None, "/workspace/a".to_owned()));
}

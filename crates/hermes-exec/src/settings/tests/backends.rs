//! What each kind of backend is told.

use std::collections::BTreeMap;

use super::*;

fn place(section: &Value, vars: &[(&str, &str)]) -> BackendSettings {
    read(&json!({"terminal": section}), vars).unwrap().backend_settings
}

macro_rules! settings {
    ($kind:ident, $section:expr, $vars:expr) => {
        match place(&$section, $vars) {
            BackendSettings::$kind(settings) => settings,
            other => panic!("{other:?}"),
        }
    };
}

const IMAGE: &str = "nikolaik/python-nodejs:python3.11-nodejs20";
const USUAL: ContainerSettings = ContainerSettings {
    cpu: 1.0,
    memory_mb: 5120,
    disk_mb: 51_200,
    pids: 256,
    network: true,
    persistent: true,
};

#[test]
fn start_up_files_are_the_chosen_ones_or_the_usual_ones() {
    let files = |section: Value| settings!(Local, section, &[("DOTS", "/dots")]).init_files;
    assert_eq!(
        files(json!({"shell_init_files": ["~/.env.sh", "${DOTS}/rc", "/etc/rc"]})),
        ["/home/me/.env.sh", "/dots/rc", "/etc/rc"]
    );
    assert_eq!(files(json!({"auto_source_bashrc": false})), [""; 0]);
    assert_eq!(files(json!({"auto_source_bashrc": true})).len(), 3);
    let both = json!({"shell_init_files": ["/rc"], "auto_source_bashrc": true});
    assert_eq!(files(both), ["/rc"]);
}

#[test]
fn the_sandbox_of_this_machine_is_chosen_by_word() {
    let sandbox = |given: Value| settings!(Local, json!({"sandbox": given}), &[]).sandbox;
    assert_eq!(sandbox(json!("Read-Only")), SandboxMode::ReadOnly);
    assert_eq!(sandbox(json!("workspace-write")), SandboxMode::WorkspaceWrite);
    // YAML makes false of a bare `off`.
    for off in [json!("off"), json!(false), json!(null)] {
        assert_eq!(sandbox(off), SandboxMode::Off);
    }
    for wrong in [json!(true), json!("on"), json!("strict")] {
        assert_eq!(
            error(&json!({"terminal": {"sandbox": wrong}}), &[]).split(", but").nth(1).unwrap(),
            " must be one of off, read-only, workspace-write"
        );
    }
}

#[test]
fn the_sandbox_has_a_network_and_writable_places() {
    let section = json!({
        "sandbox": "workspace-write", "sandbox_network": false,
        "sandbox_writable": ["~/.cargo", "$CACHE"],
    });
    let local = settings!(Local, section, &[("CACHE", "/cache")]);
    assert!(!local.sandbox_network);
    assert_eq!(local.sandbox_writable, ["/home/me/.cargo", "/cache"].map(PathBuf::from));

    let vars = [
        ("TERMINAL_SANDBOX", "read-only"),
        ("TERMINAL_SANDBOX_NETWORK", "0"),
        ("TERMINAL_SANDBOX_WRITABLE", "[\"/a\"]"),
    ];
    let local = settings!(Local, json!({}), &vars);
    assert_eq!((local.sandbox, local.sandbox_network), (SandboxMode::ReadOnly, false));
    assert_eq!(local.sandbox_writable, [PathBuf::from("/a")]);
}

#[test]
fn values_of_other_places_are_not_even_looked_at() {
    let wrong = json!({"terminal": {
        "docker_volumes": 5, "container_cpu": "many", "ssh_port": "x",
        "docker_network": "perhaps",
    }});
    let vars = [
        ("TERMINAL_CONTAINER_MEMORY", "lots"),
        ("TERMINAL_DOCKER_ENV", "{"),
        ("TERMINAL_DISK_WARNING_GB", "x"),
    ];
    assert!(read(&wrong, &vars).is_ok());
    let mut ssh = wrong.clone();
    ssh["terminal"]["backend"] = json!("ssh");
    ssh["terminal"]["ssh_host"] = json!("h");
    ssh["terminal"]["ssh_user"] = json!("u");
    ssh["terminal"]["ssh_port"] = json!(2222);
    assert!(read(&ssh, &vars).is_ok());

    for (backend, key) in
        [("docker", "terminal.container_cpu"), ("singularity", "TERMINAL_DISK_WARNING_GB")]
    {
        let mut config = wrong.clone();
        config["terminal"]["backend"] = json!(backend);
        assert!(error(&config, &vars).contains(key), "{backend}");
    }
}

#[test]
fn docker_has_usual_values() {
    let docker = settings!(Docker, json!({"backend": "docker"}), &[]);
    let usual = DockerSettings {
        container: USUAL,
        image: IMAGE.to_owned(),
        binary: None,
        volumes: vec![],
        env: BTreeMap::new(),
        forward_env: vec![],
        extra_args: vec![],
        workspace: None,
        network: true,
        run_as_host_user: false,
        persist_across_processes: true,
        orphan_reaper: true,
    };
    assert_eq!(docker, usual);
}

#[test]
fn docker_is_configured_in_the_file() {
    let section = json!({
        "backend": "docker", "docker_image": "alpine", "docker_volumes": ["/a:/b:ro"],
        "docker_env": {"A": "text", "N": 5, "F": true, "NULL": null, "L": [1], "1X": "x", "A-B": "x"},
        "docker_forward_env": ["GITHUB_TOKEN", "not a name", "9X", ""],
        "docker_extra_args": ["--gpus", "all"],
        "docker_network": false, "docker_run_as_host_user": true,
        "docker_persist_across_processes": false, "docker_orphan_reaper": false,
        "container_cpu": 0.5, "container_memory": 512, "container_disk": 0,
        "container_persistent": false, "container_pids": 9,
    });
    let docker = settings!(Docker, section, &[("HERMES_DOCKER_BINARY", "/opt/podman")]);
    let env = [("A", "text"), ("F", "true"), ("N", "5")];
    let expected = DockerSettings {
        container: ContainerSettings {
            cpu: 0.5,
            memory_mb: 512,
            disk_mb: 0,
            pids: 9,
            network: true,
            persistent: false,
        },
        image: "alpine".to_owned(),
        binary: Some(PathBuf::from("/opt/podman")),
        volumes: vec!["/a:/b:ro".to_owned()],
        env: env.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect(),
        forward_env: vec!["GITHUB_TOKEN".to_owned()],
        extra_args: vec!["--gpus".to_owned(), "all".to_owned()],
        workspace: None,
        network: false,
        run_as_host_user: true,
        persist_across_processes: false,
        orphan_reaper: false,
    };
    assert_eq!(docker, expected);
}

#[test]
fn docker_is_configured_by_variables() {
    let vars = [
        ("TERMINAL_ENV", "docker"),
        ("TERMINAL_DOCKER_IMAGE", "alpine"),
        ("TERMINAL_DOCKER_VOLUMES", "[\"/a:/b\"]"),
        ("TERMINAL_DOCKER_ENV", "{\"A\": 1}"),
        ("TERMINAL_DOCKER_FORWARD_ENV", "[\"B\"]"),
        ("TERMINAL_DOCKER_EXTRA_ARGS", "[\"--rm\"]"),
        ("TERMINAL_DOCKER_MOUNT_CWD_TO_WORKSPACE", "yes"),
        ("TERMINAL_DOCKER_NETWORK", "false"),
        ("TERMINAL_DOCKER_RUN_AS_HOST_USER", "1"),
        ("TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES", "0"),
        ("TERMINAL_DOCKER_ORPHAN_REAPER", "off"),
        ("TERMINAL_CONTAINER_CPU", "2"),
        ("TERMINAL_CONTAINER_MEMORY", "1024"),
        ("TERMINAL_CONTAINER_DISK", "2048"),
        ("TERMINAL_CONTAINER_PERSISTENT", "no"),
    ];
    let docker = settings!(Docker, json!({}), &vars);
    let expected = DockerSettings {
        container: ContainerSettings {
            cpu: 2.0,
            memory_mb: 1024,
            disk_mb: 2048,
            persistent: false,
            ..USUAL
        },
        image: "alpine".to_owned(),
        binary: None,
        volumes: vec!["/a:/b".to_owned()],
        env: [("A".to_owned(), "1".to_owned())].into_iter().collect(),
        forward_env: vec!["B".to_owned()],
        extra_args: vec!["--rm".to_owned()],
        workspace: Some(PathBuf::from("/")),
        network: false,
        run_as_host_user: true,
        persist_across_processes: false,
        orphan_reaper: false,
    };
    assert_eq!(docker, expected);
}

#[test]
fn a_mount_without_a_target_is_an_error() {
    let config = json!({"terminal": {"backend": "docker", "docker_volumes": ["/a:/b", "/c"]}});
    let error = error(&config, &[]);
    assert!(
        error.contains("terminal.docker_volumes") && error.contains("source:target"),
        "{error}"
    );
}

#[test]
fn an_image_or_host_cannot_pass_for_an_option() {
    for (backend, key) in [
        ("docker", "docker_image"),
        ("singularity", "singularity_image"),
        ("ssh", "ssh_host"),
        ("ssh", "ssh_user"),
    ] {
        for odd in ["--privileged", "-oProxyCommand=x", "a b", "a\nb"] {
            let mut section = json!({"backend": backend, "ssh_host": "h", "ssh_user": "u"});
            section[key] = json!(odd);
            let error = error(&json!({"terminal": section}), &[]);
            assert!(error.starts_with(&format!("terminal.{key} ")), "{error}");
        }
    }
}

#[test]
fn ssh_needs_a_host_and_a_user() {
    assert_eq!(
        error(&json!({"terminal": {"backend": "ssh", "ssh_user": "me"}}), &[]),
        "the ssh backend needs terminal.ssh_host in config.yaml, or the variable TERMINAL_SSH_HOST"
    );
    let error = error(&json!({}), &[("TERMINAL_ENV", "ssh"), ("TERMINAL_SSH_HOST", "h")]);
    assert!(error.contains("terminal.ssh_user") && error.contains("TERMINAL_SSH_USER"), "{error}");
}

#[test]
fn ssh_is_configured_in_the_file_or_by_variables() {
    let section = json!({"backend": "ssh", "ssh_host": "h", "ssh_user": "u"});
    let usual = SshSettings {
        host: "h".to_owned(),
        user: "u".to_owned(),
        port: 22,
        key: None,
        force_sync: false,
    };
    assert_eq!(settings!(Ssh, section, &[]), usual);
    let vars = [
        ("TERMINAL_ENV", "ssh"),
        ("TERMINAL_SSH_HOST", "h"),
        ("TERMINAL_SSH_USER", "u"),
        ("TERMINAL_SSH_PORT", "2222"),
        ("TERMINAL_SSH_KEY", "~/.ssh/key"),
        ("HERMES_FORCE_FILE_SYNC", "1"),
    ];
    let key = Some(PathBuf::from("/home/me/.ssh/key"));
    let all = SshSettings { port: 2222, key, force_sync: true, ..usual };
    assert_eq!(settings!(Ssh, json!({}), &vars), all);
    for port in [json!(0), json!(65_536), json!("ssh")] {
        let config = json!({"terminal": {
            "backend": "ssh", "ssh_host": "h", "ssh_user": "u", "ssh_port": port,
        }});
        assert!(error(&config, &[]).ends_with("a whole number from 1 to 65535"));
    }
}

#[test]
fn singularity_has_places_to_keep_its_overlays() {
    let section = json!({"backend": "apptainer"});
    let usual = SingularitySettings {
        container: USUAL,
        image: format!("docker://{IMAGE}"),
        scratch: vec!["/scratch/me/hermes-agent".into(), "/state/sandboxes/singularity".into()],
        cache_dir: None,
        disk_warning_bytes: 500 << 30,
    };
    assert_eq!(settings!(Singularity, section, &[("USER", "me")]), usual);
    for nobody in [vec![], vec![("USER", "../../etc")]] {
        let scratch = settings!(Singularity, section, &nobody).scratch;
        assert_eq!(scratch, [PathBuf::from("/state/sandboxes/singularity")]);
    }
    let vars = [
        ("TERMINAL_SINGULARITY_IMAGE", "/images/mine.sif"),
        ("TERMINAL_SCRATCH_DIR", "~/scratch"),
        ("TERMINAL_DISK_WARNING_GB", "0.5"),
        ("APPTAINER_CACHEDIR", "/cache"),
    ];
    let chosen = SingularitySettings {
        image: "/images/mine.sif".to_owned(),
        scratch: vec!["/home/me/scratch".into()],
        cache_dir: Some("/cache".into()),
        disk_warning_bytes: 1 << 29,
        ..usual
    };
    assert_eq!(settings!(Singularity, section, &vars), chosen);
    let config = json!({"terminal": section});
    let error = error(&config, &[("TERMINAL_DISK_WARNING_GB", "much")]);
    assert!(error.contains("TERMINAL_DISK_WARNING_GB"), "{error}");
}

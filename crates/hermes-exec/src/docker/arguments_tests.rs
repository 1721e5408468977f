use std::path::PathBuf;

use hermes_tool::Vars;
use serde_json::{Value, json};

use super::*;
use crate::settings::{BackendSettings, TerminalSettings};

fn settings(terminal: &Value) -> DockerSettings {
    let mut section = json!({"backend": "docker", "docker_image": "debian"});
    if let (Value::Object(section), Value::Object(more)) = (&mut section, terminal.clone()) {
        section.extend(more);
    }
    let config = json!({"terminal": section});
    let read = TerminalSettings::read(
        &config,
        &Vars::default(),
        &PathBuf::from("/home/u/.hermes"),
        &PathBuf::from("/home/u/project"),
    );
    match read.expect("settings").backend_settings {
        BackendSettings::Docker(docker) => docker,
        other => panic!("{other:?}"),
    }
}

fn words(terminal: &Value, limits: DockerLimits, init: Init) -> String {
    let settings = settings(terminal);
    let shown = [("/home/u/.hermes/skills".to_owned(), "skills".to_owned())];
    let plan = ContainerPlan {
        settings: &settings,
        name: "hermes-1",
        task: "my task",
        profile: "default",
        mark: None,
        cwd: "/root",
        storage: Path::new("/sandboxes/docker/t"),
        shown: &shown,
        host_user: "1000:1000",
        init,
        limits,
    };
    plan.words().join(" ")
}

const ALL: DockerLimits = DockerLimits { resources: true, disk: true };

#[test]
fn every_container_is_hardened_and_labelled() {
    let text = words(&json!({}), ALL, Init::Ours);
    for flag in [
        "--cap-drop ALL --cap-add DAC_OVERRIDE --cap-add CHOWN --cap-add FOWNER",
        "--cap-add SETUID --cap-add SETGID",
        "--security-opt no-new-privileges",
        "--tmpfs /tmp:rw,nosuid,size=512m",
        "--tmpfs /var/tmp:rw,noexec,nosuid,size=256m",
        "--tmpfs /run:rw,noexec,nosuid,size=64m",
        "--init",
        "--cpus 1",
        "--memory 5120m",
        "--pids-limit 256",
        "--storage-opt size=51200m",
        "--label hermes-agent=1 --label hermes-task-id=my_task --label hermes-profile=default",
        "-v /sandboxes/docker/t/home:/root",
        "-v /sandboxes/docker/t/workspace:/workspace",
        &format!("-v /home/u/.hermes/skills:{SEEN_AT}/skills:ro"),
    ] {
        assert!(text.contains(flag), "{flag} in {text}");
    }
    assert!(text.ends_with("-w /root debian sleep infinity"), "{text}");
    assert!(!text.contains("--network"), "{text}");
}

#[test]
fn settings_change_what_they_are_about() {
    let none = DockerLimits { resources: false, disk: false };
    let text = words(
        &json!({"docker_network": false, "docker_run_as_host_user": true,
        "container_persistent": false, "docker_volumes": ["/data:/data"],
        "docker_env": {"A": 1}, "docker_extra_args": ["--gpus", "all"]}),
        none,
        Init::S6,
    );
    for flag in [
        "--network=none",
        "--user 1000:1000",
        "--tmpfs /workspace:rw,exec,size=10240m",
        "--ulimit fsize=53687091200",
        "--tmpfs /run:rw,exec,nosuid,size=64m",
        "-v /data:/data",
        "-e A=1",
        "--gpus all debian",
    ] {
        assert!(text.contains(flag), "{flag} in {text}");
    }
    for absent in ["--init", "--cpus", "--memory", "--pids-limit", "storage-opt", "SETUID"] {
        assert!(!text.contains(absent), "{absent} in {text}");
    }
}

#[test]
fn reaching_the_host_is_noticed_wherever_it_is_asked_for() {
    for reaching in [
        json!({"docker_volumes": ["/:/host"]}),
        json!({"docker_volumes": ["~/x:/x"]}),
        json!({"docker_mount_cwd_to_workspace": true}),
        json!({"docker_extra_args": ["--privileged"]}),
        json!({"docker_extra_args": ["-v", "/var/run/docker.sock:/var/run/docker.sock"]}),
        json!({"docker_extra_args": ["--volume=/etc:/etc"]}),
        json!({"docker_extra_args": ["--mount", "type=bind,source=/,target=/host"]}),
        json!({"docker_extra_args": ["--pid=host"]}),
        json!({"docker_extra_args": ["--network", "host"]}),
    ] {
        assert!(reaches_host(&settings(&reaching)), "{reaching}");
    }
    for apart in [
        json!({}),
        json!({"docker_volumes": ["named:/data"]}),
        json!({"docker_extra_args": ["--gpus", "all", "--shm-size=1g"]}),
    ] {
        assert!(!reaches_host(&settings(&apart)), "{apart}");
    }
}

#[test]
fn label_values_are_tame() {
    assert_eq!(label("a b/c"), "a_b_c");
    assert_eq!(label(""), "unknown");
    assert_eq!(label(&"x".repeat(100)).len(), 63);
}

#[tokio::test]
async fn granted_variables_are_named_to_the_client_and_their_values_are_not_among_its_words() {
    use std::os::unix::fs::PermissionsExt as _;

    use crate::backend::{Backend as _, ClientInput, ShellCall, ShellKind, Variables};
    use crate::docker::{Docker, DockerOptions};

    let folder = tempfile::tempdir().unwrap();
    let engine = folder.path().join("engine");
    hermes_store::atomic::write(
        &engine,
        b"#!/bin/sh\necho \"$*\"; env\n",
        hermes_store::atomic::WriteOptions::KEEP,
    )
    .unwrap();
    std::fs::set_permissions(&engine, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut settings = settings(&json!({}));
    settings.binary = Some(engine);
    let options = DockerOptions {
        settings,
        cwd: "/root".to_owned(),
        task: "t".to_owned(),
        profile: "default".to_owned(),
        mark: None,
        sandbox_dir: folder.path().to_owned(),
        shown: Vec::new(),
        forwarded: std::collections::BTreeMap::new(),
        lifetime: std::time::Duration::from_secs(60),
    };
    let docker = Docker::new(options, &Vars::from_process()).unwrap();
    let call = ShellCall {
        script: "true",
        shell: ShellKind::Plain,
        variables: Variables::Inherited,
        granted: &[("A_KEY".to_owned(), "hush-hush".to_owned())],
        input: ClientInput::None,
        tag: "x".to_owned(),
    };
    let done = docker.client(&call).run().await.unwrap();
    let text = done.stdout.text().to_string();
    let (words, environment) = text.split_once('\n').unwrap();
    assert!(words.contains("exec -e A_KEY ") && !words.contains("hush-hush"), "{words}");
    assert!(environment.contains("A_KEY=hush-hush"), "{environment}");
}

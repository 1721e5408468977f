use std::path::Path;

use serde_json::json;

use super::*;

mod backends;
mod cwd;
mod values;

/// The settings of a process in `/`, with `/home/me` and `/state` as its homes.
fn read(config: &Value, vars: &[(&str, &str)]) -> Result<TerminalSettings, TerminalSettingsError> {
    TerminalSettings::read(config, &vars_of(vars), Path::new("/state"), Path::new("/"))
}

fn vars_of(pairs: &[(&str, &str)]) -> Vars {
    let home = ("HOME", "/home/me");
    [&home].into_iter().chain(pairs).map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect()
}

fn error(config: &Value, vars: &[(&str, &str)]) -> String {
    read(config, vars).unwrap_err().to_string()
}

#[test]
fn nothing_configured_means_this_machine_with_the_usual_limits() {
    for config in [json!(null), json!({}), json!({"terminal": null}), json!({"terminal": {}})] {
        let settings = read(&config, &[]).unwrap();
        assert_eq!(
            settings,
            TerminalSettings {
                cwd: "/".to_owned(),
                timeout: Duration::from_secs(180),
                max_foreground_timeout: Duration::from_secs(600),
                lifetime: Duration::from_secs(300),
                term_grace: Duration::from_secs(2),
                max_background: 64,
                persistent_shell: true,
                max_output_chars: 50_000,
                home_mode: HomeMode::Auto,
                env_passthrough: vec![],
                credential_files: vec![],
                sandbox_dir: PathBuf::from("/state/sandboxes"),
                backend_settings: BackendSettings::Local(LocalSettings {
                    init_files: ["/home/me/.profile", "/home/me/.bash_profile", "/home/me/.bashrc"]
                        .map(str::to_owned)
                        .to_vec(),
                    sandbox: SandboxMode::Off,
                    sandbox_network: true,
                    sandbox_writable: vec![],
                    limits: ShellLimits::default(),
                }),
            },
            "{config}"
        );
        assert_eq!(settings.backend(), BackendKind::Local);
    }
}

#[test]
fn the_file_wins_over_variables_and_they_fill_what_it_leaves_out() {
    let config = json!({"terminal": {"timeout": 5, "lifetime_seconds": null, "home_mode": " "}});
    let vars = [
        ("TERMINAL_TIMEOUT", "7"),
        ("TERMINAL_LIFETIME_SECONDS", "8"),
        ("TERMINAL_HOME_MODE", "Isolated"),
        ("TERMINAL_PERSISTENT_SHELL", "no"),
    ];
    let settings = read(&config, &vars).unwrap();
    assert_eq!(settings.timeout, Duration::from_secs(5));
    assert_eq!(settings.lifetime, Duration::from_secs(8));
    assert_eq!(settings.home_mode, HomeMode::Profile);
    assert!(!settings.persistent_shell);

    let settings = read(&json!({}), &vars).unwrap();
    assert_eq!(settings.timeout, Duration::from_secs(7));
}

#[test]
fn every_kind_of_place_can_be_chosen_in_the_file_and_by_variable() {
    let ssh = [("TERMINAL_SSH_HOST", "h"), ("TERMINAL_SSH_USER", "u")];
    use BackendKind::{Daytona, Docker, Local, Modal, Singularity, Ssh, Vercel};
    for kind in [Local, Docker, Ssh, Singularity, Modal, Daytona, Vercel] {
        let name = kind.name();
        let config = json!({"terminal": {"backend": name}});
        assert_eq!(read(&config, &ssh).unwrap().backend(), kind);
        let by_variable = read(&json!({}), &[ssh[0], ssh[1], ("TERMINAL_ENV", name)]).unwrap();
        assert_eq!(by_variable.backend(), kind);
    }
    let config = json!({"terminal": {"backend": "docker"}});
    let settings = read(&config, &[("TERMINAL_ENV", "ssh")]).unwrap();
    assert_eq!(settings.backend(), BackendKind::Docker);
    assert_eq!(
        error(&json!({}), &[("TERMINAL_ENV", "kubernetes")]),
        "the variable TERMINAL_ENV is \"kubernetes\", but must be one of local, docker, ssh, \
         singularity, modal, daytona, vercel_sandbox"
    );
}

#[test]
fn a_task_may_choose_another_kind_of_place() {
    let config = json!({"terminal": {"backend": "local", "docker_image": "mine"}});
    let own = json!({"env_type": "docker", "docker_network": false});
    let settings = read(&with_overrides(&config, own.as_object().unwrap()), &[]);
    let BackendSettings::Docker(docker) = settings.unwrap().backend_settings else {
        panic!("not docker")
    };
    assert_eq!((docker.image.as_str(), docker.network), ("mine", false));
}

#[test]
fn general_values_are_read() {
    let config = json!({
        "terminal": {
            "daemon_term_grace_seconds": 0.5,
            "env_passthrough": ["MY_KEY", "OTHER"],
            "credential_files": ["google.json", {"path": "aws.json", "description": "x"}],
            "sandbox_dir": "~/boxes",
        },
        "tool_output": {"max_bytes": 9},
    });
    let settings = read(&config, &[("TERMINAL_MAX_FOREGROUND_TIMEOUT", "1200")]).unwrap();
    assert_eq!(settings.term_grace, Duration::from_millis(500));
    assert_eq!(settings.env_passthrough, ["MY_KEY", "OTHER"]);
    assert_eq!(settings.credential_files, ["google.json", "aws.json"]);
    assert_eq!(settings.sandbox_dir, Path::new("/home/me/boxes"));
    assert_eq!(settings.max_output_chars, 9);
    assert_eq!(settings.max_foreground_timeout, Duration::from_secs(1200));

    let settings = read(&json!({}), &[("TERMINAL_SANDBOX_DIR", "/boxes")]).unwrap();
    assert_eq!(settings.sandbox_dir, Path::new("/boxes"));
}

#[test]
fn settings_without_a_variable_are_not_read_from_one() {
    let vars = [
        ("TERMINAL_ENV_PASSTHROUGH", "[\"A\"]"),
        ("TERMINAL_CREDENTIAL_FILES", "[\"A\"]"),
        ("TERMINAL_SHELL_INIT_FILES", "[\"A\"]"),
        ("TERMINAL_AUTO_SOURCE_BASHRC", "false"),
        ("TERMINAL_DAEMON_TERM_GRACE_SECONDS", "9"),
    ];
    assert_eq!(read(&json!({}), &vars), read(&json!({}), &[]));
}

#[test]
fn output_limits_that_make_no_sense_are_ignored_as_elsewhere() {
    for (given, chars) in [
        (json!(-1), 50_000),
        (json!(0), 50_000),
        (json!("x"), 50_000),
        (json!([1]), 50_000),
        (json!(" 70 "), 70),
        (json!(70.9), 50_000),
    ] {
        let config = json!({"tool_output": {"max_bytes": given}});
        assert_eq!(read(&config, &[]).unwrap().max_output_chars, chars, "{given}");
    }
}

//! Where the real places are, from the env file that `scripts/test-parts/all start` writes.

use std::path::{Path, PathBuf};

use hermes_exec::settings::{ContainerSettings, SingularitySettings, SshSettings};
use hermes_exec::{ApptainerOptions, SshOptions};
use hermes_tool::Vars;

/// A value of the env file.
pub(crate) fn part(key: &str) -> String {
    let process = Vars::from_process();
    let cache = process
        .non_blank("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| process.non_blank("HOME").map(|home| Path::new(home).join(".cache")));
    let file = cache.expect("a home").join("hermes-test-parts/env");
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let found = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    match found {
        Some(value) => value.to_owned(),
        None => panic!("{key} is not in {}: run scripts/test-parts/all start", file.display()),
    }
}

/// The variables of this process with others laid over them.
pub(crate) fn vars(over: &[(&str, &str)]) -> Vars {
    let over = over.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Vars::from_process().overlaid(over)
}

/// The server of the tests.
pub(crate) fn ssh_options() -> SshOptions {
    SshOptions {
        settings: SshSettings {
            host: part("HERMES_TEST_SSH_HOST"),
            user: part("HERMES_TEST_SSH_USER"),
            port: part("HERMES_TEST_SSH_PORT").parse().expect("a port"),
            key: Some(part("HERMES_TEST_SSH_KEY").into()),
            force_sync: true,
        },
        cwd: "~".to_owned(),
        shown: None,
        options: vec![format!("UserKnownHostsFile={}", part("HERMES_TEST_SSH_KNOWN_HOSTS"))],
    }
}

/// The image of the tests, in an instance that keeps nothing.
pub(crate) fn apptainer_options(home: &Path) -> ApptainerOptions {
    ApptainerOptions {
        settings: SingularitySettings {
            container: ContainerSettings {
                cpu: 1.0,
                memory_mb: 512,
                disk_mb: 0,
                persistent: false,
            },
            image: part("HERMES_TEST_APPTAINER_IMAGE"),
            scratch: vec![home.join("scratch")],
            cache_dir: None,
            disk_warning_bytes: u64::MAX,
        },
        cwd: "/root".to_owned(),
        task: "a task".to_owned(),
        home: home.to_owned(),
        shown: Vec::new(),
    }
}

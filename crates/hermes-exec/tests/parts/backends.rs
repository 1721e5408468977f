//! Where the real environments are, from the env file that `scripts/test-parts/all start` writes.

use std::path::Path;
use std::time::Duration;

use hermes_exec::settings::{CloudSettings, ContainerSettings, SingularitySettings, SshSettings};
use hermes_exec::{ApptainerOptions, BackendKind, CloudOptions, SshOptions};
use hermes_tool::Vars;

pub(crate) use self::file::part;

// The file itself and not its crate: the program that is killed has no dependencies of tests.
#[path = "../../../hermes-testkit/src/parts.rs"]
#[expect(unreachable_pub, reason = "it is public where it lives")]
mod file;

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
                pids: 0,
                network: true,
                persistent: false,
            },
            image: part("HERMES_TEST_APPTAINER_IMAGE"),
            scratch: vec![home.join("scratch")],
            cache_dir: None,
            disk_warning_bytes: u64::MAX,
        },
        cwd: "/root".to_owned(),
        task: "a task".to_owned(),
        mark: None,
        home: home.to_owned(),
        shown: Vec::new(),
    }
}

/// A sandbox of a cloud, with nothing of ours brought into it.
pub(crate) fn cloud_options(kind: BackendKind, home: &Path, persistent: bool) -> CloudOptions {
    CloudOptions {
        settings: CloudSettings {
            kind,
            container: ContainerSettings {
                cpu: 1.0,
                memory_mb: 2000,
                disk_mb: 0,
                pids: 0,
                network: true,
                persistent,
            },
            image: if kind == BackendKind::Vercel { "node24" } else { "debian:12" }.to_owned(),
        },
        cwd: "/usr".to_owned(),
        task: "a task".to_owned(),
        profile: "default".to_owned(),
        mark: None,
        home: home.to_owned(),
        shown: None,
        lifetime: Duration::from_secs(300),
    }
}

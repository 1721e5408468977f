//! The arguments a container is made with. Pure text, so that every flag can be tested.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::mark::SandboxMark;
use crate::settings::DockerSettings;
use crate::sync::SEEN_AT;

/// How the container's entry point behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Init {
    /// Ours reaps what is orphaned.
    Ours,
    /// The image brings its own, which runs programs from `/run`.
    S6,
}

/// Which limits the engine can enforce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DockerLimits {
    pub(crate) resources: bool,
    pub(crate) disk: bool,
}

/// Everything that decides about a container.
pub(crate) struct ContainerPlan<'a> {
    pub(crate) settings: &'a DockerSettings,
    pub(crate) name: &'a str,
    pub(crate) task: &'a str,
    pub(crate) profile: &'a str,
    /// Whose it is, where that is a run.
    pub(crate) mark: Option<&'a SandboxMark>,
    pub(crate) cwd: &'a str,
    /// Where a task's files are kept on the host.
    pub(crate) storage: &'a Path,
    /// Files and folders of the Hermes home shown inside: on the host, and below [`SEEN_AT`].
    pub(crate) shown: &'a [(String, String)],
    /// `uid:gid` of the user of the host.
    pub(crate) host_user: &'a str,
    pub(crate) init: Init,
    pub(crate) limits: DockerLimits,
}

/// A value as labels take it.
pub(crate) fn label(value: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let text: String = value.chars().map(|c| if plain(c) { c } else { '_' }).take(63).collect();
    if text.is_empty() { "unknown".to_owned() } else { text }
}

/// The three labels by which a container is found again.
pub(crate) fn labels(task: &str, profile: &str) -> [String; 3] {
    [
        "hermes-agent=1".to_owned(),
        format!("hermes-task-id={}", label(task)),
        format!("hermes-profile={}", label(profile)),
    ]
}

/// The label that says what a container was made with.
pub(crate) const PLAN_LABEL: &str = "hermes-plan";

impl ContainerPlan<'_> {
    /// A short name for all that decides about the container but its own name and limits: one made
    /// with other mounts, another image or another user must not be used again.
    pub(crate) fn fingerprint(&self) -> String {
        let limits = DockerLimits { resources: false, disk: false };
        let plain = ContainerPlan { name: "", limits, ..*self };
        let digest = Sha256::digest(plain.unlabelled_words().join("\0"));
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The words behind `docker run`.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = self.unlabelled_words();
        let label = format!("{PLAN_LABEL}={}", self.fingerprint());
        words.splice(1..1, ["--label".to_owned(), label]);
        words
    }

    fn unlabelled_words(&self) -> Vec<String> {
        let mut words = Words::default();
        let DockerSettings { container, network, run_as_host_user, .. } = self.settings;
        words.add(["run", "-d", "--name", self.name]);
        for label in labels(self.task, self.profile) {
            words.add(["--label", &label]);
        }
        for (name, value) in self.mark.into_iter().flat_map(SandboxMark::labels) {
            words.add(["--label", &format!("{name}={}", label(&value))]);
        }
        words.add(["--cap-drop", "ALL"]);
        for capability in ["DAC_OVERRIDE", "CHOWN", "FOWNER"] {
            words.add(["--cap-add", capability]);
        }
        if !run_as_host_user {
            words.add(["--cap-add", "SETUID", "--cap-add", "SETGID"]);
        }
        words.add(["--security-opt", "no-new-privileges"]);
        let run = match self.init {
            Init::Ours => "/run:rw,noexec,nosuid,size=64m",
            Init::S6 => "/run:rw,exec,nosuid,size=64m",
        };
        for tmpfs in ["/tmp:rw,nosuid,size=512m", "/var/tmp:rw,noexec,nosuid,size=256m", run] {
            words.add(["--tmpfs", tmpfs]);
        }
        if self.init == Init::Ours {
            words.add(["--init"]);
        }
        if self.limits.resources {
            if container.cpu > 0.0 {
                words.add(["--cpus", &container.cpu.to_string()]);
            }
            if container.memory_mb > 0 {
                words.add(["--memory", &format!("{}m", container.memory_mb)]);
            }
            if container.pids > 0 {
                words.add(["--pids-limit", &container.pids.to_string()]);
            }
        }
        if container.disk_mb > 0 {
            match self.limits.disk {
                true => words.add(["--storage-opt", &format!("size={}m", container.disk_mb)]),
                // Not every file system can be divided. Then at least no file is larger.
                false => words.add(["--ulimit", &format!("fsize={}", container.disk_mb << 20)]),
            }
        }
        if !network {
            words.add(["--network=none"]);
        }
        if *run_as_host_user {
            words.add(["--user", self.host_user]);
        }
        self.storage(&mut words);
        for (host, below) in self.shown {
            words.add(["-v", &format!("{host}:{SEEN_AT}/{below}:ro")]);
        }
        for (name, value) in &self.settings.env {
            words.add(["-e", &format!("{name}={value}")]);
        }
        words.add(["-w", self.cwd]);
        words.0.extend(self.settings.extra_args.iter().cloned());
        words.add([self.settings.image.as_str(), "sleep", "infinity"]);
        words.0
    }

    fn storage(&self, words: &mut Words) {
        let settings = self.settings;
        if let Some(workspace) = &settings.workspace {
            words.add(["-v", &format!("{}:/workspace", workspace.display())]);
        }
        let volumes = &settings.volumes;
        let mounted = |target: &str| {
            settings.workspace.is_some() && target == "/workspace"
                || volumes.iter().any(|volume| volume.split(':').nth(1) == Some(target))
        };
        if settings.container.persistent {
            for (folder, target) in [("home", "/root"), ("workspace", "/workspace")] {
                if !mounted(target) {
                    let host = self.storage.join(folder);
                    words.add(["-v", &format!("{}:{target}", host.display())]);
                }
            }
        } else {
            let disk = Some(settings.container.disk_mb).filter(|size| *size > 0);
            for (target, most) in [("/workspace", 10_240), ("/home", 1_024), ("/root", 1_024)] {
                if !mounted(target) {
                    let size = disk.map_or(most, |disk| disk.min(most));
                    words.add(["--tmpfs", &format!("{target}:rw,exec,size={size}m")]);
                }
            }
        }
        for volume in volumes.iter().filter(|volume| volume.contains(':')) {
            words.add(["-v", volume]);
        }
    }
}

#[derive(Default)]
struct Words(Vec<String>);

impl Words {
    fn add<'a>(&mut self, words: impl IntoIterator<Item = &'a str>) {
        self.0.extend(words.into_iter().map(str::to_owned));
    }
}

/// Whether commands in the container reach the host: then they are judged like commands on it.
pub(crate) fn reaches_host(settings: &DockerSettings) -> bool {
    let on_host = |source: &str| {
        let drive = source.as_bytes().get(1) == Some(&b':');
        source.starts_with(['/', '~', '.']) || source.starts_with('$') || drive
    };
    let mounts = settings.volumes.iter().any(|volume| on_host(volume));
    mounts || settings.workspace.is_some() || extra_reach_host(&settings.extra_args)
}

fn extra_reach_host(args: &[String]) -> bool {
    let mut args = args.iter().map(String::as_str).peekable();
    while let Some(arg) = args.next() {
        let (flag, value) = match arg.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (arg, args.peek().copied()),
        };
        let value = value.unwrap_or_default();
        let reaches = match flag {
            "--privileged" => value != "false",
            "-v" | "--volume" => value.starts_with(['/', '~', '.', '$']),
            "--mount" => value.contains("bind") || value.contains("/"),
            "--device" | "--cap-add" | "--volumes-from" => true,
            "--pid" | "--ipc" | "--net" | "--network" | "--uts" | "--userns" => value == "host",
            "--security-opt" => value.contains("unconfined") || value.contains("disable"),
            flag => flag.starts_with("-v/") || flag.starts_with("-v."),
        };
        if reaches {
            return true;
        }
    }
    false
}

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;

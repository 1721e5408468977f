//! The words apptainer is called with. Pure text, so that every flag can be tested.

use std::path::Path;

use crate::settings::ContainerSettings;
use crate::sync::SEEN_AT;

/// Stops an instance and removes the logs that are kept of it: no one reads them, and one more
/// pair would be left with every start.
pub(crate) const STOP: &str = r#""$1" instance stop "$2"
status=$?
for base in "${APPTAINER_CONFIGDIR:-$HOME/.apptainer}" "$HOME/.singularity"; do
    rm -f "$base"/instances/logs/*/*/"$2".err "$base"/instances/logs/*/*/"$2".out
done
exit $status"#;

/// Whether the engine is asked to enforce limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ApptainerLimits {
    Asked,
    LeftOut,
}

/// Everything that decides about an instance.
pub(crate) struct InstancePlan<'a> {
    pub(crate) container: &'a ContainerSettings,
    /// A file, a folder, or an address.
    pub(crate) image: &'a str,
    pub(crate) name: &'a str,
    /// Where changes are kept; in memory if `None`.
    pub(crate) overlay: Option<&'a Path>,
    /// Files and folders of the Hermes home shown inside: on the host, and below the home.
    pub(crate) shown: &'a [(String, String)],
    pub(crate) limits: ApptainerLimits,
}

impl InstancePlan<'_> {
    /// The words behind `apptainer`.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words: Vec<String> =
            ["instance", "start", "--containall", "--no-home", "--cleanenv"]
                .map(str::to_owned)
                .into();
        match self.overlay {
            Some(overlay) => words.extend(["--overlay".to_owned(), overlay.display().to_string()]),
            None => words.push("--writable-tmpfs".to_owned()),
        }
        for (host, below) in self.shown {
            // The engine would take such a path apart.
            if host.contains([':', ',']) || below.contains([':', ',']) {
                tracing::warn!(path = host, "a path with a colon or comma cannot be shown");
                continue;
            }
            words.extend(["--bind".to_owned(), format!("{host}:{SEEN_AT}/{below}:ro")]);
        }
        if self.limits == ApptainerLimits::Asked {
            if self.container.memory_mb > 0 {
                words.extend(["--memory".to_owned(), format!("{}M", self.container.memory_mb)]);
            }
            if self.container.cpu > 0.0 {
                words.extend(["--cpus".to_owned(), self.container.cpu.to_string()]);
            }
        }
        if !self.container.network {
            words.extend(["--net", "--network", "none"].map(str::to_owned));
        }
        words.extend([self.image.to_owned(), self.name.to_owned()]);
        words
    }
}

/// The words behind `apptainer` that run a command in an instance. The directory is one that is
/// always there; scripts enter their own.
pub(crate) fn execute(name: &str) -> [String; 5] {
    let instance = format!("instance://{name}");
    ["exec", "--cleanenv", "--pwd", "/", &instance].map(str::to_owned)
}

/// Whether an image is an address, to be fetched and built.
pub(crate) fn is_address(image: &str) -> bool {
    image.contains("://")
}

/// The name of the file an address is built to.
pub(crate) fn file_name(address: &str) -> String {
    let name = address.split_once("://").map_or(address, |(_, name)| name);
    format!("{}.sif", tame(name))
}

/// A text as part of a file name.
pub(crate) fn tame(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let text: String = text.chars().map(|c| if plain(c) { c } else { '_' }).take(100).collect();
    match text.trim_start_matches('.') {
        "" => "unnamed".to_owned(),
        tame => tame.to_owned(),
    }
}

/// Whether an engine that refused to start did so because of the limits.
pub(crate) fn is_about_limits(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    ["cgroup", "resource limit", "--memory", "--cpus"].iter().any(|term| words.contains(term))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTAINER: ContainerSettings = ContainerSettings {
        cpu: 1.5,
        memory_mb: 512,
        disk_mb: 0,
        pids: 0,
        network: true,
        persistent: true,
    };

    fn words(overlay: Option<&Path>, limits: ApptainerLimits) -> String {
        let shown = [
            ("/h/skills".to_owned(), "skills".to_owned()),
            ("/h/a:b".to_owned(), "odd".to_owned()),
        ];
        let plan = InstancePlan {
            container: &CONTAINER,
            image: "/image.sif",
            name: "hermes_1",
            overlay,
            shown: &shown,
            limits,
        };
        plan.words().join(" ")
    }

    #[test]
    fn an_instance_is_shut_off_and_shows_files_read_only() {
        assert_eq!(
            words(Some(Path::new("/overlay")), ApptainerLimits::Asked),
            format!(
                "instance start --containall --no-home --cleanenv --overlay /overlay \
                 --bind /h/skills:{SEEN_AT}/skills:ro --memory 512M --cpus 1.5 /image.sif hermes_1"
            )
        );
    }

    #[test]
    fn without_an_overlay_changes_are_in_memory_and_limits_can_be_left_out() {
        let words = words(None, ApptainerLimits::LeftOut);
        assert!(words.contains("--writable-tmpfs"), "{words}");
        for absent in ["--overlay", "--memory", "--cpus", "a:b"] {
            assert!(!words.contains(absent), "{absent} in {words}");
        }
    }

    #[test]
    fn addresses_are_told_from_files_and_named_after_themselves() {
        assert!(is_address("docker://nikolaik/python-nodejs:python3.11"));
        assert!(!is_address("/images/a.sif"));
        assert_eq!(file_name("docker://a/b:1"), "a_b_1.sif");
        assert_eq!(file_name("docker://../../x"), "_.._x.sif");
        assert_eq!(tame(""), "unnamed");
    }

    #[test]
    fn refusals_of_limits_are_recognised() {
        assert!(is_about_limits("FATAL: while applying Cgroups config: permission denied"));
        assert!(!is_about_limits("FATAL: could not open image /x: no such file or directory"));
    }
}

//! What runs on this machine, looked at from outside.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hermes_process::Command;
use hermes_tool::Vars;

/// One process.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    parent: u32,
    /// Tells it from a later one with the same number.
    started: u64,
    /// Its arguments and, as far as we may see them, its variables.
    words: Vec<u8>,
}

impl Process {
    /// All that run. Those that only wait to be reaped do not.
    pub(crate) fn all() -> Vec<Self> {
        let entries = std::fs::read_dir("/proc").expect("/proc");
        entries
            .filter_map(|entry| Self::look_up(entry.ok()?.file_name().to_str()?.parse().ok()?))
            .collect()
    }

    fn look_up(pid: u32) -> Option<Self> {
        let line = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        let line = String::from_utf8_lossy(&line).into_owned();
        let fields: Vec<&str> = line.rsplit_once(") ")?.1.split(' ').collect();
        if matches!(*fields.first()?, "Z" | "X") {
            return None;
        }
        let mut words = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        words.extend(std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default());
        let (parent, started) = (fields.get(1)?.parse().ok()?, fields.get(19)?.parse().ok()?);
        Some(Self { pid, parent, started, words })
    }

    /// A process with all that descend from it.
    pub(crate) fn tree(root: u32, all: &[Self]) -> Vec<Self> {
        let mut below: BTreeMap<u32, Vec<&Self>> = BTreeMap::new();
        for process in all {
            below.entry(process.parent).or_default().push(process);
        }
        let mut found: Vec<Self> = all.iter().filter(|one| one.pid == root).cloned().collect();
        let mut next = 0;
        while let Some(process) = found.get(next) {
            found.extend(below.remove(&process.pid).into_iter().flatten().cloned());
            next += 1;
        }
        found
    }

    pub(crate) fn is(&self, other: &Self) -> bool {
        (self.pid, self.started) == (other.pid, other.started)
    }

    /// Whether a text is among its arguments or variables.
    pub(crate) fn says(&self, text: &str) -> bool {
        self.words.windows(text.len()).any(|window| window == text.as_bytes())
    }

    /// Whether it goes by this name, as the first of its arguments has it.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.words.split(|byte| *byte == 0).next() == Some(name.as_bytes())
    }

    /// The session folders it speaks of.
    pub(crate) fn sessions(&self) -> BTreeSet<String> {
        const PREFIX: &str = "/tmp/hermes-exec-";
        let text = String::from_utf8_lossy(&self.words);
        text.match_indices(PREFIX)
            .filter_map(|(at, _)| text.get(at..at + PREFIX.len() + 12).map(str::to_owned))
            .collect()
    }

    /// What is said of it when it should not be there.
    pub(crate) fn describe(&self) -> String {
        let words: Vec<u8> =
            self.words.iter().map(|byte| if *byte == 0 { b' ' } else { *byte }).collect();
        let words: String = String::from_utf8_lossy(&words).chars().take(300).collect();
        format!("process {} (child of {}): {words}", self.pid, self.parent)
    }
}

/// A program with our own variables.
pub(crate) fn program(file: &str) -> Command {
    let vars = Vars::from_process();
    Command::new(file).envs(vars.iter().map(|(name, value)| (name.to_owned(), value.to_owned())))
}

fn lines_of(command: Command) -> Vec<String> {
    let done = command.run_blocking().expect("it starts");
    assert!(done.success(), "{}", done.stderr.text());
    done.stdout.text().lines().map(str::to_owned).collect()
}

/// The containers of a profile, in whatever state.
pub(crate) fn containers_of(profile: &str) -> Vec<String> {
    let label = format!("label=hermes-profile={profile}");
    let shape = "container {{.Names}} {{.Status}}";
    lines_of(program("docker").args(["ps", "-a", "--format", shape, "--filter", &label]))
}

/// The instances that are recorded in a folder.
pub(crate) fn instances_of(records: &Path) -> Vec<String> {
    let apptainer = program("apptainer").env("APPTAINER_CONFIGDIR", records);
    let lines = lines_of(apptainer.args(["instance", "list"]));
    lines.into_iter().skip(1).map(|line| format!("instance {line}")).collect()
}

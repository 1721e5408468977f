//! Marks on what is made elsewhere for the tasks of a run, so that it is found when nobody looks after it any more.

use crate::environment::random_id;

/// Letters of a run's id in the names of its containers.
const SHORT: usize = 8;

/// Whose a container or a sandbox is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxMark {
    /// The run, by an id no other has: plain letters and digits.
    pub run: String,
    /// Which start of it. What has a lower number than the start that lives belongs to nobody.
    pub epoch: u64,
    /// The task, by a short name of plain letters and digits.
    pub task: String,
}

impl SandboxMark {
    /// The labels it is found by.
    pub(crate) fn labels(&self) -> [(&'static str, String); 3] {
        [
            (RUN_LABEL, self.run.clone()),
            (EPOCH_LABEL, self.epoch.to_string()),
            (TASK_LABEL, self.task.clone()),
        ]
    }

    /// A name that begins with whose it is. No two are the same: whoever ends what an attempt left behind must not meet
    /// the next attempt.
    pub(crate) fn name(&self) -> String {
        format!("{}{:06}-{}-{}", run_prefix(&self.run), self.epoch, self.task, &random_id()[..6])
    }
}

/// The label with the run.
pub(crate) const RUN_LABEL: &str = "hermes-run";
/// The label with the start.
pub(crate) const EPOCH_LABEL: &str = "hermes-epoch";
/// The label with the task.
const TASK_LABEL: &str = "hermes-task";

/// What the names of all that belongs to a run begin with.
pub(crate) fn run_prefix(run: &str) -> String {
    let short: String = run.chars().take(SHORT).collect();
    format!("hermes-{short}-")
}

/// The start that a name tells, if it is one of this run's.
pub(crate) fn epoch_of_name(name: &str, run: &str) -> Option<u64> {
    name.strip_prefix(&run_prefix(run))?.split('-').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_whose_it_is_and_no_two_are_the_same() {
        let mark = SandboxMark { run: "0123456789abcdef".into(), epoch: 7, task: "beef".into() };
        let name = mark.name();
        assert!(name.starts_with("hermes-01234567-000007-beef-"), "{name}");
        assert_ne!(mark.name(), name);
        assert_eq!(epoch_of_name(&name, &mark.run), Some(7));
        assert_eq!(epoch_of_name(&name, "76543210"), None);
        assert_eq!(epoch_of_name("hermes-01234567-x", &mark.run), None);
    }
}

//! How fast commands are judged: the labelled corpora of the guard's own tests, and texts made to
//! take long.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use hermes_guard::command::{CommandContext, analyse};
use serde::{Deserialize, Serialize};

use super::hostile;

/// Passes over a corpus are repeated until they have taken this long together.
const ENOUGH: Duration = Duration::from_secs(1);
/// The fastest of so many counts for a text made to take long.
const HOSTILE_RUNS: usize = 5;

const AROUND: CommandContext<'_> = CommandContext {
    home: Some("/home/user"),
    hermes_home: Some("/home/user/.hermes"),
    user: Some("user"),
    cwd: Some("/home/user/project"),
    temp_dir: Some("/tmp"),
    shell: None,
    earlier: None,
};

/// What judging takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Guard {
    /// Harmless commands in a second, on one core.
    pub(crate) everyday: f64,
    /// Dangerous ones.
    pub(crate) dangerous: f64,
    /// Texts made to take long.
    #[serde(default)]
    pub(crate) hostile: Vec<Hostile>,
}

/// One text made to take long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Hostile {
    pub(crate) name: String,
    pub(crate) ns: f64,
}

impl Guard {
    pub(super) fn best(self, other: Self) -> Self {
        let hostile = self.hostile.into_iter().zip(other.hostile);
        Self {
            everyday: self.everyday.max(other.everyday),
            dangerous: self.dangerous.max(other.dangerous),
            hostile: hostile
                .map(|(ours, other)| if ours.ns < other.ns { ours } else { other })
                .collect(),
        }
    }

    /// The text that takes longest.
    pub(crate) fn worst(&self) -> Option<&Hostile> {
        self.hostile.iter().max_by(|one, other| one.ns.total_cmp(&other.ns))
    }
}

/// Where the labelled commands are.
pub(super) fn corpus(name: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/hermes-guard/tests/corpora");
    Path::new(folder).join(name)
}

pub(super) fn measure() -> Result<Guard> {
    let (everyday, dangerous) = (commands("everyday.jsonl")?, commands("dangerous.jsonl")?);
    // A number for the wrong work is worthless.
    ensure!(share(&everyday) < 0.01, "everyday commands should pass");
    ensure!(share(&dangerous) > 0.98, "dangerous commands should be found");
    let hostile = hostile::texts()
        .into_iter()
        .map(|(name, text)| {
            let runs = (0..HOSTILE_RUNS).map(|_| took(std::slice::from_ref(&text)));
            let ns = runs.min().unwrap_or_default().as_nanos() as f64;
            Hostile { name: name.to_owned(), ns }
        })
        .collect();
    Ok(Guard { everyday: rate(&everyday), dangerous: rate(&dangerous), hostile })
}

/// The commands of a corpus that are judged by themselves, without a shell that remembers or commands before.
fn commands(name: &str) -> Result<Vec<String>> {
    let path = corpus(name);
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let mut commands = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let line: serde_json::Value = serde_json::from_str(line)?;
        let stands_alone = ["kept", "before", "steps"].iter().all(|key| line.get(key).is_none());
        if let (true, Some(command)) = (stands_alone, line["command"].as_str()) {
            commands.push(command.to_owned());
        }
    }
    ensure!(commands.len() > 1000, "{} should hold more commands", path.display());
    Ok(commands)
}

fn share(commands: &[String]) -> f64 {
    let found = commands.iter().filter(|command| analyse(command, &AROUND).is_dangerous());
    found.count() as f64 / commands.len() as f64
}

/// Commands in a second, in the fastest of the passes over all of them.
fn rate(commands: &[String]) -> f64 {
    let begun = Instant::now();
    let mut best = Duration::MAX;
    while begun.elapsed() < ENOUGH {
        best = best.min(took(commands));
    }
    commands.len() as f64 / best.as_secs_f64()
}

fn took(commands: &[String]) -> Duration {
    let start = Instant::now();
    for command in commands {
        black_box(analyse(black_box(command), &AROUND));
    }
    start.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_of_the_fastest_runs_is_the_worst() {
        let guard = |times: [f64; 2]| Guard {
            everyday: times[0],
            dangerous: times[1],
            hostile: ["quotes", "braces"]
                .into_iter()
                .zip(times)
                .map(|(name, ns)| Hostile { name: name.to_owned(), ns })
                .collect(),
        };
        let best = guard([1.0, 9.0]).best(guard([8.0, 4.0]));
        assert_eq!((best.everyday, best.dangerous), (8.0, 9.0));
        assert_eq!(best.worst(), Some(&Hostile { name: "braces".to_owned(), ns: 4.0 }));
    }
}

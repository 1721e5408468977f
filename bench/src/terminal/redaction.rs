//! How fast secrets are found and hidden.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use hermes_guard::redact::{RedactMode, redact};
use serde::{Deserialize, Serialize};

use super::texts::{Kind, secret_start};

/// How long each text is. The reference gets the beginning of it.
const BYTES: usize = 8 * 1024 * 1024;
/// The fastest of so many counts.
const RUNS: usize = 5;

/// Which secrets are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Depth {
    /// Everything, with guesses from names.
    Full,
    /// As in the output of a command that prints no variables.
    Terminal,
}

/// Bytes in a second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Speed {
    pub(crate) kind: Kind,
    pub(crate) depth: Depth,
    pub(crate) bytes_per_second: f64,
}

/// The faster of two rounds, text by text.
pub(super) fn best(one: Vec<Speed>, other: &[Speed]) -> Vec<Speed> {
    let pairs = one.into_iter().zip(other);
    let faster = |speed: Speed, other: &Speed| speed.bytes_per_second.max(other.bytes_per_second);
    pairs.map(|(speed, other)| Speed { bytes_per_second: faster(speed, other), ..speed }).collect()
}

/// Saves the texts for all sides.
pub(super) fn save_texts(folder: &Path) -> Result<()> {
    for kind in Kind::ALL {
        let path = folder.join(kind.file_name());
        let mut file =
            std::fs::File::create(&path).with_context(|| format!("making {}", path.display()))?;
        std::io::Write::write_all(&mut file, kind.text(BYTES).as_bytes())
            .with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}

pub(super) fn measure(folder: &Path) -> Result<Vec<Speed>> {
    let mut speeds = Vec::new();
    for kind in Kind::ALL {
        let path = folder.join(kind.file_name());
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("reading {}", path.display()))?;
        for (depth, mode) in [
            (Depth::Full, RedactMode::Full),
            (Depth::Terminal, RedactMode::Terminal { command: "cat a-file" }),
        ] {
            // A number for the wrong work is worthless.
            ensure!(text.contains(&secret_start()), "{} holds no secret", path.display());
            let clean = redact(&text, mode);
            ensure!(!clean.contains(&secret_start()), "a secret of {} is shown", path.display());
            let took = (0..RUNS).map(|_| took(&text, mode)).min().unwrap_or_default();
            let bytes_per_second = text.len() as f64 / took.as_secs_f64();
            speeds.push(Speed { kind, depth, bytes_per_second });
        }
    }
    Ok(speeds)
}

fn took(text: &str, mode: RedactMode<'_>) -> Duration {
    let start = Instant::now();
    black_box(redact(black_box(text), mode));
    start.elapsed()
}

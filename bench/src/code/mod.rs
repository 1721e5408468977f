//! Scripts that call tools: what an empty one costs, and how fast calls go.
//!
//! An empty script is compared with what nobody can beat: the same Python told to do nothing, started
//! and waited for by the plainest means, in turns with ours. Calls are counted by a script that reads
//! files, as a model would write it: one after the other, each answer decoded.

use std::io::Write as _;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::runtime::Runtime as Workers;

use crate::process::{bare_program, python};
use crate::report::{Baseline, Row, Target};
use crate::terminal::Rig;
use crate::timing::median;
use crate::units::Unit;

const EMPTY: Target = Target::Above(15e6);
const CALLS_PER_SECOND: Target = Target::AtLeast(5_000.0);

/// Runs of the empty script; the first are not counted.
const RUNS: usize = 60;
const WARM_UP: usize = 5;
/// Scripts that read files, and how many calls each makes.
const READERS: usize = 5;
const READS: usize = 10_000;
/// Files they read, and lines in each.
const FILES: usize = 100;
const LINES: usize = 100;

/// What was measured.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Numbers {
    /// Nanoseconds of the median `python3 -c pass`.
    bare: f64,
    /// Nanoseconds of the median call of the tool with an empty script.
    empty: f64,
    /// The best rate of calls in a second.
    calls: f64,
    /// The same from eight threads of one script.
    threaded: f64,
}

/// The rows and their targets.
pub(crate) fn rows(numbers: &Numbers) -> Vec<Row> {
    let Numbers { bare, empty, calls, threaded } = *numbers;
    let bare = Baseline::Measured(bare);
    vec![
        Row::new("empty script, vs python3 -c pass", Unit::Time, empty, bare, EMPTY),
        Row::new("read_file from a script", Unit::Rate, calls, Baseline::Skipped, CALLS_PER_SECOND),
        Row::new(
            "read_file from eight threads",
            Unit::Rate,
            threaded,
            Baseline::Skipped,
            Target::None,
        ),
    ]
}

/// Measures everything.
pub(crate) fn measure() -> Result<Numbers> {
    let folder = tempfile::tempdir().context("making a folder for the files")?;
    let python = python()?;
    let workers = Workers::new().context("starting the workers")?;
    let own = json!({
        "code_execution": {"max_tool_calls": 2 * READS, "python": python},
        // Nobody is there to be asked, and a script needs somebody's yes.
        "approvals": {"headless_mode": "approve"},
    });
    let rig = Rig::with(folder.path(), own)?;
    for number in 0..FILES {
        let path = folder.path().join(format!("{number}.txt"));
        let lines: String = (0..LINES).map(|line| format!("line {line} of {number}\n")).collect();
        std::fs::File::create_new(&path)
            .and_then(|mut file| file.write_all(lines.as_bytes()))
            .with_context(|| format!("writing {}", path.display()))?;
    }
    let run = |code: &str| -> Result<Value> {
        let answer = workers.block_on(rig.call_tool("execute_code", json!({"code": code})));
        let answer: Value = serde_json::from_str(&answer).context("the answer is no JSON")?;
        ensure!(answer["status"] == "success", "the script failed: {answer:.1000}");
        Ok(answer)
    };

    let (mut bare, mut empty) = (Vec::new(), Vec::new());
    for turn in 0..WARM_UP + RUNS {
        let start = Instant::now();
        let status = bare_program(&python).args(["-c", "pass"]).stdout(Stdio::null()).status()?;
        let plain = start.elapsed();
        ensure!(status.success(), "python3 failed: {status}");
        let start = Instant::now();
        run("pass")?;
        let ours = start.elapsed();
        if turn >= WARM_UP {
            bare.push(plain.as_nanos() as f64);
            empty.push(ours.as_nanos() as f64);
        }
    }
    let rate = |code: &str| -> Result<f64> {
        let mut best = 0.0_f64;
        for _ in 0..READERS {
            let answer = run(code)?;
            ensure!(answer["tool_calls_made"] == READS, "not every call was made: {answer}");
            let told = answer["output"].as_str().and_then(|text| text.trim().parse().ok());
            let seconds: f64 = told.context("the script did not tell its time")?;
            best = best.max(READS as f64 / seconds);
        }
        Ok(best)
    };
    let numbers = Numbers {
        bare: median(bare.into_iter()).context("nothing was measured")?,
        empty: median(empty.into_iter()).context("nothing was measured")?,
        calls: rate(&reader(1))?,
        threaded: rate(&reader(8))?,
    };
    workers.block_on(rig.close());
    Ok(numbers)
}

/// Reads lines of files and tells the seconds it took; a wrong answer fails it.
fn reader(threads: usize) -> String {
    let each = READS / threads;
    format!(
        r#"
import threading, time
from hermes_tools import read_file
def work(number):
    for call in range({each}):
        file, line = (call * 7 + number) % {FILES}, call % {LINES}
        answer = read_file(f"{{file}}.txt", offset=line + 1, limit=1)
        assert answer["content"] == f"{{line + 1}}|line {{line}} of {{file}}", answer
threads = [threading.Thread(target=work, args=(number,)) for number in range({threads})]
begun = time.perf_counter()
if {threads} == 1:
    work(0)
else:
    for thread in threads: thread.start()
    for thread in threads: thread.join()
print(time.perf_counter() - begun)
"#
    )
}

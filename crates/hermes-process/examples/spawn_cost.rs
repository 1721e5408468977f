//! What a command costs above the bare start of a program.
//!
//! Runs `/bin/true` and `bash -c true` again and again, through [`Command::run`] and through the
//! standard library, by turns (so that both meet the same weather), and prints the medians. Then
//! runs many at a time, and prints what that takes.
//!
//! ```text
//! cargo run --release -p hermes-process --example spawn_cost
//! ```
#![allow(clippy::print_stdout, reason = "a program that reports")]

use std::error::Error;
use std::process::Stdio;
use std::time::{Duration, Instant};

use hermes_process::{Command, prepare};

/// Runs of each kind.
const ROUNDS: usize = 500;
/// Runs at a time.
const MANY: usize = 1_000;

fn main() -> Result<(), Box<dyn Error>> {
    prepare()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for (title, words) in [
        ("/bin/true", ["/bin/true", ""].as_slice()),
        ("bash -c true", &["/bin/bash", "-c", "true"]),
    ] {
        let (program, args) = (words[0], &words[1..]);
        let (mut bare, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            bare.push(timed(|| bare_run(program, args))?);
            ours.push(timed(|| runtime.block_on(our_run(program, args)))?);
        }
        let (bare, ours) = (median(bare), median(ours));
        println!(
            "{title:<14} bare {bare:>9.1?}   through hermes-process {ours:>9.1?}   above {:>9.1?}",
            ours.saturating_sub(bare)
        );
    }
    runtime.block_on(many_at_a_time())
}

async fn many_at_a_time() -> Result<(), Box<dyn Error>> {
    let ours_before = proportional_kib(std::process::id())?;
    let begun = Instant::now();
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..MANY {
        calls.spawn(Command::new("/bin/sh").args(["-c", "sleep 5; echo x"]).run());
    }
    // All of them are started by then, and none has ended.
    tokio::time::sleep(Duration::from_secs(4)).await;
    let ours = proportional_kib(std::process::id())?.saturating_sub(ours_before);
    let (mut helpers, mut count) = (0, 0);
    for entry in std::fs::read_dir("/proc")? {
        let entry = entry?;
        let name = std::fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
        if name.trim() == "hermes-superv"
            && let Some(Ok(pid)) = entry.file_name().to_str().map(str::parse)
        {
            helpers += proportional_kib(pid).unwrap_or_default();
            count += 1;
        }
    }
    while let Some(done) = calls.join_next().await {
        done??;
    }
    println!(
        "{MANY} at a time, 5 s each: {:.1?} in all; {ours} KiB more of ours, {helpers} KiB in {count} \
         supervisors",
        begun.elapsed()
    );
    Ok(())
}

/// Memory of a process, pages shared with others counted in part.
fn proportional_kib(pid: u32) -> Result<u64, Box<dyn Error>> {
    let rollup = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    let line = rollup.lines().find(|line| line.starts_with("Pss:")).ok_or("no Pss")?;
    Ok(line.split_whitespace().nth(1).ok_or("no number")?.parse()?)
}

async fn our_run(program: &str, args: &[&str]) -> Result<(), Box<dyn Error>> {
    let done = Command::new(program).args(args.iter().copied()).run().await?;
    if done.success() { Ok(()) } else { Err(format!("{:?}", done.end).into()) }
}

#[expect(clippy::disallowed_methods, reason = "the thing compared with")]
fn bare_run(program: &str, args: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut command = std::process::Command::new(program);
    // Pipes as in the other case, `posix_spawn` underneath.
    let done = command.args(args).env_clear().stdin(Stdio::null()).output()?;
    if done.status.success() { Ok(()) } else { Err(done.status.to_string().into()) }
}

fn timed(run: impl FnOnce() -> Result<(), Box<dyn Error>>) -> Result<Duration, Box<dyn Error>> {
    let begun = Instant::now();
    run()?;
    Ok(begun.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

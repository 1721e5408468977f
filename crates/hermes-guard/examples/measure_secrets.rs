//! How well secrets are hidden: `cargo run -p hermes-guard --example measure_secrets -- [--list] [--groups] CORPUS…`
//!
//! A corpus has one JSON object a line: `text`, optionally `kind` (its group), and `secret`, which must not be
//! readable afterwards. A text without `secret` must stay as it is. Each is tried as a message, as a file and
//! as the output of a command, and counts as wrong when one of them is. With `--list` the wrong ones go
//! to stdout. Of a directory, the files are read as an agent reads them, and lines that change are counted.

#![allow(clippy::print_stdout, reason = "it is a program that prints")]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use hermes_guard::redact::{RedactMode, redact};
use serde_json::Value;

const MODES: [(&str, RedactMode<'static>); 3] = [
    ("message", RedactMode::Full),
    ("file", RedactMode::FileRead),
    ("output", RedactMode::Terminal { command: "cat settings" }),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (flags, files): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|arg| arg.starts_with("--"));
    let has = |flag: &str| flags.iter().any(|given| given == flag);
    for file in files {
        if Path::new(&file).is_dir() {
            let mut changed = Changed::default();
            below(Path::new(&file), has("--list"), &mut changed)?;
            let Changed { files, bytes, lines, seconds } = changed;
            let speed = bytes / 1e6 / seconds.max(1e-9);
            println!("{file}: {lines} lines of {files} files change; {speed:.0} MB/s");
            continue;
        }
        let mut groups: BTreeMap<String, (u32, u32)> = BTreeMap::new();
        let mut modes = [0_u32; MODES.len()];
        let (mut wrong, mut count) = (0_u32, 0_u32);
        for line in std::fs::read_to_string(&file)?.lines().filter(|line| !line.is_empty()) {
            let entry: Value = serde_json::from_str(line)?;
            let text = entry["text"].as_str().unwrap_or_default();
            let secret = entry["secret"].as_str();
            let kind = entry["kind"].as_str().unwrap_or("all");
            let group = groups.entry(kind.to_owned()).or_default();
            count += 1;
            group.1 += 1;
            let mut failed = Vec::new();
            for (index, (name, mode)) in MODES.into_iter().enumerate() {
                let clean = redact(text, mode);
                let fails = match secret {
                    Some(secret) => is_shown(&clean, secret),
                    None => clean != text,
                };
                if fails {
                    modes[index] += 1;
                    failed.push((name, clean));
                }
            }
            if let Some((_, clean)) = failed.first() {
                wrong += 1;
                group.0 += 1;
                if has("--list") {
                    let names: Vec<&str> = failed.iter().map(|(name, _)| *name).collect();
                    println!("[{kind}] {}\n  {text:?}", names.join(", "));
                    println!("  {}", secret.map_or_else(|| format!("{clean:?}"), str::to_owned));
                }
            }
        }
        let by_mode: Vec<String> =
            MODES.iter().zip(modes).map(|((name, _), count)| format!("{name} {count}")).collect();
        println!("{file}: {wrong} of {count} wrong ({})", by_mode.join(", "));
        if has("--groups") {
            for (kind, (wrong, count)) in groups.iter().filter(|(_, (wrong, _))| *wrong > 0) {
                println!("    {wrong:3} of {count:3} {kind}");
            }
        }
    }
    Ok(())
}

/// What reading a directory shows.
#[derive(Default)]
struct Changed {
    files: u32,
    bytes: f64,
    lines: u32,
    seconds: f64,
}

#[expect(clippy::cast_precision_loss, reason = "sizes of files are small")]
fn below(directory: &Path, list: bool, changed: &mut Changed) -> std::io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            below(&path, list, changed)?;
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let start = Instant::now();
        let clean = redact(&text, RedactMode::FileRead);
        changed.seconds += start.elapsed().as_secs_f64();
        changed.files += 1;
        changed.bytes += text.len() as f64;
        for (line, clean) in text.lines().zip(clean.lines()).filter(|(line, clean)| line != clean) {
            changed.lines += 1;
            if list {
                println!("{}\n  {line:.200}\n  {clean:.200}", path.display());
            }
        }
    }
    Ok(())
}

/// Whether more of a secret can be read than the ends that a mask shows.
fn is_shown(text: &str, secret: &str) -> bool {
    let inner = secret.get(8..secret.len().saturating_sub(6));
    text.contains(secret) || secret.len() >= 24 && inner.is_some_and(|inner| text.contains(inner))
}

//! How skills are judged: `cargo run -p hermes-guard --example measure_skills -- [--show VERDICT] DIR…`
//!
//! Every folder with a `SKILL.md` below a directory is one skill; a directory without any holds one skill
//! per subfolder. Counts of verdicts and the speed go to stdout, one line per directory. With `--show`,
//! skills of that verdict (`safe`, `caution`, `dangerous`) are named with their heaviest findings;
//! `--all` adds the light ones, `--ids` counts which rules made the verdicts.

#![allow(clippy::print_stdout, reason = "it is a program that prints")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hermes_guard::skill_scan::{BundleEntry, SkillReport, SkillSeverity, scan};

/// Findings shown of one skill.
const SHOWN: usize = 6;

fn main() -> std::io::Result<()> {
    let mut shown = Vec::new();
    let (mut ids, mut least) = (false, SkillSeverity::High);
    let mut directories = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--show" => shown.extend(arguments.next()),
            "--ids" => ids = true,
            "--all" => least = SkillSeverity::Low,
            _ => directories.push(PathBuf::from(argument)),
        }
    }
    for directory in directories {
        measure(&directory, &shown, ids, least)?;
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn measure(
    directory: &Path,
    shown: &[String],
    ids: bool,
    least: SkillSeverity,
) -> std::io::Result<()> {
    let mut verdicts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut bytes, mut spent) = (0, Duration::ZERO);
    let skills = skills(directory)?;
    for skill in &skills {
        let mut files = Vec::new();
        read(skill, skill, &mut files)?;
        let entries: Vec<BundleEntry<'_>> =
            files.iter().map(|(path, bytes)| BundleEntry::file(path, bytes)).collect();
        let start = Instant::now();
        let report = scan(&entries);
        spent += start.elapsed();
        bytes += report.bytes;
        *verdicts.entry(report.verdict.as_str()).or_default() += 1;
        let mut named: Vec<&str> =
            heavy(&report, SkillSeverity::High).map(|finding| finding.pattern_id).collect();
        named.sort_unstable();
        named.dedup();
        named.into_iter().for_each(|id| *rules.entry(id).or_default() += 1);
        if shown.iter().any(|verdict| verdict == report.verdict.as_str()) {
            println!("{} {}", report.verdict, skill.display());
            for finding in heavy(&report, least).take(SHOWN) {
                println!(
                    "    {} {} {}:{} {:?}",
                    finding.severity,
                    finding.pattern_id,
                    finding.file,
                    finding.line,
                    finding.matched
                );
            }
        }
    }
    let speed = bytes as f64 / 1e6 / spent.as_secs_f64().max(1e-9);
    let share = |verdict: &str| {
        let count = verdicts.get(verdict).copied().unwrap_or_default();
        format!("{count} {verdict} ({:.1} %)", 100.0 * count as f64 / skills.len().max(1) as f64)
    };
    println!(
        "{}: {} skills, {}, {}, {}; {:.1} MB, {speed:.1} MB/s",
        directory.display(),
        skills.len(),
        share("safe"),
        share("caution"),
        share("dangerous"),
        bytes as f64 / 1e6,
    );
    if ids {
        for (id, count) in rules {
            println!("    {count:4} {id}");
        }
    }
    Ok(())
}

fn heavy(
    report: &SkillReport,
    least: SkillSeverity,
) -> impl Iterator<Item = &hermes_guard::skill_scan::SkillFinding> {
    report.findings.iter().filter(move |finding| finding.severity >= least)
}

fn skills(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    below(directory, &mut found)?;
    if found.is_empty() {
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

fn below(directory: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if directory.join("SKILL.md").is_file() {
        found.push(directory.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            below(&entry.path(), found)?;
        }
    }
    Ok(())
}

fn read(root: &Path, directory: &Path, files: &mut Vec<(String, Vec<u8>)>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            read(root, &entry.path(), files)?;
        } else if kind.is_file() {
            let path = entry.path();
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            files.push((name, std::fs::read(&path)?));
        }
    }
    files.sort();
    Ok(())
}

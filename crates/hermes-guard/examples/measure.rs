//! How well commands are judged: `cargo run -p hermes-guard --example measure -- CORPUS…`
//!
//! A corpus has one JSON object a line: `command`, optionally `category` or `kind` (its group),
//! `floor` (it must never run), `kept` (what earlier commands left in the shell, as bash lists it) and
//! `before` (those commands themselves). `steps` are all commands of a sequence instead; a line that is a
//! JSON string is a command alone, and so is every line of a file that is no `.jsonl`. Commands fall into
//! two halves by a hash of their text: rules are tuned on one, and figures are for the other. What is
//! asked, per half and group (`--groups`), goes to stdout; with `--asked`, `--passed` or `--refused` such
//! commands themselves do, too (`--reported`: of the half for figures only).

#![allow(clippy::print_stdout, reason = "it is a program that prints")]

use std::collections::BTreeMap;

use hermes_guard::command::CommandContext;
use serde_json::Value;

#[path = "../tests/corpora/halves.rs"]
mod halves;
#[path = "../tests/corpora/sequence.rs"]
mod sequence;

/// Commands, how many of them are asked about and how many are refused for ever.
#[derive(Clone, Copy, Default)]
struct Tally {
    commands: u32,
    asked: u32,
    refused: u32,
}

impl Tally {
    fn print(&self, name: &str) {
        let share = 100.0 * f64::from(self.asked) / f64::from(self.commands.max(1));
        let Self { commands, asked, refused } = self;
        println!("{share:6.2} %  {asked:6} of {commands:6} asked, {refused:4} never run  {name}");
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (flags, files): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|arg| arg.starts_with("--"));
    let has = |flag: &str| flags.iter().any(|given| given == flag);
    for file in files {
        let mut halves = [Tally::default(); 2];
        let mut all = Tally::default();
        let mut groups: BTreeMap<String, Tally> = BTreeMap::new();
        for line in std::fs::read_to_string(&file)?.lines().filter(|line| !line.is_empty()) {
            let entry: Value = match file.ends_with(".jsonl") {
                true => serde_json::from_str(line)?,
                false => Value::from(line),
            };
            let commands = sequence::commands(&entry);
            let last = commands.last().copied().unwrap_or_default();
            let analysis = sequence::judge(&entry, &CommandContext { ..halves::PLACE });
            let asked = analysis.is_dangerous();
            let reported = halves::is_reported(last);
            let group = entry["category"].as_str().or(entry["kind"].as_str()).unwrap_or("all");
            let group = groups.entry(group.to_owned()).or_default();
            for tally in [&mut halves[usize::from(reported)], group, &mut all] {
                tally.commands += 1;
                tally.asked += u32::from(asked);
                tally.refused += u32::from(analysis.is_floor());
            }
            let wanted = has(if asked { "--asked" } else { "--passed" })
                || has("--refused") && analysis.is_floor();
            if wanted && has("--reported") <= reported {
                let keys: Vec<&str> =
                    analysis.findings.iter().map(|found| found.category).collect();
                let shown = commands.join(" ⏎ ");
                println!("{} {shown:?} {}", if reported { "R" } else { "T" }, keys.join(", "));
            }
        }
        println!("{file}");
        halves[0].print("half for tuning");
        halves[1].print("half for reporting");
        all.print("together");
        if has("--groups") {
            for (name, tally) in groups {
                tally.print(&name);
            }
        }
    }
    Ok(())
}

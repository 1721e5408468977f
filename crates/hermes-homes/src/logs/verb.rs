//! `hermes logs`.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use hermes_guard::redact::{RedactMode, Redactor};
use hermes_host::Host;
use hermes_store::UnknownName;
use jiff::civil::DateTime;
use jiff::{SignedDuration, Zoned};

use super::LogSeverity;
use super::read::LogLine;

/// How often a log that is followed is looked at.
const EVERY: Duration = Duration::from_millis(200);
/// Longest line that is shown, in bytes.
const LONGEST_LINE: u64 = 1024 * 1024;
const LIST: &str = "list";

/// Which lines of which file.
#[derive(Clone, Debug, Args)]
pub struct LogsArgs {
    /// The file: agent, errors, or another of the folder; `list` shows them
    #[arg(default_value = "agent")]
    name: String,
    /// How many lines from the end
    #[arg(short = 'n', long, default_value_t = 50)]
    lines: usize,
    /// Go on with what is written from now on, until Ctrl-C
    #[arg(short, long)]
    follow: bool,
    /// Only lines of this level and worse
    #[arg(long, value_name = "LEVEL", ignore_case = true)]
    level: Option<LogSeverity>,
    /// Only lines of this part of the program: gateway, agent, cron, mcp, …
    #[arg(long, value_name = "NAME")]
    component: Option<String>,
    /// Only lines that are not older: 30m, 2h, 1d
    #[arg(long, value_name = "TIME", value_parser = span)]
    since: Option<SignedDuration>,
    /// Print a JSON object a line, for programs
    #[arg(long)]
    json: bool,
}

fn span(text: &str) -> Result<SignedDuration, String> {
    let last = text.char_indices().next_back().map_or(0, |(at, _)| at);
    let (number, unit) = text.split_at(last);
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return Err("write a number and s, m, h or d: 30m".to_owned()),
    };
    let number: i64 =
        number.parse().map_err(|_| "write a number and s, m, h or d: 30m".to_owned())?;
    let seconds = number.checked_mul(seconds).ok_or("that is too long")?;
    Ok(SignedDuration::from_secs(seconds))
}

/// Which lines are shown.
struct Sieve {
    level: Option<LogSeverity>,
    component: Option<String>,
    since: Option<DateTime>,
}

impl Sieve {
    fn lets(&self, line: &LogLine) -> bool {
        self.level.is_none_or(|level| line.level.is_some_and(|own| own >= level))
            && self
                .component
                .as_deref()
                .is_none_or(|name| line.component.as_deref().is_some_and(|own| own == name))
            && self.since.is_none_or(|since| line.moment().is_some_and(|moment| moment >= since))
    }
}

/// Prints lines of a log, one by one, each without secrets; does not end when it follows one, unless the reader goes away.
///
/// # Errors
/// If there is no such log, or it cannot be read.
pub fn print(
    args: &LogsArgs,
    host: &Host,
    show: &mut dyn FnMut(&str) -> io::Result<()>,
) -> anyhow::Result<()> {
    let folder = host.home().logs();
    if args.name == LIST {
        for (name, bytes) in logs(&folder) {
            show(&format!("{name:<24} {bytes:>10} bytes"))?;
        }
        return Ok(());
    }
    let file = find(&folder, &args.name, args.follow)?;
    let since = args.since.and_then(|span| Zoned::now().datetime().checked_sub(span).ok());
    let sieve = Sieve { level: args.level, component: args.component.clone(), since };
    let redactor = host.redactor();
    let mut print = |line: &LogLine| show(&shown(line, args.json, redactor));
    let mut reader = LogReader::open(&file, 0)?;
    let mut last = VecDeque::with_capacity(args.lines.min(1_000));
    while let Some(line) = reader.next()? {
        if !sieve.lets(&line) {
            continue;
        }
        last.push_back(line);
        if last.len() > args.lines {
            last.pop_front();
        }
    }
    last.iter().try_for_each(&mut print)?;
    if !args.follow {
        return Ok(());
    }
    loop {
        while let Some(line) = reader.next()? {
            if sieve.lets(&line) {
                print(&line)?;
            }
        }
        std::thread::sleep(EVERY);
        reader.turn_page(&file)?;
    }
}

fn shown(line: &LogLine, json: bool, redactor: Redactor) -> String {
    let hide = |text: &str| redactor.redact(text, RedactMode::Full).into_owned();
    if json {
        let line = LogLine { text: hide(&line.text), ..line.clone() };
        return serde_json::to_string(&line).unwrap_or_default();
    }
    // What was logged may hold what a terminal takes for an order.
    hide(&line.raw).chars().filter(|c| !c.is_control() || *c == '\t').collect()
}

/// The log files of a folder with their sizes.
fn logs(folder: &Path) -> Vec<(String, u64)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<(String, u64)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let about = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            (name.ends_with(".log") || name.ends_with(".jsonl")).then_some((name, about.len()))
        })
        .collect();
    found.sort();
    found
}

fn find(folder: &Path, name: &str, may_come: bool) -> anyhow::Result<PathBuf> {
    let stem = |file: &str| file.trim_end_matches(".log").trim_end_matches(".jsonl").to_owned();
    let known = logs(folder);
    if let Some((file, _)) = known.iter().find(|(file, _)| file == name || stem(file) == name) {
        return Ok(folder.join(file));
    }
    if ["agent", "errors"].contains(&stem(name).as_str()) {
        if may_come {
            return Ok(folder.join(format!("{}.log", stem(name))));
        }
        bail!(
            "nothing was written down yet: there is no {}",
            folder.join(format!("{}.log", stem(name))).display()
        );
    }
    let names: Vec<String> = known.iter().map(|(file, _)| stem(file)).collect();
    let there = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    Err(UnknownName(format!("there is no log {name:?}; there are: {there}")).into())
}

/// Reads the lines of a file that grows.
struct LogReader {
    reader: Option<BufReader<File>>,
    inode: u64,
    /// A line whose end is not there yet.
    begun: String,
    before: Option<LogLine>,
}

impl LogReader {
    fn open(path: &Path, from: u64) -> anyhow::Result<Self> {
        let mut fresh = Self { reader: None, inode: 0, begun: String::new(), before: None };
        match File::open(path) {
            Ok(mut file) => {
                fresh.inode = file.metadata()?.ino();
                file.seek(SeekFrom::Start(from))?;
                fresh.reader = Some(BufReader::new(file));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| format!("read {}", path.display())),
        }
        Ok(fresh)
    }

    fn next(&mut self) -> io::Result<Option<LogLine>> {
        let Some(reader) = self.reader.as_mut() else { return Ok(None) };
        let mut bytes = Vec::new();
        let count = reader.take(LONGEST_LINE).read_until(b'\n', &mut bytes)?;
        self.begun.push_str(&String::from_utf8_lossy(&bytes));
        let is_whole = bytes.ends_with(b"\n") || self.begun.len() as u64 >= LONGEST_LINE;
        if count == 0 || !is_whole {
            return Ok(None);
        }
        let line = LogLine::read(self.begun.trim_end_matches(['\n', '\r']), self.before.as_ref());
        self.begun.clear();
        self.before = Some(line.clone());
        Ok(Some(line))
    }

    /// Goes on in the new file if the old one was set aside or emptied.
    fn turn_page(&mut self, path: &Path) -> anyhow::Result<()> {
        let Ok(about) = fs::metadata(path) else { return Ok(()) };
        let position = match self.reader.as_mut() {
            Some(reader) => reader.stream_position()?,
            None => 0,
        };
        if self.reader.is_none() || about.ino() != self.inode || about.len() < position {
            // What was written to the old one until it was set aside was read before.
            *self = Self::open(path, 0)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn spans_are_numbers_with_a_unit() {
        assert_eq!(span("30m").unwrap().as_secs(), 1_800);
        for bad in ["", "m", "3", "3x", "-", "99999999999999999d", "é"] {
            assert!(span(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_line_counts_when_it_is_whole_and_a_new_file_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.log");
        let mut reader = LogReader::open(&path, 0).unwrap();
        assert!(reader.next().unwrap().is_none());
        let mut file = File::create(&path).unwrap();
        reader.turn_page(&path).unwrap();
        write!(file, "half a").unwrap();
        assert!(reader.next().unwrap().is_none());
        writeln!(file, " line").unwrap();
        assert_eq!(reader.next().unwrap().unwrap().raw, "half a line");
        fs::rename(&path, folder.path().join("agent.log.1")).unwrap();
        writeln!(File::create(&path).unwrap(), "anew").unwrap();
        reader.turn_page(&path).unwrap();
        assert_eq!(reader.next().unwrap().unwrap().raw, "anew");
    }
}

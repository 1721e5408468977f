//! Lines at the end of log files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use hermes_store::atomic::PRIVATE_MODE;
use hermes_store::home::{Home, ensure_private_dir};
use hermes_store::lock::{FileLock, Wait, lock_path};

use super::LogSeverity;

/// When a log file has grown past this, a new one is begun.
const MAX_BYTES: u64 = 5 * 1024 * 1024;
/// How many old ones are kept of each.
const KEPT: u32 = 3;

/// The two log files of a home. Made with the first line; several processes may write to them.
///
/// What cannot be written is lost without a word: a log must not keep the program from its work.
#[derive(Debug)]
pub struct LogFiles {
    agent: LogFile,
    errors: LogFile,
}

impl LogFiles {
    /// Those of this home. Touches nothing.
    #[must_use]
    pub fn of(home: &Home) -> Self {
        let file = |name: &str| LogFile {
            path: home.logs().join(name),
            max_bytes: MAX_BYTES,
            open: Mutex::new(None),
        };
        Self { agent: file("agent.log"), errors: file("errors.log") }
    }

    /// Adds a line. Secrets must be out of it already.
    pub fn write(&self, level: LogSeverity, component: &str, text: &str) {
        let now = jiff::Zoned::now();
        let moment = now.strftime("%Y-%m-%d %H:%M:%S");
        let milliseconds = now.millisecond();
        let text = text.trim_end();
        let line = format!("{moment},{milliseconds:03} {} {component}: {text}\n", level.word());
        let _ = self.agent.append(&line);
        if level >= LogSeverity::Warning {
            let _ = self.errors.append(&line);
        }
    }
}

#[derive(Debug)]
struct LogFile {
    path: PathBuf,
    max_bytes: u64,
    open: Mutex<Option<File>>,
}

impl LogFile {
    /// Writes a line in one go, so that lines of several processes do not mix.
    fn append(&self, line: &str) -> io::Result<()> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let is_current = match &*open {
            Some(file) => is_same(file, &self.path),
            None => false,
        };
        if !is_current {
            *open = Some(self.begin()?);
        }
        let Some(file) = open.as_mut() else { return Ok(()) };
        file.write_all(line.as_bytes())?;
        if file.metadata()?.len() > self.max_bytes {
            *open = None;
            self.set_aside()?;
        }
        Ok(())
    }

    fn begin(&self) -> io::Result<File> {
        if let Some(folder) = self.path.parent() {
            ensure_private_dir(folder).map_err(io::Error::other)?;
        }
        OpenOptions::new().append(true).create(true).mode(PRIVATE_MODE).open(&self.path)
    }

    /// `agent.log` becomes `agent.log.1`, that `agent.log.2`; the oldest goes.
    fn set_aside(&self) -> io::Result<()> {
        let lock = lock_path(&self.path);
        let _lock = FileLock::acquire(&lock, Wait::Never).map_err(io::Error::other)?;
        // Somebody else may have done it meanwhile.
        if fs::metadata(&self.path)?.len() <= self.max_bytes {
            return Ok(());
        }
        for number in (1..KEPT).rev() {
            let _ = fs::rename(numbered(&self.path, number), numbered(&self.path, number + 1));
        }
        fs::rename(&self.path, numbered(&self.path, 1))
    }
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

/// Whether the open file is still the one of that name.
fn is_same(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => open.dev() == named.dev() && open.ino() == named.ino(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(folder: &Path, max_bytes: u64) -> LogFile {
        LogFile { path: folder.join("logs/agent.log"), max_bytes, open: Mutex::new(None) }
    }

    #[test]
    fn a_long_log_is_set_aside_and_three_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let log = file(folder.path(), 9);
        for number in 0..6 {
            log.append(&format!("line {number}\n")).unwrap();
            log.append("x\nyz\n").unwrap();
        }
        let mut names: Vec<String> = fs::read_dir(folder.path().join("logs"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !name.contains("lock"))
            .collect();
        names.sort();
        assert_eq!(names, ["agent.log.1", "agent.log.2", "agent.log.3"]);
        let newest = fs::read_to_string(folder.path().join("logs/agent.log.1")).unwrap();
        assert_eq!(newest, "line 5\nx\nyz\n");
    }

    /// Who has the file open while another sets it aside writes into the new one afterwards.
    #[test]
    fn a_log_that_was_set_aside_by_another_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (file(folder.path(), 1000), file(folder.path(), 5));
        one.append("first\n").unwrap();
        other.append("second\n").unwrap();
        one.append("third\n").unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join("logs").join(name)).unwrap();
        assert_eq!(
            (read("agent.log.1"), read("agent.log")),
            ("first\nsecond\n".into(), "third\n".into())
        );
    }

    #[test]
    fn only_what_went_wrong_is_among_the_errors() {
        let folder = tempfile::tempdir().unwrap();
        let files = LogFiles::of(&Home::at(folder.path()));
        files.write(LogSeverity::Info, "gateway", "connected");
        files.write(LogSeverity::Error, "agent", "no answer\n");
        let read = |name: &str| fs::read_to_string(folder.path().join("logs").join(name)).unwrap();
        assert!(read("agent.log").contains(" INFO gateway: connected\n"), "{}", read("agent.log"));
        assert!(read("errors.log").ends_with(" ERROR agent: no answer\n"));
        assert_eq!(read("errors.log").lines().count(), 1);
    }
}

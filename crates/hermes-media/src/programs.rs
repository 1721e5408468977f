//! Programs on this machine that do part of the work.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use hermes_process::{CaptureLimit, Command};
use hermes_tool::Vars;

/// Variables that programs see: where things are, and in which language.
const PASSED: [&str; 8] =
    ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "XDG_DATA_HOME", "XDG_CACHE_HOME", "USER"];
/// Most characters of what a program says.
const MAX_SAID: usize = 4_000;

/// The program of this name in the folders of `PATH`, or at this path if it is one.
pub(crate) fn find(name: &str, vars: &Vars) -> Option<PathBuf> {
    let is_program = |path: &Path| {
        path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| is_program(path));
    }
    let folders = std::env::split_paths(vars.get("PATH")?).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|path| is_program(path))
}

/// A program with the few variables it may see, and its words bounded.
pub(crate) fn command(program: impl Into<std::ffi::OsString>, vars: &Vars) -> Command {
    let passed = PASSED.iter().filter_map(|name| Some((*name, vars.get(name)?)));
    let passed: Vec<(String, String)> =
        passed.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Command::new(program).envs(passed).capture(CaptureLimit::chars(MAX_SAID))
}

/// A folder for what goes into a program and what comes out. It is gone when it is dropped.
pub(crate) struct Scratch(tempfile::TempDir);

impl Scratch {
    pub(crate) fn new() -> io::Result<Self> {
        tempfile::Builder::new().prefix("hermes-media-").tempdir().map(Self)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file for the program to read.
    pub(crate) fn input(&self, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = self.path(name);
        File::create(&path)?.write_all(bytes)?;
        Ok(path)
    }

    /// Reads what the program wrote, if it is there and has at most so many bytes.
    pub(crate) fn output(&self, name: &str, most: usize) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(self.path(name)).ok()?.take(most as u64 + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() <= most).then_some(bytes)
    }
}

/// The last words of a program that failed.
pub(crate) fn last_words(finished: &hermes_process::FinishedProcess) -> String {
    let said = finished.stderr.text();
    let said = if said.trim().is_empty() { finished.stdout.text() } else { said };
    let line = said.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let line: String = line.unwrap_or_default().chars().take(300).collect();
    if line.is_empty() { format!("it ended with {:?}", finished.end) } else { line }
}

/// Puts values into a command line, each quoted, in one pass: a value is not looked into for further places.
pub(crate) fn fill(line: &str, values: &[(&str, &str)]) -> Option<String> {
    let mut filled = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('{') {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        match values.iter().find(|(place, _)| rest.starts_with(place)) {
            Some((place, value)) => {
                filled.push_str(&shlex::try_quote(value).ok()?);
                rest = &rest[place.len()..];
            }
            None => {
                filled.push('{');
                rest = &rest[1..];
            }
        }
    }
    filled.push_str(rest);
    Some(filled)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_are_quoted_and_not_looked_into() {
        let values = [("{voice}", "a b; rm -rf /"), ("{model}", "{voice}")];
        let filled = fill("say -v {voice} -m {model} {other} ${x}", &values).unwrap();
        assert_eq!(filled, "say -v 'a b; rm -rf /' -m '{voice}' {other} ${x}");
    }

    proptest! {
        #[test]
        fn a_value_is_one_word_whatever_it_holds(value in "[^\0]*") {
            let filled = fill("say {voice}", &[("{voice}", &value)]).unwrap();
            prop_assert_eq!(shlex::split(&filled).unwrap(), vec!["say".to_owned(), value]);
        }
    }
}

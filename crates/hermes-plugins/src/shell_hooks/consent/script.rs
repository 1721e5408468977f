//! Whether the script behind a command is still the one that was agreed to.

use std::fmt;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};

use crate::shell_hooks::words::Words;

/// How every compiled program begins.
const COMPILED: &[u8; 4] = b"\x7fELF";

/// Times nearer than this are the same: file systems and other writers of the list round them.
const ROUNDING: SignedDuration = SignedDuration::from_millis(1);

/// How a script stands to its approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptState {
    /// It has not been touched since.
    Unchanged,
    /// It was written to after it was approved.
    Changed {
        /// Its time of change when it was approved.
        approved: Timestamp,
        /// Its time of change now.
        now: Timestamp,
    },
    /// It was there when it was approved and is not now.
    Missing,
    /// No script was noted: the command names none by its full path.
    Unknown,
}

impl ScriptState {
    /// Whether nothing speaks against the approval.
    #[must_use]
    pub fn is_as_approved(&self) -> bool {
        matches!(self, Self::Unchanged | Self::Unknown)
    }

    pub(super) fn compare(approved: Option<Timestamp>, now: Option<Timestamp>) -> Self {
        match (approved, now) {
            (None, _) => Self::Unknown,
            (Some(_), None) => Self::Missing,
            (Some(approved), Some(now)) => {
                if now.duration_since(approved).abs() < ROUNDING {
                    Self::Unchanged
                } else {
                    Self::Changed { approved, now }
                }
            }
        }
    }
}

impl fmt::Display for ScriptState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unchanged | Self::Unknown => f.write_str("as approved"),
            Self::Changed { now, .. } => {
                write!(
                    f,
                    "its script was changed on {} after it was approved",
                    now.strftime("%F %T")
                )
            }
            Self::Missing => f.write_str("its script is gone"),
        }
    }
}

/// The script a command runs, among the files it names by their full path: the first that is not a
/// compiled program (`/usr/bin/python3 /home/ada/hook.py`), else the first.
///
/// Relative names are passed over. They mean another file in another directory, so nothing could be
/// said about them later.
#[must_use]
pub fn script_of(command: &str, user_folder: Option<&str>) -> Option<PathBuf> {
    let words = Words::split(command, user_folder).ok()?;
    let mut files =
        words.iter().map(Path::new).filter(|path| path.is_absolute() && path.is_file()).peekable();
    let first = files.peek().copied();
    files.find(|path| !is_compiled(path)).or(first).map(Path::to_path_buf)
}

/// When the script of a command was last changed, if it names one.
#[must_use]
pub fn modified(command: &str, user_folder: Option<&str>) -> Option<Timestamp> {
    let script = script_of(command, user_folder)?;
    Timestamp::try_from(fs::metadata(script).ok()?.modified().ok()?).ok()
}

fn is_compiled(path: &Path) -> bool {
    let mut start = [0; COMPILED.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *COMPILED
}

#[cfg(test)]
mod tests {
    use super::*;
    use hermes_store::atomic::{WriteOptions, write};

    #[test]
    fn the_script_is_found_behind_its_interpreter() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_str().unwrap();
        let script = folder.path().join("hook.py");
        write(&script, b"print()", WriteOptions::KEEP).unwrap();
        write(&folder.path().join("interpreter"), b"\x7fELF...", WriteOptions::KEEP).unwrap();
        for command in ["~/hook.py --fast", "~/interpreter ~/hook.py", "python3 -u ~/hook.py"] {
            assert_eq!(script_of(command, Some(home)).as_ref(), Some(&script), "{command}");
        }
        assert_eq!(
            script_of("~/interpreter -c x", Some(home)),
            Some(folder.path().join("interpreter"))
        );
        for command in ["hook.py", "./hook.py", "~/none.py", "~", "'"] {
            assert_eq!(script_of(command, Some(home)), None, "{command}");
        }
    }

    #[test]
    fn times_are_compared_with_room_for_rounding() {
        let at = |nanos: i128| Timestamp::from_nanosecond(1_700_000_000_000_000_000 + nanos).ok();
        assert_eq!(ScriptState::compare(at(0), at(999_999)), ScriptState::Unchanged);
        assert_eq!(ScriptState::compare(at(999_999), at(0)), ScriptState::Unchanged);
        for (then, now) in [(0, 1_000_000), (5_000_000, 0)] {
            let state = ScriptState::compare(at(then), at(now));
            assert!(matches!(state, ScriptState::Changed { .. }), "{state:?}");
        }
        assert_eq!(ScriptState::compare(at(0), None), ScriptState::Missing);
        assert_eq!(ScriptState::compare(None, at(0)), ScriptState::Unknown);
    }
}

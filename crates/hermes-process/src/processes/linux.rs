//! The processes that `/proc` shows.

use std::ffi::CStr;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::str::FromStr;

use nix::fcntl::{OFlag, open};
use nix::libc;
use nix::sys::stat::Mode;
use nix::unistd::{getpid, read};

use super::{Listed, MAX_DEPTH, Process};

/// What `/proc` says of one process, if it exists.
pub(crate) fn look_up(pid: i32) -> Option<Process> {
    let mut path = [0; 32];
    read_stat(stat_path(pid, &mut path)?)
}

/// Whether a process above us goes by this name.
#[cfg_attr(hermes_portable, expect(dead_code, reason = "names are for Linux to give"))]
pub(crate) fn has_ancestor_named(name: &[u8]) -> bool {
    let mut pid = nix::unistd::getppid().as_raw();
    for _ in 0..MAX_DEPTH {
        let mut path = [0; 32];
        let Some(file) = stat_path(pid, &mut path).and_then(|path| open_read(path, OFlag::empty()))
        else {
            return false;
        };
        let mut line = [0; 512];
        let filled = read(file.as_fd(), &mut line).unwrap_or_default();
        let line = line.get(..filled).unwrap_or_default();
        let Some(process) = parse_stat(line) else { return false };
        if name_in(line) == Some(name) {
            return true;
        }
        if process.parent <= 0 {
            return false;
        }
        pid = process.parent;
    }
    false
}

/// The name in a line of `/proc/PID/stat`.
fn name_in(line: &[u8]) -> Option<&[u8]> {
    let open = line.iter().position(|byte| *byte == b'(')?;
    let close = line.iter().rposition(|byte| *byte == b')')?;
    line.get(open + 1..close)
}

/// Whether `/proc` is about our processes.
pub(super) fn is_about_us() -> bool {
    read_stat(c"/proc/self/stat").map(|own| own.pid) == Some(getpid().as_raw())
}

/// The names of the program that a process runs: the file's, and the one the process goes by.
pub(crate) fn program_names(pid: i32) -> Vec<String> {
    let folder = std::path::PathBuf::from(format!("/proc/{pid}"));
    let file = std::fs::read_link(folder.join("exe")).ok();
    let file = file.and_then(|file| Some(file.file_name()?.to_string_lossy().into_owned()));
    let name = std::fs::read_to_string(folder.join("comm")).ok();
    file.into_iter().chain(name.map(|name| name.trim_end().to_owned())).collect()
}

/// Calls `act` for the number of each process there is.
pub(crate) fn each_pid(act: impl FnMut(i32)) {
    each_numbered(c"/proc", act);
}

/// Calls `act` for each child of each thread of a process, until it says no.
pub(crate) fn each_child(pid: i32, mut act: impl FnMut(i32) -> bool) -> Listed {
    let mut path = [0; 64];
    let Some(tasks) = written(&mut path, format_args!("/proc/{pid}/task\0")) else {
        return Listed::NotKept;
    };
    let mut end = Listed::NoProcess;
    each_numbered(tasks, |thread| {
        if matches!(end, Listed::NotKept | Listed::TooMany) {
            return;
        }
        let mut path = [0; 64];
        let name = format_args!("/proc/{pid}/task/{thread}/children\0");
        let file = written(&mut path, name).and_then(|path| open_read(path, OFlag::empty()));
        end = match file {
            Some(file) => each_number(&file, &mut act),
            // Either the thread has ended, or the kernel keeps no lists.
            None if look_up(thread).is_some() => Listed::NotKept,
            None => end,
        };
    });
    end
}

/// Calls `act` for each number of a file of numbers.
fn each_number(file: &OwnedFd, act: &mut impl FnMut(i32) -> bool) -> Listed {
    let mut buffer = [0; 1_024];
    let mut number: Option<i32> = None;
    loop {
        let filled = match read(file.as_fd(), &mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(filled) => filled,
        };
        for byte in &buffer[..filled] {
            match byte {
                b'0'..=b'9' => {
                    let digit = i32::from(byte - b'0');
                    number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(digit));
                }
                _ => {
                    if number.take().is_some_and(|number| !act(number)) {
                        return Listed::TooMany;
                    }
                }
            }
        }
    }
    match number.is_some_and(|number| !act(number)) {
        true => Listed::TooMany,
        false => Listed::All,
    }
}

/// Room for directory entries as the kernel writes them, aligned as it expects.
#[repr(align(8))]
struct Entries([u8; 4_096]);

/// Where an entry keeps its own length, and where its name begins.
const ENTRY_LENGTH_AT: usize = 16;
const ENTRY_NAME_AT: usize = 19;

/// Calls `act` for each name in a folder that is a number.
pub(crate) fn each_numbered(folder: &CStr, mut act: impl FnMut(i32)) {
    let Some(dir) = open_read(folder, OFlag::O_DIRECTORY) else {
        return;
    };
    let mut entries = Entries([0; 4_096]);
    loop {
        // SAFETY: the buffer is valid for writes of the length given. Not `readdir`, which
        // allocates.
        let filled = unsafe {
            let Entries(buffer) = &mut entries;
            libc::syscall(libc::SYS_getdents64, dir.as_raw_fd(), buffer.as_mut_ptr(), buffer.len())
        };
        let Ok(filled @ 1..) = usize::try_from(filled) else {
            return;
        };
        let mut rest = entries.0.get(..filled).unwrap_or_default();
        while let Some((name, after)) = split_entry(rest) {
            if let Some(pid) = parse_number(name) {
                act(pid);
            }
            rest = after;
        }
    }
}

/// The name of the first entry, and the entries behind it.
fn split_entry(entries: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = entries.get(ENTRY_LENGTH_AT..ENTRY_LENGTH_AT + 2)?;
    let length = usize::from(u16::from_ne_bytes(length.try_into().ok()?));
    let name = entries.get(ENTRY_NAME_AT..length)?;
    let name = CStr::from_bytes_until_nul(name).ok()?;
    Some((name.to_bytes(), entries.get(length..)?))
}

fn read_stat(path: &CStr) -> Option<Process> {
    let file = open_read(path, OFlag::empty())?;
    // The fields wanted come first, behind a name of at most 64 bytes.
    let mut line = [0; 512];
    let filled = read(file.as_fd(), &mut line).ok()?;
    parse_stat(line.get(..filled)?)
}

fn open_read(path: &CStr, flags: OFlag) -> Option<OwnedFd> {
    open(path, flags | OFlag::O_RDONLY | OFlag::O_CLOEXEC, Mode::empty()).ok()
}

/// `/proc/PID/stat`.
fn stat_path(pid: i32, buffer: &mut [u8; 32]) -> Option<&CStr> {
    written(buffer, format_args!("/proc/{pid}/stat\0"))
}

/// A text in a buffer, up to its NUL.
fn written<'b>(buffer: &'b mut [u8], text: std::fmt::Arguments<'_>) -> Option<&'b CStr> {
    use std::io::Write as _;
    let mut rest = &mut buffer[..];
    // Formats integers into a slice: no allocation.
    rest.write_fmt(text).ok()?;
    CStr::from_bytes_until_nul(buffer).ok()
}

/// Fields between the session's number and the start time.
const FIELDS_BEFORE_START_TIME: usize = 15;

/// Reads `PID (NAME) STATE PARENT GROUP SESSION …`. The name may hold anything, parentheses
/// included.
fn parse_stat(line: &[u8]) -> Option<Process> {
    let open = line.iter().position(|byte| *byte == b'(')?;
    let close = line.iter().rposition(|byte| *byte == b')')?;
    let pid = parse_number(line.get(..open)?.trim_ascii())?;
    let mut fields = line.get(close + 1..)?.trim_ascii().split(|byte| *byte == b' ');
    let &[state] = fields.next()? else { return None };
    let parent = parse_number(fields.next()?)?;
    let group = parse_number(fields.next()?)?;
    let session = parse_number(fields.next()?)?;
    let start_time = parse_number(fields.nth(FIELDS_BEFORE_START_TIME)?)?;
    Some(Process { pid, state, parent, group, session, start_time })
}

fn parse_number<N: FromStr>(digits: &[u8]) -> Option<N> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_stat_line_whatever_the_name() {
        let (state, session, start_time) = (b'S', 40, 13_217_894);
        let expected = Process { pid: 42, state, parent: 7, group: 41, session, start_time };
        for name in ["sh", "a b", ") R 1 1", "((", "né\n"] {
            let line = format!(
                "42 ({name}) S 7 41 40 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 13217894 23 24\n"
            );
            assert_eq!(parse_stat(line.as_bytes()), Some(expected), "{name:?}");
        }
        for broken in ["", "42", "42 (sh", "42 (sh) S", "42 (sh) S 7", "42 (sh) S 7 41 40 0"] {
            assert_eq!(parse_stat(broken.as_bytes()), None, "{broken:?}");
        }
    }

    #[test]
    fn sees_every_process_also_beyond_one_buffer() {
        let mut seen = Vec::new();
        each_pid(|pid| seen.push(pid));
        // A thread has an id of its own, but only processes are listed.
        assert!(seen.contains(&1) && seen.contains(&getpid().as_raw()));
        let mut unique = seen.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), seen.len(), "no process is listed twice");
    }
}

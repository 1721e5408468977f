//! Looking at processes in `/proc`, without allocating: supervisors, who cannot, look at it too.
//!
//! To find all processes below one, each is asked for its children (`task/TID/children`), theirs for
//! their own, and so on down: what that takes depends on the tree alone, so that the ends of many trees
//! do not cost as much as all of them for each. Their numbers are noted before anything is done with
//! them, since a process that is told to end hands its children on.
//!
//! Where the kernel keeps no such lists, or the tree does not fit into the notes, each process of the
//! system is asked for its parent, that one for its own, and so on up to the root or to init.

use std::ffi::CStr;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::str::FromStr;

use nix::fcntl::{OFlag, open};
use nix::libc;
use nix::sys::stat::Mode;
use nix::unistd::{getpid, read};

/// Longest chain of parents followed: far above what systems allow in practice, and an end for a
/// chain that changes while it is followed.
const MAX_DEPTH: usize = 4_096;

/// A process as `/proc` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) state: u8,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
    /// In clock ticks since the system was started. Together with the number it names a process
    /// once and for all, since numbers are used again, but not within one tick.
    pub(crate) start_time: u64,
}

impl Process {
    /// Whether it still does anything. One that waits to be reaped does not.
    pub(crate) fn is_alive(&self) -> bool {
        !matches!(self.state, b'Z' | b'X')
    }
}

/// What `/proc` says of one process, if it exists.
pub(crate) fn look_up(pid: i32) -> Option<Process> {
    let mut path = [0; 32];
    read_stat(stat_path(pid, &mut path)?)
}

/// Whether a process above us goes by this name.
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

/// Most processes of a tree that are noted. A supervisor has nothing but its stack for them.
const MAX_NOTED: usize = 4_096;

/// Calls `act` for each living or dead (unreaped) process below `root`, parents before children.
///
/// Processes that come or go meanwhile may be missed: who needs all of them asks again.
///
/// Finds nothing if `/proc` belongs to another process namespace, where our numbers mean someone
/// else.
pub(crate) fn for_each_below(root: i32, mut act: impl FnMut(Process)) {
    if !is_our_proc() {
        return;
    }
    let mut noted = [0; MAX_NOTED];
    match note_below(root, &mut noted) {
        Some(count) => noted[..count].iter().filter_map(|pid| look_up(*pid)).for_each(act),
        None => for_each(|process| {
            if is_below(process, root) {
                act(process);
            }
        }),
    }
}

/// How often the lists are gone through. A parent that ends between the reading of the root's list and
/// of its own has handed its children to the root by then, and they stand in neither: the second time
/// they stand in the root's.
const WALKS: usize = 2;

/// Notes all processes below `root`, level by level, and says how many; `None` if they cannot be asked
/// for their children or are too many.
fn note_below(root: i32, noted: &mut [i32; MAX_NOTED]) -> Option<usize> {
    let mut count = 0;
    for _ in 0..WALKS {
        walk_below(root, noted, &mut count)?;
    }
    Some(count)
}

/// Adds to the `count` processes that are noted those below `root` that are not.
fn walk_below(root: i32, noted: &mut [i32; MAX_NOTED], count: &mut usize) -> Option<()> {
    let mut next = 0;
    let mut parent = root;
    loop {
        let listed = each_child(parent, |child| {
            // A child that changes hands while the lists are read is in two of them.
            if noted[..*count].contains(&child) {
                return true;
            }
            let room = noted.get_mut(*count);
            room.is_some_and(|free| {
                *free = child;
                *count += 1;
                true
            })
        });
        match listed {
            Listed::All => {}
            // Ended meanwhile; its children belong to somebody else by now.
            Listed::NoProcess if parent != root => {}
            Listed::NoProcess | Listed::NotKept | Listed::TooMany => return None,
        }
        if next == *count {
            return Some(());
        }
        parent = noted[next];
        next += 1;
    }
}

/// How the children of a process were listed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Listed {
    All,
    NoProcess,
    NotKept,
    TooMany,
}

/// Calls `act` for each process there is; for none, if `/proc` is not about us.
pub(crate) fn for_each(mut act: impl FnMut(Process)) {
    if !is_our_proc() {
        return;
    }
    each_pid(c"/proc", |pid| {
        if let Some(process) = look_up(pid) {
            act(process);
        }
    });
}

/// Whether `/proc` is about our processes.
fn is_our_proc() -> bool {
    read_stat(c"/proc/self/stat").map(|own| own.pid) == Some(getpid().as_raw())
}

/// Calls `act` for each child of each thread of a process, until it says no.
fn each_child(pid: i32, mut act: impl FnMut(i32) -> bool) -> Listed {
    let mut path = [0; 64];
    let Some(tasks) = written(&mut path, format_args!("/proc/{pid}/task\0")) else {
        return Listed::NotKept;
    };
    let mut end = Listed::NoProcess;
    each_pid(tasks, |thread| {
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

/// Whether `root` is among its ancestors.
pub(crate) fn is_below(process: Process, root: i32) -> bool {
    let mut ancestor = process.parent;
    for _ in 0..MAX_DEPTH {
        if ancestor == root {
            return true;
        }
        match look_up(ancestor) {
            Some(next) => ancestor = next.parent,
            None => return false,
        }
    }
    false
}

/// Room for directory entries as the kernel writes them, aligned as it expects.
#[repr(align(8))]
struct Entries([u8; 4_096]);

/// Where an entry keeps its own length, and where its name begins.
const ENTRY_LENGTH_AT: usize = 16;
const ENTRY_NAME_AT: usize = 19;

/// Calls `act` for each name in a folder that is a number.
fn each_pid(folder: &CStr, mut act: impl FnMut(i32)) {
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
    fn finds_itself_below_its_parent_and_not_below_itself() {
        let me = getpid().as_raw();
        let parent = nix::unistd::getppid().as_raw();
        let mut below_parent = Vec::new();
        for_each_below(parent, |process| below_parent.push(process.pid));
        assert!(below_parent.contains(&me));

        let mut below_me = Vec::new();
        for_each_below(me, |process| below_me.push(process.pid));
        assert!(!below_me.contains(&me) && !below_me.contains(&parent));
    }

    #[expect(clippy::disallowed_methods, reason = "a plain tree, without a supervisor")]
    #[test]
    fn finds_the_same_below_a_process_by_its_children_as_by_everybodys_parents() {
        let mut shell = std::process::Command::new("sh")
            .args(["-c", "sleep 60 & (sleep 60 & sleep 60 & wait) & wait"])
            .spawn()
            .unwrap();
        let root = i32::try_from(shell.id()).unwrap();
        let by_parents = || {
            let mut found = Vec::new();
            for_each(|process| found.extend(is_below(process, root).then_some(process.pid)));
            found.sort_unstable();
            found
        };
        while by_parents().len() < 4 {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let mut noted = [0; MAX_NOTED];
        let count = note_below(root, &mut noted).expect("the kernel lists children");
        let mut found = noted[..count].to_vec();
        found.sort_unstable();
        assert_eq!(found, by_parents());
        for_each_below(root, |process| {
            let _ = nix::sys::signal::kill(
                nix::unistd::Pid::from_raw(process.pid),
                nix::sys::signal::Signal::SIGKILL,
            );
        });
        let _ = shell.kill();
        let _ = shell.wait();
    }

    #[test]
    fn sees_every_process_also_beyond_one_buffer() {
        let mut seen = Vec::new();
        each_pid(c"/proc", |pid| seen.push(pid));
        // A thread has an id of its own, but only processes are listed.
        assert!(seen.contains(&1) && seen.contains(&getpid().as_raw()));
        let mut unique = seen.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), seen.len(), "no process is listed twice");
    }
}

//! Looking at processes, without allocating: supervisors, who cannot, look at them too.
//!
//! To find all processes below one, each is asked for its children, theirs for their own, and so on down:
//! what that takes depends on the tree alone, so that the ends of many trees do not cost as much as all
//! of them for each. Their numbers are noted before anything is done with them, since a process that is
//! told to end hands its children on.
//!
//! Where the kernel keeps no lists of children, or the tree does not fit into the notes, each process of
//! the system is asked for its parent, that one for its own, and so on up to the root or to init.
//!
//! How the kernel is asked is a matter of the system: `/proc` on Linux, libproc on macOS.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;

#[cfg(target_os = "linux")]
use linux as table;
#[cfg(target_os = "macos")]
use macos as table;

#[cfg(all(target_os = "linux", hermes_portable))]
pub(crate) use table::each_numbered;
#[cfg(all(target_os = "linux", not(hermes_portable)))]
pub(crate) use table::has_ancestor_named;
#[cfg(any(not(target_os = "linux"), hermes_portable))]
pub(crate) use table::{each_child, each_pid};
pub(crate) use table::{look_up, program_names};

/// Longest chain of parents followed: far above what systems allow in practice, and an end for a
/// chain that changes while it is followed.
const MAX_DEPTH: usize = 4_096;

/// Most processes of a tree that are noted. A supervisor has nothing but its stack for them.
pub(crate) const MAX_NOTED: usize = 4_096;

/// A process as the kernel shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) state: u8,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
    /// On Linux in clock ticks since the system was started, on macOS in microseconds since 1970.
    /// Together with the number it names a process once and for all, since numbers are used again, but
    /// not within one tick.
    pub(crate) start_time: u64,
}

impl Process {
    /// Whether it still does anything. One that waits to be reaped does not.
    pub(crate) fn is_alive(&self) -> bool {
        !matches!(self.state, b'Z' | b'X')
    }
}

/// How the children of a process were listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listed {
    All,
    NoProcess,
    #[cfg_attr(target_os = "macos", expect(dead_code, reason = "macOS always keeps them"))]
    NotKept,
    TooMany,
}

/// Calls `act` for each living or dead (unreaped) process below `root`, parents before children.
///
/// Processes that come or go meanwhile may be missed: who needs all of them asks again.
///
/// Finds nothing if what the kernel shows belongs to another process namespace, where our numbers mean
/// someone else.
pub(crate) fn for_each_below(root: i32, mut act: impl FnMut(Process)) {
    if !table::is_about_us() {
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
        let listed = table::each_child(parent, |child| {
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

/// Calls `act` for each process there is; for none, if the kernel does not show ours.
pub(crate) fn for_each(mut act: impl FnMut(Process)) {
    if !table::is_about_us() {
        return;
    }
    table::each_pid(|pid| {
        if let Some(process) = look_up(pid) {
            act(process);
        }
    });
}

/// Whether `root` is among its ancestors.
fn is_below(process: Process, root: i32) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use nix::unistd::getpid;

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
}

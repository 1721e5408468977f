//! The processes that libproc shows, which asks the kernel by one system call each and allocates nothing.

use std::mem::{self, MaybeUninit};

use nix::libc::{self, c_int, c_void, pid_t};

use super::{Listed, Process};

/// Room for the numbers of all processes: more than the kernel lets there be on ordinary machines.
const MOST: usize = 16_384;

/// What the kernel says of one process, if it exists.
pub(crate) fn look_up(pid: i32) -> Option<Process> {
    let info = about(pid)?;
    let number = |value: u32| i32::try_from(value).ok();
    // SAFETY: takes an integer.
    let session = unsafe { libc::getsid(pid) };
    Some(Process {
        pid,
        state: if info.pbi_status == libc::SZOMB { b'Z' } else { b'R' },
        parent: number(info.pbi_ppid)?,
        group: number(info.pbi_pgid)?,
        session,
        start_time: info
            .pbi_start_tvsec
            .wrapping_mul(1_000_000)
            .wrapping_add(info.pbi_start_tvusec),
    })
}

/// The names of the program that a process runs: the file's, and the one the process goes by.
pub(crate) fn program_names(pid: i32) -> Vec<String> {
    let mut path = [0_u8; libc::PROC_PIDPATHINFO_MAXSIZE as usize];
    let room = u32::try_from(path.len()).unwrap_or(u32::MAX);
    // SAFETY: writes no more than the room it is given.
    let length = unsafe { libc::proc_pidpath(pid, path.as_mut_ptr().cast::<c_void>(), room) };
    let path = path.get(..usize::try_from(length).unwrap_or_default()).unwrap_or_default();
    let file = path.rsplit(|byte| *byte == b'/').next().filter(|file| !file.is_empty());
    let file = file.map(|file| String::from_utf8_lossy(file).into_owned());
    let name = about(pid).map(|info| {
        let bytes: Vec<u8> = info.pbi_comm.iter().map(|one| one.cast_unsigned()).collect();
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..end]).into_owned()
    });
    file.into_iter().chain(name).collect()
}

/// Whether the numbers mean our processes: there are no namespaces of them here.
pub(super) fn is_about_us() -> bool {
    true
}

/// Calls `act` for the number of each process there is.
pub(crate) fn each_pid(mut act: impl FnMut(i32)) {
    let mut pids = [0; MOST];
    for pid in listed(&mut pids, |room, size| {
        // SAFETY: writes no more than the room it is given.
        unsafe { libc::proc_listallpids(room, size) }
    }) {
        act(pid);
    }
}

/// Calls `act` for each child of a process, until it says no.
pub(crate) fn each_child(pid: i32, act: impl FnMut(i32) -> bool) -> Listed {
    if about(pid).is_none() {
        return Listed::NoProcess;
    }
    let mut pids = [0; MOST];
    let mut children = listed(&mut pids, |room, size| {
        // SAFETY: writes no more than the room it is given.
        unsafe { libc::proc_listchildpids(pid, room, size) }
    });
    match children.all(act) {
        true => Listed::All,
        false => Listed::TooMany,
    }
}

/// The numbers that a call of libproc lists.
fn listed(
    room: &mut [pid_t],
    list: impl FnOnce(*mut c_void, c_int) -> c_int,
) -> impl Iterator<Item = pid_t> {
    let size = c_int::try_from(mem::size_of_val(room)).unwrap_or(c_int::MAX);
    let count = list(room.as_mut_ptr().cast(), size);
    let count = usize::try_from(count).unwrap_or_default().min(room.len());
    // Zero is the kernel itself, and would mean our own group to whoever signals it.
    room[..count].iter().copied().filter(|pid| *pid > 0)
}

/// What the kernel keeps of a process, also of one that waits to be reaped.
fn about(pid: i32) -> Option<libc::proc_bsdinfo> {
    const ALSO_DEAD: u64 = 1;
    let mut info = MaybeUninit::<libc::proc_bsdinfo>::zeroed();
    let size = c_int::try_from(mem::size_of::<libc::proc_bsdinfo>()).ok()?;
    // SAFETY: writes one structure of that size, or less, and says how much.
    let filled = unsafe {
        let room = info.as_mut_ptr().cast();
        libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, ALSO_DEAD, room, size)
    };
    // SAFETY: it is written as a whole; and all zero would be valid, too.
    (filled == size).then(|| unsafe { info.assume_init() })
}

//! macOS: libproc and what the loader leaves behind.
//!
//! A process cannot name itself here: our helpers show as what we show as. No other program of the user may
//! look into our memory unless it is allowed to debug, which the system decides; but everyone may ask for the
//! environment we were started with, which is why [`own`] finds it.

use std::ffi::{CStr, OsStr};
use std::io;
use std::mem::{self, MaybeUninit};
use std::ptr;

use nix::errno::Errno;
use nix::libc::{self, c_char, c_int};

use super::Own;

/// Would give this process its name in `ps`, which is not to be had here.
pub(crate) fn name_process(_: &CStr) {}

/// Has the kernel refuse every debugger.
pub(crate) fn keep_from_tracing() -> nix::Result<()> {
    // SAFETY: takes integers and an address that is not used.
    Errno::result(unsafe { libc::ptrace(libc::PT_DENY_ATTACH, 0, ptr::null_mut(), 0) }).map(|_| ())
}

/// Looks at ourselves.
pub(crate) fn own() -> io::Result<Own> {
    Ok(Own { threads: threads()?, block: environment_block() })
}

/// Gives a variable of ours this value, which from then on lies outside the block that is shown.
///
/// # Safety
///
/// No other thread may be reading or changing the environment.
pub(crate) unsafe fn move_variable(name: &OsStr, value: &OsStr) {
    // SAFETY: the caller has promised. Removed first: a value that fits is otherwise written over the old
    // one, in the block.
    unsafe {
        std::env::remove_var(name);
        std::env::set_var(name, value);
    }
}

/// Notes the numbers of all open descriptors and says how many; none if they do not fit or are not told.
pub(crate) fn open_descriptors(noted: &mut [i32]) -> Option<usize> {
    const MOST: usize = 1_024;
    let mut room = [MaybeUninit::<libc::proc_fdinfo>::uninit(); MOST];
    let size = c_int::try_from(mem::size_of_val(&room)).ok()?;
    // SAFETY: writes no more than the room it is given, and says how much.
    let filled = unsafe {
        let own = libc::getpid();
        libc::proc_pidinfo(own, libc::PROC_PIDLISTFDS, 0, room.as_mut_ptr().cast(), size)
    };
    let count = usize::try_from(filled).ok()? / mem::size_of::<libc::proc_fdinfo>();
    // A full list may be one that was cut off.
    if count == 0 || count >= MOST || count > noted.len() {
        return None;
    }
    for (slot, info) in noted.iter_mut().zip(&room[..count]) {
        // SAFETY: the kernel has written so many.
        *slot = unsafe { info.assume_init() }.proc_fd;
    }
    Some(count)
}

fn threads() -> io::Result<u64> {
    let mut info = MaybeUninit::<libc::proc_taskinfo>::zeroed();
    let size = c_int::try_from(mem::size_of::<libc::proc_taskinfo>()).unwrap_or(c_int::MAX);
    // SAFETY: writes one structure of that size, or less, and says how much.
    let filled = unsafe {
        let own = libc::getpid();
        libc::proc_pidinfo(own, libc::PROC_PIDTASKINFO, 0, info.as_mut_ptr().cast(), size)
    };
    if filled != size {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it is written as a whole.
    let threads = unsafe { info.assume_init() }.pti_threadnum;
    u64::try_from(threads).map_err(io::Error::other)
}

/// Where the strings of the environment lie that we were started with: one behind the other, as long as
/// nobody has changed them.
fn environment_block() -> std::ops::Range<usize> {
    let mut block = 0..0;
    // SAFETY: the list ends with a null pointer and its entries are strings; only their places are noted.
    // Nobody changes it meanwhile, as the caller of `own` has but one thread or goes no further.
    unsafe {
        let mut entry: *const *mut c_char = *libc::_NSGetEnviron();
        while !entry.is_null() && !(*entry).is_null() {
            let start = (*entry).expose_provenance();
            let end = start + CStr::from_ptr(*entry).to_bytes_with_nul().len();
            if block.is_empty() {
                block = start..end;
            } else if block.end == start {
                block.end = end;
            } else {
                break;
            }
            entry = entry.add(1);
        }
    }
    block
}

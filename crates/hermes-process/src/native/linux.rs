//! Linux: `prctl` and `/proc/self`.

use std::ffi::{CStr, OsStr};
use std::fs;
use std::io;

use nix::sys::prctl;

use super::Own;

/// Gives this process its name in `ps`.
pub(crate) fn name_process(name: &CStr) {
    let _ = prctl::set_name(name);
}

/// Has the kernel treat this process as one with secrets.
pub(crate) fn keep_from_tracing() -> nix::Result<()> {
    prctl::set_dumpable(false)
}

/// Looks at ourselves.
pub(crate) fn own() -> io::Result<Own> {
    let line = fs::read("/proc/self/stat")?;
    Own::parse(&line).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Gives a variable of ours this value, which from then on lies outside the block that is shown.
///
/// # Safety
///
/// No other thread may be reading or changing the environment.
pub(crate) unsafe fn move_variable(name: &OsStr, value: &OsStr) {
    // SAFETY: the caller has promised. The C library never writes into the block.
    unsafe { std::env::set_var(name, value) };
}

/// Notes the numbers of all open descriptors and says how many; none if they do not fit or are not told.
#[cfg(hermes_portable)]
pub(crate) fn open_descriptors(noted: &mut [i32]) -> Option<usize> {
    let mut count = 0;
    crate::processes::each_numbered(c"/proc/self/fd", |fd| {
        if let Some(slot) = noted.get_mut(count) {
            *slot = fd;
        }
        count += 1;
    });
    (count > 0 && count <= noted.len()).then_some(count)
}

impl Own {
    /// Places of the fields, counted from the first behind the name.
    const THREADS: usize = 17;
    const ENVIRONMENT: usize = 47;

    /// Reads `/proc/self/stat`.
    fn parse(line: &[u8]) -> Option<Self> {
        let (_, fields) = std::str::from_utf8(line).ok()?.rsplit_once(')')?;
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let number = |index: usize| fields.get(index)?.parse::<usize>().ok();
        let block = number(Self::ENVIRONMENT)?..number(Self::ENVIRONMENT + 1)?;
        let threads = fields.get(Self::THREADS)?.parse().ok()?;
        (block.start <= block.end).then_some(Self { threads, block })
    }
}

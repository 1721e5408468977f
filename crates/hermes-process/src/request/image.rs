//! Arguments and environment in the form in which `execve` wants them.
//!
//! A supervisor cannot allocate, so its parts are laid out by us, in a file in memory: a header,
//! the two tables of pointers, and behind them the strings. Where a pointer is to be, we put the
//! string's offset. The supervisor maps the file, adds the address at which it got it to each
//! offset, and has its tables.
//!
//! ```text
//! header │ shell slot │ argv… 0 │ envp… 0 │ filter… │ file\0 /bin/sh\0 argv…\0 NAME=value…\0
//! ```
//!
//! The first word of the header is for the supervisor's answer: before a supervisor does anything,
//! it says so in the file ([`system::take`]). Whoever waits no longer for that withdraws the file
//! ([`withdraw`]), upon which no supervisor can take it any more. So it is always known which came
//! first: a program that was not taken has certainly not been started and never will be, and may be
//! asked for again.
//!
//! The shell slot is for a script without `#!` line, which is run by the shell, as every shell
//! does: then `/bin/sh` comes in front and the file takes the place of the program's name.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::{mem, ptr, slice};

use nix::errno::Errno;
use nix::libc::{self, c_char};

use crate::command::Lifetime;
use crate::sandbox::enter::Restrictions;
use crate::system;

/// Words of the header, in this order: the mark of a supervisor, lifetime, terminal, what becomes of the
/// privileges, offset of the filter and its length, offsets of the file's and the shell's
/// path, number of arguments and of variables.
const HEADER_WORDS: usize = 10;
const SHELL: &str = "/bin/sh";
const WORD: usize = mem::size_of::<usize>();

/// Whether the program's standard streams are a terminal, and it is to lead its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Terminal {
    None,
    Controlling,
}

/// What a withdrawn request comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Withdrawn {
    /// The program was not started and will not be.
    InTime,
    /// There is, or was, a supervisor for it.
    TooLate,
}

/// Keeps the program in this file from being started, unless it is too late for that.
pub(crate) fn withdraw(image: BorrowedFd<'_>) -> Withdrawn {
    match system::withdraw_in_time(image) {
        true => Withdrawn::InTime,
        false => Withdrawn::TooLate,
    }
}

/// What goes into an image. No text may contain a NUL byte.
pub(crate) struct ImageParts<'a> {
    pub(crate) lifetime: Lifetime,
    pub(crate) terminal: Terminal,
    /// What a confined program gives up, in the form of [`Restrictions`].
    pub(crate) privileges: usize,
    pub(crate) filter: &'a [u8],
    pub(crate) file: &'a Path,
    /// The first is the program's name.
    pub(crate) args: Vec<&'a OsStr>,
    pub(crate) environment: Vec<(&'a OsString, &'a OsString)>,
}

impl ImageParts<'_> {
    /// The image as a file in memory, and its length.
    pub(crate) fn write(&self) -> io::Result<(OwnedFd, usize)> {
        let bytes = self.encode();
        Ok((system::create_command_file(&bytes)?, bytes.len()))
    }

    fn encode(&self) -> Vec<u8> {
        let (argc, envc) = (self.args.len(), self.environment.len());
        let filter_at = (HEADER_WORDS + argc + envc + 3) * WORD;
        let mut strings = Strings { at: filter_at + self.filter.len(), bytes: Vec::new() };
        let survives = usize::from(self.lifetime == Lifetime::Survives);
        let terminal = usize::from(self.terminal == Terminal::Controlling);
        let file = strings.add(&[self.file.as_os_str()]);
        let shell = strings.add(&[OsStr::new(SHELL)]);
        let mut words = vec![0, survives, terminal, self.privileges, filter_at, self.filter.len()];
        words.extend([file, shell, argc, envc, 0]);
        words.extend(self.args.iter().map(|arg| strings.add(&[arg])));
        words.push(0);
        let variables = self.environment.iter();
        words.extend(variables.map(|(name, value)| strings.add(&[name, OsStr::new("="), value])));
        words.push(0);
        let mut bytes: Vec<u8> = words.into_iter().flat_map(usize::to_ne_bytes).collect();
        bytes.extend(self.filter);
        bytes.append(&mut strings.bytes);
        bytes
    }
}

struct Strings {
    at: usize,
    bytes: Vec<u8>,
}

impl Strings {
    /// Adds one string made of these parts; returns its offset.
    fn add(&mut self, parts: &[&OsStr]) -> usize {
        let offset = self.at + self.bytes.len();
        for part in parts {
            self.bytes.extend_from_slice(part.as_bytes());
        }
        self.bytes.push(0);
        offset
    }
}

/// An image mapped into a supervisor's memory, ready for `execve`.
pub(crate) struct Image {
    base: *mut usize,
    len: usize,
    lifetime: Lifetime,
    terminal: Terminal,
    restrictions: Restrictions,
    file: *const c_char,
    shell: *const c_char,
    /// The shell slot, with `argv` right behind it.
    shell_slot: *mut *const c_char,
    envp: *const *const c_char,
}

impl Image {
    /// Maps an image of `len` bytes. Allocates nothing.
    pub(crate) fn map(fd: BorrowedFd<'_>, len: usize) -> nix::Result<Self> {
        let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, system::MAPPING);
        // SAFETY: a new mapping, placed by the kernel, of a file that only we and its maker know.
        let base = unsafe { libc::mmap(ptr::null_mut(), len, access, flags, fd.as_raw_fd(), 0) };
        if base == libc::MAP_FAILED {
            return Err(Errno::last());
        }
        let base = base.cast::<usize>();
        Self::relocate(base, len).ok_or(Errno::EINVAL)
    }

    fn relocate(base: *mut usize, len: usize) -> Option<Self> {
        // SAFETY: the mapping is that long, aligned to a page, writable, and nobody else uses what is
        // behind the first word, which is not touched.
        let words = unsafe { slice::from_raw_parts_mut(base, len / WORD) };
        let &[_, survives, terminal, privileges, filter, filter_len, file, shell, argc, envc] =
            words.first_chunk::<HEADER_WORDS>()?;
        let args_end = argc.checked_add(HEADER_WORDS + 2)?;
        let tables_end = args_end.checked_add(envc)?.checked_add(1)?;
        let start = base.expose_provenance();
        let locate = |offset: usize| (offset < len).then(|| start + offset);
        for word in words.get_mut(HEADER_WORDS..tables_end)? {
            if *word != 0 {
                *word = locate(*word)?;
            }
        }
        let filter_end = filter_len.checked_add(filter)?;
        if filter_end > len || !filter.is_multiple_of(WORD) {
            return None;
        }
        let restrictions = Restrictions::from_image(
            privileges,
            ptr::with_exposed_provenance(start + filter),
            filter_len,
        )?;
        let at = |index: usize| base.wrapping_add(index).cast::<*const c_char>();
        Some(Self {
            base,
            len,
            lifetime: if survives == 0 { Lifetime::DiesWithParent } else { Lifetime::Survives },
            terminal: if terminal == 0 { Terminal::None } else { Terminal::Controlling },
            restrictions,
            file: ptr::with_exposed_provenance(locate(file)?),
            shell: ptr::with_exposed_provenance(locate(shell)?),
            shell_slot: at(HEADER_WORDS),
            envp: at(args_end),
        })
    }

    pub(crate) fn lifetime(&self) -> Lifetime {
        self.lifetime
    }

    pub(crate) fn terminal(&self) -> Terminal {
        self.terminal
    }

    pub(crate) fn restrictions(&self) -> &Restrictions {
        &self.restrictions
    }

    /// Turns the calling process into the program; returns only why that failed.
    pub(crate) fn exec(&self) -> Errno {
        // SAFETY: `relocate` has made sure that the tables lie in the mapping, end with a null
        // pointer (their maker's promise) and point to strings in it. There is always a first
        // argument, so the slot behind the shell slot may be overwritten.
        unsafe {
            libc::execve(self.file, self.shell_slot.add(1), self.envp);
            if Errno::last() == Errno::ENOEXEC {
                self.shell_slot.write(self.shell);
                self.shell_slot.add(1).write(self.file);
                libc::execve(self.shell, self.shell_slot, self.envp);
            }
        }
        Errno::last()
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and nothing borrowed from it is left.
        unsafe { libc::munmap(self.base.cast(), self.len) };
    }
}

#[cfg(test)]
mod tests;

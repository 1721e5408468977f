//! Arguments and environment in the form in which `execve` wants them.
//!
//! A warden cannot allocate, so its parts are laid out by us, in a file in memory: a header, the
//! two tables of pointers, and behind them the strings. Where a pointer is to be, we put the
//! string's offset. The warden maps the file, adds the address at which it got it to each offset,
//! and has its tables.
//!
//! ```text
//! header │ spare slot │ argv… 0 │ envp… 0 │ file\0 /bin/sh\0 argv…\0 NAME=value…\0
//! ```
//!
//! The spare slot is for a script without `#!` line, which is run by the shell, as every shell
//! does: then `/bin/sh` comes in front and the file takes the place of the program's name.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::{mem, ptr, slice};

use nix::errno::Errno;
use nix::libc::{self, c_char};
use nix::sys::memfd::{MFdFlags, memfd_create};

use crate::command::Lifetime;

/// Words of the header, in this order: lifetime, offsets of the file's and the shell's path,
/// number of arguments and of variables.
const HEADER_WORDS: usize = 5;
const SHELL: &str = "/bin/sh";
const WORD: usize = mem::size_of::<usize>();

/// What goes into an image. No text may contain a NUL byte.
pub(crate) struct Parts<'a> {
    pub(crate) lifetime: Lifetime,
    pub(crate) file: &'a Path,
    /// The first is the program's name.
    pub(crate) args: Vec<&'a OsStr>,
    pub(crate) environment: Vec<(&'a OsString, &'a OsString)>,
}

impl Parts<'_> {
    /// The image as a file in memory, and its length.
    pub(crate) fn write(&self) -> io::Result<(OwnedFd, usize)> {
        let bytes = self.encode();
        let file = memfd_create(c"hermes-command", MFdFlags::MFD_CLOEXEC)?;
        let mut file = std::fs::File::from(file);
        file.write_all(&bytes)?;
        Ok((file.into(), bytes.len()))
    }

    fn encode(&self) -> Vec<u8> {
        let (argc, envc) = (self.args.len(), self.environment.len());
        let mut strings =
            Strings { at: (HEADER_WORDS + argc + envc + 3) * WORD, bytes: Vec::new() };
        let survives = usize::from(self.lifetime == Lifetime::Survives);
        let file = strings.add(&[self.file.as_os_str()]);
        let shell = strings.add(&[OsStr::new(SHELL)]);
        let mut words = vec![survives, file, shell, argc, envc, 0];
        words.extend(self.args.iter().map(|arg| strings.add(&[arg])));
        words.push(0);
        let variables = self.environment.iter();
        words.extend(variables.map(|(name, value)| strings.add(&[name, OsStr::new("="), value])));
        words.push(0);
        let mut bytes: Vec<u8> = words.into_iter().flat_map(usize::to_ne_bytes).collect();
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

/// An image mapped into a warden's memory, ready for `execve`.
pub(crate) struct Image {
    base: *mut usize,
    len: usize,
    lifetime: Lifetime,
    file: *const c_char,
    shell: *const c_char,
    /// The spare slot, with `argv` right behind it.
    spare: *mut *const c_char,
    envp: *const *const c_char,
}

impl Image {
    /// Maps an image of `len` bytes. Allocates nothing.
    pub(crate) fn map(fd: BorrowedFd<'_>, len: usize) -> nix::Result<Self> {
        let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE);
        // SAFETY: a new mapping, placed by the kernel, of a file that only we and its maker know.
        let base = unsafe { libc::mmap(ptr::null_mut(), len, access, flags, fd.as_raw_fd(), 0) };
        if base == libc::MAP_FAILED {
            return Err(Errno::last());
        }
        let base = base.cast::<usize>();
        Self::relocate(base, len).ok_or(Errno::EINVAL)
    }

    fn relocate(base: *mut usize, len: usize) -> Option<Self> {
        // SAFETY: the mapping is that long, aligned to a page, writable, private and not yet
        // shared with anyone.
        let words = unsafe { slice::from_raw_parts_mut(base, len / WORD) };
        let &[survives, file, shell, argc, envc] = words.first_chunk::<HEADER_WORDS>()?;
        let args_end = argc.checked_add(HEADER_WORDS + 2)?;
        let tables_end = args_end.checked_add(envc)?.checked_add(1)?;
        let start = base.expose_provenance();
        let locate = |offset: usize| (offset < len).then(|| start + offset);
        for word in words.get_mut(HEADER_WORDS..tables_end)? {
            if *word != 0 {
                *word = locate(*word)?;
            }
        }
        let at = |index: usize| base.wrapping_add(index).cast::<*const c_char>();
        Some(Self {
            base,
            len,
            lifetime: if survives == 0 { Lifetime::DiesWithParent } else { Lifetime::Survives },
            file: ptr::with_exposed_provenance(locate(file)?),
            shell: ptr::with_exposed_provenance(locate(shell)?),
            spare: at(HEADER_WORDS),
            envp: at(args_end),
        })
    }

    pub(crate) fn lifetime(&self) -> Lifetime {
        self.lifetime
    }

    /// Turns the calling process into the program; returns only why that failed.
    pub(crate) fn exec(&self) -> Errno {
        // SAFETY: `relocate` has made sure that the tables lie in the mapping, end with a null
        // pointer (their maker's promise) and point to strings in it. There is always a first
        // argument, so the slot behind the spare one may be overwritten.
        unsafe {
            libc::execve(self.file, self.spare.add(1), self.envp);
            if Errno::last() == Errno::ENOEXEC {
                self.spare.write(self.shell);
                self.spare.add(1).write(self.file);
                libc::execve(self.shell, self.spare, self.envp);
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
mod tests {
    use super::*;
    use std::ffi::CStr;
    use std::os::fd::AsFd as _;

    fn read_table(mut at: *const *const c_char) -> Vec<String> {
        let mut strings = Vec::new();
        // SAFETY: the tables of a mapped image end with a null pointer.
        unsafe {
            while !(*at).is_null() {
                strings.push(CStr::from_ptr(*at).to_str().unwrap().to_owned());
                at = at.add(1);
            }
        }
        strings
    }

    #[test]
    fn tables_point_to_what_was_written() {
        let (name, value) = (OsString::from("NAME"), OsString::from("a=b"));
        for environment in [vec![], vec![(&name, &value), (&value, &name)]] {
            let expected = environment
                .iter()
                .map(|(n, v)| format!("{n}={v}", n = n.display(), v = v.display()));
            let expected: Vec<String> = expected.collect();
            let args = ["tool", "", "two words"].map(OsStr::new).to_vec();
            let lifetime = Lifetime::Survives;
            let file = Path::new("/bin/tool");
            let parts = Parts { lifetime, file, args, environment };
            let (fd, len) = parts.write().unwrap();
            let image = Image::map(fd.as_fd(), len).unwrap();

            assert_eq!(image.lifetime(), Lifetime::Survives);
            // SAFETY: offsets of strings that end within the image.
            let (file, shell) =
                unsafe { (CStr::from_ptr(image.file), CStr::from_ptr(image.shell)) };
            assert_eq!((file, shell), (c"/bin/tool", c"/bin/sh"));
            // SAFETY: the slot behind the spare one.
            let argv = unsafe { image.spare.add(1) };
            assert_eq!(read_table(argv), ["tool", "", "two words"]);
            assert_eq!(read_table(image.envp), expected);
        }
    }

    #[test]
    fn an_image_that_points_outside_itself_is_refused() {
        let args = vec![OsStr::new("x")];
        let file = Path::new("/x");
        let parts = Parts { lifetime: Lifetime::Survives, file, args, environment: vec![] };
        let good = parts.encode();
        for word in 1..HEADER_WORDS + 2 {
            let mut bytes = good.clone();
            bytes[word * WORD..][..WORD].copy_from_slice(&(1_usize << 40).to_ne_bytes());
            let fd = memfd_create(c"test", MFdFlags::MFD_CLOEXEC).unwrap();
            std::fs::File::from(fd.try_clone().unwrap()).write_all(&bytes).unwrap();
            assert!(Image::map(fd.as_fd(), bytes.len()).is_err(), "word {word}");
        }
    }
}

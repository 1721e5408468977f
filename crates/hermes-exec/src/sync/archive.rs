//! Files on their way, as one `tar` stream with what is known about its contents.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek as _, SeekFrom};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::SystemTime;

use sha2::{Digest as _, Sha256};
use tar::{Builder, EntryType, Header};

use super::inventory::SyncItem;
use super::{Pushed, SyncError};

/// Only the owner over there has anything to do with the files.
const OWNERS_BITS: u32 = 0o700;

/// A stream ready to be sent.
pub(super) struct Packed {
    pub(super) file: File,
    pub(super) contents: Vec<(String, Pushed)>,
}

/// Packs files. One that has vanished since it was seen is left out; one that grows or shrinks
/// while it is read breaks the round off.
pub(super) fn pack(items: Vec<(String, SyncItem)>) -> Result<Packed, SyncError> {
    let spool = tempfile::tempfile().map_err(SyncError::file("make", Path::new("a spool file")))?;
    let mut builder = Builder::new(spool);
    let mut contents = Vec::with_capacity(items.len());
    for (below, item) in items {
        let failed = |act| SyncError::file(act, &item.host);
        // The last part may have become a link since.
        let opened =
            OpenOptions::new().read(true).custom_flags(nix::libc::O_NOFOLLOW).open(&item.host);
        let file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed("open")(error)),
        };
        let about = file.metadata().map_err(failed("look at"))?;
        let modified = about.modified().map_err(failed("look at"))?;
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(about.len());
        header.set_mode(item.mode & OWNERS_BITS);
        let seconds = modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        header.set_mtime(seconds.as_secs());
        let mut reader = Hashing { inner: file.take(about.len()), hash: Sha256::new(), read: 0 };
        builder.append_data(&mut header, &below, &mut reader).map_err(failed("read"))?;
        if reader.read != about.len() {
            let source = io::Error::other("it changed while it was read");
            return Err(failed("read")(source));
        }
        let sha256 = reader.hash.finalize().into();
        contents.push((below, Pushed { modified, len: about.len(), sha256, kind: item.kind }));
    }
    let mut file =
        builder.into_inner().map_err(SyncError::file("write", Path::new("a spool file")))?;
    file.seek(SeekFrom::Start(0)).map_err(SyncError::file("rewind", Path::new("a spool file")))?;
    Ok(Packed { file, contents })
}

/// Hashes what is read through it.
pub(super) struct Hashing<R> {
    pub(super) inner: R,
    pub(super) hash: Sha256,
    pub(super) read: u64,
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hash.update(&buffer[..count]);
        self.read += count as u64;
        Ok(count)
    }
}

//! The regular files in an archive of `tar`, as GNU tar, BusyBox and others write them.
//!
//! What comes in has been packed by a program that is not ours, in an environment that may not be
//! ours: a header that makes no sense ends the reading, and nothing is unpacked here.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Everything in an archive comes in blocks of this size.
const BLOCK: usize = 512;

/// The regular files of an archive with their content, named from the root on.
pub(super) fn files(archive: &[u8]) -> impl Iterator<Item = (PathBuf, &[u8])> {
    Members { archive, at: 0, name: None, size: None, seen: HashMap::new() }
}

struct Members<'a> {
    archive: &'a [u8],
    at: usize,
    /// Name and size of the next member, when they did not fit into its header.
    name: Option<&'a [u8]>,
    size: Option<usize>,
    /// Content by name, for members that are second names.
    seen: HashMap<&'a [u8], &'a [u8]>,
}

impl<'a> Iterator for Members<'a> {
    type Item = (PathBuf, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let header = self.archive.get(self.at..self.at + BLOCK)?;
            if header.iter().all(|byte| *byte == 0) {
                return None;
            }
            let own_size = number(&header[124..136])?;
            let kind = header[156];
            let is_about_the_next = matches!(kind, b'x' | b'g' | b'L' | b'K');
            let size =
                if is_about_the_next { own_size } else { self.size.take().unwrap_or(own_size) };
            let start = self.at + BLOCK;
            let content = self.archive.get(start..start.checked_add(size)?)?;
            self.at = start + size.div_ceil(BLOCK) * BLOCK;
            match kind {
                b'L' => self.name = Some(until_zero(content)),
                b'x' => self.extended(content),
                b'K' | b'g' => {}
                _ => {
                    let long = self.name.take();
                    let path = long.map_or_else(|| short_name(header), path_of);
                    let content = match kind {
                        b'0' | 0 | b'7' => content,
                        b'1' => self.seen.get(until_zero(&header[157..257])).copied()?,
                        _ => continue,
                    };
                    if long.is_none() {
                        self.seen.insert(until_zero(&header[..100]), content);
                    }
                    return Some((path, content));
                }
            }
        }
    }
}

impl<'a> Members<'a> {
    /// Reads records of the form `LENGTH KEY=VALUE\n`.
    fn extended(&mut self, mut records: &'a [u8]) {
        while let Some(space) = records.iter().position(|byte| *byte == b' ') {
            let length = std::str::from_utf8(&records[..space]).ok().and_then(|n| n.parse().ok());
            let Some(record) = length.and_then(|length: usize| records.get(space + 1..length))
            else {
                return;
            };
            records = &records[space + 1 + record.len()..];
            let record = record.strip_suffix(b"\n").unwrap_or(record);
            if let Some(path) = record.strip_prefix(b"path=") {
                self.name = Some(path);
            } else if let Some(size) = record.strip_prefix(b"size=") {
                self.size = std::str::from_utf8(size).ok().and_then(|size| size.parse().ok());
            }
        }
    }
}

/// A number in octal digits, or in binary when it is too large for them.
fn number(field: &[u8]) -> Option<usize> {
    if field.first()? & 0x80 != 0 {
        return field[1..]
            .iter()
            .try_fold(0_usize, |sum, byte| sum.checked_mul(256)?.checked_add(usize::from(*byte)));
    }
    let digits = std::str::from_utf8(until_zero(field)).ok()?.trim();
    if digits.is_empty() { Some(0) } else { usize::from_str_radix(digits, 8).ok() }
}

fn until_zero(field: &[u8]) -> &[u8] {
    field.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// The name in a header, which newer formats keep in two parts.
fn short_name(header: &[u8]) -> PathBuf {
    let name = until_zero(&header[..100]);
    let prefix = until_zero(&header[345..500]);
    // The old GNU format has other things in the place of the prefix.
    let is_posix = &header[257..263] == b"ustar\0";
    match is_posix && !prefix.is_empty() {
        true => path_of(&[prefix, b"/", name].concat()),
        false => path_of(name),
    }
}

fn path_of(name: &[u8]) -> PathBuf {
    let name = name.strip_prefix(b".").filter(|rest| rest.starts_with(b"/")).unwrap_or(name);
    Path::new("/").join(OsStr::from_bytes(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn member(name: &str, kind: u8, content: &[u8]) -> Vec<u8> {
        let mut header = vec![0; BLOCK];
        header[..name.len()].copy_from_slice(name.as_bytes());
        let size = format!("{:011o}", content.len());
        header[124..135].copy_from_slice(size.as_bytes());
        header[156] = kind;
        header.extend_from_slice(content);
        header.resize(BLOCK + content.len().div_ceil(BLOCK) * BLOCK, 0);
        header
    }

    fn read(archive: &[u8]) -> Vec<(String, String)> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        files(archive).map(|(path, content)| (path.display().to_string(), text(content))).collect()
    }

    #[test]
    fn regular_files_are_named_from_the_root() {
        let archive = [
            member("./a/b", b'0', b"one"),
            member("./link", b'2', b""),
            member("./pipe", b'6', b""),
            member("c", 0, &[b'x'; 513]),
            vec![0; 1024],
        ]
        .concat();
        let found = read(&archive);
        assert_eq!(found[0], ("/a/b".into(), "one".into()));
        assert_eq!((found.len(), found[1].0.as_str(), found[1].1.len()), (2, "/c", 513));
    }

    #[test]
    fn long_names_and_second_names_are_understood() {
        let long = format!("./{}\0", "d/".repeat(90));
        let archive = [
            member("././@LongLink", b'L', long.as_bytes()),
            member("./cut", b'0', b"long"),
            member("./pax", b'x', b"15 path=./x\ny z\n8 a=b\n\n"),
            member("./cut", b'0', b"pax"),
            member("./first", b'0', b"same"),
        ]
        .concat();
        let mut link = member("./second", b'1', b"");
        link[157..164].copy_from_slice(b"./first");
        let found = read(&[archive, link].concat());
        assert_eq!(found[0].0, format!("/{}", "d/".repeat(90)));
        assert_eq!(found[1], ("/x\ny z".into(), "pax".into()));
        assert_eq!(found[3], ("/second".into(), "same".into()));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..2000),
            kind in any::<u8>(),
        ) {
            let mut archive = member("./a", kind, &bytes);
            files(&archive).count();
            archive.truncate(bytes.len());
            files(&archive).count();
            files(&bytes).count();
        }
    }
}

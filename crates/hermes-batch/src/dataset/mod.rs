//! Data sets: from files to rows with names, kept as places in the files.
//!
//! A data set is JSON lines: one file (also packed: `.gz`, `.zst`), a folder of such files in the order of their
//! names, or stdin. [`Dataset::open`] reads it once from end to end and keeps of each row where it stands and what
//! tells it from others, some sixty bytes; the row itself is read again when its task begins. So ten million rows
//! fit into memory, however long they are. What is packed or piped in is unpacked into a folder of the run first.

mod lines;
mod row;

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

pub use lines::{LineReader, MAX_LINE_BYTES, PlacedLine, each_line};
pub(crate) use row::hex;
pub use row::{DatasetRow, MAX_ID_CHARS, canonical, parse_row};

use crate::BatchError;

/// Warnings about lines that are kept; of the rest there is a count.
const MAX_WARNINGS: usize = 20;

/// Where a row stands.
#[derive(Clone, Copy, Debug)]
struct RowLocation {
    offset: u64,
    length: u32,
    line: u32,
    file: u32,
    /// How many equal rows without an id are before it.
    copies_before: u32,
}

/// The rows of a data set.
#[derive(Debug)]
pub struct Dataset {
    files: Vec<(PathBuf, File)>,
    places: Vec<RowLocation>,
    fingerprints: Vec<u64>,
    by_id: HashMap<u128, u32>,
    warnings: Vec<String>,
    skipped: usize,
    digest: [u8; 32],
    bytes: u64,
}

impl Dataset {
    /// Reads all lines of a file, a folder of files, or stdin (`-`). Unpacked copies are put into `spool`. At most
    /// `max_rows` rows are taken, from the beginning.
    ///
    /// # Errors
    /// If a file cannot be read, two rows have the same id, or no line is a row.
    pub fn open(source: &Path, spool: &Path, max_rows: Option<usize>) -> Result<Self, BatchError> {
        let mut dataset = Self {
            files: Vec::new(),
            places: Vec::new(),
            fingerprints: Vec::new(),
            by_id: HashMap::new(),
            warnings: Vec::new(),
            skipped: 0,
            digest: [0; 32],
            bytes: 0,
        };
        let mut digest = Sha256::new();
        let max_rows = max_rows.unwrap_or(usize::MAX);
        for (shown, file) in plain_files(source, spool)? {
            dataset.read_file(&shown, file, max_rows, &mut digest)?;
        }
        dataset.digest = digest.finalize().into();
        if dataset.places.is_empty() {
            let why = dataset.warnings.join("\n  ");
            let why = if why.is_empty() { "it is empty".to_owned() } else { why };
            return Err(BatchError::NoValidRow(format!(
                "no line of {} is a row:\n  {why}",
                source.display()
            )));
        }
        Ok(dataset)
    }

    fn read_file(
        &mut self,
        shown: &Path,
        file: File,
        max_rows: usize,
        digest: &mut Sha256,
    ) -> Result<(), BatchError> {
        let number = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
        let reader = file.try_clone().map_err(BatchError::when("read", shown))?;
        self.files.push((shown.to_path_buf(), file));
        let mut twice = None;
        let read = each_line(BufReader::with_capacity(1 << 20, reader), MAX_LINE_BYTES, |line| {
            let bytes = line.bytes.unwrap_or_default();
            digest.update(bytes);
            digest.update(b"\n");
            self.bytes += bytes.len() as u64 + 1;
            if self.places.len() >= max_rows || twice.is_some() {
                return;
            }
            let parsed = match line.bytes {
                Some(bytes) => parse_row(bytes),
                None => Err(format!("longer than {} MiB", MAX_LINE_BYTES >> 20)),
            };
            match parsed {
                Ok(None) => {}
                Ok(Some(row)) => {
                    let place = RowLocation {
                        offset: line.offset,
                        length: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
                        line: line.number,
                        file: number,
                        copies_before: 0,
                    };
                    twice = self.add(&row, place);
                }
                Err(why) => {
                    self.skipped += 1;
                    if self.warnings.len() < MAX_WARNINGS {
                        let name = self.files.last().map(|(name, _)| name.display().to_string());
                        let name = name.unwrap_or_default();
                        self.warnings.push(format!("{name}: line {}: {why}", line.number));
                    }
                }
            }
        });
        read.map_err(BatchError::when("read", shown))?;
        twice.map_or(Ok(()), |why| Err(BatchError::Usage(why)))
    }

    /// Takes a row in; what is wrong if its id is taken.
    fn add(&mut self, row: &DatasetRow, mut place: RowLocation) -> Option<String> {
        let index = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
        let base = row.base_id();
        if let Some(first) = self.by_id.get(&key(&base)).copied() {
            if row.id.is_some() {
                let earlier = self.places[first as usize];
                let file =
                    |place: RowLocation| self.files[place.file as usize].0.display().to_string();
                return Some(format!(
                    "two rows have the id {base:?}: {} line {} and {} line {}",
                    file(earlier),
                    earlier.line,
                    file(place),
                    place.line
                ));
            }
            let mut copies = 1;
            while self.by_id.contains_key(&key(&copy_id(&base, copies))) {
                copies += 1;
            }
            place.copies_before = copies;
        }
        self.by_id.insert(key(&copy_id(&base, place.copies_before)), index);
        self.fingerprints.push(row.fingerprint());
        self.places.push(place);
        None
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is no row, which [`open`](Self::open) does not let happen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// What is wrong with lines that are no rows: the first twenty.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// How many lines are no rows.
    #[must_use]
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// SHA-256 of its lines, in hex.
    #[must_use]
    pub fn digest(&self) -> String {
        hex(&self.digest)
    }

    /// Bytes of its lines.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Which row has this id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<usize> {
        self.by_id.get(&key(id)).map(|index| *index as usize)
    }

    /// What tells whether a row has changed.
    #[must_use]
    pub fn fingerprint(&self, index: usize) -> u64 {
        self.fingerprints[index]
    }

    /// Reads a row again, with its id.
    ///
    /// # Errors
    /// If the file changed or cannot be read.
    pub fn row(&self, index: usize) -> Result<(String, DatasetRow), BatchError> {
        self.row_and_line(index).map(|(id, row, _)| (id, row))
    }

    /// The same, with the bytes of its line.
    ///
    /// # Errors
    /// If the file changed or cannot be read.
    pub fn row_and_line(&self, index: usize) -> Result<(String, DatasetRow, Vec<u8>), BatchError> {
        let place = self.places[index];
        let (name, file) = &self.files[place.file as usize];
        let mut bytes = vec![0; place.length as usize];
        file.read_exact_at(&mut bytes, place.offset).map_err(BatchError::when("read", name))?;
        let changed = || BatchError::broken(name, format!("line {} has changed", place.line));
        let row = parse_row(&bytes).ok().flatten().ok_or_else(changed)?;
        if row.fingerprint() != self.fingerprints[index] {
            return Err(changed());
        }
        Ok((copy_id(&row.base_id(), place.copies_before), row, bytes))
    }
}

fn copy_id(base: &str, copies_before: u32) -> String {
    match copies_before {
        0 => base.to_owned(),
        before => format!("{base}~{}", before + 1),
    }
}

fn key(id: &str) -> u128 {
    let digest: [u8; 32] = Sha256::digest(id).into();
    let (half, _) = digest.split_at(16);
    half.iter().fold(0, |key, byte| key << 8 | u128::from(*byte))
}

/// The files of a source as plain text, each with the name people know.
fn plain_files(source: &Path, spool: &Path) -> Result<Vec<(PathBuf, File)>, BatchError> {
    if source == Path::new("-") {
        let file = unpacked(io::stdin().lock(), source, spool)?;
        return Ok(vec![(PathBuf::from("stdin"), file)]);
    }
    if source.is_dir() {
        let entries = source.read_dir().map_err(BatchError::when("list", source))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| {
            let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            [".jsonl", ".jsonl.gz", ".jsonl.zst"].iter().any(|end| name.ends_with(end))
        });
        paths.sort();
        if paths.is_empty() {
            let why = format!("no *.jsonl, *.jsonl.gz or *.jsonl.zst in {}", source.display());
            return Err(BatchError::NoValidRow(why));
        }
        return paths
            .into_iter()
            .map(|path| plain(&path, spool).map(|file| (path, file)))
            .collect();
    }
    Ok(vec![(source.to_path_buf(), plain(source, spool)?)])
}

fn plain(path: &Path, spool: &Path) -> Result<File, BatchError> {
    let file = File::open(path).map_err(BatchError::when("open", path))?;
    match path.extension().and_then(|end| end.to_str()) {
        Some("gz") => unpacked(flate2::read::MultiGzDecoder::new(file), path, spool),
        Some("zst") => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(file)
                .map_err(|error| BatchError::broken(path, error))?;
            unpacked(decoder, path, spool)
        }
        _ => Ok(file),
    }
}

/// Everything of a reader in a file without a name, which is gone when nobody holds it.
fn unpacked(mut from: impl Read, source: &Path, spool: &Path) -> Result<File, BatchError> {
    let mut file = tempfile::tempfile_in(spool).map_err(BatchError::when("write into", spool))?;
    io::copy(&mut from, &mut file).map_err(BatchError::when("unpack", source))?;
    file.flush().map_err(BatchError::when("write into", spool))?;
    io::Seek::rewind(&mut file).map_err(BatchError::when("read again", source))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(text: &str) -> Result<Dataset, BatchError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        File::create(&path).unwrap().write_all(text.as_bytes()).unwrap();
        Dataset::open(&path, folder.path(), None)
    }

    #[test]
    fn equal_rows_have_names_of_their_own() {
        let set = open(
            "{\"prompt\":\"a\"}\n{\"prompt\":\"b\"}\n{\"prompt\":\"a\"}\n{\"prompt\":\"a\"}\n",
        )
        .unwrap();
        let ids: Vec<String> = (0..4).map(|index| set.row(index).unwrap().0).collect();
        assert_eq!((&ids[2], &ids[3]), (&format!("{}~2", ids[0]), &format!("{}~3", ids[0])));
        assert_eq!(set.find(&ids[3]), Some(3));
    }

    #[test]
    fn an_id_twice_is_an_error_that_names_both_lines() {
        let error =
            open("{\"prompt\":\"a\",\"id\":1}\n\n{\"prompt\":\"b\",\"id\":\"1\"}\n").unwrap_err();
        let said = error.to_string();
        assert!(said.contains("line 1 and") && said.contains("line 3"), "{said}");
    }

    #[test]
    fn packed_files_and_folders_are_read_like_plain_ones() {
        let folder = tempfile::tempdir().unwrap();
        let rows = "{\"prompt\":\"a\"}\n{\"prompt\":\"b\"}\n";
        let mut gz = flate2::write::GzEncoder::new(
            File::create(folder.path().join("a.jsonl.gz")).unwrap(),
            flate2::Compression::fast(),
        );
        gz.write_all(rows.as_bytes()).unwrap();
        gz.finish().unwrap();
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        let zst = ruzstd::encoding::compress_to_vec(&b"{\"prompt\":\"c\"}"[..], level);
        File::create(folder.path().join("b.jsonl.zst")).unwrap().write_all(&zst).unwrap();
        File::create(folder.path().join("c.txt")).unwrap().write_all(b"no").unwrap();
        let set = Dataset::open(folder.path(), folder.path(), None).unwrap();
        assert_eq!(set.len(), 3);
        assert_eq!(set.row(2).unwrap().1.prompt, "c");
    }
}

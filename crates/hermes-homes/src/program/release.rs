//! Releases: which there are, and their files.

use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use hermes_llm::http::{self, Proxies};
use hermes_runtime::bridge::shared_runtime;
use reqwest::redirect::Policy;
use serde_json::Value;

use crate::packing::checksum;

/// Our version.
pub(super) const OWN_VERSION: &str = env!("CARGO_PKG_VERSION");
/// Where releases are told of: the newest, in the form of GitHub.
pub(super) const RELEASES: &str = "https://api.github.com/repos/hermes-rs/hermes/releases/latest";
/// The machine this program is for, as archives name it.
pub(super) const TARGET_TRIPLE: &str =
    match (cfg!(target_os = "macos"), cfg!(target_arch = "aarch64")) {
        (false, false) => "x86_64-unknown-linux-gnu",
        (false, true) => "aarch64-unknown-linux-gnu",
        (true, false) => "x86_64-apple-darwin",
        (true, true) => "aarch64-apple-darwin",
    };

/// How long a server may be silent.
const PATIENCE: Duration = Duration::from_secs(30);
/// Redirects that are followed: the files of releases are handed out elsewhere.
const MAX_REDIRECTS: usize = 5;
/// Most bytes of what tells of a release, and of a checksum.
const MOST_WORDS: u64 = 4 * 1024 * 1024;
/// Most bytes of an archive, and of the program in it.
const MOST_BYTES: u64 = 1024 * 1024 * 1024;

/// `1.2.3`, comparable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ReleaseVersion([u64; 3]);

impl ReleaseVersion {
    /// Reads `1.2.3` and `v1.2.3`; what is marked as unfinished (`1.2.3-rc.1`) is none.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().trim_start_matches('v').split('.');
        let mut next = || parts.next()?.parse().ok();
        let version = Self([next()?, next()?, next()?]);
        parts.next().is_none().then_some(version)
    }

    /// Our own.
    pub(super) fn own() -> Self {
        Self::parse(OWN_VERSION).unwrap_or(Self([0; 3]))
    }
}

impl std::fmt::Display for ReleaseVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self([major, minor, patch]) = self;
        write!(f, "{major}.{minor}.{patch}")
    }
}

/// Where a file of a release is.
#[derive(Clone, Debug)]
enum ReleaseSource {
    File(PathBuf),
    Address(String),
}

/// A release with an archive for this machine.
#[derive(Debug)]
pub(super) struct Release {
    pub(super) version: ReleaseVersion,
    name: String,
    archive: ReleaseSource,
    sum: ReleaseSource,
}

impl Release {
    /// The newest of a folder with archives, or of an address that tells of it.
    pub(super) fn newest(from: &str, proxies: &Proxies) -> anyhow::Result<Self> {
        if from.starts_with("http://") || from.starts_with("https://") {
            let mut text = Vec::new();
            fetch(from, proxies, MOST_WORDS, &mut text)?;
            let told: Value = serde_json::from_slice(&text)
                .with_context(|| format!("{from} does not tell of a release"))?;
            return Self::told(&told).with_context(|| format!("what {from} tells"));
        }
        Self::in_folder(Path::new(from))
    }

    fn told(told: &Value) -> anyhow::Result<Self> {
        let tag = told["tag_name"].as_str().context("there is no `tag_name`")?;
        let version =
            ReleaseVersion::parse(tag).with_context(|| format!("{tag:?} is no version"))?;
        let name = archive_name(version);
        let address = |name: &str| {
            let assets = told["assets"].as_array().into_iter().flatten();
            let found = assets.into_iter().find(|asset| asset["name"] == name);
            let address = found.and_then(|asset| asset["browser_download_url"].as_str());
            address.map(|address| ReleaseSource::Address(address.to_owned())).with_context(|| {
                format!("release {version} has no {name}: there is no archive for this machine")
            })
        };
        Ok(Self {
            version,
            archive: address(&name)?,
            sum: address(&format!("{name}.sha256"))?,
            name,
        })
    }

    fn in_folder(folder: &Path) -> anyhow::Result<Self> {
        let entries = fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))?;
        let newest = entries
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let rest = name.strip_prefix("hermes-v")?;
                let version = rest.strip_suffix(&format!("-{TARGET_TRIPLE}.tar.gz"))?;
                ReleaseVersion::parse(version)
            })
            .max();
        let Some(version) = newest else {
            bail!("{} has no archive for this machine ({TARGET_TRIPLE})", folder.display());
        };
        let name = archive_name(version);
        let sum = folder.join(format!("{name}.sha256"));
        ensure!(
            sum.is_file(),
            "{} is not there, so that nothing says the archive is whole",
            sum.display()
        );
        Ok(Self {
            version,
            archive: ReleaseSource::File(folder.join(&name)),
            sum: ReleaseSource::File(sum),
            name,
        })
    }

    /// Writes the program of the release to a new file, after comparing the archive's checksum.
    pub(super) fn unpack_program(&self, to: &Path, proxies: &Proxies) -> anyhow::Result<()> {
        let wanted =
            String::from_utf8_lossy(&self.read(&self.sum, MOST_WORDS, proxies)?).into_owned();
        let wanted = wanted.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        ensure!(
            wanted.len() == 64 && wanted.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "the checksum of {} cannot be read",
            self.name
        );
        let folder = to.parent().context("the program has no folder")?;
        let draft = Draft(folder.join(format!(".{}.{}", self.name, std::process::id())));
        match &self.archive {
            ReleaseSource::File(file) => {
                fs::copy(file, &draft.0).with_context(|| format!("read {}", file.display()))?;
            }
            ReleaseSource::Address(address) => {
                let mut file = new_file(&draft.0, 0o600)?;
                fetch(address, proxies, MOST_BYTES, &mut file)?;
            }
        }
        let (_, found) = checksum(&draft.0)?;
        ensure!(
            found == wanted,
            "the checksum of {} is {found} instead of {wanted}; nothing was changed",
            self.name
        );
        self.take_program(&draft.0, to)
    }

    fn take_program(&self, archive: &Path, to: &Path) -> anyhow::Result<()> {
        let inside = Path::new(self.name.trim_end_matches(".tar.gz")).join("hermes");
        let file = File::open(archive)?;
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file));
        for entry in archive.entries().context("the archive is broken")? {
            let mut entry = entry.context("the archive is broken")?;
            if entry.path()? != inside || entry.header().entry_type() != tar::EntryType::Regular {
                continue;
            }
            let mut program = new_file(to, 0o755)?;
            let size = std::io::copy(&mut entry.by_ref().take(MOST_BYTES + 1), &mut program)?;
            ensure!(size <= MOST_BYTES, "the program in {} is larger than it may be", self.name);
            return Ok(program.sync_all()?);
        }
        bail!("{} has no program in it", self.name)
    }

    fn read(&self, place: &ReleaseSource, most: u64, proxies: &Proxies) -> anyhow::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match place {
            ReleaseSource::File(file) => {
                let file = File::open(file).with_context(|| format!("read {}", file.display()))?;
                file.take(most).read_to_end(&mut bytes)?;
            }
            ReleaseSource::Address(address) => fetch(address, proxies, most, &mut bytes)?,
        }
        Ok(bytes)
    }
}

fn archive_name(version: ReleaseVersion) -> String {
    format!("hermes-v{version}-{TARGET_TRIPLE}.tar.gz")
}

fn new_file(path: &Path, mode: u32) -> anyhow::Result<File> {
    let mut options = fs::OpenOptions::new();
    let opened = options.write(true).create_new(true).mode(mode).open(path);
    opened.with_context(|| format!("write {} (is the folder yours to write to?)", path.display()))
}

/// A file that goes when it is no longer needed.
struct Draft(PathBuf);

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Fetches a file into a writer. What is asked for is public: no key goes along.
fn fetch(
    address: &str,
    proxies: &Proxies,
    most: u64,
    into: &mut (impl std::io::Write + Send),
) -> anyhow::Result<()> {
    let work = async {
        let client = http::builder(address, PATIENCE, proxies)?
            .redirect(Policy::limited(MAX_REDIRECTS))
            .read_timeout(PATIENCE)
            .build()?;
        let mut response = client.get(address).send().await?.error_for_status()?;
        let mut left = most;
        while let Some(chunk) = response.chunk().await? {
            left = left.checked_sub(chunk.len() as u64).context("the answer is too long")?;
            into.write_all(&chunk)?;
        }
        into.flush()?;
        anyhow::Ok(())
    };
    shared_runtime().block_on(work).with_context(|| format!("fetch {address}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn versions_are_compared_as_numbers() {
        let version = |text: &str| ReleaseVersion::parse(text).unwrap();
        assert!(version("v0.10.0") > version("0.9.9"));
        assert!(ReleaseVersion::own() <= version(OWN_VERSION));
        for bad in ["", "1.2", "1.2.3.4", "1.2.3-rc.1", "one.two.three", "1.-2.3"] {
            assert_eq!(ReleaseVersion::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_release_without_an_archive_or_sum_for_this_machine_is_none() {
        let name = archive_name(ReleaseVersion([9, 0, 0]));
        let asset = |name: &str| json!({"name": name, "browser_download_url": "https://x/y"});
        let told =
            |assets: Vec<Value>| Release::told(&json!({"tag_name": "v9.0.0", "assets": assets}));
        assert!(told(vec![asset(&name), asset(&format!("{name}.sha256"))]).is_ok());
        assert!(told(vec![asset(&name)]).unwrap_err().to_string().contains(".sha256"));
        assert!(told(vec![]).is_err());
        assert!(Release::told(&json!({"tag_name": "nightly"})).is_err());
    }
}

//! Which files of the Hermes home commands get to see elsewhere.

use std::path::{Path, PathBuf};

use super::credentials;

/// The caches worth seeing.
const CACHES: [&str; 7] =
    ["documents", "images", "audio", "videos", "screenshots", "web", "delegation"];

/// Where the files come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncSources {
    /// `HERMES_HOME`.
    pub home: PathBuf,
    /// Files the user named, relative to the home. Those that break a rule are left out.
    pub credential_files: Vec<String>,
    /// Folders with skills outside the home.
    pub external_skills: Vec<PathBuf>,
    /// Whether folders are among them.
    pub scope: SyncScope,
}

/// What of the home is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SyncScope {
    /// Files with credentials, skills and caches.
    #[default]
    Everything,
    /// No folders: the place has them another way.
    CredentialsAlone,
}

/// What a file or folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncedKind {
    /// A file with a secret that the user wants commands to have.
    Credential,
    /// A folder with skills.
    Skills,
    /// A folder with files the tools made.
    Cache,
}

/// A file or folder that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncedPath {
    /// Where it is here.
    pub host: PathBuf,
    /// Where it is seen, below `~/.hermes`.
    pub below: String,
    /// Which decides whether it may be copied there.
    pub kind: SyncedKind,
}

impl SyncSources {
    /// Everything that is there now: single files for credentials, folders for the rest.
    #[must_use]
    pub fn list(&self) -> Vec<SyncedPath> {
        let credentials =
            self.credential_files.iter().filter_map(|given| {
                match credentials::check(&self.home, given) {
                    Ok((host, below)) => {
                        Some(SyncedPath { host, below, kind: SyncedKind::Credential })
                    }
                    Err(rule) => {
                        tracing::warn!(file = given, %rule, "a credential file is not taken along");
                        None
                    }
                }
            });
        let skills = [(self.home.join("skills"), "skills".to_owned())].into_iter().chain(
            self.external_skills
                .iter()
                .enumerate()
                .map(|(number, host)| (host.clone(), format!("external_skills/{number}"))),
        );
        let caches = CACHES.iter().map(|name| {
            let below = format!("cache/{name}");
            (self.home.join(&below), below)
        });
        let has_folders = self.scope == SyncScope::Everything;
        let folders = |folders: Vec<(PathBuf, String)>, kind| {
            folders
                .into_iter()
                .filter(move |(host, _)| has_folders && host.is_dir())
                .map(move |(host, below)| SyncedPath { host, below, kind })
        };
        credentials
            .chain(folders(skills.collect(), SyncedKind::Skills))
            .chain(folders(caches.collect(), SyncedKind::Cache))
            .collect()
    }

    /// Whether a file below a shown folder may be taken along: the agent itself may read it.
    pub(super) fn allows(&self, host: &Path) -> bool {
        credentials::may_be_read(&self.home, host)
    }
}

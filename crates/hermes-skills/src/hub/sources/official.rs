//! `official`: skills of ours that are installed on request, from a folder on this machine.

use std::path::{Path, PathBuf};

use hermes_store::atomic::AtomicError;
use serde_json::Map;

use super::{HubSource, SearchReach, SourceAnswer};
use crate::document::SkillDocument;
use crate::hub::HubContext;
use crate::hub::bundle::{BundleFiles, HubBundle, hash};
use crate::hub::error::HubError;
use crate::hub::identifier;
use crate::hub::record::{HubRecord, TrustLevel, ranked};
use crate::layout::{PRUNED_FOLDERS, SKILL_FILE};

const ID: &str = "official";
const PREFIX: &str = "official/";
/// Deepest nesting of categories.
const DEEPEST: usize = 8;

pub(super) struct OfficialSource;

impl OfficialSource {
    fn folder(hub: &HubContext) -> Option<PathBuf> {
        hub.settings.official_dir.as_ref().map(PathBuf::from).filter(|folder| folder.is_dir())
    }

    fn find(folder: &Path, prefix: &str, depth: usize, found: &mut Vec<HubRecord>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if !is_folder || PRUNED_FOLDERS.contains(&name.as_str()) || name.starts_with('.') {
                continue;
            }
            let identifier = format!("{prefix}{name}");
            if let Ok(bytes) = std::fs::read(entry.path().join(SKILL_FILE)) {
                let description = SkillDocument::read(&bytes).description();
                let record = HubRecord::new(ID, name, identifier, TrustLevel::Builtin);
                found.push(record.described(description));
            } else if depth < DEEPEST {
                Self::find(&entry.path(), &format!("{identifier}/"), depth + 1, found);
            }
        }
    }
}

impl HubSource for OfficialSource {
    fn id(&self) -> &'static str {
        ID
    }

    fn reach(&self) -> SearchReach {
        SearchReach::Always
    }

    fn claims(&self, identifier: &str) -> bool {
        identifier.starts_with(PREFIX)
    }

    fn search<'a>(
        &'a self,
        hub: &'a HubContext,
        query: &'a str,
        limit: usize,
    ) -> SourceAnswer<'a, Vec<HubRecord>> {
        Box::pin(async move {
            let mut found = Vec::new();
            if let Some(folder) = Self::folder(hub) {
                Self::find(&folder, PREFIX, 0, &mut found);
            }
            Ok(ranked(found, query, limit))
        })
    }

    fn fetch<'a>(
        &'a self,
        hub: &'a HubContext,
        identifier: &'a str,
    ) -> SourceAnswer<'a, HubBundle> {
        Box::pin(async move {
            let parts = identifier::parts(identifier)?;
            let absent = || HubError::NotFound(identifier.to_owned());
            let [_, categories @ .., name] = parts.as_slice() else { return Err(absent()) };
            let root = Self::folder(hub).ok_or_else(absent)?;
            let folder = root.join(parts[1..].join("/"));
            // A link in our own folder would bring something else in under our name.
            let real = folder.canonicalize().map_err(|_| absent())?;
            let inside = root.canonicalize().is_ok_and(|root| real.starts_with(root));
            if !inside || !folder.join(SKILL_FILE).is_file() {
                return Err(absent());
            }
            let mut files = BundleFiles::default();
            let read = hash::read_folder(&folder).map_err(AtomicError::when("read", &folder))?;
            for (path, bytes) in read {
                let executable = is_program(&folder.join(&path));
                files.add(&path, crate::hub::bundle::BundleFile { bytes, executable })?;
            }
            let mut metadata = Map::new();
            metadata.insert("source_url".to_owned(), folder.display().to_string().into());
            Ok(HubBundle {
                name: (*name).to_owned(),
                category: (!categories.is_empty()).then(|| categories.join("/")),
                files,
                source: ID,
                identifier: identifier.to_owned(),
                trust: TrustLevel::Builtin,
                metadata,
                warnings: Vec::new(),
            })
        })
    }
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).is_ok_and(|found| found.permissions().mode() & 0o111 != 0)
}

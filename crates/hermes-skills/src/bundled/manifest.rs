//! What was seeded: `.bundled_manifest`, one `name:md5` a line.

use std::collections::BTreeMap;

use hermes_store::atomic::{self, AtomicError, WriteOptions};

use crate::layout::SkillsHome;

/// Names and what they looked like when they were seeded; an older program wrote names only, which have no hash.
pub type BundledManifest = BTreeMap<String, String>;

/// The manifest of a home; empty if there is none.
#[must_use]
pub fn read(home: &SkillsHome) -> BundledManifest {
    let text = std::fs::read_to_string(home.bundled_manifest()).unwrap_or_default();
    let line = |line: &str| {
        let line = line.trim();
        let (name, hash) = line.rsplit_once(':').unwrap_or((line, ""));
        (!name.is_empty()).then(|| (name.trim().to_owned(), hash.trim().to_owned()))
    };
    text.lines().filter_map(line).collect()
}

pub(super) fn write(home: &SkillsHome, manifest: &BundledManifest) -> Result<(), AtomicError> {
    let lines: String = manifest.iter().map(|(name, hash)| format!("{name}:{hash}\n")).collect();
    atomic::write(&home.bundled_manifest(), lines.as_bytes(), WriteOptions::new_file_mode(0o644))
}

/// Skills we ship that were put away, one name a line.
#[must_use]
pub fn suppressed(home: &SkillsHome) -> Vec<String> {
    let text = std::fs::read_to_string(home.curator_suppressed()).unwrap_or_default();
    text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// Keeps a skill we ship from being seeded again, or no longer does.
///
/// # Errors
/// When the list cannot be written.
pub fn suppress(home: &SkillsHome, name: &str, put_away: bool) -> Result<(), AtomicError> {
    let mut names = suppressed(home);
    let before = names.clone();
    names.retain(|known| known != name);
    if put_away {
        names.push(name.to_owned());
    }
    names.sort();
    if names == before {
        return Ok(());
    }
    let lines: String = names.iter().map(|name| format!("{name}\n")).collect();
    atomic::write(&home.curator_suppressed(), lines.as_bytes(), WriteOptions::new_file_mode(0o644))
}

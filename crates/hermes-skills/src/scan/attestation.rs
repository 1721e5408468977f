//! The record of a scan, kept so that the same content from the same place need not be scanned again.
//!
//! A record counts for one digest, one source and one version of the rules; a change of any of them makes a new one.

use std::path::{Path, PathBuf};

use hermes_guard::skill_scan::{SCANNER_VERSION, SkillReport, SkillTrust, SkillVerdict};
use hermes_store::atomic::{self, AtomicError, WriteOptions};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// What is known of a bundle that was scanned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScanAttestation {
    /// The identifier it was fetched by.
    pub source: String,
    /// Where it was fetched from, with the revision.
    pub source_url: String,
    /// `sha256:` and the digest of the whole content.
    pub bundle_hash: String,
    /// The rules it was scanned with.
    pub scanner_version: String,
    /// `safe`, `caution` or `dangerous`.
    pub verdict: String,
    /// How far the source was trusted.
    pub trust_level: String,
    /// How many findings there were.
    pub findings: usize,
    /// The rules that found something, each once, sorted.
    pub rules: Vec<String>,
    /// When, in UTC.
    pub scanned_at: String,
    /// One line for people.
    pub summary: String,
    /// Whether it was made just now; a record that was read is not.
    pub fresh: bool,
    /// The model that had a second look, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit_model: Option<String>,
}

/// Where a bundle comes from.
#[derive(Clone, Copy, Debug)]
pub struct ScanOrigin<'a> {
    /// The identifier it was fetched by.
    pub source: &'a str,
    /// Where it was fetched from, with the revision.
    pub source_url: &'a str,
    /// How far that is trusted.
    pub trust: SkillTrust,
}

impl ScanAttestation {
    /// The record of a scan that was just made; `now` is UTC in ISO form.
    #[must_use]
    pub fn new(
        origin: &ScanOrigin<'_>,
        bundle_hash: &str,
        report: &SkillReport,
        now: &str,
    ) -> Self {
        let mut rules: Vec<String> =
            report.findings.iter().map(|finding| finding.pattern_id.to_owned()).collect();
        rules.sort_unstable();
        rules.dedup();
        Self {
            source: origin.source.to_owned(),
            source_url: origin.source_url.to_owned(),
            bundle_hash: bundle_hash.to_owned(),
            scanner_version: SCANNER_VERSION.to_owned(),
            verdict: report.verdict.as_str().to_owned(),
            trust_level: origin.trust.as_str().to_owned(),
            findings: report.findings.len(),
            summary: format!(
                "{}: {} findings in {} files",
                report.verdict,
                report.findings.len(),
                report.files
            ),
            rules,
            scanned_at: now.to_owned(),
            fresh: true,
            audit_model: None,
        }
    }

    /// The file of a record: the digest, and the beginning of one of its origin.
    #[must_use]
    pub fn path(cache: &Path, origin: &ScanOrigin<'_>, bundle_hash: &str) -> PathBuf {
        let digest = bundle_hash.trim_start_matches("sha256:");
        let from = Sha256::digest(format!("{}\0{}", origin.source, origin.source_url));
        cache.join(format!("{digest}-{}.json", &format!("{from:x}")[..16]))
    }

    /// The record of this content from this place by the rules of today, if there is one. Anything else on the disk,
    /// broken files included, is none.
    #[must_use]
    pub fn load(cache: &Path, origin: &ScanOrigin<'_>, bundle_hash: &str) -> Option<Self> {
        let text = std::fs::read_to_string(Self::path(cache, origin, bundle_hash)).ok()?;
        let value: Value = serde_json::from_str(&text).ok()?;
        let known: Self = serde_json::from_value(value).ok()?;
        let is_it = known.bundle_hash == bundle_hash
            && known.source == origin.source
            && known.source_url == origin.source_url
            && known.scanner_version == SCANNER_VERSION
            && SkillVerdict::parse(&known.verdict).is_some();
        is_it.then_some(Self { fresh: false, ..known })
    }

    /// Keeps the record. The folder is made if it is not there.
    pub fn store(&self, cache: &Path, origin: &ScanOrigin<'_>) -> Result<(), AtomicError> {
        std::fs::create_dir_all(cache).map_err(AtomicError::when("create the folder", cache))?;
        let path = Self::path(cache, origin, &self.bundle_hash);
        let text = serde_json::to_vec_pretty(self).unwrap_or_default();
        atomic::write(&path, &text, WriteOptions::default())
    }
}

#[cfg(test)]
mod tests {
    use hermes_guard::skill_scan::{BundleEntry, scan};

    use super::*;

    const ORIGIN: ScanOrigin<'static> =
        ScanOrigin { source: "o/r/s", source_url: "https://x/y", trust: SkillTrust::Community };

    #[test]
    fn a_record_counts_for_its_content_source_and_rules_only() {
        let cache = tempfile::tempdir().unwrap();
        let report = scan(&[BundleEntry::file("a.sh", b"rm -rf /\n")]);
        let made = ScanAttestation::new(&ORIGIN, "sha256:ab", &report, "2026-01-01T00:00:00Z");
        assert!(made.fresh && made.rules.contains(&"destructive_root_rm".to_owned()));
        made.store(cache.path(), &ORIGIN).unwrap();
        let read = ScanAttestation::load(cache.path(), &ORIGIN, "sha256:ab").unwrap();
        assert_eq!(read, ScanAttestation { fresh: false, ..made.clone() });
        let other = ScanOrigin { source: "evil/r/s", ..ORIGIN };
        assert!(ScanAttestation::load(cache.path(), &other, "sha256:ab").is_none());
        assert!(ScanAttestation::load(cache.path(), &ORIGIN, "sha256:cd").is_none());
        let old = ScanAttestation { scanner_version: "0".into(), ..made };
        old.store(cache.path(), &ORIGIN).unwrap();
        assert!(ScanAttestation::load(cache.path(), &ORIGIN, "sha256:ab").is_none(), "older rules");
    }
}

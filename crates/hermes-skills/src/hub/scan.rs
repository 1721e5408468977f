//! The seam to the scanner, and what its verdict means for an installation.

use serde_json::{Value, json};

use super::bundle::BundleFiles;
use super::record::TrustLevel;

/// What a scan comes to. Later is worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ScanVerdict {
    /// Nothing a person has to look at.
    Safe,
    /// A person has to look at it.
    Caution,
    /// Not to be installed.
    Dangerous,
}

impl ScanVerdict {
    /// The word in reports, JSON and files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Caution => "caution",
            Self::Dangerous => "dangerous",
        }
    }
}

/// One thing a scan found, in the words of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanNote {
    /// `critical`, `high`, `medium` or `low`.
    pub severity: String,
    /// What kind of harm it is about.
    pub category: String,
    /// The rule.
    pub pattern_id: String,
    /// Path in the bundle.
    pub file: String,
    /// Line from 1, 0 for the file as a whole.
    pub line: usize,
    /// The text that was found.
    pub matched: String,
}

/// What a scan says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleReport {
    /// What the notes come to.
    pub verdict: ScanVerdict,
    /// The worst first.
    pub notes: Vec<ScanNote>,
}

/// Whoever can look at a bundle.
pub trait BundleScanner: Send + Sync {
    /// Looks at every file.
    fn scan(&self, files: &BundleFiles) -> BundleReport;

    /// Which rules; a change of any of them changes this.
    fn version(&self) -> String;
}

/// What happens to a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallDecision {
    /// It may be installed.
    Allowed,
    /// Only with `--force`.
    NeedsForce,
    /// Only by naming its exact content.
    Blocked,
}

/// The policy: whom we believe how far.
#[must_use]
pub fn decide(trust: TrustLevel, verdict: ScanVerdict) -> InstallDecision {
    match (trust, verdict) {
        (TrustLevel::Builtin, _)
        | (_, ScanVerdict::Safe)
        | (TrustLevel::Trusted, ScanVerdict::Caution) => InstallDecision::Allowed,
        (TrustLevel::Community, ScanVerdict::Caution) => InstallDecision::NeedsForce,
        (_, ScanVerdict::Dangerous) => InstallDecision::Blocked,
    }
}

impl BundleReport {
    /// The report as people read it.
    #[must_use]
    pub fn text(&self, name: &str, source: &str, trust: TrustLevel) -> String {
        let mut text = format!(
            "Scan: {name} ({source}/{})  Verdict: {}\n",
            trust.as_str(),
            self.verdict.as_str()
        );
        for note in &self.notes {
            let shown: String = note.matched.chars().take(60).collect();
            text.push_str(&format!(
                "  {:<8} {} {}:{} \"{shown}\"\n",
                note.severity.to_uppercase(),
                note.category,
                note.file,
                note.line
            ));
        }
        let (word, reason) = match decide(trust, self.verdict) {
            InstallDecision::Allowed => ("ALLOWED", "nothing speaks against it"),
            InstallDecision::NeedsForce => {
                ("NEEDS CONFIRMATION", "read the findings; --force installs it")
            }
            InstallDecision::Blocked => ("BLOCKED", "--force does not help"),
        };
        text.push_str(&format!(
            "Decision: {word} — {reason} ({}, {}, {} findings)\n",
            trust.as_str(),
            self.verdict.as_str(),
            self.notes.len()
        ));
        text
    }

    /// What the lock file keeps.
    #[must_use]
    pub fn provenance(&self, version: &str, full_hash: &str, source_url: &str) -> Value {
        let rules: Vec<&str> = self.notes.iter().map(|note| note.pattern_id.as_str()).collect();
        json!({
            "scanner_version": version, "bundle_hash": full_hash, "source_url": source_url,
            "verdict": self.verdict.as_str(), "findings": self.notes.len(), "rules": rules,
            "scanned_at": super::state::audit_log::timestamp(),
        })
    }

    /// The verdict and the findings, as programs read them.
    #[must_use]
    pub fn json(&self) -> Value {
        let notes: Vec<Value> = self
            .notes
            .iter()
            .map(|note| {
                json!({"severity": note.severity, "category": note.category, "pattern_id": note.pattern_id,
                       "file": note.file, "line": note.line, "match": note.matched})
            })
            .collect();
        json!({"verdict": self.verdict.as_str(), "findings": notes})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_policy() {
        use InstallDecision::{Allowed, Blocked, NeedsForce};
        use ScanVerdict::{Caution, Dangerous, Safe};
        for (trust, wanted) in [
            (TrustLevel::Builtin, [Allowed, Allowed, Allowed]),
            (TrustLevel::Trusted, [Allowed, Allowed, Blocked]),
            (TrustLevel::Community, [Allowed, NeedsForce, Blocked]),
        ] {
            assert_eq!(
                [Safe, Caution, Dangerous].map(|verdict| decide(trust, verdict)),
                wanted,
                "{trust:?}"
            );
        }
    }
}

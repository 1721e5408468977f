//! What the guard's scanner says of a bundle, and what that means for an installation.

use hermes_guard::skill_scan::{
    self, BundleEntry, BundleEntryKind, SCANNER_VERSION, ScanSubject, SkillDecision, SkillReport,
    SkillVerdict, report_text,
};
use serde_json::{Value, json};

use super::bundle::BundleFiles;
use super::record::TrustLevel;

/// Looks at every file of a bundle. Where the user is strict, any finding asks for caution.
#[must_use]
pub fn scan(files: &BundleFiles, strictness: Strictness) -> BundleReport {
    let entries: Vec<BundleEntry<'_>> = files
        .iter()
        .map(|(path, file)| {
            let kind = BundleEntryKind::File { bytes: &file.bytes, executable: file.executable };
            BundleEntry { path, kind }
        })
        .collect();
    let report = skill_scan::scan(&entries);
    let verdict = match strictness {
        Strictness::Usual => report.verdict,
        Strictness::EveryFinding => SkillVerdict::strictly_of(&report.findings),
    };
    BundleReport { verdict, report }
}

/// Which findings count (`skills.guard_strict`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// Those a person should look at.
    Usual,
    /// Even those that only inform.
    EveryFinding,
}

/// A scan with the verdict that counts here.
#[derive(Clone, Debug)]
pub struct BundleReport {
    /// What the findings come to.
    pub verdict: SkillVerdict,
    report: SkillReport,
}

/// The policy: whom we believe how far.
#[must_use]
pub fn decide(trust: TrustLevel, verdict: SkillVerdict) -> SkillDecision {
    skill_scan::decide(trust.of_guard(), verdict)
}

impl BundleReport {
    /// The report as people read it.
    #[must_use]
    pub fn text(&self, name: &str, source: &str, trust: TrustLevel) -> String {
        let subject = ScanSubject { name, source, trust: trust.of_guard(), hash: None };
        let report = SkillReport { verdict: self.verdict, ..self.report.clone() };
        report_text(&subject, &report, decide(trust, self.verdict))
    }

    /// What the lock file keeps.
    #[must_use]
    pub fn provenance(&self, full_hash: &str, source_url: &str) -> Value {
        let rules: Vec<&str> =
            self.report.findings.iter().map(|finding| finding.pattern_id).collect();
        json!({
            "scanner_version": SCANNER_VERSION, "bundle_hash": full_hash, "source_url": source_url,
            "verdict": self.verdict.as_str(), "findings": rules.len(), "rules": rules,
            "scanned_at": super::state::audit_log::timestamp(),
        })
    }

    /// The verdict and the findings, as programs read them.
    #[must_use]
    pub fn json(&self) -> Value {
        let findings: Vec<Value> = self
            .report
            .findings
            .iter()
            .map(|finding| {
                json!({"severity": finding.severity.as_str(), "category": finding.category.as_str(),
                       "pattern_id": finding.pattern_id, "file": finding.file, "line": finding.line,
                       "match": finding.matched})
            })
            .collect();
        json!({"verdict": self.verdict.as_str(), "findings": findings})
    }
}

//! Is a skill on this disk safe to install?
//!
//! [`LocalBundle`] reads a folder (or a single file) without following links; the decisions are those of
//! [`hermes_guard::skill_scan`]. What the bundle's own ignore files leave out is left out here too, and so is not
//! installed: nothing is both hidden from the scan and on the disk afterwards. [`ScanAttestation`] keeps what a scan
//! said, and [`llm_audit`] lets a model have a second look.

mod attestation;
mod bundle;
mod llm_audit;

pub use attestation::{ScanAttestation, ScanOrigin};
pub use bundle::{LocalBundle, LocalBundleError, MAX_BUNDLE_BYTES, MAX_BUNDLE_FILES};
use hermes_guard::skill_scan::{
    DeepNote, SCANNER_VERSION, SkillDecision, SkillReport, SkillTrust, deep_audit,
    is_deeply_audited,
};
pub use llm_audit::{
    AuditAnswer, AuditModel, AuditNote, LlmAudit, audit_prompt, llm_audit, raised,
};
use serde_json::{Value, json};

/// A scan as programs read it: verdict, decision, and every finding.
#[must_use]
pub fn scan_json(
    bundle: &LocalBundle,
    source: &str,
    trust: SkillTrust,
    report: &SkillReport,
    decision: SkillDecision,
) -> Value {
    let findings: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            json!({
                "severity": finding.severity.as_str(),
                "category": finding.category.as_str(),
                "pattern_id": finding.pattern_id,
                "file": finding.file,
                "line": finding.line,
                "match": finding.matched,
                "description": finding.description,
            })
        })
        .collect();
    json!({
        "name": bundle.name(),
        "source": source,
        "trust_level": trust.as_str(),
        "verdict": report.verdict.as_str(),
        "decision": decision.as_str(),
        "reason": decision.reason(),
        "findings": findings,
        "files": report.files,
        "bytes": report.bytes,
        "ignored": bundle.ignored(),
        "hash": bundle.hash(),
        "scanner_version": SCANNER_VERSION,
    })
}

/// The deep audit of every Python file of a bundle.
#[must_use]
pub fn deep_notes(bundle: &LocalBundle) -> Vec<DeepNote> {
    bundle
        .texts()
        .filter(|(path, _)| is_deeply_audited(path))
        .flat_map(|(path, text)| deep_audit(path, &text))
        .collect()
}

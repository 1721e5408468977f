//! A scan in words.

use std::fmt::Write as _;

use super::bundle::SkillReport;
use super::policy::SkillDecision;
use super::trust::SkillTrust;

/// Longest excerpt in a report, in characters; findings themselves keep more.
const EXCERPT: usize = 60;

/// What a report is about.
#[derive(Clone, Copy, Debug)]
pub struct ScanSubject<'a> {
    /// The skill's name.
    pub name: &'a str,
    /// Where it comes from.
    pub source: &'a str,
    /// How far that place is trusted.
    pub trust: SkillTrust,
    /// `sha256:` and the digest of the content, if it was made.
    pub hash: Option<&'a str>,
}

/// The report: verdict, findings by weight, decision.
#[must_use]
pub fn report_text(
    subject: &ScanSubject<'_>,
    report: &SkillReport,
    decision: SkillDecision,
) -> String {
    let mut text = format!(
        "Scan: {} ({}/{})  Verdict: {}\n",
        subject.name,
        subject.source,
        subject.trust.as_str(),
        report.verdict.as_str().to_uppercase()
    );
    for finding in &report.findings {
        let place = match (finding.file.as_str(), finding.line) {
            ("", _) => "(whole skill)".to_owned(),
            (file, 0) => file.to_owned(),
            (file, line) => format!("{file}:{line}"),
        };
        let excerpt = super::finding::shown(&finding.matched, EXCERPT);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "  {:<8} {} {place} \"{excerpt}\" [{}]",
            finding.severity.as_str().to_uppercase(),
            finding.category.as_str(),
            finding.pattern_id
        );
    }
    let count = report.findings.len();
    let findings = if count == 1 { "finding" } else { "findings" };
    let _ = writeln!(
        text,
        "Decision: {} — {} ({}, {}, {count} {findings})",
        decision.heading(),
        decision.reason(),
        subject.trust.as_str(),
        report.verdict
    );
    if let Some(hash) = subject.hash {
        let _ = writeln!(
            text,
            "Provenance: scanner {}, {hash}, source {}",
            super::SCANNER_VERSION,
            subject.source
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{BundleEntry, decide, scan};
    use super::*;

    #[test]
    fn a_report_names_verdict_findings_and_decision() {
        let report = scan(&[BundleEntry::file("run.sh", b"#!/bin/sh\nrm -rf /\n")]);
        let subject = ScanSubject {
            name: "x",
            source: "someone/else",
            trust: SkillTrust::Community,
            hash: Some("sha256:00"),
        };
        let text = report_text(&subject, &report, decide(subject.trust, report.verdict));
        assert!(
            text.starts_with("Scan: x (someone/else/community)  Verdict: DANGEROUS\n"),
            "{text}"
        );
        assert!(text.contains("  CRITICAL destructive run.sh:2 \"rm -rf /\""), "{text}");
        assert!(text.contains("Decision: BLOCKED — --force does not lift this"), "{text}");
        assert!(text.contains("Provenance: scanner "), "{text}");
    }
}

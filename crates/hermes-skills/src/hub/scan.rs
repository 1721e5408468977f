//! What the guard's scanner says of a bundle, and what that means for an installation.
//!
//! The rules are applied each time: they are quick, and no file on the disk can talk them out of a finding. What is kept
//! ([`ScanAttestation`]) says since when this content of this source is known, and spares asking a model twice.

use std::time::Duration;

use hermes_guard::skill_scan::{
    self, BundleEntry, BundleEntryKind, ScanSubject, SkillDecision, SkillReport, SkillVerdict,
    report_text,
};
use serde_json::{Value, json};

use super::HubContext;
use super::bundle::{BundleFiles, HubBundle};
use super::record::TrustLevel;
use super::state::audit_log;
use crate::scan::{AuditModel, AuditNote, LocalBundle, ScanAttestation, ScanOrigin, llm_audit};

/// How long a model may think about a skill.
const AUDIT_TIME: Duration = Duration::from_secs(90);

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
    BundleReport { verdict, report, notes: Vec::new(), record: None }
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
    /// What a model found beyond that.
    notes: Vec<AuditNote>,
    record: Option<ScanAttestation>,
}

impl HubContext {
    /// Scans a fetched bundle, has a model look at it where the user wants that, and keeps a record.
    pub async fn examine(&self, bundle: &HubBundle) -> BundleReport {
        let source_url = bundle.said("source_url").unwrap_or_default();
        let trust = bundle.trust.of_guard();
        let origin = ScanOrigin { source: &bundle.identifier, source_url, trust };
        self.examine_files(&bundle.name, &bundle.files, &origin).await
    }

    /// The same for files that are here already.
    pub async fn examine_files(
        &self,
        name: &str,
        files: &BundleFiles,
        origin: &ScanOrigin<'_>,
    ) -> BundleReport {
        let mut report = self.scan(files);
        let hash = files.full_hash();
        let cache = self.state.skills().hub_scan_cache();
        let known = ScanAttestation::load(&cache, origin, &hash);
        let mut asked = None;
        if let Some(model) = self.auditor_for(&report) {
            match known.as_ref().filter(|known| known.audit_model.as_deref() == Some(model.name()))
            {
                Some(known) => {
                    let before = SkillVerdict::parse(&known.verdict).unwrap_or(report.verdict);
                    report.verdict = report.verdict.max(before);
                }
                None => {
                    report.ask(name, files, model).await;
                    asked = Some(model.name().to_owned());
                }
            }
        }
        let made = ScanAttestation::new(
            origin,
            &hash,
            &SkillReport { verdict: report.verdict, ..report.report.clone() },
            &audit_log::timestamp(),
        );
        let record = match known.filter(|_| asked.is_none()) {
            Some(known) => ScanAttestation { verdict: made.verdict, ..known },
            None => {
                let made = ScanAttestation { audit_model: asked, ..made };
                // A record that cannot be kept costs a second look, nothing else.
                let kept = self.state.prepare().is_ok().then(|| made.store(&cache, origin));
                if !matches!(kept, Some(Ok(()))) {
                    tracing::debug!("the record of a scan was not kept");
                }
                made
            }
        };
        report.record = Some(record);
        report
    }

    fn auditor_for(&self, report: &BundleReport) -> Option<&dyn AuditModel> {
        let wanted = self.trust.llm_audit.is_wanted(!report.report.findings.is_empty());
        self.auditor.as_deref().filter(|_| wanted)
    }
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
        let mut text = report_text(&subject, &report, decide(trust, self.verdict));
        text.extend(self.notes.iter().map(AuditNote::line));
        if let Some(record) = &self.record {
            let since = if record.fresh { "scanned now" } else { &record.scanned_at };
            let model = record.audit_model.as_deref();
            let model = model.map(|name| format!(", looked at by {name}")).unwrap_or_default();
            let from = if record.source_url.is_empty() { source } else { &record.source_url };
            let rules = match record.rules.is_empty() {
                true => String::new(),
                false => format!(", rules {}", record.rules.join(" ")),
            };
            text += &format!(
                "Provenance: {since}, scanner {}{model}, {}, {from}{rules}\n",
                record.scanner_version, record.bundle_hash
            );
        }
        text
    }

    /// What the lock file keeps.
    #[must_use]
    pub fn provenance(&self) -> Value {
        self.record.as_ref().map_or(Value::Null, |record| json!(record))
    }

    /// Lets a model look; what it says can only make the verdict worse.
    async fn ask(&mut self, name: &str, files: &BundleFiles, model: &dyn AuditModel) {
        let files = files.iter().map(|(path, file)| (path, file.bytes.as_slice(), file.executable));
        let bundle = LocalBundle::of_files(name, files);
        let asking = llm_audit(&bundle, self.verdict, model);
        if let Ok(said) = tokio::time::timeout(AUDIT_TIME, asking).await {
            self.verdict = said.verdict;
            self.notes = said.notes;
        }
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
            .chain(self.notes.iter().map(AuditNote::to_value))
            .collect();
        json!({"verdict": self.verdict.as_str(), "findings": findings, "provenance": self.provenance()})
    }
}

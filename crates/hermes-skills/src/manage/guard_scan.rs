//! Looking for attacks in a skill that was just written, with the scanner for installed ones.

use std::fs;
use std::path::Path;

use hermes_guard::skill_scan::{
    BundleEntry, ScanSubject, SkillTrust, SkillVerdict, decide, report_text, scan,
};

use crate::support::SupportFiles;

use super::SkillWriteScan;

/// Refuses what the scanner calls dangerous.
#[derive(Clone, Copy, Debug, Default)]
pub struct GuardScan;

impl SkillWriteScan for GuardScan {
    fn refusal(&self, skill: &Path) -> Option<String> {
        // No document is left out: no path of a skill is the empty one.
        let files = SupportFiles::of(skill, Path::new(""));
        let read = |path: &str| Some((path.to_owned(), fs::read(skill.join(path)).ok()?));
        let files: Vec<(String, Vec<u8>)> = files.paths().filter_map(read).collect();
        let entries: Vec<BundleEntry<'_>> =
            files.iter().map(|(path, bytes)| BundleEntry::file(path, bytes)).collect();
        let report = scan(&entries);
        if report.verdict != SkillVerdict::Dangerous {
            return None;
        }
        let trust = SkillTrust::AgentCreated;
        let name = skill.file_name().unwrap_or_default().to_string_lossy();
        let subject = ScanSubject { name: &name, source: "agent", trust, hash: None };
        Some(report_text(&subject, &report, decide(trust, report.verdict)))
    }
}

//! The scanner that looks for text which wants to take over the agent, and for programs that cannot be read.

use hermes_guard::threats::{self, ThreatScope};

use super::bundle::BundleFiles;
use super::scan::{BundleReport, BundleScanner, ScanNote, ScanVerdict};

/// How native programs begin.
const NATIVE: [&[u8]; 5] =
    [b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe"];

/// Looks with the rules of the guard.
pub(crate) struct GuardScanner;

impl BundleScanner for GuardScanner {
    fn scan(&self, files: &BundleFiles) -> BundleReport {
        let mut notes = Vec::new();
        for (path, file) in files.iter() {
            let note = |severity: &str, category: &str, id: &str, line, matched: String| ScanNote {
                severity: severity.to_owned(),
                category: category.to_owned(),
                pattern_id: id.to_owned(),
                file: path.to_owned(),
                line,
                matched,
            };
            if NATIVE.iter().any(|start| file.bytes.starts_with(start)) {
                notes.push(note("critical", "structure", "native_executable", 0, path.to_owned()));
                continue;
            }
            let text = String::from_utf8_lossy(&file.bytes);
            for threat in threats::scan(&text, ThreatScope::Strict) {
                let line = text
                    .lines()
                    .position(|line| line.contains(&threat.excerpt))
                    .map_or(0, |at| at + 1);
                notes.push(note("critical", "injection", &threat.id, line, threat.excerpt));
            }
        }
        let verdict = if notes.is_empty() { ScanVerdict::Safe } else { ScanVerdict::Dangerous };
        BundleReport { verdict, notes }
    }

    fn version(&self) -> String {
        "threats-1".to_owned()
    }
}

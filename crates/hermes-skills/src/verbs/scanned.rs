//! Is this safe to install?

use std::path::Path;

use hermes_guard::skill_scan::{
    ScanSubject, SkillReport, SkillVerdict, decide, report_text, scan as scan_entries, trust_of,
};
use hermes_tool::settings::Settings as _;
use serde_json::{Value, json};

use super::{ScanArgs, VerbContext, VerbError};
use crate::hub::settings::HubTrustSettings;
use crate::report::{VerbReport, VerbStatus};
use crate::scan::{AuditNote, LlmAudit, LocalBundle, deep_notes, llm_audit, scan_json};

/// Where a folder comes from of which nothing is said.
const UNKNOWN_SOURCE: &str = "local";

pub(super) async fn scan(
    place: &VerbContext<'_>,
    args: &ScanArgs,
) -> Result<VerbReport, VerbError> {
    if !args.path.exists() {
        let text = format!("{}: no such file or folder", args.path.display());
        return Ok(VerbReport::ended(VerbStatus::Usage).noted([text]));
    }
    let bundle = LocalBundle::read(&args.path)?;
    let settings = HubTrustSettings::read(place.config, place.vars);
    let report = scan_entries(&bundle.entries());
    let verdict = match args.strict || settings.guard_strict {
        true => SkillVerdict::strictly_of(&report.findings),
        false => report.verdict,
    };
    let wanted = settings.llm_audit.is_wanted(!report.findings.is_empty());
    let audit = match place.auditor.as_deref().filter(|_| wanted) {
        Some(model) => llm_audit(&bundle, verdict, model).await,
        None => LlmAudit { verdict, notes: Vec::new() },
    };
    let verdict = audit.verdict;
    let report = SkillReport { verdict, ..report };
    let source = args.source.as_deref().unwrap_or(UNKNOWN_SOURCE);
    let trust = trust_of(source, &settings.trusted_repos);
    let decision = decide(trust, verdict);
    let notes = if args.deep { deep_notes(&bundle) } else { Vec::new() };
    let shown = if args.json {
        let mut value = scan_json(&bundle, source, trust, &report, decision);
        if let Value::Array(findings) = &mut value["findings"] {
            findings.extend(audit.notes.iter().map(AuditNote::to_value));
        }
        if args.deep {
            value["deep"] = notes
                .iter()
                .map(|note| {
                    json!({"file": note.file, "line": note.line, "id": note.id,
                           "description": note.description})
                })
                .collect::<Value>();
        }
        VerbReport::json(&value)
    } else {
        let hash = bundle.hash();
        let subject = ScanSubject { name: bundle.name(), source, trust, hash: Some(&hash) };
        let mut text = report_text(&subject, &report, decision);
        text.extend(audit.notes.iter().map(AuditNote::line));
        for note in &notes {
            text +=
                &format!("  note {}:{} {} [{}]\n", note.file, note.line, note.description, note.id);
        }
        let ignored = bundle.ignored();
        let left_out = (!ignored.is_empty())
            .then(|| format!("left out by the skill's own ignore file: {}", ignored.join(", ")));
        VerbReport::text(text).noted(left_out)
    };
    let shown = shown.noted(no_skill(&args.path, &bundle));
    Ok(shown.ending(match verdict {
        SkillVerdict::Safe => VerbStatus::Done,
        SkillVerdict::Caution => VerbStatus::Partly,
        SkillVerdict::Dangerous => VerbStatus::Blocked,
    }))
}

/// What is said of a folder that is no skill: a verdict on the wrong folder would reassure nobody rightly.
fn no_skill(path: &Path, bundle: &LocalBundle) -> Option<String> {
    let entries = bundle.entries();
    let holds = entries.iter().any(|entry| entry.path.eq_ignore_ascii_case("SKILL.md"));
    if holds || !path.is_dir() {
        return None;
    }
    Some(match entries.len() {
        0 => format!("{}: no file in it, so there was nothing to scan", path.display()),
        _ => format!("{}: no SKILL.md in it; its files were scanned as they are", path.display()),
    })
}

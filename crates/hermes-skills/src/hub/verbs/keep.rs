//! install, check, update, audit, uninstall.

use hermes_guard::skill_scan::{DeepNote, SkillDecision, deep_audit, is_deeply_audited};
use serde_json::{Value, json};

use super::{InstallArgs, VerbFront};
use crate::hub::HubContext;
use crate::hub::bundle::{BundleFiles, hash};
use crate::hub::error::HubError;
use crate::hub::install::{self, InstallChoices};
use crate::hub::scan::decide;
use crate::hub::state::lock_file;
use crate::hub::update::{self, UpdateLine, UpdateMode, UpdateState};
use crate::report::{ReportPart, ReportTable, VerbReport, VerbStatus};
use crate::scan::ScanOrigin;

pub(super) async fn install(
    hub: &HubContext,
    args: &InstallArgs,
    front: &dyn VerbFront,
) -> Result<VerbReport, HubError> {
    front.progress(&format!("fetching {}", args.identifier));
    let bundle = install::fetch(hub, &args.identifier).await?;
    let choices = InstallChoices {
        category: args.category.clone(),
        name: args.name.clone(),
        force: args.force,
        accept_hash: args.accept_hash.clone(),
    };
    let agreed = args.yes || args.force;
    let mut shown = String::new();
    let done = install::install(hub, bundle, &choices, |offer| {
        shown = offer.text();
        agreed || front.agree(&shown)
    })
    .await?;
    if args.json {
        let value = json!({"installed": done.name, "entry": done.entry, "archived": done.archived});
        return Ok(VerbReport::json(&value));
    }
    let mut report = VerbReport::text(format!(
        "installed {} ({} files, {}) in skills/{}\n",
        done.name,
        done.entry.files.len(),
        done.entry.content_hash,
        done.entry.install_path
    ));
    if agreed {
        report.notes.extend(shown.lines().map(str::to_owned));
    }
    if let Some(place) = done.archived {
        report.notes.push(format!("what was there is in {}", place.display()));
    }
    if done.suggests_schedule {
        report
            .notes
            .push(format!("{} is meant to run on a schedule; nothing was scheduled", done.name));
    }
    report.notes.push(match args.now {
        true => format!(
            "/{} calls it in this chat; its prompt lists it from the next session on",
            done.name
        ),
        false => "new sessions know it; in a running chat /reload-skills does".to_owned(),
    });
    Ok(report)
}

pub(super) async fn check(
    hub: &HubContext,
    name: Option<&str>,
    as_json: bool,
    front: &dyn VerbFront,
) -> Result<VerbReport, HubError> {
    let tell = |text: &str| front.progress(text);
    Ok(lines(&update::update(hub, name, UpdateMode::Check, &tell).await?, as_json))
}

pub(super) async fn update(
    hub: &HubContext,
    name: Option<&str>,
    force: bool,
    as_json: bool,
    front: &dyn VerbFront,
) -> Result<VerbReport, HubError> {
    let mode = if force { UpdateMode::ApplyOverEdits } else { UpdateMode::Apply };
    let tell = |text: &str| front.progress(text);
    Ok(lines(&update::update(hub, name, mode, &tell).await?, as_json))
}

fn lines(lines: &[UpdateLine], as_json: bool) -> VerbReport {
    let has = |state: &UpdateState| lines.iter().any(|line| line.state == *state);
    let status = match () {
        () if has(&UpdateState::Blocked) => VerbStatus::Blocked,
        () if !lines.is_empty()
            && lines.iter().all(|line| line.state == UpdateState::Unavailable) =>
        {
            VerbStatus::Failed
        }
        () if has(&UpdateState::Unavailable) => VerbStatus::Partly,
        () => VerbStatus::Done,
    };
    let report = VerbReport::ended(status);
    if as_json {
        return report.with(ReportPart::Json(json!(lines)));
    }
    if lines.is_empty() {
        return report.noted(["nothing is installed from the hub"]);
    }
    let mut table = ReportTable::new(["name", "state", ""]);
    for line in lines {
        table.row([line.name.clone(), line.state.as_str().to_owned(), line.why.clone()]);
    }
    report.with(ReportPart::Table(table))
}

/// How far an audit looks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AuditDepth {
    Usual,
    Deep,
}

pub(super) async fn audit(
    hub: &HubContext,
    name: Option<&str>,
    depth: AuditDepth,
    as_json: bool,
) -> Result<VerbReport, HubError> {
    let (lock, repair) = lock_file::read(&hub.state)?;
    if let Some(name) = name.filter(|name| !lock.installed.contains_key(*name)) {
        return Err(HubError::Usage(format!("{name} was not installed from the hub")));
    }
    let mut out = String::new();
    let mut values = Vec::new();
    let mut status = VerbStatus::Done;
    for (skill, entry) in
        lock.installed.iter().filter(|(skill, _)| name.is_none_or(|name| name == *skill))
    {
        let folder = entry.folder(skill, &hub.state.skills().root())?;
        let mut files = BundleFiles::default();
        for (path, bytes) in hash::read_folder(&folder).unwrap_or_default() {
            files.add_plain(&path, bytes)?;
        }
        let source_url =
            entry.metadata.get("source_url").and_then(Value::as_str).unwrap_or_default();
        let trust = entry.trust_level.of_guard();
        let origin = ScanOrigin { source: &entry.identifier, source_url, trust };
        let report = hub.examine_files(skill, &files, &origin).await;
        let deep = if depth == AuditDepth::Deep { deep_notes(&files) } else { Vec::new() };
        let modified = files.content_hash() != entry.content_hash;
        if decide(entry.trust_level, report.verdict) != SkillDecision::Allow {
            status = VerbStatus::Blocked;
        }
        if as_json {
            values
                .push(json!({"name": skill, "locally_modified": modified, "scan": report.json()}));
        } else {
            out.push_str(&report.text(skill, &entry.source, entry.trust_level));
            for note in &deep {
                out.push_str(&format!(
                    "  deep     {} {}:{} {}\n",
                    note.id, note.file, note.line, note.description
                ));
            }
            if modified {
                out.push_str("  it was changed since it was installed\n");
            }
        }
    }
    let part = if as_json { ReportPart::Json(json!(values)) } else { ReportPart::Text(out) };
    Ok(VerbReport::ended(status).with(part).warned(repair.warning()))
}

/// What static reading cannot see through in Python code.
fn deep_notes(files: &BundleFiles) -> Vec<DeepNote> {
    let python = files.iter().filter(|(path, _)| is_deeply_audited(path));
    python
        .flat_map(|(path, file)| deep_audit(path, &String::from_utf8_lossy(&file.bytes)))
        .collect()
}

pub(super) fn uninstall(hub: &HubContext, name: &str) -> Result<VerbReport, HubError> {
    let entry = install::uninstall(hub, name)?;
    Ok(VerbReport::text(format!("removed {name} (skills/{})\n", entry.install_path)))
}

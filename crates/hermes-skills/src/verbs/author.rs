//! For people who write skills.

use std::path::{Path, PathBuf};

use hermes_store::atomic::{self, WriteOptions};
use serde_json::json;

use super::{VerbContext, VerbError, count};
use crate::conformance::{LintLevel, lint as findings_of, scaffold};
use crate::document::validate::{name_rule, validate};
use crate::index::SkillIndex;
use crate::layout::SKILL_FILE;
use crate::name;
use crate::report::{VerbReport, VerbStatus};
use crate::roots::{RootKind, SkillRoot};

pub(super) fn new(
    place: &VerbContext<'_>,
    wanted: &str,
    description: &str,
    path: Option<&Path>,
) -> Result<VerbReport, VerbError> {
    if name::check(wanted).is_err() {
        return Err(format!("`{wanted}` cannot name a skill: {}", name_rule()).into());
    }
    let text = scaffold(wanted, description);
    validate(&text, wanted).map_err(|problem| problem.error)?;
    let root = path.map_or_else(|| place.library.home().root(), Path::to_path_buf);
    let folder = root.join(wanted);
    if folder.exists() {
        return Err(format!("{} is there already", folder.display()).into());
    }
    if path.is_none() {
        // Two of a name: neither is found by it any more.
        place.library.seed(place.config, place.vars);
        if let Ok(known) = place.store().find(wanted) {
            let known = known.root().display();
            return Err(format!("`{wanted}` is in {known} already; choose another name").into());
        }
    }
    std::fs::create_dir_all(&folder).map_err(|problem| about("create", &folder, &problem))?;
    let file = folder.join(SKILL_FILE);
    atomic::write(&file, text.as_bytes(), WriteOptions::new_file_mode(0o644))?;
    let advice = format!("Edit it, then check it: hermes skills lint {}", folder.display());
    Ok(VerbReport::text(file.display().to_string()).noted([advice]))
}

pub(super) fn lint(path: &Path, as_json: bool) -> Result<VerbReport, VerbError> {
    let files = documents(path)?;
    let (mut errors, mut values, mut lines) = (0, Vec::new(), String::new());
    for file in &files {
        let text = std::fs::read(file).map_err(|problem| about("read", file, &problem))?;
        let folder = file.canonicalize().map_err(|problem| about("find", file, &problem))?;
        let folder =
            folder.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        for one in findings_of(&String::from_utf8_lossy(&text), &folder) {
            let is_error = one.level == LintLevel::Error;
            errors += usize::from(is_error);
            let level = if is_error { "error" } else { "warning" };
            lines += &format!("{}:{}: {level}: {}\n", file.display(), one.line, one.message);
            values.push(
                json!({"file": file, "line": one.line, "level": one.level, "message": one.message}),
            );
        }
    }
    let report = if as_json {
        VerbReport::json(&json!({"files": files.len(), "errors": errors, "findings": values}))
    } else {
        let sum = format!("{} checked, {}", count(files.len(), "skill"), count(errors, "error"));
        VerbReport::text(lines).noted([sum])
    };
    Ok(report.ending(if errors == 0 { VerbStatus::Done } else { VerbStatus::Failed }))
}

/// The documents a path stands for.
fn documents(path: &Path) -> Result<Vec<PathBuf>, VerbError> {
    if path.is_file() {
        return Ok(vec![path.to_path_buf()]);
    }
    if path.join(SKILL_FILE).is_file() {
        return Ok(vec![path.join(SKILL_FILE)]);
    }
    let root = SkillRoot { path: path.to_path_buf(), kind: RootKind::External };
    let table = SkillIndex::default().refresh(&[root], Path::new(""));
    let files: Vec<PathBuf> = table.all.iter().map(|entry| entry.file.clone()).collect();
    if files.is_empty() {
        return Err(format!("there is no {SKILL_FILE} in {}", path.display()).into());
    }
    Ok(files)
}

fn about(doing: &str, path: &Path, problem: &std::io::Error) -> VerbError {
    format!("{doing} {}: {problem}", path.display()).into()
}

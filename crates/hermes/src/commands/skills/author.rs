//! For people who write skills.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use hermes_skills::conformance::{LintLevel, lint as findings_of, scaffold};
use hermes_skills::document::validate::name_rule;
use hermes_skills::layout::SKILL_FILE;
use hermes_skills::{SkillLibrary, name};
use hermes_store::atomic::{self, WriteOptions};
use serde_json::json;

use crate::exit::Exit;
use crate::ui::{Ui, count};

pub(super) fn new(
    wanted: &str,
    description: &str,
    path: Option<&Path>,
    library: &SkillLibrary,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    if name::check(wanted).is_err() {
        bail!("`{wanted}` cannot name a skill: {}", name_rule());
    }
    let folder = path.map_or_else(|| library.home().root(), Path::to_path_buf).join(wanted);
    if folder.exists() {
        bail!("{} is there already", folder.display());
    }
    std::fs::create_dir_all(&folder).with_context(|| format!("create {}", folder.display()))?;
    let file = folder.join(SKILL_FILE);
    atomic::write(
        &file,
        scaffold(wanted, description).as_bytes(),
        WriteOptions::new_file_mode(0o644),
    )?;
    ui.line(file.display())?;
    ui.note(format_args!("Edit it, then check it: hermes skills lint {}", folder.display()))?;
    Ok(Exit::Done)
}

pub(super) fn lint(path: &Path, as_json: bool, ui: &mut Ui) -> anyhow::Result<Exit> {
    let files = documents(path)?;
    let (mut errors, mut all) = (0, Vec::new());
    for file in &files {
        let text = std::fs::read(file).with_context(|| format!("read {}", file.display()))?;
        let folder = file.canonicalize()?;
        let folder =
            folder.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        let found = findings_of(&String::from_utf8_lossy(&text), &folder);
        errors += found.iter().filter(|one| one.level == LintLevel::Error).count();
        for one in found {
            let level = if one.level == LintLevel::Error { "error" } else { "warning" };
            match as_json {
                true => all.push(json!({"file": file, "line": one.line, "level": one.level, "message": one.message})),
                false => ui.line(format_args!("{}:{}: {level}: {}", file.display(), one.line, one.message))?,
            }
        }
    }
    if as_json {
        ui.json(&json!({"files": files.len(), "errors": errors, "findings": all}))?;
    } else {
        ui.note(format_args!(
            "{} checked, {}",
            count(files.len(), "skill"),
            count(errors, "error")
        ))?;
    }
    Ok(if errors == 0 { Exit::Done } else { Exit::Failed })
}

/// The documents a path stands for.
fn documents(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_path_buf()]);
    }
    if path.join(SKILL_FILE).is_file() {
        return Ok(vec![path.join(SKILL_FILE)]);
    }
    let root = hermes_skills::roots::SkillRoot {
        path: path.to_path_buf(),
        kind: hermes_skills::roots::RootKind::External,
    };
    let table = hermes_skills::index::SkillIndex::default().refresh(&[root], Path::new(""));
    let files: Vec<PathBuf> = table.all.iter().map(|entry| entry.file.clone()).collect();
    if files.is_empty() {
        bail!("there is no {SKILL_FILE} in {}", path.display());
    }
    Ok(files)
}

//! Several skills behind one slash command: a file each in `skill-bundles/`.
//!
//! ```yaml
//! name: release
//! skills: [git-workflow, review-change]
//! description: Before a release
//! instruction: Look at everything since the last tag.
//! ```

use std::fs;
use std::io;
use std::path::PathBuf;

use hermes_store::UnknownName;
use hermes_store::atomic::{self, WriteOptions};
use hermes_store::home::ensure_private_dir;

use crate::document::Frontmatter;
use crate::layout::SkillsHome;
use crate::name;

/// Several skills behind one command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlashBundle {
    /// By which it is called; the file's name if it says none.
    pub name: String,
    /// Its skills, in order.
    pub skills: Vec<String>,
    /// A line for lists.
    pub description: Option<String>,
    /// What the model is told with the skills.
    pub instruction: Option<String>,
    /// Where it is kept.
    pub file: PathBuf,
}

impl SlashBundle {
    /// A line on what it is.
    #[must_use]
    pub fn about(&self) -> String {
        self.description.clone().unwrap_or_else(|| format!("the skills {}", self.skills.join(", ")))
    }
}

/// All bundles that can be used, by their files' names. Those that cannot be read or list no skills are left out.
#[must_use]
pub fn read(home: &SkillsHome) -> Vec<SlashBundle> {
    let entries = fs::read_dir(home.slash_bundles()).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml"))
        .collect();
    files.sort();
    files.into_iter().filter_map(one).collect()
}

fn one(file: PathBuf) -> Option<SlashBundle> {
    let text = fs::read_to_string(&file).ok()?;
    let fields = Frontmatter::read(&text, 1)
        .inspect_err(
            |problem| tracing::warn!(file = %file.display(), %problem, "a bundle cannot be read"),
        )
        .ok()?;
    let text = |key: &str| {
        fields.written(key).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let skills = fields.texts("skills");
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    (!skills.is_empty()).then(|| SlashBundle {
        name: text("name").unwrap_or(stem),
        skills,
        description: text("description"),
        instruction: text("instruction"),
        file,
    })
}

/// Keeps a new bundle.
///
/// # Errors
/// When the name is none, it is taken, or the file cannot be written.
pub fn create(home: &SkillsHome, bundle: &SlashBundle) -> io::Result<PathBuf> {
    if name::check(&bundle.name).is_err() {
        return Err(io::Error::other(format!("`{}` cannot name a bundle", bundle.name)));
    }
    let folder = home.slash_bundles();
    ensure_private_dir(&folder).map_err(io::Error::other)?;
    let file = folder.join(format!("{}.yaml", bundle.name));
    if file.exists() {
        return Err(io::Error::other(format!("{} is there already", file.display())));
    }
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let skills: Vec<String> = bundle.skills.iter().map(|skill| quoted(skill)).collect();
    let mut text = format!("name: {}\nskills: [{}]\n", quoted(&bundle.name), skills.join(", "));
    for (key, value) in [("description", &bundle.description), ("instruction", &bundle.instruction)]
    {
        if let Some(value) = value {
            text += &format!("{key}: {}\n", quoted(value));
        }
    }
    atomic::write(&file, text.as_bytes(), WriteOptions::KEEP).map_err(io::Error::other)?;
    Ok(file)
}

/// Removes a bundle; gives the file that went.
///
/// # Errors
/// When there is none of that name, or its file cannot be removed.
pub fn delete(home: &SkillsHome, name: &str) -> io::Result<PathBuf> {
    let known = find(home, name)?;
    fs::remove_file(&known.file)?;
    Ok(known.file)
}

/// The bundle of this name.
///
/// # Errors
/// When there is none; says which there are.
pub fn find(home: &SkillsHome, name: &str) -> io::Result<SlashBundle> {
    let mut all = read(home);
    match all.iter().position(|bundle| bundle.name == name) {
        Some(at) => Ok(all.swap_remove(at)),
        None => {
            let names: Vec<String> = all.into_iter().map(|bundle| bundle.name).collect();
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            Err(UnknownName::io(format!("there is no bundle `{name}`; bundles are: {known}")))
        }
    }
}

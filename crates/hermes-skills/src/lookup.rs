//! From a name to one document.
//!
//! A name is never joined to a path before it is known to hold nothing that leads elsewhere. Several documents that
//! answer to it are an error: which of them was meant would be a guess.

mod of_plugins;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use crate::index::{IndexedSkill, SkillTable};
use crate::library::SkillStore;
use crate::name::MAX_NAME_CHARS;
use crate::offer::OfferContext;
use crate::refusal::SkillRefusal;
use crate::roots::RootKind;

pub(crate) use of_plugins::banner;

/// Most names listed when none fits.
pub const MAX_LISTED: usize = 20;

/// A document that answers to a name.
#[derive(Clone, Debug)]
pub struct LocatedSkill {
    /// What the index knows; nothing for a document that is a single file.
    pub entry: Option<Arc<IndexedSkill>>,
    /// The document.
    pub file: PathBuf,
    /// From the root it was found in.
    pub relative: PathBuf,
    /// Whose folder it is in.
    pub kind: RootKind,
    /// The other skills of the plugin it comes from, if it does.
    pub siblings: Vec<String>,
}

impl LocatedSkill {
    /// A skill of the folders that the index knows.
    pub(crate) fn of(entry: &Arc<IndexedSkill>) -> Self {
        Self {
            file: entry.file.clone(),
            relative: entry.relative.clone(),
            kind: entry.kind,
            siblings: Vec::new(),
            entry: Some(Arc::clone(entry)),
        }
    }

    /// The skill's folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("."))
    }

    /// Its name as lists show it.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.entry {
            Some(entry) => entry.name.clone(),
            None => self.file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }
}

impl OfferContext {
    /// A skill that was found, for whoever wants to use it: not one for another system, and not a disabled one.
    pub(crate) fn usable(&self, found: LocatedSkill) -> Result<LocatedSkill, SkillRefusal> {
        let Some(entry) = &found.entry else { return Ok(found) };
        if !self.fits_system(&entry.gates) {
            let systems = entry.gates.platforms.join(", ");
            let error =
                format!("The skill `{}` is for {systems}, not for this system.", entry.name);
            return Err(
                SkillRefusal::new("unsupported", error).with("readiness_status", "unsupported")
            );
        }
        if let Some(place) = self.disabled(entry) {
            let (name, way_back) = (&entry.name, place.way_back(&entry.name));
            let error = format!(
                "The skill `{name}` is disabled. The user can enable it with `{way_back}`."
            );
            return Err(SkillRefusal::new("disabled", error));
        }
        Ok(found)
    }
}

impl SkillStore<'_> {
    /// The document that answers to a name, whatever its gates say.
    ///
    /// # Errors
    /// When none or several do, or the name is no name.
    pub fn find(&self, name: &str) -> Result<LocatedSkill, SkillRefusal> {
        let name = checked(name)?;
        let table = self.table();
        let mut found = self.candidates(&table, &name);
        match found.len() {
            1 => Ok(found.remove(0)),
            0 => Err(unknown(&table, &name)),
            _ => {
                let matches: Vec<String> =
                    found.iter().map(|one| one.file.display().to_string()).collect();
                let error = format!("{} skills answer to `{name}`.", found.len());
                Err(SkillRefusal::new("ambiguous", error)
                    .with("matches", json!(matches))
                    .hint("Use the path with its category, as in `category/name`."))
            }
        }
    }

    /// The same among skills of plugins too, for whoever only reads.
    ///
    /// # Errors
    /// As [`find`](Self::find), and when a plugin has no such skill.
    pub fn find_readable(&self, name: &str) -> Result<LocatedSkill, SkillRefusal> {
        match self.find_in_plugin(name) {
            Ok(Some(found)) => Ok(found),
            Ok(None) => self.find(name),
            // A category may be called like a plugin.
            Err(refusal) => self.find(name).map_err(|_| refusal),
        }
    }

    /// The same, for whoever wants to use it: not one for another system, and not a disabled one.
    ///
    /// # Errors
    /// As [`find`](Self::find), and when it may not be used here.
    pub fn find_usable(
        &self,
        name: &str,
        context: &OfferContext,
    ) -> Result<LocatedSkill, SkillRefusal> {
        context.usable(self.find_readable(name)?)
    }

    fn candidates(&self, table: &SkillTable, name: &str) -> Vec<LocatedSkill> {
        let cut = |text: &str| text.chars().take(MAX_NAME_CHARS).eq(name.chars());
        let fits = |entry: &&Arc<IndexedSkill>| {
            entry.relative.parent() == Some(Path::new(name))
                || entry.folder == name
                || entry.name == name
                || cut(&entry.name)
        };
        let mut found: Vec<LocatedSkill> =
            table.all.iter().filter(fits).map(LocatedSkill::of).collect();
        if found.is_empty() {
            found = self.flat(table, name);
        }
        let mut files = BTreeSet::new();
        found.retain(|one| {
            files.insert(one.file.canonicalize().unwrap_or_else(|_| one.file.clone()))
        });
        found
    }

    /// Documents of the old form: one file, named after the skill, in a folder that is no skill.
    fn flat(&self, table: &SkillTable, name: &str) -> Vec<LocatedSkill> {
        let file_name = format!("{name}.md");
        if file_name.eq_ignore_ascii_case("DESCRIPTION.md")
            || file_name.eq_ignore_ascii_case("README.md")
        {
            return Vec::new();
        }
        let mut found = Vec::new();
        for folder in &table.folders {
            let file = folder.join(&file_name);
            let root = self.roots().iter().find(|root| file.starts_with(&root.path));
            if let Some(root) = root
                && file.is_file()
            {
                let relative = file.strip_prefix(&root.path).unwrap_or(&file).to_path_buf();
                let siblings = Vec::new();
                found.push(LocatedSkill { entry: None, file, relative, kind: root.kind, siblings });
            }
        }
        found
    }
}

/// The name without blanks around it and with its namespace as a category, if it can be one at all.
fn checked(name: &str) -> Result<String, SkillRefusal> {
    let name = name.trim();
    let refused = |why: &str| {
        Err(SkillRefusal::new("name_invalid", format!("`{name}` names no skill: {why}.")))
    };
    if name.is_empty() {
        return Err(SkillRefusal::new("name_required", "Say which skill, by its name."));
    }
    let normal = name.replace('\\', "/");
    let has_drive = normal.as_bytes().get(1) == Some(&b':')
        && name.starts_with(|c: char| c.is_ascii_alphabetic());
    if normal.starts_with('/') || (has_drive && name.len() > 2 && normal.as_bytes()[2] == b'/') {
        return refused("a name is not an absolute path");
    }
    if normal.split('/').any(|part| part == "..") || name.contains('\0') {
        return refused("a name does not lead out of the skills");
    }
    match name.split_once(':') {
        None => Ok(normal.trim_end_matches('/').to_owned()),
        Some((space, rest)) => {
            let fits = !space.is_empty()
                && space.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
            if !fits || rest.is_empty() || rest.contains(':') {
                return refused(
                    "what stands before the colon has letters, digits, `-` and `_` only",
                );
            }
            Ok(format!("{space}/{}", rest.trim()))
        }
    }
}

fn unknown(table: &SkillTable, name: &str) -> SkillRefusal {
    let names: Vec<&str> = table.usable().map(|entry| entry.name.as_str()).collect();
    let near = nearest(names.iter().copied(), name.rsplit('/').next().unwrap_or(name));
    let hint = match near.as_slice() {
        [] => "List the skills to see which there are.".to_owned(),
        near => format!("Did you mean {}?", near.join(", ")),
    };
    let listed: Vec<&str> = names.into_iter().take(MAX_LISTED).collect();
    SkillRefusal::new("not_found", format!("There is no skill `{name}`."))
        .with("available_skills", json!(listed))
        .hint(hint)
}

/// Up to three names that somebody who wrote `wanted` may have meant, the likeliest first.
pub(crate) fn nearest<'a>(names: impl Iterator<Item = &'a str>, wanted: &str) -> Vec<&'a str> {
    let mut near: Vec<(usize, &str)> = names
        .map(|known| (strsim::levenshtein(known, wanted), known))
        .filter(|(distance, known)| *distance <= (wanted.len().max(known.len()) / 3).max(2))
        .collect();
    near.sort();
    near.into_iter().take(3).map(|(_, known)| known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{SkillBench, put};

    fn kind(bench: &SkillBench, name: &str) -> &'static str {
        bench.store().find(name).unwrap_err().kind
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused_before_any_join() {
        let bench = SkillBench::new();
        bench.skill("a", "a", "d");
        for bad in [
            "/etc",
            "\\\\host\\x",
            "C:\\x",
            "c:/x",
            "..",
            "a/../b",
            "a\\..\\b",
            "x!:y",
            ":y",
            "x:",
            "a:b:c",
        ] {
            assert_eq!(kind(&bench, bad), "name_invalid", "{bad}");
        }
        assert_eq!(kind(&bench, "  "), "name_required");
    }

    #[test]
    fn a_skill_answers_to_its_path_its_folder_and_its_name() {
        let bench = SkillBench::new();
        bench.skill("cat/folder", "proper", "d");
        let long = "n".repeat(80);
        bench.skill("long", &long, "d");
        for name in ["cat/folder", "folder", "proper", " proper ", "cat:folder", "cat\\folder"] {
            assert_eq!(bench.store().find(name).unwrap().name(), "proper", "{name}");
        }
        assert_eq!(bench.store().find(&long[..64]).unwrap().name(), long);
    }

    #[test]
    fn several_that_answer_are_an_error_with_the_way_out() {
        let mut bench = SkillBench::new();
        bench.skill("one/same", "same", "d");
        bench.skill("two/same", "same", "d");
        let problem = bench.store().find("same").unwrap_err();
        assert_eq!(problem.extra["matches"].as_array().unwrap().len(), 2);
        assert!(problem.extra["hint"].as_str().unwrap().contains("category/name"));
        assert_eq!(bench.store().find("one/same").unwrap().name(), "same");
        let far = bench.folder.path().join("far");
        std::fs::create_dir_all(far.join("twin")).unwrap();
        put(far.join("twin/SKILL.md"), "x");
        bench.skill("twin", "twin", "d");
        bench.config = json!({"skills": {"external_dirs": [far]}});
        assert_eq!(kind(&bench, "twin"), "ambiguous", "also a local one and one from elsewhere");
    }

    #[test]
    fn none_gives_names_and_the_nearest() {
        let bench = SkillBench::new();
        for n in 0..30 {
            bench.skill(&format!("skill-{n}"), &format!("skill-{n}"), "d");
        }
        bench.skill("debugging", "debugging", "d");
        let problem = bench.store().find("debuging").unwrap_err();
        assert_eq!(problem.extra["available_skills"].as_array().unwrap().len(), MAX_LISTED);
        assert!(problem.extra["hint"].as_str().unwrap().contains("debugging"), "{problem:?}");
    }

    #[test]
    fn a_single_file_is_found_outside_of_skills_only() {
        let bench = SkillBench::new();
        bench.write("cat/old.md", "# Old\n");
        bench.skill("a", "a", "d");
        bench.write("a/references/hidden.md", "x");
        assert_eq!(bench.store().find("old").unwrap().name(), "old");
        assert_eq!(kind(&bench, "hidden"), "not_found");
    }

    #[test]
    fn other_systems_and_disabled_ones_say_so() {
        let mut bench = SkillBench::new();
        bench.write(
            "w/SKILL.md",
            "---\nname: w\ndescription: d\nplatforms: [no-such-system]\n---\nx",
        );
        bench.skill("off", "off", "d");
        bench.config = json!({"skills": {"disabled": ["off"]}});
        let refused = |name: &str| bench.store().find_usable(name, &bench.offers()).unwrap_err();
        assert_eq!(refused("w").extra["readiness_status"], "unsupported");
        assert!(refused("off").error.contains("hermes skills config off --enable"));
        let gated = "---\nname: d\ndescription: d\nenvironments: [kanban]\n---\nx";
        bench.write("d/SKILL.md", gated);
        bench
            .store()
            .find_usable("d", &bench.offers())
            .expect("surroundings never hinder an explicit load");
    }
}

//! The skills we ship, as they are in this program or in a folder that stands in for it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hermes_tool::Vars;
use md5::{Digest as _, Md5};

use crate::document::SkillDocument;
use crate::layout::SKILL_FILE;
use crate::support::slashed;

/// The variable that names a folder with other skills to ship.
const SOURCE_VARIABLE: &str = "HERMES_BUNDLED_SKILLS";

/// Paths and contents of what is below `bundled/` of this crate.
static EMBEDDED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/stock.rs"));

/// Everything that can be seeded.
#[derive(Clone, Debug, Default)]
pub struct Stock {
    /// By name.
    pub skills: BTreeMap<String, StockSkill>,
    /// `DESCRIPTION.md` of categories, by path.
    pub descriptions: BTreeMap<PathBuf, Vec<u8>>,
}

/// One skill we ship.
#[derive(Clone, Debug)]
pub struct StockSkill {
    /// Its folder, below the skills.
    pub folder: PathBuf,
    /// Its files, by path below its folder.
    pub files: BTreeMap<PathBuf, Vec<u8>>,
    /// What tells one state of it from another.
    pub hash: String,
}

impl Stock {
    /// The stock of this program, or of the folder that `HERMES_BUNDLED_SKILLS` names.
    #[must_use]
    pub fn of(vars: &Vars) -> Self {
        match vars.non_blank(SOURCE_VARIABLE) {
            Some(folder) => Self::in_folder(Path::new(folder)),
            None => Self::embedded(),
        }
    }

    /// What is in this program.
    #[must_use]
    pub fn embedded() -> Self {
        Self::new(
            EMBEDDED.iter().map(|(path, bytes)| (PathBuf::from(path), bytes.to_vec())).collect(),
        )
    }

    /// What is in a folder; nothing if it cannot be read.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        Self::new(read_folder(folder).unwrap_or_default())
    }

    fn new(files: BTreeMap<PathBuf, Vec<u8>>) -> Self {
        let mut stock = Self::default();
        let documents: Vec<&PathBuf> = files
            .keys()
            .filter(|path| path.file_name().is_some_and(|name| name == SKILL_FILE))
            .collect();
        for document in documents {
            let Some(folder) =
                document.parent().filter(|folder| folder.components().next().is_some())
            else {
                continue;
            };
            let own: BTreeMap<PathBuf, Vec<u8>> = files
                .iter()
                .filter_map(|(path, bytes)| {
                    Some((path.strip_prefix(folder).ok()?.to_path_buf(), bytes.clone()))
                })
                .collect();
            let written = SkillDocument::read(&files[document]).frontmatter.name();
            let name = written.unwrap_or_else(|| {
                folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
            });
            let skill = StockSkill { folder: folder.to_path_buf(), hash: hash(&own), files: own };
            stock.skills.insert(name, skill);
        }
        let describes = |path: &Path| path.file_name().is_some_and(|name| name == "DESCRIPTION.md");
        stock.descriptions = files.into_iter().filter(|(path, _)| describes(path)).collect();
        stock
    }
}

/// The md5 over all files, sorted by the parts of their paths: the path, then the content. md5 is the form of the
/// manifest, which other programs read and write too; nothing here is about security.
#[must_use]
pub fn hash(files: &BTreeMap<PathBuf, Vec<u8>>) -> String {
    let mut digest = Md5::new();
    for (path, bytes) in files {
        digest.update(slashed(path).as_bytes());
        digest.update(bytes);
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Every regular file below a folder. Links are not followed.
pub(super) fn read_folder(folder: &Path) -> io::Result<BTreeMap<PathBuf, Vec<u8>>> {
    fn collect(
        root: &Path,
        relative: &Path,
        files: &mut BTreeMap<PathBuf, Vec<u8>>,
    ) -> io::Result<()> {
        for entry in fs::read_dir(root.join(relative))? {
            let entry = entry?;
            let path = relative.join(entry.file_name());
            let kind = entry.file_type()?;
            if kind.is_dir() {
                collect(root, &path, files)?;
            } else if kind.is_file() {
                files.insert(path, fs::read(entry.path())?);
            }
        }
        Ok(())
    }
    let mut files = BTreeMap::new();
    collect(folder, Path::new(""), &mut files)?;
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_we_ship_passes_our_own_checks() {
        let stock = Stock::embedded();
        assert!(stock.skills.len() >= 8, "{:?}", stock.skills.keys());
        for (name, skill) in &stock.skills {
            let text = String::from_utf8(skill.files[Path::new(SKILL_FILE)].clone()).unwrap();
            crate::document::validate::validate(&text, name)
                .unwrap_or_else(|problem| panic!("{name}: {problem}"));
            let report = crate::conformance::report(&text, name);
            assert!(report.is_empty(), "{name}: {report:?}");
            assert!(skill.folder.ends_with(name), "{name}");
        }
        assert!(!stock.descriptions.is_empty());
    }

    #[test]
    fn the_hash_is_that_of_other_programs() {
        let files: BTreeMap<PathBuf, Vec<u8>> = [("a/b", "x"), ("a.md", "y")]
            .map(|(path, text)| (PathBuf::from(path), text.into()))
            .into();
        // By parts: the folder `a` before the file `a.md`.
        let mut digest = Md5::new();
        digest.update(b"a/bxa.mdy");
        let expected: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash(&files), expected);
    }
}

//! A home with skills, for the tests of this crate.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hermes_store::home::Home;
use hermes_tool::Vars;
use serde_json::{Value, json};

use crate::index::SkillTable;
use crate::library::{SkillLibrary, SkillStore};
use crate::offer::OfferContext;

pub(crate) struct SkillBench {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) library: SkillLibrary,
    pub(crate) config: Value,
    pub(crate) vars: Vars,
}

impl SkillBench {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let library = SkillLibrary::new(&Home::at(folder.path().join("home")));
        fs::create_dir_all(library.home().root()).unwrap();
        Self { folder, library, config: json!({}), vars: Vars::default() }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.library.home().root().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let file = self.path(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        put(file, text);
    }

    pub(crate) fn skill(&self, path: &str, name: &str, description: &str) {
        self.write(&format!("{path}/SKILL.md"), &document(name, description, "Do it.\n"));
    }

    pub(crate) fn store(&self) -> SkillStore<'_> {
        self.library.store(&self.config, &self.vars)
    }

    pub(crate) fn table(&self) -> Arc<SkillTable> {
        self.store().table()
    }

    pub(crate) fn offers(&self) -> OfferContext {
        self.store().offers(None)
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }
}

pub(crate) fn document(name: &str, description: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n{body}")
}

/// Makes a file the way other programs do.
pub(crate) fn put(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
    let mut file = fs::File::create(path).unwrap();
    file.write_all(bytes.as_ref()).unwrap();
}

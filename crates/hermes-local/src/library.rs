//! The models this home has.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hermes_store::home::{Home, ensure_private_dir};
use hermes_tool::Vars;

use crate::catalogue;
use crate::found::{self, FoundModel};

/// Where fetched models lie.
#[derive(Clone, Debug)]
pub struct Library {
    folder: PathBuf,
}

/// A model that can be used, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsableModel {
    /// Its name in commands.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// Whose file it is.
    pub owner: &'static str,
}

impl Library {
    /// The models of a home.
    #[must_use]
    pub fn of(home: &Home) -> Self {
        Self { folder: home.cache().join("models") }
    }

    /// Where the model of this name lies, or would.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.gguf"))
    }

    /// Makes the folder, for its owner alone.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn prepare(&self) -> io::Result<()> {
        ensure_private_dir(&self.folder).map_err(|error| io::Error::other(error.to_string()))
    }

    /// The models that were fetched, by name.
    #[must_use]
    pub fn models(&self) -> Vec<UsableModel> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().filter_map(Result::ok);
        let mut models: Vec<UsableModel> = entries
            .filter_map(|entry| {
                let path = entry.path();
                let is_ours = path.extension().is_some_and(|end| end == "gguf");
                // Of the file itself: a model may stand here as a link to where another program keeps it.
                let bytes =
                    fs::metadata(&path).ok().filter(|seen| seen.is_file() && is_ours)?.len();
                let name = path.file_stem()?.to_str()?.to_owned();
                Some(UsableModel { name, path, bytes, owner: "Hermes" })
            })
            .collect();
        models.sort_by(|a, b| a.name.cmp(&b.name));
        models
    }

    /// The model of this name, ours first, then files of other programs; or the file at a path.
    #[must_use]
    pub fn find(&self, name: &str, vars: &Vars) -> Option<UsableModel> {
        let ours = self.models().into_iter().find(|model| model.name.eq_ignore_ascii_case(name));
        ours.or_else(|| {
            let found = found::found_models(vars).into_iter();
            found.map(usable).find(|model| model.name.eq_ignore_ascii_case(name))
        })
        .or_else(|| of_file(Path::new(name)).filter(|_| name.contains('/')))
    }

    /// All models that can be run here: ours, then those of other programs.
    #[must_use]
    pub fn usable_models(&self, vars: &Vars) -> Vec<UsableModel> {
        self.models().into_iter().chain(found::found_models(vars).into_iter().map(usable)).collect()
    }

    /// Removes a model and what is left of its download; whether there was any.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn remove(&self, name: &str) -> io::Result<bool> {
        let Some(name) = plain(name) else { return Ok(false) };
        let (file, unfinished) = (self.path(&name), self.path(&name).with_extension("download"));
        let mut removed = false;
        if file.exists() {
            fs::remove_file(file)?;
            removed = true;
        }
        if unfinished.exists() {
            fs::remove_dir_all(unfinished)?;
            removed = true;
        }
        Ok(removed)
    }
}

/// Tokens that a model looks at: those of the table, or what most others can look at.
#[must_use]
pub fn window_of(name: &str) -> u32 {
    const USUAL: u32 = 8_192;
    catalogue::find(name).and_then(|model| u32::try_from(model.window).ok()).unwrap_or(USUAL)
}

/// A name that is a name and no path.
#[must_use]
pub fn plain(name: &str) -> Option<String> {
    let fits = !name.is_empty()
        && name.len() <= 100
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        && !name.starts_with('.');
    fits.then(|| {
        catalogue::find(name).map_or_else(|| name.to_owned(), |known| known.name.to_owned())
    })
}

/// A file that somebody names.
#[must_use]
pub fn of_file(path: &Path) -> Option<UsableModel> {
    let bytes = fs::metadata(path).ok().filter(|seen| seen.is_file())?.len();
    let name = path.file_stem()?.to_string_lossy().into_owned();
    found::is_model(path).then(|| UsableModel {
        name,
        path: path.to_owned(),
        bytes,
        owner: "a file",
    })
}

/// A found file as a model that can be used.
#[must_use]
pub fn usable(found: FoundModel) -> UsableModel {
    UsableModel { name: found.name, path: found.path, bytes: found.bytes, owner: found.owner }
}

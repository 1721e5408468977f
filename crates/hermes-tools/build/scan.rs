//! The rules by which files become modules.
//!
//! 1. Each folder in `src` is a toolset; each `.rs` file directly inside is a module of it, be it a
//!    tool or a helper that the tools of the folder share (`use super::helper`).
//! 2. A folder beside a file of the same name belongs to that file, which declares its submodules
//!    itself in the usual way. So a tool that outgrows its file becomes `patch.rs` and `patch/`.
//! 3. A file `exports.rs` makes the toolset's module public and names, with `pub use`, what other
//!    crates may use of it. Everything else stays inside.
//! 4. Hidden files and files of other kinds (descriptions in Markdown) are left alone.
//!
//! What these rules would pass over in silence is an error instead: a `mod.rs`, Rust files in a
//! folder no file owns, a name that cannot name a module.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The file that says what of a toolset is public.
const EXPORTS: &str = "exports";

/// One folder of tools.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Toolset {
    /// Name of the folder.
    pub(crate) name: String,
    /// Its files, without `.rs`, sorted.
    pub(crate) modules: BTreeSet<String>,
}

/// The toolsets below a source folder, sorted by name; folders without Rust files are no toolsets.
pub(crate) fn toolsets(src: &Path) -> Result<Vec<Toolset>, String> {
    let top = Listing::of(src)?;
    let mut toolsets = Vec::new();
    for name in top.unowned_folders() {
        let folder = src.join(name);
        let inside = Listing::of(&folder)?;
        refuse_lost_files(&inside, &folder)?;
        if inside.modules.is_empty() {
            continue;
        }
        check_name(name, &folder)?;
        for module in &inside.modules {
            check_name(module, &folder.join(format!("{module}.rs")))?;
        }
        toolsets.push(Toolset { name: name.clone(), modules: inside.modules });
    }
    Ok(toolsets)
}

/// The text of a macro that declares the modules.
///
/// Why a macro and not the declarations themselves: modules declared in an included file are looked
/// for beside that file. Those that a macro declares are looked for beside its caller, so no
/// absolute path gets into the program.
pub(crate) fn declarations(toolsets: &[Toolset]) -> String {
    let mut text = String::from("macro_rules! toolsets {\n    () => {\n");
    for Toolset { name, modules } in toolsets {
        let is_public = modules.contains(EXPORTS);
        if is_public {
            let _ = writeln!(text, "        #[doc = \"What the toolset `{name}` shares.\"]");
        }
        let _ =
            writeln!(text, "        pub{} mod {name} {{", if is_public { "" } else { "(crate)" });
        for module in modules {
            let _ = writeln!(text, "            pub(crate) mod {module};");
        }
        if is_public {
            let _ = writeln!(text, "            pub use {EXPORTS}::*;");
        }
        text.push_str("        }\n");
    }
    text.push_str("    };\n}\n");
    text
}

/// What one folder holds.
struct Listing {
    folders: BTreeSet<String>,
    modules: BTreeSet<String>,
}

impl Listing {
    fn of(folder: &Path) -> Result<Self, String> {
        let problem = |error| format!("cannot read {}: {error}", folder.display());
        let mut listing = Self { folders: BTreeSet::new(), modules: BTreeSet::new() };
        for entry in fs::read_dir(folder).map_err(problem)? {
            let entry = entry.map_err(problem)?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with('.') {
                continue; // an editor's lock or backup, perhaps a link to nothing
            }
            let is_folder = fs::metadata(entry.path()).map_err(problem)?.is_dir();
            if is_folder {
                listing.folders.insert(name.into_owned());
            } else if let Some(module) = name.strip_suffix(".rs") {
                listing.modules.insert(module.to_owned());
            }
        }
        Ok(listing)
    }

    fn unowned_folders(&self) -> impl Iterator<Item = &String> {
        self.folders.difference(&self.modules)
    }
}

fn refuse_lost_files(listing: &Listing, folder: &Path) -> Result<(), String> {
    for name in listing.unowned_folders() {
        let inner = folder.join(name);
        if !Listing::of(&inner)?.modules.is_empty() {
            return Err(format!(
                "no module owns the Rust files in {}: add {name}.rs beside that folder, or move \
                 them up into {}",
                inner.display(),
                folder.display()
            ));
        }
    }
    Ok(())
}

fn check_name(name: &str, path: &Path) -> Result<(), String> {
    let path = path.display();
    if name == "mod" {
        return Err(format!(
            "{path} is not needed: each file of the folder is found by itself; give a file that \
             the others share a name of its own"
        ));
    }
    let fits = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if fits {
        return Ok(());
    }
    Err(format!(
        "{path} cannot name a module: use lower-case letters, digits and `_`, a letter first"
    ))
}

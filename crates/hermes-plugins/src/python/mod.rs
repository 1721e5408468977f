//! The bundled Python host: which Python runs it, and where its files are.
//!
//! The files are part of this program and are written to the state folder's cache when they are
//! needed; a name made from their content keeps versions apart. They are plain Python and need
//! nothing but the standard library. `__main__.py` tells how they work.

use std::path::{Path, PathBuf};

use hermes_store::atomic::{self, AtomicError, WriteOptions};
use hermes_store::home::{Home, ensure_private_dir};
use hermes_tool::Vars;
use sha2::{Digest as _, Sha256};

const PACKAGE: &str = "hermes_plugin_host";

/// The files, by their names below the folder of the host.
const FILES: [(&str, &str); 7] = [
    ("__main__.py", include_str!("__main__.py")),
    ("hermes_plugin_host/__init__.py", include_str!("hermes_plugin_host/__init__.py")),
    ("hermes_plugin_host/calls.py", include_str!("hermes_plugin_host/calls.py")),
    ("hermes_plugin_host/context.py", include_str!("hermes_plugin_host/context.py")),
    ("hermes_plugin_host/find.py", include_str!("hermes_plugin_host/find.py")),
    ("hermes_plugin_host/host.py", include_str!("hermes_plugin_host/host.py")),
    ("hermes_plugin_host/wire.py", include_str!("hermes_plugin_host/wire.py")),
];

/// The Python for plugins: the configured one, that of the active environment, or `python3`.
#[must_use]
pub fn interpreter(configured: Option<&str>, vars: &Vars) -> PathBuf {
    let expanded = configured.map(|path| match path.strip_prefix("~/") {
        Some(rest) => Path::new(vars.get("HOME").unwrap_or("~")).join(rest),
        None => PathBuf::from(path),
    });
    let in_environment = |name: &str| {
        let python = Path::new(vars.non_blank(name)?).join("bin/python");
        python.exists().then_some(python)
    };
    expanded
        .or_else(|| in_environment("VIRTUAL_ENV"))
        .or_else(|| in_environment("CONDA_PREFIX"))
        .unwrap_or_else(|| PathBuf::from("python3"))
}

/// The folder of the host, which Python can be started on; it is written if it is not there.
///
/// # Errors
/// When the files cannot be written.
pub fn host_folder(home: &Home) -> Result<PathBuf, AtomicError> {
    let folder = home.cache().join("plugins").join(format!("python-host-{}", digest()));
    let last = folder.join("complete");
    if last.exists() {
        return Ok(folder);
    }
    ensure_private_dir(&folder.join(PACKAGE))?;
    for (name, text) in FILES {
        atomic::write(&folder.join(name), text.as_bytes(), WriteOptions::KEEP)?;
    }
    // Written last: a folder without it was not finished and is written again.
    atomic::write(&last, b"", WriteOptions::KEEP)?;
    Ok(folder)
}

/// A few characters that stand for the content of the files.
#[must_use]
pub fn digest() -> String {
    let mut digest = Sha256::new();
    for (name, text) in FILES {
        digest.update(name);
        digest.update(text);
    }
    digest.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::put;

    #[test]
    fn the_configured_python_wins_over_the_environment_and_that_over_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let python = folder.path().join("bin/python");
        std::fs::create_dir(folder.path().join("bin")).unwrap();
        put(&python, "");
        let with = |name: &str, folder: &Path| -> Vars {
            [(name.to_owned(), folder.display().to_string())].into_iter().collect()
        };
        let venv = with("VIRTUAL_ENV", folder.path());
        assert_eq!(interpreter(None, &venv), python);
        assert_eq!(interpreter(None, &with("CONDA_PREFIX", folder.path())), python);
        assert_eq!(interpreter(Some("/opt/python"), &venv), Path::new("/opt/python"));
        let gone = with("VIRTUAL_ENV", Path::new("/nonexistent"));
        assert_eq!(interpreter(None, &gone), Path::new("python3"));
    }

    #[test]
    fn an_unfinished_folder_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let host = host_folder(&home).unwrap();
        std::fs::remove_file(host.join("complete")).unwrap();
        put(&host.join("__main__.py"), "half");
        assert_eq!(host_folder(&home).unwrap(), host);
        assert!(std::fs::read_to_string(host.join("__main__.py")).unwrap().contains("def main"));
    }
}

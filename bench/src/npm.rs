//! Packages from npm: installed on first use and kept between runs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::process;

/// What is installed, and where its program is then.
pub(crate) struct Package {
    /// The package with its version.
    pub(crate) name: &'static str,
    /// Its program, below `node_modules`.
    pub(crate) program: &'static str,
}

impl Package {
    /// Finds the program, or installs it.
    pub(crate) fn find(&self) -> Result<PathBuf> {
        // One folder each: one that cannot be installed does not take another with it.
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(".npm").join(self.name);
        let program = folder.join("node_modules").join(self.program);
        let marker = folder.join("installed");
        if !marker.exists() {
            std::fs::create_dir_all(&folder)
                .with_context(|| format!("creating {}", folder.display()))?;
            let words = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"];
            let words = words.iter().map(OsStr::new);
            let words: Vec<_> = words.chain([folder.as_os_str(), OsStr::new(self.name)]).collect();
            process::prepare(OsStr::new("npm"), &words)?;
            ensure!(program.exists(), "{} has no program for this machine", self.name);
            std::fs::File::create(&marker)
                .with_context(|| format!("creating {}", marker.display()))?;
        }
        Ok(program)
    }
}

//! Other agents, from npm: installed on first use and kept between runs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::side::Side;
use crate::process;

/// A program to compare with, or why there is none.
pub(crate) type Found = Result<PathBuf, String>;

/// What is installed for a side, and where its program is then. A launcher in another language is gone
/// round: it would be charged to the program.
struct Package {
    name: &'static str,
    program: &'static str,
}

const CODEX: Package = Package {
    name: "@openai/codex@0.166.0",
    program: "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
};
const GOOSE: Package =
    Package { name: "@aaif/goose@0.20.1", program: "@aaif/goose-binary-linux-x64/bin/goose" };

/// Finds the program of a side, or installs it.
pub(super) fn find(side: Side) -> Found {
    let package = match side {
        Side::Codex => CODEX,
        Side::Goose => GOOSE,
        Side::Ours | Side::Reference => return Err("it is not on npm".to_owned()),
    };
    package.find().map_err(|problem| format!("could not be installed: {problem:#}"))
}

impl Package {
    fn find(&self) -> Result<PathBuf> {
        // One folder each: one that cannot be installed does not take the other with it.
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

//! The reference: the Python package in a virtual environment of its own, installed on
//! first use and kept between runs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::process;

/// What is compared with, exactly.
pub(crate) const PACKAGE: &str = "hermes-agent==0.19.0";
/// What its MCP client needs and it does not bring.
const MCP_SDK: &str = "mcp<2";

/// An installed reference.
pub(crate) struct Reference {
    environment: PathBuf,
    /// The script that measures it.
    pub(crate) script: PathBuf,
    /// The script that measures its file tools.
    pub(crate) files_script: PathBuf,
    /// The script that measures its terminal, its guard and its redaction.
    pub(crate) terminal_script: PathBuf,
    /// The script that measures its MCP client.
    pub(crate) mcp_script: PathBuf,
}

impl Reference {
    /// Finds the installed reference, or installs it with `interpreter`.
    pub(crate) fn install(interpreter: &OsStr) -> Result<Self> {
        let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
        let reference = Self {
            environment: bench.join(".venv"),
            script: bench.join("reference.py"),
            files_script: bench.join("reference_files.py"),
            terminal_script: bench.join("reference_terminal.py"),
            mcp_script: bench.join("reference_mcp.py"),
        };
        if !reference.marker().exists() {
            reference
                .create(interpreter)
                .context("installing the reference (--skip-reference measures without it)")?;
        }
        Ok(reference)
    }

    /// The interpreter that can import the package.
    pub(crate) fn python(&self) -> PathBuf {
        self.environment.join("bin/python")
    }

    /// The reference's own command line program.
    pub(crate) fn program(&self) -> PathBuf {
        self.environment.join("bin/hermes")
    }

    /// Exists only after a complete installation of this very version, so that an
    /// interrupted or outdated one is made anew.
    fn marker(&self) -> PathBuf {
        self.environment.join(format!("{PACKAGE}-with-mcp.installed"))
    }

    fn create(&self, interpreter: &OsStr) -> Result<()> {
        let environment = self.environment.as_os_str();
        let words = ["-m", "venv", "--clear"].map(OsStr::new);
        process::prepare(interpreter, &[&words[..], &[environment]].concat())?;
        let words = ["-m", "pip", "install", "--quiet", PACKAGE, MCP_SDK].map(OsStr::new);
        process::prepare(self.python().as_os_str(), &words)?;
        std::fs::File::create(self.marker())
            .with_context(|| format!("creating {}", self.marker().display()))?;
        Ok(())
    }
}

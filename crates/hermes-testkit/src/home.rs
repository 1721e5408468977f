//! A home for one test.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A throw-away `HERMES_HOME`. It and everything in it is gone when it is dropped.
#[derive(Debug)]
pub struct TempHome {
    folder: tempfile::TempDir,
}

impl TempHome {
    /// An empty home.
    ///
    /// # Errors
    ///
    /// The folder for temporary files cannot be written to.
    pub fn new() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("hermes-home-").tempdir()?;
        Ok(Self { folder })
    }

    /// A home with this `config.yaml`.
    ///
    /// # Errors
    ///
    /// The folder for temporary files cannot be written to.
    pub fn with_config(yaml: &str) -> io::Result<Self> {
        let home = Self::new()?;
        home.write("config.yaml", yaml)?;
        Ok(home)
    }

    /// A home whose model is a server that speaks the chat wire at this base.
    ///
    /// # Errors
    ///
    /// The folder for temporary files cannot be written to.
    pub fn with_model(base_url: &str) -> io::Result<Self> {
        // The window is given, so that nothing needs to ask for it.
        Self::with_config(&format!(
            "model:\n  provider: custom\n  base_url: {base_url}\n  default: scripted\n  \
             context_length: 200000\n"
        ))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file in it, with the folders on the way there.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write(&self, name: &str, content: &str) -> io::Result<PathBuf> {
        let path = self.path().join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        File::create(&path)?.write_all(content.as_bytes())?;
        Ok(path)
    }

    /// Reads a file in it.
    ///
    /// # Errors
    ///
    /// There is none, or it is not text.
    pub fn read(&self, name: &str) -> io::Result<String> {
        fs::read_to_string(self.path().join(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_has_its_config_and_leaves_nothing() {
        let home = TempHome::with_config("model: m\n").unwrap();
        home.write("memories/MEMORY.md", "x").unwrap();
        assert_eq!(home.read("config.yaml").unwrap(), "model: m\n");
        let path = home.path().to_owned();
        drop(home);
        assert!(!path.exists());
    }
}

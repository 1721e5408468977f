//! Where servers may write whatever they like: one log file, never the terminal.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use hermes_store::home::ensure_private_dir;

/// The file below the folder of logs.
pub(crate) const NAME: &str = "mcp-stderr.log";
/// Beyond this size the file is put aside and begun anew.
const LARGEST: u64 = 10 * 1024 * 1024;

/// The log, opened for a server that is about to start, with a line saying so.
pub(crate) fn open(logs: &Path, server: &str) -> io::Result<File> {
    ensure_private_dir(logs).map_err(io::Error::other)?;
    let path = logs.join(NAME);
    if std::fs::metadata(&path).is_ok_and(|found| found.len() > LARGEST) {
        std::fs::rename(&path, logs.join(format!("{NAME}.1")))?;
    }
    let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ");
    // In one write, so that lines of servers starting at the same time do not mix.
    file.write_all(format!("=== {now} MCP server '{server}' starts ===\n").as_bytes())?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_start_leaves_a_dated_line() {
        let folder = tempfile::tempdir().unwrap();
        let logs = folder.path().join("logs");
        for _ in 0..2 {
            open(&logs, "files").unwrap();
        }
        let text = std::fs::read_to_string(logs.join(NAME)).unwrap();
        assert_eq!(text.matches("MCP server 'files' starts").count(), 2, "{text}");
    }
}

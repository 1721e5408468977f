//! What `write_file` and `patch` share: the checks before a change and the answer after it.

use std::path::Path;

use hermes_files::fs::{FileKind, FsError, Stamp};
use hermes_files::lint::{self, LintError};
use hermes_guard::redact::redact_file;
use hermes_tool::ToolError;
use serde_json::{Value, json};

use super::workspace::{Target, Workspace, refused, told};

/// Largest file that is changed: it is held in memory a few times over.
pub(super) const MAX_CHANGED_BYTES: u64 = 256 * 1024 * 1024;

/// Characters of the old file in which its line ending is looked for.
const ENDING_SAMPLE_BYTES: usize = 4_096;

const BOM: &[u8] = "\u{feff}".as_bytes();

/// Whether writing into another profile's state is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CrossProfile {
    Refuse,
    Allow,
}

impl From<bool> for CrossProfile {
    fn from(allow: bool) -> Self {
        if allow { Self::Allow } else { Self::Refuse }
    }
}

/// Whether a path may be changed, and is a file or nothing yet.
pub(super) fn may_change(
    workspace: &Workspace,
    target: &Target,
    cross_profile: CrossProfile,
) -> Result<(), ToolError> {
    let faces = target.faces();
    workspace.rules.check_write(&faces).map_err(|refusal| refused(&refusal))?;
    if cross_profile == CrossProfile::Refuse {
        workspace.rules.check_profile(&faces).map_err(|refusal| refused(&refusal))?;
    }
    match target.kind() {
        None | Some(FileKind::File) => Ok(()),
        Some(kind) => {
            Err(told(FsError::NotRegular { path: target.resolved.literal.clone(), kind }))
        }
    }
}

/// The content on disk, if there is a file.
pub(super) async fn present(
    workspace: &Workspace,
    target: &Target,
) -> Result<Option<(Vec<u8>, Stamp)>, ToolError> {
    match workspace.files.read(target.canonical().to_owned(), MAX_CHANGED_BYTES).await {
        Ok(read) => Ok(Some(read)),
        Err(FsError::NotFound(_)) => Ok(None),
        Err(error) => Err(told(error)),
    }
}

/// New content dressed like the old: its line ending and its byte-order mark stay.
pub(super) fn dressed_like(old: &[u8], new: &str) -> Vec<u8> {
    let sample = &old[..old.len().min(ENDING_SAMPLE_BYTES)];
    let mut bytes = if sample.windows(2).any(|pair| pair == b"\r\n") {
        new.replace("\r\n", "\n").replace('\n', "\r\n").into_bytes()
    } else {
        new.as_bytes().to_vec()
    };
    if old.starts_with(BOM) && !bytes.starts_with(BOM) {
        bytes.splice(0..0, BOM.iter().copied());
    }
    bytes
}

/// Why the content must not be written: it would break a file that was valid.
pub(super) async fn gate(path: &Path, before: Option<&[u8]>, after: &[u8]) -> Option<String> {
    let (path, before, after) = (path.to_owned(), before.map(<[u8]>::to_vec), after.to_vec());
    let check = move || objection(&path, before.as_deref(), &after);
    // A check that was broken off says nothing against the content.
    tokio::task::spawn_blocking(check).await.unwrap_or_default()
}

/// The same for those who are on a thread that may block.
pub(super) fn objection(path: &Path, before: Option<&[u8]>, after: &[u8]) -> Option<String> {
    lint::gate(path, before, after).map(|error| quoted(&error))
}

/// An error of a check, with secrets hidden: some parsers quote the line they stumble over.
pub(super) fn quoted(error: &LintError) -> String {
    redact_file(&error.to_string()).into_owned()
}

/// What the change did to the file's syntax, as the `lint` field.
pub(super) async fn syntax(path: &Path, before: Option<&[u8]>, after: &[u8]) -> Value {
    let (path, before, after) = (path.to_owned(), before.map(<[u8]>::to_vec), after.to_vec());
    let check = move || syntax_report(&path, before.as_deref(), &after);
    tokio::task::spawn_blocking(check).await.unwrap_or_else(
        |_| json!({"status": "skipped", "message": "the syntax check was broken off"}),
    )
}

/// The same for those who are on a thread that may block.
pub(super) fn syntax_report(path: &Path, before: Option<&[u8]>, after: &[u8]) -> Value {
    let mut report = lint::check_write(path, before, after).to_json();
    if let Some(Value::String(output)) = report.get_mut("output") {
        *output = redact_file(output).into_owned();
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_endings_and_marks_of_the_old_file_stay() {
        assert_eq!(dressed_like(b"a\r\nb\r\n", "x\ny\r\n"), b"x\r\ny\r\n");
        assert_eq!(dressed_like(b"a\nb\n", "x\r\ny\n"), b"x\r\ny\n");
        assert_eq!(dressed_like("\u{feff}a".as_bytes(), "b"), "\u{feff}b".as_bytes());
        assert_eq!(dressed_like("\u{feff}a".as_bytes(), "\u{feff}b"), "\u{feff}b".as_bytes());
        assert_eq!(dressed_like(b"", "x"), b"x");
    }
}

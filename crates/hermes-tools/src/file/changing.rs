//! What `write_file` and `patch` share: the checks before a change and the answer after it.

use hermes_files::fs::{FileKind, FsError, Stamp};
use hermes_guard::paths::WriteConsent;
use hermes_tool::ToolError;

use super::protected_dirs;
use super::workspace::{Target, Workspace, fs_error, refused};
use crate::terminal::context::{Consent, TerminalContext};

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

/// Whether a path may be changed, and is a file or nothing yet. Asks, where a person has to say yes.
pub(super) async fn may_change(
    workspace: &Workspace,
    target: &Target,
    cross_profile: CrossProfile,
) -> Result<(), ToolError> {
    let rules = protected_dirs::rules_for(workspace, target.canonical()).await;
    let faces = target.faces();
    let consent = rules.check_write(&faces).map_err(|refusal| refused(&refusal))?;
    if cross_profile == CrossProfile::Refuse {
        rules.check_profile(&faces).map_err(|refusal| refused(&refusal))?;
    }
    match target.kind() {
        None | Some(FileKind::File) => {}
        Some(kind) => {
            let path = target.resolved.literal.clone();
            return Err(fs_error(FsError::NotRegular { path, kind }));
        }
    }
    match consent {
        WriteConsent::NotNeeded => Ok(()),
        WriteConsent::Personality => TerminalContext::of(&workspace.cx)?
            .consent(Consent {
                key: "write_personality",
                what: format!("change {}", target.resolved.literal.display()),
                why: "It says who the agent is, in this conversation and every later one.",
            })
            .await
            .map_err(|refusal| ToolError::answer(refusal.message().to_owned())),
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
        Err(error) => Err(fs_error(error)),
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

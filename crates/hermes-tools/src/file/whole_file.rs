//! Whole files as bytes, for tools that look at them or make them: pictures, sound, video.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hermes_files::fs::{FileKind, FileSystem, FilesLocation, LocalFiles};
use hermes_tool::{ToolContext, ToolError};

use super::changing::{CrossProfile, may_change};
use super::workspace::{Workspace, fs_error, gate_text, refused};
use crate::host_services;

/// Reads a file of at most so many bytes, from where the conversation's commands run, by the rules for reading.
///
/// What the program itself keeps in its cache (screenshots, generated pictures, voice messages) is on this machine, and
/// is found there even if commands run elsewhere.
///
/// # Errors
/// The rules speak against it, it is not there, or it is larger.
pub(crate) async fn read_whole(
    path: &str,
    most: usize,
    cx: &ToolContext,
) -> Result<Vec<u8>, ToolError> {
    let workspace = Workspace::of(cx).await?;
    let (files, path): (Arc<dyn FileSystem>, PathBuf) = match in_own_cache(&workspace, path) {
        Some(kept) => (Arc::new(LocalFiles), kept),
        None => {
            let target = workspace.target(path).await?;
            workspace.rules.check_read(&target.faces()).map_err(|refusal| refused(&refusal))?;
            match target.kind() {
                None => return Err(workspace.not_found(&target).await),
                Some(FileKind::File) => {}
                Some(kind) => {
                    let words = format!("{path} is {}, not a file", kind.name());
                    return Err(ToolError::answer(words));
                }
            }
            (Arc::clone(&workspace.files), target.canonical().to_owned())
        }
    };
    let (bytes, _) = files.read(path, most as u64).await.map_err(fs_error)?;
    Ok(bytes)
}

/// Writes a file that a model named, where the conversation's commands run, by the rules for changes. Answers its path.
///
/// # Errors
/// The rules speak against it, or it cannot be written.
pub(crate) async fn write_whole(
    path: &str,
    bytes: Vec<u8>,
    cx: &ToolContext,
) -> Result<PathBuf, ToolError> {
    let workspace = Workspace::of(cx).await?;
    let target = workspace.target(path).await?;
    may_change(&workspace, &target, CrossProfile::Refuse).await?;
    let path = target.canonical().to_owned();
    let _alone = workspace.state.lock([path.clone()]).await;
    workspace.checkpoint(std::slice::from_ref(&path), "before a file was made").await;
    let text = gate_text(&bytes);
    let written = workspace.files.write(path.clone(), bytes).await.map_err(fs_error)?;
    workspace.wrote(&path, written.stamp, text);
    Ok(path)
}

/// The path, if commands run elsewhere and it is a file of our own cache, links followed.
fn in_own_cache(workspace: &Workspace, path: &str) -> Option<PathBuf> {
    if workspace.files.location() == FilesLocation::Local {
        return None;
    }
    let cache = host_services::home(&workspace.cx)?.cache().canonicalize().ok()?;
    let path = Path::new(path);
    let kept = path.is_absolute().then(|| path.canonicalize().ok()).flatten()?;
    (kept.starts_with(cache) && kept.is_file()).then_some(kept)
}

//! Where the tools keep what they make: pictures, sound and video below the cache of the home.

use std::path::{Path, PathBuf};

use hermes_files::fs::spawn_blocking_io;
use hermes_store::atomic::{self, WriteOptions};
use hermes_store::home::ensure_private_dir;
use hermes_tool::{ToolContext, ToolError};

use crate::host_services;

/// More files of one second than that are a mistake.
const MOST: u32 = 1_000;

/// Saves a file in `cache/<folder>` under this name, or with a number behind it if there is one already.
pub(crate) async fn save(
    folder: &str,
    stem: String,
    extension: &str,
    bytes: Vec<u8>,
    cx: &ToolContext,
) -> Result<PathBuf, ToolError> {
    let home = host_services::home(cx)
        .ok_or_else(|| ToolError::answer("there is no home folder to keep the file in"))?;
    let folder = home.cache().join(folder);
    let extension = extension.to_owned();
    let saved = spawn_blocking_io(move || save_in(&folder, &stem, &extension, &bytes)).await;
    saved.map_err(|error| ToolError::failure("Saving", error.to_string()))?
}

fn save_in(folder: &Path, stem: &str, extension: &str, bytes: &[u8]) -> Result<PathBuf, ToolError> {
    ensure_private_dir(folder).map_err(|error| ToolError::answer(error.to_string()))?;
    let names = (1..MOST).map(|number| match number {
        1 => format!("{stem}.{extension}"),
        number => format!("{stem}_{number}.{extension}"),
    });
    let path = names.map(|name| folder.join(name)).find(|path| !path.exists());
    let path = path.ok_or_else(|| ToolError::answer("too many files of the same name"))?;
    atomic::write(&path, bytes, WriteOptions::default())
        .map_err(|error| ToolError::answer(error.to_string()))?;
    Ok(path)
}

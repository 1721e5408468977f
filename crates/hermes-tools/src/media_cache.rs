//! Where the tools keep what they make: pictures, sound and video below the cache of the home.

use std::path::PathBuf;

use hermes_store::atomic::{self, WriteOptions};
use hermes_store::home::ensure_private_dir;
use hermes_tool::{ToolContext, ToolError};

use crate::host_services;

/// Saves a file in `cache/<folder>` under this name, or with a number behind it if there is one already.
pub(crate) fn save(
    folder: &str,
    stem: &str,
    extension: &str,
    bytes: &[u8],
    cx: &ToolContext,
) -> Result<PathBuf, ToolError> {
    /// More files of one second than that are a mistake.
    const MOST: u32 = 1_000;
    let home = host_services::home(cx)
        .ok_or_else(|| ToolError::answer("there is no home folder to keep the file in"))?;
    let folder = home.cache().join(folder);
    ensure_private_dir(&folder).map_err(|error| ToolError::answer(error.to_string()))?;
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

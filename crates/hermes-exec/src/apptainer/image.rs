//! From the image of the settings to one that can be started.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_store::lock::{FileLock, Wait, lock_path};

use super::arguments::{file_name, is_address};
use crate::environment::random_id;
use crate::error::ExecError;
use crate::programs::ClientProgram;

/// How long an image may take to be fetched and built.
const BUILD_LIMIT: Duration = Duration::from_secs(600);

/// A file or folder is used as it is. What an address leads to is built once and kept in `cache`;
/// if that fails, the address itself is used, which the engine may still know how to start.
pub(super) async fn usable(
    image: &str,
    cache: &Path,
    builder: &ClientProgram,
) -> Result<String, ExecError> {
    if !is_address(image) {
        return Ok(image.to_owned());
    }
    let file = cache.join(file_name(image));
    match build_once(image, &file, cache, builder).await? {
        Ok(()) => Ok(file.display().to_string()),
        Err(why) => {
            tracing::warn!(image, why, "the image could not be built; starting it by its address");
            Ok(image.to_owned())
        }
    }
}

async fn build_once(
    image: &str,
    file: &Path,
    cache: &Path,
    builder: &ClientProgram,
) -> Result<Result<(), String>, ExecError> {
    if file.is_file() {
        return Ok(Ok(()));
    }
    std::fs::create_dir_all(cache).map_err(|source| ExecError::File {
        act: "make",
        path: cache.display().to_string(),
        source,
    })?;
    let lock_file = lock_path(file);
    let lock = move || FileLock::acquire(&lock_file, Wait::AtMost(BUILD_LIMIT));
    let _lock = match tokio::task::spawn_blocking(lock).await {
        Ok(Ok(lock)) => lock,
        Ok(Err(error)) => return Ok(Err(error.to_string())),
        Err(error) => return Ok(Err(error.to_string())),
    };
    if file.is_file() {
        return Ok(Ok(()));
    }
    // Built beside its place, so that a build broken off is never taken for an image.
    let half: PathBuf = cache.join(format!(".build-{}.sif", random_id()));
    let answer = builder.ask(["build", &half.to_string_lossy(), image], BUILD_LIMIT).await?;
    let kept = if answer.succeeded {
        std::fs::rename(&half, file).map_err(|error| error.to_string())
    } else {
        Err(answer.words)
    };
    let _ = std::fs::remove_file(&half);
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::fs::PermissionsExt as _;

    use hermes_tool::Vars;

    use super::*;

    /// A builder that writes its last word to the file and counts its calls.
    fn builder(folder: &Path, script: &str) -> ClientProgram {
        let path = folder.join("apptainer");
        let mut file = std::fs::File::create(&path).unwrap();
        write!(file, "#!/bin/sh\n{script}\n").unwrap();
        file.set_permissions(std::fs::Permissions::from_mode(0o755)).unwrap();
        let process: Vars = [("PATH".to_owned(), format!("{}:/usr/bin:/bin", folder.display()))]
            .into_iter()
            .collect();
        ClientProgram::find(&["apptainer"], &[], &process).unwrap()
    }

    #[tokio::test]
    async fn an_address_is_built_once_and_a_file_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        let log = folder.path().join("log");
        let program = builder(
            folder.path(),
            &format!("echo \"$@\" >>{}; echo \"$3\" >\"$2\"", log.display()),
        );
        let expected = cache.join("a_b.sif").display().to_string();
        for _ in 0..2 {
            assert_eq!(usable("docker://a/b", &cache, &program).await.unwrap(), expected);
        }
        assert_eq!(usable("/x.sif", &cache, &program).await.unwrap(), "/x.sif");
        assert_eq!(std::fs::read_to_string(log).unwrap().lines().count(), 1);
    }

    #[tokio::test]
    async fn a_build_that_fails_leaves_nothing_and_the_address_is_tried() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        let program = builder(folder.path(), "echo half >\"$2\"; exit 1");
        assert_eq!(usable("docker://a/b", &cache, &program).await.unwrap(), "docker://a/b");
        let left = std::fs::read_dir(&cache).unwrap().flatten();
        let left: Vec<_> =
            left.filter(|entry| entry.path().extension().is_some_and(|end| end == "sif")).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

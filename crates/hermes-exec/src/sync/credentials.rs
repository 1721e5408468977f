//! Which files the user may name to be taken along.
//!
//! A named file leaves this machine or is shown to a container, so every doubt is a no: it must be
//! a file in the Hermes home, also once all links are followed, and it must not be one of the
//! stores in which Hermes itself keeps keys and history. A user who wants to hand out one secret
//! puts it into a file of its own.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use hermes_guard::paths::{PathFaces, PathRules};

/// Stores of Hermes beyond those its agent may not even read.
const STORE_FOLDERS: [&str; 4] = ["auth", "sessions", "pairing", "profiles"];
const STORE_FILES: [&str; 1] = ["config.yaml"];
const STORE_PREFIXES: [&str; 2] = [".env", "state.db"];

/// Why a file is not taken along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CredentialRule {
    NotRelative,
    Missing,
    NotAFile,
    Outside,
    Store,
}

impl fmt::Display for CredentialRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotRelative => "it must be a path relative to the Hermes home, without `..`",
            Self::Missing => "it is not there",
            Self::NotAFile => "it is not a regular file",
            Self::Outside => "it leads out of the Hermes home",
            Self::Store => {
                "it is a store in which Hermes keeps keys or history; put the one secret that is \
                 needed into a file of its own"
            }
        })
    }
}

/// The file itself and the path below the home under which it is seen.
pub(super) fn check(home: &Path, given: &str) -> Result<(PathBuf, String), CredentialRule> {
    let given = given.trim();
    let mut below = PathBuf::new();
    for part in Path::new(given).components() {
        match part {
            Component::Normal(part) => below.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(CredentialRule::NotRelative);
            }
        }
    }
    if below.as_os_str().is_empty() || given.contains('\0') {
        return Err(CredentialRule::NotRelative);
    }
    let root = home.canonicalize().map_err(|_| CredentialRule::Missing)?;
    let file = root.join(&below).canonicalize().map_err(|_| CredentialRule::Missing)?;
    let real = file.strip_prefix(&root).map_err(|_| CredentialRule::Outside)?;
    if !file.is_file() {
        return Err(CredentialRule::NotAFile);
    }
    let is_free = |path: &Path| !is_store(path) && may_be_read(&root, &root.join(path));
    if !is_free(&below) || !is_free(real) {
        return Err(CredentialRule::Store);
    }
    let below = below.to_str().ok_or(CredentialRule::NotRelative)?.to_owned();
    Ok((file, below))
}

/// Whether the agent itself may read a file.
pub(super) fn may_be_read(home: &Path, file: &Path) -> bool {
    let mut agent_homes = vec![home.to_owned()];
    agent_homes.extend(home.canonicalize());
    let rules = PathRules { agent_homes, ..PathRules::default() };
    rules.check_read(&PathFaces { literal: file, hops: &[], canonical: file }).is_ok()
}

fn is_store(below: &Path) -> bool {
    let below = PathBuf::from(below.to_string_lossy().to_lowercase());
    let name = below.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let top = below.iter().next().unwrap_or_default().to_string_lossy().into_owned();
    let is_at_top = below.iter().nth(1).is_none();
    STORE_FOLDERS.contains(&top.as_str())
        || is_at_top && STORE_FILES.contains(&name.as_str())
        || STORE_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn home_with(files: &[&str]) -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        for file in files {
            let path = home.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::File::create(path).unwrap();
        }
        home
    }

    #[test]
    fn a_file_of_its_own_is_taken_along() {
        let home = home_with(&["google_token.json", "keys/service.json"]);
        for given in [
            "google_token.json",
            "keys/service.json",
            "./keys//service.json",
            " keys/service.json ",
        ] {
            let (host, below) = check(home.path(), given).unwrap();
            assert!(host.is_file(), "{given}");
            assert!(
                ["google_token.json", "keys/service.json"].contains(&below.as_str()),
                "{below}"
            );
        }
    }

    #[test]
    fn stores_are_never_taken_along_by_whatever_name() {
        let stores = [
            ".env",
            ".env.production",
            "auth.json",
            "mcp-tokens/github.json",
            "auth/google_oauth.json",
            "state.db",
            "state.db-wal",
            "config.yaml",
            ".anthropic_oauth.json",
            "sessions/1.json",
            "profiles/travel/.env",
            "profiles/travel/token.json",
            "pairing/x",
            "webhook_subscriptions.json",
        ];
        let home = home_with(&stores);
        for given in stores {
            assert_eq!(check(home.path(), given), Err(CredentialRule::Store), "{given}");
        }
        symlink(home.path().join(".env"), home.path().join("innocent.txt")).unwrap();
        assert_eq!(check(home.path(), "innocent.txt"), Err(CredentialRule::Store));
        symlink(home.path().join("mcp-tokens"), home.path().join("folder")).unwrap();
        assert_eq!(check(home.path(), "folder/github.json"), Err(CredentialRule::Store));
    }

    #[test]
    fn what_is_elsewhere_or_no_file_is_refused() {
        let home = home_with(&["folder/file"]);
        symlink("/etc/passwd", home.path().join("link")).unwrap();
        for (given, rule) in [
            ("/etc/passwd", CredentialRule::NotRelative),
            ("../x", CredentialRule::NotRelative),
            ("folder/../folder/file", CredentialRule::NotRelative),
            ("", CredentialRule::NotRelative),
            (".", CredentialRule::NotRelative),
            ("link", CredentialRule::Outside),
            ("missing", CredentialRule::Missing),
            ("folder", CredentialRule::NotAFile),
        ] {
            assert_eq!(check(home.path(), given), Err(rule), "{given}");
        }
    }
}

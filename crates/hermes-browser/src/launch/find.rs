//! Where Chromium is on this machine.

use std::path::{Path, PathBuf};

use hermes_tool::Vars;

use super::{PROGRAMS, is_program, on_path};
use crate::error::BrowserError;
use crate::install::how_to_install;

/// Names the program to use, before anything is looked for.
const NAMED: &str = "AGENT_BROWSER_EXECUTABLE_PATH";
/// Where another tool keeps browsers it downloaded, below the user's folder.
const CACHES: [&str; 2] = [".cache/ms-playwright", "Library/Caches/ms-playwright"];
/// What such a browser's program is called, below its folder.
const CACHED_PROGRAMS: [&str; 5] = [
    "chrome-linux/chrome",
    "chrome-linux64/chrome",
    "chrome-linux/headless_shell",
    "chrome-headless-shell-linux64/chrome-headless-shell",
    "chrome-linux/chrome-headless-shell",
];

/// The Chromium or Chrome of this machine: the one that is named, one of the search path, one that another tool
/// downloaded.
///
/// # Errors
/// There is none, or the one that is named is not there; with what to do about it.
pub fn find_chromium(vars: &Vars) -> Result<PathBuf, BrowserError> {
    if let Some(named) = vars.non_blank(NAMED) {
        let path = PathBuf::from(named);
        return match is_program(&path) {
            true => Ok(path),
            false => Err(BrowserError::NotInstalled(format!(
                "{NAMED} names {named}, which is not a program; correct or remove it"
            ))),
        };
    }
    let path = vars.get("PATH").unwrap_or_default();
    if let Some(found) = PROGRAMS.iter().find_map(|name| on_path(path, name)) {
        return Ok(found);
    }
    downloaded(vars).ok_or_else(|| BrowserError::NotInstalled(how_to_install()))
}

fn downloaded(vars: &Vars) -> Option<PathBuf> {
    let named = vars.non_blank("PLAYWRIGHT_BROWSERS_PATH").map(PathBuf::from);
    let home = vars.non_blank("HOME").map(PathBuf::from);
    let caches = home.iter().flat_map(|home| CACHES.iter().map(|cache| home.join(cache)));
    named.into_iter().chain(caches).find_map(|cache| newest_in(&cache))
}

/// The newest browser of a cache: its folders are named after versions.
fn newest_in(cache: &Path) -> Option<PathBuf> {
    let mut folders: Vec<(u64, PathBuf)> = std::fs::read_dir(cache)
        .ok()?
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let version = name
                .strip_prefix("chromium-")
                .or_else(|| name.strip_prefix("chromium_headless_shell-"))?;
            Some((version.parse().unwrap_or(0), entry.path()))
        })
        .collect();
    folders.sort();
    folders.iter().rev().find_map(|(_, folder)| {
        CACHED_PROGRAMS.iter().map(|program| folder.join(program)).find(|file| is_program(file))
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn vars(pairs: &[(&str, &str)]) -> Vars {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn program(path: &Path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::File::create(path).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn the_named_one_counts_before_the_path_and_the_path_before_downloads() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let text = |name: &str| at(name).display().to_string();
        program(&at("home/.cache/ms-playwright/chromium-900/chrome-linux/chrome"));
        program(&at("home/.cache/ms-playwright/chromium-1100/chrome-linux/chrome"));
        let home = text("home");
        let bin = text("bin");
        let mut known = vec![("HOME", home.as_str()), ("PATH", bin.as_str())];
        let found = find_chromium(&vars(&known)).unwrap();
        assert!(found.display().to_string().contains("chromium-1100"), "{found:?}");
        program(&at("bin/chromium"));
        assert_eq!(find_chromium(&vars(&known)).unwrap(), at("bin/chromium"));
        let absent = text("absent");
        known.push((NAMED, &absent));
        let error = find_chromium(&vars(&known)).unwrap_err().to_string();
        assert!(error.contains(NAMED), "{error}");
    }

    #[test]
    fn where_there_is_none_it_says_how_to_get_one() {
        let error = find_chromium(&vars(&[("PATH", "/nonexistent")])).unwrap_err().to_string();
        assert!(error.contains("hermes browser install"), "{error}");
    }
}

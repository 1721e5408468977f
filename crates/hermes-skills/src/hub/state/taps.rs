//! `taps.json`: repositories to look for skills in, besides those we know.

use hermes_store::atomic;
use serde::{Deserialize, Serialize};

use super::{HubState, OWN_FILES, read_if_exists};
use crate::hub::error::HubError;
use crate::hub::identifier::{RepoFolder, parts};

/// A repository with skills.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HubTap {
    /// `owner/name`.
    pub repo: String,
    /// The folder that holds them.
    #[serde(default = "usual_path")]
    pub path: String,
}

fn usual_path() -> String {
    "skills/".to_owned()
}

#[derive(Default, Serialize, Deserialize)]
struct TapFile {
    #[serde(default)]
    taps: Vec<HubTap>,
}

/// The repositories everybody looks in.
#[must_use]
pub fn default_taps() -> Vec<HubTap> {
    [
        ("openai/skills", "skills/.curated/"),
        ("openai/skills", "skills/.system/"),
        ("anthropics/skills", "skills/"),
        ("huggingface/skills", "skills/"),
        ("NVIDIA/skills", "skills/"),
        ("garrytan/gstack", ""),
    ]
    .map(|(repo, path)| HubTap { repo: repo.to_owned(), path: path.to_owned() })
    .to_vec()
}

/// The user's own taps.
///
/// # Errors
/// The file is there and cannot be read.
pub fn read(state: &HubState) -> Result<Vec<HubTap>, HubError> {
    let file = state.skills().hub_taps();
    let Some(bytes) = read_if_exists(&file)? else { return Ok(Vec::new()) };
    serde_json::from_slice::<TapFile>(&bytes)
        .map(|file| file.taps)
        .map_err(|error| HubError::State { file, why: error.to_string() })
}

/// Adds a repository; gives what it became, and whether it is new.
///
/// # Errors
/// It is no `owner/name`, or the file cannot be changed.
pub fn add(state: &HubState, repo: &str, path: Option<&str>) -> Result<(HubTap, bool), HubError> {
    let folder = RepoFolder::parse(repo)?;
    let path = match path.map(|path| path.trim_matches('/')) {
        Some("") => String::new(),
        Some(path) => format!("{}/", parts(path)?.join("/")),
        None if folder.path.is_empty() => usual_path(),
        None => format!("{}/", folder.path),
    };
    let tap = HubTap { repo: folder.full_name(), path };
    let is_new = change(state, |taps| {
        let is_new = !taps.contains(&tap);
        if is_new {
            taps.push(tap.clone());
        }
        is_new
    })?;
    Ok((tap, is_new))
}

/// Takes a repository out; false if it was not there.
///
/// # Errors
/// The file cannot be changed.
pub fn remove(state: &HubState, repo: &str) -> Result<bool, HubError> {
    let wanted = RepoFolder::parse(repo)?.full_name();
    change(state, |taps| {
        let before = taps.len();
        taps.retain(|tap| !tap.repo.eq_ignore_ascii_case(&wanted));
        taps.len() < before
    })
}

fn change(state: &HubState, act: impl FnOnce(&mut Vec<HubTap>) -> bool) -> Result<bool, HubError> {
    let _guard = state.begin()?;
    let mut taps = read(state)?;
    let changed = act(&mut taps);
    if changed {
        let text = serde_json::to_vec_pretty(&TapFile { taps }).unwrap_or_default();
        atomic::write(&state.skills().hub_taps(), &text, OWN_FILES)?;
    }
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::SkillsHome;
    use hermes_store::home::Home;

    #[test]
    fn taps_have_the_shape_of_a_repository() {
        let home = tempfile::tempdir().unwrap();
        let state = HubState::new(&SkillsHome::new(&Home::at(home.path())));
        assert!(add(&state, "acme/tools", None).unwrap().1);
        assert!(!add(&state, "acme/tools", None).unwrap().1);
        assert!(add(&state, "acme/more/deep/place", None).unwrap().1);
        for bad in ["acme", "../x", "https://github.com/a/b", "a/b c"] {
            assert!(add(&state, bad, None).is_err(), "{bad}");
        }
        for bad in ["../x", "a/../../b", "a//b", "a b", "%2e%2e"] {
            assert!(add(&state, "acme/tools", Some(bad)).is_err(), "{bad}");
        }
        let taps = read(&state).unwrap();
        assert_eq!(taps[0], HubTap { repo: "acme/tools".into(), path: "skills/".into() });
        assert_eq!(taps[1], HubTap { repo: "acme/more".into(), path: "deep/place/".into() });
        assert!(remove(&state, "ACME/tools").unwrap());
        assert!(!remove(&state, "acme/tools").unwrap());
    }
}

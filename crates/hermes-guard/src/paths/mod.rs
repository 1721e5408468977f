//! Which files the file tools leave alone.
//!
//! Every rule is checked on all faces of a path: as written, at each link on the way, and where it
//! finally leads. So a link cannot carry a tool past a rule, and a rule about a link's own place
//! holds as well.

use std::path::{Path, PathBuf};

mod devices;
mod folded;
mod later;
mod own_home;
mod rules;
#[cfg(test)]
mod tests;

pub use devices::is_device_or_process_secret;
use own_home::OwnPart;

/// A path with everything the rules look at.
#[derive(Clone, Copy, Debug)]
pub struct PathFaces<'a> {
    /// Absolute and normalised, links as written.
    pub literal: &'a Path,
    /// Where each link on the way led.
    pub hops: &'a [PathBuf],
    /// Where it really leads, all links followed.
    pub canonical: &'a Path,
}

impl PathFaces<'_> {
    fn iter(&self) -> impl Iterator<Item = &Path> {
        [self.literal, self.canonical].into_iter().chain(self.hops.iter().map(PathBuf::as_path))
    }
}

/// Why a path is left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathRefusal {
    /// The rule, as a short stable name.
    pub rule: &'static str,
    /// What happened and what to do instead.
    pub message: String,
}

/// What the rules depend on.
#[derive(Clone, Debug, Default)]
pub struct PathRules {
    /// The home whose keys and accounts are left alone.
    pub user_home: Option<PathBuf>,
    /// The agent's state folder, and the root one when it is a profile's.
    pub agent_homes: Vec<PathBuf>,
    /// When not empty, nothing outside is written.
    pub safe_roots: Vec<PathBuf>,
    /// Folders in which programs are looked for by name.
    pub program_folders: Vec<PathBuf>,
    /// Folders of hooks that repositories nearby and the user's settings of git name, and settings of
    /// repositories that are not called `.git`.
    pub hook_folders: Vec<PathBuf>,
    /// Where commands may write, if the kernel keeps them from writing elsewhere.
    pub sandbox: Option<Vec<PathBuf>>,
}

/// Whether a write needs a person's yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteConsent {
    /// It does not.
    NotNeeded,
    /// It changes who the agent is.
    Personality,
}

impl PathRules {
    /// Whether a path may be read.
    ///
    /// # Errors
    /// The rule that speaks against it.
    pub fn check_read(&self, path: &PathFaces<'_>) -> Result<(), PathRefusal> {
        for face in path.iter() {
            if is_device_or_process_secret(face) {
                return Err(refuse("device", path, "it is a device or holds secrets of a process"));
            }
            if let Some(why) = rules::read_denied(self, face) {
                return Err(refuse("credentials", path, why));
            }
        }
        Ok(())
    }

    /// Whether a path may be written, removed or moved, and whether somebody has to say yes to it.
    ///
    /// # Errors
    /// The rule that speaks against it.
    pub fn check_write(&self, path: &PathFaces<'_>) -> Result<WriteConsent, PathRefusal> {
        let mut consent = WriteConsent::NotNeeded;
        for face in path.iter() {
            if is_device_or_process_secret(face) || devices::is_of_kernel(face) {
                return Err(refuse("device", path, "it is a device or part of a process"));
            }
            match own_home::part_of(self, face) {
                None | Some(OwnPart::Area) => {}
                Some(OwnPart::Personality) => consent = WriteConsent::Personality,
                Some(OwnPart::Config) => {
                    let why = "it is the agent's own configuration, which the user changes";
                    return Err(refuse("own-config", path, why));
                }
                Some(OwnPart::State) => {
                    let why = "it is the agent's own state; only its skills, memories and \
                               workspace are written here";
                    return Err(refuse("own-state", path, why));
                }
            }
            if let Some(why) = rules::sensitive(face).or_else(|| rules::write_denied(self, face)) {
                return Err(refuse("protected", path, why));
            }
            if let Some(why) = later::runs_later(self, face) {
                let advice =
                    "if the user wants it changed, do it in the terminal, where they are asked";
                return Err(refuse("runs-later", path, format_args!("{why}; {advice}")));
            }
        }
        let is_inside = |root: &PathBuf| path.canonical.starts_with(root);
        if !self.safe_roots.is_empty() && !self.safe_roots.iter().any(is_inside) {
            return Err(refuse(
                "safe-root",
                path,
                "it lies outside HERMES_WRITE_SAFE_ROOT, the only place that may be written",
            ));
        }
        if let Some(writable) = &self.sandbox
            && !writable.iter().any(is_inside)
        {
            let why =
                "the sandbox that commands run in (terminal.sandbox) keeps it from being written";
            return Err(refuse("sandbox", path, why));
        }
        Ok(consent)
    }

    /// Whether a write would reach into the state of another profile. Soft: the caller may insist.
    ///
    /// # Errors
    /// Whose state it is.
    pub fn check_profile(&self, path: &PathFaces<'_>) -> Result<(), PathRefusal> {
        match path.iter().find_map(|face| rules::foreign_profile(self, face)) {
            None => Ok(()),
            Some(owner) => Err(refuse(
                "profile",
                path,
                format!("it belongs to {owner}; pass cross_profile: true if that is meant"),
            )),
        }
    }
}

fn refuse(rule: &'static str, path: &PathFaces<'_>, why: impl std::fmt::Display) -> PathRefusal {
    PathRefusal { rule, message: format!("Access denied: {}: {why}", path.literal.display()) }
}

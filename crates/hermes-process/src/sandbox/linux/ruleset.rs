//! Rules on files, for Landlock. Built by us, handed to the new process as a descriptor.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::{fs, io};

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd,
    Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope,
};

use super::support::landlock_version;
use crate::sandbox::ConfinementError;

/// Without this version, files could be emptied from outside the listed places.
const NEEDED: ABI = ABI::V3;
/// The latest version whose effects have been tried out.
const KNOWN: ABI = ABI::V7;

/// Devices that everyone writes to and that keep nothing.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];

/// Everything read-only, but these places, some devices and the program's own terminal.
pub(super) fn read_only(
    places: &[PathBuf],
    own_terminal: Option<BorrowedFd<'_>>,
) -> Result<OwnedFd, ConfinementError> {
    require(landlock_version(), NEEDED)?;
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(NEEDED))
        .map_err(refused)?
        // What later versions can forbid in addition, they should: harm to devices, signals.
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_write(KNOWN))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(KNOWN)))
        .and_then(Ruleset::create);
    let mut ruleset = ruleset.map_err(refused)?;
    for place in places {
        ruleset = allow(ruleset, place)?;
    }
    for device in DEVICES {
        let path = Path::new(device);
        // Not every container has them all.
        if path.exists() {
            ruleset = allow(ruleset, path)?;
        }
    }
    if let Some(terminal) = own_terminal {
        let rule = PathBeneath::new(terminal, for_files());
        ruleset = ruleset.add_rule(rule).map_err(refused)?;
    }
    finish(ruleset)
}

/// No rule on files at all: what remains is that a process under rules, whatever they are, cannot
/// look into one that is not under the same.
pub(super) fn apart() -> Result<OwnedFd, ConfinementError> {
    require(landlock_version(), ABI::V1)?;
    // There has to be something to decide on; it is allowed everywhere.
    let something = AccessFs::MakeBlock;
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(something)
        .and_then(Ruleset::create)
        .map_err(refused)?;
    let root = open(Path::new("/"))?;
    finish(ruleset.add_rule(PathBeneath::new(root, something)).map_err(refused)?)
}

fn require(found: Option<u32>, version: ABI) -> Result<(), ConfinementError> {
    let needed = version as u32;
    if found.is_some_and(|found| found >= needed) {
        Ok(())
    } else {
        Err(ConfinementError::Landlock { found, needed })
    }
}

fn allow(ruleset: RulesetCreated, place: &Path) -> Result<RulesetCreated, ConfinementError> {
    let fd = open(place)?;
    let is_dir = fs::metadata(place).is_ok_and(|metadata| metadata.is_dir());
    let rights = if is_dir { for_directories() } else { for_files() };
    ruleset.add_rule(PathBeneath::new(fd, rights)).map_err(refused)
}

fn for_directories() -> BitFlags<AccessFs> {
    // A device node made in a listed place would be a door to the device, which is elsewhere.
    AccessFs::from_write(KNOWN) & !(AccessFs::MakeChar | AccessFs::MakeBlock)
}

fn for_files() -> BitFlags<AccessFs> {
    AccessFs::from_write(KNOWN) & AccessFs::from_file(KNOWN)
}

fn open(path: &Path) -> Result<PathFd, ConfinementError> {
    PathFd::new(path).map_err(|error| {
        let source = match std::error::Error::source(&error) {
            Some(cause) => cause.downcast_ref::<io::Error>().map(io::Error::kind),
            None => None,
        };
        let source = source.unwrap_or(io::ErrorKind::Other).into();
        ConfinementError::Path { path: path.to_owned(), source }
    })
}

fn finish(ruleset: RulesetCreated) -> Result<OwnedFd, ConfinementError> {
    let fd: Option<OwnedFd> = ruleset.into();
    // None would mean that the kernel can do nothing of it.
    fd.ok_or(ConfinementError::Landlock { found: None, needed: NEEDED as u32 })
}

fn refused(error: RulesetError) -> ConfinementError {
    ConfinementError::Refused { source: io::Error::other(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_is_too_old_is_refused_with_what_it_lacks() {
        assert!(require(Some(3), NEEDED).is_ok() && require(Some(12), NEEDED).is_ok());
        let old = require(Some(2), NEEDED).unwrap_err().to_string();
        assert!(old.contains("has Landlock in version 2, but version 3 is needed"), "{old}");
        let none = require(None, ABI::V1).unwrap_err().to_string();
        assert!(none.contains("has no Landlock") && none.contains("lsm="), "{none}");
    }

    #[test]
    fn device_nodes_are_not_among_the_rights_in_writable_places() {
        assert!(!for_directories().intersects(AccessFs::MakeChar | AccessFs::MakeBlock));
        assert!(for_directories().contains(AccessFs::MakeReg | AccessFs::Truncate));
        assert!(!for_files().contains(AccessFs::RemoveFile));
    }
}

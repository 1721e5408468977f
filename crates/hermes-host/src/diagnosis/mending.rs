//! What the doctor can put right without asking: rights of files that are too wide, folders that are missing, what an
//! installation of a skill that was cut off left behind.

use std::os::unix::fs::PermissionsExt as _;

use hermes_skills::hub::state::HubState;
use hermes_skills::layout::SkillsHome;
use hermes_store::home::ensure_private_dir;

use crate::Host;

impl Host {
    /// Puts right what needs no decision; a line on each thing that was done, or why it could not be.
    #[must_use]
    pub fn mend(&self) -> Vec<String> {
        let mut done = Vec::new();
        let root = self.home().root();
        if !root.exists() {
            done.push(match ensure_private_dir(root) {
                Ok(()) => format!("made {}", root.display()),
                Err(problem) => format!("cannot make {}: {problem}", root.display()),
            });
        }
        let env = self.home().env_file();
        for (path, mode) in [(root, 0o700), (env.as_path(), 0o600)] {
            let Ok(found) = path.metadata() else { continue };
            if (found.is_dir() != (mode == 0o700)) || found.permissions().mode() & 0o077 == 0 {
                continue;
            }
            let narrowed = std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode));
            done.push(match narrowed {
                Ok(()) => format!("only you can read {} now", path.display()),
                Err(problem) => format!("cannot change {}: {problem}", path.display()),
            });
        }
        self.mend_skills(&mut done);
        done
    }

    /// Settles an installation that was cut off, and removes a list of skills that nobody can read.
    fn mend_skills(&self, done: &mut Vec<String>) {
        let skills = SkillsHome::new(self.home());
        let hub = HubState::new(&skills);
        if hub.health().is_some_and(|health| health.left_over) {
            match hub.recover() {
                Ok(()) if hub.health().is_some_and(|health| health.left_over) => {}
                Ok(()) => done.push("settled a skill's installation that was cut off".to_owned()),
                Err(problem) => {
                    done.push(format!("cannot settle a skill's installation: {problem}"));
                }
            }
        }
        let snapshot = skills.snapshot_file();
        if !hermes_skills::index::is_snapshot_usable(&snapshot) {
            done.push(match std::fs::remove_file(&snapshot) {
                Ok(()) => format!("removed {}; it is made anew", snapshot.display()),
                Err(problem) => format!("cannot remove {}: {problem}", snapshot.display()),
            });
        }
    }
}

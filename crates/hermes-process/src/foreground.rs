//! Programs that take over our terminal for a while: editors, pagers.
//!
//! A terminal has one foreground group, and a program started by the fork server is not in it. So
//! these are started by us, in our group, without a supervisor. They hang up when we die, like
//! every program whose terminal goes away.

use std::io::IsTerminal as _;
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;
use std::process::ExitStatus;

use nix::sys::signal::Signal;

use crate::command::Command;
use crate::error::ProcessError;
use crate::launch::{confinement, system_error};
use crate::lookup;
use crate::sandbox::PreparedConfinement;
use crate::system;

impl Command {
    /// Runs the program in the foreground of our own terminal and waits for it. It shares our
    /// process group and streams, so keys and signals of the terminal reach it; deadline, capture
    /// and the other settings that keep a program apart from us do not apply. A confinement does.
    pub fn run_in_foreground(self) -> Result<ExitStatus, ProcessError> {
        let file = lookup::find(&self.program, &self.environment.search_path())?;
        let terminal = std::io::stdin();
        let prepared = match &self.confinement {
            Some(wanted) => wanted
                .prepare(terminal.is_terminal().then(|| terminal.as_fd()))
                .map_err(|error| confinement(&self, error))?,
            None => PreparedConfinement::nothing(),
        };
        let args = self.args.iter().map(AsRef::as_ref);
        let (file, args) =
            prepared.wrap(&file, std::iter::once(self.program.as_ref()).chain(args).collect());
        #[expect(
            clippy::disallowed_methods,
            reason = "the fork server cannot start a program in our foreground group"
        )]
        let mut command = std::process::Command::new(file);
        command.args(args.into_iter().skip(1)).env_clear().envs(self.environment.iter());
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        let enter = move || {
            system::die_with_parent(Signal::SIGHUP, None)?;
            Ok(prepared.enter()?)
        };
        // SAFETY: between fork and exec only system calls are made.
        unsafe {
            command.pre_exec(enter);
        }
        command.status().map_err(|source| system_error(&self, source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_exit_status_and_passes_the_environment() {
        let script = "test \"$GREETING\" = hello && test -z \"$HOME\" && exit 7";
        let status = Command::new("sh")
            .args(["-c", script])
            .env("GREETING", "hello")
            .run_in_foreground()
            .unwrap();
        assert_eq!(status.code(), Some(7));
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = Command::new("no-such-editor").run_in_foreground().unwrap_err();
        assert!(error.to_string().contains("no-such-editor"), "{error}");
    }
}

//! Seatbelt, by way of `sandbox-exec`: the profile is compiled and entered by a program of the system, which then
//! becomes the one that was asked for. Our own processes between `fork` and `exec` could not do it, since they may
//! not allocate.
//!
//! The price: a program that cannot be executed is told by `sandbox-exec`, on its standard error and with code 71,
//! and not as an error of ours.

mod profile;

use std::ffi::{OsStr, OsString};
use std::os::fd::BorrowedFd;
use std::path::Path;

use super::{Confinement, ConfinementError, KernelSupport};

/// The program that enters a sandbox.
const ENTERS: &str = "/usr/bin/sandbox-exec";

/// What happens between `fork` and `exec`: nothing here.
pub(crate) mod enter {
    use std::os::fd::BorrowedFd;

    /// What a program gives up by itself: nothing.
    #[derive(Debug)]
    pub(crate) struct Restrictions;

    impl Restrictions {
        /// Restrictions that were written by [`super::PreparedConfinement`]: none are.
        pub(crate) fn from_image(word: usize, _: *const u8, len: usize) -> Option<Self> {
            (word == 0 && len == 0).then_some(Self)
        }
    }

    /// Nothing to do; a ruleset would be one that nobody made.
    pub(crate) fn confinement(
        _: &Restrictions,
        ruleset: Option<BorrowedFd<'_>>,
    ) -> nix::Result<()> {
        match ruleset {
            None => Ok(()),
            Some(_) => Err(nix::errno::Errno::ENOTSUP),
        }
    }
}

/// A confinement made ready.
pub(crate) struct PreparedConfinement {
    /// The words in front of the program and its arguments; none if it is not confined.
    wrapper: Vec<OsString>,
}

/// Makes ready what the new process enters.
pub(super) fn prepare(
    wanted: &Confinement,
    own_terminal: Option<BorrowedFd<'_>>,
) -> Result<PreparedConfinement, ConfinementError> {
    if !has_seatbelt() {
        return Err(ConfinementError::Unsupported { missing: ENTERS });
    }
    let terminal = own_terminal.and_then(|terminal| nix::unistd::ttyname(terminal).ok());
    let profile = profile::text(wanted, terminal.as_deref())?;
    Ok(PreparedConfinement { wrapper: vec![ENTERS.into(), "-p".into(), profile.into()] })
}

impl PreparedConfinement {
    /// No confinement.
    pub(crate) fn nothing() -> Self {
        Self { wrapper: Vec::new() }
    }

    /// What is to be executed, and with which arguments, the program's name first.
    pub(crate) fn wrap<'a>(
        &'a self,
        file: &'a Path,
        args: Vec<&'a OsStr>,
    ) -> (&'a Path, Vec<&'a OsStr>) {
        let Some(first) = self.wrapper.first() else { return (file, args) };
        let words = self.wrapper.iter().map(OsString::as_os_str).chain([file.as_os_str()]);
        (Path::new(first), words.chain(args.into_iter().skip(1)).collect())
    }

    /// A word for [`enter::Restrictions`].
    #[expect(clippy::unused_self, reason = "elsewhere a confinement is entered before `exec`")]
    pub(crate) fn privileges(&self) -> usize {
        0
    }

    /// Bytes for [`enter::Restrictions`].
    #[expect(clippy::unused_self, reason = "elsewhere a confinement is entered before `exec`")]
    pub(crate) fn filter(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Rules to be handed to the new process: none, they are in its arguments.
    #[expect(clippy::unused_self, reason = "elsewhere a confinement is entered before `exec`")]
    pub(crate) fn ruleset(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// Nothing that the calling process could do, see [`PreparedConfinement::wrap`].
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "elsewhere a confinement is entered before `exec`"
    )]
    pub(crate) fn enter(&self) -> nix::Result<()> {
        Ok(())
    }
}

/// Asks the running system what it can do. Starts nothing and changes nothing.
pub fn kernel_support() -> KernelSupport {
    KernelSupport {
        landlock_abi: None,
        seccomp: false,
        seatbelt: has_seatbelt(),
        user_namespaces: false,
        pidfd: false,
        proc: crate::processes::look_up(std::process::id().cast_signed()).is_some(),
    }
}

fn has_seatbelt() -> bool {
    cfg!(target_os = "macos") && Path::new(ENTERS).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confined_program_is_started_by_the_one_that_enters_the_sandbox() {
        let args = || vec![OsStr::new("make"), OsStr::new("-p")];
        let free = PreparedConfinement::nothing();
        assert_eq!(free.wrap(Path::new("/bin/make"), args()), (Path::new("/bin/make"), args()));

        let wrapper = [ENTERS, "-p", "(version 1)"].map(OsString::from).to_vec();
        let confined = PreparedConfinement { wrapper };
        let (file, args) = confined.wrap(Path::new("/bin/make"), args());
        assert_eq!(file, Path::new(ENTERS));
        assert_eq!(args, [ENTERS, "-p", "(version 1)", "/bin/make", "-p"]);
    }

    #[cfg(not(target_os = "macos"))]
    #[test]
    fn nothing_is_confined_halfway_where_there_is_no_seatbelt() {
        let error = Confinement::processes_only().check().unwrap_err();
        assert!(error.to_string().contains("use a container"), "{error}");
        let run = crate::Command::new("true").confine(Confinement::read_only()).run_blocking();
        assert!(matches!(run, Err(crate::ProcessError::Confinement { .. })), "{run:?}");
    }
}

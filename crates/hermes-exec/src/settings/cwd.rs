//! Where commands begin.
//!
//! `terminal.cwd` is written with one machine in mind and may be read for another. A path of this
//! machine means nothing in a container, so there it is not used; on another host it may mean
//! something, and that host's shell finds out what `~` is.

use std::path::{Component, Path, PathBuf};

use hermes_tool::Vars;

use super::expand::tilde;
use crate::backend::BackendKind;

/// Words for "where Hermes was started".
const CURRENT: [&str; 3] = [".", "auto", "cwd"];

/// The variable that is also asked when the directory Hermes was started in is gone.
const VARIABLE: &str = "TERMINAL_CWD";

/// How paths of a user's machine begin.
const OF_THE_USERS_MACHINE: [&str; 4] = ["/home/", "/Users/", "C:\\", "C:/"];

/// Where a container has the mounted directory.
pub(super) const WORKSPACE: &str = "/workspace";

/// What is known about the directory before it is chosen.
pub(super) struct WantedDirectory<'a> {
    /// What the settings say; `None` for the words that mean "here".
    configured: Option<String>,
    vars: &'a Vars,
    process_cwd: &'a Path,
}

impl<'a> WantedDirectory<'a> {
    pub(super) fn new(configured: String, vars: &'a Vars, process_cwd: &'a Path) -> Self {
        let is_here = CURRENT.iter().any(|word| configured.eq_ignore_ascii_case(word));
        let configured = (!is_here).then_some(configured);
        Self { configured, vars, process_cwd }
    }

    /// Where commands begin in such an environment.
    pub(super) fn directory(&self, kind: BackendKind) -> String {
        match kind {
            BackendKind::Local => self.on_this_machine().to_string_lossy().into_owned(),
            BackendKind::Ssh => self.configured.clone().unwrap_or_else(|| "~".to_owned()),
            BackendKind::Vercel => self.in_container("/vercel/sandbox", &[]),
            BackendKind::Daytona => self.in_container("/root", &["~", "/home/daytona"]),
            BackendKind::Docker | BackendKind::Singularity | BackendKind::Modal => {
                self.in_container("/root", &[])
            }
        }
    }

    /// The directory of this machine that a container gets to see as [`WORKSPACE`], if the
    /// settings name one: a path that is not here is one in the container.
    pub(super) fn to_mount(&self) -> Option<PathBuf> {
        let named_there = |cwd: &Path| cwd.starts_with(WORKSPACE) || cwd.starts_with("/root");
        let explicit = self.configured.is_some();
        let directory = self.on_this_machine();
        (directory.is_dir() && !(explicit && named_there(&directory))).then_some(directory)
    }

    fn in_container(&self, default: &str, its_own: &[&str]) -> String {
        let is_of_here = |cwd: &str| {
            OF_THE_USERS_MACHINE.iter().any(|start| cwd.starts_with(start)) || !cwd.starts_with('/')
        };
        let configured = self.configured.as_deref();
        let usable = configured.filter(|cwd| its_own.contains(cwd) || !is_of_here(cwd));
        usable.unwrap_or(default).to_owned()
    }

    fn on_this_machine(&self) -> PathBuf {
        let Some(configured) = &self.configured else { return self.here() };
        let path = tilde(configured, self.vars);
        if path.is_absolute() {
            return path;
        }
        // `project/api`, read while in `/src/project/api`, is where we are.
        let path: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
        let here = self.here();
        if here.ends_with(&path) { here } else { here.join(path) }
    }

    /// Where Hermes was started, or the best there is when that was deleted.
    fn here(&self) -> PathBuf {
        let named = [VARIABLE, "HOME"].into_iter().filter_map(|name| self.vars.non_blank(name));
        std::iter::once(self.process_cwd.to_owned())
            .chain(named.map(|path| tilde(path.trim(), self.vars)))
            .find(|path| path.is_absolute() && path.is_dir())
            .unwrap_or_else(|| PathBuf::from("/"))
    }
}

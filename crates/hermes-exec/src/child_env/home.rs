//! Which home directory a child sees.
//!
//! On a user's own machine that is the user's: programs find their settings and logins there. In a
//! container the home is often lost with it, so a folder beside the other state of Hermes takes its
//! place. Either way [`REAL_HOME`] tells where the user's own is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hermes_tool::Vars;
use hermes_tool::settings::SettingWords;

/// The variable that names the user's own home, whatever `HOME` says.
const REAL_HOME: &str = "HERMES_REAL_HOME";

/// Which home directory commands see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, SettingWords)]
pub enum HomeMode {
    /// The user's own on a host, the profile's in a container.
    #[default]
    Auto,
    /// The user's own.
    #[setting(also("host", "user", "system"))]
    Real,
    /// The profile's.
    #[setting(also("isolated", "hermes"))]
    Profile,
}

/// What Hermes itself runs in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HostKind {
    /// A machine with users.
    #[default]
    Host,
    /// A container.
    Container,
}

/// Files that container engines leave inside.
const CONTAINER_FILES: [&str; 2] = ["/.dockerenv", "/run/.containerenv"];
/// Variables that container engines set inside.
const CONTAINER_VARIABLES: [&str; 4] =
    ["container", "KUBERNETES_SERVICE_HOST", "APPTAINER_CONTAINER", "SINGULARITY_CONTAINER"];

impl HostKind {
    /// What the marks say that engines leave inside a container.
    #[must_use]
    pub fn of(process: &Vars, exists: impl Fn(&Path) -> bool) -> Self {
        let marked = CONTAINER_FILES.iter().any(|file| exists(Path::new(file)))
            || CONTAINER_VARIABLES.iter().any(|name| process.non_blank(name).is_some());
        if marked { Self::Container } else { Self::Host }
    }
}

/// How the home is chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HomeRules {
    /// What the user wants.
    pub mode: HomeMode,
    /// What Hermes itself runs in.
    pub host: HostKind,
    /// The profile's home (`home` in `HERMES_HOME`); `None` if that folder is not there, and then
    /// the user's own is used in every mode.
    pub profile_home: Option<PathBuf>,
    /// The user's home as the system knows it, for a process without `HOME`.
    pub account_home: Option<PathBuf>,
}

impl HomeRules {
    /// Sets `HOME` and `HERMES_REAL_HOME`.
    pub(super) fn apply(&self, variables: &mut BTreeMap<String, String>) {
        let profile = self.profile_home.as_deref().map(|home| home.to_string_lossy().into_owned());
        // Started by a Hermes that gave us the profile's home: only it knows the user's own.
        let named = |name| variables.get(name).filter(|home: &&String| !home.trim().is_empty());
        let real = named(REAL_HOME)
            .or_else(|| named("HOME"))
            .cloned()
            .or_else(|| Some(self.account_home.as_deref()?.to_string_lossy().into_owned()));
        let wants_profile = match self.mode {
            HomeMode::Auto => self.host == HostKind::Container,
            HomeMode::Real => false,
            HomeMode::Profile => true,
        };
        let home = profile.filter(|_| wants_profile).or_else(|| real.clone());
        variables.extend(home.map(|home| ("HOME".to_owned(), home)));
        variables.extend(real.map(|real| (REAL_HOME.to_owned(), real)));
    }
}

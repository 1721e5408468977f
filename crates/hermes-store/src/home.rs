//! The folder that holds everything of one user or profile, and the names inside it.
//!
//! ```text
//! ~/.hermes/
//!   config.yaml  .env  auth.json  SOUL.md     settings, secrets, sign-ins, identity
//!   state.db  sessions/  memories/            history, snapshots, memory
//!   skills/  plugins/  hooks/  cron/          what the user added
//!   shell-hooks-allowlist.json  hook_outputs/ consent for shell hooks, their long outputs
//!   logs/  cache/  sandboxes/  checkpoints/
//!   profiles/NAME/                            further homes, each complete in itself
//! ```
//!
//! A [`Home`] is only a path: making one, or asking it for a name, looks at nothing and creates
//! nothing. Folders appear through [`ensure_private_dir`] just before something is put in them.

use std::io;
use std::path::{Path, PathBuf};

/// The variable that names the home.
pub const HOME_VARIABLE: &str = "HERMES_HOME";

/// The name of a folder of ours in somebody else's: in the home of another host, in a project.
pub const DOT_FOLDER: &str = ".hermes";
/// Longest profile name; it becomes a folder name.
pub const MAX_PROFILE_NAME: usize = 64;

/// The folder of one user or profile.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Home {
    root: PathBuf,
}

/// Why there is no home.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// Neither the home nor the user's own folder is known.
    #[error(
        "cannot tell where to keep state: {HOME_VARIABLE} is not set and neither is {variable}; set {HOME_VARIABLE} to a folder"
    )]
    Unknown {
        /// The system's variable that was looked at.
        variable: &'static str,
    },
    /// The path cannot be made absolute.
    #[error("{HOME_VARIABLE} {} cannot be used: {source}", .path.display())]
    BadPath {
        /// The path as given.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// Not usable as the name of a profile.
    #[error(
        "{name:?} cannot be a profile name: use 1 to {MAX_PROFILE_NAME} letters, digits, `-` and `_`, starting with a letter or digit"
    )]
    BadProfileName {
        /// The name as given.
        name: String,
    },
}

#[cfg(windows)]
const USER_FOLDER: (&str, &str) = ("LOCALAPPDATA", "hermes");
#[cfg(not(windows))]
const USER_FOLDER: (&str, &str) = ("HOME", ".hermes");

impl Home {
    /// The home named by `HERMES_HOME`, or else the default one in the user's folder.
    ///
    /// `get_var` looks up environment variables; blank values count as unset. A leading `~/` is
    /// understood, because the value often comes from a file that no shell has read.
    pub fn locate(get_var: impl Fn(&str) -> Option<String>) -> Result<Home, HomeError> {
        let var = |name| get_var(name).filter(|value| !value.trim().is_empty());
        let (variable, folder) = USER_FOLDER;
        let unknown = HomeError::Unknown { variable };
        let Some(named) = var(HOME_VARIABLE) else {
            return Ok(Home::at(Path::new(&var(variable).ok_or(unknown)?).join(folder)));
        };
        let path = match named.strip_prefix("~/") {
            Some(rest) => Path::new(&var("HOME").ok_or(unknown)?).join(rest),
            None if named == "~" => PathBuf::from(var("HOME").ok_or(unknown)?),
            None => PathBuf::from(named),
        };
        // A relative home would move with the working directory.
        std::path::absolute(&path)
            .map(Home::at)
            .map_err(|source| HomeError::BadPath { path, source })
    }

    /// The home in this folder.
    pub fn at(root: impl Into<PathBuf>) -> Home {
        Home { root: root.into() }
    }

    /// The home of a profile below this one.
    pub fn profile(&self, name: &str) -> Result<Home, HomeError> {
        let fits = name.len() <= MAX_PROFILE_NAME
            && name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        if fits {
            Ok(Home::at(self.profiles().join(name)))
        } else {
            Err(HomeError::BadProfileName { name: name.to_string() })
        }
    }

    /// The home that this one is a profile of, if it is one.
    pub fn of_default_profile(&self) -> Option<Home> {
        let profiles = self.root.parent().filter(|parent| parent.ends_with("profiles"))?;
        profiles.parent().map(Home::at)
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }
}

/// One accessor per name in the home: the list below is the layout.
macro_rules! names {
    ($($(#[$doc:meta])* $method:ident => $name:literal;)*) => {
        impl Home {
            $($(#[$doc])* pub fn $method(&self) -> PathBuf { self.root.join($name) })*
        }

        #[cfg(test)]
        fn all_names(home: &Home) -> Vec<PathBuf> {
            vec![$(home.$method()),*]
        }
    };
}

names! {
    /// Settings.
    config_file => "config.yaml";
    /// Secrets, as `NAME=value` lines.
    env_file => ".env";
    /// Tokens of signed-in accounts.
    auth_file => "auth.json";
    /// The assistant's identity, in the user's words.
    soul_file => "SOUL.md";
    /// Database of sessions and their messages.
    state_db => "state.db";
    /// JSON snapshots of sessions.
    sessions => "sessions";
    /// Memory files.
    memories => "memories";
    /// Changes that wait for a person's word.
    pending => "pending";
    /// Installed skills.
    skills => "skills";
    /// Installed plugins.
    plugins => "plugins";
    /// Hooks kept as files.
    hooks => "hooks";
    /// Scheduled jobs and their output.
    cron => "cron";
    /// Which shell hooks the user has agreed to.
    shell_hooks_allowlist => "shell-hooks-allowlist.json";
    /// Full text of hook outputs too long for the conversation.
    hook_outputs => "hook_outputs";
    /// Logins to MCP servers.
    mcp_tokens => "mcp-tokens";
    /// Log files.
    logs => "logs";
    /// What can be made again at any time.
    cache => "cache";
    /// Working folders of terminal backends.
    sandboxes => "sandboxes";
    /// Snapshots of files before they were edited.
    checkpoints => "checkpoints";
    /// Further homes.
    profiles => "profiles";
}

/// Creates a folder and the missing ones above it, for their owner alone.
///
/// Folders that exist keep the permissions they have.
pub fn ensure_private_dir(dir: &Path) -> Result<(), crate::atomic::AtomicError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(crate::atomic::AtomicError::when("create the folder", dir))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locate(vars: &[(&str, &str)]) -> Result<Home, HomeError> {
        Home::locate(|name| {
            vars.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string())
        })
    }

    #[cfg(not(windows))]
    #[test]
    fn the_variable_wins_over_the_user_folder() {
        let home = locate(&[("HERMES_HOME", "/srv/h"), ("HOME", "/home/ada")]).unwrap();
        assert_eq!(home.root(), Path::new("/srv/h"));
        let home = locate(&[("HERMES_HOME", "  "), ("HOME", "/home/ada")]).unwrap();
        assert_eq!(home.root(), Path::new("/home/ada/.hermes"));
        let home = locate(&[("HERMES_HOME", "~/h"), ("HOME", "/home/ada")]).unwrap();
        assert_eq!(home.root(), Path::new("/home/ada/h"));
        let home = locate(&[("HERMES_HOME", "~"), ("HOME", "/home/ada")]).unwrap();
        assert_eq!(home.root(), Path::new("/home/ada"));
    }

    #[test]
    fn a_relative_home_becomes_absolute() {
        let home = locate(&[("HERMES_HOME", "here")]).unwrap();
        assert!(home.root().is_absolute() && home.root().ends_with("here"));
    }

    #[test]
    fn without_any_folder_the_error_says_what_to_set() {
        let error = locate(&[]).unwrap_err();
        assert!(error.to_string().contains("set HERMES_HOME"), "{error}");
    }

    #[test]
    fn names_lie_inside_the_home_and_are_distinct() {
        let home = Home::at("/h");
        let mut names = all_names(&home);
        assert!(names.iter().all(|name| name.parent() == Some(home.root())));
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
        assert_eq!(home.config_file(), Path::new("/h/config.yaml"));
        assert_eq!(home.env_file(), Path::new("/h/.env"));
    }

    #[test]
    fn a_profile_is_a_home_below_and_cannot_escape() {
        let home = Home::at("/h");
        let work = home.profile("work-2").unwrap();
        assert_eq!(work.root(), Path::new("/h/profiles/work-2"));
        assert_eq!(
            (work.of_default_profile(), home.of_default_profile()),
            (Some(home.clone()), None)
        );
        for bad in ["", ".", "..", "../x", "a/b", "a b", "-p", "é", &"x".repeat(65)] {
            assert!(home.profile(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn asking_for_names_creates_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("h"));
        all_names(&home);
        home.profile("p").unwrap();
        assert!(!home.root().exists());
    }

    #[cfg(unix)]
    #[test]
    fn folders_are_created_for_their_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("h"));
        ensure_private_dir(&home.logs()).unwrap();
        ensure_private_dir(&home.logs()).unwrap();
        for dir in [home.root(), &home.logs()] {
            let mode = std::fs::metadata(dir).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{}", dir.display());
        }
    }
}

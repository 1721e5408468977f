//! Files that run later: what is written there is a command that nobody is asked about.
//!
//! A shell's start-up file, a unit, a hook of a repository or a program in `PATH` is run by somebody
//! else, at another time, with the user's rights. In the terminal such a change is judged and asked
//! about; the file tools, which nobody watches, leave it alone.
//!
//! What a command is asked about before it writes it, no file tool writes either: settings in which
//! editors, shells and tools name commands of their own are the same list for both
//! ([`writes_settings`]), in everybody's home.
//!
//! What is not here, on purpose: `.envrc`, because direnv runs none whose new content was not allowed
//! by hand; and a project's own programs, build and CI files, which are the work itself and run only
//! when a command that is judged runs them. The programs of its tools (`.venv/bin`, `node_modules/.bin`)
//! are not the work.

use std::path::{Component, Path, PathBuf};

use super::PathRules;
use super::folded::Folded;
use crate::command::writes_settings;

/// Start-up files of shells and sessions, directly in the user's home.
const HOME_FILES: &[&str] = &[
    ".profile",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".bashrc",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".mkshrc",
    ".shrc",
    ".shinit",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".logout",
    ".yashrc",
    ".yash_profile",
    ".xonshrc",
    ".inputrc",
    ".xprofile",
    ".xinitrc",
    ".xsession",
    ".xsessionrc",
    ".xserverrc",
    ".xclients",
    ".pam_environment",
    ".forward",
    ".procmailrc",
    ".gitconfig",
    ".crontab",
];

/// Folders below the user's home in which everything is run by somebody else.
const HOME_FOLDERS: &[&str] = &[
    ".bashrc.d",
    ".zshrc.d",
    ".profile.d",
    ".oh-my-zsh",
    ".config/bash",
    ".config/zsh",
    ".config/fish",
    ".config/nushell",
    ".config/elvish",
    ".elvish",
    ".config/xonsh",
    ".config/powershell",
    ".config/autostart",
    ".config/autostart-scripts",
    ".config/plasma-workspace",
    ".config/systemd",
    ".config/environment.d",
    ".config/upstart",
    ".config/cron",
    ".config/git",
    ".local/share/systemd",
    ".local/share/dbus-1",
    ".local/share/applications",
    ".local/bin",
    "bin",
    ".cargo/bin",
    "go/bin",
    "Library/LaunchAgents",
    "Library/LaunchDaemons",
    "Library/StartupItems",
];

/// The same on the whole machine, beside the folders of the system that are protected anyway.
const SYSTEM_FOLDERS: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/lib/systemd",
    "/usr/local/lib/systemd",
    "/run/systemd",
    "/var/spool/cron",
    "/var/spool/at",
    "/var/spool/atjobs",
    "/var/spool/anacron",
    "/var/at",
    "/usr/share/autostart",
    "/Library/LaunchAgents",
    "/Library/LaunchDaemons",
    "/System/Library",
];

/// What a repository keeps for people to write into; everything else in it is git's own.
const WRITABLE_IN_REPOSITORY: &[&str] = &[
    "info/exclude",
    "description",
    "commit_editmsg",
    "merge_msg",
    "squash_msg",
    "tag_editmsg",
    "notes_editmsg",
];

/// Why a path is one of these, if it is.
pub(super) fn runs_later(rules: &PathRules, path: &Path) -> Option<&'static str> {
    let folded = Folded::of(path);
    let others = home_by_place(path);
    let others = others.iter().filter(|other| rules.user_home.as_ref() != Some(*other));
    let own = rules.user_home.iter().map(|home| (home, true));
    for (home, is_own) in own.chain(others.map(|home| (home, false))) {
        if HOME_FILES.iter().any(|file| folded.is(&home.join(file))) {
            return Some("it is read whenever a shell or session starts, and what it says is run");
        }
        // What only looks like a home by its place may have programs of its own.
        let mut folders = HOME_FOLDERS.iter().filter(|folder| is_own || folder.starts_with('.'));
        if folders.any(|folder| folded.is_below(&home.join(folder))) {
            return Some("what lies there is run by itself or by name, without a question");
        }
        if is_python_startup(&folded, home) {
            return Some("every Python that starts runs it");
        }
        let written = path.strip_prefix(home).ok().into_iter();
        let both = written.chain(folded.path().strip_prefix(Folded::of(home).path()).ok());
        if both.filter_map(Path::to_str).any(writes_settings) {
            return Some("a program reads it when it starts, and may run what it says");
        }
    }
    if is_tools_program(path) {
        return Some("a tool has put it there to be run by its name");
    }
    if SYSTEM_FOLDERS.iter().any(|folder| folded.is_below(Path::new(folder))) {
        return Some("what lies there is run by the system or by name, without a question");
    }
    // The folder itself and what lies directly in it: those are the programs and the hooks.
    let is_among = |folders: &[PathBuf]| {
        folders.iter().any(|folder| folded.is(folder) || folded.is_in(folder))
    };
    if is_among(&rules.program_folders) {
        return Some("its folder is in PATH, so it would be run by its name");
    }
    if is_among(&rules.hook_folders) || in_repository(&folded) {
        return Some("git runs or obeys it; git itself changes it");
    }
    None
}

/// The home of anybody that a path is in, by its place.
fn home_by_place(path: &Path) -> Option<PathBuf> {
    if path.starts_with("/root") {
        return Some("/root".into());
    }
    let all = ["/home", "/Users"].into_iter().map(Path::new).find(|all| path.starts_with(all))?;
    let name = path.strip_prefix(all).ok()?.iter().next()?;
    Some(all.join(name))
}

/// A program in a folder that a tool puts into `PATH`.
fn is_tools_program(path: &Path) -> bool {
    let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    parts.windows(3).any(|three| {
        matches!(
            three,
            [".venv" | "venv" | ".virtualenv", "bin" | "Scripts", _] | ["node_modules", ".bin", _]
        )
    })
}

/// `.git` and what is in it, wherever it is; hooks and settings of what is named like a bare repository.
fn in_repository(path: &Folded) -> bool {
    let parts: Vec<&str> = path
        .path()
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    if let Some(at) = parts.iter().position(|part| *part == ".git") {
        let below = parts[at + 1..].join("/");
        return !WRITABLE_IN_REPOSITORY.contains(&below.as_str());
    }
    let bare = parts.windows(2).find(|pair| pair[0].ends_with(".git"));
    bare.is_some_and(|pair| matches!(pair[1], "hooks" | "config" | "config.worktree" | "modules"))
}

/// `usercustomize` and path files among the user's own modules.
fn is_python_startup(path: &Folded, home: &Path) -> bool {
    let Some(name) = path.path().file_name().and_then(|name| name.to_str()) else { return false };
    let starts = name.ends_with(".pth")
        || name.starts_with("usercustomize.")
        || name.starts_with("sitecustomize.");
    starts && path.is_below(&home.join(".local/lib"))
}

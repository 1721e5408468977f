//! The tables: names that are left alone, below which folder.

use std::path::{Path, PathBuf};

use super::PathRules;
use super::folded::Folded;

/// Folders of the system; what is below them is changed by an administrator, not by an agent.
const SYSTEM_FOLDERS: &[&str] =
    &["/etc", "/boot", "/usr/lib/systemd", "/private/etc", "/private/var"];

/// Doors to the container engine.
const ENGINE_SOCKETS: &[&str] = &["/var/run/docker.sock", "/run/docker.sock"];

/// Credential folders below the user's home.
const HOME_FOLDERS: &[&str] =
    &[".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".config/gh", ".config/gcloud"];

/// Credential files in the user's home.
const HOME_FILES: &[&str] = &[".netrc", ".pgpass", ".npmrc", ".pypirc", ".git-credentials"];

/// Files of the agent that hold keys.
const AGENT_FILES_NOT_READ: &[&str] = &[
    "auth.json",
    "auth.lock",
    ".anthropic_oauth.json",
    ".env",
    "webhook_subscriptions.json",
    "auth/google_oauth.json",
    "cache/bws_cache.json",
];
const AGENT_FOLDERS_NOT_READ: &[&str] = &["skills/.hub", "mcp-tokens"];

/// Files that hold a project's keys, wherever they are. Examples (`.env.example`) are fine.
const DOTENV_NAMES: &[&str] = &[
    ".env",
    ".env.local",
    ".env.development",
    ".env.production",
    ".env.test",
    ".env.staging",
    ".envrc",
];

/// Parts of a profile's home that its agent writes for itself.
const PROFILE_AREAS: &[&str] = &["skills", "plugins", "cron", "memories"];

fn is_below(path: &Path, folder: &Path) -> bool {
    Folded::of(path).is_below(folder)
}

fn is(path: &Path, file: &Path) -> bool {
    Folded::of(path).is(file)
}

/// System files: advice is the terminal, where a person is asked.
pub(super) fn sensitive(path: &Path) -> Option<&'static str> {
    if ENGINE_SOCKETS.iter().any(|socket| is(path, Path::new(socket))) {
        return Some("it is the door to the container engine");
    }
    SYSTEM_FOLDERS
        .iter()
        .any(|folder| is_below(path, Path::new(folder)))
        .then_some("it is part of the system; use the terminal with sudo if it must be changed")
}

/// Credentials.
pub(super) fn write_denied(rules: &PathRules, path: &Path) -> Option<&'static str> {
    let home = rules.user_home.as_ref()?;
    (HOME_FOLDERS.iter().any(|folder| is_below(path, &home.join(folder)))
        || HOME_FILES.iter().any(|file| is(path, &home.join(file))))
    .then_some("it holds credentials; change it by hand or in the terminal")
}

/// Files whose content must not reach a model.
pub(super) fn read_denied(rules: &PathRules, path: &Path) -> Option<&'static str> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if DOTENV_NAMES.iter().any(|dotenv| name.eq_ignore_ascii_case(dotenv)) {
        return Some("it holds secrets; ask the user for what you need from it");
    }
    homes_around(rules, path)
        .iter()
        .filter_map(|home| path.strip_prefix(home).ok())
        .any(|below| {
            AGENT_FILES_NOT_READ.iter().any(|file| below == Path::new(file))
                || AGENT_FOLDERS_NOT_READ.iter().any(|folder| below.starts_with(folder))
        })
        .then_some("it holds the agent's own credentials")
}

/// The agent's homes, and the home of another profile if the path is in one: its keys are nobody
/// else's business either.
pub(super) fn homes_around(rules: &PathRules, path: &Path) -> Vec<PathBuf> {
    let of_profile = rules.agent_homes.iter().filter_map(|home| {
        let profiles = home.join("profiles");
        let name = path.strip_prefix(&profiles).ok()?.iter().next()?;
        Some(profiles.join(name))
    });
    rules.agent_homes.iter().cloned().chain(of_profile).collect()
}

/// Whose state a path is, if not this agent's own.
pub(super) fn foreign_profile(rules: &PathRules, path: &Path) -> Option<String> {
    let own = rules.agent_homes.first()?;
    let root = rules.agent_homes.last()?;
    if let Some(copy) = sandbox_copy(path) {
        return Some(copy);
    }
    let area = |home: &Path| PROFILE_AREAS.iter().any(|area| is_below(path, &home.join(area)));
    if area(own) {
        return None;
    }
    if area(root) {
        return Some("profile `default`".to_owned());
    }
    let below = path.strip_prefix(root.join("profiles")).ok()?;
    let name = below.iter().next()?;
    let home = root.join("profiles").join(name);
    (home != *own && area(&home)).then(|| format!("profile `{}`", name.to_string_lossy()))
}

/// The mirror of an agent home inside a terminal sandbox.
fn sandbox_copy(path: &Path) -> Option<String> {
    let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    let at = parts.iter().position(|part| *part == "sandboxes")?;
    match parts.get(at + 3..)? {
        ["home", ".hermes", ..] => Some("a sandbox's copy of the agent's home".to_owned()),
        _ => None,
    }
}

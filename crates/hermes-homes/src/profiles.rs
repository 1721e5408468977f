//! Profiles: further homes, each complete in itself.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, bail, ensure};
use hermes_guard::redact::{RedactMode, Redactor};
use hermes_host::{ACTIVE_PROFILE_FILE, active_profile};
use hermes_store::UnknownName;
use hermes_store::atomic::{self, ExistingMode, WriteOptions};
use hermes_store::home::Home;
use serde::Serialize;

use crate::backup::{SideFiles, copy_database};
use crate::contents::{CopyFor, files};
use crate::packing::{PackedEntry, copy_file, pack_tar, unpack_tar, write_file};
use crate::staging::{Staging, make_folder};

/// Names that mean something else already.
const RESERVED: &[&str] = &["hermes", "default", "test", "tmp", "root", "sudo"];
/// What every home has.
const FOLDERS: &[&str] =
    &["memories", "sessions", "skills", "skins", "logs", "plans", "workspace", "cron", "home"];
/// How long a deleted profile can be got back.
const TRASH_DAYS: u64 = 30;
/// Stands in commands that we made.
const ALIAS_MARK: &str = "# made by hermes profile";

/// A name that cannot be one.
#[derive(Debug, thiserror::Error)]
#[error("{name:?} cannot be the name of a profile: {why}")]
pub struct ProfileError {
    /// As it was written.
    pub name: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// A profile in the list.
#[derive(Debug, Serialize)]
pub(crate) struct ListedProfile {
    pub(crate) name: String,
    pub(crate) home: PathBuf,
    pub(crate) is_active: bool,
    pub(crate) description: Option<String>,
    pub(crate) gateway_pid: Option<u32>,
}

/// What a new profile begins with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beginning {
    /// The profile it is made after.
    pub(crate) from: Option<String>,
    /// Everything of it but its history.
    pub(crate) everything: bool,
    pub(crate) with_memory: bool,
    pub(crate) without_skills: bool,
    pub(crate) description: Option<String>,
}

/// All profiles of a user.
pub(crate) struct Profiles {
    root: Home,
    /// The one that is worked in.
    current: String,
}

impl Profiles {
    /// Those that this home belongs to.
    pub(crate) fn around(home: &Home) -> Self {
        let name = home.root().file_name().and_then(|name| name.to_str());
        match (home.of_default_profile(), name) {
            (Some(root), Some(name)) => Self { root, current: name.to_owned() },
            _ => Self { root: home.clone(), current: "default".to_owned() },
        }
    }

    /// The profile that is worked in: the one that was named, else the one that is in use.
    pub(crate) fn current(&self) -> &str {
        &self.current
    }

    /// The name as it is kept.
    pub(crate) fn name(text: &str) -> Result<String, ProfileError> {
        let name = text.trim().to_lowercase();
        let refused = |why| Err(ProfileError { name: text.to_owned(), why });
        let fits = name.len() <= 64
            && name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
            && name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c));
        if !fits {
            return refused(
                "use 1 to 64 letters, digits, `-` and `_`, and begin with a letter or digit",
            );
        }
        if RESERVED.contains(&name.as_str()) {
            return refused("this word has a meaning of its own");
        }
        Ok(name)
    }

    /// The home of a profile; `default` is the root.
    pub(crate) fn home(&self, name: &str) -> anyhow::Result<PathBuf> {
        if name.trim() == "default" {
            return Ok(self.root.root().to_owned());
        }
        let home = self.place(&Self::name(name)?);
        if !home.is_dir() {
            let text = format!("there is no profile `{name}`; `hermes profile list` shows them");
            return Err(UnknownName(text).into());
        }
        Ok(home)
    }

    fn place(&self, name: &str) -> PathBuf {
        self.root.profiles().join(name)
    }

    /// The profile that is in use where nothing else is said.
    pub(crate) fn active(&self) -> String {
        active_profile(&self.root).unwrap_or_else(|| "default".to_owned())
    }

    pub(crate) fn list(&self) -> Vec<ListedProfile> {
        let active = self.active();
        let mut names = vec!["default".to_owned()];
        let found = fs::read_dir(self.root.profiles()).into_iter().flatten().flatten();
        let mut further: Vec<String> = found
            .filter(|entry| entry.path().is_dir())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| Self::name(name).is_ok_and(|plain| plain == *name))
            .collect();
        further.sort();
        names.extend(further);
        let shown = |name: String| {
            let home =
                if name == "default" { self.root.root().to_owned() } else { self.place(&name) };
            ListedProfile {
                is_active: name == active,
                description: fs::read_to_string(home.join("description.txt"))
                    .ok()
                    .map(|text| text.trim().to_owned()),
                gateway_pid: hermes_gateway::running(&home),
                name,
                home,
            }
        };
        names.into_iter().map(shown).collect()
    }

    /// Chooses the profile for commands that name none.
    pub(crate) fn use_profile(&self, name: &str) -> anyhow::Result<String> {
        self.home(name)?;
        let file = self.root.root().join(ACTIVE_PROFILE_FILE);
        let name = name.trim().to_lowercase();
        if name == "default" {
            match fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error.into());
                }
                _ => return Ok(name),
            }
        }
        let options = WriteOptions { mode: 0o600, existing: ExistingMode::Replace };
        atomic::write(&file, format!("{name}\n").as_bytes(), options)?;
        Ok(name)
    }

    /// Makes a profile; what a person should know about it.
    pub(crate) fn create(
        &self,
        name: &str,
        begin: &Beginning,
    ) -> anyhow::Result<(PathBuf, Vec<String>)> {
        let name = Self::name(name)?;
        let place = self.place(&name);
        ensure!(!place.exists(), "there is a profile `{name}` already, in {}", place.display());
        let staging = Staging::beside(&place)?;
        for folder in FOLDERS {
            make_folder(&staging.path().join(folder))?;
        }
        let mut notes = Vec::new();
        if let Some(from) = &begin.from {
            let source = self.home(from)?;
            let (found, links) = files(&source, CopyFor::Clone)?;
            for file in found {
                if begin.takes(&file.relative) {
                    let (old, new) = (source.join(&file.relative), &file.relative);
                    copy_file(&old, &staging.path().join(new))
                        .with_context(|| format!("copy {}", old.display()))?;
                }
            }
            notes.extend(
                links.iter().map(|link| format!("the link {} was left out", link.display())),
            );
        }
        if let Some(text) = &begin.description {
            let file = staging.path().join("description.txt");
            write_file(&file, &mut text.as_bytes(), u64::MAX, 0o600)?;
        }
        staging.place(&place)?;
        Ok((place, notes))
    }

    /// Gives a profile another name.
    pub(crate) fn rename(&self, from: &str, to: &str) -> anyhow::Result<String> {
        let (old, new) = (Self::name(from)?, Self::name(to)?);
        let home = self.home(&old)?;
        require_idle(&home, &old)?;
        let place = self.place(&new);
        ensure!(!place.exists(), "there is a profile `{new}` already");
        fs::rename(&home, &place).with_context(|| format!("rename {}", home.display()))?;
        if self.active() == old {
            self.use_profile(&new)?;
        }
        Ok(new)
    }

    /// Puts a profile into the trash, where it stays for a month; its place there.
    pub(crate) fn delete(&self, name: &str) -> anyhow::Result<PathBuf> {
        let name = Self::name(name)?;
        let home = self.home(&name)?;
        require_idle(&home, &name)?;
        let trash = self.root.root().join("trash");
        make_folder(&trash)?;
        empty(&trash);
        let stamp = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S").to_string();
        let place = trash.join(format!("{name}-{stamp}"));
        fs::rename(&home, &place).with_context(|| format!("move {} away", home.display()))?;
        // Its month begins now, whenever it was last used.
        let _ = fs::File::open(&place).and_then(|folder| folder.set_modified(SystemTime::now()));
        if self.active() == name {
            self.use_profile("default")?;
        }
        Ok(place)
    }

    /// Packs a profile for another machine, or for keeping; what a person should know.
    pub(crate) fn export(
        &self,
        name: &str,
        to: &Path,
        purpose: CopyFor,
        redactor: Redactor,
    ) -> anyhow::Result<Vec<String>> {
        let home = self.home(name)?;
        let (found, links) = files(&home, purpose)?;
        let databases = Staging::beside(&home.join("databases"))?;
        let mut notes: Vec<String> =
            links.iter().map(|link| format!("the link {} was left out", link.display())).collect();
        let mut packed = Vec::new();
        for (number, file) in found.into_iter().enumerate() {
            let mut source = home.join(&file.relative);
            if file.is_database {
                let copy = databases.path().join(format!("{number}.db"));
                copy_database(&source, &copy, SideFiles::MayAppear)?;
                source = copy;
            }
            if file.relative == Path::new("config.yaml") {
                let text = String::from_utf8_lossy(&fs::read(&source)?).into_owned();
                let masked = redactor.redact(&text, RedactMode::FileRead);
                if masked != text {
                    notes.push("config.yaml holds keys; they are masked in the copy".to_owned());
                    source = databases.path().join("config.yaml");
                    write_file(&source, &mut masked.as_bytes(), u64::MAX, 0o600)?;
                }
            }
            packed.push(PackedEntry { name: file.relative, source });
        }
        pack_tar(to, &packed)?;
        Ok(notes)
    }

    /// Makes a profile of what was packed.
    pub(crate) fn import(&self, file: &Path, name: &str) -> anyhow::Result<(PathBuf, usize)> {
        let place = self.place(&Self::name(name)?);
        ensure!(!place.exists(), "there is a profile `{name}` already; --name gives another name");
        let staging = Staging::beside(&place)?;
        let count = unpack_tar(file, staging.path())?;
        ensure!(count > 0, "the archive is empty");
        for folder in FOLDERS {
            make_folder(&staging.path().join(folder))?;
        }
        staging.place(&place)?;
        Ok((place, count))
    }

    /// A command of the profile's name; where it is, unless something else is there.
    pub(crate) fn alias(name: &str, user: &Path, taken: &[String]) -> anyhow::Result<PathBuf> {
        if taken.iter().any(|command| command == name) {
            bail!("`{name}` is a command of hermes; `hermes -p {name}` uses the profile");
        }
        let file = user.join(".local/bin").join(name);
        if file.exists() && !is_own_alias(&file) {
            bail!("{} is somebody else's; `hermes -p {name}` uses the profile", file.display());
        }
        let text = format!("#!/bin/sh\n{ALIAS_MARK}\nexec hermes -p {name} \"$@\"\n");
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut options = fs::OpenOptions::new();
        options
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o755)
            .open(&file)?
            .write_all(text.as_bytes())?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
        Ok(file)
    }

    /// The commands of profiles that we made.
    pub(crate) fn aliases(&self, user: &Path) -> Vec<PathBuf> {
        let names = self.list().into_iter().map(|profile| profile.name);
        let files = names.map(|name| user.join(".local/bin").join(name));
        files.filter(|file| is_own_alias(file)).collect()
    }

    /// Takes the command of a profile away, if we made it.
    pub(crate) fn remove_alias(name: &str, user: &Path) {
        let file = user.join(".local/bin").join(name);
        if is_own_alias(&file) {
            let _ = fs::remove_file(file);
        }
    }
}

impl Beginning {
    fn takes(&self, relative: &Path) -> bool {
        let top = relative.components().next().map(|part| part.as_os_str().to_owned());
        let top = top.as_deref().and_then(|name| name.to_str()).unwrap_or_default();
        match top {
            "memories" => self.with_memory,
            "skills" => !self.without_skills,
            "config.yaml" | ".env" | "SOUL.md" => true,
            _ => self.everything,
        }
    }
}

fn is_own_alias(file: &Path) -> bool {
    fs::read_to_string(file).is_ok_and(|text| text.contains(ALIAS_MARK))
}

fn require_idle(home: &Path, name: &str) -> anyhow::Result<()> {
    match hermes_gateway::running(home) {
        Some(pid) => bail!(
            "the gateway of `{name}` runs (process {pid}); `hermes -p {name} gateway stop` ends it"
        ),
        None => Ok(()),
    }
}

/// Deletes what has been in the trash for a month.
fn empty(trash: &Path) {
    for entry in fs::read_dir(trash).into_iter().flatten().flatten() {
        let age = entry
            .metadata()
            .and_then(|about| about.modified())
            .ok()
            .and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > Duration::from_secs(TRASH_DAYS * 24 * 3_600)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_not_taken() {
        assert_eq!(Profiles::name(" Work_1 ").unwrap(), "work_1");
        for bad in ["", "-a", "a b", "ä", "default", "sudo", "../x", &"a".repeat(65)] {
            assert!(Profiles::name(bad).is_err(), "{bad}");
        }
    }
}

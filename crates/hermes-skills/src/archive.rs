//! Skills that were put away: moved, never deleted, and brought back on demand.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hermes_store::UnknownName;
use hermes_store::home::ensure_private_dir;

use crate::layout::SkillsHome;
use crate::name;
use crate::usage::{self, UsageState};

/// Moves a skill's folder into the archive; gives where it is now. A name that is taken gets the time of day.
///
/// # Errors
/// When the folder cannot be moved.
pub fn put_away(home: &SkillsHome, folder: &Path, name: &str) -> io::Result<PathBuf> {
    let archive = home.archive();
    ensure_private_dir(&archive).map_err(|problem| problem.source)?;
    let own = folder
        .file_name()
        .map_or_else(|| name.to_owned(), |own| own.to_string_lossy().into_owned());
    let mut target = archive.join(&own);
    if fs::symlink_metadata(&target).is_ok() {
        let now = jiff::Timestamp::now().strftime("%Y%m%d%H%M%S");
        target = archive.join(format!("{own}-{now}"));
        let mut number = 2;
        while fs::symlink_metadata(&target).is_ok() {
            target = archive.join(format!("{own}-{now}-{number}"));
            number += 1;
        }
    }
    fs::rename(folder, &target)?;
    usage::update(home, |records| {
        let record = records.entry(name.to_owned()).or_default();
        record.state = UsageState::Archived;
        record.archived_at = Some(usage::now());
    });
    Ok(target)
}

/// The names in the archive, sorted.
#[must_use]
pub fn list(home: &SkillsHome) -> Vec<String> {
    let entries = fs::read_dir(home.archive()).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

/// Brings a skill back, directly below the skills; gives where it is now.
///
/// # Errors
/// When there is none, its place is taken, or it cannot be moved.
pub fn restore(home: &SkillsHome, archived: &str) -> io::Result<PathBuf> {
    let other = |text: String| io::Error::other(text);
    if name::check(archived).is_err() {
        return Err(UnknownName::io(format!("`{archived}` names no archived skill")));
    }
    let from = home.archive().join(archived);
    if !fs::symlink_metadata(&from).is_ok_and(|metadata| metadata.is_dir()) {
        let known = list(home);
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(UnknownName::io(format!(
            "there is no archived skill `{archived}`; archived are: {known}"
        )));
    }
    let name = without_time(archived);
    let target = home.root().join(name);
    if fs::symlink_metadata(&target).is_ok() {
        return Err(other(format!("{} is there already; move it away first", target.display())));
    }
    fs::rename(&from, &target)?;
    usage::update(home, |records| {
        let record = records.entry(name.to_owned()).or_default();
        record.state = UsageState::Active;
        record.archived_at = None;
        record.last_used_at = Some(usage::now());
    });
    Ok(target)
}

/// The name without the time that a clash added.
fn without_time(archived: &str) -> &str {
    match archived.rsplit_once('-') {
        Some((name, time))
            if time.len() == 14 && time.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            name
        }
        _ => archived,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::SkillBench;

    #[test]
    fn a_name_that_is_taken_gets_the_time_and_comes_back_without_it() {
        let bench = SkillBench::new();
        let home = bench.library.home();
        for text in ["first", "second"] {
            bench.skill("cat/a", "a", text);
            put_away(home, &bench.path("cat/a"), "a").unwrap();
        }
        let names = list(home);
        assert_eq!(names.len(), 2);
        assert_eq!(names[0], "a");
        assert_eq!(names[1].len(), "a-".len() + 14, "{names:?}");
        assert_eq!(usage::read(home)["a"].state, UsageState::Archived);
        restore(home, &names[1]).unwrap();
        assert!(bench.read("a/SKILL.md").contains("second"));
        assert_eq!(usage::read(home)["a"].state, UsageState::Active);
        assert!(restore(home, "a").unwrap_err().to_string().contains("is there already"));
        assert!(restore(home, "../a").is_err() && restore(home, "none").is_err());
    }
}

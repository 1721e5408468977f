//! The user's list of blocked sites, read from the settings and from files.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hermes_guard::url::sites::{Blocked, Blocklist};

use crate::settings::BlocklistSettings;

/// How long the files' content counts before they are read again.
const KEPT: Duration = Duration::from_secs(30);
/// The source named for a rule of the settings.
const IN_SETTINGS: &str = "security.website_blocklist.domains";
/// Longest file that is read; a list of a million hosts has half of that.
const LONGEST_FILE: u64 = 32 << 20;

/// Which sites the user does not want visited. A list that cannot be read blocks nothing and says so in the log.
#[derive(Debug, Default)]
pub struct SitePolicy {
    domains: Vec<String>,
    files: Vec<PathBuf>,
    list: Mutex<Option<(Instant, Arc<Blocklist>)>>,
}

impl SitePolicy {
    /// The policy of the settings; relative files are below `home`. A list that is switched off is empty.
    #[must_use]
    pub fn new(settings: &BlocklistSettings, home: &Path) -> Self {
        if !settings.enabled {
            return Self::default();
        }
        let files = settings.shared_files.iter().map(|file| home.join(file)).collect();
        Self { domains: settings.domains.clone(), files, list: Mutex::default() }
    }

    /// The rule that blocks a host, if one does. Reads files at most every 30 s.
    #[must_use]
    pub fn verdict(&self, host: &str) -> Option<Blocked> {
        if self.domains.is_empty() && self.files.is_empty() {
            return None;
        }
        self.list().verdict(host)
    }

    fn list(&self) -> Arc<Blocklist> {
        let mut kept = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((read, list)) = kept.as_ref()
            && read.elapsed() < KEPT
        {
            return Arc::clone(list);
        }
        let list = Arc::new(self.read());
        *kept = Some((Instant::now(), Arc::clone(&list)));
        list
    }

    fn read(&self) -> Blocklist {
        let mut list = Blocklist::default();
        list.add(&self.domains.join("\n"), IN_SETTINGS);
        for file in &self.files {
            match read_file(file) {
                Ok(lines) => list.add(&lines, &file.display().to_string()),
                Err(error) => {
                    tracing::warn!(file = %file.display(), %error, "a list of blocked sites is not used");
                }
            }
        }
        list
    }
}

fn read_file(file: &Path) -> std::io::Result<String> {
    if std::fs::metadata(file)?.len() > LONGEST_FILE {
        return Err(std::io::Error::other("the file is longer than 32 MiB"));
    }
    Ok(String::from_utf8_lossy(&std::fs::read(file)?).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(enabled: bool, files: &[&str]) -> BlocklistSettings {
        BlocklistSettings {
            enabled,
            domains: vec!["blocked.example".to_owned()],
            shared_files: files.iter().map(|file| (*file).to_owned()).collect(),
        }
    }

    #[test]
    fn rules_come_from_the_settings_and_from_files_below_the_home() {
        let home = tempfile::tempdir().unwrap();
        #[expect(clippy::disallowed_methods, reason = "a file of the test's own")]
        std::fs::write(home.path().join("more.txt"), "# why\n*.shared.example\n").unwrap();
        let policy = SitePolicy::new(&settings(true, &["more.txt", "absent.txt"]), home.path());
        assert_eq!(policy.verdict("a.blocked.example").unwrap().source, IN_SETTINGS);
        let shared = policy.verdict("a.shared.example").unwrap();
        assert_eq!(shared.rule, "*.shared.example");
        assert!(shared.source.ends_with("more.txt"), "{}", shared.source);
        assert!(policy.verdict("shared.example").is_none());
        assert!(policy.verdict("open.example").is_none());
    }

    #[test]
    fn a_list_that_is_switched_off_blocks_nothing() {
        let policy = SitePolicy::new(&settings(false, &[]), Path::new("/nowhere"));
        assert!(policy.verdict("blocked.example").is_none());
    }
}

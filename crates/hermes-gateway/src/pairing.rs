//! Pairing: a stranger gets a code, the owner approves it, and from then on they may talk.
//!
//! Codes are kept as salted hashes, in files the Python program reads as well. A stranger gets at most one code in ten
//! minutes; of too many that wait the oldest is dropped, so that nobody can keep others out. Five wrong codes within an hour
//! lock a platform for an hour.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hermes_store::atomic::{self, WriteOptions};
use hermes_store::clock::now;
use ring::rand::SecureRandom as _;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const CODE_LENGTH: usize = 8;
const CODE_LIFE: f64 = 3_600.0;
const ONE_IN: f64 = 600.0;
const MAX_PENDING: usize = 100;
const MAX_FAILURES: usize = 5;
const LOCK: f64 = 3_600.0;

/// The pairing files of a home.
#[derive(Clone, Debug)]
pub struct Pairing {
    folder: PathBuf,
    older: PathBuf,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct PendingCode {
    hash: String,
    salt: String,
    user_id: String,
    #[serde(default)]
    user_name: Option<String>,
    created_at: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct ApprovedUser {
    #[serde(default)]
    user_name: Option<String>,
    approved_at: f64,
}

/// Somebody who waits or is approved, for lists.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairedPerson {
    /// Where.
    pub platform: String,
    /// Their id on the platform.
    pub user_id: String,
    /// What people call them.
    pub user_name: Option<String>,
    /// Since when.
    pub since: f64,
    /// Whether they may talk.
    pub is_approved: bool,
}

/// Why a code was not approved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PairingError {
    /// No code like this waits.
    #[error("no such code waits; it may have expired (codes live for an hour)")]
    Unknown,
    /// Too many wrong ones.
    #[error("too many wrong codes: pairing is locked for this platform for an hour")]
    Locked,
    /// The files cannot be used.
    #[error("{0}")]
    Files(String),
}

impl Pairing {
    /// The files below this home.
    #[must_use]
    pub fn at(home: &Path) -> Self {
        Self { folder: home.join("pairing"), older: home.join("platforms").join("pairing") }
    }

    fn read<T: for<'a> Deserialize<'a>>(&self, name: &str) -> BTreeMap<String, T> {
        let mut all = BTreeMap::new();
        for folder in [&self.older, &self.folder] {
            let text = std::fs::read(folder.join(name)).unwrap_or_default();
            let entries: BTreeMap<String, Value> =
                serde_json::from_slice(&text).unwrap_or_default();
            for (key, entry) in entries {
                if let Ok(entry) = serde_json::from_value(entry) {
                    all.insert(key, entry);
                }
            }
        }
        all
    }

    fn write(&self, name: &str, value: &impl Serialize) -> Result<(), PairingError> {
        let problem = |error: &dyn std::fmt::Display| PairingError::Files(error.to_string());
        hermes_store::home::ensure_private_dir(&self.folder).map_err(|error| problem(&error))?;
        let text = serde_json::to_vec_pretty(value).map_err(|error| problem(&error))?;
        let options = WriteOptions { mode: 0o600, existing: atomic::ExistingMode::Replace };
        atomic::write(&self.folder.join(name), &text, options).map_err(|error| problem(&error))
    }

    /// Whether somebody may talk.
    #[must_use]
    pub fn is_approved(&self, platform: &str, user: &str) -> bool {
        self.read::<ApprovedUser>(&format!("{platform}-approved.json")).contains_key(user)
    }

    /// Whether somebody was revoked since the lists of people were read.
    pub(crate) fn is_revoked(&self, platform: &str, user: &str) -> bool {
        self.read::<f64>(&format!("{platform}-revoked.json"))
            .keys()
            .any(|known| is_same_id(known, user))
    }

    /// The lists of people are read anew, and say who may talk.
    pub(crate) fn forget_revoked(&self, platform: &str) {
        let file = self.folder.join(format!("{platform}-revoked.json"));
        if let Err(error) = std::fs::remove_file(&file)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!(%error, "{} stays", file.display());
        }
    }

    /// Who was approved first.
    pub(crate) fn first_approved(&self, platform: &str) -> Option<String> {
        let approved = self.read::<ApprovedUser>(&format!("{platform}-approved.json"));
        let first = approved.into_iter().min_by(|a, b| a.1.approved_at.total_cmp(&b.1.approved_at));
        first.map(|(user, _)| user)
    }

    /// A code for a stranger; none if they had one a moment ago.
    ///
    /// # Errors
    /// If it cannot be stored.
    pub fn offer(
        &self,
        platform: &str,
        user: &str,
        name: Option<&str>,
    ) -> Result<Option<String>, PairingError> {
        let file = format!("{platform}-pending.json");
        let mut pending: BTreeMap<String, PendingCode> = self.read(&file);
        let moment = now();
        pending.retain(|_, code| moment - code.created_at < CODE_LIFE);
        let recent =
            pending.values().any(|code| code.user_id == user && moment - code.created_at < ONE_IN);
        if recent {
            return Ok(None);
        }
        pending.retain(|_, code| code.user_id != user);
        while pending.len() >= MAX_PENDING {
            let oldest = pending.iter().min_by(|a, b| a.1.created_at.total_cmp(&b.1.created_at));
            let Some(oldest) = oldest.map(|(id, _)| id.clone()) else { break };
            pending.remove(&oldest);
        }
        let code: String = random::<CODE_LENGTH>()?
            .iter()
            .filter_map(|byte| {
                ALPHABET.get(usize::from(byte % 32)).map(|letter| char::from(*letter))
            })
            .collect();
        let salt = hex(&random::<16>()?);
        let entry = PendingCode {
            hash: hash(&salt, &code),
            salt,
            user_id: user.to_owned(),
            user_name: name.map(str::to_owned),
            created_at: moment,
        };
        pending.insert(hex(&random::<8>()?), entry);
        self.write(&file, &pending)?;
        Ok(Some(code))
    }

    /// Lets whoever has this code talk; gives who they are.
    ///
    /// # Errors
    /// If no such code waits, or too many wrong ones were tried.
    pub fn approve(&self, platform: &str, code: &str) -> Result<PairedPerson, PairingError> {
        let limits = "_rate_limits.json";
        let mut failures: BTreeMap<String, Vec<f64>> = self.read(limits);
        let moment = now();
        let own = failures.entry(platform.to_owned()).or_default();
        own.retain(|at| moment - at < LOCK);
        if own.len() >= MAX_FAILURES {
            return Err(PairingError::Locked);
        }
        let file = format!("{platform}-pending.json");
        let mut pending: BTreeMap<String, PendingCode> = self.read(&file);
        pending.retain(|_, entry| moment - entry.created_at < CODE_LIFE);
        let code = code.trim().to_uppercase();
        let is_it = |entry: &PendingCode| {
            crate::adapter::same_secret(&entry.hash, &hash(&entry.salt, &code))
        };
        let found = pending.iter().find(|(_, entry)| is_it(entry)).map(|(id, _)| id.clone());
        let Some(entry) = found.and_then(|id| pending.remove(&id)) else {
            own.push(moment);
            self.write(limits, &failures)?;
            return Err(PairingError::Unknown);
        };
        let approved = format!("{platform}-approved.json");
        let mut people: BTreeMap<String, ApprovedUser> = self.read(&approved);
        let person = ApprovedUser { user_name: entry.user_name.clone(), approved_at: moment };
        people.insert(entry.user_id.clone(), person);
        self.write(&approved, &people)?;
        self.write(&file, &pending)?;
        let file_of_revoked = format!("{platform}-revoked.json");
        let mut revoked: BTreeMap<String, f64> = self.read(&file_of_revoked);
        revoked.retain(|known, _| !is_same_id(known, &entry.user_id));
        self.write(&file_of_revoked, &revoked)?;
        Ok(PairedPerson {
            platform: platform.to_owned(),
            user_id: entry.user_id,
            user_name: entry.user_name,
            since: moment,
            is_approved: true,
        })
    }

    /// Somebody may no longer talk; whether they could.
    ///
    /// # Errors
    /// If it cannot be stored.
    pub fn revoke(&self, platform: &str, user: &str) -> Result<bool, PairingError> {
        let file = format!("{platform}-approved.json");
        let mut people: BTreeMap<String, ApprovedUser> = self.read(&file);
        let had = people.remove(user).is_some();
        self.write(&file, &people)?;
        let file_of_revoked = format!("{platform}-revoked.json");
        let mut revoked: BTreeMap<String, f64> = self.read(&file_of_revoked);
        revoked.insert(user.to_owned(), now());
        self.write(&file_of_revoked, &revoked)?;
        // What an older version wrote must not bring them back.
        let older = self.older.join(&file);
        if older.exists()
            && let Err(error) = std::fs::remove_file(&older)
        {
            return Err(PairingError::Files(error.to_string()));
        }
        Ok(had)
    }

    /// Forgets the codes that wait.
    ///
    /// # Errors
    /// If it cannot be stored.
    pub fn clear_pending(&self, platform: &str) -> Result<(), PairingError> {
        self.write(&format!("{platform}-pending.json"), &json!({}))
    }

    /// Everybody who waits or may talk on these platforms.
    #[must_use]
    pub fn list(&self, platforms: &[&str]) -> Vec<PairedPerson> {
        let mut all = Vec::new();
        for platform in platforms {
            let approved: BTreeMap<String, ApprovedUser> =
                self.read(&format!("{platform}-approved.json"));
            let person = |user_id: String, user_name, since, is_approved| PairedPerson {
                platform: (*platform).to_owned(),
                user_id,
                user_name,
                since,
                is_approved,
            };
            all.extend(
                approved
                    .into_iter()
                    .map(|(id, one)| person(id, one.user_name, one.approved_at, true)),
            );
            let pending: BTreeMap<String, PendingCode> =
                self.read(&format!("{platform}-pending.json"));
            let waiting = pending.into_values().filter(|one| now() - one.created_at < CODE_LIFE);
            all.extend(
                waiting.map(|one| person(one.user_id, one.user_name, one.created_at, false)),
            );
        }
        all
    }
}

fn random<const N: usize>() -> Result<[u8; N], PairingError> {
    let mut bytes = [0; N];
    ring::rand::SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| PairingError::Files("the system gives no random numbers".to_owned()))?;
    Ok(bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn hash(salt: &str, code: &str) -> String {
    let mut context = ring::digest::Context::new(&ring::digest::SHA256);
    let bytes: Vec<u8> = (0..salt.len() / 2)
        .filter_map(|at| u8::from_str_radix(salt.get(at * 2..at * 2 + 2)?, 16).ok())
        .collect();
    context.update(&bytes);
    context.update(code.as_bytes());
    hex(context.finish().as_ref())
}

/// Whole ids only: mail without case, telephone numbers with or without a plus.
pub(crate) fn is_same_id(listed: &str, id: &str) -> bool {
    let (listed, id) = (listed.trim(), id.trim());
    if listed.contains('@') && id.contains('@') {
        return listed.eq_ignore_ascii_case(id);
    }
    let bare = |text: &str| text.strip_prefix('+').map(str::to_owned);
    listed == id || bare(listed).as_deref() == Some(id) || bare(id).as_deref() == Some(listed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_shown_once_kept_hashed_and_approved_in_any_case() {
        let folder = tempfile::tempdir().unwrap();
        let pairing = Pairing::at(folder.path());
        let code = pairing.offer("telegram", "9", Some("Ann")).unwrap().unwrap();
        assert_eq!(code.len(), 8);
        assert_eq!(pairing.offer("telegram", "9", None).unwrap(), None);
        let kept = std::fs::read_to_string(folder.path().join("pairing/telegram-pending.json"));
        assert!(!kept.unwrap().contains(&code));
        assert!(!pairing.is_approved("telegram", "9"));
        let person = pairing.approve("telegram", &format!(" {} ", code.to_lowercase())).unwrap();
        assert_eq!(person.user_id, "9");
        assert!(pairing.is_approved("telegram", "9"));
        assert_eq!(pairing.first_approved("telegram").as_deref(), Some("9"));
        assert!(pairing.revoke("telegram", "9").unwrap());
        assert!(!pairing.is_approved("telegram", "9"));
    }

    #[test]
    fn five_wrong_codes_lock_and_many_strangers_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let pairing = Pairing::at(folder.path());
        for stranger in 0..MAX_PENDING + 3 {
            assert!(pairing.offer("telegram", &stranger.to_string(), None).unwrap().is_some());
        }
        let code = pairing.offer("telegram", "me", None).unwrap().unwrap();
        for _ in 0..MAX_FAILURES {
            assert_eq!(pairing.approve("telegram", "WRONG234"), Err(PairingError::Unknown));
        }
        assert_eq!(pairing.approve("telegram", &code), Err(PairingError::Locked));
        assert!(pairing.offer("discord", "me", None).unwrap().is_some());
    }
}

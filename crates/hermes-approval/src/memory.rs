//! What people have said yes to: for a session, or for good.
//!
//! A yes is remembered by the key of what it was about, a category as a rule. Those for good are
//! mirrored in `command_allowlist` of config.yaml, where people can see and remove them. Old names
//! of categories are understood.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes_guard::command::{EarlierCommands, category_for};
use hermes_store::config_edit::{self, Edit, EditError};
use hermes_store::key_path::KeyPath;
use serde_json::Value;

use crate::concern::Concern;

/// The setting that holds what is allowed for good.
pub const ALLOWLIST_KEY: &str = "command_allowlist";

/// Whether a session runs without questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SessionYolo {
    /// It does.
    On,
    /// It does not.
    #[default]
    Off,
}

#[derive(Debug, Default)]
struct Session {
    allowed: BTreeSet<String>,
    yolo: SessionYolo,
    sudo_password: Option<Hidden>,
    /// What its commands have left, by their texts.
    earlier: Arc<EarlierCommands>,
}

/// A text that is not shown.
struct Hidden(String);

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// What was said yes to.
#[derive(Debug)]
pub(crate) struct GrantMemory {
    sessions: Mutex<HashMap<String, Session>>,
    permanent: Mutex<BTreeSet<String>>,
    config_file: Option<PathBuf>,
}

/// A key by its present name.
pub(crate) fn canonical(key: &str) -> &str {
    category_for(key).unwrap_or(key)
}

impl GrantMemory {
    pub(crate) fn new<'a>(
        allowlist: impl Iterator<Item = &'a String>,
        config_file: Option<PathBuf>,
    ) -> Self {
        let permanent = allowlist.map(|key| canonical(key).to_owned()).collect();
        Self { sessions: Mutex::default(), permanent: Mutex::new(permanent), config_file }
    }

    /// The concerns nobody has said yes to.
    pub(crate) fn still_open(&self, session: &str, concerns: Vec<Concern>) -> Vec<Concern> {
        let concerns = self.not_permanent(concerns);
        let sessions = lock(&self.sessions);
        let Some(session) = sessions.get(session) else { return concerns };
        let open = |concern: &Concern| !lasts(concern) || !session.allowed.contains(&concern.key);
        concerns.into_iter().filter(open).collect()
    }

    /// The concerns nobody has said yes to for good.
    pub(crate) fn not_permanent(&self, concerns: Vec<Concern>) -> Vec<Concern> {
        let permanent = lock(&self.permanent);
        let open = |concern: &Concern| !lasts(concern) || !permanent.contains(&concern.key);
        concerns.into_iter().filter(open).collect()
    }

    pub(crate) fn allow_for_session(&self, session: &str, concerns: &[Concern]) {
        let mut sessions = lock(&self.sessions);
        let allowed = &mut sessions.entry(session.to_owned()).or_default().allowed;
        let lasting = concerns.iter().filter(|concern| lasts(concern));
        allowed.extend(lasting.map(|concern| concern.key.clone()));
    }

    /// Remembers for good what may be: in this process at once, and in the file. What cannot be
    /// saved still counts until the process ends.
    pub(crate) async fn allow_for_good(&self, concerns: &[Concern]) -> Result<(), EditError> {
        let keys: Vec<String> = concerns
            .iter()
            .filter(|concern| concern.source.widest() == crate::GrantScope::Always)
            .map(|concern| concern.key.clone())
            .collect();
        lock(&self.permanent).extend(keys.iter().cloned());
        let Some(file) = self.config_file.clone() else { return Ok(()) };
        let Some(list) = KeyPath::from_segments([ALLOWLIST_KEY]) else { return Ok(()) };
        let edits: Vec<Edit> =
            keys.into_iter().map(|key| Edit::PushNew(list.clone(), Value::String(key))).collect();
        let saved = tokio::task::spawn_blocking(move || config_edit::apply(&file, &edits)).await;
        match saved {
            Ok(saved) => saved.map(|_| ()),
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }

    pub(crate) fn yolo(&self, session: &str) -> SessionYolo {
        lock(&self.sessions).get(session).map(|session| session.yolo).unwrap_or_default()
    }

    pub(crate) fn set_yolo(&self, session: &str, yolo: SessionYolo) {
        lock(&self.sessions).entry(session.to_owned()).or_default().yolo = yolo;
    }

    /// What the commands of a session have left so far.
    pub(crate) fn earlier(&self, session: &str) -> Option<Arc<EarlierCommands>> {
        lock(&self.sessions).get(session).map(|session| session.earlier.clone())
    }

    /// Adds what one more command of a session leaves.
    pub(crate) fn remember_left(&self, session: &str, left: EarlierCommands) {
        if left.is_empty() {
            return;
        }
        let mut sessions = lock(&self.sessions);
        let earlier = &mut sessions.entry(session.to_owned()).or_default().earlier;
        Arc::make_mut(earlier).take_in(left);
    }

    pub(crate) fn sudo_password(&self, session: &str) -> Option<String> {
        let sessions = lock(&self.sessions);
        sessions.get(session)?.sudo_password.as_ref().map(|password| password.0.clone())
    }

    pub(crate) fn keep_sudo_password(&self, session: &str, password: &str) {
        lock(&self.sessions).entry(session.to_owned()).or_default().sudo_password =
            Some(Hidden(password.to_owned()));
    }

    /// Whether there was one.
    pub(crate) fn forget_sudo_password(&self, session: &str) -> bool {
        let mut sessions = lock(&self.sessions);
        sessions.get_mut(session).is_some_and(|session| session.sudo_password.take().is_some())
    }

    pub(crate) fn forget_session(&self, session: &str) {
        lock(&self.sessions).remove(session);
    }
}

/// Whether a yes to it may count for later commands, whoever wrote one down.
fn lasts(concern: &Concern) -> bool {
    concern.source.widest() > crate::GrantScope::Once
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

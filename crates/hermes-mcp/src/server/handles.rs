//! Where calls belong that come without a session.
//!
//! Revision 2026-07-28 knows no sessions over HTTP: each request stands alone. A call therefore has a
//! terminal, variables and consents to itself, and they end with it. A client that wants to go on where
//! it was says so in the call: `session: "new"` keeps the place and names it in the result, and that name
//! leads back to it. Names cannot be guessed, so no client comes into another's place by chance. A place
//! nobody has been to for half an hour is given up.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::ErrorData;
use serde_json::{Map, Value, json};

use crate::random;

/// The argument that names a place.
pub(super) const ARGUMENT: &str = "session";
/// Its value for a new one.
const NEW: &str = "new";
/// Places at once.
const MAX_PLACES: usize = 128;
/// How long a place is kept for nobody.
const IDLE: Duration = Duration::from_secs(30 * 60);
/// So much of a random name is enough for something that a model copies.
const NAME_CHARS: usize = 22;

/// What happens when a session is over; it gets the session's id.
pub(super) type EndSession = Arc<dyn Fn(&str) + Send + Sync>;

/// The places that are kept.
#[derive(Default)]
pub(super) struct SessionHandles {
    places: Mutex<HashMap<String, KeptSession>>,
}

struct KeptSession {
    session: Arc<str>,
    used: Instant,
    calls: usize,
}

/// A call's place, as long as the call lasts.
pub(super) struct SessionLease {
    pub(super) session: Arc<str>,
    /// The name by which others come back to it.
    name: Option<String>,
    /// Whether the client does not know that name yet.
    is_new: bool,
    handles: Arc<SessionHandles>,
    end: EndSession,
}

/// Why a call has no place.
#[derive(Debug)]
pub(super) enum LeaseRefusal {
    /// What the one who called should do instead.
    Refused(String),
    /// The machine cannot.
    Failed(ErrorData),
}

impl SessionHandles {
    /// The place for a call that wants this one, or none in particular.
    pub(super) fn enter(
        self: &Arc<Self>,
        wanted: Option<&Value>,
        end: EndSession,
    ) -> Result<SessionLease, LeaseRefusal> {
        self.give_up_idle(&end);
        let at = |session, name, is_new| {
            let handles = Arc::clone(self);
            Ok(SessionLease { session, name, is_new, handles, end })
        };
        match wanted {
            None => at(new_session(), None, false),
            Some(Value::String(name)) if name == NEW => {
                let none = || ErrorData::internal_error("the system gives no random numbers", None);
                let name = random::secret().ok_or_else(|| LeaseRefusal::Failed(none()))?;
                let name: String = name.chars().take(NAME_CHARS).collect();
                let session = new_session();
                let mut places = self.lock();
                if places.len() >= MAX_PLACES {
                    return Err(LeaseRefusal::Refused(format!(
                        "{MAX_PLACES} sessions are kept, which is all there may be. Name one of \
                         them, or leave `{ARGUMENT}` out"
                    )));
                }
                let place =
                    KeptSession { session: Arc::clone(&session), used: Instant::now(), calls: 1 };
                places.insert(name.clone(), place);
                at(session, Some(name), true)
            }
            Some(Value::String(name)) => {
                let mut places = self.lock();
                let Some(place) = places.get_mut(name) else { return Err(unknown(name)) };
                place.calls += 1;
                place.used = Instant::now();
                at(Arc::clone(&place.session), Some(name.clone()), false)
            }
            Some(other) => Err(unknown(&other.to_string())),
        }
    }

    fn give_up_idle(&self, end: &EndSession) {
        let now = Instant::now();
        let is_idle =
            |place: &KeptSession| place.calls == 0 && now.duration_since(place.used) >= IDLE;
        let over: Vec<(String, KeptSession)> =
            self.lock().extract_if(|_, place| is_idle(place)).collect();
        over.iter().for_each(|(_, place)| end(&place.session));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, KeptSession>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionLease {
    /// Whether other calls can come here.
    pub(super) fn lasts(&self) -> bool {
        self.name.is_some()
    }

    /// What the one who called has to know of it.
    pub(super) fn notice(&self) -> Option<String> {
        let name = self.name.as_ref().filter(|_| self.is_new)?;
        Some(format!("{ARGUMENT}: {name} (give this in later calls to go on here)"))
    }
}

impl Drop for SessionLease {
    fn drop(&mut self) {
        match &self.name {
            None => (self.end)(&self.session),
            Some(name) => {
                if let Some(place) = self.handles.lock().get_mut(name) {
                    place.calls -= 1;
                    place.used = Instant::now();
                }
            }
        }
    }
}

fn new_session() -> Arc<str> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("mcp_{}_call_{number}", std::process::id()).into()
}

fn unknown(name: &str) -> LeaseRefusal {
    LeaseRefusal::Refused(format!(
        "There is no session {name:?}: it was never begun, or not used for half an hour. Give `{NEW}` \
         to begin one, or leave `{ARGUMENT}` out"
    ))
}

/// Adds the argument to a schema, unless the tool has one of that name.
pub(super) fn add_argument(schema: &mut Map<String, Value>) -> bool {
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    let Some(properties) = properties.as_object_mut() else { return false };
    if properties.contains_key(ARGUMENT) {
        return false;
    }
    let about = "Calls stand alone: nothing of one is kept for the next. `new` keeps directory, \
        variables and consents, and the result says the name to give here in later calls.";
    properties.insert(ARGUMENT.to_owned(), json!({"type": "string", "description": about}));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends() -> (EndSession, Arc<Mutex<Vec<String>>>) {
        let ended = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&ended);
        (Arc::new(move |id| seen.lock().unwrap().push(id.to_owned())), ended)
    }

    #[test]
    fn a_call_alone_ends_its_session_and_a_kept_one_is_found_again() {
        let handles = Arc::<SessionHandles>::default();
        let (end, ended) = ends();
        let alone = handles.enter(None, Arc::clone(&end)).unwrap();
        let session = alone.session.to_string();
        assert!(!alone.lasts() && alone.notice().is_none());
        drop(alone);
        assert_eq!(*ended.lock().unwrap(), [session]);
        let kept = handles.enter(Some(&json!("new")), Arc::clone(&end)).unwrap();
        let notice = kept.notice().unwrap();
        let name = notice.split_whitespace().nth(1).unwrap().to_owned();
        let first = kept.session.to_string();
        drop(kept);
        let again = handles.enter(Some(&json!(name)), Arc::clone(&end)).unwrap();
        assert_eq!(*again.session, *first);
        assert!(again.lasts() && again.notice().is_none());
        assert_eq!(ended.lock().unwrap().len(), 1);
    }

    #[test]
    fn names_that_were_not_given_out_lead_nowhere() {
        let handles = Arc::<SessionHandles>::default();
        for wanted in [json!("main"), json!(""), json!(7), json!({"session": "new"})] {
            assert!(matches!(
                handles.enter(Some(&wanted), ends().0),
                Err(LeaseRefusal::Refused(_))
            ));
        }
    }

    #[test]
    fn there_are_only_so_many() {
        let handles = Arc::<SessionHandles>::default();
        let new = json!("new");
        for _ in 0..MAX_PLACES {
            handles.enter(Some(&new), ends().0).unwrap();
        }
        assert!(matches!(handles.enter(Some(&new), ends().0), Err(LeaseRefusal::Refused(_))));
        assert!(handles.enter(None, ends().0).is_ok());
    }

    #[test]
    fn a_tool_keeps_an_argument_of_that_name() {
        let mut own = json!({"type": "object", "properties": {"session": {"type": "integer"}}});
        let before = own.clone();
        assert!(!add_argument(own.as_object_mut().unwrap()));
        assert_eq!(own, before);
        let mut none = json!({"type": "object"});
        assert!(add_argument(none.as_object_mut().unwrap()));
        assert_eq!(none["properties"]["session"]["type"], "string");
    }
}

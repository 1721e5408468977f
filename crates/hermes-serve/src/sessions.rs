//! The sessions that callers name: each has a terminal of its own, so there may not be any number.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;

use crate::problem::ApiProblem;

/// Sessions at once.
pub const MAX_SESSIONS: usize = 128;
/// A session that was not called for so long makes room for another.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// When each session was last called.
#[derive(Default)]
pub(crate) struct OpenSessions(Mutex<HashMap<String, Instant>>);

impl OpenSessions {
    /// Notes a call of a session; refuses one session too many.
    pub(crate) fn enter(&self, name: &str) -> Result<(), ApiProblem> {
        let now = Instant::now();
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !open.contains_key(name) && open.len() >= MAX_SESSIONS {
            open.retain(|_, called| now.duration_since(*called) < IDLE);
            if open.len() >= MAX_SESSIONS {
                return Err(ApiProblem::new(
                    StatusCode::TOO_MANY_REQUESTS,
                    "too_many_sessions",
                    format!("{MAX_SESSIONS} sessions are open, which is all there may be"),
                    "Name one of them again, or wait until one was not used for half an hour",
                ));
            }
        }
        open.insert(name.to_owned(), now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_sessions_are_served_when_no_new_one_is() {
        let sessions = OpenSessions::default();
        for number in 0..MAX_SESSIONS {
            assert!(sessions.enter(&format!("s{number}")).is_ok());
        }
        assert!(sessions.enter("one-more").is_err());
        assert!(sessions.enter("s0").is_ok());
    }
}

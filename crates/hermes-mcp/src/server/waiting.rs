//! Calls that wait for an answer between two requests.
//!
//! In revision 2026-07-28 a server asks by answering: the result says what is missing, and the client
//! makes the request again with it. The call itself is not begun anew then. It stands still where it
//! asked, under a name that nobody can guess, and goes on with the answer; so nothing is done twice,
//! and an answer belongs to one call alone. The name is good for one request, which must be the same as
//! the first but for the answers. A call whose questions nobody answers in time hears that, and ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ErrorData, InputRequiredResult};

use super::open_call::{OpenCall, Subject};
use crate::random;

/// Calls that may wait at once.
pub(super) const MAX_WAITING: usize = 256;

/// The calls that wait.
#[derive(Default)]
pub(super) struct WaitingCalls(Mutex<HashMap<String, OpenCall>>);

impl WaitingCalls {
    /// Puts a call aside until its questions are answered; what to tell the client.
    pub(super) fn suspend(
        self: &Arc<Self>,
        mut call: OpenCall,
    ) -> Result<InputRequiredResult, ErrorData> {
        let none = || ErrorData::internal_error("the system gives no random numbers", None);
        let state = random::secret().ok_or_else(none)?;
        let (questions, deadline) = (call.questions.put(), call.questions.deadline());
        {
            let mut calls = self.lock();
            if calls.len() >= MAX_WAITING {
                let why = "Too many calls wait for an answer; answer one, or try again later";
                return Err(ErrorData::internal_error(why, None));
            }
            calls.insert(state.clone(), call);
        }
        let (waiting, name) = (Arc::clone(self), state.clone());
        tokio::spawn(async move {
            tokio::time::sleep_until(deadline.into()).await;
            let forgotten = waiting.lock().remove(&name);
            if let Some(call) = forgotten {
                call.time_out().await;
            }
        });
        Ok(InputRequiredResult::new(Some(questions), Some(state)))
    }

    /// The call that waits for this very request.
    pub(super) fn resume(&self, state: &str, subject: &Subject) -> Result<OpenCall, ErrorData> {
        let mut calls = self.lock();
        let found = calls.get(state).is_some_and(|call| call.subject == *subject);
        let call = found.then(|| calls.remove(state)).flatten();
        call.ok_or_else(|| {
            let why = "`requestState` belongs to no request like this that waits for an answer: it \
                was used, has expired, or was never given out. Make the request anew without it";
            ErrorData::invalid_params(why, None)
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, OpenCall>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

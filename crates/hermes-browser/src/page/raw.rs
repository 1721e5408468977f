//! The protocol itself, for whoever needs what no action offers.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::error::BrowserError;
use crate::watch::SessionKind;

/// Where a call goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawTarget {
    /// To the page in front; calls about the browser as a whole to the browser.
    Front,
    /// To a target by its id.
    Target(String),
    /// To a frame with a process of its own.
    Frame(String),
}

/// An answer, and which session gave it.
#[derive(Clone, Debug, PartialEq)]
pub struct RawAnswer {
    /// What came back.
    pub result: Value,
    /// The session; none if it was the browser itself.
    pub session: Option<String>,
}

/// Parts of the protocol that belong to the browser, not to a page.
const OF_BROWSER: [&str; 5] = ["Browser.", "Target.", "Storage.", "SystemInfo.", "Tethering."];

impl Browser {
    /// Makes a call of the debugging protocol.
    ///
    /// # Errors
    /// There is no such target, or the browser says no.
    pub async fn raw(
        &self,
        method: &str,
        params: &Value,
        target: &RawTarget,
        limit: Duration,
    ) -> Result<RawAnswer, BrowserError> {
        let (session, attached) = match target {
            RawTarget::Front if OF_BROWSER.iter().any(|part| method.starts_with(part)) => {
                (None, false)
            }
            RawTarget::Front => (Some(self.page()?.session), false),
            RawTarget::Target(id) => self.session_of_target(id).await?,
            RawTarget::Frame(id) => (Some(self.session_of_frame(id)?), false),
        };
        let name = session.as_deref().unwrap_or_default();
        let answer = self.connection.call(name, method, params, limit).await;
        if attached {
            self.connection.tell("", "Target.detachFromTarget", json!({"sessionId": name}));
        }
        match answer {
            Ok(result) => Ok(RawAnswer { result, session }),
            Err(crate::cdp::CdpError::Closed(reason)) => Err(BrowserError::Gone(reason)),
            Err(error) => Err(BrowserError::Protocol(error)),
        }
    }

    /// The session of a target; the second says whether it was made just for this call.
    async fn session_of_target(&self, id: &str) -> Result<(Option<String>, bool), BrowserError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Attached {
            session_id: String,
        }
        if let Some(tab) = self.watcher.state().tab(id) {
            return Ok((Some(tab.session.clone()), false));
        }
        let params = json!({"targetId": id, "flatten": true});
        let made: Attached = self.browser_call("Target.attachToTarget", params).await?;
        Ok((Some(made.session_id), true))
    }

    fn session_of_frame(&self, id: &str) -> Result<String, BrowserError> {
        let state = self.watcher.state();
        let own = state.sessions.iter().find(
            |(_, info)| matches!(&info.kind, SessionKind::Frame { frame, .. } if frame == id),
        );
        if let Some((session, _)) = own {
            return Ok(session.clone());
        }
        match state.tab(id) {
            Some(tab) => Ok(tab.session.clone()),
            None => Err(BrowserError::Element(format!(
                "no frame {id} has a process of its own; frames of the page itself are reached without frame_id"
            ))),
        }
    }
}

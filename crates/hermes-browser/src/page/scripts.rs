//! Our own scripts, in a world of their own, and functions called on elements.

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Value, json};

use crate::browser::{Browser, PageHandle};
use crate::console::{ExceptionDetails, RemoteObject};
use crate::error::BrowserError;
use crate::references::ElementInfo;

/// The name of our world, as a debugger would show it.
const WORLD: &str = "hermes";
/// Handles on nodes are in one group, which is let go after each use.
const GROUP: &str = "hermes";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct World {
    execution_context_id: i64,
}

#[derive(Deserialize)]
struct Resolved {
    object: RemoteObject,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ran {
    pub(crate) result: RemoteObject,
    pub(crate) exception_details: Option<ExceptionDetails>,
}

impl Browser {
    /// The element that a reference means.
    pub(crate) fn element(
        &self,
        page: &PageHandle,
        reference: &str,
    ) -> Result<ElementInfo, BrowserError> {
        let state = self.watcher.state();
        let found = state.tab(&page.target).and_then(|tab| tab.references.find(reference));
        found.cloned().ok_or_else(|| {
            let plain = reference.trim().trim_start_matches('@');
            BrowserError::UnknownReference(format!("@{plain}"))
        })
    }

    /// Calls a function with an element as `this`, and gives what it returns.
    pub(crate) async fn call_on<R: DeserializeOwned>(
        &self,
        page: &PageHandle,
        element: &ElementInfo,
        function: &str,
        arguments: &[Value],
    ) -> Result<R, BrowserError> {
        let session = &element.key.session;
        let object = self.resolve(page, element).await?;
        let arguments: Vec<Value> = arguments.iter().map(|value| json!({"value": value})).collect();
        let params = json!({
            "functionDeclaration": function, "objectId": object, "arguments": arguments,
            "returnByValue": true, "awaitPromise": true, "userGesture": true,
        });
        let ran: Result<Ran, BrowserError> =
            self.call(page, session, "Runtime.callFunctionOn", params).await;
        let group = json!({"objectGroup": GROUP});
        self.connection.tell(session, "Runtime.releaseObjectGroup", group);
        value_of(ran?)
    }

    /// Calls a function in our world of a page's own document.
    pub(crate) async fn call_in_page<R: DeserializeOwned>(
        &self,
        page: &PageHandle,
        function: &str,
        arguments: &[Value],
    ) -> Result<R, BrowserError> {
        let arguments: Vec<Value> = arguments.iter().map(|value| json!({"value": value})).collect();
        let mut again = true;
        loop {
            let world = self.world(page, &page.session, &page.target).await?;
            let params = json!({
                "functionDeclaration": function, "executionContextId": world,
                "arguments": arguments, "returnByValue": true, "awaitPromise": true,
            });
            match self.call(page, &page.session, "Runtime.callFunctionOn", params).await {
                Ok(ran) => return value_of(ran),
                Err(error) if again && is_lost_world(&error) => {
                    again = false;
                    self.forget_world(&page.session, &page.target);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// A handle on an element, in our world of its frame.
    async fn resolve(
        &self,
        page: &PageHandle,
        element: &ElementInfo,
    ) -> Result<String, BrowserError> {
        let session = &element.key.session;
        let mut again = true;
        loop {
            let world = self.world(page, session, &element.frame).await?;
            let params = json!({
                "backendNodeId": element.key.node, "objectGroup": GROUP,
                "executionContextId": world,
            });
            let resolved: Result<Resolved, BrowserError> =
                self.call(page, session, "DOM.resolveNode", params).await;
            match resolved {
                Ok(Resolved { object: RemoteObject { object_id: Some(id), .. } }) => return Ok(id),
                Err(error) if again && is_lost_world(&error) => {
                    again = false;
                    self.forget_world(session, &element.frame);
                }
                Err(BrowserError::Protocol(error)) => {
                    tracing::debug!(%error, "an element is gone");
                    return Err(gone(element));
                }
                Err(error) => return Err(error),
                Ok(_) => return Err(gone(element)),
            }
        }
    }

    async fn world(
        &self,
        page: &PageHandle,
        session: &str,
        frame: &str,
    ) -> Result<i64, BrowserError> {
        let key = (session.to_owned(), frame.to_owned());
        if let Some(world) = self.watcher.state().worlds.get(&key) {
            return Ok(*world);
        }
        let params = json!({"frameId": frame, "worldName": WORLD});
        let made: World = self.call(page, session, "Page.createIsolatedWorld", params).await?;
        self.watcher.state().worlds.insert(key, made.execution_context_id);
        Ok(made.execution_context_id)
    }

    fn forget_world(&self, session: &str, frame: &str) {
        self.watcher.state().worlds.remove(&(session.to_owned(), frame.to_owned()));
    }

    /// Waits until the page's process has done what was sent to it before.
    pub(crate) async fn flush(&self, page: &PageHandle) -> Result<(), BrowserError> {
        self.flush_session(page, &page.session).await
    }

    /// The same for the process of one session.
    pub(crate) async fn flush_session(
        &self,
        page: &PageHandle,
        session: &str,
    ) -> Result<(), BrowserError> {
        let nothing = json!({"expression": "0", "returnByValue": true});
        let _: IgnoredAny = self.call(page, session, "Runtime.evaluate", nothing).await?;
        Ok(())
    }
}

pub(super) fn gone(element: &ElementInfo) -> BrowserError {
    let shown = match element.name.as_str() {
        "" => element.role.clone(),
        name => format!("{} {name:?}", element.role),
    };
    BrowserError::Element(format!(
        "the {shown} is no longer on the page; take a new snapshot and use a reference from it"
    ))
}

fn is_lost_world(error: &BrowserError) -> bool {
    let BrowserError::Protocol(error) = error else { return false };
    error.refused_with("context with specified id")
        || error.refused_with("Execution context")
        || error.refused_with("does not belong to the document")
}

fn value_of<R: DeserializeOwned>(ran: Ran) -> Result<R, BrowserError> {
    if let Some(details) = ran.exception_details {
        return Err(BrowserError::Script(details.message()));
    }
    let value = ran.result.value.unwrap_or(Value::Null);
    serde_json::from_value(value).map_err(|error| BrowserError::Script(error.to_string()))
}

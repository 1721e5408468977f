//! Running a script in a page, and reading its console.

use serde_json::{Value, json};

use super::scripts::Ran;
use crate::browser::{Browser, PageHandle};
use crate::console::{ConsoleMessage, JsError, RemoteObject};
use crate::error::BrowserError;

/// Values of scripts are held in one group, which is let go after each use.
const GROUP: &str = "hermes-values";

/// What a script came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluated {
    /// The value; what is no plain data is described.
    pub result: Value,
    /// Its type, as the language names it.
    pub kind: String,
}

impl Browser {
    /// Runs a script in the page in front, waits for what it promises and gives its value.
    ///
    /// # Errors
    /// The script fails, or takes too long: then it is stopped.
    pub async fn evaluate(&self, expression: &str) -> Result<Evaluated, BrowserError> {
        let page = self.page()?;
        // A little before we stop waiting, so that the script is gone by then.
        let limit = self.options.command_timeout.mul_f32(0.9).as_millis();
        let params = json!({
            "expression": expression, "awaitPromise": true, "userGesture": true,
            "timeout": u64::try_from(limit).unwrap_or(u64::MAX), "generatePreview": true,
            "objectGroup": GROUP,
        });
        let ran: Result<Ran, BrowserError> =
            self.call(&page, &page.session, "Runtime.evaluate", params).await;
        if let Err(BrowserError::Unresponsive(_)) = &ran {
            self.connection.tell(&page.session, "Runtime.terminateExecution", json!({}));
        }
        let ran = ran?;
        if let Some(details) = &ran.exception_details {
            return Err(BrowserError::Script(details.message()));
        }
        let value = self.copied(&page, ran.result).await;
        let group = json!({"objectGroup": GROUP});
        self.connection.tell(&page.session, "Runtime.releaseObjectGroup", group);
        value
    }

    /// The value of what a script came to; what cannot be copied is described.
    async fn copied(
        &self,
        page: &PageHandle,
        object: RemoteObject,
    ) -> Result<Evaluated, BrowserError> {
        let is_node = object.subtype.as_deref() == Some("node");
        let Some(id) = object.object_id.as_ref().filter(|_| !is_node && object.kind == "object")
        else {
            return Ok(plain(&object));
        };
        let params = json!({
            "functionDeclaration": "function() { return this }", "objectId": id,
            "returnByValue": true,
        });
        let copied: Result<Ran, BrowserError> =
            self.call(page, &page.session, "Runtime.callFunctionOn", params).await;
        match copied {
            Ok(Ran { result: RemoteObject { value: Some(value), .. }, .. }) => {
                let kind = object.subtype.filter(|subtype| subtype == "array");
                Ok(Evaluated { result: value, kind: kind.unwrap_or_else(|| "object".to_owned()) })
            }
            Ok(_) | Err(BrowserError::Protocol(_)) => Ok(plain(&object)),
            Err(error) => Err(error),
        }
    }

    /// What the pages wrote to their console and which errors their scripts had; cleared afterwards if asked for.
    #[must_use]
    pub fn console(&self, clear: bool) -> (Vec<ConsoleMessage>, Vec<JsError>) {
        let mut state = self.watcher.state();
        let entries = state.console.entries();
        if clear {
            state.console.clear();
        }
        entries
    }
}

/// A value that is no object, or the description of one.
fn plain(object: &RemoteObject) -> Evaluated {
    let kind = object.subtype.clone().unwrap_or_else(|| object.kind.clone());
    if kind == "null" || kind == "undefined" {
        return Evaluated { result: Value::Null, kind };
    }
    if let Some(value) = &object.value {
        return Evaluated { result: value.clone(), kind };
    }
    let text = object.text();
    let result = if kind == "node" {
        json!(format!("a DOM node ({text}); return its text, attributes or outerHTML instead"))
    } else {
        json!(text)
    };
    Evaluated { result, kind }
}

//! What scripts and calls of the protocol may do where the user restricted them (`browser.restrict_evaluate`).

use hermes_browser::BrowserSettings;
use hermes_tool::ToolError;

/// Words that give a script more than the page shows.
const RESTRICTED: &[&str] = &[
    "cookie",
    "localstorage",
    "sessionstorage",
    "indexeddb",
    "caches",
    "clipboard",
    "credentials",
    "serviceworker",
    "fetch",
    "xmlhttprequest",
    "websocket",
    "eventsource",
    "sendbeacon",
    ".value",
    "formdata",
];

/// Parts of the protocol that look and act like the tools do: they give no more than the page shows.
const OPEN_PARTS: &[&str] = &[
    "Accessibility",
    "Animation",
    "Browser",
    "CSS",
    "DOM",
    "DOMSnapshot",
    "Emulation",
    "Input",
    "LayerTree",
    "Log",
    "Overlay",
    "Page",
    "Performance",
    "Security",
    "SystemInfo",
    "Target",
];
/// Methods of those parts that run scripts or read what a page keeps.
const CLOSED_METHODS: &[&str] = &[
    "Browser.grantPermissions",
    "Browser.setPermission",
    "Page.addScriptToEvaluateOnLoad",
    "Page.addScriptToEvaluateOnNewDocument",
    "Page.captureSnapshot",
    "Page.deleteCookie",
    "Page.getAppManifest",
    "Page.getCookies",
    "Page.getResourceContent",
    "Page.searchInResource",
    "Page.setBypassCSP",
    "Page.setDocumentContent",
];

/// Whether the user restricted what scripts may do.
pub(super) fn is_restricted(settings: &BrowserSettings) -> bool {
    settings.restrict_evaluate && !settings.allow_unsafe_evaluate
}

/// Refuses methods that run scripts in a page, or read what it keeps, by another name.
pub(super) fn method_allowed(method: &str) -> Result<(), ToolError> {
    let part = method.split('.').next().unwrap_or_default();
    let is_open = OPEN_PARTS.contains(&part) && !CLOSED_METHODS.contains(&method);
    if is_open {
        return Ok(());
    }
    Err(ToolError::answer(format!(
        "Blocked: {method} is not open to calls here; use what the page shows"
    )))
}

/// Refuses scripts that name what the user closed, also when the name is put together from pieces.
pub(super) fn script_allowed(expression: &str) -> Result<(), ToolError> {
    let lower = expression.to_lowercase();
    // `'coo' + 'kie'`, `"local"+"Storage"`, `\x63ookie`: without marks the pieces stand together.
    let joined: String =
        lower.chars().filter(|letter| letter.is_alphanumeric() || *letter == '.').collect();
    let escaped = lower.contains("\\x") || lower.contains("\\u");
    let named = RESTRICTED.iter().find(|word| lower.contains(*word) || joined.contains(*word));
    match named {
        Some(word) => Err(ToolError::answer(format!(
            "Blocked: scripts may not use {} here; use what the page shows",
            word.trim_start_matches('.')
        ))),
        None if escaped => {
            Err(ToolError::answer("Blocked: scripts may not hide words behind escapes here"))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_the_user_closed_are_found_in_every_spelling() {
        for script in [
            "document.cookie",
            "window['local' + 'Storage']",
            "self[`fet` + `ch`]('x')",
            "document['\\x63ookie']",
            "document.querySelector('input').value",
            "navigator.sendBeacon('/x')",
            "new WebSocket('ws://x')",
        ] {
            assert!(script_allowed(script).is_err(), "{script}");
        }
        for script in ["document.title", "[...document.links].map((one) => one.href)", "1 + 1"] {
            assert!(script_allowed(script).is_ok(), "{script}");
        }
    }

    #[test]
    fn the_protocol_is_no_other_way_to_what_the_user_closed() {
        for method in [
            "Runtime.evaluate",
            "Runtime.callFunctionOn",
            "Runtime.getProperties",
            "Debugger.evaluateOnCallFrame",
            "Network.getCookies",
            "Network.getResponseBody",
            "Storage.getCookies",
            "DOMStorage.getDOMStorageItems",
            "IndexedDB.requestData",
            "Page.addScriptToEvaluateOnNewDocument",
            "Page.getCookies",
            "",
        ] {
            assert!(method_allowed(method).is_err(), "{method}");
        }
        for method in ["Page.getLayoutMetrics", "DOM.getDocument", "Target.getTargets"] {
            assert!(method_allowed(method).is_ok(), "{method}");
        }
    }
}

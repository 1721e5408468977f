//! Dialogs of browsers that dismiss the native ones before anybody can answer.
//!
//! Some services close every dialog at once. In their browsers `alert`, `confirm` and `prompt` are replaced by functions that
//! ask a host which cannot exist, and wait: the request is held back before it leaves the browser, becomes a dialog like any
//! other, and gets its answer when the dialog does. To the page it is what it was: a call that returns when somebody answered.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

/// The host that is asked. The ending is reserved: no name below it is ever given out.
const HOST: &str = "dialog.hermes.invalid";
/// The most characters of a message that are looked at.
const LONGEST: usize = 10_000;

/// How dialogs reach whoever answers them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DialogChannel {
    /// The browser opens them and says so.
    #[default]
    Native,
    /// The page asks for them: the browser would dismiss its own.
    Requested,
}

/// A request that was held back.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestPaused {
    pub(crate) request_id: String,
    request: Request,
    pub(crate) frame_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    url: String,
    post_data: Option<String>,
}

/// What a page wants to ask.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Asked {
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) message: String,
    #[serde(default)]
    pub(crate) default_prompt: String,
}

impl RequestPaused {
    /// The dialog, if the request is one.
    pub(crate) fn asked(&self) -> Option<Asked> {
        let rest = self.request.url.strip_prefix("https://")?;
        if rest.split('/').next() != Some(HOST) {
            return None;
        }
        let mut asked: Asked = serde_json::from_str(self.request.post_data.as_deref()?).ok()?;
        for text in [&mut asked.message, &mut asked.default_prompt] {
            if let Some((end, _)) = text.char_indices().nth(LONGEST) {
                text.truncate(end);
            }
        }
        matches!(asked.kind.as_str(), "alert" | "confirm" | "prompt").then_some(asked)
    }
}

/// What is held back, for `Fetch.enable`.
pub(crate) fn held_back() -> Value {
    json!({"patterns": [{"urlPattern": format!("https://{HOST}/*"), "requestStage": "Request"}]})
}

/// The answer to a request, for `Fetch.fulfillRequest`.
pub(crate) fn fulfilled(request: &str, accept: bool, text: Option<&str>) -> Value {
    let body = json!({"accept": accept, "text": text}).to_string();
    json!({
        "requestId": request,
        "responseCode": 200,
        "responseHeaders": [
            {"name": "Access-Control-Allow-Origin", "value": "*"},
            {"name": "Content-Type", "value": "application/json"},
        ],
        "body": STANDARD.encode(body),
    })
}

/// What takes the place of the page's own functions, for `Page.addScriptToEvaluateOnNewDocument`. Where the request cannot be
/// made, the answer is that of a dialog nobody agreed to.
pub(crate) fn script() -> String {
    format!(
        r#"(() => {{
  const Request = XMLHttpRequest, open = Request.prototype.open, send = Request.prototype.send;
  const write = JSON.stringify, read = JSON.parse, text = String;
  const ask = (kind, message, initial) => {{
    try {{
      const request = new Request();
      open.call(request, 'POST', 'https://{HOST}/', false);
      send.call(request, write({{ kind, message: text(message), default_prompt: text(initial) }}));
      return read(request.responseText);
    }} catch {{
      return {{ accept: false, text: null }};
    }}
  }};
  const put = (name, value) => {{
    try {{ Object.defineProperty(window, name, {{ value, writable: true, configurable: true }}) }} catch {{ }}
  }};
  put('alert', function alert(message = '') {{ ask('alert', message, '') }});
  put('confirm', function confirm(message = '') {{ return ask('confirm', message, '').accept === true }});
  put('prompt', function prompt(message = '', initial = '') {{
    const said = ask('prompt', message, initial);
    return said.accept === true ? (said.text ?? text(initial)) : null;
  }});
}})()"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(url: &str, body: Option<&str>) -> Option<Asked> {
        let event =
            json!({"requestId": "r", "frameId": "f", "request": {"url": url, "postData": body}});
        serde_json::from_value::<RequestPaused>(event).unwrap().asked()
    }

    #[test]
    fn only_well_formed_questions_to_the_reserved_host_are_dialogs() {
        let body = r#"{"kind":"prompt","message":"Name?","default_prompt":"x"}"#;
        let dialog = asked("https://dialog.hermes.invalid/", Some(body)).unwrap();
        assert_eq!((dialog.kind.as_str(), dialog.message.as_str()), ("prompt", "Name?"));
        for (url, body) in [
            ("https://dialog.hermes.invalid.example/", Some(body)),
            ("http://dialog.hermes.invalid/", Some(body)),
            ("https://dialog.hermes.invalid/", None),
            ("https://dialog.hermes.invalid/", Some("{}")),
            ("https://dialog.hermes.invalid/", Some(r#"{"kind":"beforeunload"}"#)),
        ] {
            assert_eq!(asked(url, body), None, "{url} {body:?}");
        }
        let long = json!({"kind": "alert", "message": "ü".repeat(LONGEST + 5)}).to_string();
        let dialog = asked("https://dialog.hermes.invalid/", Some(&long)).unwrap();
        assert_eq!(dialog.message.chars().count(), LONGEST);
    }
}

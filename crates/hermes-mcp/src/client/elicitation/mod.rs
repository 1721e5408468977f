//! A server asks the person something: `elicitation/create`.
//!
//! [`Elicitation`] reads the request, puts it to a [`Person`] as a [`Form`] with real fields or as an
//! address to visit, checks what comes back against the fields and makes the answer for the server. Who the
//! person is, and whether the question is shown in a terminal or elsewhere, is not known here.
//!
//! What never happens here: an answer that nobody gave is sent as accepted. Nobody there, no answer in
//! time, a question that cannot be read and an answer that does not fit the fields all end as `cancel` or
//! `decline`. No address is opened: the person is asked, and opens it.

pub mod field;
pub mod form;

#[cfg(test)]
mod tests;

use std::time::Duration;

use hermes_tool::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::time::timeout;
use url::Url;

use super::request_error::RequestError;
pub use field::{Field, FieldChoice, FieldKind};
pub use form::Form;

/// The method this module answers.
pub const METHOD: &str = "elicitation/create";
/// What a surface may take beyond the time it shows the person, to put the question away.
const GRACE: Duration = Duration::from_secs(5);

/// Whether and how long a server may ask: `mcp_servers.<name>.elicitation`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElicitationSettings {
    /// Whether questions are put at all.
    pub is_enabled: bool,
    /// How long the person has.
    pub timeout: Duration,
}

impl Default for ElicitationSettings {
    fn default() -> Self {
        Self { is_enabled: true, timeout: Duration::from_secs(300) }
    }
}

/// A server would like the person to visit a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// The server that asks.
    pub server: String,
    /// Why.
    pub message: String,
    /// The page.
    pub url: Url,
    /// Whose page it is.
    pub host: String,
    /// How long the person has.
    pub timeout: Duration,
}

/// What the person did with a form.
#[derive(Clone, Debug, PartialEq)]
pub enum FormReply {
    /// Filled it in. Fields that were left alone may be missing.
    Accepted(Map<String, Value>),
    /// Said no.
    Declined,
    /// Went away without a word.
    Cancelled,
}

/// What the person said to a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageConsent {
    /// Goes there.
    Given,
    /// Does not.
    Declined,
    /// Did not answer.
    Cancelled,
}

/// Whoever can be asked. Without a person at hand, `fill` and `visit` answer `Cancelled` at once.
pub trait Person: Send + Sync {
    /// Shows the form and waits.
    fn fill(&self, form: Form) -> BoxFuture<FormReply>;
    /// Shows the address with its host, and asks whether the person wants to go there.
    fn visit(&self, visit: PageRequest) -> BoxFuture<PageConsent>;
}

/// Nobody is there.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPerson;

impl Person for NoPerson {
    fn fill(&self, _form: Form) -> BoxFuture<FormReply> {
        Box::pin(async { FormReply::Cancelled })
    }

    fn visit(&self, _visit: PageRequest) -> BoxFuture<PageConsent> {
        Box::pin(async { PageConsent::Cancelled })
    }
}

/// One server's way to the person.
#[derive(Clone, Debug)]
pub struct Elicitation {
    server: String,
    settings: ElicitationSettings,
}

impl Elicitation {
    /// A way for this server.
    #[must_use]
    pub fn new(server: &str, settings: ElicitationSettings) -> Self {
        Self { server: server.to_owned(), settings }
    }

    /// Answers the parameters of a request with the result to send.
    ///
    /// # Errors
    ///
    /// When questions are switched off. Everything else that goes wrong is an answer: `cancel`.
    pub async fn answer(&self, params: &Value, person: &dyn Person) -> Result<Value, RequestError> {
        if !self.settings.is_enabled {
            return Err(RequestError::method_not_found(METHOD));
        }
        let result = match params["mode"].as_str() {
            Some("url") => self.visit(params, person).await,
            None | Some("form") => self.fill(params, person).await,
            Some(other) => {
                tracing::warn!(server = %self.server, "asks in the unknown mode {other:?}");
                json!({"action": "decline"})
            }
        };
        Ok(result)
    }

    async fn fill(&self, params: &Value, person: &dyn Person) -> Value {
        let form = match Form::read(&self.server, params, self.settings.timeout) {
            Ok(form) => form,
            Err(problem) => {
                tracing::warn!(server = %self.server, "asks what cannot be read: {problem}");
                return json!({"action": "decline"});
            }
        };
        let asked = timeout(self.settings.timeout + GRACE, person.fill(form.clone())).await;
        match asked {
            Ok(FormReply::Accepted(entered)) => match form.complete(entered) {
                Ok(content) => json!({"action": "accept", "content": content}),
                Err(problem) => {
                    tracing::warn!(server = %self.server, "the answer does not fit: {problem}");
                    json!({"action": "cancel"})
                }
            },
            Ok(FormReply::Declined) => json!({"action": "decline"}),
            Ok(FormReply::Cancelled) | Err(_) => json!({"action": "cancel"}),
        }
    }

    async fn visit(&self, params: &Value, person: &dyn Person) -> Value {
        let url = params["url"].as_str().and_then(|text| Url::parse(text).ok());
        let page = url
            .filter(|url| matches!(url.scheme(), "http" | "https"))
            .and_then(|url| Some((url.host_str()?.to_owned(), url)));
        let Some((host, url)) = page else {
            tracing::warn!(server = %self.server, "names no page that could be visited");
            return json!({"action": "decline"});
        };
        let message = params["message"].as_str().unwrap_or_default().to_owned();
        let limit = self.settings.timeout;
        let visit = PageRequest { server: self.server.clone(), message, url, host, timeout: limit };
        let action = match timeout(limit + GRACE, person.visit(visit)).await {
            Ok(PageConsent::Given) => "accept",
            Ok(PageConsent::Declined) => "decline",
            Ok(PageConsent::Cancelled) | Err(_) => "cancel",
        };
        json!({"action": action})
    }
}

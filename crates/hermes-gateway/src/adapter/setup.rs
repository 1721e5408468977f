//! What an adapter is made with: its variables, its section of the configuration, and a client for its service.

use std::fmt;
use std::time::Duration;

use hermes_llm::http::Proxies;
use hermes_tool::Vars;
use serde_json::Value;

use super::Platform;
use super::sections::{is_enabled, sections_of};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(15);
/// How long an ordinary request may take.
const REQUEST: Duration = Duration::from_secs(30);

/// Everything an adapter may know of the configuration. Variables win over `platforms.NAME.extra`, that over
/// `platforms.NAME`, and that over the section `NAME` at the top of the file.
#[derive(Clone)]
pub struct AdapterSetup {
    platform: &'static Platform,
    vars: Vars,
    sections: Vec<Value>,
    is_enabled: bool,
}

/// Why a platform cannot be used as it is set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct SetupError {
    /// What is missing or wrong, and what to do, for people.
    pub what: String,
}

impl SetupError {
    /// With these words.
    #[must_use]
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into() }
    }
}

impl AdapterSetup {
    /// Of this platform, from the whole configuration.
    #[must_use]
    pub fn new(platform: &'static Platform, config: &Value, vars: &Vars) -> Self {
        let sections = sections_of(platform.name, config, vars);
        let is_enabled = is_enabled(platform.name, config, vars);
        Self { platform, vars: vars.clone(), sections, is_enabled }
    }

    /// The platform's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.platform.name
    }

    /// Whether the platform is on: not switched off, and all that it requires is there.
    #[must_use]
    pub fn is_on_duty(&self) -> bool {
        // A variable that only says whether may say no.
        let is_there = |variable: &super::Variable| {
            self.variable(variable.name).is_some()
                && (!variable.name.ends_with("_ENABLED") || self.is_on(variable.name, true))
        };
        self.is_enabled && self.platform.required.iter().all(is_there)
    }

    /// A variable that must be there. Required variables have been checked before an adapter is made.
    ///
    /// # Errors
    /// If it is not set.
    pub fn required(&self, variable: &str) -> Result<String, SetupError> {
        self.variable(variable)
            .ok_or_else(|| SetupError::new(format!("{variable} is not set; put it into .env")))
    }

    /// A variable by its whole name. `PIGEON_TOKEN` may also be given as `token` in the platform's section.
    #[must_use]
    pub fn variable(&self, variable: &str) -> Option<String> {
        let key = variable
            .strip_prefix(self.platform.prefix)
            .and_then(|rest| rest.strip_prefix('_'))
            .unwrap_or(variable)
            .to_lowercase();
        self.vars.non_blank(variable).map(|value| value.trim().to_owned()).or_else(|| {
            self.text(&key).or_else(|| key.strip_prefix("bot_").and_then(|key| self.text(key)))
        })
    }

    /// A variable that says yes or no; the default where it says neither.
    #[must_use]
    pub fn is_on(&self, variable: &str, default: bool) -> bool {
        match self.variable(variable).map(|value| value.to_ascii_lowercase()).as_deref() {
            Some("1" | "true" | "yes" | "on") => true,
            Some("0" | "false" | "no" | "off") => false,
            _ => default,
        }
    }

    /// A variable that lists things between commas (or a list in the section).
    #[must_use]
    pub fn list(&self, variable: &str) -> Vec<String> {
        let value = self.variable(variable).unwrap_or_default();
        value.split(',').map(str::trim).filter(|one| !one.is_empty()).map(str::to_owned).collect()
    }

    /// A number, or the default where it is none.
    #[must_use]
    pub fn number(&self, variable: &str, default: u64) -> u64 {
        self.variable(variable).and_then(|value| value.parse().ok()).unwrap_or(default)
    }

    /// What the platform's section says under a name, as it was written.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.sections.iter().find_map(|section| section.get(key)).filter(|value| !value.is_null())
    }

    fn text(&self, key: &str) -> Option<String> {
        let text = match self.value(key)? {
            Value::String(text) => text.trim().to_owned(),
            Value::Bool(_) | Value::Number(_) => self.value(key)?.to_string(),
            Value::Array(list) => {
                let one = |value: &Value| match value {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                list.iter().map(one).collect::<Vec<_>>().join(",")
            }
            _ => return None,
        };
        (!text.is_empty()).then_some(text)
    }

    /// The address of the service: `base_url` of the platform's section, or the usual one. Without a slash at its end.
    #[must_use]
    pub fn base_url(&self, usual: &str) -> String {
        self.text("base_url").unwrap_or_else(|| usual.to_owned()).trim_end_matches('/').to_owned()
    }

    /// A client for this address, through the platform's proxy (`PREFIX_PROXY`) or the usual ones. It follows no
    /// redirects and gives up on an ordinary request after half a minute; streams set their own time.
    ///
    /// # Errors
    /// If a proxy's address is none.
    pub fn http(&self, base_url: &str) -> Result<reqwest::Client, SetupError> {
        self.client(base_url, |builder| builder.timeout(REQUEST))
    }

    /// A client to open [`Socket`](super::Socket)s with: it speaks the old HTTP, since sockets begin there.
    ///
    /// # Errors
    /// If a proxy's address is none.
    pub fn socket_http(&self, base_url: &str) -> Result<reqwest::Client, SetupError> {
        self.client(base_url, reqwest::ClientBuilder::http1_only)
    }

    fn client(
        &self,
        base_url: &str,
        finish: fn(reqwest::ClientBuilder) -> reqwest::ClientBuilder,
    ) -> Result<reqwest::Client, SetupError> {
        let own = self.vars.non_blank(&self.platform.variable("PROXY")).map(str::to_owned);
        let proxies = Proxies::from_vars(&|name: &str| match (&own, name) {
            (Some(own), "ALL_PROXY" | "HTTPS_PROXY" | "HTTP_PROXY") => Some(own.clone()),
            _ => self.vars.get(name).map(str::to_owned),
        });
        let builder = hermes_llm::http::builder(base_url, CONNECT, &proxies);
        builder
            .and_then(|builder| finish(builder).build())
            .map_err(|error| SetupError::new(format!("no connection can be made: {error}")))
    }
}

impl fmt::Debug for AdapterSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdapterSetup")
            .field("platform", &self.platform.name)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    static PIGEON: Platform = Platform::named("pigeon", "PIGEON", "hermes-cli");

    #[test]
    fn variables_win_over_the_sections_and_extra_over_the_rest() {
        let config = json!({
            "platforms": {"pigeon": {
                "token": "b", "loft": "d", "wind": true, "extra": {"loft": "c", "names": ["x", 7]},
            }},
        });
        let vars: Vars = [("PIGEON_TOKEN".to_owned(), " a ".to_owned())].into_iter().collect();
        let setup = AdapterSetup::new(&PIGEON, &config, &vars);
        assert_eq!(setup.variable("PIGEON_TOKEN").as_deref(), Some("a"));
        assert_eq!(setup.variable("PIGEON_BOT_TOKEN").as_deref(), Some("b"));
        assert_eq!(setup.variable("PIGEON_LOFT").as_deref(), Some("c"));
        assert_eq!(setup.list("PIGEON_NAMES"), ["x", "7"]);
        assert!(setup.is_on("PIGEON_WIND", false));
        assert_eq!(setup.base_url("https://x/"), "https://x");
        assert!(setup.required("PIGEON_NONE").is_err());
    }
}

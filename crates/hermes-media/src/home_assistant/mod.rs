//! Home Assistant over its REST interface.
//!
//! Names are checked before anything is asked: they become part of an address, and some domains run commands or reach
//! other hosts, which is not what a model may do through a light switch ([`ServiceName::parse`]).

mod names;

use std::time::Duration;

use hermes_tool::Vars;
pub use names::{EntityId, NameError, ServiceName, is_domain};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::service::{Service, ServiceError};

/// Where it is unless the user says otherwise.
const USUAL: &str = "http://homeassistant.local:8123";
/// How long a list may take.
const LIST_TIME: Duration = Duration::from_secs(15);
/// How long everything else may take.
const TIME: Duration = Duration::from_secs(10);
/// Most bytes of an answer; a large house has a few megabytes of states.
const MAX_ANSWER: usize = 32 << 20;

/// The home automation of the user.
#[derive(Clone, Debug)]
pub struct HomeAssistant {
    service: Service,
    token: String,
}

impl HomeAssistant {
    /// With the token and address of these variables; none without a token.
    #[must_use]
    pub fn from_vars(vars: &Vars) -> Option<Self> {
        let token = vars.non_blank("HASS_TOKEN")?.to_owned();
        let address = vars.non_blank("HASS_URL").unwrap_or(USUAL);
        Some(Self { service: Service::new("Home Assistant", address, vars), token })
    }

    async fn get(
        &self,
        path: &str,
        time: Duration,
        cancel: &CancellationToken,
    ) -> Result<Value, ServiceError> {
        let call = self.service.get(path)?.bearer(&self.token).time(time).bytes(MAX_ANSWER);
        call.send(cancel).await?.json()
    }

    /// The things in the house, of a domain or an area if one is given.
    ///
    /// # Errors
    /// See [`ServiceError`].
    pub async fn entities(
        &self,
        domain: Option<&str>,
        area: Option<&str>,
        cancel: &CancellationToken,
    ) -> Result<Value, ServiceError> {
        let states = self.get("/api/states", LIST_TIME, cancel).await?;
        let area = area.map(str::to_lowercase);
        let entities: Vec<Value> = list(&states)
            .iter()
            .filter(|state| domain.is_none_or(|domain| is_in(domain, state)))
            .filter(|state| area.as_deref().is_none_or(|area| is_near(area, state)))
            .map(|state| {
                json!({"entity_id": state["entity_id"], "state": state["state"],
                    "friendly_name": state["attributes"]["friendly_name"]})
            })
            .collect();
        Ok(json!({"count": entities.len(), "entities": entities}))
    }

    /// How one thing is now.
    ///
    /// # Errors
    /// See [`ServiceError`].
    pub async fn state(
        &self,
        id: &EntityId,
        cancel: &CancellationToken,
    ) -> Result<Value, ServiceError> {
        let state = self.get(&format!("/api/states/{id}"), TIME, cancel).await?;
        let names = ["entity_id", "state", "attributes", "last_changed", "last_updated"];
        let fields = names.map(|name| (name.to_owned(), state[name].clone()));
        Ok(Value::Object(fields.into_iter().collect()))
    }

    /// What can be done, in all domains or one.
    ///
    /// # Errors
    /// See [`ServiceError`].
    pub async fn services(
        &self,
        domain: Option<&str>,
        cancel: &CancellationToken,
    ) -> Result<Value, ServiceError> {
        let all = self.get("/api/services", LIST_TIME, cancel).await?;
        let domains: Vec<Value> = list(&all)
            .iter()
            .filter(|entry| domain.is_none_or(|domain| entry["domain"] == domain))
            .map(|entry| json!({"domain": entry["domain"], "services": described(entry)}))
            .collect();
        Ok(json!({"count": domains.len(), "domains": domains}))
    }

    /// Does something. The thing named beside the data wins over one named in it.
    ///
    /// # Errors
    /// See [`ServiceError`].
    pub async fn act(
        &self,
        name: &ServiceName,
        entity: Option<&EntityId>,
        data: Map<String, Value>,
        cancel: &CancellationToken,
    ) -> Result<Value, ServiceError> {
        let mut data = data;
        if let Some(entity) = entity {
            data.insert("entity_id".to_owned(), entity.to_string().into());
        }
        let (domain, service) = (name.domain(), name.service());
        let call = self.service.post(&format!("/api/services/{domain}/{service}"))?;
        let call = call.bearer(&self.token).json(&Value::Object(data));
        let changed = call.time(LIST_TIME).bytes(MAX_ANSWER).send(cancel).await?.json()?;
        let affected: Vec<Value> = list(&changed)
            .iter()
            .map(|state| json!({"entity_id": state["entity_id"], "state": state["state"]}))
            .collect();
        Ok(json!({"success": true, "service": format!("{domain}.{service}"),
            "affected_entities": affected}))
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn is_in(domain: &str, state: &Value) -> bool {
    let id = state["entity_id"].as_str().unwrap_or_default();
    id.strip_prefix(domain).is_some_and(|rest| rest.starts_with('.'))
}

/// Whether the name or the area of a thing holds these letters; they are lower-case.
fn is_near(area: &str, state: &Value) -> bool {
    let attributes = &state["attributes"];
    ["friendly_name", "area"].iter().any(|name| {
        attributes[*name].as_str().is_some_and(|text| text.to_lowercase().contains(area))
    })
}

fn described(entry: &Value) -> Map<String, Value> {
    let services = entry["services"].as_object().into_iter().flatten();
    services
        .map(|(name, service)| {
            let mut about =
                json!({"description": service["description"].as_str().unwrap_or_default()});
            let fields: Map<String, Value> = service["fields"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(field, about)| {
                    let about = about["description"].as_str().unwrap_or_default();
                    (field.clone(), about.into())
                })
                .collect();
            if !fields.is_empty() {
                about["fields"] = Value::Object(fields);
            }
            (name.clone(), about)
        })
        .collect()
}

#[cfg(test)]
mod tests;

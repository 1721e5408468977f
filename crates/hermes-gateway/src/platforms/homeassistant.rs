//! Home Assistant: changes of chosen things wake a turn; answers are notifications.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::adapter::{
    Adapter, AdapterFuture, AdapterSetup, ChatKind, ChatSource, InboundEvent, InboundMessage,
    Inbox, LengthUnit, LinkError, MessageLimit, Outgoing, Platform, Receiving, SendError,
    SetupError, Socket, SocketEvent, Target, Variable, exchange,
};

static HOME_ASSISTANT: Platform = Platform {
    label: "Home Assistant",
    emoji: "🏠",
    required: &[
        Variable::open("HASS_URL", "Address (http://homeassistant.local:8123)"),
        Variable::secret("HASS_TOKEN", "Long-lived access token, from your profile there"),
    ],
    limit: MessageLimit { length: 4_096, unit: LengthUnit::Characters },
    vouches_for_all: true,
    is_event_source: true,
    ignores_strangers: true,
    open: |setup| Ok(Arc::new(HomeAssistant::new(&setup)?)),
    ..Platform::named("homeassistant", "HOMEASSISTANT", "hermes-homeassistant")
};
crate::register_platform!(&HOME_ASSISTANT);

/// The server is asked for a sign of life after half of this.
const SILENCE: Duration = Duration::from_secs(60);

/// Which changes are told.
#[derive(Clone, Debug, Default)]
struct Watch {
    domains: Vec<String>,
    entities: Vec<String>,
    ignored: Vec<String>,
    all: bool,
    cooldown: Duration,
}

struct HomeAssistant {
    http: reqwest::Client,
    socket_http: reqwest::Client,
    base: String,
    token: String,
    watch: Watch,
}

impl HomeAssistant {
    fn new(setup: &AdapterSetup) -> Result<Self, SetupError> {
        let base = setup.base_url(&setup.required("HASS_URL")?);
        Ok(Self {
            http: setup.http(&base)?,
            socket_http: setup.socket_http(&base)?,
            base,
            token: setup.required("HASS_TOKEN")?,
            watch: Watch {
                domains: setup.list("watch_domains"),
                entities: setup.list("watch_entities"),
                ignored: setup.list("ignore_entities"),
                all: setup.is_on("watch_all", false),
                cooldown: Duration::from_secs(setup.number("cooldown_seconds", 30)),
            },
        })
    }
}

impl Watch {
    fn wants(&self, entity: &str) -> bool {
        let domain = entity.split('.').next().unwrap_or_default();
        let is_watched = self.all
            || self.entities.iter().any(|one| one == entity)
            || self.domains.iter().any(|one| one == domain);
        is_watched && !self.ignored.iter().any(|one| one == entity)
    }
}

/// A change worth telling: the state is another one.
fn message_of(event: &Value, watch: &Watch) -> Option<InboundMessage> {
    let data = &event["event"]["data"];
    let entity = data["entity_id"].as_str()?;
    let (old, new) = (data["old_state"]["state"].as_str()?, data["new_state"]["state"].as_str()?);
    if old == new || !watch.wants(entity) {
        return None;
    }
    let name = data["new_state"]["attributes"]["friendly_name"].as_str().unwrap_or(entity);
    let unit = data["new_state"]["attributes"]["unit_of_measurement"].as_str().unwrap_or_default();
    let clean = crate::key::harmless;
    let id = event["event"]["context"]["id"].as_str().unwrap_or_default();
    Some(InboundMessage {
        source: ChatSource {
            platform: HOME_ASSISTANT.name.to_owned(),
            chat_id: entity.to_owned(),
            chat_name: Some(clean(name)),
            kind: ChatKind::Webhook,
            ..ChatSource::default()
        },
        message_id: format!("{id}-{}", event["event"]["time_fired"].as_str().unwrap_or_default()),
        text: format!(
            "[Home Assistant: {} ({entity}) changed from \"{}\" to \"{}\"{}. Act on it if that is \
             called for; otherwise say NO_REPLY.]",
            clean(name),
            clean(old),
            clean(new),
            if unit.is_empty() { String::new() } else { format!(" {}", clean(unit)) },
        ),
        ..InboundMessage::default()
    })
}

async fn hear(socket: &mut Socket) -> Result<Value, LinkError> {
    match socket.next(SILENCE).await? {
        SocketEvent::Json(told) => Ok(told),
        SocketEvent::Closed(_) => Err(LinkError::retry("Home Assistant has closed the connection")),
    }
}

async fn receive(mut socket: Socket, watch: Watch, inbox: Inbox) -> LinkError {
    let mut told_at: HashMap<String, Instant> = HashMap::new();
    let mut next = 2_u64;
    let mut beat = tokio::time::interval(SILENCE / 2);
    loop {
        let told = tokio::select! {
            told = hear(&mut socket) => told,
            _ = beat.tick() => {
                let ping = json!({"id": next, "type": "ping"});
                next += 1;
                match socket.send(&ping).await {
                    Ok(()) => continue,
                    Err(error) => return error,
                }
            }
        };
        let told = match told {
            Ok(told) => told,
            Err(error) => return error,
        };
        let Some(said) = message_of(&told, &watch) else { continue };
        let entity = said.source.chat_id.clone();
        if told_at.get(&entity).is_some_and(|at| at.elapsed() < watch.cooldown) {
            continue;
        }
        told_at.retain(|_, at| at.elapsed() < watch.cooldown);
        told_at.insert(entity, Instant::now());
        if let Err(error) = inbox.accept(vec![InboundEvent::Message(Box::new(said))], &[]).await {
            return error.into();
        }
    }
}

impl Adapter for HomeAssistant {
    fn connect(&self, inbox: Inbox) -> AdapterFuture<'_, Result<Receiving, LinkError>> {
        Box::pin(async move {
            let address = format!("{}/api/websocket", self.base);
            let mut socket = Socket::open(&self.socket_http, &address).await?;
            hear(&mut socket).await?;
            socket.send(&json!({"type": "auth", "access_token": self.token})).await?;
            if hear(&mut socket).await?["type"] != "auth_ok" {
                return Err(LinkError::fatal(
                    "Home Assistant does not accept the token",
                    "Make a new long-lived token on your profile page and put it into HASS_TOKEN.",
                ));
            }
            let wish = json!({"id": 1, "type": "subscribe_events", "event_type": "state_changed"});
            socket.send(&wish).await?;
            Ok(Box::pin(receive(socket, self.watch.clone(), inbox)) as Receiving)
        })
    }

    fn send<'a>(&'a self, message: &'a Outgoing) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let path = format!("{}/api/services/persistent_notification/create", self.base);
            let title = message.subject.clone().unwrap_or_else(|| "Hermes".to_owned());
            let id = format!("hermes-{:016x}", hermes_store::clock::random());
            let body =
                json!({"title": title, "message": message.content.text, "notification_id": id});
            let request = self.http.post(path).bearer_auth(&self.token).json(&body);
            exchange(request).await?.accepted("Home Assistant", &["message"])?;
            Ok(id)
        })
    }

    fn probe(&self) -> AdapterFuture<'_, Result<String, SendError>> {
        Box::pin(async move {
            let request = self.http.get(format!("{}/api/config", self.base));
            let found = exchange(request.bearer_auth(&self.token)).await?;
            let found = found.accepted("Home Assistant", &["message"])?;
            let text = |name: &str| found[name].as_str().unwrap_or_default().to_owned();
            Ok(format!("{} ({})", text("location_name"), text("version")))
        })
    }

    fn parse_target(&self, text: &str) -> Result<Target, String> {
        // Notifications have no addressee.
        Ok(Target::chat(text.trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_real_changes_of_watched_things_are_told() {
        let watch = Watch {
            domains: vec!["light".to_owned()],
            ignored: vec!["light.hall".to_owned()],
            ..Watch::default()
        };
        let event = |entity: &str, old: &str, new: &str| {
            json!({"type": "event", "event": {"time_fired": "t", "context": {"id": "c"}, "data": {
                "entity_id": entity, "old_state": {"state": old},
                "new_state": {"state": new, "attributes": {"friendly_name": "Lamp"}}}}})
        };
        let said = message_of(&event("light.desk", "off", "on"), &watch).unwrap();
        assert!(said.text.contains("Lamp (light.desk) changed from \"off\" to \"on\""));
        assert!(message_of(&event("light.desk", "on", "on"), &watch).is_none());
        assert!(message_of(&event("light.hall", "off", "on"), &watch).is_none());
        assert!(message_of(&event("switch.fan", "off", "on"), &watch).is_none());
    }
}

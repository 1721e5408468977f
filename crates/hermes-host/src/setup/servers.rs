//! Model servers of one's own.

use hermes_llm::discover::{self, LocalServer, ServerAddress, ServerKind};
use hermes_llm::http::Proxies;
use hermes_llm::{Endpoint, EndpointChoice, Secret, WireApi};
use hermes_tool::settings::Settings;

use super::{Candidate, ModelSetupError, SetupPrompter};
use crate::Host;

/// The variable that holds the key of an address that was typed in.
const KEY_VARIABLE: &str = "CUSTOM_API_KEY";

/// Where else servers are looked for.
#[derive(Settings)]
#[settings(path = "model", open)]
struct ServerPlaces {
    /// Addresses at which model servers are looked for, instead of the usual ports of this machine.
    local_servers: Option<Vec<String>>,
}

/// A server that answers, and what it can load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundServer {
    /// What people call it.
    pub title: &'static str,
    /// The provider's name, for `--provider`.
    pub provider: &'static str,
    /// Its address.
    pub base_url: String,
    /// Names of its models; at least one.
    pub models: Vec<String>,
}

impl FoundServer {
    pub(super) fn candidate(&self, model: &str) -> Candidate {
        of_address(&self.base_url, model, None)
    }
}

/// The servers that answer at the usual ports of this machine, or at the addresses of the settings.
pub async fn found_servers(host: &Host) -> Vec<FoundServer> {
    let places = ServerPlaces::read(host.config().value(), host.vars()).local_servers;
    let named = |base_url: String| ServerAddress { kind: ServerKind::LlamaCpp, base_url };
    let is_usual = places.is_none();
    let places = match places {
        Some(addresses) => addresses.into_iter().map(named).collect(),
        None => ServerAddress::usual(),
    };
    let mut found = Vec::new();
    for LocalServer { kind, base_url, models } in discover::local_servers(&places).await {
        // A usual port tells the kind; at any other address the server does.
        let kind = match is_usual {
            true => Some(kind),
            false => discover::server_kind(&base_url).await,
        };
        found.push(FoundServer {
            title: kind.map_or("A model server", ServerKind::title),
            provider: kind.map_or("custom", ServerKind::provider),
            base_url,
            models: models.into_iter().map(|model| model.id).collect(),
        });
    }
    found
}

/// Which of a server's models; nothing if the person has left.
pub(super) fn pick_model(
    prompter: &mut dyn SetupPrompter,
    server: &FoundServer,
) -> Result<Option<Candidate>, ModelSetupError> {
    let model = match server.models.as_slice() {
        [only] => only.clone(),
        several => match pick(prompter, several)? {
            Some(model) => model,
            None => return Ok(None),
        },
    };
    Ok(Some(server.candidate(&model)))
}

/// A server at an address that was typed in.
pub(super) async fn ask_address(
    host: &Host,
    prompter: &mut dyn SetupPrompter,
    address: &str,
) -> Result<Option<Candidate>, ModelSetupError> {
    let address = address.trim_end_matches('/');
    let Some(key) =
        prompter.ask_secret("Its key, if it wants one (is not shown while you type): ")?
    else {
        return Ok(None);
    };
    let key = Some(key).filter(|key| !key.is_empty());
    let mut endpoint = Endpoint::new(WireApi::Chat, address, "");
    endpoint.api_key = key.clone().map(Secret::new);
    let lookup = |name: &str| host.vars().get(name).map(str::to_owned);
    let models = discover::models(&endpoint, &Proxies::from_vars(&lookup)).await;
    let names: Vec<String> = models.into_iter().map(|model| model.id).collect();
    let model = match names.as_slice() {
        [] => prompter.ask("It does not tell its models. Model: ")?.filter(|name| !name.is_empty()),
        [only] => Some(only.clone()),
        several => pick(prompter, several)?,
    };
    Ok(model.map(|model| of_address(address, &model, key)))
}

fn pick(
    prompter: &mut dyn SetupPrompter,
    models: &[String],
) -> Result<Option<String>, ModelSetupError> {
    for (number, model) in (1..).zip(models) {
        prompter.say(&format!("  {number}  {model}"))?;
    }
    loop {
        let question = format!("Which model? 1–{}, Enter for the first: ", models.len());
        let Some(answer) = prompter.ask(&question)? else { return Ok(None) };
        let number = if answer.is_empty() { Ok(1) } else { answer.parse::<usize>() };
        let by_number = number.ok().and_then(|number| models.get(number.checked_sub(1)?));
        match by_number.or_else(|| models.iter().find(|model| **model == answer)) {
            Some(model) => return Ok(Some(model.clone())),
            None => prompter.say(&format!("{answer:?} is not one of them"))?,
        }
    }
}

fn of_address(base_url: &str, model: &str, key: Option<String>) -> Candidate {
    let mut settings = vec![
        ("model.provider", "custom".to_owned()),
        ("model.base_url", base_url.to_owned()),
        ("model.default", model.to_owned()),
    ];
    if key.is_some() {
        settings.push(("model.api_key", format!("${{{KEY_VARIABLE}}}")));
    }
    Candidate {
        choice: EndpointChoice {
            provider: Some("custom".to_owned()),
            model: Some(model.to_owned()),
            base_url: Some(base_url.to_owned()),
            api_key: key.clone().map(Secret::new),
        },
        settings,
        secret: key.map(|key| (KEY_VARIABLE.to_owned(), key)),
    }
}

//! The model that answers, and the keys. Keys come in and never go out again.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use hermes_host::{Host, ModelSources};
use hermes_llm::provider::{PROVIDERS, fallbacks, resolve};
use hermes_llm::{EndpointChoice, metadata};
use hermes_store::dotenv::{self, is_secret_name};
use serde_json::{Value, json};

use crate::app::App;
use crate::form::Fields;
use crate::problem::{PageProblem, PageResult};
use crate::view::Page;
use crate::visitor::Visitor;

/// A shorter key shows nothing of itself.
const MIN_FOR_TAIL: usize = 16;
/// Longest key.
const MAX_KEY: usize = 8_192;

pub(crate) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
) -> PageResult {
    let data = app.look(gather).await?;
    Ok(Page { template: "page_models", title: "Models & keys", here: "/models", data }
        .show(&visitor))
}

fn gather(host: &Host) -> Value {
    let lookup = |name: &str| host.vars().get(name).map(str::to_owned);
    let config = host.config().value();
    let (model, problem, chain) = match resolve(&EndpointChoice::default(), config, &lookup) {
        Ok(main) => {
            let family = metadata::family(&main.model);
            let price = family.and_then(|family| family.price);
            let chain: Vec<String> = fallbacks(config, &lookup, &main)
                .endpoints
                .iter()
                .map(|one| format!("{} by {}", one.model, one.provider))
                .collect();
            let model = json!({
                "name": main.model, "provider": main.provider, "address": main.base_url,
                "key": main.key_var, "window": main.context_length.or(family.map(|one| one.context)),
                "price": price.map(|price| json!({"input": price.input, "output": price.output})),
            });
            (model, None, chain)
        }
        Err(problem) => (Value::Null, Some(problem.to_string()), Vec::new()),
    };
    let mut shown: Vec<&str> = Vec::new();
    let mut keys: Vec<Value> = PROVIDERS
        .iter()
        .flat_map(|one| one.key_vars.iter().map(move |name| (one.title, *name)))
        .filter(|(_, name)| {
            let is_new = !shown.contains(name);
            shown.push(name);
            is_new
        })
        .map(|(title, name)| key_row(host, title, name))
        .collect();
    let known: Vec<&str> = PROVIDERS.iter().flat_map(|one| one.key_vars).copied().collect();
    let others: Vec<Value> = host
        .dotenv()
        .iter()
        .map(|(name, _)| name)
        .filter(|name| !known.contains(name))
        .map(|name| key_row(host, "", name))
        .collect();
    keys.sort_by_key(|key| key["set"] == false);
    let providers: Vec<Value> =
        PROVIDERS.iter().map(|one| json!({"name": one.name, "title": one.title})).collect();
    json!({"model": model, "problem": problem, "chain": chain, "keys_list": keys, "others": others,
        "providers": providers})
}

/// Whether a key is there, where it comes from, and how it ends.
fn key_row(host: &Host, title: &str, name: &str) -> Value {
    let (kept, given) = (host.dotenv().get(name), host.process_vars().non_blank(name));
    let value = kept.or(given).filter(|value| !value.trim().is_empty());
    let tail = value
        .filter(|value| is_secret_name(name) && value.chars().count() >= MIN_FOR_TAIL)
        .map(|value| {
            value.chars().rev().take(4).collect::<Vec<_>>().into_iter().rev().collect::<String>()
        });
    json!({"title": title, "name": name, "set": value.is_some(), "tail": tail,
        "from": if kept.is_some() { ".env" } else { "the environment" }})
}

pub(crate) async fn choose(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    body: Bytes,
) -> PageResult {
    let fields = Fields::parse(&body);
    let (model, provider) = (fields.some("model"), fields.some("provider"));
    let Some(model) = model else { return Err(PageProblem::refused("Name a model.")) };
    let said = app
        .look(move |host| {
            host.require_sound_config().map_err(|problem| problem.to_string())?;
            let sources = ModelSources::of(host);
            let choice =
                EndpointChoice { provider, model: Some(model), ..EndpointChoice::default() };
            // Only what can be asked is remembered.
            let endpoint = sources.endpoint(&choice).map_err(|problem| problem.to_string())?;
            sources.remember(&endpoint).map_err(|problem| problem.to_string())?;
            Ok::<_, String>(format!(
                "{} ({}) answers from now on.",
                endpoint.model, endpoint.provider
            ))
        })
        .await?
        .map_err(PageProblem::refused)?;
    app.note(&visitor, "choose model", &said);
    Ok(visitor.to_saying("/models", said))
}

pub(crate) async fn key(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    body: Bytes,
) -> PageResult {
    let fields = Fields::parse(&body);
    let name = fields.text("name").to_owned();
    if !is_secret_name(&name) || name.contains('.') {
        let text =
            format!("`{name}` is no name of a key. Other settings are on the page Settings.");
        return Err(PageProblem::refused(text));
    }
    let value = fields.some("value");
    if value.as_ref().is_some_and(|value| value.len() > MAX_KEY) {
        return Err(PageProblem::refused("This is too long for a key."));
    }
    let is_unset = fields.text("act") == "unset";
    let (named, kept) = (name.clone(), value);
    let said = app
        .look(move |host| {
            let file = host.home().env_file();
            match (is_unset, kept) {
                (true, _) => dotenv::unset(&file, &named)
                    .map(|was| if was { "Removed." } else { "It is not in .env." }.to_owned())
                    .map_err(|problem| problem.to_string()),
                (false, Some(value)) => dotenv::set(&file, &named, &value)
                    .map(|_| format!("{named} is stored."))
                    .map_err(|problem| problem.to_string()),
                (false, None) => Err("Nothing was entered.".to_owned()),
            }
        })
        .await?
        .map_err(PageProblem::refused)?;
    app.note(&visitor, if is_unset { "remove key" } else { "store key" }, &name);
    Ok(visitor.to_saying("/models", said))
}

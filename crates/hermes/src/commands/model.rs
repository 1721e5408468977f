//! `hermes model`: which model is asked, and which could be.

use hermes_host::ModelSources;
use hermes_llm::provider::PROVIDERS;
use hermes_llm::{EndpointChoice, metadata};
use serde_json::json;

use crate::args::ModelCommand;
use crate::exit::Exit;
use crate::host::{self, Host};
use crate::ui::{Cell, Table, Ui};

/// Runs one of the subcommands; without one, shows the model in force.
pub(crate) fn run(
    command: Option<&ModelCommand>,
    host: &Host,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    match command {
        None | Some(ModelCommand::Show { json: false }) => show(host, ui, Form::People),
        Some(ModelCommand::Show { json: true }) => show(host, ui, Form::Programs),
        Some(ModelCommand::Set { model, provider }) => set(host, model, provider.as_deref(), ui),
        Some(ModelCommand::Providers { json }) => {
            providers(host, if *json { Form::Programs } else { Form::People }, ui)
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    People,
    Programs,
}

fn show(host: &Host, ui: &mut Ui, form: Form) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    let endpoint = ModelSources::of(host).endpoint(&EndpointChoice::default())?;
    let family = metadata::family(&endpoint.model);
    let window = endpoint.context_length.or(family.map(|family| family.context));
    let price = family.and_then(|family| family.price);
    if form == Form::Programs {
        ui.json(&json!({
            "model": endpoint.model,
            "provider": endpoint.provider,
            "base_url": endpoint.server.is_none().then_some(&endpoint.base_url),
            "context_length": window,
            "key": endpoint.key_var,
            "price_per_million_usd": price.map(|price| json!({"input": price.input, "output": price.output})),
        }))?;
        return Ok(Exit::Done);
    }
    let model = if endpoint.model.is_empty() { "(the server's own)" } else { &endpoint.model };
    ui.line(format_args!("model     {model}"))?;
    ui.line(format_args!("provider  {}", endpoint.provider))?;
    match endpoint.server {
        Some(_) => ui.line("address   on this machine; it is started when it is asked")?,
        None => ui.line(format_args!("address   {}", endpoint.base_url))?,
    }
    match &endpoint.key_var {
        Some(name) => ui.line(format_args!("key       {name}"))?,
        None if endpoint.api_key.is_some() => ui.line("key       from config.yaml")?,
        None => ui.line("key       none")?,
    }
    if let Some(window) = window {
        ui.line(format_args!("window    {window} tokens"))?;
    }
    if let Some(price) = price {
        ui.line(format_args!(
            "price     ${} in, ${} out, a million tokens",
            price.input, price.output
        ))?;
    }
    Ok(Exit::Done)
}

fn set(host: &Host, model: &str, provider: Option<&str>, ui: &mut Ui) -> anyhow::Result<Exit> {
    host.require_sound_config()?;
    let sources = ModelSources::of(host);
    let choice = EndpointChoice {
        provider: provider.map(str::to_owned),
        model: Some(model.to_owned()),
        ..EndpointChoice::default()
    };
    // Only what can be asked is remembered.
    let endpoint = sources.endpoint(&choice)?;
    sources.remember(&endpoint)?;
    ui.line(format_args!("{} ({}) answers from now on", endpoint.model, endpoint.provider))?;
    Ok(Exit::Done)
}

fn providers(host: &Host, form: Form, ui: &mut Ui) -> anyhow::Result<Exit> {
    let has_key = |vars: &[&str]| vars.iter().any(|name| host.vars().non_blank(name).is_some());
    if form == Form::Programs {
        let list: Vec<_> = PROVIDERS
            .iter()
            .map(|one| {
                json!({"name": one.name, "title": one.title, "aliases": one.aliases,
                    "base_url": one.base_url, "keys": one.key_vars, "has_key": has_key(one.key_vars)})
            })
            .collect();
        ui.json(&list)?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(["provider", "key", "is set", "address"]).wrapped();
    for one in PROVIDERS {
        let set = if has_key(one.key_vars) { "yes" } else { "" };
        table.row([
            Cell::from(one.name),
            Cell::from(one.key_vars.first().copied().unwrap_or_default()),
            Cell::from(set),
            Cell::dim(one.base_url),
        ]);
    }
    ui.table(&table)?;
    Ok(Exit::Done)
}

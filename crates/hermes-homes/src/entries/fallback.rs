//! `hermes fallback`: the models that stand in when the first cannot answer.

use clap::{Args, Subcommand};
use hermes_host::{Host, UsageError};
use hermes_llm::EndpointChoice;
use hermes_llm::provider::{fallbacks, resolve};
use hermes_skills::report::{ReportTable, VerbReport};
use hermes_store::config::Config;
use hermes_store::config_edit::{self, Edit};
use hermes_store::key_path::KeyPath;
use serde_json::{Map, Value, json};

/// The setting that names them.
const SETTING: &str = "fallback_providers";

/// What can be done with them.
#[derive(Clone, Debug, Subcommand)]
pub enum FallbackVerb {
    /// The models in the order in which they are tried
    List {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Put a model at the end
    Add(AddFallback),
    /// Take a model out
    Remove {
        /// Its number in the list, or its name
        which: String,
    },
    /// Take all of them out
    Clear,
}

/// A model that is to stand in, as config.yaml will name it.
#[derive(Clone, Debug, Args)]
pub struct AddFallback {
    /// The model, as the provider names it
    model: String,
    /// Who serves it
    #[arg(long)]
    provider: Option<String>,
    /// Where it is served
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
}

impl FallbackVerb {
    /// What of the rules it changes, so that a model may not do it through a command.
    #[must_use]
    pub fn changes(&self) -> Option<&'static str> {
        (!matches!(self, Self::List { .. })).then_some("change settings")
    }

    /// Does it.
    ///
    /// # Errors
    /// A [`UsageError`] where a model is to go that does not stand in; else if the settings are broken, cannot be written,
    /// or a model is to stand in that could not be asked.
    pub fn run(&self, host: &Host) -> anyhow::Result<VerbReport> {
        match self {
            Self::List { json: false } => list(host),
            Self::List { json: true } => {
                Ok(VerbReport::json(&entries(host)?.iter().map(without_key).collect::<Vec<_>>()))
            }
            Self::Add(args) => add(args, host),
            Self::Remove { which } => remove(which, host),
            Self::Clear => {
                host.require_sound_config()?;
                config_edit::unset(&host.home().config_file(), &KeyPath::parse(SETTING)?)?;
                Ok(VerbReport::text("No model stands in any more."))
            }
        }
    }
}

/// The entries as they are written.
fn entries(host: &Host) -> anyhow::Result<Vec<Value>> {
    let file = host.home().config_file();
    if !file.exists() {
        return Ok(Vec::new());
    }
    let config = Config::load_unexpanded(&file)?;
    Ok(config.get(SETTING).and_then(Value::as_array).cloned().unwrap_or_default())
}

/// A key may stand beside an address; it is not shown.
fn without_key(entry: &Value) -> Value {
    let mut entry = entry.clone();
    if let Some(parts) = entry.as_object_mut() {
        parts.remove("api_key");
    }
    entry
}

fn list(host: &Host) -> anyhow::Result<VerbReport> {
    let entries = entries(host)?;
    if entries.is_empty() {
        return Ok(VerbReport::text(
            "No model stands in. `hermes fallback add MODEL --provider NAME` names one.",
        ));
    }
    let mut table = ReportTable::new(["", "model", "provider", "address"]).minor(&[3]).wrapped();
    for (number, entry) in entries.iter().enumerate() {
        let part = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let model = entry.as_str().map_or_else(|| part("model"), str::to_owned);
        table.row([(number + 1).to_string(), model, part("provider"), part("base_url")]);
    }
    let mut report = VerbReport::table(table);
    let lookup = |name: &str| host.vars().get(name).map(str::to_owned);
    if let Ok(current) = resolve(&EndpointChoice::default(), host.config().value(), &lookup) {
        let standing_in = fallbacks(host.config().value(), &lookup, &current);
        report = report.warned(standing_in.problems);
    }
    Ok(report)
}

fn add(args: &AddFallback, host: &Host) -> anyhow::Result<VerbReport> {
    host.require_sound_config()?;
    let lookup = |name: &str| host.vars().get(name).map(str::to_owned);
    let choice = EndpointChoice {
        provider: args.provider.clone(),
        model: Some(args.model.clone()),
        base_url: args.base_url.clone(),
        ..EndpointChoice::default()
    };
    // Only what can be asked is remembered.
    let endpoint = resolve(&choice, host.config().value(), &lookup)?;
    let mut entry = Map::new();
    entry.insert("provider".to_owned(), json!(endpoint.provider));
    entry.insert("model".to_owned(), json!(endpoint.model));
    if let Some(url) = &args.base_url {
        entry.insert("base_url".to_owned(), json!(url));
    }
    let edit = Edit::PushNew(KeyPath::parse(SETTING)?, Value::Object(entry));
    config_edit::apply(&host.home().config_file(), &[edit])?;
    Ok(VerbReport::text(format!(
        "{} ({}) stands in when the models before it cannot answer",
        endpoint.model, endpoint.provider
    )))
}

fn remove(which: &str, host: &Host) -> anyhow::Result<VerbReport> {
    host.require_sound_config()?;
    let entries = entries(host)?;
    let is_meant = |(number, entry): &(usize, &Value)| {
        which.parse().is_ok_and(|wanted: usize| wanted == number + 1)
            || entry["model"].as_str().or(entry.as_str()) == Some(which)
    };
    let Some((_, entry)) = entries.iter().enumerate().find(is_meant) else {
        return Err(UsageError::new(format!(
            "no model {which:?} stands in\n  `hermes fallback list` shows them"
        ))
        .into());
    };
    let path = KeyPath::parse(SETTING)?;
    config_edit::remove_item(&host.home().config_file(), &path, entry.clone())?;
    Ok(VerbReport::text(format!("{which} does not stand in any more")))
}

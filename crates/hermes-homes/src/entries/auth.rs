//! `hermes auth`, `login`, `logout`: the keys of model providers, in `.env`. A key is written and never shown.

use clap::Subcommand;
use hermes_host::setup::SetupPrompter;
use hermes_host::{Host, UsageError};
use hermes_llm::provider::{PROVIDERS, ProviderEntry, find};
use hermes_protocol::text::nearest;
use hermes_skills::report::{ReportTable, VerbReport};
use hermes_store::dotenv;
use serde_json::json;

/// Longest key.
const LONGEST_KEY: usize = 4_096;

/// What can be done with keys.
#[derive(Clone, Debug, Subcommand)]
pub enum AuthVerb {
    /// Which providers have a key
    List {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Store the key of a provider; it is asked for, or read from stdin
    Add {
        /// The provider: openrouter, anthropic, …
        provider: String,
    },
    /// Forget the key of a provider
    Remove {
        /// The provider
        provider: String,
    },
}

impl AuthVerb {
    /// What of the rules it changes, so that a model may not do it through a command.
    #[must_use]
    pub fn changes(&self) -> Option<&'static str> {
        (!matches!(self, Self::List { .. })).then_some("change keys")
    }

    /// Does it. `out` is asked for a key, unseen.
    ///
    /// # Errors
    /// A [`UsageError`] for an unknown provider, one without a key of its own, or what cannot be a key; else if `.env`
    /// cannot be written or nobody can be asked.
    pub fn run(&self, host: &Host, out: &mut dyn SetupPrompter) -> anyhow::Result<VerbReport> {
        match self {
            Self::List { json } => Ok(list(host, *json)),
            Self::Add { provider } => add(provider, host, out),
            Self::Remove { provider } => remove(provider, host),
        }
    }
}

fn list(host: &Host, as_json: bool) -> VerbReport {
    let keyed = PROVIDERS.iter().filter(|one| !one.key_vars.is_empty());
    if as_json {
        let list = keyed.map(
            |one| json!({"provider": one.name, "variables": one.key_vars, "set": key_of(one, host)}),
        );
        return VerbReport::json(&list.collect::<Vec<_>>());
    }
    let mut table = ReportTable::new(["provider", "key", "is set"]).minor(&[1]);
    for one in keyed {
        let variable = one.key_vars.first().copied().unwrap_or_default();
        let set = key_of(one, host).unwrap_or_default();
        table.row([one.name.to_owned(), variable.to_owned(), set]);
    }
    VerbReport::table(table)
}

/// Which variable holds a provider's key, and whether that is in `.env` or only in the environment.
fn key_of(provider: &ProviderEntry, host: &Host) -> Option<String> {
    let name = provider.key_vars.iter().find(|name| host.vars().non_blank(name).is_some())?;
    Some(match host.dotenv().get(name) {
        Some(_) => format!("{name} in .env"),
        None => format!("{name} in the environment"),
    })
}

fn keyed(name: &str) -> Result<&'static ProviderEntry, UsageError> {
    let known = || PROVIDERS.iter().map(|one| one.name);
    let Some(provider) = find(name) else {
        let near = nearest(name, known());
        return Err(UsageError::unknown("provider", name, near, "hermes auth list"));
    };
    if provider.key_vars.is_empty() {
        return Err(UsageError::new(format!(
            "{} is not asked with a key of its own; `api_key` beside `base_url` in config.yaml gives one",
            provider.name
        )));
    }
    Ok(provider)
}

fn add(name: &str, host: &Host, out: &mut dyn SetupPrompter) -> anyhow::Result<VerbReport> {
    let provider = keyed(name)?;
    let question = format!("Key of {} (it is not shown): ", provider.title);
    let key = out.ask_secret(&question)?.unwrap_or_default();
    let key = key.trim();
    if key.is_empty() || key.len() > LONGEST_KEY || key.contains(char::is_whitespace) {
        return Err(UsageError::new(
            "that is no key: it is empty, too long, or has a space in it; nothing was changed",
        )
        .into());
    }
    // An older variable of the provider would be looked at second; the new one counts.
    let Some(variable) = provider.key_vars.first() else { return Ok(VerbReport::text("")) };
    dotenv::set(&host.home().env_file(), variable, key)?;
    Ok(VerbReport::text(format!("{variable} is in {}", host.home().env_file().display()))
        .noted(["(`hermes doctor` tries it)"]))
}

fn remove(name: &str, host: &Host) -> anyhow::Result<VerbReport> {
    let provider = keyed(name)?;
    let mut removed = Vec::new();
    for variable in provider.key_vars {
        if dotenv::unset(&host.home().env_file(), variable)? {
            removed.push(*variable);
        }
    }
    let text = match removed.is_empty() {
        true => format!("there was no key of {} in .env", provider.name),
        false => format!("{} is no longer in .env", removed.join(", ")),
    };
    let elsewhere =
        provider.key_vars.iter().filter(|name| host.process_vars().non_blank(name).is_some());
    Ok(VerbReport::text(text).warned(
        elsewhere.map(|name| format!("{name} is set in the environment, too, and still counts")),
    ))
}

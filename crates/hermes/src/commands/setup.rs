//! `hermes setup`: from nothing to a model that answers, in three questions.
//!
//! The key is read without being shown and goes to `.env`, which only its owner can read; nothing else
//! is stored but the names of provider and model.

use std::io::{IsTerminal as _, Write as _};

use anyhow::Context as _;
use hermes_llm::discover::{self, LocalServer, ServerAddress};
use hermes_llm::provider::{PROVIDERS, ProviderEntry};
use hermes_store::key_path::KeyPath;
use hermes_store::{config_edit, dotenv};
use nix::sys::termios::{LocalFlags, SetArg, tcgetattr, tcsetattr};
use owo_colors::OwoColorize as _;
use serde_json::Value;

use crate::exit::{Exit, UsageError};
use crate::host::Host;
use crate::ui::Ui;
use crate::workers::block_on;

/// Providers offered first.
const OFFERED: &[&str] = &["openrouter", "anthropic", "openai-api", "nous", "gemini", "deepseek"];

/// Asks, stores, and says how to begin.
pub(crate) fn run(host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host.require_sound_config()?;
    if !std::io::stdin().is_terminal() {
        return Err(UsageError::new(
            "setup asks questions and needs a terminal\n  without one: hermes config set \
             OPENROUTER_API_KEY KEY && hermes model set MODEL --provider openrouter",
        )
        .into());
    }
    ui.note("Looking for model servers on this machine …")?;
    let local = find_local();
    let providers: Vec<&ProviderEntry> =
        OFFERED.iter().filter_map(|name| PROVIDERS.iter().find(|one| one.name == *name)).collect();
    ui.line("Who serves the model?".bold())?;
    for (number, provider) in (1..).zip(&providers) {
        ui.line(format_args!("  {number}  {}", provider.title))?;
    }
    for (number, found) in (providers.len() + 1..).zip(&local) {
        let what = found.kind.title();
        ui.line(format_args!("  {number}  {what} at {} (found here)", found.base_url))?;
    }
    let last = providers.len() + local.len();
    let Some(choice) = ask_number(&format!("1–{last}, Enter to leave: "), last)? else {
        ui.note("Nothing was changed.")?;
        return Ok(Exit::Done);
    };
    match providers.get(choice - 1) {
        Some(provider) => cloud(host, provider, ui),
        None => match local.get(choice - 1 - providers.len()) {
            Some(found) => own_server(host, found, ui),
            None => Ok(Exit::Usage),
        },
    }
}

fn find_local() -> Vec<LocalServer> {
    block_on(discover::local_servers(&ServerAddress::usual()))
}

fn cloud(host: &Host, provider: &ProviderEntry, ui: &mut Ui) -> anyhow::Result<Exit> {
    let Some(variable) = provider.key_vars.first() else {
        return Err(UsageError::new(format!("{} takes no key", provider.title)).into());
    };
    let has_key = host.vars().non_blank(variable).is_some();
    let question = if has_key {
        format!("{variable} is set; Enter keeps it, or type another: ")
    } else {
        format!("{variable} (is not shown while you type): ")
    };
    let key = ask_secret(&question)?;
    if key.is_empty() && !has_key {
        ui.note("Nothing was changed.")?;
        return Ok(Exit::Done);
    }
    let model = ask(&match provider.default_model {
        "" => "Model: ".to_owned(),
        default => format!("Model (Enter for {default}): "),
    })?;
    let model = if model.is_empty() { provider.default_model.to_owned() } else { model };
    if model.is_empty() {
        return Err(UsageError::new("a model is needed; nothing was changed").into());
    }
    if !key.is_empty() {
        dotenv::set(&host.home().env_file(), variable, &key)?;
        ui.line(format_args!("{variable} stored in {}", host.home().env_file().display()))?;
    }
    remember(host, &[("model.provider", provider.name), ("model.default", &model)])?;
    done(&model, ui)
}

fn own_server(host: &Host, found: &LocalServer, ui: &mut Ui) -> anyhow::Result<Exit> {
    for (number, model) in (1..).zip(&found.models) {
        ui.line(format_args!("  {number}  {}", model.id))?;
    }
    let model = match found.models.as_slice() {
        [] => anyhow::bail!("{} has no model loaded", found.base_url),
        [only] => only.id.clone(),
        several => {
            let last = several.len();
            let Some(choice) = ask_number(&format!("Which model? 1–{last}: "), last)? else {
                ui.note("Nothing was changed.")?;
                return Ok(Exit::Done);
            };
            several[choice - 1].id.clone()
        }
    };
    remember(
        host,
        &[
            ("model.provider", "custom"),
            ("model.base_url", &found.base_url),
            ("model.default", &model),
        ],
    )?;
    done(&model, ui)
}

fn remember(host: &Host, settings: &[(&str, &str)]) -> anyhow::Result<()> {
    for (key, value) in settings {
        let path = KeyPath::parse(key)?;
        config_edit::set(&host.home().config_file(), &path, Value::from(*value))?;
    }
    Ok(())
}

fn done(model: &str, ui: &mut Ui) -> anyhow::Result<Exit> {
    ui.line(format_args!("{model} answers from now on. Begin with: {}", "hermes".bold()))?;
    Ok(Exit::Done)
}

fn ask(question: &str) -> anyhow::Result<String> {
    let mut out = anstream::stderr();
    write!(out, "{question}")?;
    out.flush()?;
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).context("read an answer")?;
    Ok(line.trim().to_owned())
}

/// A number from one on; `None` for an empty line.
fn ask_number(question: &str, last: usize) -> anyhow::Result<Option<usize>> {
    loop {
        let line = ask(question)?;
        if line.is_empty() {
            return Ok(None);
        }
        match line.parse() {
            Ok(number) if (1..=last).contains(&number) => return Ok(Some(number)),
            _ => writeln!(anstream::stderr(), "{line:?} is not one of them")?,
        }
    }
}

/// A line that is not shown while it is typed.
fn ask_secret(question: &str) -> anyhow::Result<String> {
    let stdin = std::io::stdin();
    let shown = tcgetattr(&stdin).context("look at the terminal")?;
    let mut hidden = shown.clone();
    hidden.local_flags.remove(LocalFlags::ECHO);
    tcsetattr(&stdin, SetArg::TCSANOW, &hidden).context("hide what is typed")?;
    let line = ask(question);
    let back = tcsetattr(&stdin, SetArg::TCSANOW, &shown).context("show what is typed");
    writeln!(anstream::stderr())?;
    back?;
    line
}

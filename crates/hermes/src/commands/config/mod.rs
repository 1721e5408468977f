//! `hermes config`: the settings file.
//!
//! Reading is done on the file as it is: a broken one is an error with its place, since nothing
//! true can be said about it. Writing goes through `hermes_store::config_edit`, which changes the
//! lines in question and keeps the rest, comments included. Names of secrets never reach the file:
//! they are variables and live in `.env`.
//!
//! What never happens here: a secret is printed, a broken file is written, a value is refused
//! because this build does not know its key.

mod secrets;

use std::path::Path;

use anyhow::Context;
use hermes_store::config::{Config, MASK, expand, masked};
use hermes_store::config_edit::{self, EditReport, parse_cli_value};
use hermes_store::config_keys::{KeyInfo, KeyTable, check};
use hermes_store::dotenv::{self, is_secret_name};
use hermes_store::key_path::KeyPath;
use serde_json::{Value, json};

use self::secrets::{get_secret, lives_in_dotenv};
use crate::args::ConfigCommand;
use crate::exit::{Exit, UsageError, nearest};
use crate::host::Host;
use crate::ui::{Cell, Table, Ui, count};

/// Runs one of the subcommands.
pub(crate) fn run(command: &ConfigCommand, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    match command {
        ConfigCommand::Show { json } => show(host, *json, ui),
        ConfigCommand::Get { key } => get(host, key, ui),
        ConfigCommand::Set { key, value } => set(host, key, value, ui),
        ConfigCommand::Unset { key } => unset(host, key, ui),
        ConfigCommand::Path => {
            ui.line(host.home().config_file().display())?;
            Ok(Exit::Done)
        }
        ConfigCommand::Edit => edit(host, ui),
        ConfigCommand::Check { file: Some(file), json } => {
            // The user's own file may be missing; one that is named should be there.
            std::fs::metadata(file).with_context(|| format!("read {}", file.display()))?;
            check_file(file, *json, ui)
        }
        ConfigCommand::Check { file: None, json } => {
            check_file(&host.home().config_file(), *json, ui)
        }
        ConfigCommand::Keys { json } => keys(*json, ui),
    }
}

fn show(host: &Host, json: bool, ui: &mut Ui) -> anyhow::Result<Exit> {
    host.require_sound_config()?;
    // Unexpanded, so that a secret referred to as ${NAME} is shown by its name.
    let config = Config::load_unexpanded(&host.home().config_file())?;
    let shown = masked(config.value());
    if json {
        ui.json(&shown)?;
    } else {
        ui.note(format_args!("# {}", host.home().config_file().display()))?;
        match &shown {
            Value::Object(fields) if fields.is_empty() => {
                ui.note("# empty: every setting has its default (`hermes config keys`)")?;
            }
            fields => ui.line(serde_saphyr::to_string(fields)?.trim_end())?,
        }
        let secrets: Vec<&str> = host.dotenv().iter().map(|(name, _)| name).collect();
        if !secrets.is_empty() {
            let file = host.home().env_file();
            ui.note(format_args!("# {} sets {}", file.display(), secrets.join(", ")))?;
        }
    }
    Ok(Exit::Done)
}

fn get(host: &Host, key: &str, ui: &mut Ui) -> anyhow::Result<Exit> {
    if lives_in_dotenv(key) {
        return get_secret(host, key, ui);
    }
    host.require_sound_config()?;
    let path = key_path(key)?;
    // Expanded, for this is the value in force; but not the secrets it refers to.
    let mut config = Config::load_unexpanded(&host.home().config_file())?.into_value();
    expand(&mut config, &|name| {
        let value = host.vars().get(name)?;
        Some(if is_secret_name(name) { MASK } else { value }.to_owned())
    });
    let found = match path.find(&config) {
        Some(value) => value.clone(),
        None => match KeyTable::linked().find(path.segments()) {
            Some(known) if !known.default.is_empty() => {
                ui.note("(not set; this is the default)")?;
                parse_cli_value(&known.default)
            }
            Some(_) => {
                ui.note(format_args!("{key} is not set and has no default"))?;
                return Ok(Exit::Failed);
            }
            None => {
                return Err(UsageError::unknown(
                    "setting",
                    key,
                    nearest(key, shown_keys().map(|known| known.path.as_str())),
                    "hermes config keys",
                )
                .into());
            }
        },
    };
    let last = path.segments().last().map_or("", String::as_str);
    match masked(&json!({last: found}))[last].take() {
        Value::String(text) => ui.line(text)?,
        other => ui.json(&other)?,
    }
    Ok(Exit::Done)
}

fn set(host: &Host, key: &str, value: &str, ui: &mut Ui) -> anyhow::Result<Exit> {
    if lives_in_dotenv(key) {
        dotenv::set(&host.home().env_file(), key, value)?;
        ui.line(format_args!("{key} stored in {}", host.home().env_file().display()))?;
        return Ok(Exit::Done);
    }
    let path = key_path(key)?;
    let report = config_edit::set(&host.home().config_file(), &path, parse_cli_value(value))?;
    tell_lost_comments(&report, ui)?;
    ui.line(format_args!("{key} set in {}", host.home().config_file().display()))?;
    warn_about(&host.home().config_file(), path.top(), ui)?;
    Ok(Exit::Done)
}

fn unset(host: &Host, key: &str, ui: &mut Ui) -> anyhow::Result<Exit> {
    if lives_in_dotenv(key) {
        if dotenv::unset(&host.home().env_file(), key)? {
            ui.line(format_args!("{key} removed from {}", host.home().env_file().display()))?;
            return Ok(Exit::Done);
        }
        return Err(UsageError::new(format!(
            "{key} is not in {}",
            host.home().env_file().display()
        ))
        .into());
    }
    let path = key_path(key)?;
    host.require_sound_config()?;
    if path.find(host.config().value()).is_none() {
        return Err(UsageError::new(format!("{key} is not set; nothing was changed")).into());
    }
    let report = config_edit::unset(&host.home().config_file(), &path)?;
    tell_lost_comments(&report, ui)?;
    ui.line(format_args!("{key} removed from {}", host.home().config_file().display()))?;
    Ok(Exit::Done)
}

fn edit(host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| host.process_vars().non_blank(name))
        .ok_or_else(|| {
        UsageError::new(format!(
            "no editor: set VISUAL or EDITOR, or edit {} yourself",
            host.home().config_file().display()
        ))
    })?;
    let file = host.home().config_file();
    // Editors do not make the folder of a new file.
    hermes_store::home::ensure_private_dir(host.home().root())?;
    // The editor is the person's own program: it has no use for the keys in `.env`.
    hermes_tui::external_editor::open_in_editor(editor, &file, host.process_vars())?;
    check_file(&file, false, ui)
}

fn check_file(file: &Path, json: bool, ui: &mut Ui) -> anyhow::Result<Exit> {
    let config = match Config::load_unexpanded(file) {
        Ok(config) => config,
        Err(problem) if json => {
            ui.json(&json!({
                "file": file, "valid": false, "line": problem.line(), "error": problem.to_string()
            }))?;
            return Ok(Exit::Failed);
        }
        Err(problem) => return Err(problem.into()),
    };
    let findings = check(config.value());
    if json {
        let findings: Vec<Value> = findings
            .iter()
            .map(|finding| json!({"path": finding.path, "problem": finding.to_string()}))
            .collect();
        ui.json(&json!({"file": file, "valid": true, "findings": findings}))?;
        return Ok(Exit::Done);
    }
    for finding in &findings {
        ui.warn(finding)?;
    }
    let state = match (file.exists(), findings.len()) {
        (false, _) => "does not exist; every setting has its default".to_owned(),
        (true, 0) => "is fine".to_owned(),
        (true, 1) => "has 1 warning".to_owned(),
        (true, count) => format!("has {count} warnings"),
    };
    ui.line(format_args!("{} {state}", file.display()))?;
    Ok(Exit::Done)
}

fn keys(json: bool, ui: &mut Ui) -> anyhow::Result<Exit> {
    if json {
        let keys: Vec<Value> = shown_keys()
            .map(|key| {
                json!({"path": key.path, "kind": key.kind.to_string(), "default": key.default,
                       "about": key.about, "variable": key.variable})
            })
            .collect();
        ui.json(&keys)?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(["key", "default", "about"]).wrapped();
    for key in shown_keys() {
        table.row([key.path.as_str().into(), Cell::dim(key.default.as_str()), key.about.into()]);
    }
    ui.table(&table)?;
    Ok(Exit::Done)
}

/// The settings people are told of: not the older spellings.
fn shown_keys() -> impl Iterator<Item = &'static KeyInfo> {
    KeyTable::linked().keys().iter().filter(|key| !key.hidden)
}

fn key_path(key: &str) -> anyhow::Result<KeyPath> {
    KeyPath::parse(key).map_err(|problem| UsageError::new(problem.to_string()).into())
}

/// Tells about settings that look like mistakes, of one section only.
fn warn_about(file: &Path, top: &str, ui: &mut Ui) -> anyhow::Result<()> {
    let config = Config::load_unexpanded(file)?;
    for finding in check(config.value()) {
        if KeyPath::parse(&finding.path).is_ok_and(|path| path.top() == top) {
            ui.warn(finding)?;
        }
    }
    Ok(())
}

/// An edit that had to print a block anew says which comments are gone and where they were kept.
pub(crate) fn tell_lost_comments(report: &EditReport, ui: &mut Ui) -> anyhow::Result<()> {
    if let Some(backup) = &report.backup {
        ui.warn(format_args!(
            "{} could not be kept; the file as it was is {}",
            count(report.lost_comments.len(), "comment"),
            backup.display()
        ))?;
    }
    Ok(())
}

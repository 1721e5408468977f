//! The settings, as a form made from what the program declares, and as the file itself.

use std::sync::PoisonError;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::response::Response;
use hermes_host::Host;
use hermes_store::atomic::{self, WriteOptions};
use hermes_store::config::{Config, MASK, masked};
use hermes_store::config_edit::{self, parse_cli_value};
use hermes_store::config_keys::{KeyInfo, KeyTable, Kind, check};
use hermes_store::dotenv::is_secret_name;
use hermes_store::key_path::KeyPath;
use hermes_store::lock::{EDIT_WAIT, FileLock, Wait, lock_path};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::form::Fields;
use crate::problem::{PageProblem, PageResult};
use crate::view::Page;
use crate::visitor::Visitor;

/// Largest file that is written here, in bytes.
const MAX_FILE: usize = 1024 * 1024;

/// Which settings.
#[derive(Default, Deserialize)]
pub(crate) struct Wanted {
    #[serde(default)]
    section: String,
    #[serde(default)]
    q: String,
}

pub(crate) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Query(wanted): Query<Wanted>,
) -> PageResult {
    let can_undo = app.before.lock().unwrap_or_else(PoisonError::into_inner).is_some();
    let mut data = app.look(move |host| form(host, &wanted)).await?;
    data["can_undo"] = can_undo.into();
    Ok(page(&visitor, &data))
}

fn page(visitor: &Visitor, data: &Value) -> Response {
    Page { template: "page_config", title: "Settings", here: "/config", data }.show(visitor)
}

/// The settings people are told of, that stand in one place.
fn settings() -> impl Iterator<Item = &'static KeyInfo> {
    KeyTable::linked()
        .keys()
        .iter()
        .filter(|key| !key.hidden && !key.path.contains('*') && !matches!(key.kind, Kind::Section))
}

fn top(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

fn form(host: &Host, wanted: &Wanted) -> Value {
    let file = host.home().config_file();
    let (written, problem) = match Config::load_unexpanded(&file) {
        Ok(config) => (config.into_value(), None),
        Err(problem) => (Value::Null, Some(problem.to_string())),
    };
    let mut sections: Vec<&str> = settings().map(|key| top(&key.path)).collect();
    sections.dedup();
    let query = wanted.q.trim().to_lowercase();
    let is_here = |key: &&KeyInfo| match query.is_empty() {
        true => top(&key.path) == wanted.section,
        false => {
            key.path.to_lowercase().contains(&query) || key.about.to_lowercase().contains(&query)
        }
    };
    let about = |section: &&str| {
        let own = KeyTable::linked().keys().iter().find(|key| key.path == **section);
        json!({"name": section, "about": own.map(|key| key.about)})
    };
    let findings: Vec<String> = check(&written).iter().map(ToString::to_string).collect();
    let rows: Vec<Value> = settings().filter(is_here).map(|key| row(key, &written)).collect();
    json!({"problem": problem, "sections": sections.iter().map(about).collect::<Vec<_>>(),
        "section": wanted.section, "q": wanted.q, "rows": rows, "findings": findings,
        "file": file, "raw": null})
}

/// One setting with what is written for it.
fn row(key: &KeyInfo, written: &Value) -> Value {
    let path = KeyPath::parse(&key.path).ok();
    let found = path.as_ref().and_then(|path| path.find(written)).cloned();
    let name = key.path.rsplit('.').next().unwrap_or_default();
    let is_secret = is_secret_name(name) || name == "password" || name == "password_hash";
    let value = found.as_ref().map(|value| match (is_secret, value) {
        (true, _) => MASK.to_owned(),
        (false, Value::String(text)) => text.clone(),
        (false, other) => masked(&json!({name: other}))[name].to_string(),
    });
    let (input, words): (&str, &[&str]) = input_of(key.kind);
    json!({"path": key.path, "about": key.about, "kind": key.kind.to_string(), "default": key.default,
        "set": found.is_some(), "value": value, "input": input, "words": words, "secret": is_secret,
        "variable": key.variable})
}

fn input_of(kind: Kind) -> (&'static str, &'static [&'static str]) {
    match kind {
        Kind::Bool => ("choice", &["true", "false"]),
        Kind::OneOf(words) => ("choice", words),
        Kind::OrOlder(newer, _) => input_of(*newer),
        Kind::Integer | Kind::Number => ("number", &[]),
        Kind::TextList | Kind::List | Kind::Map | Kind::Any => ("long", &[]),
        _ => ("text", &[]),
    }
}

/// Keeps the file as it is, so that the next change can be taken back.
fn remember(app: &App, text: String) {
    *app.before.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
}

fn text_of(host: &Host) -> String {
    std::fs::read_to_string(host.home().config_file()).unwrap_or_default()
}

pub(crate) async fn set(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    body: Bytes,
) -> PageResult {
    let fields = Fields::parse(&body);
    let (path, value) =
        (fields.text("path").to_owned(), fields.get("value").unwrap_or_default().trim().to_owned());
    let is_reset = fields.text("act") == "reset";
    let key = settings().find(|key| key.path == path);
    let Some(key) = key else {
        return Err(PageProblem::refused(format!("There is no setting `{path}`.")));
    };
    if !is_reset && value == MASK {
        return Err(PageProblem::refused("Nothing was entered."));
    }
    let kind = key.kind;
    let asked = path.clone();
    let before = app
        .look(move |host| {
            let (file, before) = (host.home().config_file(), text_of(host));
            let path = KeyPath::parse(&asked).map_err(|problem| problem.to_string())?;
            let done = match is_reset {
                true => config_edit::unset(&file, &path),
                false => {
                    let value = parse_cli_value(&value);
                    if !kind.fits(&value) {
                        return Err(format!("`{asked}` takes {kind}."));
                    }
                    config_edit::set(&file, &path, value)
                }
            };
            done.map(|_| before).map_err(|problem| problem.to_string())
        })
        .await?
        .map_err(PageProblem::refused)?;
    remember(&app, before);
    app.note(&visitor, if is_reset { "reset setting" } else { "change setting" }, &path);
    let said = if is_reset { "has its default again" } else { "is stored" };
    Ok(visitor.to_saying(&format!("/config?section={}", top(&path)), format!("{path} {said}.")))
}

/// A file with a line that is no secret's.
fn without_secrets(text: &str) -> bool {
    let value = Config::parse(text, std::path::Path::new("config.yaml")).map(Config::into_value);
    // What cannot be read cannot be looked through either.
    value.is_ok_and(|value| masked(&value) == value)
}

pub(crate) async fn raw(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
) -> PageResult {
    let mut data = app
        .look(|host| {
            let mut data = form(host, &Wanted::default());
            let text = text_of(host);
            // Secrets do not leave the program, also not in a text to be edited.
            data["hidden"] =
                (!text.is_empty() && !without_secrets(&text) && data["problem"].is_null()).into();
            data["raw"] = if data["hidden"] == true { "".into() } else { text.into() };
            data
        })
        .await?;
    data["can_undo"] = false.into();
    Ok(page(&visitor, &data))
}

pub(crate) async fn write(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    body: Bytes,
) -> PageResult {
    let text = Fields::parse(&body).get("text").unwrap_or_default().replace("\r\n", "\n");
    if text.len() > MAX_FILE {
        return Err(PageProblem::refused("This is too long for a settings file."));
    }
    let draft = text.clone();
    let done = app
        .look(move |host| {
            let file = host.home().config_file();
            if let Err(problem) = Config::parse(&draft, &file) {
                return Err(problem.to_string());
            }
            let before = text_of(host);
            if !before.is_empty()
                && !without_secrets(&before)
                && Config::parse(&before, &file).is_ok()
            {
                return Err("The file holds secrets and is not replaced from here.".to_owned());
            }
            replace(host, &draft)?;
            Ok(before)
        })
        .await?;
    match done {
        Ok(before) => {
            remember(&app, before);
            app.note(&visitor, "write", "config.yaml");
            Ok(visitor.to_saying("/config/raw", "config.yaml is stored."))
        }
        // The text is shown again, so that nothing of it is lost.
        Err(problem) => {
            let mut data = app.look(|host| form(host, &Wanted::default())).await?;
            data["raw"] = text.into();
            data["problem"] = problem.into();
            let mut response = page(&visitor, &data);
            *response.status_mut() = axum::http::StatusCode::BAD_REQUEST;
            Ok(response)
        }
    }
}

fn replace(host: &Host, text: &str) -> Result<(), String> {
    let file = host.home().config_file();
    let lock = FileLock::acquire(&lock_path(&file), Wait::AtMost(EDIT_WAIT));
    let _lock = lock.map_err(|problem| problem.to_string())?;
    atomic::write(&file, text.as_bytes(), WriteOptions::KEEP).map_err(|problem| problem.to_string())
}

pub(crate) async fn undo(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
) -> PageResult {
    let before = app.before.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(before) = before else {
        return Err(PageProblem::refused("There is no change to take back."));
    };
    app.look(move |host| replace(host, &before)).await?.map_err(PageProblem::refused)?;
    app.note(&visitor, "undo", "config.yaml");
    Ok(visitor.to_saying("/config", "The last change was taken back."))
}

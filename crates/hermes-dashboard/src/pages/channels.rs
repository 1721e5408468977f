//! Messaging platforms, and who may talk there.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, State};
use hermes_gateway::adapter::platforms;
use hermes_gateway::{Pairing, running};
use hermes_host::Host;
use serde_json::{Value, json};

use crate::app::App;
use crate::form::Fields;
use crate::problem::{PageProblem, PageResult};
use crate::view::Page;
use crate::visitor::Visitor;

/// Everybody who may talk or wants to.
pub(super) fn people(host: &Host) -> Vec<Value> {
    let names: Vec<&str> = platforms().iter().map(|one| one.name).collect();
    let people = Pairing::at(host.home().root()).list(&names);
    people
        .iter()
        .map(|one| {
            json!({"platform": one.platform, "id": one.user_id, "name": one.user_name,
                "since": one.since, "approved": one.is_approved})
        })
        .collect()
}

pub(crate) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
) -> PageResult {
    let data = app.look(gather).await?;
    Ok(Page { template: "page_channels", title: "Channels", here: "/channels", data }
        .show(&visitor))
}

fn gather(host: &Host) -> Value {
    let root = host.home().root();
    let pid = running(root);
    let state: Value = std::fs::read(root.join("gateway_state.json"))
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok())
        .unwrap_or_default();
    let rows: Vec<Value> = platforms()
        .iter()
        .map(|one| {
            let missing: Vec<&str> = one
                .required
                .iter()
                .map(|variable| variable.name)
                .filter(|name| host.vars().non_blank(name).is_none())
                .collect();
            let config = host.config().get(&format!("platforms.{}.enabled", one.name));
            let is_off = config.is_some_and(|value| value == &Value::Bool(false));
            let live = match pid {
                Some(_) => state["platforms"][one.name].clone(),
                None => Value::Null,
            };
            let home = host.vars().non_blank(&one.home_variable());
            json!({"name": one.name, "label": one.label, "emoji": one.emoji, "missing": missing,
                "ready": missing.is_empty() && !is_off, "off": is_off, "live": live, "home": home})
        })
        .collect();
    json!({"pid": pid, "platforms": rows, "people": people(host), "active": state["active_agents"],
        "gateway_state": state["gateway_state"]})
}

pub(crate) async fn act(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(act): Path<String>,
    body: Bytes,
) -> PageResult {
    let fields = Fields::parse(&body);
    let (platform, text) = (fields.text("platform").to_owned(), fields.text("value").to_owned());
    if !platforms().iter().any(|one| one.name == platform) {
        return Err(PageProblem::missing("There is no platform of this name."));
    }
    let (wanted, name) = (act.clone(), platform.clone());
    let said = app
        .look(move |host| {
            let pairing = Pairing::at(host.home().root());
            match wanted.as_str() {
                "approve" => pairing
                    .approve(&name, &text)
                    .map(|one| format!("{} may talk now.", one.user_name.unwrap_or(one.user_id)))
                    .map_err(|problem| problem.to_string()),
                "revoke" => pairing
                    .revoke(&name, &text)
                    .map(|_| format!("{text} may no longer talk."))
                    .map_err(|problem| problem.to_string()),
                _ => Err("There is no such act.".to_owned()),
            }
        })
        .await?
        .map_err(PageProblem::refused)?;
    app.note(&visitor, &format!("{act} pairing"), &platform);
    Ok(visitor.to_saying("/channels", said))
}

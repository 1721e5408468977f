//! Tools, skills, MCP servers and plugins, with the reasons for what cannot be used.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Query, State};
use hermes_host::{Host, PLATFORM};
use hermes_mcp::client::settings::{ServerEntry, TransportSettings, read_servers};
use hermes_plugins::discover::{FoundPlugin, LoadChoice};
use hermes_plugins::{PluginSettings, Plugins};
use hermes_runtime::registry::Registry;
use hermes_runtime::toolsets::platform::Switch;
use hermes_skills::SkillLibrary;
use hermes_store::config_edit::{self, Edit};
use hermes_store::key_path::KeyPath;
use hermes_tool::{Availability, Effect};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::form::Fields;
use crate::problem::{PageProblem, PageResult};
use crate::view::Page;
use crate::visitor::Visitor;

/// Which of the four.
#[derive(Default, Deserialize)]
pub(crate) struct Tab {
    #[serde(default)]
    tab: String,
}

pub(crate) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Query(wanted): Query<Tab>,
) -> PageResult {
    let (tab, data) = match wanted.tab.as_str() {
        "skills" => ("skills", app.look(skills).await?),
        "mcp" => ("mcp", app.look(servers).await?),
        "plugins" => {
            let host = app.host();
            let found = host.plugin_setup().discover().await.found;
            ("plugins", app.look(move |host| plugins(host, &found)).await?)
        }
        _ => ("tools", app.look(tools).await?),
    };
    let data = json!({"tab": tab, "list": data});
    Ok(Page { template: "page_tools", title: "Tools", here: "/tools", data }.show(&visitor))
}

/// The toolsets, each with its tools.
fn tools(host: &Host) -> Value {
    let runtime = host.runtime();
    let _plugins = host.plugins(&runtime);
    let tables = runtime.registry().snapshot();
    let toolsets = runtime.toolsets().snapshot();
    let enabled = host.platform_toolsets(&runtime, PLATFORM);
    let offered: std::collections::BTreeSet<Arc<str>> =
        toolsets.resolve_each(enabled.iter().map(String::as_str), &*tables).into_iter().collect();
    let all: Vec<_> = toolsets.resolve("all", &*tables).into_iter().collect();
    let registered: Vec<_> = all.iter().filter_map(|name| tables.get(name)).collect();
    let pass = runtime.availability().pass(registered.iter().copied(), host.vars());
    let mut groups: std::collections::BTreeMap<String, Vec<Value>> = Default::default();
    for tool in registered {
        let (ready, reason, fix) = match pass.of(tool) {
            Availability::Available => (true, String::new(), String::new()),
            Availability::Unavailable { reason, fix } => (false, reason, fix),
        };
        let effects: Vec<&str> = tool.effects().iter().map(Effect::name).collect();
        groups.entry(tool.toolset().to_string()).or_default().push(json!({
            "name": tool.name(), "emoji": tool.emoji(), "ready": ready, "reason": reason, "fix": fix,
            "effects": effects, "on": offered.contains(tool.name()),
            "about": tool.description().lines().next().unwrap_or_default(),
        }));
    }
    groups
        .into_iter()
        .map(|(name, tools)| {
            let on = tools.iter().any(|tool| tool["on"] == true);
            json!({"name": name, "tools": tools, "on": on})
        })
        .collect()
}

fn skills(host: &Host) -> Value {
    let library = SkillLibrary::new(host.home());
    let store = library.store(host.config().value(), host.vars());
    let (table, offers) = (store.listed_table(), store.offers(Some(PLATFORM)));
    table
        .usable()
        .map(|entry| {
            let why = offers.withheld(entry).map(|why| why.to_string());
            json!({"name": entry.name, "about": entry.description, "category": entry.category,
                "why": why, "warnings": entry.warnings, "tags": entry.tags})
        })
        .collect()
}

fn servers(host: &Host) -> Value {
    let entries = read_servers(host.config().value(), host.vars());
    let rows = host.mcp_servers(&Arc::new(Registry::new()), None).status();
    entries
        .iter()
        .zip(&rows)
        .map(|(entry, row)| {
            json!({"name": row.name, "transport": row.transport, "state": row.state.label(),
                "place": place(entry), "error": row.error, "warnings": row.warnings})
        })
        .collect()
}

/// Where a server is, without what may be secret.
fn place(entry: &ServerEntry) -> String {
    match entry.settings.as_ref().map(|settings| &settings.transport) {
        Ok(TransportSettings::Stdio(stdio)) => stdio.command.clone(),
        Ok(TransportSettings::Http(http) | TransportSettings::Sse(http)) => {
            format!("{}{}", http.url.origin().ascii_serialization(), http.url.path())
        }
        Err(_) => String::new(),
    }
}

fn plugins(host: &Host, found: &[FoundPlugin]) -> Value {
    let settings = PluginSettings::read(host.config().value());
    let runtime = host.runtime();
    let plugins = Plugins::open(host.plugin_setup(), &runtime);
    let reports = plugins.reports();
    found
        .iter()
        .map(|one| {
            let report = reports.iter().find(|report| report.key == one.key);
            let status = match one.choice(&settings) {
                LoadChoice::Load => "on",
                LoadChoice::NotEnabled => "off",
                LoadChoice::Disabled => "turned off",
                LoadChoice::Recorded => "noted",
            };
            json!({"key": one.key, "name": one.manifest.name, "version": one.manifest.version,
                "about": one.manifest.description, "source": one.source.to_string(), "status": status,
                "on": status == "on",
                "error": report.and_then(|report| report.error.clone()),
                "missing": report.map(|report| report.missing_env.clone()),
                "tools": report.map(|report| report.tools.clone())})
        })
        .collect()
}

/// Turns a toolset, a tool or a plugin on or off.
pub(crate) async fn switch(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    body: Bytes,
) -> PageResult {
    let fields = Fields::parse(&body);
    let (kind, name) = (fields.text("kind").to_owned(), fields.text("name").to_owned());
    let is_on = match fields.text("to") {
        "on" => true,
        "off" => false,
        _ => return Err(PageProblem::refused("It is turned on or off.")),
    };
    let named = name.clone();
    let (done, tab) = match kind.as_str() {
        "tool" => (app.look(move |host| switch_tool(host, named, is_on)).await?, "tools"),
        "plugin" => {
            let found = app.host().plugin_setup().discover().await.found;
            let done = app.look(move |host| switch_plugin(host, &found, &named, is_on)).await?;
            (done, "plugins")
        }
        _ => return Err(PageProblem::missing("There are tools and plugins.")),
    };
    done.map_err(PageProblem::refused)?;
    let word = if is_on { "on" } else { "off" };
    app.note(&visitor, &format!("turn {kind} {word}"), &name);
    let said = format!("{name} is {word} for conversations that begin from now on.");
    Ok(visitor.to_saying(&format!("/tools?tab={tab}"), said))
}

fn switch_tool(host: &Host, name: String, is_on: bool) -> Result<(), String> {
    host.require_sound_config().map_err(|problem| problem.to_string())?;
    let runtime = host.runtime();
    let _plugins = host.plugins(&runtime);
    let switch = if is_on { Switch::On } else { Switch::Off };
    let outcome = host.with_platform(&runtime, PLATFORM, |toolsets, request, tables| {
        toolsets.toggle(switch, &[name], host.config().value(), request, tables)
    });
    if let Some(problem) = outcome.problems.first() {
        return Err(problem.to_string());
    }
    let edits: Vec<Edit> = outcome
        .edits
        .into_iter()
        .filter_map(|edit| Some(Edit::Set(KeyPath::from_segments(edit.path)?, edit.value)))
        .collect();
    apply(host, &edits)
}

fn switch_plugin(
    host: &Host,
    found: &[FoundPlugin],
    name: &str,
    is_on: bool,
) -> Result<(), String> {
    host.require_sound_config().map_err(|problem| problem.to_string())?;
    let one = found.iter().find(|one| one.key == name).ok_or("There is no such plugin.")?;
    let settings = PluginSettings::read(host.config().value());
    let list =
        |word: &str| KeyPath::parse(&format!("plugins.{word}")).map_err(|why| why.to_string());
    let (to, from) = if is_on { ("enabled", "disabled") } else { ("disabled", "enabled") };
    let listed = if is_on { &settings.disabled } else { &settings.enabled };
    let mut edits = vec![Edit::PushNew(list(to)?, one.key.as_str().into())];
    for old in listed.iter().filter(|old| one.is_called(old)) {
        edits.push(Edit::RemoveItem(list(from)?, old.as_str().into()));
    }
    apply(host, &edits)
}

fn apply(host: &Host, edits: &[Edit]) -> Result<(), String> {
    if edits.is_empty() {
        return Ok(());
    }
    let done = config_edit::apply(&host.home().config_file(), edits);
    done.map(drop).map_err(|problem| problem.to_string())
}

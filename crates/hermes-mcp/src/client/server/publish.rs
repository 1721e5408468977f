//! From a server's listing to registered tools.
//!
//! [`publish`] brings the registry in line with a listing: what is new is added, what has changed is
//! replaced in place, what has vanished is removed, and what is as before is not touched, so that a
//! definition in use keeps its bytes. [`withdraw`] takes everything out again.

use std::sync::{Arc, Weak};

use hermes_runtime::registry::Registered;
use hermes_tool::{
    Args, Concurrency, Effect, Effects, Origin, Tool, ToolBuilder, ToolContext, ToolError,
};

use super::ManagedServer;
use crate::client::listing::{RemoteTool, ServerListing};
use crate::client::settings::CallOrder;
use crate::client::utility::Utility;
use crate::names::{NameKind, toolset};

/// Brings the registry in line with an listing.
pub(super) fn publish(server: &Arc<ManagedServer>, listing: ServerListing) {
    let (shared, name) = (&server.shared, &server.settings.name);
    let wanted: Vec<(NameKind, Arc<str>)> = listing
        .tools
        .iter()
        .map(|tool| (NameKind::Tool, Arc::clone(&tool.raw)))
        .chain(listing.utilities.iter().map(|utility| (NameKind::Utility, utility.name.into())))
        .collect();
    let names = shared.names.assign(name, &wanted);
    let mut tools = Vec::new();
    let (own, about) = names.split_at(listing.tools.len());
    for (tool, name) in listing.tools.iter().zip(own) {
        if let Some(name) = name {
            tools.push(remote_tool(server, tool, name));
        }
    }
    for (utility, name) in listing.utilities.iter().zip(about) {
        if let Some(name) = name {
            tools.push(utility_tool(server, utility, name));
        }
    }
    let before = server.facts().names.clone();
    let mut after: Vec<Arc<str>> = tools.iter().map(|tool| Arc::clone(tool.name())).collect();
    let changed: Vec<Tool> = tools.into_iter().filter(|tool| !is_as_before(server, tool)).collect();
    let changed_names: Vec<Arc<str>> = changed.iter().map(|tool| Arc::clone(tool.name())).collect();
    let outcomes = shared.registry.register_all(changed);
    for (taken, outcome) in changed_names.iter().zip(outcomes) {
        if let Registered::Rejected { owner } = outcome {
            tracing::warn!(server = %name, tool = %taken, %owner, "the name belongs to another toolset");
            shared.names.forget(taken);
            after.retain(|name| name != taken);
        }
    }
    let gone: Vec<&Arc<str>> = before.iter().filter(|name| !after.contains(name)).collect();
    for gone in &gone {
        shared.registry.deregister(gone);
    }
    let new: Vec<&Arc<str>> = after.iter().filter(|name| !before.contains(name)).collect();
    if !before.is_empty() && (!gone.is_empty() || !new.is_empty()) {
        tracing::warn!(server = %name, added = ?new, removed = ?gone, "the server's tools have changed");
    }
    alias(server, &after);
    let mut facts = server.facts();
    facts.names = after;
    facts.is_published = true;
    facts.warnings = listing.warnings;
}

/// The server's own name also means its tools. Where a toolset is called so, that one comes first and the
/// alias only says whose tools they are.
fn alias(server: &ManagedServer, names: &[Arc<str>]) {
    let name = &server.settings.name;
    let own = toolset(name);
    let tables = server.shared.registry.snapshot();
    let is_known = tables.alias_target(name).is_some_and(|target| **target == *own);
    if !names.is_empty() && !is_known {
        server.shared.registry.register_toolset_alias(Arc::clone(name), own);
    }
}

fn is_as_before(server: &ManagedServer, tool: &Tool) -> bool {
    server.shared.registry.get(tool.name()).is_some_and(|known| {
        known.origin() == tool.origin()
            && known.toolset() == tool.toolset()
            && known.description() == tool.description()
            && known.effects() == tool.effects()
            && known.concurrency() == tool.concurrency()
            && known.parameters() == tool.parameters()
            && known.check().map(hermes_tool::Check::id) == tool.check().map(hermes_tool::Check::id)
    })
}

/// Takes everything of a server out of the registry.
pub(super) fn withdraw(server: &ManagedServer) {
    let names = {
        let mut facts = server.facts();
        facts.is_published = false;
        std::mem::take(&mut facts.names)
    };
    for name in names {
        server.shared.registry.deregister(&name);
    }
    server.shared.names.forget_server(&server.settings.name);
}

fn builder(server: &ManagedServer, name: &str) -> ToolBuilder {
    let settings = &server.settings;
    Tool::builder(name, toolset(&settings.name))
        .origin(Origin::Mcp(Arc::clone(&settings.name)))
        .emoji("🔌")
        .check(server.check.clone())
        .concurrency(match settings.calls {
            CallOrder::Parallel => Concurrency::Safe,
            CallOrder::OneByOne => Concurrency::FromEffects,
        })
}

fn remote_tool(server: &Arc<ManagedServer>, tool: &RemoteTool, name: &str) -> Tool {
    // Weak: the registry must not keep a stopped server alive.
    let (server_ref, raw, repeat) = (Arc::downgrade(server), Arc::clone(&tool.raw), tool.repeat);
    builder(server, name)
        .description(tool.description.clone())
        .parameters(tool.schema.clone())
        .effects(tool.effects)
        .async_handler(move |args: Args, cx: ToolContext| {
            let (server, raw) = (upgraded(&server_ref), Arc::clone(&raw));
            async move { server?.call_tool(&raw, args, repeat, &cx).await }
        })
}

fn utility_tool(server: &Arc<ManagedServer>, utility: &Utility, name: &str) -> Tool {
    let (server_ref, kind) = (Arc::downgrade(server), utility.kind);
    let of = &server.settings.name;
    builder(server, name)
        .description(format!("{} (MCP server {of})", utility.description))
        .parameters_with(utility.parameters)
        .effects(Effects::NONE.with(Effect::Reads).with(Effect::Network))
        .async_handler(move |args: Args, cx: ToolContext| {
            let server = upgraded(&server_ref);
            async move { server?.use_utility(kind, args, cx).await }
        })
}

fn upgraded(server: &Weak<ManagedServer>) -> Result<Arc<ManagedServer>, ToolError> {
    server.upgrade().ok_or_else(|| ToolError::answer("This MCP server is not running any more"))
}

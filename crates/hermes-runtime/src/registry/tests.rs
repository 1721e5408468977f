use std::sync::atomic::{AtomicBool, Ordering};

use hermes_tool::{Check, ToolOutput, Vars};

use super::*;

fn tool(name: &str, toolset: &str) -> Tool {
    Tool::builder(name, toolset).handler(|_, _| Ok(ToolOutput::text("{}")))
}

fn plugin_tool(name: &str, toolset: &str, plugin: &str) -> Tool {
    Tool::builder(name, toolset)
        .origin(Origin::Plugin(plugin.into()))
        .handler(|_, _| Ok(ToolOutput::text("{}")))
}

fn checked(name: &str, toolset: &str) -> Tool {
    fn yes(_: &Vars) -> bool {
        true
    }
    Tool::builder(name, toolset).check(Check::new(yes)).handler(|_, _| Ok(ToolOutput::text("{}")))
}

/// Look at the weather.
#[hermes_tool::tool(toolset = "weather", effects(network))]
fn look_outside() -> Result<(), hermes_tool::ToolError> {
    Ok(())
}

fn cannot_be_built() -> Tool {
    panic!("a broken declaration")
}

inventory::submit! { hermes_tool::LinkedTool::new("broken", cannot_be_built) }

#[test]
fn follow_discovery_is_automatic_and_mcp_comes_afterwards() {
    // One broken declaration is left out and the others are not affected.
    let registry = Registry::with_linked_tools();
    assert!(registry.get("look_outside").is_some());
    let before = registry.snapshot();
    // A server that answers late adds its tools to a registry that is in use.
    registry.register(tool("mcp__slow__look", "mcp-slow"));
    assert!(registry.generation() > before.generation());
    assert!(!registry.register(tool("look_outside", "mcp-slow")).is_stored());
}

#[test]
fn a_free_name_is_stored_and_raises_the_generation() {
    let registry = Registry::new();
    assert_eq!(registry.register(tool("a", "x")), Registered::Added);
    assert_eq!(registry.generation(), 1);
    assert_eq!(registry.snapshot().toolset_of("a").map(AsRef::as_ref), Some("x"));
}

#[test]
fn the_same_toolset_replaces_its_own_tool() {
    let registry = Registry::new();
    registry.register(tool("a", "x"));
    assert_eq!(registry.register(tool("a", "x")), Registered::Replaced { owner: "x".into() });
    assert_eq!((registry.generation(), registry.snapshot().len()), (2, 1));
}

#[test]
fn follow_name_clash_across_toolsets_is_rejected() {
    let registry = Registry::new();
    registry.register(tool("a", "file"));
    for intruder in ["web", "mcp-files"] {
        assert_eq!(
            registry.register(tool("a", intruder)),
            Registered::Rejected { owner: "file".into() }
        );
    }
    registry.register(tool("m", "mcp-files"));
    assert!(!registry.register(tool("m", "file")).is_stored());
    assert_eq!(registry.generation(), 2);
}

#[test]
fn mcp_servers_may_replace_each_other() {
    let registry = Registry::new();
    registry.register(tool("a", "mcp-one"));
    assert!(registry.register(tool("a", "mcp-two")).is_stored());
    assert_eq!(registry.snapshot().toolset_of("a").map(AsRef::as_ref), Some("mcp-two"));
}

#[test]
fn mcp_overwrite_leaves_no_check_or_alias_behind() {
    let registry = Registry::new();
    registry.register(checked("a", "mcp-one"));
    registry.register_toolset_alias("one", "mcp-one");
    registry.register(tool("a", "mcp-two"));
    let tables = registry.snapshot();
    assert!(tables.alias_target("one").is_none());
    assert!(tables.toolset_check("mcp-one").is_none());
    assert_eq!(tables.tools_in("mcp-one").count(), 0);
}

#[test]
fn an_override_by_linked_code_is_allowed() {
    let registry = Registry::new();
    registry.register(tool("a", "file"));
    let outcome = registry.register_override(tool("a", "mine")).unwrap();
    assert_eq!(outcome, Registered::Replaced { owner: "file".into() });
    assert_eq!(registry.generation(), 2);
}

#[test]
fn a_plugin_override_needs_consent_and_says_how_to_give_it() {
    let registry = Registry::new();
    registry.register(tool("a", "file"));
    let error = registry.register_override(plugin_tool("a", "p", "shiny")).unwrap_err();
    assert!(error.to_string().contains("plugins.entries.shiny.allow_tool_override: true"));
    assert_eq!(registry.generation(), 1);
    registry.allow_override("shiny");
    assert!(registry.register_override(plugin_tool("a", "p", "shiny")).unwrap().is_stored());
}

#[test]
fn a_rejected_plugin_tool_is_not_credited_to_the_plugin() {
    let registry = Registry::new();
    registry.register(tool("a", "file"));
    registry.register(plugin_tool("a", "p", "shiny"));
    registry.register(plugin_tool("b", "p", "shiny"));
    let credited: Vec<_> =
        registry.snapshot().tools_of_plugin("shiny").iter().map(ToString::to_string).collect();
    assert_eq!(credited, ["b"]);
}

#[test]
fn deregistering_an_unknown_name_changes_nothing() {
    let registry = Registry::new();
    registry.register(tool("a", "x"));
    assert!(!registry.deregister("b"));
    assert_eq!(registry.generation(), 1);
}

#[test]
fn the_last_tool_takes_check_and_aliases_with_it() {
    let registry = Registry::new();
    registry.register(checked("a", "x"));
    registry.register(checked("b", "x"));
    registry.register_toolset_alias("ex", "x");
    registry.deregister("a");
    assert!(registry.snapshot().alias_target("ex").is_some());
    assert!(registry.snapshot().toolset_check("x").is_some());
    registry.deregister("b");
    assert!(registry.snapshot().alias_target("ex").is_none());
    assert!(registry.snapshot().toolset_check("x").is_none());
    assert_eq!(registry.generation(), 5);
}

#[test]
fn a_plugin_removes_only_its_own_and_mcp_tools() {
    let registry = Registry::new();
    registry.register(tool("a", "file"));
    registry.register(tool("m", "mcp-x"));
    registry.register(plugin_tool("p", "p", "shiny"));
    assert!(registry.deregister_for("a", "shiny").is_err());
    assert_eq!(registry.deregister_for("m", "shiny"), Ok(true));
    assert_eq!(registry.deregister_for("p", "shiny"), Ok(true));
    registry.allow_override("shiny");
    assert_eq!(registry.deregister_for("a", "shiny"), Ok(true));
}

#[test]
fn aliasing_raises_the_generation_even_when_nothing_changes() {
    let registry = Registry::new();
    registry.register_toolset_alias("a", "mcp-a");
    registry.register_toolset_alias("a", "mcp-a");
    assert_eq!(registry.generation(), 2);
    registry.register_toolset_alias("a", "mcp-b");
    assert_eq!(registry.snapshot().alias_target("a").map(AsRef::as_ref), Some("mcp-b"));
}

#[test]
fn the_first_check_of_a_toolset_stays() {
    let registry = Registry::new();
    let first = checked("a", "x");
    let id = first.check().map(Check::id);
    registry.register(first);
    let token = 1_u8;
    let second = Check::new(move |_: &Vars| token == 0);
    registry
        .register(Tool::builder("b", "x").check(second).handler(|_, _| Ok(ToolOutput::text("{}"))));
    assert_eq!(registry.snapshot().toolset_check("x").map(Check::id), id);
}

#[test]
fn many_threads_may_register_remove_and_read_at_once() {
    const WRITERS: usize = 4;
    const READERS: usize = 4;
    const ROUNDS: usize = 300;
    let registry = Arc::new(Registry::new());
    registry.register(tool("steady", "core"));
    let done = Arc::new(AtomicBool::new(false));
    std::thread::scope(|scope| {
        let mut writers = Vec::new();
        for writer in 0..WRITERS {
            let registry = Arc::clone(&registry);
            writers.push(scope.spawn(move || {
                let toolset = format!("mcp-{writer}");
                for round in 0..ROUNDS {
                    let name = format!("mcp__{}__t", round % 7);
                    registry.register(tool(&name, &toolset));
                    registry.register_toolset_alias(writer.to_string(), toolset.as_str());
                    registry.deregister(&name);
                }
            }));
        }
        for _ in 0..READERS {
            let (registry, done) = (Arc::clone(&registry), Arc::clone(&done));
            scope.spawn(move || {
                let mut last = 0;
                while !done.load(Ordering::Relaxed) {
                    let tables = registry.snapshot();
                    assert!(tables.generation() >= last, "generations never go back");
                    last = tables.generation();
                    assert!(tables.get("steady").is_some());
                    for name in tables.names() {
                        let owner = tables.toolset_of(&name).unwrap();
                        assert!(tables.tools_in(owner).any(|member| *member == name));
                    }
                    for toolset in tables.toolsets() {
                        assert!(tables.tools_in(toolset).count() > 0, "no empty toolset is left");
                    }
                }
            });
        }
        for writer in writers {
            writer.join().unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(registry.snapshot().len(), 1);
}

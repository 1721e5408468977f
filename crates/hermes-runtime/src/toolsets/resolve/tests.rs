use super::*;
use crate::toolsets::catalog::sample;
use crate::toolsets::registered::FakeRegistry;
use crate::toolsets::{Toolset, ToolsetTable};

fn with(definitions: &[(&str, &[&str], &[&str])]) -> Arc<Toolsets> {
    let table = ToolsetTable::new(sample::catalog());
    for (name, tools, includes) in definitions {
        let toolset = Toolset::new(*name)
            .with_tools(tools.iter().copied())
            .including(includes.iter().copied());
        table.create(name, toolset).unwrap();
    }
    table.snapshot()
}

fn texts(names: &[Arc<str>]) -> Vec<&str> {
    names.iter().map(|name| &**name).collect()
}

#[test]
fn cycles_end_quietly() {
    let sets = with(&[("a", &["one"], &["b"]), ("b", &["two"], &["a", "b"])]);
    assert_eq!(texts(&sets.resolve("a", &NoRegisteredTools)), ["one", "two"]);
    assert_eq!(texts(&sets.resolve("b", &NoRegisteredTools)), ["one", "two"]);
}

#[test]
fn diamonds_count_shared_tools_once() {
    let sets = with(&[
        ("top", &["t"], &["left", "right"]),
        ("left", &["l"], &["base"]),
        ("right", &["r"], &["base"]),
        ("base", &["b"], &[]),
    ]);
    assert_eq!(texts(&sets.resolve("top", &NoRegisteredTools)), ["b", "l", "r", "t"]);
}

#[test]
fn unknown_names_and_includes_stand_for_nothing() {
    let sets = with(&[("mine", &["one"], &["nobody"])]);
    assert!(sets.resolve("nobody", &NoRegisteredTools).is_empty());
    assert_eq!(texts(&sets.resolve("mine", &NoRegisteredTools)), ["one"]);
    assert!(!sets.is_valid("nobody", &NoRegisteredTools));
}

#[test]
fn legacy_names_cannot_be_included() {
    let sets = with(&[("mine", &["one"], &["old_asking"])]);
    assert_eq!(texts(&sets.resolve("mine", &NoRegisteredTools)), ["one"]);
    assert!(sets.resolve("old_asking", &NoRegisteredTools).is_empty());
    assert!(!sets.is_valid("old_asking", &NoRegisteredTools));
}

#[test]
fn all_and_star_mean_every_known_toolset_and_only_in_this_spelling() {
    let sets = with(&[("mine", &["my_tool"], &[])]);
    let registry = FakeRegistry::default().with("plug", &["plug_tool"]);
    let all = sets.resolve("all", &registry);
    assert_eq!(all, sets.resolve("*", &registry));
    for tool in ["my_tool", "plug_tool", "play", "look", "find"] {
        assert!(all.iter().any(|name| &**name == tool), "{tool}");
    }
    for spelling in ["ALL", "All", "**"] {
        assert!(sets.resolve(spelling, &registry).is_empty());
        assert!(!sets.is_valid(spelling, &registry));
    }
    assert!(sets.is_valid("all", &registry) && sets.is_valid("*", &registry));
}

#[test]
fn a_toolset_may_include_all_even_though_all_contains_it() {
    let sets = with(&[("mine", &["my_tool"], &["all"])]);
    assert_eq!(sets.resolve("mine", &NoRegisteredTools), sets.resolve("all", &NoRegisteredTools));
}

#[test]
fn registered_tools_join_the_toolset_of_their_name_wherever_it_is_included() {
    let sets = with(&[]);
    let registry = FakeRegistry::default()
        .with("running", &["run", "stop", "pause"])
        .with("asking", &["guess"]);
    assert_eq!(texts(&sets.resolve("running", &registry)), ["list", "pause", "run", "stop"]);
    for name in ["asking", "mending"] {
        assert!(texts(&sets.resolve(name, &registry)).contains(&"guess"), "{name}");
        assert!(!texts(&sets.resolve_defined(name)).contains(&"guess"), "{name}");
    }
}

#[test]
fn toolsets_known_only_to_the_registry_resolve() {
    let sets = with(&[]);
    let registry = FakeRegistry::default().with("browser-cdp", &["browser_dialog", "browser_cdp"]);
    assert_eq!(texts(&sets.resolve("browser-cdp", &registry)), ["browser_cdp", "browser_dialog"]);
    let info = sets.info("browser-cdp", &registry).unwrap();
    assert_eq!(&*info.description, "Plugin toolset: browser-cdp");
    assert_eq!(info.source, ToolsetSource::Registry);
    assert!(sets.resolve_defined("browser-cdp").is_empty());
}

#[test]
fn servers_go_by_their_alias_and_both_names_work() {
    let sets = with(&[]);
    let registry = FakeRegistry::default()
        .with("mcp-github", &["mcp__github__list"])
        .alias("github", "mcp-github");
    for name in ["github", "mcp-github"] {
        assert!(sets.is_valid(name, &registry));
        assert_eq!(texts(&sets.resolve(name, &registry)), ["mcp__github__list"]);
        let info = sets.info(name, &registry).unwrap();
        assert_eq!(&*info.description, "MCP server 'github' tools");
        assert_eq!(info.source, ToolsetSource::McpServer);
    }
    let names = sets.names(&registry);
    assert!(texts(&names).contains(&"github"));
    assert!(!texts(&names).contains(&"mcp-github"));
}

#[test]
fn server_with_the_name_of_a_defined_toolset_is_listed_in_full() {
    let sets = with(&[]);
    let registry = FakeRegistry::default()
        .with("mcp-asking", &["mcp__asking__get"])
        .alias("asking", "mcp-asking");
    assert!(texts(&sets.names(&registry)).contains(&"mcp-asking"));
    assert_eq!(texts(&sets.resolve("asking", &registry)), ["ask", "find"]);
    assert_eq!(texts(&sets.resolve("mcp-asking", &registry)), ["mcp__asking__get"]);
    assert!(texts(&sets.resolve("all", &registry)).contains(&"mcp__asking__get"));
}

#[test]
fn plugin_platform_presets_validate_as_well_as_resolve() {
    // Somebody enabled the preset `acme-irc`, got its tools, and was told that it is unknown.
    let sets = with(&[]);
    let registry = FakeRegistry::default().platform("irc").with("irc", &["irc_op"]);
    let tools = sets.resolve("acme-irc", &registry);
    assert_eq!(tools.len(), sample::catalog().core.len() + 1);
    assert!(texts(&tools).contains(&"irc_op"));
    assert!(sets.is_valid("acme-irc", &registry));
    let info = sets.info("acme-irc", &registry).unwrap();
    assert_eq!((info.kind, info.source), (ToolsetKind::Preset, ToolsetSource::PluginPlatform));
    assert!(!sets.is_valid("acme-icq", &registry));
    assert!(sets.resolve("acme-icq", &registry).is_empty());
}

#[test]
fn names_are_sorted_and_include_every_layer() {
    let sets = with(&[("zzz", &[], &[])]);
    let registry = FakeRegistry::default().with("aaa", &["tool"]);
    let names = sets.names(&registry);
    assert!(names.is_sorted());
    assert_eq!(names.len(), sample::catalog().toolsets.len() + 2);
    assert_eq!((&*names[0], &**names.last().unwrap()), ("aaa", "zzz"));
}

#[test]
fn info_tells_own_tools_from_included_ones() {
    let sets = with(&[]);
    let info = sets.info("mending", &NoRegisteredTools).unwrap();
    assert_eq!(texts(&info.own_tools), ["run"]);
    assert_eq!(texts(&info.includes), ["asking", "seeing"]);
    assert_eq!(texts(&info.tools), ["ask", "find", "look", "run"]);
    assert_eq!(info.source, ToolsetSource::BuiltIn);
    assert!(sets.info("all", &NoRegisteredTools).is_none());
    let custom = with(&[("asking", &["w"], &[])]);
    assert_eq!(custom.info("asking", &NoRegisteredTools).unwrap().source, ToolsetSource::Custom);
}

#[test]
fn long_chains_of_includes_do_not_exhaust_the_stack() {
    let table = ToolsetTable::new(sample::catalog());
    let chain: serde_json::Map<String, serde_json::Value> = (0..20_000)
        .map(|link| {
            let next = serde_json::json!({"tools": [], "includes": [format!("c{}", link + 1)]});
            (format!("c{link}"), next)
        })
        .chain([("c20000".to_owned(), serde_json::json!(["end"]))])
        .collect();
    table.load_config(&chain.into());
    assert_eq!(texts(&table.snapshot().resolve("c0", &NoRegisteredTools)), ["end"]);
}

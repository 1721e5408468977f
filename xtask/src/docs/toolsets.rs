//! `toolsets.md`: the toolsets that ship with the program, and the other lists of names around
//! them.

use std::collections::BTreeSet;
use std::sync::Arc;

use hermes_runtime::registry::{Registry, Snapshot};
use hermes_runtime::toolsets::{ToolsetCatalog, ToolsetInfo, ToolsetKind, ToolsetTable};
use hermes_tools::product::{self, toolset_catalog};

use super::markdown::{Table, code, codes, finish, link_to_heading, prose, push};

pub(super) fn page() -> String {
    let here = Registry::with_linked_tools().snapshot();
    let catalog = &*toolset_catalog();
    let toolsets = ToolsetTable::new(toolset_catalog()).snapshot();
    let infos: Vec<ToolsetInfo> =
        toolsets.names(&*here).iter().filter_map(|name| toolsets.info(name, &*here)).collect();
    let mut page = String::new();
    introduction(&mut page);
    by_purpose(&infos, &here, &mut page);
    core(catalog, &here, &mut page);
    presets(&infos, &here, &mut page);
    platforms(catalog, &mut page);
    choices(catalog, &mut page);
    old_names(catalog, &here, &mut page);
    distributions(&mut page);
    finish(&page)
}

fn introduction(page: &mut String) {
    push(page, "# Toolsets");
    push(
        page,
        "A toolset is a name for tools that belong together. Sessions, platforms and scheduled jobs \
         are given toolsets. `all` and `*` stand for every toolset. Your own \
         go into [`custom_toolsets`](config.md#custom_toolsets); \
         [`hermes toolsets resolve`](cli.md#hermes-toolsets-resolve) prints the tools that names \
         stand for.",
    );
    push(
        page,
        "Tools with a link are part of this build. The others are names that a toolset already \
         has room for: whoever registers a tool of that name, in a plugin or a crate of their \
         own, finds it in the right toolsets.",
    );
}

fn by_purpose(infos: &[ToolsetInfo], here: &Snapshot, page: &mut String) {
    push(page, "## By purpose");
    let mut table = Table::new(["toolset", "for", "tools"]);
    for info in infos.iter().filter(|info| info.kind != ToolsetKind::Preset) {
        table.row([code(&info.name), prose(&info.description), content(info, infos, here)]);
    }
    push(page, &table.finish());
}

fn core(catalog: &ToolsetCatalog, here: &Snapshot, page: &mut String) {
    push(page, "## Core tools");
    push(page, "What a session on an ordinary platform starts from:");
    push(page, &format!("{}.", tools(&catalog.core, here)));
}

fn presets(infos: &[ToolsetInfo], here: &Snapshot, page: &mut String) {
    push(page, "## Presets");
    push(
        page,
        "Everything a platform offers when nothing else is configured. Disabling a preset keeps the \
         core tools.",
    );
    let mut table = Table::new(["preset", "for", "tools"]);
    for info in infos.iter().filter(|info| info.kind == ToolsetKind::Preset) {
        table.row([code(&info.name), prose(&info.description), content(info, infos, here)]);
    }
    push(page, &table.finish());
}

fn platforms(catalog: &ToolsetCatalog, page: &mut String) {
    push(page, "## Platforms");
    push(
        page,
        "Where conversations take place, and the preset each starts with; \
         [`platform_toolsets`](config.md#platform_toolsets) changes that. The platform `x` of a \
         plugin has the preset `hermes-x`.",
    );
    let mut table = Table::new(["platform", "preset"]);
    for platform in catalog.platforms {
        table.row([code(platform), code(&catalog.preset_of(platform))]);
    }
    push(page, &table.finish());
}

fn choices(catalog: &ToolsetCatalog, page: &mut String) {
    push(page, "## Switched on and off by people");
    push(
        page,
        "What `hermes tools enable` and `hermes tools disable` are for. A platform starts with those \
         that its preset covers, except the ones that are off at first: they wait until you enable \
         them or provide what they need.",
    );
    let mut table = Table::new(["toolset", "at first", "only on"]);
    for toolset in catalog.choices {
        let first = if catalog.default_off.contains(toolset) { "off" } else { "" };
        let only = catalog.native_platform(toolset).map(code).unwrap_or_default();
        table.row([code(toolset), first.into(), only]);
    }
    push(page, &table.finish());
}

fn old_names(catalog: &ToolsetCatalog, here: &Snapshot, page: &mut String) {
    push(page, "## Old names");
    push(
        page,
        "They may still be enabled and disabled, and mean the tools they always meant. They are no \
         toolsets: nothing can include them.",
    );
    let mut table = Table::new(["old name", "tools"]);
    for (name, tools_meant) in catalog.legacy {
        table.row([code(name), tools(*tools_meant, here)]);
    }
    push(page, &table.finish());
}

fn distributions(page: &mut String) {
    push(page, "## Distributions");
    push(
        page,
        "For batches: each conversation draws its own toolsets, each with its own chance. Your own \
         go into [`distributions`](config.md#distributions); \
         `hermes toolsets distributions --sample NAME` draws once.",
    );
    let mut table = Table::new(["distribution", "for", "chance of each toolset"]);
    for distribution in product::distributions().list() {
        let shares: Vec<String> = distribution
            .shares
            .iter()
            .map(|share| format!("{} {} %", code(&share.toolset), share.percent))
            .collect();
        table.row([code(&distribution.name), prose(&distribution.description), shares.join(", ")]);
    }
    push(page, &table.finish());
}

/// The tools of a toolset, in the shortest words that say it exactly.
fn content(info: &ToolsetInfo, infos: &[ToolsetInfo], here: &Snapshot) -> String {
    let own: BTreeSet<Arc<str>> = info.own_tools.iter().cloned().collect();
    let mut parts = Vec::new();
    if !info.includes.is_empty() {
        parts.push(format!("those of {}", codes(&info.includes)));
    }
    match against_core(&own) {
        Content::Nothing if parts.is_empty() => parts.push("none of its own".into()),
        Content::Nothing => {}
        Content::List => parts.push(tools(&own, here)),
        Content::Core { without, with } => {
            let mut text = "the [core](#core-tools)".to_owned();
            if !without.is_empty() {
                text += &format!(" without {}", grouped(without, infos, here));
            }
            if !with.is_empty() {
                text += &format!(" and {}", grouped(with, infos, here));
            }
            parts.push(text);
        }
    }
    parts.join(", and ")
}

#[derive(Debug, PartialEq, Eq)]
enum Content {
    Nothing,
    List,
    Core { without: BTreeSet<Arc<str>>, with: BTreeSet<Arc<str>> },
}

/// Says tools as a difference from the core where that is shorter than naming them.
fn against_core(own: &BTreeSet<Arc<str>>) -> Content {
    let core = &toolset_catalog().core;
    let without: BTreeSet<_> = core.difference(own).cloned().collect();
    let with: BTreeSet<_> = own.difference(core).cloned().collect();
    if own.is_empty() {
        Content::Nothing
    } else if without.len() + with.len() < own.len() {
        Content::Core { without, with }
    } else {
        Content::List
    }
}

/// Tools, with whole toolsets among them told by their name.
fn grouped(mut names: BTreeSet<Arc<str>>, infos: &[ToolsetInfo], here: &Snapshot) -> String {
    let mut parts = Vec::new();
    let ordinary = |info: &&ToolsetInfo| info.kind == ToolsetKind::Ordinary;
    for info in infos.iter().filter(ordinary).filter(|info| info.tools.len() >= WORTH_A_NAME) {
        if info.tools.iter().all(|tool| names.contains(tool)) {
            names.retain(|tool| !info.tools.contains(tool));
            parts.push(format!("all of {}", code(&info.name)));
        }
    }
    if !names.is_empty() {
        parts.push(tools(&names, here));
    }
    parts.join(", ")
}

/// From how many tools on a toolset's name is shorter than they are.
const WORTH_A_NAME: usize = 3;

fn tools<T: AsRef<str>>(names: impl IntoIterator<Item = T>, here: &Snapshot) -> String {
    let shown = names.into_iter().map(|name| {
        let name = name.as_ref();
        match here.get(name) {
            Some(_) => link_to_heading(&code(name), "tools.md", name),
            None => code(name),
        }
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_builtin_name_is_on_the_page() {
        let page = page();
        let distributions = product::distributions();
        let catalog = toolset_catalog();
        let names = catalog
            .toolsets
            .keys()
            .map(|name| &**name)
            .chain(catalog.legacy.iter().map(|(name, _)| *name))
            .chain(catalog.platforms.iter().copied())
            .chain(distributions.list().iter().map(|distribution| &*distribution.name));
        for name in names {
            assert!(page.contains(&format!("\n| `{name}` |")), "{name}\n{page}");
        }
        for tool in &catalog.core {
            assert!(page.contains(&format!("`{tool}`")), "{tool}");
        }
    }

    #[test]
    fn a_preset_is_told_by_what_sets_it_apart() {
        let mut own = toolset_catalog().core.clone();
        let difference = |without: &[&str], with: &[&str]| {
            let set = |names: &[&str]| names.iter().map(|name| Arc::from(*name)).collect();
            Content::Core { without: set(without), with: set(with) }
        };
        assert_eq!(against_core(&own), difference(&[], &[]));
        own.insert("extra".into());
        own.remove("todo");
        assert_eq!(against_core(&own), difference(&["todo"], &["extra"]));
        assert_eq!(against_core(&BTreeSet::from(["todo".into()])), Content::List);
        assert_eq!(against_core(&BTreeSet::new()), Content::Nothing);
    }

    #[test]
    fn a_whole_toolset_is_told_by_its_name() {
        let here = Registry::new().snapshot();
        let toolsets = ToolsetTable::new(toolset_catalog()).snapshot();
        let infos = vec![toolsets.info("file", &*here).unwrap()];
        let mut names: BTreeSet<Arc<str>> = infos[0].tools.iter().cloned().collect();
        names.insert("clarify".into());
        assert_eq!(grouped(names.clone(), &infos, &here), "all of `file`, `clarify`");
        names.remove("patch");
        assert!(!grouped(names, &infos, &here).contains("all of"));
    }

    #[test]
    fn tools_of_this_build_are_linked_to_their_section() {
        let page = page();
        assert!(page.contains("[`todo`](tools.md#todo)"), "{page}");
    }
}

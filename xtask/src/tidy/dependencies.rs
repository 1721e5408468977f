//! Who may depend on whom.

use super::Findings;
use super::manifest::packages;
use super::tree::Tree;

/// What a crate may use of ours.
#[derive(Clone, Copy, Debug)]
enum MayUse {
    /// These, and no other.
    Only(&'static [&'static str]),
    /// Every crate above it.
    AllAbove,
}

/// The crates from the ground up. Nothing below ever shows to what is above it.
const ORDER: &[(&str, MayUse)] = &[
    ("hermes-tool-macros", MayUse::Only(&[])),
    ("hermes-tool", MayUse::Only(&["hermes-tool-macros"])),
    ("hermes-process", MayUse::Only(&[])),
    ("hermes-guard", MayUse::Only(&[])),
    ("hermes-syntax", MayUse::Only(&["hermes-guard"])),
    ("hermes-store", MayUse::Only(&["hermes-tool"])),
    // Only its tests start programs.
    ("hermes-sessions", MayUse::Only(&["hermes-process", "hermes-store"])),
    ("hermes-testkit", MayUse::Only(&[])),
    ("hermes-llm", MayUse::Only(&["hermes-tool", "hermes-testkit"])),
    ("hermes-extract", MayUse::Only(&[])),
    ("hermes-web", MayUse::Only(&["hermes-tool", "hermes-guard", "hermes-testkit"])),
    (
        "hermes-browser",
        MayUse::Only(&[
            "hermes-tool",
            "hermes-process",
            "hermes-guard",
            "hermes-store",
            "hermes-web",
            "hermes-testkit",
        ]),
    ),
    (
        "hermes-approval",
        MayUse::Only(&["hermes-tool", "hermes-process", "hermes-guard", "hermes-store"]),
    ),
    ("hermes-files", MayUse::Only(&["hermes-tool", "hermes-process", "hermes-guard"])),
    ("hermes-runtime", MayUse::Only(&["hermes-tool"])),
    (
        "hermes-exec",
        MayUse::Only(&[
            "hermes-tool",
            "hermes-process",
            "hermes-guard",
            "hermes-store",
            "hermes-approval",
            "hermes-files",
            "hermes-testkit",
        ]),
    ),
    (
        "hermes-plugins",
        MayUse::Only(&["hermes-tool", "hermes-process", "hermes-store", "hermes-runtime"]),
    ),
    (
        "hermes-skills",
        MayUse::Only(&[
            "hermes-tool",
            "hermes-process",
            "hermes-guard",
            "hermes-store",
            "hermes-approval",
            "hermes-files",
            "hermes-runtime",
            "hermes-exec",
            "hermes-web",
            "hermes-testkit",
        ]),
    ),
    (
        "hermes-local",
        MayUse::Only(&[
            "hermes-tool",
            "hermes-process",
            "hermes-store",
            "hermes-llm",
            "hermes-runtime",
            "hermes-testkit",
        ]),
    ),
    // Of the skills: whether those a job names are there, and the form of what verbs say.
    (
        "hermes-cron",
        MayUse::Only(&[
            "hermes-tool",
            "hermes-process",
            "hermes-guard",
            "hermes-store",
            "hermes-skills",
        ]),
    ),
    (
        "hermes-media",
        MayUse::Only(&[
            "hermes-tool",
            "hermes-process",
            "hermes-guard",
            "hermes-store",
            "hermes-llm",
            "hermes-web",
            "hermes-files",
            "hermes-testkit",
        ]),
    ),
    (
        "hermes-mcp",
        MayUse::Only(&[
            "hermes-tool",
            "hermes-process",
            "hermes-guard",
            "hermes-store",
            "hermes-sessions",
            "hermes-runtime",
            "hermes-skills",
            "hermes-testkit",
        ]),
    ),
    (
        "hermes-protocol",
        MayUse::Only(&[
            "hermes-tool",
            "hermes-guard",
            "hermes-store",
            "hermes-llm",
            "hermes-approval",
            "hermes-runtime",
        ]),
    ),
    (
        "hermes-rl",
        MayUse::Only(&[
            "hermes-approval",
            "hermes-tool",
            "hermes-process",
            "hermes-store",
            "hermes-llm",
        ]),
    ),
    ("hermes-tools", MayUse::AllAbove),
    // What is drawn and typed: it knows what an agent says, and no agent. Only its tests know tools.
    (
        "hermes-tui",
        MayUse::Only(&[
            "hermes-tool",
            "hermes-process",
            "hermes-guard",
            "hermes-store",
            "hermes-llm",
            "hermes-approval",
            "hermes-runtime",
            "hermes-mcp",
            "hermes-protocol",
            "hermes-tools",
        ]),
    ),
    ("hermes-serve", MayUse::Only(&["hermes-tool", "hermes-runtime"])),
    ("hermes-agent", MayUse::AllAbove),
    ("hermes-host", MayUse::AllAbove),
    ("hermes-gateway", MayUse::AllAbove),
    ("hermes-api", MayUse::AllAbove),
    ("hermes-acp", MayUse::AllAbove),
    ("hermes-homes", MayUse::AllAbove),
    ("hermes-dashboard", MayUse::AllAbove),
    ("hermes-batch", MayUse::AllAbove),
    ("hermes", MayUse::AllAbove),
];

/// Where the crates are that the order is about; everything else may use all of them.
const FOLDER: &str = "crates/";

pub(super) fn point_one_way(tree: &Tree, findings: &mut Findings) {
    let packages = packages(tree, findings);
    let ours: Vec<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    for package in packages.iter().filter(|package| package.path.starts_with(FOLDER)) {
        let Some(allowed) = allowed(&package.name) else {
            let what = format!(
                "`{}` has no place in the order of crates; give it one in {}",
                package.name,
                file!()
            );
            findings.breach(package.path, what);
            continue;
        };
        for used in package.dependencies() {
            if ours.contains(&used) && !allowed.contains(&used) {
                let what = format!(
                    "`{}` must not depend on `{used}`, only on: {}; move what both need to a crate \
                     below them",
                    package.name,
                    if allowed.is_empty() { "none of ours".to_owned() } else { allowed.join(", ") }
                );
                findings.breach(package.path, what);
            }
        }
    }
}

/// What a crate may use, if it has a place.
fn allowed(name: &str) -> Option<Vec<&'static str>> {
    let place = ORDER.iter().position(|(known, _)| *known == name)?;
    let above = ORDER.iter().take(place).map(|(name, _)| *name);
    Some(match ORDER.get(place)?.1 {
        MayUse::Only(names) => names.to_vec(),
        MayUse::AllAbove => above.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::breaches;
    use super::*;

    #[test]
    fn the_order_itself_only_points_up() {
        for (place, (name, uses)) in ORDER.iter().enumerate() {
            if let MayUse::Only(used) = uses {
                for used in *used {
                    let found = ORDER.iter().position(|(known, _)| known == used);
                    assert!(found.is_some_and(|found| found < place), "{name} uses {used}");
                }
            }
        }
    }

    #[test]
    fn the_last_may_use_all_and_the_runtime_only_the_contract() {
        assert_eq!(allowed("hermes").unwrap().len(), ORDER.len() - 1);
        assert_eq!(allowed("hermes-runtime").unwrap(), ["hermes-tool"]);
        assert_eq!(allowed("serde"), None);
    }

    fn manifest(name: &str, uses: &str) -> String {
        format!("[package]\nname = '{name}'\n[dev-dependencies]\n{uses}.workspace = true\n")
    }

    #[test]
    fn a_dependency_against_the_order_is_named_even_if_only_tests_use_it() {
        let files = [
            ("crates/hermes-store/Cargo.toml", manifest("hermes-store", "hermes-tool")),
            ("crates/hermes-tool/Cargo.toml", manifest("hermes-tool", "hermes-store")),
            ("crates/hermes/Cargo.toml", manifest("hermes", "hermes-store")),
            ("crates/new/Cargo.toml", manifest("new", "serde")),
            ("bench/Cargo.toml", manifest("bench", "hermes")),
        ];
        let files: Vec<_> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        let found = breaches(point_one_way, &files);
        assert_eq!(found.len(), 2, "{found:?}");
        let of_tool =
            "crates/hermes-tool/Cargo.toml: `hermes-tool` must not depend on `hermes-store`";
        assert!(found[0].starts_with(of_tool), "{found:?}");
        assert!(found[1].contains("`new` has no place"), "{found:?}");
    }
}

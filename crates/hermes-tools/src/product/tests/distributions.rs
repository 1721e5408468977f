//! The distributions, row by row.

use hermes_runtime::distributions::DEFAULT;
use hermes_runtime::toolsets::NoRegisteredTools;
use serde_json::json;

use super::toolsets;
use crate::product::distributions;

#[test]
fn follow_distributions_are_percents_in_seventeen_sets() {
    let known = distributions();
    let rows: Vec<String> = known
        .list()
        .iter()
        .map(|one| {
            let shares: Vec<String> = one
                .shares
                .iter()
                .map(|share| format!("{} {}", share.toolset, share.percent))
                .collect();
            format!("{}: {}", one.name, shares.join(", "))
        })
        .collect();
    assert_eq!(
        rows,
        [
            "default: web 100, vision 100, image_gen 100, terminal 100, file 100, browser 100",
            "image_gen: image_gen 90, vision 90, web 55, terminal 45",
            "research: web 90, browser 70, vision 50, terminal 10",
            "science: web 94, terminal 94, file 94, vision 65, browser 50, image_gen 15",
            "development: terminal 80, file 80, web 30, vision 10",
            "safe: web 80, browser 70, vision 60, image_gen 60",
            "balanced: web 50, vision 50, image_gen 50, terminal 50, file 50, browser 50",
            "minimal: web 100",
            "browser_only: browser 100",
            "terminal_only: terminal 100, file 100",
            "terminal_web: terminal 100, file 100, web 100",
            "creative: image_gen 90, vision 90, web 30",
            "reasoning: web 90, file 60, terminal 20",
            "browser_use: browser 100, web 80, vision 70",
            "browser_tasks: browser 97, vision 12, terminal 15",
            "terminal_tasks: terminal 97, file 97, web 97, browser 75, vision 50, image_gen 10",
            "mixed_tasks: browser 92, terminal 92, file 92, web 35, vision 15, image_gen 15",
        ]
    );
}

#[test]
fn listing_distributions_works() {
    // `--list-distributions` used to end in a crash instead of a list.
    let mut known = distributions();
    known.load_config(&json!({"distributions": {"mine": {"web": 10}}}));
    let lines: Vec<String> =
        known.list().iter().map(|one| format!("{:16} {}", one.name, one.description)).collect();
    assert_eq!(lines.len(), 18);
    assert!(known.list().iter().all(|one| !one.description.is_empty() && !one.shares.is_empty()));
    assert_eq!(known.list()[0].name.as_ref(), DEFAULT);
    assert!(lines[17].starts_with("mine "));
}

#[test]
fn every_builtin_share_names_a_toolset() {
    let toolsets = toolsets();
    for one in distributions().list() {
        for share in &one.shares {
            assert!(toolsets.is_valid(&share.toolset, &NoRegisteredTools), "{}", share.toolset);
        }
    }
}

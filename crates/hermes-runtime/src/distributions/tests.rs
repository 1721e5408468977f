//! The table, the rules of drawing (with scripted numbers), and that chance comes out as promised
//! (with a seeded generator).

use std::cell::Cell;

use serde_json::json;

use super::*;
use crate::toolsets::{NoRegisteredTools, ToolsetTable};

/// Plays back fixed numbers and counts how many were taken.
struct Script {
    draws: Vec<f64>,
    taken: usize,
}

impl Script {
    fn new(draws: &[f64]) -> Self {
        Self { draws: draws.to_vec(), taken: 0 }
    }
}

impl DrawSource for Script {
    fn draw(&mut self) -> f64 {
        self.taken += 1;
        self.draws[self.taken - 1]
    }
}

fn texts(names: &[Arc<str>]) -> Vec<&str> {
    names.iter().map(|name| &**name).collect()
}

fn distribution(shares: &[(&str, f64)]) -> Distribution {
    let shares = shares
        .iter()
        .map(|(toolset, percent)| Share { toolset: (*toolset).into(), percent: *percent })
        .collect();
    Distribution { name: "test".into(), description: "".into(), shares }
}

#[test]
fn follow_distributions_are_percents_in_seventeen_sets() {
    let known = Distributions::builtin();
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
    let mut known = Distributions::builtin();
    known.load_config(&json!({"mine": {"web": 10}}));
    let lines: Vec<String> =
        known.list().iter().map(|one| format!("{:16} {}", one.name, one.description)).collect();
    assert_eq!(lines.len(), 18);
    assert!(known.list().iter().all(|one| !one.description.is_empty() && !one.shares.is_empty()));
    assert_eq!(known.list()[0].name.as_ref(), DEFAULT);
    assert!(lines[17].starts_with("mine "));
}

#[test]
fn every_builtin_share_names_a_toolset() {
    let toolsets = ToolsetTable::new().snapshot();
    for one in Distributions::builtin().list() {
        for share in &one.shares {
            assert!(toolsets.is_valid(&share.toolset, &NoRegisteredTools), "{}", share.toolset);
        }
    }
}

#[test]
fn a_toolset_is_in_when_its_draw_is_below_its_percentage() {
    let one = distribution(&[("a", 50.0), ("b", 50.0), ("c", 100.0), ("d", 0.0)]);
    let mut draws = Script::new(&[0.499, 0.5, 0.999_999, 0.0]);
    let sample = one.sample(&mut draws, |_| true);
    assert_eq!(texts(&sample.toolsets), ["a", "c"]);
    assert_eq!(draws.taken, 4);
}

#[test]
fn invalid_toolsets_take_no_draw_and_are_reported() {
    let one = distribution(&[("a", 50.0), ("gone", 100.0), ("b", 50.0)]);
    let mut draws = Script::new(&[0.9, 0.1]);
    let sample = one.sample(&mut draws, |name| name != "gone");
    assert_eq!(texts(&sample.toolsets), ["b"]);
    assert_eq!(texts(&sample.invalid), ["gone"]);
    assert_eq!(draws.taken, 2);
    assert_eq!(
        sample.warnings().collect::<Vec<_>>(),
        ["toolset `gone` is unknown and was left out"]
    );
}

#[test]
fn the_likeliest_fills_an_empty_selection() {
    let one = distribution(&[("low", 10.0), ("high", 60.0), ("tie", 60.0)]);
    let sample = one.sample(&mut Script::new(&[0.99, 0.99, 0.99]), |_| true);
    assert_eq!(texts(&sample.toolsets), ["high"]);
}

#[test]
fn nothing_is_selected_when_the_likeliest_is_invalid() {
    let one = distribution(&[("low", 10.0), ("high", 60.0)]);
    let sample = one.sample(&mut Script::new(&[0.99]), |name| name != "high");
    assert_eq!(sample.toolsets, []);
    let nothing = distribution(&[]).sample(&mut Script::new(&[]), |_| true);
    assert_eq!(nothing, Sample::default());
}

#[test]
fn each_toolset_is_asked_about_once() {
    let asked = Cell::new(0);
    let one = distribution(&[("a", 0.0), ("b", 0.0)]);
    one.sample(&mut Script::new(&[0.5, 0.5]), |_| {
        asked.set(asked.get() + 1);
        true
    });
    assert_eq!(asked.get(), 2);
}

#[test]
fn frequencies_follow_the_percentages() {
    let known = Distributions::builtin();
    let mut draws = SplitMix64::new(2024);
    let runs = 20_000;
    let mut counts = std::collections::BTreeMap::<Arc<str>, u32>::new();
    for _ in 0..runs {
        let sample = known.sample("science", &mut draws, |_| true).unwrap();
        assert!(!sample.toolsets.is_empty());
        for toolset in sample.toolsets {
            *counts.entry(toolset).or_default() += 1;
        }
    }
    for share in &known.get("science").unwrap().shares {
        let seen = f64::from(counts[&share.toolset]) * 100.0 / f64::from(runs);
        assert!((seen - share.percent).abs() < 1.5, "{}: {seen}%", share.toolset);
    }
}

#[test]
fn the_same_seed_draws_the_same_selections() {
    let known = Distributions::builtin();
    let run = |seed| -> Vec<Sample> {
        let mut draws = SplitMix64::new(seed);
        (0..20).map(|_| known.sample("balanced", &mut draws, |_| true).unwrap()).collect()
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5), run(6));
}

#[test]
fn unknown_distributions_are_errors_with_a_suggestion() {
    let error = Distributions::builtin().get("reserch").unwrap_err();
    assert_eq!(error.suggestion.as_deref(), Some("research"));
    let text = error.to_string();
    assert!(text.starts_with(
        "unknown distribution `reserch` (did you mean `research`?); known are: default, "
    ));
    let sampled = Distributions::builtin().sample("x", &mut Script::new(&[]), |_| true);
    assert!(sampled.unwrap_err().suggestion.is_none());
}

#[test]
fn people_may_bring_their_own_in_percents_or_fractions() {
    let mut known = Distributions::builtin();
    let problems = known.load_config(&json!({
        "percents": {"web": 80, "file": 0.5},
        "fractions": {"web": 1, "file": 0.25},
        "minimal": {"file": 100},
    }));
    assert_eq!(problems, []);
    let percents = |name: &str| -> Vec<f64> {
        known.get(name).unwrap().shares.iter().map(|share| share.percent).collect()
    };
    assert_eq!(percents("percents"), [80.0, 0.5]);
    assert_eq!(percents("fractions"), [100.0, 25.0]);
    assert_eq!(known.get("minimal").unwrap().shares[0].toolset.as_ref(), "file");
    assert_eq!(known.list().len(), 19, "a known name is replaced, not doubled");
}

#[test]
fn what_makes_no_sense_is_left_out_and_reported() {
    let mut known = Distributions::builtin();
    let problems = known.load_config(&json!({
        "odd": 5,
        "mixed": {"web": -1, "file": "often", "tts": 101, "vision": 30},
        "none": {},
    }));
    let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "distributions.odd: expected chances by toolset, found a number",
            "distributions.mixed.web: expected a chance from 0 to 100, found `-1`",
            "distributions.mixed.file: expected a chance from 0 to 100, found `\"often\"`",
            "distributions.mixed.tts: expected a chance from 0 to 100, found `101`",
            "distributions.none: no toolset has a chance",
        ]
    );
    assert_eq!(known.get("mixed").unwrap().shares.len(), 1);
    assert!(known.get("odd").is_err());
    assert_eq!(known.load_config(&json!([1])).len(), 1);
    assert_eq!(known.load_config(&Value::Null), []);
}

//! The rules of drawing (with scripted numbers), and that chance comes out as promised
//! (with a seeded generator).

use std::cell::Cell;

use serde_json::json;

use super::*;

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

/// What a product might ship.
fn shipped() -> Distributions {
    let named = |name: &str, shares| Distribution { name: name.into(), ..distribution(shares) };
    Distributions::new(vec![
        named("default", &[("web", 100.0), ("file", 100.0)]),
        named("research", &[("web", 90.0), ("browser", 70.0), ("vision", 50.0), ("file", 10.0)]),
        named("minimal", &[("web", 100.0)]),
        named("balanced", &[("web", 50.0), ("file", 50.0), ("browser", 50.0), ("vision", 50.0)]),
    ])
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
    let known = shipped();
    let mut draws = SplitMix64::new(2024);
    let runs = 20_000;
    let mut counts = std::collections::BTreeMap::<Arc<str>, u32>::new();
    for _ in 0..runs {
        let sample = known.sample("research", &mut draws, |_| true).unwrap();
        assert!(!sample.toolsets.is_empty());
        for toolset in sample.toolsets {
            *counts.entry(toolset).or_default() += 1;
        }
    }
    for share in &known.get("research").unwrap().shares {
        let seen = f64::from(counts[&share.toolset]) * 100.0 / f64::from(runs);
        assert!((seen - share.percent).abs() < 1.5, "{}: {seen}%", share.toolset);
    }
}

#[test]
fn the_same_seed_draws_the_same_selections() {
    let known = shipped();
    let run = |seed| -> Vec<Sample> {
        let mut draws = SplitMix64::new(seed);
        (0..20).map(|_| known.sample("balanced", &mut draws, |_| true).unwrap()).collect()
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5), run(6));
}

#[test]
fn unknown_distributions_are_errors_with_a_suggestion() {
    let error = shipped().get("reserch").unwrap_err();
    assert_eq!(error.suggestion.as_deref(), Some("research"));
    let text = error.to_string();
    assert!(text.starts_with(
        "unknown distribution `reserch` (did you mean `research`?); known are: default, "
    ));
    let sampled = shipped().sample("x", &mut Script::new(&[]), |_| true);
    assert!(sampled.unwrap_err().suggestion.is_none());
}

#[test]
fn people_may_bring_their_own_in_percents_or_fractions() {
    let mut known = shipped();
    let problems = known.load_config(&json!({"distributions": {
        "percents": {"web": 80, "file": 0.5},
        "fractions": {"web": 1, "file": 0.25},
        "minimal": {"file": 100},
    }}));
    assert_eq!(problems, []);
    let percents = |name: &str| -> Vec<f64> {
        known.get(name).unwrap().shares.iter().map(|share| share.percent).collect()
    };
    assert_eq!(percents("percents"), [80.0, 0.5]);
    assert_eq!(percents("fractions"), [100.0, 25.0]);
    assert_eq!(known.get("minimal").unwrap().shares[0].toolset.as_ref(), "file");
    assert_eq!(known.list().len(), 6, "a known name is replaced, not doubled");
}

#[test]
fn what_makes_no_sense_is_left_out_and_reported() {
    let mut known = shipped();
    let problems = known.load_config(&json!({"distributions": {
        "odd": 5,
        "mixed": {"web": -1, "file": "often", "tts": 101, "vision": 30},
        "none": {},
    }}));
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
    assert_eq!(known.load_config(&json!({"distributions": [1]})).len(), 1);
    assert_eq!(known.load_config(&Value::Null), []);
}

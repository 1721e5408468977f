//! Reading distributions out of the configuration.

use std::collections::BTreeMap;

use hermes_tool::Vars;
use hermes_tool::settings::scalar::as_f64;
use hermes_tool::settings::{RawSetting, Settings};
use serde_json::{Map, Value};

use super::{Distribution, Share};
use crate::toolsets::{ConfigProblem, kind_of};

/// What the configuration adds.
#[derive(Settings)]
struct OwnDistributions {
    /// Your own toolset mixes for batch runs: the chance of each toolset, in percent or as a fraction up to 1.
    distributions: RawSetting<BTreeMap<String, BTreeMap<String, f64>>>,
}

/// The distributions of a configuration, and whatever could not be used.
pub(super) fn distributions(config: &Value) -> (Vec<Distribution>, Vec<ConfigProblem>) {
    let mut problems = Vec::new();
    let mut found = Vec::new();
    match &OwnDistributions::read(config, &Vars::default()).distributions.0 {
        Value::Null => {}
        Value::Object(entries) => {
            for (name, entry) in entries {
                let place = format!("distributions.{name}");
                let Value::Object(chances) = entry else {
                    let message = format!("expected chances by toolset, found {}", kind_of(entry));
                    problems.push(ConfigProblem::new(place, message));
                    continue;
                };
                let shares = shares(&place, chances, &mut problems);
                if shares.is_empty() {
                    problems.push(ConfigProblem::new(place, "no toolset has a chance"));
                } else {
                    let description = "From the configuration".into();
                    found.push(Distribution { name: name.as_str().into(), description, shares });
                }
            }
        }
        other => {
            let message = format!("expected distributions by name, found {}", kind_of(other));
            problems.push(ConfigProblem::new("distributions", message));
        }
    }
    (found, problems)
}

fn shares(
    place: &str,
    chances: &Map<String, Value>,
    problems: &mut Vec<ConfigProblem>,
) -> Vec<Share> {
    let mut shares = Vec::with_capacity(chances.len());
    for (toolset, chance) in chances {
        match as_f64(chance).filter(|percent| (0.0..=100.0).contains(percent)) {
            Some(percent) => shares.push(Share { toolset: toolset.as_str().into(), percent }),
            None => problems.push(ConfigProblem::new(
                format!("{place}.{toolset}"),
                format!("expected a chance from 0 to 100, found `{chance}`"),
            )),
        }
    }
    if shares.iter().all(|share| share.percent <= 1.0) {
        for share in &mut shares {
            share.percent *= 100.0;
        }
    }
    shares
}

//! Distributions: which toolsets a generated conversation gets, by chance.
//!
//! Training data should show the model working with many different sets of tools. A
//! [`Distribution`] gives each toolset a chance in percent, and every conversation draws its own
//! selection: each toolset is decided for itself, so the percentages need not sum to anything.
//!
//! ```
//! use hermes_runtime::distributions::{Distribution, Distributions, Share, SplitMix64};
//!
//! let shares = vec![Share { toolset: "web".into(), percent: 100.0 }];
//! let minimal = Distribution { name: "minimal".into(), description: "The web".into(), shares };
//! let distributions = Distributions::new(vec![minimal]);
//! let mut draws = SplitMix64::new(7);
//! let sample = distributions.sample("minimal", &mut draws, |_toolset| true)?;
//! assert_eq!(sample.toolsets.len(), 1);
//! # Ok::<(), hermes_runtime::distributions::UnknownDistribution>(())
//! ```
//!
//! Randomness comes in from outside ([`DrawSource`]), so the same seed gives the same selection
//! on every machine. Nothing is printed here: what deserves a warning is part of the [`Sample`].

mod config;
mod draw;

use std::sync::Arc;

pub use draw::{DrawSource, SplitMix64};
use serde_json::Value;

use crate::toolsets::ConfigProblem;
use crate::toolsets::suggest::closest;

/// The distribution used when none is named.
pub const DEFAULT: &str = "default";

/// A toolset and its chance.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    /// What is selected or not, as a whole.
    pub toolset: Arc<str>,
    /// How likely it is to be selected, from 0 to 100.
    pub percent: f64,
}

/// Chances for some toolsets, in the order in which they are drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// What it is called.
    pub name: Arc<str>,
    /// One line for people choosing one.
    pub description: Arc<str>,
    /// The toolsets with their chances.
    pub shares: Vec<Share>,
}

/// What one draw of a distribution came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sample {
    /// The selected toolsets, in the distribution's order.
    pub toolsets: Vec<Arc<str>>,
    /// Toolsets that were left out because nobody knows them.
    pub invalid: Vec<Arc<str>>,
}

impl Sample {
    /// What to tell people about it.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        self.invalid.iter().map(|name| format!("toolset `{name}` is unknown and was left out"))
    }
}

/// There is no distribution of that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown distribution `{name}`{}; known are: {}", hint(suggestion.as_deref()), known.join(", "))]
pub struct UnknownDistribution {
    /// The name asked for.
    pub name: String,
    /// A known name that looks much like it.
    pub suggestion: Option<String>,
    /// All known names.
    pub known: Vec<String>,
}

fn hint(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"))
}

impl Distribution {
    /// Draws a selection.
    ///
    /// Toolsets that `is_valid` refuses are passed over without using up a draw. If chance leaves
    /// nothing, the likeliest toolset (the first of several) is taken, provided it is valid.
    pub fn sample(
        &self,
        draws: &mut dyn DrawSource,
        mut is_valid: impl FnMut(&str) -> bool,
    ) -> Sample {
        let mut sample = Sample::default();
        for share in &self.shares {
            if !is_valid(&share.toolset) {
                sample.invalid.push(share.toolset.clone());
            } else if draws.draw() * 100.0 < share.percent {
                sample.toolsets.push(share.toolset.clone());
            }
        }
        if sample.toolsets.is_empty() {
            let likeliest =
                self.likeliest().filter(|share| !sample.invalid.contains(&share.toolset));
            sample.toolsets.extend(likeliest.map(|share| share.toolset.clone()));
        }
        sample
    }

    fn likeliest(&self) -> Option<&Share> {
        self.shares
            .iter()
            .reduce(|best, share| if share.percent > best.percent { share } else { best })
    }
}

/// All known distributions: the product's in their order, then people's own.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Distributions {
    entries: Vec<Distribution>,
}

impl Distributions {
    /// The distributions that ship with a product.
    pub fn new(entries: Vec<Distribution>) -> Self {
        Self { entries }
    }

    /// Adds the ones under the configuration's `distributions` key, each `name: {toolset:
    /// percent}`. One with a known name replaces that one. If no value of a distribution is
    /// above 1, its values are fractions. What cannot be understood is left out and reported.
    pub fn load_config(&mut self, config: &Value) -> Vec<ConfigProblem> {
        let (found, problems) = config::distributions(config);
        for distribution in found {
            match self.entries.iter_mut().find(|known| known.name == distribution.name) {
                Some(known) => *known = distribution,
                None => self.entries.push(distribution),
            }
        }
        problems
    }

    /// All of them, for listing.
    pub fn list(&self) -> &[Distribution] {
        &self.entries
    }

    /// The distribution of this name; the error names the nearest.
    pub fn get(&self, name: &str) -> Result<&Distribution, UnknownDistribution> {
        self.entries.iter().find(|known| &*known.name == name).ok_or_else(|| {
            let names = || self.entries.iter().map(|known| &*known.name);
            UnknownDistribution {
                name: name.to_owned(),
                suggestion: closest(name, names()).map(str::to_owned),
                known: names().map(str::to_owned).collect(),
            }
        })
    }

    /// Draws a selection from the distribution of that name; see [`Distribution::sample`].
    pub fn sample(
        &self,
        name: &str,
        draws: &mut dyn DrawSource,
        is_valid: impl FnMut(&str) -> bool,
    ) -> Result<Sample, UnknownDistribution> {
        Ok(self.get(name)?.sample(draws, is_valid))
    }
}

#[cfg(test)]
mod tests;

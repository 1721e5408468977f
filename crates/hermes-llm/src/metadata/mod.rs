//! What is known about models: how much they read and write, and what they cost.
//!
//! The facts are data, in `models.json` beside this file: one entry for each family, found by a piece of
//! the model's name, the longest piece first. A model that no entry fits is simply unknown: then the
//! server is asked, or a cautious guess is made, and its cost is said to be unknown, never zero.

mod token_estimate;

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

pub use token_estimate::{estimate, estimate_message, estimate_text};

use crate::endpoint::Endpoint;
use crate::model::TokenUsage;

/// The window of a model that nobody knows anything about.
pub const DEFAULT_CONTEXT: u64 = 256_000;

/// What is known about a family of models.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFamily {
    /// A piece of the names of its models.
    pub name: String,
    /// How many tokens they read.
    pub context: u64,
    /// How many tokens they write at once.
    #[serde(default)]
    pub output: Option<u32>,
    /// Whether they see pictures.
    #[serde(default)]
    pub vision: bool,
    /// What they cost.
    #[serde(default)]
    pub price: Option<Price>,
}

/// Prices, in US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// What is read.
    pub input: f64,
    /// What is written.
    pub output: f64,
    /// What is read from the cache; like the rest if absent.
    #[serde(default)]
    pub cache_read: Option<f64>,
    /// What is put into the cache; like the rest if absent.
    #[serde(default)]
    pub cache_write: Option<f64>,
}

/// The families, longest names first.
static FAMILIES: LazyLock<Vec<ModelFamily>> = LazyLock::new(|| {
    let mut families: Vec<ModelFamily> =
        serde_json::from_str(include_str!("models.json")).unwrap_or_default();
    families.sort_by_key(|family| std::cmp::Reverse(family.name.len()));
    families
});

/// The family of a model.
#[must_use]
pub fn family(model: &str) -> Option<&'static ModelFamily> {
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase().replace('.', "-");
    FAMILIES.iter().find(|family| names(&name, &family.name))
}

/// Words in the names of models that are made for pictures, whatever their family.
const SEEING: [&str; 6] = ["vl", "vision", "llava", "pixtral", "moondream", "omni"];

/// Whether a model is known to see pictures. One that nobody knows anything about is taken to be blind.
#[must_use]
pub fn sees_images(model: &str) -> bool {
    let name = model.to_lowercase();
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    family(model).is_some_and(|family| family.vision) || words.any(|word| SEEING.contains(&word))
}

/// Whether a model's name holds a family's: as whole words, so that `gpt-4-1` is not in `gpt-4-1106`.
fn names(model: &str, family: &str) -> bool {
    model.match_indices(family).any(|(start, found)| {
        let before = model[..start].chars().next_back();
        let after = model[start + found.len()..].chars().next();
        !before.is_some_and(|character| character.is_ascii_alphanumeric())
            && !after.is_some_and(|character| character.is_ascii_digit())
    })
}

/// How many tokens a model writes at once, where that is known.
#[must_use]
pub fn output_cap(model: &str) -> Option<u32> {
    family(model)?.output
}

/// What something cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum CallCost {
    /// By the prices in the table.
    Known {
        /// US dollars.
        usd: f64,
    },
    /// The server is one's own.
    Free,
    /// The model has no price in the table.
    Unknown,
}

impl std::ops::AddAssign for CallCost {
    /// Sums are known as long as every part is.
    fn add_assign(&mut self, other: Self) {
        *self = match (*self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Free, other) => other,
            (known, Self::Free) => known,
            (Self::Known { usd: a }, Self::Known { usd: b }) => Self::Known { usd: a + b },
        };
    }
}

/// What this use of a model cost.
#[must_use]
pub fn cost(endpoint: &Endpoint, usage: &TokenUsage) -> CallCost {
    if endpoint.is_local() {
        return CallCost::Free;
    }
    match family(&endpoint.model).and_then(|family| family.price) {
        Some(price) => CallCost::Known { usd: price.of(usage) },
        None if endpoint.model.ends_with(":free") => CallCost::Free,
        None => CallCost::Unknown,
    }
}

impl Price {
    /// The price of a use, in US dollars.
    #[must_use]
    pub fn of(&self, usage: &TokenUsage) -> f64 {
        let millions = |tokens: u64| tokens as f64 / 1e6;
        millions(usage.input_tokens) * self.input
            + millions(usage.output_tokens) * self.output
            + millions(usage.cache_read_tokens) * self.cache_read.unwrap_or(self.input)
            + millions(usage.cache_write_tokens) * self.cache_write.unwrap_or(self.input)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::WireApi;

    #[test]
    fn models_that_see_are_known_by_family_or_by_name() {
        for seeing in
            ["claude-opus-4.5", "openai/gpt-4o-mini", "qwen2.5-vl-72b", "google/gemini-3-pro"]
        {
            assert!(sees_images(seeing), "{seeing}");
        }
        for blind in ["gpt-3.5-turbo", "deepseek-chat", "o3-mini", "qwen3-coder", "scripted", ""] {
            assert!(!sees_images(blind), "{blind}");
        }
    }

    #[test]
    fn the_table_is_readable_and_has_no_name_twice() {
        let read: Vec<ModelFamily> = serde_json::from_str(include_str!("models.json")).unwrap();
        assert!(read.len() > 30);
        for family in &read {
            let same = read.iter().filter(|other| other.name == family.name).count();
            assert_eq!(same, 1, "{}", family.name);
            assert_eq!(family.name, family.name.to_lowercase().replace('.', "-"));
        }
    }

    #[test]
    fn the_longest_piece_of_a_name_decides() {
        for (model, context, output) in [
            ("claude-opus-4-6", 1_000_000, Some(128_000)),
            ("anthropic/claude-sonnet-4.5", 200_000, Some(64_000)),
            ("claude-opus-4-20250514", 200_000, Some(32_000)),
            ("claude-3-5-haiku-latest", 200_000, Some(8192)),
            ("openai/gpt-4o-mini", 128_000, Some(16_384)),
            ("gpt-5.1", 400_000, Some(128_000)),
        ] {
            let found = family(model).unwrap();
            assert_eq!((found.context, found.output), (context, output), "{model}");
        }
        assert_eq!(family("gpt-4-1106-preview").unwrap().name, "gpt-4");
        assert_eq!(family("house-made-model"), None);
        assert_eq!(family("echo1-small"), None);
    }

    #[test]
    fn costs_are_known_free_or_unknown_but_never_guessed() {
        let usage = TokenUsage {
            input_tokens: 1_000_000,
            output_tokens: 100_000,
            cache_read_tokens: 1_000_000,
            ..TokenUsage::default()
        };
        let at = |base: &str, model: &str| cost(&Endpoint::new(WireApi::Chat, base, model), &usage);
        let CallCost::Known { usd } =
            at("https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4.5")
        else {
            panic!("there is a price");
        };
        assert!((usd - (3.0 + 1.5 + 0.3)).abs() < 1e-9, "{usd}");
        assert_eq!(at("http://localhost:11434/v1", "claude-sonnet-4.5"), CallCost::Free);
        assert_eq!(at("https://api.example.com/v1", "house-made-model"), CallCost::Unknown);
        let mut sum = CallCost::Free;
        sum += CallCost::Known { usd: 1.0 };
        sum += CallCost::Known { usd: 2.0 };
        assert_eq!(sum, CallCost::Known { usd: 3.0 });
        sum += CallCost::Unknown;
        assert_eq!(sum, CallCost::Unknown);
    }
}

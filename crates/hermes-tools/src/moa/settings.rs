//! Which models are asked together, as configured.

use std::collections::BTreeMap;

use hermes_tool::Vars;
use hermes_tool::settings::{Entries, SettingWords, Settings, TextOr};
use serde_json::Value;

/// Tokens of the final answer, unless told otherwise.
const MAX_TOKENS: u32 = 4_096;
/// The preset in use, unless told otherwise.
const DEFAULT_PRESET: &str = "default";
/// References a mixture needs.
const MIN_REFERENCES: usize = 2;

/// A model of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRef {
    /// The provider; blank for the session's own.
    pub provider: String,
    /// The model's name there.
    pub model: String,
}

/// How often the references are asked when a mixture drives a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, SettingWords)]
pub enum Fanout {
    /// Before every call to the aggregator.
    PerIteration,
    /// Once for each message of the user.
    #[default]
    UserTurn,
}

/// One preset of the section `moa`.
#[derive(Clone, Debug, PartialEq)]
pub struct MoaSettings {
    /// The models whose answers are the material.
    pub references: Vec<ModelRef>,
    /// The model that makes one answer from them; the session's own if absent.
    pub aggregator: Option<ModelRef>,
    /// How freely the references choose words.
    pub reference_temperature: Option<f32>,
    /// How freely the aggregator does.
    pub aggregator_temperature: Option<f32>,
    /// Most tokens of a reference's answer.
    pub reference_max_tokens: Option<u32>,
    /// Most tokens of the final answer.
    pub max_tokens: u32,
    /// How often the references are asked.
    pub fanout: Fanout,
}

/// The section as it is written.
#[derive(Settings)]
#[settings(path = "moa", about = "Several models answering together", open)]
struct MoaSection {
    /// The preset in use where none is named.
    #[setting(default = DEFAULT_PRESET.to_owned())]
    default_preset: String,
    /// Which models answer together, by name.
    presets: BTreeMap<String, MoaPreset>,
}

/// One preset as it is written.
#[derive(Settings)]
#[settings(manual, open, about = "One preset")]
struct MoaPreset {
    /// Whether it can be used.
    #[setting(default = true)]
    enabled: bool,
    /// The models whose answers are the material: names, or sections with provider and model.
    reference_models: Entries<TextOr<WrittenModel>>,
    /// The model that makes one answer of them; the main one if unset.
    aggregator: Option<TextOr<WrittenModel>>,
    /// How freely those models choose words.
    reference_temperature: Option<f64>,
    /// How freely the aggregator does.
    aggregator_temperature: Option<f64>,
    /// Most tokens of one of their answers.
    #[setting(range = 1..)]
    reference_max_tokens: Option<u32>,
    /// Most tokens of the final answer.
    #[setting(default = MAX_TOKENS, range = 1..)]
    max_tokens: u32,
    /// How often they are asked when the mixture drives a conversation.
    fanout: Fanout,
}

/// A model as it is written, if not only by its name.
#[derive(Settings)]
#[settings(manual, about = "One model")]
struct WrittenModel {
    /// Who serves it; the session's own provider if unset.
    provider: Option<String>,
    /// Its name there.
    model: Option<String>,
}

impl MoaSettings {
    /// Reads a preset: the named one, or the default. `None` if it is not there or turned off.
    #[must_use]
    pub fn from_config(config: &Value, preset: Option<&str>) -> Option<Self> {
        let mut section = MoaSection::read(config, &Vars::default());
        let preset = section.presets.remove(preset.unwrap_or(&section.default_preset))?;
        preset.enabled.then(|| Self {
            references: preset.reference_models.0.into_iter().filter_map(model).collect(),
            aggregator: preset.aggregator.and_then(model),
            reference_temperature: preset.reference_temperature.map(narrowed),
            aggregator_temperature: preset.aggregator_temperature.map(narrowed),
            reference_max_tokens: preset.reference_max_tokens,
            max_tokens: preset.max_tokens,
            fanout: preset.fanout,
        })
    }

    /// Whether there are enough models for a mixture.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.references.len() >= MIN_REFERENCES
    }
}

/// `{provider, model}`, or just the model's name.
fn model(written: TextOr<WrittenModel>) -> Option<ModelRef> {
    let named = |name| WrittenModel { provider: None, model: Some(name) };
    let WrittenModel { provider, model } = written.into_parts(named);
    let (provider, model) = (provider.unwrap_or_default(), model?);
    let (provider, model) = (provider.trim().to_owned(), model.trim().to_owned());
    (!model.is_empty()).then_some(ModelRef { provider, model })
}

#[expect(clippy::cast_possible_truncation, reason = "a temperature needs few digits")]
fn narrowed(number: f64) -> f32 {
    number as f32
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_preset_is_read_and_nonsense_in_it_is_left_out() {
        let config = json!({"moa": {"default_preset": "wise", "presets": {"wise": {
            "reference_models": [{"provider": "a", "model": "x"}, "y", {"provider": "b"}, [7]],
            "aggregator": {"provider": "c", "model": "z"},
            "reference_temperature": 0.5, "max_tokens": -1, "fanout": "per_iteration"}}}});
        let settings = MoaSettings::from_config(&config, None).unwrap();
        let names: Vec<&str> =
            settings.references.iter().map(|model| model.model.as_str()).collect();
        assert_eq!(names, ["x", "y"]);
        assert!(settings.is_usable());
        assert_eq!(settings.aggregator.unwrap().provider, "c");
        assert_eq!((settings.reference_temperature, settings.max_tokens), (Some(0.5), 4_096));
        assert_eq!(settings.fanout, Fanout::PerIteration);
    }

    #[test]
    fn an_absent_or_disabled_preset_is_none() {
        assert_eq!(MoaSettings::from_config(&json!({}), None), None);
        let off = json!({"moa": {"presets": {"default": {"enabled": false}}}});
        assert_eq!(MoaSettings::from_config(&off, None), None);
        assert_eq!(MoaSettings::from_config(&off, Some("other")), None);
    }
}

//! Which models are asked together, as configured.

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

impl MoaSettings {
    /// Reads a preset: the named one, or the default. `None` if it is not there or turned off.
    #[must_use]
    pub fn from_config(config: &Value, preset: Option<&str>) -> Option<Self> {
        let section = &config["moa"];
        let name =
            preset.or_else(|| section["default_preset"].as_str().filter(|name| !name.is_empty()));
        let preset = section["presets"].get(name.unwrap_or(DEFAULT_PRESET))?;
        if !preset.is_object() || preset["enabled"] == false {
            return None;
        }
        let temperature = |key: &str| preset[key].as_f64().map(narrowed);
        let tokens = |key: &str| preset[key].as_u64().and_then(|count| u32::try_from(count).ok());
        let tokens = |key: &str| tokens(key).filter(|count| *count > 0);
        let references = preset["reference_models"].as_array();
        Some(Self {
            references: references.into_iter().flatten().filter_map(model).collect(),
            aggregator: model(&preset["aggregator"]),
            reference_temperature: temperature("reference_temperature"),
            aggregator_temperature: temperature("aggregator_temperature"),
            reference_max_tokens: tokens("reference_max_tokens"),
            max_tokens: tokens("max_tokens").unwrap_or(MAX_TOKENS),
            fanout: match preset["fanout"].as_str() {
                Some("per_iteration") => Fanout::PerIteration,
                _ => Fanout::UserTurn,
            },
        })
    }

    /// Whether there are enough models for a mixture.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.references.len() >= MIN_REFERENCES
    }
}

/// `{provider, model}`, or just the model's name.
fn model(value: &Value) -> Option<ModelRef> {
    let (provider, model) = match value {
        Value::String(model) => ("", model.as_str()),
        other => (other["provider"].as_str().unwrap_or_default(), other["model"].as_str()?),
    };
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
            "reference_models": [{"provider": "a", "model": "x"}, "y", {"provider": "b"}, 7],
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

//! Toolsets off by default that this user has set up.

use hermes_tool::Vars;
use serde_json::Value;

use super::names::{HOME_ASSISTANT, MIXTURE, X_SEARCH};
use crate::moa::MoaSettings;

/// Toolsets that are off by default and for which all that they need is there.
#[must_use]
pub fn set_up_toolsets(config: &Value, vars: &Vars) -> Vec<&'static str> {
    let mut found = Vec::new();
    if vars.non_blank("HASS_TOKEN").is_some() {
        found.push(HOME_ASSISTANT);
    }
    if vars.non_blank("XAI_API_KEY").is_some() {
        found.push(X_SEARCH);
    }
    // Several models at once cost several times as much: only who has named them gets the tool.
    if MoaSettings::from_config(config, None).is_some_and(|moa| moa.is_usable()) {
        found.push(MIXTURE);
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_and_named_models_set_toolsets_up() {
        let nothing = Vars::default();
        assert!(set_up_toolsets(&json!({}), &nothing).is_empty());
        let keys = [("HASS_TOKEN", "t"), ("XAI_API_KEY", " ")];
        let keys: Vars =
            keys.map(|(name, key)| (name.to_owned(), key.to_owned())).into_iter().collect();
        assert_eq!(set_up_toolsets(&json!({}), &keys), ["homeassistant"]);
        let references = json!([{"provider": "a", "model": "m"}, {"provider": "b", "model": "n"}]);
        let config = json!({"moa": {"presets": {"default": {"reference_models": references}}}});
        assert_eq!(set_up_toolsets(&config, &nothing), ["moa"]);
    }
}

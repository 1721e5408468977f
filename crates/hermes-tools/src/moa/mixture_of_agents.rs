//! `mixture_of_agents`: a hard question put to several models at once.

use hermes_tool::{SchemaPatch, SchemaScope, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::settings::MoaSettings;
use crate::agent_level::{ForAgent, needs_agent};

/// Arguments of `mixture_of_agents`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct MixtureOfAgents {
    /// The question, complete in itself: the other models see nothing else.
    pub user_prompt: String,
}

/// Put a hard question to several models and get one answer made from theirs.
///
/// For difficult reasoning, mathematics or design where a second opinion pays; it costs many calls.
/// The models have no tools and do not know this conversation.
#[tool(
    toolset = "moa",
    emoji = "🧩",
    effects(network, agent_state),
    dynamic_schema = only_with_references
)]
fn mixture_of_agents(_: ForAgent<MixtureOfAgents>) -> ToolResult {
    needs_agent("mixture_of_agents")
}

/// With fewer than two models there is no mixture to offer.
fn only_with_references(scope: &SchemaScope<'_>) -> SchemaPatch {
    match MoaSettings::from_config(scope.config, None) {
        Some(settings) if settings.is_usable() => SchemaPatch::Keep,
        _ => SchemaPatch::Remove,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hermes_tool::Vars;
    use serde_json::{Value, json};

    use super::*;

    fn offered(config: &Value) -> SchemaPatch {
        let scope = SchemaScope { available: &BTreeSet::new(), vars: &Vars::default(), config };
        mixture_of_agents_tool().dynamic_schema().unwrap()(&scope)
    }

    #[test]
    fn it_is_offered_only_where_two_models_can_be_asked() {
        let with = |references: Value| {
            offered(&json!({"moa": {"presets": {"default": {"reference_models": references}}}}))
        };
        assert_eq!(offered(&json!({})), SchemaPatch::Remove);
        assert_eq!(with(json!([{"provider": "a", "model": "x"}])), SchemaPatch::Remove);
        let two = json!([{"provider": "a", "model": "x"}, {"provider": "b", "model": "y"}]);
        assert_eq!(with(two), SchemaPatch::Keep);
    }
}

//! `mixture_of_agents`: a hard question put to several models at once.

use std::future::Future;
use std::pin::Pin;

use hermes_tool::{CallDisplay, SchemaPatch, SchemaScope, State, ToolContext, ToolError, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::settings::MoaSettings;

/// Arguments of `mixture_of_agents`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct MixtureOfAgents {
    /// The question, complete in itself: the other models see nothing else.
    pub user_prompt: String,
}

/// The models of the configured preset.
pub trait ModelPanel: Send + Sync {
    /// Puts the question to all of them and has one answer made from theirs, in the form the model
    /// that asked gets it.
    fn ask<'a>(
        &'a self,
        question: String,
        cancel: &'a CancellationToken,
    ) -> Pin<Box<dyn Future<Output = Result<Value, ToolError>> + Send + 'a>>;
}

/// Put a hard question to several models and get one answer made from theirs.
///
/// For difficult reasoning, mathematics or design where a second opinion pays; it costs many calls.
/// The models have no tools and do not know this conversation.
#[tool(
    toolset = "moa",
    emoji = "🧩",
    effects(network, agent_state),
    output = trusted,
    display = CallDisplay::verb("consult").args(&["user_prompt"]),
    dynamic_schema = only_with_references
)]
async fn mixture_of_agents(
    args: MixtureOfAgents,
    panel: State<dyn ModelPanel>,
    cx: &ToolContext,
) -> Result<Value, ToolError> {
    panel.ask(args.user_prompt, cx.cancellation()).await
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
    use serde_json::json;

    use super::*;

    fn offered(config: &Value) -> SchemaPatch {
        let scope = SchemaScope {
            available: &BTreeSet::new(),
            vars: &Vars::default(),
            config,
            detail: hermes_tool::SchemaDetail::Full,
        };
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

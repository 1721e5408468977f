//! `ha_get_state`: how one thing in the house is now.

use hermes_media::home_assistant::EntityId;
use hermes_tool::{ToolContext, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::house::{answered, house, is_set_up, misnamed};

/// Arguments of `ha_get_state`.
#[derive(Deserialize, JsonSchema)]
struct GetState {
    /// The thing, such as light.kitchen.
    entity_id: String,
}

/// Get the state of one thing in the smart home, with all its attributes.
#[tool(
    toolset = "homeassistant",
    emoji = "🏠",
    effects(network),
    check = is_set_up,
    requires_env("HASS_TOKEN")
)]
async fn ha_get_state(args: GetState, cx: &ToolContext) -> ToolResult {
    let id = EntityId::parse(args.entity_id.trim()).map_err(misnamed)?;
    answered(house(cx)?.state(&id, cx.cancellation()).await)
}

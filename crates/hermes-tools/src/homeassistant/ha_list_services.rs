//! `ha_list_services`: what can be done in the house.

use hermes_tool::{ToolContext, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::house::{answered, given, house, is_set_up};

/// Arguments of `ha_list_services`.
#[derive(Deserialize, JsonSchema)]
struct ListServices {
    /// Only this domain: light, climate, media_player, …
    domain: Option<String>,
}

/// List what can be done in the smart home, with the fields each service takes.
#[tool(
    toolset = "homeassistant",
    emoji = "🏠",
    effects(network),
    check = is_set_up,
    requires_env("HASS_TOKEN")
)]
async fn ha_list_services(args: ListServices, cx: &ToolContext) -> ToolResult {
    answered(house(cx)?.services(given(args.domain.as_ref()), cx.cancellation()).await)
}

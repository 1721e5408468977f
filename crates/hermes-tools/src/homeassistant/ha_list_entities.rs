//! `ha_list_entities`: the things in the house.

use hermes_tool::{ToolContext, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::house::{answered, given, house, is_set_up};

/// Arguments of `ha_list_entities`.
#[derive(Deserialize, JsonSchema)]
struct ListEntities {
    /// Only things of this domain: light, switch, climate, sensor, …
    domain: Option<String>,
    /// Only things whose name or area holds these letters: kitchen, bedroom, …
    area: Option<String>,
}

/// List the things in the smart home and the state each is in.
#[tool(
    toolset = "homeassistant",
    emoji = "🏠",
    effects(network),
    check = is_set_up,
    requires_env("HASS_TOKEN")
)]
async fn ha_list_entities(args: ListEntities, cx: &ToolContext) -> ToolResult {
    let (domain, area) = (given(args.domain.as_ref()), given(args.area.as_ref()));
    answered(house(cx)?.entities(domain, area, cx.cancellation()).await)
}

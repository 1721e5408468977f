//! What the tools of the toolset share: the house, and how its answers are wrapped.

use hermes_media::home_assistant::{HomeAssistant, NameError};
use hermes_media::service::ServiceError;
use hermes_tool::{Availability, ToolContext, ToolError, ToolOutput, ToolResult, Vars};
use serde_json::{Value, json};

/// Whether there is a house to talk to.
pub(super) fn is_set_up(vars: &Vars) -> Availability {
    Availability::needs_env(vars, &["HASS_TOKEN"])
}

pub(super) fn house(cx: &ToolContext) -> Result<HomeAssistant, ToolError> {
    HomeAssistant::from_vars(cx.vars())
        .ok_or_else(|| ToolError::answer("Home Assistant is not set up: HASS_TOKEN is not set"))
}

pub(super) fn answered(result: Result<Value, ServiceError>) -> ToolResult {
    ToolOutput::json(&json!({"result": result.map_err(ToolError::from)?}))
}

#[expect(clippy::needless_pass_by_value, reason = "shaped for `map_err`")]
pub(super) fn misnamed(error: NameError) -> ToolError {
    ToolError::answer(error.to_string())
}

/// A text that says something.
pub(super) fn given(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

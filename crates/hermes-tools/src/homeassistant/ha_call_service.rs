//! `ha_call_service`: something is done in the house.

use hermes_media::home_assistant::{EntityId, ServiceName};
use hermes_tool::{CallDisplay, ToolContext, ToolError, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::house::{answered, given, house, is_set_up, misnamed};

/// Arguments of `ha_call_service`.
#[derive(Deserialize, JsonSchema)]
struct CallService {
    /// The domain: light, switch, climate, …
    domain: String,
    /// What to do: turn_on, turn_off, set_temperature, …
    service: String,
    /// The thing to do it with, such as light.kitchen.
    entity_id: Option<String>,
    /// Further fields of the service, such as {"brightness": 128}: an object, or its JSON text.
    #[schemars(with = "Option<Map<String, Value>>")]
    data: Option<Value>,
}

/// Do something in the smart home: switch a light, set a temperature, start a scene.
#[tool(
    toolset = "homeassistant",
    emoji = "🏠",
    effects(network, writes),
    check = is_set_up,
    requires_env("HASS_TOKEN"),
    display = CallDisplay::DEFAULT.args(&["domain", "service", "entity_id"])
)]
async fn ha_call_service(args: CallService, cx: &ToolContext) -> ToolResult {
    let name = ServiceName::parse(args.domain.trim(), args.service.trim()).map_err(misnamed)?;
    let entity = given(args.entity_id.as_ref()).map(EntityId::parse).transpose();
    let entity = entity.map_err(misnamed)?;
    let data = fields(args.data)?;
    answered(house(cx)?.act(&name, entity.as_ref(), data, cx.cancellation()).await)
}

/// The fields as an object; models often write its text.
fn fields(data: Option<Value>) -> Result<Map<String, Value>, ToolError> {
    let data = match data {
        Some(Value::String(text)) if text.trim().is_empty() => Value::Null,
        Some(Value::String(text)) => serde_json::from_str(&text)
            .map_err(|error| ToolError::answer(format!("data is no JSON: {error}")))?,
        data => data.unwrap_or_default(),
    };
    match data {
        Value::Null => Ok(Map::new()),
        Value::Object(fields) => Ok(fields),
        _ => Err(ToolError::answer("data is no object; write it as {\"field\": value}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn data_comes_as_an_object_or_as_its_text() {
        let expected = json!({"a": 1}).as_object().cloned().unwrap();
        assert_eq!(fields(Some(json!({"a": 1}))).unwrap(), expected);
        assert_eq!(fields(Some(json!("{\"a\": 1}"))).unwrap(), expected);
        assert!(fields(None).unwrap().is_empty() && fields(Some(json!(" "))).unwrap().is_empty());
        assert!(fields(Some(json!("[1]"))).is_err() && fields(Some(json!("{"))).is_err());
    }
}

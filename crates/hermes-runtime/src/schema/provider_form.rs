//! A definition in the form a provider's own interface takes it.

use serde_json::{Map, Value, json};

use super::{Provider, for_provider};

impl Provider {
    /// One `{"type": "function", …}` definition, fitted to this provider and in its wire form.
    #[must_use]
    pub fn wire_form(self, definition: &Value) -> Value {
        let function = &definition["function"];
        let parameters = for_provider(&function["parameters"], self);
        let mut shaped = Map::new();
        shaped.insert("name".into(), function["name"].clone());
        shaped.insert("description".into(), function["description"].clone());
        match self {
            Self::Anthropic => {
                shaped.insert("input_schema".into(), parameters);
                Value::Object(shaped)
            }
            Self::Gemini => {
                shaped.insert("parameters".into(), parameters);
                Value::Object(shaped)
            }
            Self::OpenAi | Self::Moonshot | Self::Xai | Self::LlamaCpp => {
                shaped.insert("parameters".into(), parameters);
                json!({"type": "function", "function": shaped})
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_interface_gets_its_own_form() {
        let definition = json!({"type": "function", "function": {"name": "t", "description": "d",
            "parameters": {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}}});
        let anthropic = Provider::Anthropic.wire_form(&definition);
        assert_eq!(anthropic["input_schema"]["properties"]["a"], json!({"type": "string"}));
        let gemini = Provider::Gemini.wire_form(&definition);
        assert_eq!(gemini["parameters"]["properties"]["a"]["nullable"], true);
        assert_eq!(Provider::OpenAi.wire_form(&definition)["type"], "function");
    }
}

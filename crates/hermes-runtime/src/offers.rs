//! The tools of a session for programs that have no agent: other people's clients, over whatever wire.

use hermes_tool::{Effect, Tool};
use serde_json::Value;

use crate::definitions::{Deferral, DefinitionRequest, ToolScope};
use crate::runtime::Runtime;

/// A tool on offer.
#[derive(Clone, Debug)]
pub struct Offer {
    /// The tool.
    pub tool: Tool,
    /// What it is for, adapted to the tools beside it.
    pub description: String,
    /// The schema of its arguments. Definitions are made to suit model providers; this is the tool's
    /// own, unless it adapts to the tools beside it.
    pub parameters: Value,
}

impl Runtime {
    /// The selected and available tools that work without an agent, sorted by name. One that works on
    /// an agent's state is left out, as it could only refuse.
    #[must_use]
    pub fn offers(&self, scope: &ToolScope) -> Vec<Offer> {
        let request = DefinitionRequest {
            scope: scope.clone(),
            deferral: Deferral::Never,
            context_tokens: None,
        };
        let tables = self.registry().snapshot();
        let definitions = self.definitions(&request);
        let offer = |definition: &Value| {
            let function = &definition["function"];
            let tool = tables.get(function["name"].as_str()?)?;
            let parameters = match tool.dynamic_schema() {
                None => tool.parameters(),
                Some(_) => &function["parameters"],
            };
            (!tool.effects().has(Effect::AgentState)).then(|| Offer {
                tool: tool.clone(),
                description: function["description"].as_str().unwrap_or_default().to_owned(),
                parameters: parameters.clone(),
            })
        };
        definitions.functions().iter().filter_map(offer).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hermes_tool::{Effects, ToolOutput};
    use serde_json::json;

    #[test]
    fn tools_of_an_agent_are_not_on_offer_and_schemas_are_the_tools_own() {
        let runtime = Runtime::builder().build();
        let own = json!({"$schema": "x", "type": "object", "additionalProperties": false});
        for (name, effects) in [
            ("b", Effects::NONE),
            ("a", Effects::NONE),
            ("c", Effects::NONE.with(Effect::AgentState)),
        ] {
            let tool = Tool::builder(name, "t").parameters(own.clone()).effects(effects);
            runtime.registry().register(tool.handler(|_, _| Ok(ToolOutput::text("x"))));
        }
        let offers = runtime.offers(&ToolScope::default());
        let names: Vec<&str> = offers.iter().map(|offer| &**offer.tool.name()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(offers[0].parameters, own);
    }
}

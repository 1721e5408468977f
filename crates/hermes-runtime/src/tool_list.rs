//! The tools of a session for programs that have no agent: other people's clients, over whatever wire.

use std::sync::{Arc, Mutex, PoisonError};

use hermes_tool::{Effect, Tool};
use serde_json::Value;

use crate::definitions::{Deferral, DefinitionRequest, Definitions, ToolScope};
use crate::runtime::Runtime;

/// A tool as programs are told of it.
#[derive(Clone, Debug)]
pub struct ListedTool {
    /// What is called, with its checks and limits.
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
    pub fn list_tools(&self, scope: &ToolScope) -> Vec<ListedTool> {
        self.tools_in(&self.definitions(&request(scope)))
    }

    fn tools_in(&self, definitions: &Definitions) -> Vec<ListedTool> {
        let tables = self.registry().snapshot();
        let listed = |definition: &Value| {
            let function = &definition["function"];
            let tool = tables.get(function["name"].as_str()?)?;
            let parameters = match tool.dynamic_schema() {
                None => tool.parameters(),
                Some(_) => &function["parameters"],
            };
            (!tool.effects().has(Effect::AgentState)).then(|| ListedTool {
                tool: tool.clone(),
                description: function["description"].as_str().unwrap_or_default().to_owned(),
                parameters: parameters.clone(),
            })
        };
        definitions.functions().iter().filter_map(listed).collect()
    }
}

fn request(scope: &ToolScope) -> DefinitionRequest {
    DefinitionRequest { scope: scope.clone(), deferral: Deferral::Never, context_tokens: None }
}

/// Something made of the list of tools, kept as long as they are the same ones.
///
/// The runtime gives the same [`Definitions`] until something they depend on changes, so who serves
/// many calls describes the tools once, not for each of them.
#[derive(Debug)]
pub struct ToolListCache<T> {
    scope: ToolScope,
    kept: Mutex<Option<(Arc<Definitions>, Arc<T>)>>,
}

impl<T> ToolListCache<T> {
    /// Nothing made yet, of the tools of this scope.
    #[must_use]
    pub fn new(scope: ToolScope) -> Self {
        Self { scope, kept: Mutex::new(None) }
    }

    /// The toolsets whose tools are listed.
    #[must_use]
    pub fn scope(&self) -> &ToolScope {
        &self.scope
    }

    /// What was made of the present tools; made now if they have changed. Two callers may make it at
    /// the same time, as nobody waits for another's work.
    pub fn get(&self, runtime: &Runtime, make: impl FnOnce(Vec<ListedTool>) -> T) -> Arc<T> {
        let now = runtime.definitions(&request(&self.scope));
        let lock = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, made)) = &*lock()
            && Arc::ptr_eq(known, &now)
        {
            return Arc::clone(made);
        }
        let made = Arc::new(make(runtime.tools_in(&now)));
        *lock() = Some((now, Arc::clone(&made)));
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hermes_tool::{Effects, ToolOutput};
    use serde_json::json;

    #[test]
    fn what_is_made_of_offers_is_made_once_until_a_tool_comes() {
        let runtime = Runtime::builder().build();
        let add = |name: &str| {
            let tool = Tool::builder(name, "t").handler(|_, _| Ok(ToolOutput::text("x")));
            runtime.registry().register(tool);
        };
        add("a");
        let cache = ToolListCache::new(ToolScope::default());
        let first = cache.get(&runtime, |tools| tools.len());
        let again = cache.get(&runtime, |_| panic!("made twice"));
        assert!(Arc::ptr_eq(&first, &again) && *first == 1);
        add("b");
        assert_eq!(*cache.get(&runtime, |tools| tools.len()), 2);
    }

    #[test]
    fn tools_of_an_agent_are_not_listed_and_schemas_are_the_tools_own() {
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
        let tools = runtime.list_tools(&ToolScope::default());
        let names: Vec<&str> = tools.iter().map(|listed| &**listed.tool.name()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(tools[0].parameters, own);
    }
}

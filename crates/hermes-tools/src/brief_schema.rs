//! Tool schemas in few words, for models with a small window.
//!
//! Such a model reads every word of every schema before each answer, and takes what it reads for advice. A brief
//! schema names the arguments that a call needs and says nothing about the rest, which still work.

use hermes_tool::{SchemaDetail, SchemaPatch, SchemaScope, Tool};
use serde_json::{Map, Value, json};

use crate::host_services::located;

/// An argument of a brief schema: its name, its type, what it is.
pub(crate) type BriefArgument = (&'static str, &'static str, &'static str);

/// The brief form of a tool, where a brief one is wanted. The first `required` arguments are.
pub(crate) fn brief(
    scope: &SchemaScope<'_>,
    description: &str,
    arguments: &[BriefArgument],
    required: usize,
) -> Option<SchemaPatch> {
    if scope.detail != SchemaDetail::Brief {
        return None;
    }
    let properties: Map<String, Value> = arguments
        .iter()
        .map(|(name, kind, about)| {
            let mut property = json!({"type": kind});
            if !about.is_empty() {
                property["description"] = (*about).into();
            }
            ((*name).to_owned(), property)
        })
        .collect();
    let required: Vec<&str> = arguments.iter().take(required).map(|(name, ..)| *name).collect();
    let mut fields = Map::new();
    fields.insert("description".into(), description.into());
    fields.insert(
        "parameters".into(),
        json!({"type": "object", "properties": properties, "required": required}),
    );
    Some(SchemaPatch::Merge(fields))
}

/// Leaves out the argument that only makes sense where the home has another profile.
pub(crate) fn without_other_profiles(scope: &SchemaScope<'_>, tool: &Tool) -> SchemaPatch {
    let home = located(scope.vars);
    let others = home.is_some_and(|home| {
        home.of_default_profile().is_some()
            || std::fs::read_dir(home.profiles()).is_ok_and(|mut entries| entries.next().is_some())
    });
    if others {
        return SchemaPatch::Keep;
    }
    let mut parameters = tool.schema().shift_remove("parameters").unwrap_or_default();
    if let Some(Value::Object(properties)) = parameters.get_mut("properties") {
        properties.shift_remove("cross_profile");
    }
    let mut fields = Map::new();
    fields.insert("parameters".into(), parameters);
    SchemaPatch::Merge(fields)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hermes_tool::{Vars, linked_tools};

    use super::*;

    fn properties(tool: &str, home: &std::path::Path, detail: SchemaDetail) -> Vec<String> {
        let vars: Vars =
            [("HERMES_HOME".to_owned(), home.display().to_string())].into_iter().collect();
        let (available, config) = (BTreeSet::new(), Value::Null);
        let scope = SchemaScope { available: &available, vars: &vars, config: &config, detail };
        let tools = linked_tools();
        let (_, tool) = tools.iter().find(|(_, known)| known.name().as_ref() == tool).unwrap();
        let parameters = match tool.dynamic_schema().map(|adapt| adapt(&scope)) {
            Some(SchemaPatch::Merge(fields)) => fields["parameters"].clone(),
            _ => tool.schema()["parameters"].clone(),
        };
        parameters["properties"].as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn another_profile_is_spoken_of_where_there_is_one() {
        let home = tempfile::tempdir().unwrap();
        for tool in ["write_file", "patch"] {
            let names = || properties(tool, home.path(), SchemaDetail::Full);
            assert!(!names().contains(&"cross_profile".to_owned()), "{tool}");
        }
        std::fs::create_dir_all(home.path().join("profiles/work")).unwrap();
        for tool in ["write_file", "patch"] {
            let names = || properties(tool, home.path(), SchemaDetail::Full);
            assert!(names().contains(&"cross_profile".to_owned()), "{tool}");
        }
    }

    #[test]
    fn a_brief_patch_is_one_replacement() {
        let home = tempfile::tempdir().unwrap();
        let names = properties("patch", home.path(), SchemaDetail::Brief);
        assert_eq!(names, ["path", "old_string", "new_string"]);
    }
}

//! "This or null" written as a union.

use serde_json::{Map, Value};

use super::type_of;

/// What a branch takes over from the union it replaces, unless it says so itself.
const INHERITED: [&str; 4] = ["title", "description", "default", "examples"];

/// What other schemas may point at, so that it has to survive.
const POINTED_AT: [&str; 2] = ["$defs", "definitions"];

/// Turns a union of one schema and null into that schema with `nullable`, as often as it takes.
pub(super) fn collapse(mut node: Map<String, Value>) -> Map<String, Value> {
    while let Some(branch) = only_branch(&node) {
        node = replace(node, branch);
    }
    node
}

/// Whether a branch of a union is the one for null.
pub(super) fn is_null(branch: &Value) -> bool {
    branch.as_object().and_then(type_of) == Some("null")
}

/// The one branch beside null, where there is exactly one.
fn only_branch(node: &Map<String, Value>) -> Option<Map<String, Value>> {
    ["anyOf", "oneOf"].into_iter().find_map(|keyword| {
        let branches = node.get(keyword)?.as_array()?;
        let mut others = branches.iter().filter(|branch| !is_null(branch));
        match (others.next(), others.next()) {
            (Some(Value::Object(only)), None) if branches.len() > 1 => Some(only.clone()),
            _ => None,
        }
    })
}

fn replace(union: Map<String, Value>, mut branch: Map<String, Value>) -> Map<String, Value> {
    let points = branch.contains_key("$ref");
    for (keyword, value) in union {
        let name = keyword.as_str();
        // Beside a `$ref`, a default is an error to some providers.
        let inherited = INHERITED.contains(&name) && !(points && name == "default");
        if (inherited || POINTED_AT.contains(&name)) && !branch.contains_key(name) {
            branch.insert(keyword, value);
        }
    }
    branch.insert("nullable".to_owned(), true.into());
    branch
}

//! Tool schemas that every provider accepts. They are made in `hermes-tool`, `schema`, and by foreign servers.
//!
//! Schemas come from typed arguments, from plugins and from MCP servers in many dialects, and one
//! construct that a provider refuses fails the whole request, not just the one tool. So every
//! schema goes through [`sanitise`] before it is offered, which rewrites the known troublemakers
//! into plain equivalents; [`for_provider`] adds what a particular provider needs on top.
//!
//! * [`normalise_function_schema`] accepts a function schema with or without its wrapping and unwraps it.
//! * [`sanitise_function`] and [`sanitise`] make it plain.
//! * [`for_provider`] makes it plain and fits it to one [`Provider`].
//!
//! Three rules hold throughout. The input is never changed: these functions copy. Rewriting only
//! happens where a schema stands: a *value* (under `default`, `const`, `enum`, or a keyword
//! nobody here knows) is copied as it is, whatever it looks like. And nesting is bounded by
//! [`MAX_DEPTH`], so a hostile schema costs neither the stack nor much time.
//!
//! Sanitising twice gives the same as sanitising once, and the order of keys in the input does
//! not matter to what the result means.

mod copy;
mod function;
mod node;
mod provider;
mod provider_form;
mod union;
mod walk;

pub use function::{NotAFunction, normalise_function_schema, sanitise_function};
pub use provider::{Provider, UnknownProvider, for_provider};
use serde_json::{Map, Value};

/// How deep schemas may nest; a deeper one becomes an empty object schema. Values copied along
/// may nest as deep again; what lies deeper becomes null.
pub const MAX_DEPTH: usize = 64;

/// Keywords that make no sense for a whole list of arguments and that providers refuse there.
const NOT_AT_TOP: [&str; 5] = ["allOf", "anyOf", "oneOf", "enum", "not"];

/// A plain copy of a tool's `parameters`; a tool without any takes an empty object.
pub fn sanitise(parameters: &Value) -> Value {
    let Value::Object(fields) = parameters else { return empty_object() };
    let mut top = node::fields(fields, 0);
    // Optional arguments as a whole are an odd but frequent union. Where the schema also lists
    // properties itself, those say more than the union, which goes away just below.
    if top.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty) {
        top = union::collapse(top);
    }
    for keyword in NOT_AT_TOP {
        top.shift_remove(keyword);
    }
    top.insert("type".to_owned(), "object".into());
    node::settle_object(&mut top);
    Value::Object(top)
}

/// The schema of an object about which nothing is known.
fn empty_object() -> Value {
    let mut fields = Map::new();
    fields.insert("type".to_owned(), "object".into());
    fields.insert("properties".to_owned(), Map::new().into());
    Value::Object(fields)
}

/// The node's `type`, where that is a single name.
fn type_of(node: &Map<String, Value>) -> Option<&str> {
    node.get("type").and_then(Value::as_str)
}

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;

//! The table of our own tools about a server: its resources and its prompts, for a model to list and read.

use serde_json::{Value, json};

/// One of our tools about a server: how it is called, offered and described.
#[derive(Debug)]
pub(crate) struct Utility {
    /// Its name, in the place of the server's tool name.
    pub(crate) name: &'static str,
    /// What the server must have said it can do.
    pub(crate) capability: &'static str,
    /// What it is for.
    pub(crate) description: &'static str,
    /// Its arguments.
    pub(crate) parameters: fn() -> Value,
    pub(crate) kind: UtilityKind,
}

/// Which one it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UtilityKind {
    ListResources,
    ReadResource,
    ListPrompts,
    GetPrompt,
}

/// All of them.
pub(crate) const UTILITIES: [Utility; 4] = [
    Utility {
        name: "list_resources",
        capability: "resources",
        description: "List the resources (documents, records, files) this server offers, with the \
                      URIs to read them by.",
        parameters: || json!({"type": "object", "properties": {}}),
        kind: UtilityKind::ListResources,
    },
    Utility {
        name: "read_resource",
        capability: "resources",
        description: "Read one resource of this server by its URI.",
        parameters: || {
            json!({"type": "object", "properties": {
                "uri": {"type": "string", "description": "URI of the resource, as listed."}
            }, "required": ["uri"]})
        },
        kind: UtilityKind::ReadResource,
    },
    Utility {
        name: "list_prompts",
        capability: "prompts",
        description: "List the prompt templates this server offers, with their arguments.",
        parameters: || json!({"type": "object", "properties": {}}),
        kind: UtilityKind::ListPrompts,
    },
    Utility {
        name: "get_prompt",
        capability: "prompts",
        description: "Fill in one prompt template of this server and get its messages.",
        parameters: || {
            json!({"type": "object", "properties": {
                "name": {"type": "string", "description": "Name of the prompt, as listed."},
                "arguments": {"type": "object", "description": "Values for the prompt's arguments.",
                    "properties": {}}
            }, "required": ["name"]})
        },
        kind: UtilityKind::GetPrompt,
    },
];

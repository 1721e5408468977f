//! The OpenAPI document, made from the same definitions the calls go by.

use hermes_runtime::ListedTool;
use serde_json::{Map, Value, json};

use crate::api::Api;

/// The document for the tools on offer right now.
#[must_use]
pub fn document(api: &Api) -> Value {
    let mut paths = Map::new();
    paths.insert(
        "/health".into(),
        json!({"get": {
            "operationId": "health",
            "summary": "Whether the server is up",
            "security": [],
            "responses": {"200": answer("It is", &json!({"type": "object", "properties": {
                "status": {"const": "ok"}, "version": {"type": "string"}}}))},
        }}),
    );
    paths.insert(
        "/v1/tools".into(),
        json!({"get": {
            "operationId": "listTools",
            "summary": "Every tool on offer",
            "responses": responses(&answer("The tools", &json!({"type": "object", "properties": {
                "count": {"type": "integer"},
                "tools": {"type": "array", "items": reference("Tool")}}}))),
        }}),
    );
    paths.insert(
        "/v1/tools/{name}".into(),
        json!({"get": {
            "operationId": "showTool",
            "summary": "One tool",
            "parameters": [{"name": "name", "in": "path", "required": true,
                "schema": {"type": "string"}}],
            "responses": responses(&answer("The tool", &reference("Tool"))),
        }}),
    );
    for listed in api.list_tools().iter() {
        paths.insert(
            format!("/v1/tools/{}/call", listed.tool.name()),
            json!({"post": call(listed)}),
        );
    }
    json!({
        "openapi": "3.1.0",
        "info": {"title": "Hermes tools", "version": api.version()},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": schemas(),
        },
    })
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn answer(description: &str, schema: &Value) -> Value {
    json!({"description": description, "content": {"application/json": {"schema": schema}}})
}

/// What every request behind the token can be answered with.
fn responses(success: &Value) -> Value {
    let problem = |description: &str| answer(description, &reference("Problem"));
    json!({
        "200": success,
        "401": problem("The token is missing or wrong"),
        "403": problem("The host or the origin is foreign"),
        "404": problem("There is no such thing"),
    })
}

fn call(listed: &ListedTool) -> Value {
    let mut answers = responses(&json!({
        "description": "How the call ended; as events, `progress` comes before `result`",
        "content": {
            "application/json": {"schema": reference("Called")},
            "text/event-stream": {"schema": {"type": "string"}},
        },
    }));
    answers["400"] = answer("The body or the query cannot be read", &reference("Problem"));
    answers["413"] = answer("The body is too large", &reference("Problem"));
    json!({
        "operationId": listed.tool.name().to_string(),
        "summary": listed.description.lines().next().unwrap_or_default(),
        "description": listed.description,
        "tags": [listed.tool.toolset().to_string()],
        "parameters": [
            {"name": "timeout", "in": "query", "description": "Seconds until the call is ended",
                "schema": {"type": "number", "exclusiveMinimum": 0}},
            {"name": "session", "in": "query",
                "description": "Calls of one session share a terminal",
                "schema": {"type": "string", "default": "http"}},
        ],
        "requestBody": {"content": {"application/json": {"schema": self_contained(listed)}}},
        "responses": answers,
    })
}

/// References in a tool's schema start at its own root, which is elsewhere in this document; an `$id`
/// keeps them there.
fn self_contained(listed: &ListedTool) -> Value {
    let mut schema = listed.parameters.clone();
    let has_references = schema.get("$defs").is_some() || schema.get("definitions").is_some();
    if let Some(object) = schema.as_object_mut()
        && has_references
    {
        object.entry("$id").or_insert(json!(format!("urn:hermes:tool:{}", listed.tool.name())));
    }
    schema
}

fn schemas() -> Value {
    json!({
        "Tool": {"type": "object", "properties": {
            "name": {"type": "string"},
            "toolset": {"type": "string"},
            "description": {"type": "string"},
            "effects": {"type": "array", "items": {"type": "string"}},
            "read_only": {"type": "boolean"},
            "parameters": {"type": "object", "description": "JSON schema of the arguments"},
        }},
        "Called": {"type": "object", "required": ["tool", "status", "result", "duration_ms"],
            "properties": {
                "tool": {"type": "string"},
                "status": {"enum": ["ok", "error", "blocked", "cancelled", "timeout"]},
                "result": {"description": "The JSON the tool wrote, or its text"},
                "duration_ms": {"type": "integer"},
                "spilled_to": {"type": "string",
                    "description": "Where the whole result is, if it was too long"},
            }},
        "Problem": {"type": "object", "properties": {"error": {"type": "object", "properties": {
            "code": {"type": "string"},
            "message": {"type": "string"},
            "hint": {"type": "string"},
        }}}},
    })
}

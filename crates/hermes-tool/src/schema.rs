//! Tool schemas from Rust: the parameters a model reads, out of an argument struct. What is offered to a provider goes
//! through `hermes-runtime`, `schema`.
//!
//! `schemars` describes Rust types exactly; models do better with less. So the derived schema is
//! inlined, loses titles, number formats and `null` unions, and unit enums become one `enum` list
//! whose variant comments move into the description.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::ToolError;

/// The `parameters` object for an argument struct.
#[must_use]
pub fn parameters_of<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    simplify(&mut schema);
    let Value::Object(root) = &mut schema else {
        return json!({"type": "object", "properties": {}});
    };
    root.shift_remove("description"); // the tool's own description says what it is for
    root.entry("type").or_insert_with(|| "object".into());
    root.entry("properties").or_insert_with(|| json!({}));
    schema
}

/// Parameters of a tool that takes no arguments.
#[must_use]
pub fn no_parameters() -> Value {
    json!({"type": "object", "properties": {}})
}

/// Reads typed arguments, naming the argument that does not fit.
///
/// # Errors
/// An answer for the model that names the path of the bad argument and what was expected there.
pub fn read_arguments<T: DeserializeOwned>(args: Map<String, Value>) -> Result<T, ToolError> {
    serde_path_to_error::deserialize(Value::Object(args)).map_err(|error| {
        let path = error.path().to_string();
        let problem = plain_words(&error.into_inner().to_string());
        let place = if path == "." { String::new() } else { format!(" at `{path}`") };
        ToolError::answer(format!("Invalid arguments{place}: {problem}"))
            .with("error_type", "invalid_arguments")
    })
}

/// What a deserializer says, in words of JSON instead of those of this language: whoever reads it wrote
/// JSON, and knows nothing of our types.
fn plain_words(problem: &str) -> String {
    let problem = problem.replacen("unknown variant", "unknown word", 1);
    let Some((found, expected)) = problem.rsplit_once(", expected ") else { return problem };
    let expected = expected_words(expected);
    match found.strip_prefix("invalid type: ").or_else(|| found.strip_prefix("invalid value: ")) {
        Some(found) => format!("expected {expected}, but it is {}", found_words(found)),
        None => format!("{found}, expected {expected}"),
    }
}

fn expected_words(expected: &str) -> &str {
    let first = expected.split(' ').next().unwrap_or_default();
    let is_number = matches!(first.split_at_checked(1), Some(("u" | "i" | "f", size))
        if size == "size" || size.parse::<u8>().is_ok());
    match expected {
        _ if is_number => "a number",
        "a sequence" | "sequence" => "a list",
        "a map" | "map" => "an object",
        "a boolean" => "true or false",
        "a string" => "text",
        "string or map" | "variant identifier" => "a word",
        _ if matches!(first, "struct" | "internally" | "adjacently") => "an object",
        _ if matches!(first, "tuple" | "an") && expected.contains("array") => "a list",
        _ if matches!(first, "enum" | "unit" | "newtype") => "another value",
        other => other,
    }
}

fn found_words(found: &str) -> &str {
    match found {
        "map" | "struct variant" | "newtype variant" => "an object",
        "sequence" => "a list",
        "unit value" | "Option value" => "null",
        "unit variant" | "enum" => "a word",
        other => other,
    }
}

/// A doc comment as running text: lines of a paragraph joined, blank lines and list items kept.
#[must_use]
pub fn paragraphs(doc: &str) -> String {
    let mut text = String::new();
    let mut in_paragraph = false;
    for line in doc.lines().map(str::trim) {
        if line.is_empty() {
            in_paragraph = false;
            continue;
        }
        if !text.is_empty() {
            let is_item = line.starts_with(['-', '*', '#', '|', '`']);
            text.push_str(match (in_paragraph, is_item) {
                (true, false) => " ",
                (true, true) => "\n",
                (false, _) => "\n\n",
            });
        }
        text.push_str(line);
        in_paragraph = true;
    }
    text
}

fn simplify(schema: &mut Value) {
    let Value::Object(node) = schema else { return };
    if let Some(Value::String(doc)) = node.get_mut("description") {
        *doc = paragraphs(doc);
    }
    for noise in ["title", "format", "$schema"] {
        node.shift_remove(noise);
    }
    if node.get("default").is_some_and(Value::is_null) {
        node.shift_remove("default");
    }
    drop_null_type(node);
    merge_constant_branches(node);
    collapse_null_union(node);
    for key in ["properties", "$defs"] {
        if let Some(Value::Object(children)) = node.get_mut(key) {
            children.values_mut().for_each(simplify);
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(child) = node.get_mut(key) {
            simplify(child);
        }
    }
    for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        if let Some(Value::Array(children)) = node.get_mut(key) {
            children.iter_mut().for_each(simplify);
        }
    }
}

/// `["integer", "null"]` says no more than an optional integer does.
fn drop_null_type(node: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = node.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            node.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = node.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
}

/// `oneOf` branches that are plain text constants become one `enum`.
fn merge_constant_branches(node: &mut Map<String, Value>) {
    let Some(Value::Array(branches)) = node.get("oneOf") else {
        return;
    };
    let mut values = Vec::new();
    let mut notes = Vec::new();
    for branch in branches {
        let note = branch.get("description").and_then(Value::as_str);
        if let Some(Value::String(constant)) = branch.get("const") {
            values.push(Value::String(constant.clone()));
            notes.extend(note.map(|note| format!("`{constant}`: {}", note.trim_end_matches('.'))));
        } else if let (Some(Value::Array(constants)), Some("string")) =
            (branch.get("enum"), branch.get("type").and_then(Value::as_str))
        {
            values.extend(constants.iter().cloned());
        } else {
            return;
        }
    }
    node.shift_remove("oneOf");
    node.insert("type".into(), "string".into());
    node.insert("enum".into(), Value::Array(values));
    if !notes.is_empty() {
        let lead = node.get("description").and_then(Value::as_str).map(|text| format!("{text} "));
        node.insert("description".into(), (lead.unwrap_or_default() + &notes.join("; ")).into());
    }
}

/// `anyOf [X, null]` becomes X; what stood beside it wins over what X said itself.
fn collapse_null_union(node: &mut Map<String, Value>) {
    let Some(Value::Array(branches)) = node.get("anyOf") else {
        return;
    };
    let mut others = branches.iter().filter(|branch| branch.get("type") != Some(&"null".into()));
    let (Some(Value::Object(other)), None) = (others.next(), others.next()) else {
        return;
    };
    let mut merged = other.clone();
    node.shift_remove("anyOf");
    for (key, value) in std::mem::take(node) {
        merged.insert(key, value);
    }
    *node = merged;
    drop_null_type(node);
    merge_constant_branches(node);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Mode {
        /// Names only.
        Names,
        /// Whole lines.
        Lines,
    }

    fn one() -> u32 {
        1
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Args {
        /// Where to look,
        /// and no further.
        path: String,
        /// First line.
        #[serde(default = "one")]
        #[schemars(range(min = 1))]
        offset: u32,
        /// How to show it.
        mode: Option<Mode>,
        limits: Option<Vec<u64>>,
    }

    #[test]
    fn derives_a_flat_schema_without_noise() {
        assert_eq!(
            parameters_of::<Args>(),
            json!({
                "type": "object",
                "properties": {
                    "path": {"description": "Where to look, and no further.", "type": "string"},
                    "offset": {"description": "First line.", "type": "integer", "minimum": 1,
                               "default": 1},
                    "mode": {"type": "string", "enum": ["names", "lines"],
                             "description": "How to show it. `names`: Names only; `lines`: Whole lines"},
                    "limits": {"type": "array", "items": {"type": "integer", "minimum": 0}}
                },
                "required": ["path"]
            })
        );
    }

    #[test]
    fn a_wrong_argument_is_named() {
        let Value::Object(args) = json!({"path": "x", "limits": [1, "two"]}) else { panic!() };
        let error = read_arguments::<Args>(args).err().unwrap();
        assert!(error.message().contains("`limits[1]`"), "{error}");
    }

    #[test]
    fn no_type_of_this_language_is_named() {
        for (said, plain) in [
            ("invalid type: map, expected a sequence", "expected a list, but it is an object"),
            (
                "invalid type: sequence, expected struct Item",
                "expected an object, but it is a list",
            ),
            (
                "invalid type: string \"x\", expected u64",
                "expected a number, but it is string \"x\"",
            ),
            (
                "invalid type: integer `7`, expected string or map",
                "expected a word, but it is integer `7`",
            ),
            ("invalid type: null, expected a string", "expected text, but it is null"),
            ("invalid type: unit variant, expected usize", "expected a number, but it is a word"),
            ("unknown variant `x`, expected `a` or `b`", "unknown word `x`, expected `a` or `b`"),
            (
                "invalid length 1, expected tuple of 2 elements",
                "invalid length 1, expected tuple of 2 elements",
            ),
            ("missing field `id`", "missing field `id`"),
        ] {
            assert_eq!(plain_words(said), plain, "{said}");
        }
    }

    #[test]
    fn a_missing_argument_is_named() {
        let error = read_arguments::<Args>(Map::new()).err().unwrap();
        assert!(error.message().contains("missing field `path`"), "{error}");
    }
}

//! What is inside a `tool_call`.

use hermes_tool::Args;
use serde_json::Value;

use super::bridges::{TOOL_CALL, is_bridge};

/// Takes the name and the arguments of the real tool out of the arguments of a `tool_call`.
///
/// Arguments may be an object, absent, or the JSON text of an object. Whether the session has such
/// a tool is for [`Catalog::resolve_call`](super::Catalog::resolve_call) to say.
///
/// # Errors
/// What is wrong with the call, for the model.
pub fn unwrap_call(mut args: Args) -> Result<(String, Args), String> {
    let name = required_text(&args, "name", TOOL_CALL)?.to_owned();
    if is_bridge(&name) {
        return Err(format!("{name} cannot be called through {TOOL_CALL}; call it directly."));
    }
    let arguments = match args.shift_remove("arguments") {
        None | Some(Value::Null) => Args::new(),
        Some(Value::Object(arguments)) => arguments,
        Some(Value::String(text)) => serde_json::from_str(&text)
            .map_err(|error| format!("`arguments` is not the JSON text of an object: {error}"))?,
        Some(other) => {
            return Err(format!("`arguments` must be an object, not {}", kind(&other)));
        }
    };
    Ok((name, arguments))
}

/// A text argument of a bridge, trimmed and not blank.
pub(super) fn required_text<'a>(
    args: &'a Args,
    key: &str,
    bridge: &str,
) -> Result<&'a str, String> {
    args.get(key)
        .and_then(Value::as_str)
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .ok_or_else(|| format!("{bridge} needs `{key}`: a text that is not blank."))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn unwrap(args: Value) -> Result<(String, Value), String> {
        let Value::Object(args) = args else { panic!("arguments are objects") };
        unwrap_call(args).map(|(name, args)| (name, Value::Object(args)))
    }

    #[test]
    fn arguments_may_be_an_object_nothing_or_its_text() {
        let one = ("t".to_owned(), json!({"a": 1}));
        assert_eq!(unwrap(json!({"name": " t ", "arguments": {"a": 1}})), Ok(one.clone()));
        assert_eq!(unwrap(json!({"name": "t", "arguments": "{\"a\": 1}"})), Ok(one));
        let none = ("t".to_owned(), json!({}));
        assert_eq!(unwrap(json!({"name": "t", "arguments": null})), Ok(none.clone()));
        assert_eq!(unwrap(json!({"name": "t"})), Ok(none));
    }

    #[test]
    fn other_arguments_are_refused_with_their_kind() {
        for (arguments, hint) in [
            (json!([1]), "a list"),
            (json!(3), "a number"),
            (json!(true), "a boolean"),
            (json!("[1]"), "JSON text of an object"),
            (json!("oops"), "JSON text of an object"),
            (json!("null"), "JSON text of an object"),
        ] {
            let error = unwrap(json!({"name": "t", "arguments": arguments})).unwrap_err();
            assert!(error.contains(hint), "{error}");
        }
    }

    #[test]
    fn bridges_and_blank_names_are_refused() {
        for name in ["tool_search", " tool_call ", "tool_describe"] {
            assert!(unwrap(json!({"name": name})).unwrap_err().contains("directly"));
        }
        for args in [json!({}), json!({"name": "  "}), json!({"name": 7})] {
            assert!(unwrap(args).unwrap_err().contains("`name`"));
        }
    }
}

//! The text of the module `hermes_tools`, through which a script calls tools.

use std::fmt::Write as _;

use hermes_tool::Tool;
use serde_json::Value;

use super::functions::Function;

/// Everything but the functions.
const FRAME: &str = include_str!("module.py");
/// Where the functions go.
const PLACE: &str = "# (functions)\n";

/// The module with these functions.
pub(super) fn text(functions: &[(&'static Function, Tool)]) -> String {
    let mut text = String::new();
    let mut names = vec!["json_parse", "shell_quote", "retry"];
    for (function, tool) in functions {
        names.push(function.name);
        let properties = &tool.parameters()["properties"];
        let has = |name: &str| properties.get(name).is_some();
        let signature = function.signature(has);
        let arguments: Vec<String> = function
            .parameters()
            .filter(|name| has(name))
            .map(|name| format!("\"{name}\": {name}"))
            .collect();
        // A JSON text is a Python text, too.
        let words = Value::from(first_paragraph(tool.description()));
        let _ = write!(
            text,
            "\n\ndef {signature}:\n    {words}\n    return _call(\"{}\", {{{}}})\n",
            function.name,
            arguments.join(", ")
        );
    }
    names.sort_unstable();
    let _ = write!(text, "\n\n__all__ = {}\n", Value::from(names));
    FRAME.replace(PLACE, text.trim_start_matches('\n'))
}

fn first_paragraph(description: &str) -> &str {
    description.split("\n\n").next().unwrap_or_default().trim()
}

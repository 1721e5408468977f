//! `tools.md`: every tool that is linked into the program, as it declares itself.

use std::collections::BTreeMap;

use hermes_tool::{Concurrency, ResultLimit, Tool, linked_tools};
// Naming the crate is what links its tools.
use hermes_tools as _;
use serde_json::Value;

use super::markdown::{Table, code, codes, finish, link_to_heading, prose, push, sentence};

pub(super) fn page() -> String {
    let tools: Vec<Tool> = linked_tools().into_iter().map(|(_, tool)| tool).collect();
    render(&tools)
}

fn render(tools: &[Tool]) -> String {
    let mut by_toolset = BTreeMap::<&str, Vec<&Tool>>::new();
    for tool in tools {
        by_toolset.entry(tool.toolset()).or_default().push(tool);
    }
    let mut page = String::new();
    push(&mut page, "# Tools");
    push(
        &mut page,
        "The tools in this build. `hermes tools list` says which of them can work on your machine, \
         `hermes tools schema` prints what a model gets to see, and \
         [`hermes tools call`](cli.md#hermes-tools-call) calls one.",
    );
    push(
        &mut page,
        "*Effects* are what a tool does to the world: it `reads` or `writes` files and other state, \
         `runs` programs, uses the `network`, waits for a person (`interactive`), or works on the \
         agent's own state (`agent-state`) and so needs an agent to answer it.",
    );
    let mut overview = Table::new(["tool", "toolset", "effects", "what it does"]);
    for tool in by_toolset.values().flatten() {
        overview.row([
            link_to_heading(&code(tool.name()), "", tool.name()),
            link_to_toolset(tool.toolset()),
            tool.effects().to_string(),
            prose(first_sentence(tool.description())),
        ]);
    }
    push(&mut page, &overview.finish());
    for tool in by_toolset.values().flatten() {
        section(tool, &mut page);
    }
    finish(&page)
}

fn link_to_toolset(name: &str) -> String {
    format!("[{name}](toolsets.md#by-purpose)")
}

fn section(tool: &Tool, page: &mut String) {
    push(page, &format!("## {}", tool.name()));
    let quoted: Vec<String> =
        tool.description().lines().map(|line| format!("> {line}").trim_end().to_owned()).collect();
    push(page, &quoted.join("\n"));
    let mut facts = Table::new(["", ""]);
    for (label, fact) in facts_about(tool) {
        facts.row([label.to_owned(), fact]);
    }
    push(page, &facts.finish());
    let mut arguments = Table::new(["argument", "type", "default", "meaning"]);
    if describe(tool.parameters(), "", &mut arguments) == Arguments::None {
        push(page, "It takes no arguments.");
    } else {
        push(page, &arguments.finish());
    }
}

fn facts_about(tool: &Tool) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("toolset", link_to_toolset(tool.toolset())),
        ("shown as", tool.emoji().to_owned()),
        ("effects", tool.effects().to_string()),
    ];
    let paths = tool.effects().path_arguments();
    if !paths.is_empty() {
        facts.push(("files it touches", format!("those named by {}", codes(paths))));
    }
    if !tool.requires_env().is_empty() {
        facts.push(("wants", codes(tool.requires_env())));
    }
    if tool.check().is_some() {
        facts.push((
            "availability",
            "checked where it runs; `hermes tools list` says why not".into(),
        ));
    }
    if tool.concurrency() == Concurrency::Safe {
        facts.push(("calls at the same time", "do not disturb each other".into()));
    }
    match tool.result_limit() {
        ResultLimit::Default => {}
        ResultLimit::Chars(chars) => facts.push(("longest result", format!("{chars} characters"))),
        ResultLimit::Unlimited => {
            facts.push(("longest result", "bounded by the tool itself".into()));
        }
    }
    if tool.dynamic_schema().is_some() {
        let note = "adapted to the configuration; `hermes tools schema` prints it as it is for you";
        facts.push(("schema", note.into()));
    }
    facts
}

/// The first sentence of a description, for the overview.
fn first_sentence(description: &str) -> &str {
    let paragraph = description.split("\n\n").next().unwrap_or_default();
    match paragraph.find(". ") {
        Some(end) => &paragraph[..=end],
        None => paragraph,
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Arguments {
    Some,
    None,
}

/// A row for each property, and for those of objects inside: `todos[].id`.
fn describe(schema: &Value, place: &str, table: &mut Table) -> Arguments {
    let Some(properties) = schema["properties"].as_object().filter(|map| !map.is_empty()) else {
        return Arguments::None;
    };
    let required = |name: &str| {
        schema["required"].as_array().is_some_and(|names| names.iter().any(|other| other == name))
    };
    for (name, property) in properties {
        let path = format!("{place}{name}");
        let default = match property.get("default") {
            _ if required(name) => "required".to_owned(),
            Some(default) => code(&default.to_string()),
            None => String::new(),
        };
        let meaning = sentence(property["description"].as_str().unwrap_or_default());
        table.row([code(&path), kind(property), default, meaning]);
        describe(property, &format!("{path}."), table);
        describe(&property["items"], &format!("{path}[]."), table);
    }
    Arguments::Some
}

/// The type and its limits, in a few words.
fn kind(schema: &Value) -> String {
    if let Some(words) = schema["enum"].as_array() {
        return codes(words.iter().map(|word| match word {
            Value::String(word) => word.clone(),
            other => other.to_string(),
        }));
    }
    let name = match &schema["type"] {
        Value::String(name) if name == "array" => match kind(&schema["items"]).as_str() {
            "anything" => "list".to_owned(),
            // `string` becomes `strings`; words to choose from stay as they are.
            item if item.chars().all(char::is_alphabetic) => format!("list of {item}s"),
            items => format!("list, each {items}"),
        },
        Value::String(name) => name.clone(),
        Value::Array(names) => {
            names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ")
        }
        _ => "anything".to_owned(),
    };
    match limits(schema) {
        None => name,
        Some(limits) => format!("{name}, {limits}"),
    }
}

fn limits(schema: &Value) -> Option<String> {
    let number = |key: &str| schema.get(key).filter(|value| value.is_number());
    let unit = |unit: &str, count: &Value| {
        let ending = if count == 1 { "" } else { "s" };
        format!("{unit}{ending}")
    };
    let mut limits = Vec::new();
    match (number("minimum"), number("maximum")) {
        (Some(least), Some(most)) => limits.push(format!("{least} to {most}")),
        (Some(least), None) => limits.push(format!("at least {least}")),
        (None, Some(most)) => limits.push(format!("at most {most}")),
        (None, None) => {}
    }
    for (key, word) in [("maxItems", "item"), ("maxLength", "character")] {
        limits.extend(number(key).map(|most| format!("at most {most} {}", unit(word, most))));
    }
    for (key, word) in [("minItems", "item"), ("minLength", "character")] {
        limits.extend(number(key).map(|least| format!("at least {least} {}", unit(word, least))));
    }
    (!limits.is_empty()).then(|| limits.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hermes_tool::{Effects, ToolOutput};
    use serde_json::json;

    fn sample() -> Tool {
        Tool::builder("pick", "games")
            .description("Pick cards. Any of them.\n\n- blindly")
            .parameters(json!({"type": "object", "required": ["cards"], "properties": {
                "cards": {"type": "array", "maxItems": 1, "description": "Which | ones",
                    "items": {"type": "object", "required": ["suit"], "properties": {
                        "suit": {"enum": ["hearts", "spades"], "description": "The suit"}}}},
                "count": {"type": "integer", "minimum": 1, "maximum": 5, "default": 2},
            }}))
            .effects(Effects::NONE)
            .requires_env("DECK")
            .handler(|_, _| Ok(ToolOutput::text("")))
    }

    #[test]
    fn arguments_inside_lists_are_described_too() {
        let page = render(&[sample()]);
        for part in [
            "| [`pick`](#pick) | [games](toolsets.md#by-purpose) | none | Pick cards. |",
            "> Pick cards. Any of them.\n>\n> - blindly\n",
            "| wants | `DECK` |",
            r"| `cards` | list of objects, at most 1 item | required | Which \| ones. |",
            "| `cards[].suit` | `hearts`, `spades` | required | The suit. |",
            "| `count` | integer, 1 to 5 | `2` | |",
        ] {
            assert!(page.contains(part), "{part}\n---\n{page}");
        }
    }

    #[test]
    fn a_tool_without_arguments_says_so() {
        let tool = Tool::builder("now", "time")
            .description("Tell the time.")
            .handler(|_, _| Ok(ToolOutput::text("")));
        assert!(render(&[tool]).contains("It takes no arguments."));
    }

    #[test]
    fn every_linked_tool_is_on_the_page() {
        let page = page();
        let tools = linked_tools();
        assert!(!tools.is_empty());
        for (_, tool) in tools {
            assert!(page.contains(&format!("\n## {}\n", tool.name())), "{}", tool.name());
        }
    }
}

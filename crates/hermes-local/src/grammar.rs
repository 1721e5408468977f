//! A grammar from the tools on offer.
//!
//! A small model writes calls that are almost right. The engine therefore lets it choose words only from those that
//! can go on to a whole call: a name out of the list, the arguments that the schema names, each of its type. What is no
//! call is free text, which may not begin like one.
//!
//! The form is the engine's own (GBNF). Of a schema it takes types, enumerations, lists, required and optional
//! properties; anything else (patterns, bounds, unions) counts as any JSON value, because a bound that the engine
//! cannot hold would refuse the whole grammar.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// What the answer may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallRule {
    /// A text or calls, as the model likes.
    Free,
    /// Calls and nothing else.
    Required,
}

/// Deepest schema that is followed; below, any JSON value is taken.
const MAX_DEPTH: usize = 6;
/// Most optional properties that are told apart: each takes a rule.
const MAX_PROPERTIES: usize = 40;

const COMMON: &str = r#"ws ::= [ \t\n]{0,8}
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws ( string ":" ws value ( "," ws string ":" ws value )* )? ws "}"
array ::= "[" ws ( value ( "," ws value )* )? ws "]"
string ::= "\"" char* "\"" 
char ::= [^"\\\x00-\x1F] | "\\" ( ["\\/bfnrt] | "u" [0-9a-fA-F]{4} )
number ::= "-"? ( "0" | [1-9] [0-9]{0,15} ) ( "." [0-9]{1,15} )? ( [eE] [-+]? [0-9]{1,3} )?
integer ::= "-"? ( "0" | [1-9] [0-9]{0,15} )
boolean ::= "true" | "false"
"#;

/// The grammar of answers to a request with these tools (chat-completions definitions); its root is `root`. Nothing
/// without tools.
#[must_use]
pub fn grammar_of(tools: &[Value], rule: CallRule) -> Option<String> {
    let mut rules = String::new();
    let mut calls = Vec::new();
    for (at, tool) in tools.iter().enumerate() {
        let Some(name) = tool["function"]["name"].as_str() else { continue };
        let parameters = tool["function"].get("parameters").cloned().unwrap_or_default();
        let arguments = Writer { rules: &mut rules, prefix: format!("t{at}"), count: 0 }
            .object(parameters.as_object(), 0);
        let quoted = Value::from(name).to_string();
        let _ = writeln!(
            rules,
            "call{at} ::= \"{{\" ws \"\\\"name\\\":\" ws {} \",\" ws \"\\\"arguments\\\":\" ws {arguments} ws \"}}\"",
            literal(&quoted)
        );
        calls.push(format!("call{at}"));
    }
    if calls.is_empty() {
        return None;
    }
    let root = match rule {
        CallRule::Free => "root ::= calls | free",
        CallRule::Required => "root ::= calls",
    };
    Some(format!(
        "{root}\n\
         free ::= [^<{{[\\x00-\\x20] anything*\n\
         anything ::= [^\\x00]\n\
         calls ::= wrapped ( ws wrapped )*\n\
         wrapped ::= \"<tool_call>\" ws call ws \"</tool_call>\"\n\
         call ::= {}\n{rules}{COMMON}",
        calls.join(" | ")
    ))
}

/// Writes rules for one tool.
struct Writer<'a> {
    rules: &'a mut String,
    prefix: String,
    count: usize,
}

impl Writer<'_> {
    fn name(&mut self) -> String {
        self.count += 1;
        format!("{}n{}", self.prefix, self.count)
    }

    /// The rule for a schema.
    fn schema(&mut self, schema: &Value, depth: usize) -> String {
        if depth >= MAX_DEPTH {
            return "value".to_owned();
        }
        if let Some(words) = schema["enum"].as_array().filter(|words| !words.is_empty()) {
            let words: Vec<String> = words.iter().map(|word| literal(&word.to_string())).collect();
            return format!("( {} )", words.join(" | "));
        }
        match schema["type"].as_str() {
            Some("string") => "string".to_owned(),
            Some("integer") => "integer".to_owned(),
            Some("number") => "number".to_owned(),
            Some("boolean") => "boolean".to_owned(),
            Some("null") => "\"null\"".to_owned(),
            Some("array") => {
                let item = match schema.get("items") {
                    Some(items) => self.schema(items, depth + 1),
                    None => "value".to_owned(),
                };
                let name = self.name();
                let _ = writeln!(
                    self.rules,
                    "{name} ::= \"[\" ws ( {item} ( \",\" ws {item} )* )? ws \"]\""
                );
                name
            }
            Some("object") => self.object(schema.as_object(), depth),
            _ => "value".to_owned(),
        }
    }

    /// Required properties in their order, then any of the others in theirs.
    fn object(&mut self, schema: Option<&Map<String, Value>>, depth: usize) -> String {
        let properties = schema.and_then(|schema| schema.get("properties")?.as_object());
        let Some(properties) = properties.filter(|all| all.len() <= MAX_PROPERTIES) else {
            return "object".to_owned();
        };
        if properties.is_empty() {
            return "\"{\" ws \"}\"".to_owned();
        }
        let named = schema.and_then(|schema| schema.get("required")?.as_array());
        let is_required = |name: &str| {
            named.is_some_and(|named| named.iter().any(|one| one.as_str() == Some(name)))
        };
        let pair = |writer: &mut Self, name: &str, inner: &Value| {
            let value = writer.schema(inner, depth + 1);
            format!("{} ws {value}", literal(&format!("{}:", Value::from(name))))
        };
        let (required, optional): (Vec<_>, Vec<_>) =
            properties.iter().partition(|(name, _)| is_required(name));
        let required: Vec<String> =
            required.iter().map(|(name, inner)| pair(self, name, inner)).collect();
        let optional: Vec<String> =
            optional.iter().map(|(name, inner)| pair(self, name, inner)).collect();
        let name = self.name();
        // From the end: after property k comes any later one, or nothing.
        let mut later = String::new();
        let mut starts: Vec<String> = Vec::new();
        for text in optional.iter().rev() {
            let rest = self.name();
            let _ = writeln!(self.rules, "{rest} ::= {text} {}", optional_of(&starts, true));
            starts.insert(0, rest);
            later = optional_of(&starts, !required.is_empty());
        }
        let body = match required.is_empty() {
            true => later,
            false => format!("{} {later}", required.join(" \",\" ws ")),
        };
        let _ = writeln!(self.rules, "{name} ::= \"{{\" ws {body} ws \"}}\"");
        name
    }
}

/// One of these or nothing, with a comma before it where something stands before.
fn optional_of(starts: &[String], comma: bool) -> String {
    match (starts.is_empty(), comma) {
        (true, _) => String::new(),
        (false, true) => format!("( \",\" ws ( {} ) )?", starts.join(" | ")),
        (false, false) => format!("( {} )?", starts.join(" | ")),
    }
}

/// A text as a literal of the grammar.
fn literal(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if (c as u32) < 0x20 => {
                let _ = write!(quoted, "\\x{:02X}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    fn tools() -> Vec<Value> {
        vec![
            json!({"type": "function", "function": {"name": "terminal", "parameters": {"type": "object",
                "properties": {"command": {"type": "string"}, "background": {"type": "boolean"},
                    "mode": {"enum": ["a", "b\"c"]}},
                "required": ["command"]}}}),
            json!({"type": "function", "function": {"name": "look", "parameters": {"type": "object",
                "properties": {"lines": {"type": "array", "items": {"type": "integer", "minimum": 1}},
                    "odd": {"anyOf": [{"type": "string"}, {"type": "null"}], "pattern": "^x$"}}}}}),
            json!({"type": "function", "function": {"name": "now"}}),
        ]
    }

    /// The names on the left, and those used on the right.
    fn names(grammar: &str) -> (BTreeSet<String>, BTreeSet<String>) {
        let (mut defined, mut used) = (BTreeSet::new(), BTreeSet::new());
        for line in grammar.lines() {
            let (name, body) = line.split_once(" ::= ").unwrap_or_else(|| panic!("{line}"));
            assert!(defined.insert(name.to_owned()), "{name} twice");
            let (mut quoted, mut class, mut word) = (false, false, String::new());
            let mut chars = body.chars();
            while let Some(c) = chars.next() {
                match c {
                    '\\' => drop(chars.next()),
                    '"' if !class => quoted = !quoted,
                    '[' if !quoted => class = true,
                    ']' if !quoted => class = false,
                    c if !quoted && !class && c.is_ascii_alphanumeric() => word.push(c),
                    _ if quoted || class => {}
                    '{' => drop(chars.by_ref().take_while(|c| *c != '}').count()),
                    _ if !word.is_empty() => drop(used.insert(std::mem::take(&mut word))),
                    _ => {}
                }
            }
            if !word.is_empty() {
                used.insert(word);
            }
        }
        (defined, used)
    }

    #[test]
    fn every_rule_that_is_used_is_there() {
        for rule in [CallRule::Free, CallRule::Required] {
            let grammar = grammar_of(&tools(), rule).unwrap();
            let (defined, used) = names(&grammar);
            let missing: Vec<_> = used.difference(&defined).collect();
            assert!(missing.is_empty(), "{missing:?} in\n{grammar}");
            assert!(!grammar.contains("minimum") && !grammar.contains("^x$"), "{grammar}");
        }
    }

    #[test]
    fn names_are_a_closed_list_and_required_arguments_stand_first() {
        let grammar = grammar_of(&tools(), CallRule::Free).unwrap();
        assert!(grammar.starts_with("root ::= calls | free\n"), "{grammar}");
        assert!(grammar.contains("call ::= call0 | call1 | call2\n"), "{grammar}");
        assert!(grammar.contains(r#""\"terminal\"""#), "{grammar}");
        let body =
            grammar.lines().find(|line| line.contains(r#""\"command\":" ws string"#)).unwrap();
        assert!(body.contains(r#""{" ws "\"command\":" ws string ( "," ws ("#), "{body}");
        assert!(grammar_of(&tools(), CallRule::Required).unwrap().starts_with("root ::= calls\n"));
        assert_eq!(grammar_of(&[], CallRule::Free), None);
    }

    #[test]
    fn a_schema_that_nests_without_end_is_cut() {
        let mut schema = json!({"type": "string"});
        for _ in 0..50 {
            schema = json!({"type": "object", "properties": {"a": schema}});
        }
        let tool = json!({"function": {"name": "deep", "parameters": schema}});
        let grammar = grammar_of(&[tool], CallRule::Free).unwrap();
        assert!(grammar.lines().count() < 60, "{grammar}");
    }
}

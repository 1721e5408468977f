//! A question with its fields, and the check of what was entered.

use std::time::Duration;

use serde_json::{Map, Value};

use super::field::{Field, FieldChoice, FieldKind, FieldLimits};

/// More fields than this nobody fills in at a prompt.
pub const MAX_FIELDS: usize = 50;

/// A server's question.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    /// The server that asks.
    pub server: String,
    /// What it says.
    pub message: String,
    /// What is to be entered, in the server's order.
    pub fields: Vec<Field>,
    /// How long the person has.
    pub timeout: Duration,
}

impl Form {
    /// The form of a request's parameters.
    ///
    /// # Errors
    ///
    /// A text when the schema holds what no form can show.
    pub fn read(server: &str, params: &Value, timeout: Duration) -> Result<Self, String> {
        let schema = &params["requestedSchema"];
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let empty = Map::new();
        let properties = match &schema["properties"] {
            Value::Object(properties) => properties,
            Value::Null => &empty,
            _ => return Err("`properties` is not an object".to_owned()),
        };
        if properties.len() > MAX_FIELDS {
            return Err(format!("more than {MAX_FIELDS} fields"));
        }
        let fields = properties
            .iter()
            .map(|(name, schema)| field(name, schema, required.contains(&name.as_str())))
            .collect::<Result<_, _>>()?;
        let message = params["message"].as_str().unwrap_or_default().to_owned();
        Ok(Self { server: server.to_owned(), message, fields, timeout })
    }

    /// What is sent: every field with what was entered, or else its default.
    ///
    /// # Errors
    ///
    /// A text when a value does not fit its field, or a required one is missing.
    pub fn complete(&self, mut entered: Map<String, Value>) -> Result<Map<String, Value>, String> {
        let mut content = Map::new();
        for field in &self.fields {
            match entered.shift_remove(&field.name).or_else(|| field.default.clone()) {
                Some(value) => {
                    field.check(&value).map_err(|problem| format!("{}: {problem}", field.name))?;
                    content.insert(field.name.clone(), value);
                }
                None if field.is_required => return Err(format!("{}: is missing", field.name)),
                None => {}
            }
        }
        match entered.keys().next() {
            Some(name) => Err(format!("{name}: nobody asked for it")),
            None => Ok(content),
        }
    }
}

fn field(name: &str, schema: &Value, is_required: bool) -> Result<Field, String> {
    let text = |key: &str| {
        schema[key].as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let kind = kind(schema).ok_or_else(|| format!("{name}: no field for {schema}"))?;
    let mut field = Field {
        name: name.to_owned(),
        title: text("title"),
        description: text("description"),
        kind,
        is_required,
        default: None,
    };
    // A default that its own field would refuse is no default.
    field.default = match &schema["default"] {
        Value::Null => None,
        value => field.check(value).is_ok().then(|| value.clone()),
    };
    Ok(field)
}

fn kind(schema: &Value) -> Option<FieldKind> {
    let limits = |least: &str, most: &str| FieldLimits {
        least: schema[least].as_f64(),
        most: schema[most].as_f64(),
    };
    if let Some(choices) = choices(schema) {
        return Some(FieldKind::One(choices));
    }
    match schema["type"].as_str()? {
        "string" => Some(FieldKind::Text {
            format: schema["format"].as_str().map(str::to_owned),
            length: limits("minLength", "maxLength"),
        }),
        "integer" => Some(FieldKind::Integer(limits("minimum", "maximum"))),
        "number" => Some(FieldKind::Number(limits("minimum", "maximum"))),
        "boolean" => Some(FieldKind::Boolean),
        "array" => Some(FieldKind::Many {
            choices: choices(&schema["items"])?,
            count: limits("minItems", "maxItems"),
        }),
        _ => None,
    }
}

/// The choices of a list: plain, with a second list of names (the old form), or each with a title.
fn choices(schema: &Value) -> Option<Vec<FieldChoice>> {
    if let Some(values) = schema["enum"].as_array() {
        let names = schema["enumNames"].as_array();
        let choice = |(at, value): (usize, &Value)| {
            let value = value.as_str()?.to_owned();
            let name = names.and_then(|names| names.get(at)).and_then(Value::as_str);
            Some(FieldChoice { title: name.unwrap_or(&value).to_owned(), value })
        };
        return values.iter().enumerate().map(choice).collect();
    }
    let titled = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array())?;
    titled
        .iter()
        .map(|one| {
            let value = one["const"].as_str()?.to_owned();
            Some(FieldChoice { title: one["title"].as_str().unwrap_or(&value).to_owned(), value })
        })
        .collect()
}

//! What happens below the top level: text that should be a container is parsed, and in deep mode
//! text that should be a scalar is converted.

use serde_json::Value;

use super::container::{self, Notation};
use super::schema::Schema;
use super::{CoercionMode, JsonKind, MAX_DEPTH, scalar};

/// Look at the items of a list, or the declared properties of an object.
///
/// Only the schema's own `items` and `properties` count, not those of its branches. Answers how
/// many values were converted.
pub(super) fn inside(
    value: &mut Value,
    schema: Schema<'_>,
    mode: CoercionMode,
    depth: usize,
) -> usize {
    if depth >= MAX_DEPTH {
        return 0;
    }
    match value {
        Value::Array(items) => {
            let Some(field) = schema.items().map(|schema| Field::new(schema, mode)) else {
                return 0;
            };
            items.iter_mut().map(|item| field.normalise(item, depth + 1)).sum()
        }
        Value::Object(fields) => {
            let Some(properties) = schema.properties() else {
                return 0;
            };
            let declared =
                fields.iter_mut().filter_map(|(name, field)| Some((properties.get(name)?, field)));
            declared
                .map(|(schema, field)| Field::new(schema, mode).normalise(field, depth + 1))
                .sum()
        }
        _ => 0,
    }
}

/// A field or item below the top level, with what its schema says read once for all items of a list.
struct Field<'s> {
    schema: Schema<'s>,
    mode: CoercionMode,
    /// The only type besides null, where deep mode may act on it.
    only: Option<JsonKind>,
}

impl<'s> Field<'s> {
    fn new(schema: Schema<'s>, mode: CoercionMode) -> Self {
        let only = match mode {
            CoercionMode::Deep => schema.only(),
            CoercionMode::Reference => None,
        };
        Self { schema, mode, only }
    }

    fn normalise(&self, value: &mut Value, depth: usize) -> usize {
        let mut conversions = 0;
        if let Value::String(text) = value {
            let Some(converted) = self.convert(text) else {
                return 0;
            };
            *value = converted;
            conversions = 1;
        }
        conversions + inside(value, self.schema, self.mode, depth)
    }

    fn convert(&self, text: &str) -> Option<Value> {
        let trimmed = text.trim();
        match container::opened_by(trimmed) {
            Some(kind) if self.schema.accepts(kind) => {
                let notation =
                    if self.only == Some(kind) { Notation::of(self.mode) } else { Notation::Json };
                container::parse(trimmed, kind, notation)
            }
            Some(_) => None,
            // Text that may be text stays text here, also the text `null`.
            None => match self.only? {
                JsonKind::String => None,
                _ if scalar::is_null(trimmed) && self.schema.nullable() => Some(Value::Null),
                kind => scalar::parse(trimmed, kind),
            },
        }
    }
}

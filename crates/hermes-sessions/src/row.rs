//! Reading rows: column by column in the order of the list they were asked for with.

use rusqlite::Row;
use rusqlite::types::{FromSql, ValueRef};
use serde_json::{Map, Value};

use super::content;

/// Takes the columns of a row one after the other.
pub(super) struct Columns<'a, 'b> {
    row: &'a Row<'b>,
    next: usize,
}

impl<'a, 'b> Columns<'a, 'b> {
    pub(super) fn of(row: &'a Row<'b>) -> Self {
        Self { row, next: 0 }
    }

    pub(super) fn take<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        self.next += 1;
        self.row.get(self.next - 1)
    }

    /// A number that old rows may not have.
    pub(super) fn count(&mut self) -> rusqlite::Result<i64> {
        Ok(self.take::<Option<i64>>()?.unwrap_or_default())
    }

    /// A column that holds JSON; what is not JSON is kept as text.
    pub(super) fn json(&mut self) -> rusqlite::Result<Option<Value>> {
        Ok(self.take::<Option<String>>()?.map(parse))
    }
}

pub(super) fn parse(text: String) -> Value {
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

/// Columns that hold JSON, shown as what they mean.
const JSON_COLUMNS: &[&str] = &[
    "model_config",
    "tool_calls",
    "reasoning_details",
    "codex_reasoning_items",
    "codex_message_items",
    "origin_json",
];

/// A whole row by the names of its columns, also those of other programs.
pub(super) fn object(row: &Row<'_>) -> rusqlite::Result<Map<String, Value>> {
    let names: Vec<String> = row.as_ref().column_names().map(str::to_owned).collect();
    let mut object = Map::new();
    for (index, name) in names.into_iter().enumerate() {
        let value = match row.get_ref(index)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => number.into(),
            ValueRef::Real(number) => number.into(),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                let text = String::from_utf8_lossy(bytes).into_owned();
                match name.as_str() {
                    "content" => content::Content::decode(text).into_value(),
                    name if JSON_COLUMNS.contains(&name) => parse(text),
                    _ => Value::String(text),
                }
            }
        };
        object.insert(name, value);
    }
    Ok(object)
}

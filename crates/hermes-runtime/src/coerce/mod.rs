//! Argument coercion: the values a model sent, bent towards the types a tool declared.
//!
//! Models write `"42"` where an integer is wanted, `"true"` for a boolean, a whole list as JSON
//! text, or one bare value where a list belongs. [`coerce`] mends those slips in place, before
//! hooks and before typed decoding. It never rejects anything: what cannot be converted with
//! certainty stays as it was sent, and the tool's own decoding reports it.
//!
//! # The two modes
//!
//! [`CoercionMode::Reference`] looks at declared top-level parameters only. Below the top level
//! it does one thing: text that is JSON for a list or object the schema accepts there is parsed.
//! A list it has just made, by parsing or by wrapping, is not looked into.
//!
//! [`CoercionMode::Deep`], the default, applies the same conversions further down:
//!
//! * text inside list items and declared object properties becomes a number, boolean or null
//!   where the schema there names exactly one type besides null, and that type is not `string`;
//! * lists made by parsing or wrapping are looked into like lists that came as lists;
//! * a list or object written as a Python literal (`['a', True]`) is read where the schema names
//!   that one kind; JSON is tried first.
//!
//! # What is promised
//!
//! * Nothing changes when the value fits. A value *fits* when its JSON kind is the declared type
//!   and, recursively, everything in it at a declared place fits; text fits a list of types only
//!   if `string` is among them and it is not the written form of another listed type (`"42"`
//!   under `["string", "integer"]` becomes 42); the text `null` never fits a nullable parameter.
//! * Deep mode is idempotent. Reference mode is too, except that a second pass looks into the
//!   lists which the first one made; the third changes nothing.
//! * Work is linear in the size of the arguments, nothing is allocated unless something changes,
//!   depth is capped by [`MAX_DEPTH`], and no input panics.
//! * `enum`, `minimum`, `required`, `default` and their like play no part, and `$ref` is not
//!   followed.

mod container;
mod nested;
mod python;
mod scalar;
mod schema;

#[cfg(test)]
mod tests;

use hermes_tool::settings::SettingWords;
use serde_json::{Map, Value};

use container::Notation;
use schema::{Schema, Types};

/// The deepest nesting read from text, and the deepest place in a value that is looked at.
///
/// It equals what `serde_json` itself reads, so JSON text and Python literals share one limit.
pub const MAX_DEPTH: usize = 127;

/// How far coercion goes; see the module's introduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, SettingWords)]
pub enum CoercionMode {
    /// Convert inside lists and objects too, and read Python literals.
    #[default]
    Deep,
    /// Convert top-level parameters only.
    Reference,
}

/// The kinds of JSON value, as schemas name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonKind {
    /// `null`
    Null,
    /// `boolean`
    Boolean,
    /// `integer`
    Integer,
    /// `number`
    Number,
    /// `string`
    String,
    /// `array`
    Array,
    /// `object`
    Object,
}

impl JsonKind {
    /// The kind of a value; numbers without a fraction part in their notation are integers.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(number) if number.is_f64() => Self::Number,
            Value::Number(_) => Self::Integer,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }

    /// The kind's name in schemas.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    /// The kind a schema's type name stands for. Other names, and other letter case, are none.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "string" => Self::String,
            "array" => Self::Array,
            "object" => Self::Object,
            _ => return None,
        })
    }
}

/// One parameter that coercion changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coercion {
    /// The parameter's name.
    pub parameter: String,
    /// What was sent.
    pub from: JsonKind,
    /// What it became; equal to `from` when only something inside it changed.
    pub to: JsonKind,
    /// How many values were converted, the parameter itself and those inside it.
    pub conversions: usize,
}

/// What one call of [`coerce`] changed: one entry per changed parameter, in the arguments' order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Coercions {
    changes: Vec<Coercion>,
}

impl Coercions {
    /// Whether the arguments stayed exactly as they were.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The changed parameters.
    pub fn changes(&self) -> &[Coercion] {
        &self.changes
    }
}

/// Bend `args` towards the types that `parameters`, a tool's object schema, declares.
pub fn coerce(args: &mut Map<String, Value>, parameters: &Value, mode: CoercionMode) -> Coercions {
    let mut done = Coercions::default();
    let Some(properties) = Schema::of(parameters).and_then(Schema::properties) else {
        return done;
    };
    for (name, value) in args.iter_mut() {
        let Some(schema) = properties.get(name) else {
            continue;
        };
        let from = JsonKind::of(value);
        let conversions = parameter(name, value, schema, mode);
        if conversions > 0 {
            let (parameter, to) = (name.clone(), JsonKind::of(value));
            done.changes.push(Coercion { parameter, from, to, conversions });
        }
    }
    done
}

/// Coerce one top-level value; answers how many values were converted.
fn parameter(name: &str, value: &mut Value, schema: Schema<'_>, mode: CoercionMode) -> usize {
    let types = schema.types();
    match value {
        Value::Null => 0,
        Value::Array(_) | Value::Object(_)
            if types.is(JsonKind::of(value))
                || mode == CoercionMode::Deep && types.lists(JsonKind::of(value)) =>
        {
            nested::inside(value, schema, mode, 0)
        }
        Value::Array(_) => 0,
        _ if types.is(JsonKind::Array) => listed(name, value, schema, mode),
        Value::String(text) => match convert(text, schema, types, mode) {
            Some(converted) => {
                *value = converted;
                1 + nested::inside(value, schema, mode, 0)
            }
            None => 0,
        },
        _ => 0,
    }
}

/// Make a list of a value that is none, for a parameter that is exactly an `array`.
///
/// Taking the value leaves null in its place, which is where nullable `null` text ends.
fn listed(name: &str, value: &mut Value, schema: Schema<'_>, mode: CoercionMode) -> usize {
    *value = match value.take() {
        Value::String(text) if scalar::is_null(&text) && schema.nullable() => return 1,
        Value::String(text) => match container::parse(&text, JsonKind::Array, Notation::of(mode)) {
            Some(list) => list,
            None => {
                if text.trim_start().starts_with('[') {
                    tracing::warn!(parameter = name, "broken list text is passed as one item");
                }
                Value::Array(vec![Value::String(text)])
            }
        },
        other => Value::Array(vec![other]),
    };
    match mode {
        CoercionMode::Deep => 1 + nested::inside(value, schema, mode, 0),
        CoercionMode::Reference => 1,
    }
}

/// Convert a top-level parameter's text to the first declared type that takes it.
fn convert(text: &str, schema: Schema<'_>, types: Types<'_>, mode: CoercionMode) -> Option<Value> {
    if scalar::is_null(text) && schema.nullable() {
        return Some(Value::Null);
    }
    types.kinds().find_map(|kind| match kind {
        JsonKind::Array | JsonKind::Object => {
            let notation =
                if types.only() == Some(kind) { Notation::of(mode) } else { Notation::Json };
            container::parse(text, kind, notation)
        }
        _ => scalar::parse(text, kind),
    })
}

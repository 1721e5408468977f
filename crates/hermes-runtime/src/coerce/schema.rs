//! Reading the few schema keywords that coercion cares about, without copying any of them.

use serde_json::{Map, Value};

use super::{JsonKind, MAX_DEPTH};

/// A schema that says something: a non-empty object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Schema<'s>(&'s Map<String, Value>);

/// The declared properties of an object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Properties<'s>(&'s Map<String, Value>);

impl<'s> Properties<'s> {
    /// The schema declared under a name.
    pub(super) fn get(self, name: &str) -> Option<Schema<'s>> {
        find(self.0, name).and_then(Schema::of)
    }
}

/// Look a key up by comparing while the map is small: schemas rarely have more than a handful of
/// keywords, and hashing a key costs more than comparing it with all of them.
fn find<'m>(map: &'m Map<String, Value>, key: &str) -> Option<&'m Value> {
    const SMALL: usize = 8;
    if map.len() > SMALL {
        return map.get(key);
    }
    map.iter().find_map(|(name, value)| (name == key).then_some(value))
}

/// The `type` keyword.
#[derive(Debug, Clone, Copy)]
pub(super) enum Types<'s> {
    /// Missing, empty, or nothing that names a type.
    Absent,
    /// One name.
    One(&'s str),
    /// A list of names, tried in order.
    Many(&'s [Value]),
}

impl<'s> Types<'s> {
    fn of(keyword: Option<&'s Value>) -> Self {
        match keyword {
            Some(Value::String(name)) => Self::One(name),
            Some(Value::Array(names)) => Self::Many(names),
            _ => Self::Absent,
        }
    }

    /// Whether the type is exactly this one, not a list holding it.
    pub(super) fn is(self, kind: JsonKind) -> bool {
        matches!(self, Self::One(name) if name == kind.name())
    }

    /// Whether the type is this one or a list holding it.
    pub(super) fn lists(self, kind: JsonKind) -> bool {
        self.kinds().any(|named| named == kind)
    }

    /// Every known type named, in order.
    pub(super) fn kinds(self) -> impl Iterator<Item = JsonKind> + use<'s> {
        let (one, many): (Option<&str>, &[Value]) = match self {
            Self::Absent => (None, &[]),
            Self::One(name) => (Some(name), &[]),
            Self::Many(names) => (None, names),
        };
        one.into_iter().chain(many.iter().filter_map(Value::as_str)).filter_map(JsonKind::named)
    }

    /// The one type named besides `null`. A name that is no known type makes it uncertain.
    pub(super) fn only(self) -> Option<JsonKind> {
        match self {
            Self::Absent => None,
            Self::One(name) => JsonKind::named(name),
            Self::Many(names) => {
                let mut others = names.iter().filter(|name| name.as_str() != Some("null"));
                let first = others.next()?;
                if others.next().is_some() { None } else { JsonKind::named(first.as_str()?) }
            }
        }
    }
}

impl<'s> Schema<'s> {
    /// Read a schema; anything but a non-empty object says nothing.
    pub(super) fn of(schema: &'s Value) -> Option<Self> {
        schema.as_object().filter(|keywords| !keywords.is_empty()).map(Self)
    }

    pub(super) fn types(self) -> Types<'s> {
        Types::of(self.keyword("type"))
    }

    /// The schema for every item of a list.
    pub(super) fn items(self) -> Option<Self> {
        self.keyword("items").and_then(Self::of)
    }

    /// The declared properties of an object.
    pub(super) fn properties(self) -> Option<Properties<'s>> {
        self.keyword("properties")?.as_object().map(Properties)
    }

    /// Whether `null` is said to be welcome at this very level.
    pub(super) fn nullable(self) -> bool {
        self.types().lists(JsonKind::Null)
            || self.keyword("nullable") == Some(&Value::Bool(true))
            || ["anyOf", "oneOf"]
                .into_iter()
                .flat_map(|keyword| self.branches(keyword))
                .any(|branch| branch.types().is(JsonKind::Null))
    }

    /// Whether a value of this kind may stand here, also through a branch, at any depth.
    pub(super) fn accepts(self, kind: JsonKind) -> bool {
        self.accepts_within(kind, MAX_DEPTH)
    }

    fn accepts_within(self, kind: JsonKind, depth: usize) -> bool {
        self.types().lists(kind)
            || depth > 0
                && ["anyOf", "oneOf", "allOf"]
                    .into_iter()
                    .flat_map(|keyword| self.branches(keyword))
                    .any(|branch| branch.accepts_within(kind, depth - 1))
    }

    /// The one type besides null that may stand here: from `type`, or without it from an
    /// `anyOf` or `oneOf` whose branches each name one type.
    pub(super) fn only(self) -> Option<JsonKind> {
        if let types @ (Types::One(_) | Types::Many(_)) = self.types() {
            return types.only();
        }
        let branches = self.0.get("anyOf").or_else(|| self.keyword("oneOf"))?.as_array()?;
        let mut found = None;
        for branch in branches {
            match Self::of(branch)?.types() {
                Types::One("null") => {}
                Types::One(name) if found.is_none() => found = Some(JsonKind::named(name)?),
                _ => return None,
            }
        }
        found
    }

    fn keyword(self, name: &str) -> Option<&'s Value> {
        find(self.0, name)
    }

    fn branches(self, keyword: &str) -> impl Iterator<Item = Self> + use<'s> {
        let branches = self.keyword(keyword).and_then(Value::as_array);
        branches.into_iter().flatten().filter_map(Self::of)
    }
}

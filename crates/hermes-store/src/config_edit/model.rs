//! What an edit means, on plain values.
//!
//! This is the definition the edited text is measured against: [`apply`] changes a value, and
//! whichever way the text is changed, it must read back as exactly that value. It also decides
//! what makes no sense. The rule there is that nothing the user wrote disappears unasked: a
//! setting can go into a missing or empty (null) section, but not into one that is a text or a
//! list, and a list is only changed where it has items.

use serde_json::{Map, Value};

use super::Edit;
use crate::config::kind_of;
use crate::key_path::{KeyPath, list_index};

/// Deepest value accepted, counted from the top of the file; the reader's own limit is 64.
pub(super) const MAX_DEPTH: usize = 60;

/// Why an edit makes no sense for what is there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// The way leads through something that has no parts.
    #[error("{at} is {found}, not a section, so {path} cannot be in it; unset {at} first")]
    NotASection {
        /// The setting asked for.
        path: KeyPath,
        /// The part of the way that is in the way.
        at: KeyPath,
        /// What is there.
        found: &'static str,
    },
    /// The list has no such position.
    #[error("{path} does not exist: the list has {len} item(s), counted from 0")]
    NoSuchItem {
        /// The setting asked for.
        path: KeyPath,
        /// Length of the list.
        len: usize,
    },
    /// Something else stands where a list was expected.
    #[error("{path} is {found}, not a list")]
    NotAList {
        /// The setting.
        path: KeyPath,
        /// What is there.
        found: &'static str,
    },
    /// The value is nested too deeply for the file to be read again.
    #[error("the value for {path} is nested too deeply")]
    TooDeep {
        /// The setting.
        path: KeyPath,
    },
}

/// Applies an edit to the value of a configuration.
pub(super) fn apply(root: &mut Value, edit: &Edit) -> Result<(), Impossible> {
    let path = edit.path();
    if let Edit::Set(_, value) | Edit::Push(_, value) | Edit::PushNew(_, value) = edit
        && path.segments().len() + depth(value) > MAX_DEPTH
    {
        return Err(Impossible::TooDeep { path: path.clone() });
    }
    match edit {
        Edit::Set(_, value) => *create(root, path)? = value.clone(),
        Edit::Unset(_) => remove(root, path),
        Edit::Push(_, value) => create_list(root, path)?.push(value.clone()),
        Edit::PushNew(_, value) => {
            let present = existing_list(root, path)?.is_some_and(|list| list.contains(value));
            if !present {
                create_list(root, path)?.push(value.clone());
            }
        }
        Edit::RemoveItem(_, value) => {
            if let Some(list) = existing_list(root, path)? {
                list.retain(|item| item != value);
            }
        }
    }
    Ok(())
}

/// The place of a setting, made with the sections around it when missing. Nothing is created if
/// the way is blocked further on, because whatever is missing can hold anything.
fn create<'v>(root: &'v mut Value, path: &KeyPath) -> Result<&'v mut Value, Impossible> {
    let mut place = root;
    for (index, segment) in path.segments().iter().enumerate() {
        if place.is_null() {
            *place = Value::Object(Map::new());
        }
        place = match place {
            Value::Object(map) => map.entry(segment.as_str()).or_insert(Value::Null),
            Value::Array(list) => {
                let len = list.len();
                list_index(segment)
                    .and_then(|index| list.get_mut(index))
                    .ok_or_else(|| Impossible::NoSuchItem { path: path.clone(), len })?
            }
            other => {
                let found = kind_of(other);
                let way = path.segments().iter().take(index).cloned();
                let at = KeyPath::from_segments(way).unwrap_or_else(|| path.clone());
                return Err(Impossible::NotASection { path: path.clone(), at, found });
            }
        };
    }
    Ok(place)
}

fn create_list<'v>(root: &'v mut Value, path: &KeyPath) -> Result<&'v mut Vec<Value>, Impossible> {
    let place = create(root, path)?;
    if place.is_null() {
        *place = Value::Array(Vec::new());
    }
    as_list(place, path)
}

fn existing_list<'v>(
    root: &'v mut Value,
    path: &KeyPath,
) -> Result<Option<&'v mut Vec<Value>>, Impossible> {
    match find_mut(root, path.segments()) {
        None | Some(Value::Null) => Ok(None),
        Some(place) => as_list(place, path).map(Some),
    }
}

fn as_list<'v>(place: &'v mut Value, path: &KeyPath) -> Result<&'v mut Vec<Value>, Impossible> {
    match place {
        Value::Array(list) => Ok(list),
        other => Err(Impossible::NotAList { path: path.clone(), found: kind_of(other) }),
    }
}

fn find_mut<'v>(root: &'v mut Value, segments: &[String]) -> Option<&'v mut Value> {
    segments.iter().try_fold(root, |value, segment| match value {
        Value::Object(map) => map.get_mut(segment),
        Value::Array(list) => list.get_mut(list_index(segment)?),
        _ => None,
    })
}

fn remove(root: &mut Value, path: &KeyPath) {
    let Some((last, way)) = path.segments().split_last() else { return };
    match find_mut(root, way) {
        Some(Value::Object(map)) => {
            map.shift_remove(last);
        }
        Some(Value::Array(list)) => {
            if let Some(index) = list_index(last).filter(|index| *index < list.len()) {
                list.remove(index);
            }
        }
        _ => {}
    }
}

/// Levels of nesting, cut off where it is certainly too deep.
fn depth(value: &Value) -> usize {
    fn below<'v>(mut items: impl Iterator<Item = &'v Value>, limit: usize) -> usize {
        let mut deepest = 0;
        while let Some(item) = items.next().filter(|_| limit > 0) {
            deepest = deepest.max(measure(item, limit - 1));
        }
        deepest + 1
    }
    fn measure(value: &Value, limit: usize) -> usize {
        match value {
            Value::Array(list) => below(list.iter(), limit),
            Value::Object(map) => below(map.values(), limit),
            _ => 0,
        }
    }
    measure(value, MAX_DEPTH + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn path(text: &str) -> KeyPath {
        KeyPath::parse(text).unwrap()
    }

    fn after(mut value: Value, edit: &Edit) -> Result<Value, Impossible> {
        apply(&mut value, edit)?;
        Ok(value)
    }

    #[test]
    fn set_creates_sections_and_replaces_null() {
        let set = |value, at: &str| after(value, &Edit::Set(path(at), json!(1)));
        assert_eq!(set(json!({}), "a.b.c").unwrap(), json!({"a": {"b": {"c": 1}}}));
        assert_eq!(set(json!({"a": null}), "a.b").unwrap(), json!({"a": {"b": 1}}));
        assert_eq!(set(json!({"a": [{"b": 0}]}), "a.0.b").unwrap(), json!({"a": [{"b": 1}]}));
        assert_eq!(set(json!({"a": {}}), "a.0").unwrap(), json!({"a": {"0": 1}}));
    }

    #[test]
    fn set_does_not_overwrite_what_is_in_the_way() {
        let set = |value, at: &str| after(value, &Edit::Set(path(at), json!(1))).unwrap_err();
        let error = set(json!({"model": "x"}), "model.provider");
        assert_eq!(
            error.to_string(),
            "model is a text, not a section, so model.provider cannot be in it; unset model first"
        );
        assert!(matches!(set(json!({"a": [1]}), "a.1"), Impossible::NoSuchItem { len: 1, .. }));
        assert!(matches!(set(json!({"a": [1]}), "a.x"), Impossible::NoSuchItem { .. }));
    }

    #[test]
    fn unset_of_something_absent_changes_nothing() {
        let value = json!({"a": {"b": 1}, "l": [1, 2]});
        for absent in ["x", "a.x", "a.b.c", "l.2", "l.x"] {
            assert_eq!(after(value.clone(), &Edit::Unset(path(absent))).unwrap(), value);
        }
        assert_eq!(after(value.clone(), &Edit::Unset(path("a.b"))).unwrap()["a"], json!({}));
        assert_eq!(after(value, &Edit::Unset(path("l.0"))).unwrap()["l"], json!([2]));
    }

    #[test]
    fn lists_grow_and_shrink() {
        let value = json!({"l": ["a", "b", "a"], "s": "x", "n": null});
        let run = |edit| after(value.clone(), &edit);
        assert_eq!(
            run(Edit::Push(path("l"), json!("a"))).unwrap()["l"],
            json!(["a", "b", "a", "a"])
        );
        assert_eq!(run(Edit::PushNew(path("l"), json!("a"))).unwrap(), value);
        assert_eq!(run(Edit::PushNew(path("n"), json!(1))).unwrap()["n"], json!([1]));
        assert_eq!(run(Edit::Push(path("m.k"), json!(1))).unwrap()["m"], json!({"k": [1]}));
        assert_eq!(run(Edit::RemoveItem(path("l"), json!("a"))).unwrap()["l"], json!(["b"]));
        assert_eq!(run(Edit::RemoveItem(path("m"), json!("a"))).unwrap(), value);
        for edit in [Edit::Push(path("s"), json!(1)), Edit::RemoveItem(path("s"), json!(1))] {
            assert!(matches!(run(edit), Err(Impossible::NotAList { .. })));
        }
    }

    #[test]
    fn bottomless_values_are_refused() {
        let mut deep = json!(1);
        for _ in 0..100 {
            deep = json!([deep]);
        }
        let error = after(json!({}), &Edit::Set(path("a"), deep)).unwrap_err();
        assert!(matches!(error, Impossible::TooDeep { .. }));
        assert_eq!(depth(&json!({"a": [1, {"b": 2}], "c": 3})), 3);
    }
}

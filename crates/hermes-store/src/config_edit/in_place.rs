//! The gentle way: an edit on a lossless syntax tree of the text.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;

use serde_json::{Map, Value};
use yaml_edit::{Document, Mapping, Sequence, YamlFile, YamlNode};

use super::Edit;
use crate::key_path::{list_index, step};
use crate::yaml;

/// The text after the edit; `None` if the tree cannot express it. `old` is the text's value.
///
/// The library behind this is young and asserts its assumptions about the tree. A failed one
/// costs us this attempt, not the program.
pub(super) fn edit(text: &str, edit: &Edit, old: &Value) -> Option<String> {
    catch_unwind(AssertUnwindSafe(|| try_edit(text, edit, old))).ok().flatten()
}

fn try_edit(text: &str, edit: &Edit, old: &Value) -> Option<String> {
    // The tree has no place for a byte order mark.
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let file = YamlFile::from_str(body).ok()?;
    let document = file.ensure_document();
    let root = Container::Root(&document);
    let segments = edit.path().segments();
    match edit {
        Edit::Set(_, value) => set(&root, segments, value, old)?,
        Edit::Unset(_) => unset(&root, segments)?,
        Edit::Push(path, value) | Edit::PushNew(path, value) => match path.find(old) {
            Some(Value::Array(_)) => {
                sequence(&root, segments)?.push(node(value)?);
            }
            _ => set(&root, segments, &Value::Array(vec![value.clone()]), old)?,
        },
        Edit::RemoveItem(path, value) => {
            let list = sequence(&root, segments)?;
            let items = path.find(old)?.as_array()?;
            for (index, _) in items.iter().enumerate().rev().filter(|(_, item)| *item == value) {
                list.remove(index)?;
            }
        }
    }
    Some(format!("{mark}{file}"))
}

/// A container in the tree.
enum Container<'d> {
    Root(&'d Document),
    Mapping(Mapping),
    Sequence(Sequence),
}

impl Container<'_> {
    fn child(&self, segment: &str) -> Option<Container<'static>> {
        let node = match self {
            Container::Root(document) => document.get(segment)?,
            Container::Mapping(mapping) => mapping.get(segment)?,
            Container::Sequence(list) => list.get(list_index(segment)?)?,
        };
        let mapping = node.as_mapping().cloned().map(Container::Mapping);
        mapping.or_else(|| node.as_sequence().cloned().map(Container::Sequence))
    }

    fn put(&self, segment: &str, value: &Value) -> Option<()> {
        let value = node(value)?;
        match self {
            Container::Root(document) => document.set(segment, value).then_some(()),
            Container::Mapping(mapping) => {
                mapping.set(segment, value);
                Some(())
            }
            Container::Sequence(list) => list.set(list_index(segment)?, value).then_some(()),
        }
    }
}

/// Walks down as far as the text goes and puts the rest there in one piece.
fn set(container: &Container<'_>, segments: &[String], value: &Value, old: &Value) -> Option<()> {
    let (segment, rest) = segments.split_first()?;
    match step(old, segment) {
        Some(inner) if !rest.is_empty() && !inner.is_null() => {
            set(&container.child(segment)?, rest, value, inner)
        }
        _ => container.put(segment, &wrapped(rest, value)),
    }
}

/// The value inside the sections that are still missing around it.
fn wrapped(segments: &[String], value: &Value) -> Value {
    segments.iter().rev().fold(value.clone(), |inner, segment| {
        Value::Object(Map::from_iter([(segment.clone(), inner)]))
    })
}

fn unset(root: &Container<'_>, segments: &[String]) -> Option<()> {
    let (last, way) = segments.split_last()?;
    let Some((first, rest)) = way.split_first() else {
        return match root {
            Container::Root(document) => document.remove(last.as_str()).map(drop),
            _ => None,
        };
    };
    let start = root.child(first)?;
    let container = rest.iter().try_fold(start, |container, segment| container.child(segment))?;
    match container {
        Container::Root(_) => None,
        Container::Mapping(mapping) => mapping.remove(last.as_str()).map(drop),
        Container::Sequence(list) => list.remove(list_index(last)?).map(drop),
    }
}

fn sequence(root: &Container<'_>, segments: &[String]) -> Option<Sequence> {
    let (first, rest) = segments.split_first()?;
    let start = root.child(first)?;
    match rest.iter().try_fold(start, |container, segment| container.child(segment))? {
        Container::Sequence(list) => Some(list),
        _ => None,
    }
}

/// A value as a piece of tree. Printing and parsing it, rather than converting it, keeps the
/// order of its keys and quotes strings for the reader that will load the file; doing so below a
/// key gives lists the indentation they have in a file.
fn node(value: &Value) -> Option<YamlNode> {
    let text = yaml::render(&wrapped(&["value".to_string()], value)).ok()?;
    Document::from_str(&text).ok()?.get("value")
}

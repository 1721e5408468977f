//! The accessibility tree, as the browser sends it.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
pub(super) struct AxAnswer {
    pub(super) nodes: Vec<AxNode>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AxNode {
    node_id: String,
    #[serde(default)]
    pub(super) ignored: bool,
    role: Option<AxText>,
    name: Option<AxText>,
    value: Option<AxValue>,
    #[serde(default)]
    properties: Vec<AxProperty>,
    #[serde(default)]
    child_ids: Vec<String>,
    parent_id: Option<String>,
    #[serde(rename = "backendDOMNodeId")]
    pub(super) node: Option<i64>,
}

/// A value that is a text; anything else counts as absent.
#[derive(Deserialize)]
struct AxText {
    #[serde(default)]
    value: Option<Value>,
}

#[derive(Deserialize)]
struct AxValue {
    #[serde(default)]
    value: Option<Value>,
}

#[derive(Deserialize)]
struct AxProperty {
    name: String,
    value: AxValue,
}

impl AxNode {
    pub(super) fn role(&self) -> &str {
        text(self.role.as_ref())
    }

    pub(super) fn name(&self) -> &str {
        text(self.name.as_ref())
    }

    /// The value of a field, a slider and the like.
    pub(super) fn value(&self) -> Option<String> {
        plain(self.value.as_ref()?)
    }

    /// A property by its name, as text.
    pub(super) fn property(&self, name: &str) -> Option<String> {
        let found = self.properties.iter().find(|property| property.name == name)?;
        plain(&found.value)
    }

    /// Whether a property is there and true.
    pub(super) fn is(&self, name: &str) -> bool {
        self.property(name).as_deref() == Some("true")
    }
}

fn text(value: Option<&AxText>) -> &str {
    value.and_then(|value| value.value.as_ref()).and_then(Value::as_str).unwrap_or_default()
}

fn plain(value: &AxValue) -> Option<String> {
    match value.value.as_ref()? {
        Value::String(text) => Some(text.clone()),
        Value::Bool(bool) => Some(bool.to_string()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The nodes in the order of the document, and the children of each, all by their place in the list.
pub(super) struct AxTree {
    pub(super) nodes: Vec<AxNode>,
    pub(super) children: Vec<Vec<usize>>,
    /// Parents before their children, children in order.
    pub(super) order: Vec<usize>,
}

impl AxTree {
    pub(super) fn new(answer: AxAnswer) -> Self {
        let nodes = answer.nodes;
        let places: HashMap<&str, usize> =
            nodes.iter().enumerate().map(|(at, node)| (node.node_id.as_str(), at)).collect();
        let children: Vec<Vec<usize>> = nodes
            .iter()
            .map(|node| {
                let known = node.child_ids.iter().filter_map(|id| places.get(id.as_str()));
                known.copied().collect()
            })
            .collect();
        let root = nodes.iter().position(|node| {
            node.parent_id.as_deref().is_none_or(|parent| !places.contains_key(parent))
        });
        let mut order = Vec::with_capacity(nodes.len());
        let mut seen = vec![false; nodes.len()];
        let mut waiting: Vec<usize> = root.into_iter().collect();
        while let Some(at) = waiting.pop() {
            // A tree has each node once; a broken one is not to keep us here.
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            order.push(at);
            waiting.extend(children[at].iter().rev());
        }
        Self { nodes, children, order }
    }
}

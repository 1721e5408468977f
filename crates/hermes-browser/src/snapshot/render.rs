//! Writing the tree.

use std::fmt::Write as _;

use super::roles::{is_field, is_message};
use super::tree::{Node, Tree};
use super::{Detail, PageSnapshot};

/// Longest text that may be needed to understand what stands beside it, in characters.
const SHORT: usize = 160;
/// Deeper levels are written at this one.
const DEEPEST: usize = 60;
const EMPTY: &str = "(empty page)";

/// Writes a tree.
pub(super) fn render(tree: &Tree, detail: Detail) -> PageSnapshot {
    let order = tree.in_order();
    let kept = match detail {
        Detail::Full => vec![true; tree.nodes.len()],
        Detail::Compact => needed(tree, &order),
    };
    let mut text = String::new();
    let mut elements = 0;
    for (at, depth) in order {
        if !kept[at] {
            continue;
        }
        let node = &tree.nodes[at];
        elements += usize::from(node.number.is_some());
        line(&mut text, node, depth.min(DEEPEST));
    }
    if text.is_empty() {
        text.push_str(EMPTY);
    } else {
        text.pop();
    }
    PageSnapshot { text, elements }
}

fn line(text: &mut String, node: &Node, depth: usize) {
    for _ in 0..depth {
        text.push_str("  ");
    }
    text.push_str("- ");
    text.push_str(&node.role);
    if !node.name.is_empty() {
        // A name is quoted as JSON, so that it cannot be taken for anything else of the line.
        let quoted = serde_json::Value::from(node.name.as_str());
        let _ = write!(text, " {quoted}");
    }
    let reference = node.number.map(|number| format!("ref=e{number}"));
    let attributes: Vec<&str> =
        node.attributes.iter().chain(&reference).map(String::as_str).collect();
    if !attributes.is_empty() {
        let _ = write!(text, " [{}]", attributes.join(", "));
    }
    if let Some(value) = &node.value {
        let _ = write!(text, ": {value}");
    }
    text.push('\n');
}

/// Which nodes a compact snapshot keeps.
fn needed(tree: &Tree, order: &[(usize, usize)]) -> Vec<bool> {
    let mut kept = vec![false; tree.nodes.len()];
    // Children come after their parents, so the other way round each finds its children decided.
    for (at, _) in order.iter().rev() {
        let node = &tree.nodes[*at];
        let matters = node.number.is_some()
            || node.value.is_some()
            || node.children.iter().any(|child| kept[*child]);
        kept[*at] |= matters;
        explain(tree, &node.children, &node.role, &mut kept);
    }
    explain(tree, &tree.top, "", &mut kept);
    // What a kept text stands in is kept too.
    for (at, _) in order.iter().rev() {
        kept[*at] |= tree.nodes[*at].children.iter().any(|child| kept[*child]);
    }
    kept
}

/// Keeps those texts among siblings that say what the things beside them are for.
fn explain(tree: &Tree, siblings: &[usize], around: &str, kept: &mut [bool]) {
    let beside_usable = siblings.iter().any(|at| tree.nodes[*at].number.is_some());
    let beside_field = siblings.iter().any(|at| {
        let node = &tree.nodes[*at];
        is_field(&node.role) && node.number.is_some()
    });
    let message = is_message(around);
    for at in siblings {
        let node = &tree.nodes[*at];
        if node.is_text() {
            kept[*at] |= (message || beside_usable) && is_short(&node.name);
        } else if node.role == "paragraph" && (beside_field || message || around == "form") {
            for child in &node.children {
                let child_node = &tree.nodes[*child];
                if child_node.is_text() && is_short(&child_node.name) {
                    kept[*child] = true;
                    kept[*at] = true;
                }
            }
        }
    }
}

fn is_short(text: &str) -> bool {
    text.chars().nth(SHORT).is_none()
}

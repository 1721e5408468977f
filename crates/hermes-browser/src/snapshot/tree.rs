//! The tree that is written, as a list of nodes.

use crate::references::ElementInfo;

/// A line to be.
#[derive(Default)]
pub(super) struct Node {
    pub(super) role: String,
    /// As found; texts keep their blanks until they are joined.
    pub(super) name: String,
    pub(super) attributes: Vec<String>,
    pub(super) value: Option<String>,
    pub(super) children: Vec<usize>,
    /// What a reference to it means.
    pub(super) element: Option<ElementInfo>,
    pub(super) number: Option<u32>,
    /// Whether it, or something in it, can be used.
    pub(super) usable: bool,
    /// Stands in a label.
    pub(super) of_label: bool,
}

impl Node {
    pub(super) fn is_text(&self) -> bool {
        self.role == "text"
    }
}

/// All nodes, and those at the top.
#[derive(Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) top: Vec<usize>,
}

impl Tree {
    pub(super) fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// The nodes in the order of the document with their depth.
    pub(super) fn in_order(&self) -> Vec<(usize, usize)> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut waiting: Vec<(usize, usize)> = self.top.iter().rev().map(|at| (*at, 0)).collect();
        while let Some((at, depth)) = waiting.pop() {
            order.push((at, depth));
            waiting.extend(self.nodes[at].children.iter().rev().map(|child| (*child, depth + 1)));
        }
        order
    }

    /// Gives each element its number, in the order of the document.
    pub(super) fn number(&mut self, mut number: impl FnMut(ElementInfo) -> u32) {
        for (at, _) in self.in_order() {
            let node = &mut self.nodes[at];
            if let Some(element) = &node.element {
                let named = ElementInfo {
                    role: node.role.clone(),
                    name: node.name.clone(),
                    ..element.clone()
                };
                node.number = Some(number(named));
            }
        }
    }
}

//! From what the browser says to the tree that is written.

use std::collections::{HashMap, HashSet};

use super::ax::{AxNode, AxTree};
use super::dom::{DomFacts, Interest};
use super::gather::{FrameTreeOf, Gathered};
use super::roles::{
    Word, has_value, is_checkable, is_control, is_field, is_landmark, is_mere_group,
    is_named_by_content, word,
};
use super::text::{bare_label, clean};
use super::tree::{Node, Tree};
use crate::browser::PageHandle;
use crate::references::{ElementInfo, ElementKey};

/// Longest name that is made from the text in an element, in characters.
const OWN_TEXT: usize = 120;
/// Shown in the place of every password.
const PASSWORD: &str = "••••";
/// Frames inside frames are shown down to this level.
const DEEPEST_FRAME: usize = 5;

/// Builds the tree of a page with everything inside its frames.
pub(super) fn build(gathered: &Gathered, page: &PageHandle) -> Tree {
    let mut tree = Tree::default();
    let mut frames: Vec<(Option<usize>, &str, usize)> = vec![(None, page.target.as_str(), 0)];
    let mut shown = HashSet::new();
    while let Some((around, frame, depth)) = frames.pop() {
        let Some(FrameTreeOf { session, tree: ax }) = gathered.trees.get(frame) else { continue };
        let Some(dom) = gathered.documents.get(session) else { continue };
        if depth > DEEPEST_FRAME || !shown.insert(frame) {
            continue;
        }
        let mut builder = Builder { tree: &mut tree, dom, session, frame, iframes: Vec::new() };
        let top = builder.frame(ax);
        let iframes = builder.iframes;
        match around {
            None => tree.top = top,
            Some(around) => tree.nodes[around].children = top,
        }
        for (at, node) in iframes {
            let inner = dom.frame_inside(node);
            let inner =
                inner.or_else(|| gathered.inside.get(&(session.clone(), node)).map(String::as_str));
            if let Some(inner) = inner {
                frames.push((Some(at), inner, depth + 1));
            }
        }
    }
    drop_labels(&mut tree);
    tree
}

struct Builder<'a> {
    tree: &'a mut Tree,
    dom: &'a DomFacts,
    session: &'a str,
    frame: &'a str,
    /// Elements with a frame inside: their place in the tree, and their node.
    iframes: Vec<(usize, i64)>,
}

impl Builder<'_> {
    /// All nodes of a frame; gives those at its top.
    fn frame(&mut self, ax: &AxTree) -> Vec<usize> {
        let mut made: HashMap<usize, Vec<usize>> = HashMap::new();
        for at in ax.order.iter().rev() {
            let children: Vec<usize> =
                ax.children[*at].iter().filter_map(|child| made.remove(child)).flatten().collect();
            let children = self.joined(children);
            let result = self.node(&ax.nodes[*at], children);
            made.insert(*at, result);
        }
        let top = ax.order.first().and_then(|root| made.remove(root)).unwrap_or_default();
        let top = self.joined(top);
        self.finished(top)
    }

    /// What a node becomes: itself with its children, its children alone, or nothing.
    fn node(&mut self, node: &AxNode, children: Vec<usize>) -> Vec<usize> {
        let dom_node = node.node.unwrap_or(-1);
        let mut kind = if node.ignored { Word::Dissolved } else { word(node.role()) };
        let element = self.dom.element_name(dom_node);
        if kind == Word::Dissolved && element == "FORM" && !children.is_empty() {
            kind = Word::Shown("form");
        }
        match kind {
            Word::Dropped => Vec::new(),
            Word::Text => {
                let text = Node {
                    role: "text".to_owned(),
                    name: node.name().to_owned(),
                    ..Node::default()
                };
                vec![self.tree.add(text)]
            }
            Word::Dissolved => self.dissolved(dom_node, children),
            Word::Shown(role) => self.shown(role, node, dom_node, children),
        }
    }

    fn dissolved(&mut self, node: i64, children: Vec<usize>) -> Vec<usize> {
        if let Some(control) = self.dom.hidden_control(node)
            && !self.any(&children, |child| is_checkable(&child.role))
        {
            let name = self.text_of(&children);
            let mut attributes = vec![format!("checked={}", control.checked)];
            if control.disabled {
                attributes.push("disabled".to_owned());
            }
            let element = Some(self.element(node));
            let (role, usable) = (control.role.to_owned(), true);
            let shown = Node { role, name, attributes, element, usable, ..Node::default() };
            return vec![self.tree.add(shown)];
        }
        if self.dom.element_name(node) == "LABEL" {
            for child in &children {
                self.tree.nodes[*child].of_label = true;
            }
        }
        if let Some((hint, name)) = self.usable(node, &children) {
            let children = self.without_texts_in(children, &name);
            let element = Some(self.element(node));
            let (role, attributes) = ("generic".to_owned(), vec![hint.to_owned()]);
            let children = self.finished(children);
            let usable = true;
            let shown =
                Node { role, name, attributes, element, usable, children, ..Node::default() };
            return vec![self.tree.add(shown)];
        }
        if self.dom.is_block(node) {
            // Texts of two boxes are two texts, even when they are written in one line.
            for child in &children {
                let child = &mut self.tree.nodes[*child];
                if child.is_text() {
                    child.name.insert(0, ' ');
                    child.name.push(' ');
                }
            }
        }
        children
    }

    fn shown(
        &mut self,
        role: &str,
        node: &AxNode,
        dom_node: i64,
        children: Vec<usize>,
    ) -> Vec<usize> {
        let mut name = clean(node.name());
        let element_name = self.dom.element_name(dom_node);
        let mut children = children;
        if matches!(element_name, "INPUT" | "TEXTAREA") {
            children.clear();
        }
        let mut attributes = attributes(role, node);
        let mut has_reference =
            is_control(role) || is_landmark(role) && !name.is_empty() && !node.ignored;
        if !has_reference && let Some((hint, own)) = self.usable(dom_node, &children) {
            has_reference = true;
            attributes.push(hint.to_owned());
            if name.is_empty() {
                name = own;
            }
        }
        let children = self.without_repeats(role, children, &name);
        let children = self.finished(children);
        let value = self.value(role, node, dom_node, &name);
        if !has_reference && value.is_none() && children.is_empty() {
            let says_nothing = name.is_empty() || is_mere_group(role);
            if says_nothing && role != "separator" {
                return Vec::new();
            }
        }
        if !has_reference && name.is_empty() && is_mere_group(role) {
            return children;
        }
        let usable = has_reference || self.any(&children, |child| child.usable);
        let element = has_reference.then(|| self.element(dom_node));
        let role = role.to_owned();
        let is_frame = role == "Iframe";
        let shown =
            Node { role, name, attributes, value, children, element, usable, ..Node::default() };
        let at = self.tree.add(shown);
        if is_frame {
            self.iframes.push((at, dom_node));
        }
        vec![at]
    }

    /// The hint and the name of an element that is no control and can be used all the same.
    fn usable(&self, node: i64, children: &[usize]) -> Option<(&'static str, String)> {
        let interest = self.dom.interest(node)?;
        let holds_usable = self.any(children, |child| child.usable);
        let own = self.text_of(children);
        // Whoever listens around controls listens for them; a box around one is no second one.
        if holds_usable && (interest == Interest::Listens || own.is_empty()) {
            return None;
        }
        let named = ["aria-label", "title", "alt", "placeholder"];
        let named = named.iter().find_map(|name| self.dom.attribute(node, name));
        let name = if own.is_empty() { clean(named.unwrap_or_default()) } else { own };
        let hint = match interest {
            Interest::Listens | Interest::Pointer => "clickable",
            Interest::Focusable => "focusable",
            Interest::Editable => "editable",
        };
        (!name.is_empty() || interest == Interest::Editable).then_some((hint, name))
    }

    /// The text of nodes, cut where it gets long.
    fn text_of(&self, nodes: &[usize]) -> String {
        let mut text = String::new();
        let mut waiting: Vec<usize> = nodes.iter().rev().copied().collect();
        while let Some(at) = waiting.pop() {
            let node = &self.tree.nodes[at];
            if node.usable {
                continue;
            }
            text.push_str(&node.name);
            if !node.is_text() {
                text.push(' ');
                waiting.extend(node.children.iter().rev());
            }
            if text.len() > OWN_TEXT * 4 {
                break;
            }
        }
        let text = clean(&text);
        match text.char_indices().nth(OWN_TEXT) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }

    fn any(&self, nodes: &[usize], what: impl Fn(&Node) -> bool) -> bool {
        nodes.iter().any(|at| what(&self.tree.nodes[*at]))
    }

    fn element(&self, node: i64) -> ElementInfo {
        ElementInfo {
            key: ElementKey { session: self.session.to_owned(), node },
            frame: self.frame.to_owned(),
            role: String::new(),
            name: String::new(),
        }
    }

    fn value(&self, role: &str, node: &AxNode, dom_node: i64, name: &str) -> Option<String> {
        if !has_value(role) {
            return None;
        }
        let value = clean(&node.value()?);
        if value.is_empty() || value == name {
            return None;
        }
        let is_password = self.dom.attribute(dom_node, "type") == Some("password");
        Some(if is_password { PASSWORD.to_owned() } else { value })
    }

    /// Joins texts that follow each other.
    fn joined(&mut self, nodes: Vec<usize>) -> Vec<usize> {
        let mut joined: Vec<usize> = Vec::with_capacity(nodes.len());
        for at in nodes {
            let before = joined.last().copied();
            if let Some(before) = before
                && self.tree.nodes[at].is_text()
                && self.tree.nodes[before].is_text()
                && self.tree.nodes[at].of_label == self.tree.nodes[before].of_label
            {
                let text = std::mem::take(&mut self.tree.nodes[at].name);
                self.tree.nodes[before].name.push_str(&text);
            } else {
                joined.push(at);
            }
        }
        joined
    }

    /// Texts in their final form; empty ones go.
    fn finished(&mut self, nodes: Vec<usize>) -> Vec<usize> {
        nodes
            .into_iter()
            .filter(|at| {
                let node = &mut self.tree.nodes[*at];
                if node.is_text() {
                    node.name = clean(&node.name);
                }
                !node.is_text() || !node.name.is_empty()
            })
            .collect()
    }

    /// Without texts that only repeat the name of what they stand in.
    fn without_repeats(&self, role: &str, nodes: Vec<usize>, name: &str) -> Vec<usize> {
        if name.is_empty() {
            return nodes;
        }
        let repeats = |node: &Node| {
            let text = clean(&node.name);
            text == name || is_named_by_content(role) && name.contains(&text)
        };
        let is_title = |node: &Node| {
            let texts: Vec<&Node> = node.children.iter().map(|at| &self.tree.nodes[*at]).collect();
            matches!(node.role.as_str(), "caption" | "legend")
                && matches!(texts.as_slice(), [only] if only.is_text() && repeats(only))
        };
        let kept = nodes.into_iter().filter(|at| {
            let node = &self.tree.nodes[*at];
            !(node.is_text() && repeats(node) || is_title(node))
        });
        kept.collect()
    }

    fn without_texts_in(&self, nodes: Vec<usize>, name: &str) -> Vec<usize> {
        let kept = nodes.into_iter().filter(|at| {
            let node = &self.tree.nodes[*at];
            !(node.is_text() && name.contains(&clean(&node.name)))
        });
        kept.collect()
    }
}

/// What stands in brackets, in its fixed order; the reference comes last.
fn attributes(role: &str, node: &AxNode) -> Vec<String> {
    let mut attributes = Vec::new();
    if role == "heading"
        && let Some(level) = node.property("level")
    {
        attributes.push(format!("level={level}"));
    }
    if is_checkable(role)
        && let Some(checked) = node.property("checked")
    {
        attributes.push(format!("checked={checked}"));
    }
    if let Some(expanded) = node.property("expanded") {
        attributes.push(format!("expanded={expanded}"));
    }
    for flag in ["selected", "disabled", "required"] {
        if node.is(flag) {
            attributes.push(flag.to_owned());
        }
    }
    attributes
}

/// Takes away labels that say what their control says already.
fn drop_labels(tree: &mut Tree) {
    let names: HashSet<String> = tree
        .nodes
        .iter()
        .filter(|node| is_field(&node.role) && node.element.is_some())
        .map(|node| bare_label(&node.name).to_owned())
        .collect();
    let repeats: Vec<bool> = tree
        .nodes
        .iter()
        .map(|node| node.is_text() && node.of_label && names.contains(bare_label(&node.name)))
        .collect();
    for node in &mut tree.nodes {
        node.children.retain(|child| !repeats[*child]);
    }
    tree.top.retain(|at| !repeats[*at]);
}

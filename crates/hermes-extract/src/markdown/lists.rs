//! Lists of points, and of words with what they mean.

use super::inline::Marks;
use super::{Block, DEEPEST, Flow, Line, Writer, indented, joined};
use crate::dom::NodeId;

impl Writer<'_> {
    pub(super) fn list(&self, id: NodeId, ordered: bool, flow: &mut Flow) {
        if flow.depth >= DEEPEST || self.is_list_of_texts(id) {
            return self.list_as_blocks(id, flow);
        }
        let mut number = self
            .dom
            .attr(id, "start")
            .and_then(|start| start.trim().parse::<i64>().ok())
            .unwrap_or(1)
            .clamp(0, 999_999_999);
        let mut items: Vec<String> = Vec::new();
        let mut loose = false;
        let mut pending: Vec<Block> = Vec::new();
        for child in self.items(id) {
            let is_item = self.dom.is(child, &["li"]);
            if let Some(value) = self.dom.attr(child, "value").filter(|_| is_item) {
                number = value.trim().parse().unwrap_or(number).clamp(0, 999_999_999);
            }
            let blocks = if is_item {
                self.inner(child, flow.depth)
            } else {
                let mut inner = Flow { depth: flow.depth + 1, ..Flow::default() };
                self.node(child, &mut inner);
                inner.end();
                inner.blocks
            };
            if blocks.is_empty() {
                continue;
            }
            let marker = if ordered { format!("{number}. ") } else { "- ".to_owned() };
            // A list right inside a list belongs to the point before it.
            if !is_item
                && let (Some(last), [Block::List(_)]) = (items.last_mut(), blocks.as_slice())
            {
                last.push('\n');
                let blanks = " ".repeat(marker.len());
                last.push_str(&blanks);
                last.push_str(&indented(blocks[0].text(), marker.len()));
                continue;
            }
            pending.extend(blocks);
            let tight = pending.iter().enumerate().all(|(at, block)| match block {
                Block::Text(_) => at == 0,
                Block::List(_) => true,
                _ => false,
            });
            loose |= !tight;
            let taken = std::mem::take(&mut pending);
            let text = if tight {
                let texts: Vec<&str> = taken.iter().map(Block::text).collect();
                texts.join("\n")
            } else {
                joined(taken)
            };
            items.push(format!("{marker}{}", indented(&text, marker.len())));
            number += 1;
        }
        if !items.is_empty() {
            flow.blocks.push(Block::List(items.join(if loose { "\n\n" } else { "\n" })));
        }
    }

    /// The points of a list, also those inside elements that only group them.
    fn items(&self, id: NodeId) -> Vec<NodeId> {
        let mut items = Vec::new();
        for child in self.dom.children(id) {
            if self.is_dropped(child) {
                continue;
            }
            let groups = self.dom.is(child, &["div", "span"])
                && self.dom.children(child).any(|inner| self.dom.is(inner, &["li"]));
            if groups {
                items.extend(self.dom.children(child).filter(|&inner| !self.is_dropped(inner)));
            } else {
                items.push(child);
            }
        }
        items
    }

    /// Whether the points are texts with headings of their own: posts, teasers, cards.
    fn is_list_of_texts(&self, id: NodeId) -> bool {
        let (mut points, mut texts) = (0, 0);
        for child in self
            .dom
            .children(id)
            .filter(|&child| self.dom.is(child, &["li"]) && !self.is_dropped(child))
        {
            points += 1;
            let heading = self.dom.subtree(child).any(|below| {
                self.dom.is(below, &["h1", "h2", "h3", "h4", "h5", "h6", "article"])
                    && !self.is_dropped(below)
            });
            texts += usize::from(heading);
        }
        points > 0 && texts * 2 > points
    }

    fn list_as_blocks(&self, id: NodeId, flow: &mut Flow) {
        for child in self.items(id) {
            flow.end();
            if self.dom.is(child, &["li"]) {
                self.children(child, flow);
            } else {
                self.node(child, flow);
            }
            flow.end();
        }
    }

    /// A point outside of any list.
    pub(super) fn stray_item(&self, id: NodeId, flow: &mut Flow) {
        let text = joined(self.inner(id, flow.depth.min(DEEPEST)));
        if text.is_empty() {
            return;
        }
        let item = format!("- {}", indented(&text, 2));
        match flow.blocks.last_mut() {
            Some(Block::List(list)) => {
                list.push('\n');
                list.push_str(&item);
            }
            _ => flow.blocks.push(Block::List(item)),
        }
    }

    pub(super) fn definitions(&self, id: NodeId, flow: &mut Flow) {
        let mut parts = Vec::new();
        self.definition_parts(id, &mut parts);
        let deep = flow.depth >= DEEPEST
            || parts.iter().any(|&part| {
                self.dom.is(part, &["dd"])
                    && self.dom.subtree(part).skip(1).any(|below| {
                        self.dom.is(
                            below,
                            &["dl", "pre", "table", "ul", "ol", "h2", "h3", "h4", "blockquote"],
                        ) && !self.is_dropped(below)
                    })
            });
        if deep {
            for part in parts {
                flow.end();
                self.children(part, flow);
                flow.end();
            }
            return;
        }
        let mut group = String::new();
        let mut described = false;
        for part in parts {
            if self.dom.is(part, &["dt"]) {
                if described {
                    flow.blocks.push(Block::Other(std::mem::take(&mut group)));
                }
                described = false;
                let mut line = Line::default();
                self.flat(part, &mut line, Marks::default());
                add_line(&mut group, &line.one_line());
            } else {
                let text = joined(self.inner(part, flow.depth));
                if !text.is_empty() {
                    let text = format!(": {}", indented(&text, 2));
                    add_line(&mut group, &text);
                    described = true;
                }
            }
        }
        if !group.is_empty() {
            flow.blocks.push(Block::Other(group));
        }
    }

    fn definition_parts(&self, id: NodeId, parts: &mut Vec<NodeId>) {
        for child in self.dom.children(id).filter(|&child| !self.is_dropped(child)) {
            match self.dom.tag(child) {
                Some("dt" | "dd") => parts.push(child),
                Some("div" | "section" | "span") => {
                    let has =
                        self.dom.children(child).any(|inner| self.dom.is(inner, &["dt", "dd"]));
                    if has {
                        self.definition_parts(child, parts);
                    } else {
                        parts.push(child);
                    }
                }
                Some(_) => parts.push(child),
                None => {}
            }
        }
    }
}

fn add_line(group: &mut String, line: &str) {
    if line.is_empty() {
        return;
    }
    if !group.is_empty() {
        group.push('\n');
    }
    group.push_str(line);
}

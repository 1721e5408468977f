//! How much text each node holds, how much of it is links and how much stands in paragraphs. What was dropped holds nothing.

use crate::dom::{Dom, NodeId};
use crate::markdown::BLOCKS;

/// Letters outside of links from which a line of text counts as a paragraph.
const PARAGRAPH: u32 = 70;

/// The visible letters of a page by node; blanks are not counted.
pub(crate) struct Measure {
    letters: Vec<u32>,
    linked: Vec<u32>,
    links: Vec<u32>,
    prose: Vec<u32>,
}

impl Measure {
    /// Counts everything that is not dropped. Once over the nodes and back.
    pub(crate) fn of(dom: &Dom, dropped: &[bool]) -> Self {
        let mut measure = Self {
            letters: vec![0; dom.len()],
            linked: vec![0; dom.len()],
            links: vec![0; dom.len()],
            prose: vec![0; dom.len()],
        };
        // Letters outside of links on the line that an element begins or stands in.
        let mut line = vec![0_u32; dom.len()];
        let mut order = Vec::with_capacity(dom.len());
        let mut walk = dom.subtree(0);
        while let Some(id) = walk.next() {
            if dropped[id] {
                walk.leave(id);
                continue;
            }
            order.push(id);
        }
        for &id in order.iter().rev() {
            if let Some(text) = dom.text(id) {
                let letters = text.chars().filter(|letter| !letter.is_whitespace()).count();
                measure.letters[id] = u32::try_from(letters).unwrap_or(u32::MAX);
                line[id] = measure.letters[id];
            } else if dom.is(id, &["a"]) && dom.attr(id, "href").is_some() {
                measure.linked[id] = measure.letters[id];
                measure.links[id] = 1;
                line[id] = 0;
            }
            let begins_line = dom.is(id, BLOCKS);
            if begins_line && line[id] >= PARAGRAPH {
                measure.prose[id] = measure.prose[id].saturating_add(line[id]);
            }
            if let Some(parent) = dom.parent(id) {
                measure.letters[parent] =
                    measure.letters[parent].saturating_add(measure.letters[id]);
                measure.linked[parent] = measure.linked[parent].saturating_add(measure.linked[id]);
                measure.links[parent] += measure.links[id];
                measure.prose[parent] = measure.prose[parent].saturating_add(measure.prose[id]);
                if !begins_line {
                    line[parent] = line[parent].saturating_add(line[id]);
                }
            }
        }
        measure
    }

    /// Visible letters.
    pub(crate) fn letters(&self, id: NodeId) -> usize {
        self.letters[id] as usize
    }

    /// Visible letters outside of links.
    pub(crate) fn plain(&self, id: NodeId) -> usize {
        (self.letters[id] - self.linked[id]) as usize
    }

    /// Visible letters outside of links that stand in paragraphs: lines long enough to say something.
    pub(crate) fn prose(&self, id: NodeId) -> usize {
        self.prose[id] as usize
    }

    /// How many links.
    pub(crate) fn links(&self, id: NodeId) -> usize {
        self.links[id] as usize
    }

    /// The part of the letters that is links, in hundredths.
    pub(crate) fn link_share(&self, id: NodeId) -> usize {
        match self.letters(id) {
            0 => 0,
            letters => self.linked[id] as usize * 100 / letters,
        }
    }

    /// Whether a block is a set of short links, as menus are.
    pub(crate) fn is_menu_like(&self, id: NodeId) -> bool {
        let links = self.links(id);
        links >= 3 && self.link_share(id) >= 75 && self.linked[id] as usize / links <= 24
    }
}

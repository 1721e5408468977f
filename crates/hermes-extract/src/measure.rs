//! How much text each node holds, and how much of it is links. What was dropped holds nothing.

use crate::dom::{Dom, NodeId};

/// The visible letters of a page by node; blanks are not counted.
pub(crate) struct Measure {
    letters: Vec<u32>,
    linked: Vec<u32>,
    links: Vec<u32>,
}

impl Measure {
    /// Counts everything that is not dropped. Once over the nodes and back.
    pub(crate) fn of(dom: &Dom, dropped: &[bool]) -> Self {
        let mut measure = Self {
            letters: vec![0; dom.len()],
            linked: vec![0; dom.len()],
            links: vec![0; dom.len()],
        };
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
            } else if dom.is(id, &["a"]) && dom.attr(id, "href").is_some() {
                measure.linked[id] = measure.letters[id];
                measure.links[id] = 1;
            }
            if let Some(parent) = dom.parent(id) {
                measure.letters[parent] =
                    measure.letters[parent].saturating_add(measure.letters[id]);
                measure.linked[parent] = measure.linked[parent].saturating_add(measure.linked[id]);
                measure.links[parent] += measure.links[id];
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

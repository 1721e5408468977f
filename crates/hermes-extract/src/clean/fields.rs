//! Words that belong to a field which is not there for a reader, and headings named after what surrounds a text.

use std::collections::HashSet;

use super::{Cleaning, Measure, NodeId};
use crate::words::{Naming, naming, words};

impl Cleaning<'_> {
    /// Labels of fields to type or choose in. Those of boxes and circles to tick name the choices of a product.
    pub(super) fn labels_of_fields(&mut self) {
        let dom = self.dom;
        let fields: HashSet<&str> = dom
            .subtree(0)
            .filter(|&id| {
                dom.is(id, &["select", "textarea"])
                    || dom.is(id, &["input"])
                        && !dom.attr(id, "type").is_some_and(|kind| {
                            kind.eq_ignore_ascii_case("radio")
                                || kind.eq_ignore_ascii_case("checkbox")
                        })
            })
            .filter_map(|id| dom.attr(id, "id"))
            .collect();
        if fields.is_empty() {
            return;
        }
        for id in dom.subtree(0).filter(|&id| dom.is(id, &["label"])) {
            if dom.attr(id, "for").is_some_and(|field| fields.contains(field)) {
                self.dropped[id] = true;
            }
        }
    }

    /// A heading may be named like a neighbour (`anchorWithNavbar`); it goes only if nothing is left that it is the
    /// heading of.
    pub(super) fn headings_by_names(&mut self, measure: &Measure) {
        const HEADINGS: &[&str] = &["h1", "h2", "h3", "h4", "h5", "h6"];
        let dom = self.dom;
        let headings: Vec<NodeId> = dom
            .subtree(0)
            .filter(|&id| {
                dom.is(id, &HEADINGS[1..])
                    && !self.is_dropped(id)
                    && naming(&words(dom, id)) == Naming::Surrounding
            })
            .collect();
        for heading in headings {
            if self.next_block(heading, measure).is_none_or(|next| dom.is(next, HEADINGS)) {
                self.dropped[heading] = true;
            }
        }
    }
}

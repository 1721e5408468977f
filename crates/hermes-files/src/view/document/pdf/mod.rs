//! The text of PDF files, page by page.
//!
//! Four steps, a file each: [`store`] finds the objects, [`page`] runs the drawing instructions of
//! each page, [`font`] says which text the drawn codes stand for (with [`cmap`] and [`glyphs`]), and
//! [`layout`] makes lines of it.
//!
//! This is written here and not taken from a library because PDF files come from anywhere: a reader
//! must not follow references in circles, unpack without end or die of a page that draws itself.
//! Here every loop has a budget, so a hostile file costs at most a few seconds and some memory. What
//! is left out on purpose: encrypted files, pictures of text, and fonts that do not say what their
//! codes mean.

use std::collections::HashSet;

mod cmap;
mod filter;
mod font;
mod glyphs;
mod layout;
mod lexer;
mod object;
mod page;
mod store;
#[cfg(test)]
mod tests;

use super::rendering::Rendering;
use object::{Dict, Object};
use page::PageRunner;
use store::{MAX_UNPACKED_BYTES, ObjectStore};

/// Pages shown of one document.
const MAX_PAGES: usize = 5_000;
/// Depth of the tree pages hang from.
const MAX_TREE_DEPTH: usize = 64;

/// The text of each page under a headline; `None` when there is no page to be found.
pub(super) fn text(bytes: &[u8]) -> Option<String> {
    text_within(bytes, MAX_UNPACKED_BYTES)
}

fn text_within(bytes: &[u8], unpackable: usize) -> Option<String> {
    let store = ObjectStore::read(bytes, unpackable)?;
    let mut tree = PageTree { store: &store, seen: HashSet::new(), pages: Vec::new() };
    match store.page_tree() {
        Some(root) => tree.collect(root, None, 0),
        None => tree.collect_loose(),
    }
    if tree.pages.is_empty() {
        return None;
    }
    let empty = Dict::new();
    let mut runner = PageRunner::new(&store);
    let mut rendering = Rendering::default();
    for (index, page) in tree.pages.iter().enumerate() {
        if rendering.is_full() {
            break;
        }
        if runner.is_exhausted() {
            rendering.headline("The rest of this document is not shown: it is too large");
            break;
        }
        rendering.headline(&format!("Page {}", index + 1));
        let contents = page.dict.get("Contents").unwrap_or(&Object::Null);
        let text = runner.page(contents, page.resources.unwrap_or(&empty));
        match text.trim() {
            "" => rendering.line("(no text on this page; it may be a picture)"),
            _ => rendering.line(&text),
        }
        rendering.line("");
    }
    if store.is_partial() {
        rendering.headline("Parts of this document are not shown: it is too large");
    }
    Some(rendering.finish())
}

/// A page and the resources it has itself or from above.
struct Page<'s> {
    dict: &'s Dict,
    resources: Option<&'s Dict>,
}

/// Collects the pages in order.
struct PageTree<'s, 'b> {
    store: &'s ObjectStore<'b>,
    seen: HashSet<u32>,
    pages: Vec<Page<'s>>,
}

impl<'s> PageTree<'s, '_> {
    /// Takes whatever pages there are: the end of a file cut short held the tree.
    fn collect_loose(&mut self) {
        for dict in self.store.of_type("Page").into_iter().take(MAX_PAGES) {
            let resources = self.store.get(dict, "Resources").dict();
            self.pages.push(Page { dict, resources });
        }
    }

    fn collect(&mut self, node: &'s Object, inherited: Option<&'s Dict>, depth: usize) {
        // Every node is visited once, so a tree that bites its tail ends.
        let is_new = match node {
            Object::Reference(id) => self.seen.insert(*id),
            _ => true,
        };
        let Some(dict) = self.store.resolve(node).dict() else { return };
        if !is_new || depth > MAX_TREE_DEPTH || self.pages.len() >= MAX_PAGES {
            return;
        }
        let resources = self.store.get(dict, "Resources").dict().or(inherited);
        match self.store.get(dict, "Kids").array() {
            Some(kids) => kids.iter().for_each(|kid| self.collect(kid, resources, depth + 1)),
            None => self.pages.push(Page { dict, resources }),
        }
    }
}

//! Which part of a page is its content.
//!
//! Pages that say so are believed: `main`, `article`, `role=main`. For the others everything is content that is not a
//! menu: a density score would have to choose one block, and old table layouts, forums and lists of links have no such
//! block. The price is a line of noise now and then on pages without any structure.

use crate::dom::{Dom, NodeId};
use crate::measure::Measure;

/// The part of the visible text, in hundredths, below which a chosen part is doubted.
const TOO_LITTLE: usize = 25;
/// The letters above which a chosen part is believed however much else there is.
const ENOUGH: usize = 600;

/// Articles that are compared; a page with more of them is a list whatever is in it.
const MOST_ARTICLES: usize = 500;

/// The chosen part: nodes whose content is shown, in order.
pub(crate) struct Chosen {
    /// The element that holds the content.
    pub(crate) root: NodeId,
    /// The heading of the page, where it stands outside of that.
    pub(crate) heading: Option<NodeId>,
}

/// Chooses, and marks menus as dropped where nothing else tells them from content.
pub(crate) fn select(dom: &Dom, dropped: &mut [bool]) -> Chosen {
    let measure = Measure::of(dom, dropped);
    let body = first(dom, 0, dropped, |id| dom.is(id, &["body"])).unwrap_or(0);
    let total = measure.letters(body).max(1);
    let doubted = |id: NodeId| {
        let letters = measure.letters(id);
        letters < ENOUGH && letters * 100 / total < TOO_LITTLE
    };
    let root = match declared(dom, body, dropped, &measure) {
        Some(root) if !doubted(root) => root,
        _ => {
            prune_menus(dom, body, dropped, &measure);
            let kept = Measure::of(dom, dropped);
            descend(dom, body, dropped, &kept)
        }
    };
    Chosen { root, heading: outer_heading(dom, body, root, dropped) }
}

fn first(
    dom: &Dom,
    root: NodeId,
    dropped: &[bool],
    wanted: impl Fn(NodeId) -> bool,
) -> Option<NodeId> {
    let mut walk = dom.subtree(root);
    while let Some(id) = walk.next() {
        if dropped[id] {
            walk.leave(id);
        } else if wanted(id) {
            return Some(id);
        }
    }
    None
}

/// The part that the page declares to be its content.
fn declared(dom: &Dom, body: NodeId, dropped: &[bool], measure: &Measure) -> Option<NodeId> {
    let (mut mains, mut articles) = (Vec::new(), Vec::new());
    let mut walk = dom.subtree(body);
    while let Some(id) = walk.next() {
        if dropped[id] {
            walk.leave(id);
        } else if dom.is(id, &["main"]) || dom.attr(id, "role") == Some("main") {
            mains.push(id);
        } else if dom.is(id, &["article"]) || dom.attr(id, "itemprop") == Some("articleBody") {
            articles.push(id);
        }
    }
    let largest = |ids: &[NodeId]| {
        ids.iter().copied().max_by_key(|&id| (measure.letters(id), usize::MAX - id))
    };
    let main = largest(&mains).filter(|&id| measure.letters(id) > 0);
    let within =
        |id: NodeId, outer: NodeId| id == outer || dom.ancestors(id).any(|parent| parent == outer);
    let scope = main.unwrap_or(body);
    articles.retain(|&id| within(id, scope));
    articles.truncate(MOST_ARTICLES);
    let Some(article) = largest(&articles) else { return main };
    let (part, whole) = (measure.letters(article), measure.letters(scope).max(1));
    let others: usize = articles
        .iter()
        .filter(|&&other| !within(other, article) && !within(article, other))
        .map(|&other| measure.letters(other))
        .sum();
    let heading_outside =
        first(dom, scope, dropped, |id| dom.is(id, &["h1"]) && measure.letters(id) > 0)
            .is_some_and(|heading| !within(heading, article));
    let alone = others * 5 < part;
    if main.is_some() {
        // The rest of `main` beside one article is mostly what leads on.
        return if part * 100 / whole >= 60 && alone && !heading_outside {
            Some(article)
        } else {
            main
        };
    }
    if alone {
        return Some(article);
    }
    // Several texts of the same kind: what holds them all.
    let holder = dom.ancestors(article).find(|&outer| {
        articles
            .iter()
            .filter(|&&other| within(other, outer))
            .map(|&other| measure.letters(other))
            .sum::<usize>()
            >= (part + others) * 9 / 10
    });
    holder.or(Some(body))
}

/// Drops blocks of short links from a page without declared content, unless that is what the page is.
fn prune_menus(dom: &Dom, body: NodeId, dropped: &mut [bool], measure: &Measure) {
    const HOLDERS: &[&str] = &[
        "div", "ul", "ol", "td", "table", "p", "center", "section", "tr", "dl", "font", "header",
        "form",
    ];
    let mut menus = Vec::new();
    let mut walk = dom.subtree(body);
    while let Some(id) = walk.next() {
        if dropped[id] || dom.is(id, &["pre", "code", "blockquote"]) {
            walk.leave(id);
        } else if dom.is(id, HOLDERS) && measure.is_menu_like(id) && !has_heading(dom, id) {
            menus.push(id);
            walk.leave(id);
        }
    }
    let total = measure.letters(body);
    let in_menus: usize = menus.iter().map(|&id| measure.letters(id)).sum();
    let left = total - in_menus.min(total);
    if left * 100 / total.max(1) < TOO_LITTLE || left < 200 {
        // A list of links: the first row of few of them may still be a menu.
        menus.retain(|&id| {
            is_strip(dom, id, measure) && measure.letters(id) * 100 / total.max(1) < 20
        });
    }
    for id in menus {
        dropped[id] = true;
    }
}

fn has_heading(dom: &Dom, id: NodeId) -> bool {
    dom.subtree(id).any(|below| dom.is(below, &["h1", "h2", "h3"]))
}

/// Whether links stand in one line, with marks between them.
fn is_strip(dom: &Dom, id: NodeId, measure: &Measure) -> bool {
    let plain: String = dom
        .subtree(id)
        .filter(|&text| !dom.ancestors(text).take(4).any(|parent| dom.is(parent, &["a"])))
        .filter_map(|text| dom.text(text))
        .collect();
    let marks = plain.chars().filter(|letter| "|·•/–-»>:[]".contains(*letter)).count();
    measure.links(id) >= 3
        && marks + 1 >= measure.links(id)
        && !plain.chars().any(char::is_alphanumeric)
}

/// Down to the innermost element that still holds nearly all text, so that what is left beside it is lost only if it
/// is next to nothing.
fn descend(dom: &Dom, body: NodeId, dropped: &[bool], measure: &Measure) -> NodeId {
    let mut here = body;
    loop {
        let inside = dom
            .children(here)
            .filter(|&child| !dropped[child])
            .max_by_key(|&child| measure.letters(child));
        match inside {
            Some(child)
                if dom.tag(child).is_some()
                    && measure.letters(child) == measure.letters(here)
                    && dom.is(child, &["div", "center", "section", "form", "font"]) =>
            {
                here = child;
            }
            _ => return here,
        }
    }
}

/// The page's heading, where the chosen part has none.
fn outer_heading(dom: &Dom, body: NodeId, root: NodeId, dropped: &[bool]) -> Option<NodeId> {
    if root == body || first(dom, root, dropped, |id| dom.is(id, &["h1"])).is_some() {
        return None;
    }
    let heading = first(dom, body, dropped, |id| dom.is(id, &["h1"]))?;
    let home = dom.subtree(heading).any(|link| {
        dom.attr(link, "href")
            .is_some_and(|href| matches!(href, "/" | "./" | "index.html" | "/index.html"))
    });
    (!home).then_some(heading)
}

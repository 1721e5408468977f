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

/// The letters in paragraphs above which a declared text is believed beside any number of others.
const A_LONG_TEXT: usize = 1_500;
/// Letters of a heading below which it may be the name of a section.
const A_NAME: usize = 30;
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
    let prose = measure.prose(body);
    let doubted = |id: NodeId| {
        let letters = measure.letters(id);
        letters < ENOUGH && letters * 100 / total < TOO_LITTLE
            // The articles of a page may be those it leads on to, with its own text beside them.
            || prose > ENOUGH
                && measure.prose(id) < A_LONG_TEXT
                && measure.prose(id) * 100 / prose < TOO_LITTLE
    };
    let root = match declared(dom, body, dropped, &measure) {
        Some(root) if !doubted(root) => root,
        declared => {
            if declared.is_some() {
                drop_teasers(dom, body, dropped, &measure);
            }
            prune_menus(dom, body, dropped, &measure);
            let kept = Measure::of(dom, dropped);
            densest(dom, body, dropped, &kept).unwrap_or_else(|| descend(dom, body, dropped, &kept))
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
    // A page has one; where there are several, the first that is not much smaller than another.
    let most = largest(&mains).map_or(0, |id| measure.letters(id));
    let main = mains.into_iter().find(|&id| measure.letters(id) * 4 >= most && most > 0);
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
            Some(widened(dom, article, scope, measure))
        } else {
            main
        };
    }
    if alone {
        return Some(widened(dom, article, scope, measure));
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

/// Drops the articles of a page that are only named there, by a heading that is a link.
fn drop_teasers(dom: &Dom, body: NodeId, dropped: &mut [bool], measure: &Measure) {
    const A_TEASER: usize = 15;
    let prose = measure.prose(body).max(1);
    let mut walk = dom.subtree(body);
    while let Some(id) = walk.next() {
        if dropped[id] {
            walk.leave(id);
        } else if dom.is(id, &["article"])
            && measure.prose(id) * 100 / prose < A_TEASER
            && dom.subtree(id).any(|heading| {
                dom.is(heading, &["h1", "h2", "h3", "h4", "h5", "h6"])
                    && (measure.link_share(heading) > 80
                        || dom.ancestors(heading).take(4).any(|outer| dom.is(outer, &["a"])))
            })
        {
            dropped[id] = true;
            walk.leave(id);
        }
    }
}

/// An article with the paragraphs around it that are no links: the lead, the line below the title.
fn widened(dom: &Dom, article: NodeId, scope: NodeId, measure: &Measure) -> NodeId {
    /// The letters that a lead and a title may always have.
    const A_LEAD: usize = 400;
    let (mut here, mut chosen) = (article, article);
    while let Some(outer) = dom.parent(here).filter(|&outer| outer != scope && outer != 0) {
        let more = measure.letters(outer).saturating_sub(measure.letters(here));
        let plain = measure.plain(outer).saturating_sub(measure.plain(here));
        let prose = measure.prose(outer).saturating_sub(measure.prose(here));
        if more > 0 {
            let is_text = prose > 0 && plain * 100 >= more * 70;
            let most = (measure.letters(article) * 40 / 100).max(A_LEAD);
            if !is_text || more > most {
                break;
            }
            chosen = outer;
        }
        here = outer;
    }
    chosen
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
        } else if dom.is(id, HOLDERS)
            && (measure.is_menu_like(id) || is_side_cell(dom, id, measure))
            && !has_heading(dom, id)
        {
            if !is_what_a_heading_announces(dom, id, dropped, measure) {
                menus.push(id);
            }
            walk.leave(id);
        }
    }
    let total = measure.letters(body);
    let in_menus: usize = menus.iter().map(|&id| measure.letters(id)).sum();
    let left = total - in_menus.min(total);
    if left * 100 / total.max(1) < TOO_LITTLE || left < 200 {
        // A list of links: the first row of few of them may still be a menu.
        menus.retain(|&id| {
            is_side_cell(dom, id, measure)
                || is_strip(dom, id, measure) && measure.letters(id) * 100 / total.max(1) < 20
        });
    }
    for id in menus {
        dropped[id] = true;
    }
}

/// Whether a cell holds links below each other and no more than labels for them, beside the cell with the text.
fn is_side_cell(dom: &Dom, id: NodeId, measure: &Measure) -> bool {
    /// The letters of a label.
    const A_LABEL: usize = 24;
    let links = measure.links(id);
    dom.is(id, &["td"])
        && links >= 2
        && measure.letters(id) / links <= A_LABEL
        && (measure.link_share(id) == 100
            || links >= 3
                && measure.link_share(id) >= 55
                && dom
                    .subtree(id)
                    .filter_map(|below| dom.text(below))
                    .all(|text| text.trim().chars().count() <= A_LABEL))
        && dom.subtree(id).any(|below| dom.is(below, &["br", "p", "li"]))
        && dom.parent(id).is_some_and(|row| measure.plain(row) > measure.letters(id) * 3)
}

/// Whether links stand right below a heading inside the text, whose content they are.
fn is_what_a_heading_announces(dom: &Dom, id: NodeId, dropped: &[bool], measure: &Measure) -> bool {
    /// Letters that the rest of a column has at least.
    const A_COLUMN: usize = 60;
    std::iter::successors(dom.previous_sibling(id), |&before| dom.previous_sibling(before))
        .find(|&before| !dropped[before] && measure.letters(before) > 0)
        .is_some_and(|before| dom.is(before, &["h2", "h3", "h4", "h5", "h6"]))
        && dom.parent(id).is_some_and(|column| {
            measure.plain(column) > A_COLUMN && has_heading_of_page(dom, column)
        })
}

fn has_heading_of_page(dom: &Dom, id: NodeId) -> bool {
    dom.subtree(id).any(|below| dom.is(below, &["h1"]))
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
    measure.links(id) >= 3 && marks >= 2 && !plain.chars().any(char::is_alphanumeric)
}

/// Down to the innermost element that still holds nearly all paragraphs, if the page is a text, and what is left out
/// is not: a good part of it would be links, and it has little else.
fn densest(dom: &Dom, body: NodeId, dropped: &[bool], measure: &Measure) -> Option<NodeId> {
    const NEARLY_ALL: usize = 88;
    const A_TEXT: usize = 800;
    let prose = measure.prose(body);
    if prose < A_TEXT || prose * 100 / measure.plain(body).max(1) < 50 {
        return None;
    }
    let mut here = body;
    while let Some(inside) = dom
        .children(here)
        .filter(|&child| !dropped[child] && dom.tag(child).is_some())
        .max_by_key(|&child| measure.prose(child))
        .filter(|&child| measure.prose(child) * 100 / prose >= NEARLY_ALL)
    {
        if !dom.is(
            inside,
            &["div", "center", "section", "form", "font", "table", "tbody", "tr", "td", "span"],
        ) {
            break;
        }
        here = inside;
    }
    // A row or a table by itself is no place to begin at.
    while dom.is(here, &["tr", "tbody", "table", "font", "span"]) {
        here = dom.parent(here)?;
    }
    let left_out = measure.plain(body).saturating_sub(measure.plain(here));
    (here != body && left_out * 100 / measure.plain(body).max(1) < 35).then_some(here)
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

/// Whether all words of a heading are in a link.
fn is_all_link(dom: &Dom, heading: NodeId) -> bool {
    dom.subtree(heading)
        .filter(|&below| dom.text(below).is_some_and(|text| !text.trim().is_empty()))
        .all(|below| dom.ancestors(below).take(6).any(|outer| dom.is(outer, &["a"])))
}

/// The page's heading, where the chosen part has none.
fn outer_heading(dom: &Dom, body: NodeId, root: NodeId, dropped: &[bool]) -> Option<NodeId> {
    if root == body || first(dom, root, dropped, |id| dom.is(id, &["h1"])).is_some() {
        return None;
    }
    // Not that of another text.
    let of_another = |id: NodeId| {
        dom.ancestors(id)
            .find(|&outer| dom.is(outer, &["article"]))
            .is_some_and(|outer| !dom.ancestors(root).any(|around| around == outer))
    };
    let heading = first(dom, body, dropped, |id| dom.is(id, &["h1"]) && !of_another(id))?;
    let home = dom.subtree(heading).any(|link| {
        dom.attr(link, "href")
            .is_some_and(|href| matches!(href, "/" | "./" | "index.html" | "/index.html"))
    });
    // The name of a section, linked to it, is not that of the page.
    let elsewhere = is_all_link(dom, heading)
        && dom
            .subtree(heading)
            .filter_map(|below| dom.text(below))
            .map(|text| text.trim().chars().count())
            .sum::<usize>()
            < A_NAME;
    (!home && !elsewhere).then_some(heading)
}

//! One page: parsed, cleaned, selected, written.

use std::borrow::Cow;

use url::Url;

use crate::clean::{self, Cleaning};
use crate::dom::{Dom, NodeId};
use crate::frames;
use crate::markdown::Writer;
use crate::select;
use crate::title;

/// What a page says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extract {
    /// What it is called; empty if it does not say.
    pub title: String,
    /// Its content as Markdown.
    pub markdown: String,
}

/// Letters below which a page with programs in it has not shown its content yet.
const NEXT_TO_NOTHING: usize = 120;
/// The same for pages whose frame is empty until a program fills it.
const SHELL: usize = 400;

/// A page without its content.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the page shows almost nothing without running its scripts")]
pub struct NeedsBrowser;

/// The content of a page. `address` is where it came from: links are completed by it.
///
/// # Errors
/// There is next to nothing to read, and scripts that would bring it.
pub fn html(page: &str, address: &Url) -> Result<Extract, NeedsBrowser> {
    let page = with_closed_title(page);
    let mut dom = Dom::parse(&page);
    let base = base_of(&dom, address);
    if let Some(without) = frames::without_frames(&dom) {
        dom = Dom::parse(&without);
    }
    let mut cleaning = Cleaning::new(&dom, clean::invisible(&dom));
    let visible = cleaning.dropped.clone();
    cleaning.run();
    let mut dropped = cleaning.dropped;
    let chosen = select::select(&dom, &mut dropped);
    let writer = Writer::new(&dom, &dropped, &base);
    let mut markdown = writer.write(chosen.heading, chosen.root);
    if markdown.trim().is_empty() {
        // Better everything that is seen than nothing.
        let body = dom.subtree(0).find(|&id| dom.is(id, &["body"])).unwrap_or(0);
        markdown = Writer::new(&dom, &visible, &base).write(None, body);
    }
    let heading = chosen.heading.or_else(|| first_heading(&dom, chosen.root, &dropped));
    let title = title::title(&dom, heading.map(|id| writer.plain_heading(id)).as_deref());
    let letters = markdown.chars().filter(|letter| !letter.is_whitespace()).count();
    if letters < NEXT_TO_NOTHING && runs_programs(&dom)
        || letters < SHELL && is_shell(&dom)
        || letters == 0
    {
        return Err(NeedsBrowser);
    }
    Ok(Extract { title, markdown })
}

/// The Markdown of a piece of HTML, all of it but what is invisible.
pub(crate) fn fragment(piece: &str, address: &Url) -> String {
    let dom = Dom::parse(piece);
    let dropped = clean::invisible(&dom);
    Writer::new(&dom, &dropped, address).write(None, 0)
}

/// A title that is never closed swallows the page, in browsers as well; here it ends where the next tag begins.
fn with_closed_title(page: &str) -> Cow<'_, str> {
    let lower = |text: &str, word: &str| {
        text.as_bytes()
            .windows(word.len())
            .position(|part| part.eq_ignore_ascii_case(word.as_bytes()))
    };
    let Some(open) = lower(page, "<title") else { return Cow::Borrowed(page) };
    let Some(inside) = page[open..].find('>').map(|end| open + end + 1) else {
        return Cow::Borrowed(page);
    };
    if lower(&page[inside..], "</title").is_some() {
        return Cow::Borrowed(page);
    }
    let end = page[inside..].find('<').map_or(page.len(), |end| inside + end);
    Cow::Owned(format!("{}</title>{}", &page[..end], &page[end..]))
}

pub(crate) fn base_of(dom: &Dom, address: &Url) -> Url {
    dom.subtree(0)
        .find(|&id| dom.is(id, &["base"]) && dom.attr(id, "href").is_some())
        .and_then(|id| dom.attr(id, "href"))
        .and_then(|href| address.join(href.trim()).ok())
        .filter(|base| matches!(base.scheme(), "http" | "https"))
        .unwrap_or_else(|| address.clone())
}

fn first_heading(dom: &Dom, root: NodeId, dropped: &[bool]) -> Option<NodeId> {
    let mut walk = dom.subtree(root);
    while let Some(id) = walk.next() {
        if dropped[id] {
            walk.leave(id);
        } else if dom.is(id, &["h1"]) {
            return Some(id);
        }
    }
    None
}

fn runs_programs(dom: &Dom) -> bool {
    dom.subtree(0).any(|id| {
        let data = dom
            .attr(id, "type")
            .is_some_and(|kind| kind.contains("json") || kind.contains("template"));
        dom.is(id, &["script"]) && !data
    })
}

/// Whether the page is an empty frame with a name that frameworks give it.
fn is_shell(dom: &Dom) -> bool {
    /// So many elements are looked at.
    const MOST_FRAMES: usize = 8;
    /// A frame with fewer has not been filled yet.
    const FEW_LETTERS: usize = 40;
    const FRAMES: &[&str] = &[
        "root",
        "app",
        "__next",
        "__nuxt",
        "react-root",
        "svelte",
        "gatsby",
        "___gatsby",
        "q-app",
        "app-root",
        "ember-app",
        "mount",
    ];
    // A page has one such frame, or a few; more of them are a trap for who reads.
    let frames = dom.subtree(0).filter(|&id| {
        dom.attr(id, "id").is_some_and(|name| FRAMES.contains(&name)) || dom.is(id, &["app-root"])
    });
    let is_program = |id| {
        dom.ancestors(id).take(4).any(|parent| dom.is(parent, &["script", "style", "noscript"]))
    };
    frames.take(MOST_FRAMES).any(|id| {
        let texts = dom.subtree(id).filter(|&below| !is_program(below));
        let letters = texts.filter_map(|below| dom.text(below)).flat_map(str::chars);
        letters.filter(|letter| !letter.is_whitespace()).take(FEW_LETTERS).count() < FEW_LETTERS
    }) && runs_programs(dom)
}

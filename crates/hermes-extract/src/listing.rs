//! Lists of links in pages: what a crawler follows, what a search page found.

use url::Url;

use crate::clean;
use crate::dom::{Dom, NodeId};
use crate::page::base_of;
use crate::title::collapsed;

/// One found page of a page of search results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedLink {
    /// The words of the link.
    pub title: String,
    /// Its target as it is written.
    pub href: String,
    /// The text about it.
    pub text: String,
    /// The class names around it, to tell advertisements from results.
    pub around: String,
}

/// The links with one class, each with the text of the next element with another class.
#[must_use]
pub fn listed_links(page: &str, link_class: &str, text_class: &str) -> Vec<ListedLink> {
    let dom = Dom::parse(page);
    let has = |id: NodeId, wanted: &str| {
        dom.attr(id, "class")
            .is_some_and(|classes| classes.split_ascii_whitespace().any(|class| class == wanted))
    };
    let words = |id: NodeId| {
        collapsed(&dom.subtree(id).filter_map(|below| dom.text(below)).collect::<String>())
    };
    let mut found: Vec<ListedLink> = Vec::new();
    for id in dom.subtree(0) {
        if has(id, link_class)
            && let Some(href) = dom.attr(id, "href")
        {
            let around = dom
                .ancestors(id)
                .filter_map(|outer| dom.attr(outer, "class"))
                .collect::<Vec<_>>()
                .join(" ");
            found.push(ListedLink {
                title: words(id),
                href: href.to_owned(),
                text: String::new(),
                around,
            });
        } else if has(id, text_class)
            && let Some(last) = found.last_mut()
            && last.text.is_empty()
        {
            last.text = words(id);
        }
    }
    found
}

/// A link of a page, complete, and its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageLink {
    /// Where it leads, without the place in the page.
    pub url: Url,
    /// What it says.
    pub text: String,
}

/// Every visible link of a page to another page, once, in order. Links that ask not to be followed are left out.
#[must_use]
pub fn page_links(page: &str, address: &Url) -> Vec<PageLink> {
    let dom = Dom::parse(page);
    let base = base_of(&dom, address);
    let hidden = clean::invisible(&dom);
    let mut seen = std::collections::HashSet::new();
    let mut links = Vec::new();
    let mut walk = dom.subtree(0);
    while let Some(id) = walk.next() {
        if hidden[id] {
            walk.leave(id);
            continue;
        }
        let kept =
            dom.attr(id, "rel").is_some_and(|rel| rel.to_ascii_lowercase().contains("nofollow"));
        let target = dom.attr(id, "href").filter(|_| dom.is(id, &["a"]) && !kept);
        let Some(mut url) = target.and_then(|href| base.join(href.trim()).ok()) else { continue };
        url.set_fragment(None);
        if matches!(url.scheme(), "http" | "https") && seen.insert(url.clone()) {
            let text =
                collapsed(&dom.subtree(id).filter_map(|below| dom.text(below)).collect::<String>());
            links.push(PageLink { url, text });
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_their_texts_and_what_is_around_them() {
        let page = "<div class='result result--ad'><a class='result__a' href='//x/1'>One <b>1</b></a><a class=result__snippet>first</a></div>\
                    <div class=result><a class='result__a x' href='/2'>Two</a></div>";
        let found = listed_links(page, "result__a", "result__snippet");
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[0].title.as_str(), found[0].text.as_str(), found[0].href.as_str()),
            ("One 1", "first", "//x/1")
        );
        assert!(found[0].around.contains("result--ad") && !found[1].around.contains("--ad"));
    }

    #[test]
    fn links_are_complete_unique_visible_and_willing() {
        let page = "<base href='/d/'><a href='a#x'>A</a><a href='a'>again</a><a rel=nofollow href=b>B</a>\
                    <a href='mailto:x@y'>m</a><div hidden><a href=trap>t</a></div><a href='https://o.example/?q=1'>O</a>";
        let found = page_links(page, &Url::parse("https://s.example/p").unwrap());
        let urls: Vec<&str> = found.iter().map(|link| link.url.as_str()).collect();
        assert_eq!(urls, ["https://s.example/d/a", "https://o.example/?q=1"]);
    }
}

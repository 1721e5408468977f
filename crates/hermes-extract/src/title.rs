//! What a page is called.

use crate::dom::{Dom, NodeId};

/// The title: the first heading of the content when the page's title holds it, else what the page tells social
/// networks, else its title, else any heading.
pub(crate) fn title(dom: &Dom, heading: Option<&str>) -> String {
    let named = dom
        .subtree(0)
        .find(|&id| {
            dom.is(id, &["title"]) && !dom.ancestors(id).any(|parent| dom.is(parent, &["svg"]))
        })
        .map(|id| {
            collapsed(&dom.subtree(id).filter_map(|below| dom.text(below)).collect::<String>())
        })
        .filter(|title| !title.is_empty());
    let heading = heading.map(collapsed).filter(|heading| !heading.is_empty());
    if let (Some(heading), Some(named)) = (&heading, &named)
        && folded(named).contains(&folded(heading))
    {
        return heading.clone();
    }
    meta(dom, "og:title")
        .or(named)
        .or_else(|| meta(dom, "twitter:title"))
        .or(heading)
        .unwrap_or_default()
}

fn meta(dom: &Dom, wanted: &str) -> Option<String> {
    let named = |id: NodeId, attribute: &str| {
        dom.attr(id, attribute).is_some_and(|name| name.trim().eq_ignore_ascii_case(wanted))
    };
    let id = dom
        .subtree(0)
        .find(|&id| dom.is(id, &["meta"]) && (named(id, "property") || named(id, "name")))?;
    Some(collapsed(dom.attr(id, "content")?)).filter(|title| !title.is_empty())
}

/// Runs of white space as one blank, none at the ends.
pub(crate) fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// For comparing: pages write the same title with other quotes and dashes in other places.
fn folded(text: &str) -> String {
    text.chars()
        .filter_map(|letter| match letter {
            '’' | '‘' | '`' => Some('\''),
            '“' | '”' => Some('"'),
            '–' | '—' => Some('-'),
            '\u{ad}' | '\u{200b}' => None,
            other => Some(other),
        })
        .flat_map(char::to_lowercase)
        .collect()
}

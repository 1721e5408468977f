//! Text for the eye that has a twin for the ear.
//!
//! Shops and recipes show `~~$60~~ $48` to the eye, hidden from screen readers, and put a sentence for those beside it that
//! nobody sees. Both carry a mark of being hidden; what is shown is the first.

use super::{Dom, NodeId, hidden_by_class};

/// Nodes of an element that are looked at.
const MOST_INSIDE: usize = 12;

/// Whether an element that is hidden from screen readers stands beside the words they read instead of it: those say at
/// least one word of it as well.
pub(super) fn stands_for_spoken_words(dom: &Dom, id: NodeId) -> bool {
    let is_icon = dom
        .attr(id, "class")
        .is_some_and(|classes| classes.contains("icon") || classes.contains("symbol"));
    if is_icon {
        return false;
    }
    let shown: String = text_of(dom, id);
    let mut words = shown
        .split(|letter: char| !letter.is_alphanumeric() && !".,".contains(letter))
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .peekable();
    if words.peek().is_none() {
        return false;
    }
    let beside = |next: fn(&Dom, NodeId) -> Option<NodeId>| {
        std::iter::successors(next(dom, id), move |&other| next(dom, other))
            .find(|&other| dom.tag(other).is_some())
    };
    let spoken: String = [beside(Dom::previous_sibling), beside(Dom::next_sibling)]
        .into_iter()
        .flatten()
        .flat_map(|other| dom.subtree(other).take(MOST_INSIDE))
        .filter(|&other| is_spoken(dom, other))
        .map(|other| text_of(dom, other))
        .collect();
    words.any(|word| spoken.contains(word))
}

fn is_spoken(dom: &Dom, id: NodeId) -> bool {
    dom.attr(id, "class").is_some_and(|classes| {
        hidden_by_class(classes)
            && classes.split_ascii_whitespace().any(|class| {
                class.contains("sr") || class.contains("screen") || class.contains("visually")
            })
    })
}

fn text_of(dom: &Dom, id: NodeId) -> String {
    dom.subtree(id).take(MOST_INSIDE).filter_map(|below| dom.text(below)).collect()
}

#[cfg(test)]
mod tests {
    use crate::page;

    fn markdown(page: &str) -> String {
        page::html(page, &url::Url::parse("https://site.example/").unwrap()).unwrap().markdown
    }

    #[test]
    fn a_price_shown_to_the_eye_only_is_kept() {
        let page = "<p><del aria-hidden=\"true\">$60</del> <span class=\"screen-reader-text\">Was: $60.</span>\
            <ins aria-hidden=\"true\">$48</ins><span class=\"screen-reader-text\">Is: $48.</span></p>";
        assert_eq!(markdown(page), "~~$60~~ $48");
    }

    #[test]
    fn marks_and_hidden_words_without_a_twin_stay_hidden() {
        let page = "<p>Left <span aria-hidden=\"true\">×</span><span class=\"sr-only\">Close</span> \
            <span aria-hidden=\"true\">nobody reads this</span></p>";
        assert_eq!(markdown(page), "Left");
    }
}

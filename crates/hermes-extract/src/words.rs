//! Words by which pages name what surrounds their content.
//!
//! Class and id names are cut into words (`relatedPosts__list-item` is `related posts list item`) and compared one by one,
//! never by substring: `thread` holds `ad` and `header` holds `head`.

use crate::dom::{Dom, NodeId};

/// Blocks with such a word are not content, whatever they look like inside.
const ALWAYS: &[&str] = &[
    "ad",
    "ads",
    "adbox",
    "adsbygoogle",
    "adslot",
    "adunit",
    "advert",
    "advertisement",
    "advertisements",
    "advertising",
    "adverts",
    "addthis",
    "addtoany",
    "ambox",
    "backlink",
    "backlinks",
    "backtotop",
    "breadcrumb",
    "breadcrumbs",
    "catlinks",
    "ccpa",
    "consent",
    "cookie",
    "cookiebanner",
    "cookiebar",
    "cookies",
    "crumbs",
    "disqus",
    "dfp",
    "editsection",
    "gdpr",
    "jumplink",
    "mailchimp",
    "masthead",
    "mostread",
    "navbar",
    "navbox",
    "navigation",
    "newsletter",
    "newsletters",
    "noprint",
    "onetrust",
    "outbrain",
    "pager",
    "pagination",
    "paginator",
    "paywall",
    "popup",
    "printfooter",
    "promo",
    "promobox",
    "promos",
    "recommendation",
    "recommendations",
    "recommended",
    "related",
    "relatedposts",
    "scrolltop",
    "sharebar",
    "sharedaddy",
    "sharethis",
    "sharing",
    "sidebar",
    "sidenav",
    "signup",
    "sistersitebox",
    "sitenav",
    "skiplink",
    "skiplinks",
    "sociable",
    "social",
    "socials",
    "sponsor",
    "sponsored",
    "sponsors",
    "subscribe",
    "taboola",
    "teasers",
    "toc",
    "topbar",
    "trending",
    "upsell",
    "crosssell",
    "siteheader",
    "sitefooter",
    "cta",
    "shariff",
    "shareblock",
    "sharebuttons",
    "sharebox",
    "socialshare",
    "respond",
    "commentform",
    "megamenu",
    "subnav",
    "mainnav",
    "topnav",
    "bottomnav",
    "footernav",
    "metanav",
    "nextstory",
    "prevnext",
    "postnav",
    "pagenav",
    "pagenavi",
    "tagcloud",
    "likebox",
];

/// Blocks with such a word are not content if they are mostly links or hold next to nothing.
const IF_THIN: &[&str] = &[
    "dropdown",
    "languages",
    "interlanguage",
    "byline-share",
    "pages",
    "actions",
    "banner",
    "buttons",
    "categories",
    "controls",
    "footer",
    "header",
    "menu",
    "menus",
    "nav",
    "navi",
    "promotion",
    "share",
    "shares",
    "skip",
    "subscription",
    "tabs",
    "tags",
    "tablist",
    "toolbar",
    "tools",
    "topics",
    "utility",
    "widget",
    "widgets",
    "permalink",
    "clipboard",
    "popular",
    "suggested",
    "suggestions",
    "similar",
    "also",
    "rating-input",
    "login",
    "follow",
];

/// Words that make the next one say the opposite, or something of the whole page.
const TURNING: &[&str] = &["has", "with", "no", "is", "not", "without", "hide", "non"];

/// Words of notes inside a text, which the element `aside` is used for as well.
const NOTE: &[&str] = &[
    "admonition",
    "alert",
    "aside",
    "callout",
    "caution",
    "danger",
    "definition",
    "example",
    "factbox",
    "footnote",
    "footnotes",
    "hint",
    "important",
    "info",
    "infobox",
    "note",
    "notice",
    "pullquote",
    "quote",
    "sidenote",
    "summary",
    "tip",
    "warning",
    "keyfacts",
    "facts",
];

/// Classes that put text out of sight for everybody but screen readers, by convention.
const UNSEEN: &[&str] = &[
    "hidden",
    "d-none",
    "is-hidden",
    "u-hidden",
    "sr-only",
    "visually-hidden",
    "visuallyhidden",
    "visuallyHidden",
    "screen-reader-text",
    "screen-reader-only",
    "screenreader",
    "a11y-hidden",
    "offscreen",
    "off-screen",
    "invisible",
    "element-invisible",
    "assistive-text",
    "hide",
    "display-none",
    "sr_only",
    "uk-hidden",
    "hidden-visually",
    "u-visually-hidden",
    "print-only",
    "only-print",
    "visible-print",
];

/// The words of an element's class and id, lower-case.
pub(crate) fn words(dom: &Dom, id: NodeId) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for attribute in ["class", "id"] {
        let Some(value) = dom.attr(id, attribute) else { continue };
        let mut word = String::new();
        let mut before_lower = false;
        for letter in value.chars() {
            let boundary = letter.is_uppercase() && before_lower;
            if (!letter.is_alphanumeric() || boundary) && !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            if letter.is_alphanumeric() {
                word.extend(letter.to_lowercase());
            }
            before_lower = letter.is_lowercase();
            if letter.is_whitespace() {
                words.push(String::new());
            }
        }
        words.push(word);
        words.push(String::new());
    }
    words
}

/// What the names of an element say about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Naming {
    Plain,
    /// Not content if it is thin.
    Doubtful,
    /// Not content.
    Surrounding,
}

/// Judges class and id.
pub(crate) fn naming(words: &[String]) -> Naming {
    let mut worst = Naming::Plain;
    let (mut before, mut earlier) = ("", "");
    for (at, word) in words.iter().enumerate() {
        let after = words.get(at + 1).map_or("", String::as_str);
        // `with-sidebar` has one, `anchorWithStickyNavbar` stands beside one.
        let turned = TURNING.contains(&before) || earlier == "with" || after == "not";
        if !turned {
            if ALWAYS.contains(&word.as_str()) || pair(word, after) {
                worst = worst.max(Naming::Surrounding);
            } else if IF_THIN.contains(&word.as_str()) {
                worst = worst.max(Naming::Doubtful);
            }
        }
        (earlier, before) = (before, word);
    }
    worst
}

/// Whether the names are those of questions about cookies, which may be long.
pub(crate) fn is_about_consent(words: &[String]) -> bool {
    const SAYS: &[&str] =
        &["cookie", "cookies", "cookiebanner", "cookiebar", "consent", "gdpr", "ccpa", "onetrust"];
    words.iter().any(|word| SAYS.contains(&word.as_str()))
}

/// Whether blocks of these names are no content even if they read like text; others (`social-scroll`, `toc-section`) may be
/// named after something that is only beside their text.
pub(crate) fn is_about_leading_on(words: &[String]) -> bool {
    const BESIDE_TEXT: &[&str] = &[
        "toc",
        "sharing",
        "social",
        "socials",
        "paywall",
        "masthead",
        "pager",
        "promo",
        "sponsor",
        "sponsors",
        "sponsored",
        "ad",
        "ads",
        "navigation",
        "noprint",
    ];
    words
        .iter()
        .any(|word| ALWAYS.contains(&word.as_str()) && !BESIDE_TEXT.contains(&word.as_str()))
}

/// Two words that say it only together.
fn pair(one: &str, other: &str) -> bool {
    matches!(
        (one, other),
        ("skip", "link" | "links" | "to" | "nav" | "content")
            | ("table", "contents")
            | ("edit", "section" | "page" | "link" | "this")
            | ("back", "top")
            | ("most", "read" | "popular")
            | ("read", "next" | "also")
            | (
                "share",
                "buttons"
                    | "bar"
                    | "links"
                    | "tools"
                    | "this"
                    | "icons"
                    | "row"
                    | "block"
                    | "box"
                    | "list"
                    | "article"
            )
            | ("site", "header" | "footer" | "nav" | "menu")
            | ("page" | "global" | "main" | "top", "footer" | "nav" | "menu")
            | ("you", "may" | "might")
            | ("also", "like" | "bought" | "viewed" | "read")
            | ("mailing", "list")
            | ("comment", "form" | "respond" | "reply" | "rules")
            | ("tag", "cloud")
            | ("mega", "menu" | "nav")
            | ("next" | "previous", "post" | "story" | "article")
            | ("sub", "nav" | "menu" | "navigation")
            | ("sign", "up")
            | ("on", "page")
            | (
                "popular" | "recent" | "latest" | "similar" | "suggested",
                "posts" | "articles" | "stories" | "news" | "products" | "items" | "topics"
            )
            | ("post" | "page" | "pagination", "nav" | "pager")
            | ("cross", "sell")
            | ("tracking", "pixel" | "code" | "beacon")
            | ("post", "feeds")
            | ("copy", "button" | "btn" | "link" | "code" | "path" | "icon" | "url")
            | ("cat" | "tags", "links")
            | ("lang" | "language", "selector" | "switcher" | "picker")
            | ("mw", "jump" | "indicators")
            | ("cookie", _)
    )
}

/// Whether the names say that a block is a note inside a text.
pub(crate) fn is_note(words: &[String]) -> bool {
    words.iter().any(|word| NOTE.contains(&word.as_str()))
}

/// Whether a class hides by convention, and none beside it shows again on wider screens.
pub(crate) fn hidden_by_class(classes: &str) -> bool {
    let unseen = classes.split_ascii_whitespace().any(|class| UNSEEN.contains(&class));
    unseen
        && !classes.split_ascii_whitespace().any(|class| {
            let shows = ["block", "flex", "grid", "inline", "table", "visible", "not-sr-only"];
            class
                .split_once(':')
                .is_some_and(|(_, what)| shows.iter().any(|show| what.starts_with(show)))
                || class.starts_with("d-")
                    && class.split('-').count() > 2
                    && shows.iter().any(|show| class.ends_with(show))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(class: &str) -> Naming {
        let dom = Dom::parse(&format!("<div class=\"{class}\">"));
        let id = dom.subtree(0).find(|&id| dom.is(id, &["div"])).unwrap();
        naming(&words(&dom, id))
    }

    #[test]
    fn names_are_read_word_by_word() {
        for class in [
            "related-posts",
            "relatedPosts",
            "article__related",
            "ad",
            "ad-slot",
            "cookie-banner",
            "SiteHeader site-header",
            "skip-link",
        ] {
            assert_eq!(of(class), Naming::Surrounding, "{class}");
        }
        for class in [
            "thread",
            "header-less",
            "has-sidebar",
            "no-sidebar layout",
            "content",
            "shadow",
            "loading",
            "page-with-sidebar",
            "anchor anchorWithStickyNavbar_LWe7",
            "comment-copy",
            "text-22 -tracking-1 leading-150",
        ] {
            assert!(of(class) < Naming::Surrounding, "{class}");
        }
        assert_eq!(of("main-menu"), Naming::Surrounding);
        assert_eq!(of("menu"), Naming::Doubtful);
    }

    #[test]
    fn classes_that_hide_may_be_taken_back_for_wider_screens() {
        assert!(hidden_by_class("x sr-only"));
        assert!(hidden_by_class("hidden"));
        assert!(!hidden_by_class("hidden md:block"));
        assert!(!hidden_by_class("d-none d-md-block"));
        assert!(!hidden_by_class("overflow-hidden"));
    }
}

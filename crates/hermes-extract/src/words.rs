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
    "tracking",
    "siteheader",
    "sitefooter",
];

/// Blocks with such a word are not content if they are mostly links or hold next to nothing.
const IF_THIN: &[&str] = &[
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
    "copy",
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

/// Headings of blocks that lead elsewhere: as a whole, or (with `…`) at the beginning.
const HEADINGS: &[&str] = &[
    "related",
    "related articles",
    "related stories",
    "related posts",
    "related content",
    "related news",
    "related links",
    "related reading",
    "related products",
    "related items",
    "related questions",
    "related recipes",
    "related pages",
    "related topics",
    "related videos",
    "related coverage",
    "you may also like…",
    "you might also like…",
    "you might like…",
    "you may like…",
    "you might also enjoy…",
    "you may also enjoy…",
    "more from …",
    "more on this story",
    "more stories",
    "more articles",
    "more news",
    "more like this",
    "more posts",
    "more recipes…",
    "more in …",
    "more reading",
    "recommended",
    "recommended for you",
    "recommended reading",
    "recommended articles",
    "recommended stories",
    "recommended products",
    "read next",
    "up next",
    "what to read next",
    "keep reading",
    "continue reading",
    "read more",
    "most read",
    "most popular",
    "most viewed",
    "popular posts",
    "popular articles",
    "popular now",
    "popular stories",
    "trending",
    "trending now",
    "trending stories",
    "latest news",
    "latest stories",
    "latest posts",
    "latest articles",
    "recent posts",
    "recent articles",
    "share this…",
    "share",
    "share article",
    "share on…",
    "spread the word",
    "follow us…",
    "follow us on…",
    "newsletter",
    "our newsletter",
    "subscribe",
    "subscribe to …",
    "sign up for…",
    "sign up",
    "stay up to date",
    "stay informed",
    "stay in the loop",
    "join our newsletter",
    "get our newsletter",
    "get the newsletter",
    "advertisement",
    "advertisements",
    "sponsored",
    "sponsored content",
    "sponsored links",
    "sponsored stories",
    "promoted",
    "promoted stories",
    "customers also bought",
    "customers also viewed",
    "customers also liked",
    "customers who …",
    "frequently bought together",
    "people also …",
    "similar products",
    "similar items",
    "similar questions",
    "similar topics",
    "similar articles",
    "suggested topics",
    "suggested articles",
    "suggested reading",
    "on this page",
    "in this article",
    "in this section",
    "table of contents",
    "contents",
    "page contents",
    "navigation menu",
    "site navigation",
    "navigation",
    "menu",
    "leave a comment",
    "leave a reply",
    "post a comment",
    "add a comment",
    "join the conversation",
    "hot network questions",
    "editors' picks",
    "editor's picks",
    "editors’ picks",
    "editor’s picks",
    "don't miss",
    "don’t miss",
    "from around the web",
    "around the web",
    "explore more",
    "cookie settings",
    "cookies",
    "we use cookies",
    "your privacy",
    "we value your privacy",
    "cookie preferences",
    "privacy preferences",
    "download our app",
    "get the app",
    "who viewed this…",
    "recently viewed…",
    "you recently viewed",
    "was this page helpful?",
    "was this helpful?",
    "was this article helpful?",
];

/// What links and buttons say that do something instead of leading to content.
const ACTIONS: &[&str] = &[
    "share",
    "tweet",
    "reply",
    "quote",
    "report",
    "like",
    "upvote",
    "downvote",
    "edit",
    "print",
    "email",
    "e-mail",
    "save",
    "follow",
    "subscribe",
    "facebook",
    "twitter",
    "x",
    "linkedin",
    "whatsapp",
    "telegram",
    "reddit",
    "pinterest",
    "mastodon",
    "bluesky",
    "copy link",
    "copy",
    "log in",
    "login",
    "sign in",
    "sign up",
    "register",
    "bookmark",
    "flag",
    "permalink",
    "link",
    "back to top",
    "top",
    "go to top",
    "return to top",
    "to top",
    "↑ top",
    "^ top",
    "skip to content",
    "skip to main content",
    "skip to navigation",
    "jump to content",
    "jump to navigation",
    "jump to search",
    "jump to",
    "read more",
    "continue reading",
    "read more »",
    "read more →",
    "add to cart",
    "add to basket",
    "add to bag",
    "buy now",
    "add to wishlist",
    "share on facebook",
    "share on twitter",
    "share on x",
    "share on linkedin",
    "share via email",
    "edit this page",
    "edit on github",
    "edit this page on github",
    "improve this page",
    "view source",
    "report an issue",
    "give feedback",
    "suggest an edit",
    "suggest edits",
    "view history",
    "history",
    "purge",
    "cite",
    "download as pdf",
    "printable version",
    "previous",
    "next",
    "prev",
    "previous page",
    "next page",
    "older",
    "newer",
    "older posts",
    "newer posts",
    "«",
    "»",
    "‹",
    "›",
    "←",
    "→",
    "first",
    "last",
    "load more",
    "show more",
    "view all",
    "see all",
    "close",
    "accept",
    "accept all",
    "reject",
    "reject all",
    "decline",
    "manage preferences",
    "dismiss",
    "menu",
    "search",
    "home",
    "toggle navigation",
    "pocket",
    "hacker news",
    "flipboard",
    "tumblr",
    "hide",
    "parent",
    "context",
    "unread",
    "mark as solution",
    "give award",
    "award",
    "view profile",
    "pm",
    "www",
    "profile",
    "find",
    "save for later",
    "compare",
    "jump to comments",
    "leave a comment",
    "comments",
    "comment",
    "subscribe now",
    "get started",
    "listen",
    "pause",
    "copy code",
    "expand",
    "collapse",
    "skip",
];

/// Blocks that say nothing but this.
const LABELS: &[&str] = &[
    "advertisement",
    "advertisements",
    "sponsored",
    "ad",
    "anzeige",
    "werbung",
    "publicité",
    "publicidad",
    "advertisement - continue reading below",
    "story continues below advertisement",
    "article continues below advertisement",
    "article continues after advertisement",
    "continue reading below",
    "sponsored content",
    "promoted",
    "loading…",
    "loading...",
    "loading",
    "skip advertisement",
    "advertise with us",
    "ad feedback",
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
    let mut before = "";
    for (at, word) in words.iter().enumerate() {
        let after = words.get(at + 1).map_or("", String::as_str);
        let turned = TURNING.contains(&before) || after == "not";
        if !turned {
            if ALWAYS.contains(&word.as_str()) || pair(word, after) {
                worst = worst.max(Naming::Surrounding);
            } else if IF_THIN.contains(&word.as_str()) {
                worst = worst.max(Naming::Doubtful);
            }
        }
        before = word;
    }
    worst
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
            | ("sign", "up")
            | ("on", "page")
            | (
                "popular" | "recent" | "latest" | "similar" | "suggested",
                "posts" | "articles" | "stories" | "news" | "products" | "items" | "topics"
            )
            | ("post" | "page" | "pagination", "nav" | "pager")
            | ("cross", "sell")
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

/// Whether a heading opens a block that leads elsewhere.
pub(crate) fn is_surrounding_heading(text: &str) -> bool {
    let text = text.trim().trim_end_matches([':', '…', '.', '!']).to_lowercase();
    HEADINGS.iter().any(|known| match known.strip_suffix('…') {
        Some(start) => text.starts_with(start),
        None => *known == text,
    })
}

/// Whether a link or button only does something.
pub(crate) fn is_action(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    let bare =
        text.trim_matches(|letter: char| !letter.is_alphanumeric() && !"«»‹›←→".contains(letter));
    ACTIONS.contains(&text.as_str())
        || ACTIONS.contains(&bare)
        || text.parse::<u32>().is_ok_and(|page| page < 1_000)
        || bare.is_empty()
}

/// Whether a whole block is a label of something that is not content.
pub(crate) fn is_label(text: &str) -> bool {
    LABELS.contains(&text.trim().trim_end_matches(':').to_lowercase().as_str())
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

//! What of a page is not content: decided by element, by what is invisible, by roles and names, by headings.
//!
//! Everything here only marks nodes; the tree stays as it is. Names decide nothing about a block that holds much of the
//! page's text: somebody calls the whole column `sidebar-layout`, and a wrong guess there would lose the page. What is
//! lost by caution is a little noise.

mod fields;
mod spoken;

use crate::dom::{Dom, NodeId};
use crate::measure::Measure;
use crate::phrases::{is_action, is_label, is_question_to_the_reader, is_surrounding_heading};
use crate::style::Sheet;
use crate::words::{
    Naming, hidden_by_class, is_about_consent, is_about_leading_on, is_note, naming, words,
};

/// Elements whose inside is no text of the page.
const NEVER: &[&str] = &[
    "script", "style", "template", "noscript", "iframe", "svg", "object", "embed", "canvas",
    "audio", "video", "input", "select", "textarea", "datalist", "option", "optgroup", "progress",
    "meter", "head", "link", "meta", "noframes", "noembed", "map", "applet", "param", "source",
    "track", "area", "dialog", "frame",
];
/// Roles of what surrounds the content.
const ROLES: &[&str] = &[
    "navigation",
    "banner",
    "contentinfo",
    "search",
    "dialog",
    "alertdialog",
    "menu",
    "menubar",
    "toolbar",
    "tablist",
    "tooltip",
    "button",
    "searchbox",
    "combobox",
    "listbox",
    "switch",
];
/// Elements that names may speak about.
const BLOCKS: &[&str] = &[
    "div",
    "section",
    "aside",
    "ul",
    "ol",
    "nav",
    "header",
    "footer",
    "form",
    "p",
    "table",
    "td",
    "tr",
    "tbody",
    "li",
    "figure",
    "dl",
    "article",
    "center",
    "details",
    "fieldset",
    "blockquote",
    "hr",
];
/// The part of a page's text, in hundredths, above which a block is not dropped for its name.
const TOO_MUCH: usize = 40;
/// The letters up to which a block counts as thin.
const THIN: usize = 60;

/// What lines about rights say.
const RIGHTS: &[&str] = &[
    "all rights reserved",
    "alle rechte vorbehalten",
    "tous droits réservés",
    "todos los derechos reservados",
    "tutti i diritti riservati",
    "todos os direitos reservados",
    "alle rechten voorbehouden",
];

/// Marks what is not content.
pub(crate) struct Cleaning<'d> {
    dom: &'d Dom,
    pub(crate) dropped: Vec<bool>,
}

/// Marks what nobody sees. The rest is what a reader has before him.
pub(crate) fn invisible(dom: &Dom) -> Vec<bool> {
    let sheet = Sheet::of(dom);
    let mut dropped = vec![false; dom.len()];
    let mut by_looks = Vec::new();
    let mut walk = dom.subtree(0);
    while let Some(id) = walk.next() {
        let Some(tag) = dom.tag(id) else { continue };
        if tag == "math" {
            walk.leave(id);
            continue;
        }
        let hidden = hiding(dom, &sheet, id, tag);
        if is_never(dom, id, tag) || hidden.is_some() {
            dropped[id] = true;
            walk.leave(id);
            if let Some(hidden) = hidden.filter(|hidden| *hidden != Hiding::Declared) {
                by_looks.push((id, hidden));
            }
        }
    }
    show_the_unrevealed(dom, &mut dropped, &by_looks);
    dropped
}

/// What says that an element is not to be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hiding {
    /// The element itself.
    Declared,
    /// A name that does so by convention.
    Name,
    /// Styles.
    Style,
}

/// Some pages hide their whole content until a program has run, or use names of their own in another sense. What holds
/// by far most of the text is shown, unless it is called like something that lies above a page.
fn show_the_unrevealed(dom: &Dom, dropped: &mut [bool], by_looks: &[(NodeId, Hiding)]) {
    const LYING_ABOVE: &[&str] = &[
        "overlay",
        "modal",
        "popup",
        "popover",
        "dialog",
        "lightbox",
        "menu",
        "nav",
        "navigation",
        "drawer",
        "offcanvas",
        "search",
        "tooltip",
    ];
    /// Less text is not worth the risk.
    const LEAST: usize = 500;
    if by_looks.is_empty() {
        return;
    }
    let visible = Measure::of(dom, dropped).prose(0);
    let mut shown = dropped.to_vec();
    for &(id, _) in by_looks {
        shown[id] = false;
    }
    let measure = Measure::of(dom, &shown);
    for &(id, hidden) in by_looks {
        let prose = measure.prose(id);
        let most = match hidden {
            Hiding::Name => prose > visible,
            Hiding::Declared | Hiding::Style => prose > visible.saturating_mul(3),
        };
        let named = words(dom, id);
        if most
            && prose > LEAST
            && measure.link_share(id) < 40
            && !is_about_consent(&named)
            && !named.iter().any(|word| LYING_ABOVE.contains(&word.as_str()))
        {
            dropped[id] = false;
        }
    }
}

fn is_never(dom: &Dom, id: NodeId, tag: &str) -> bool {
    match tag {
        // A box to tick at the beginning of a point says whether it is done.
        "input" => {
            let is_task = dom.attr(id, "disabled").is_some()
                || dom.attr(id, "checked").is_some()
                || dom.ancestors(id).take(4).chain([id]).any(|around| {
                    dom.attr(around, "class").is_some_and(|classes| classes.contains("task"))
                });
            !is_task
                || dom.attr(id, "type").is_none_or(|kind| !kind.eq_ignore_ascii_case("checkbox"))
                || !dom
                    .ancestors(id)
                    .take(3)
                    .find(|&parent| !dom.is(parent, &["p", "label"]))
                    .is_some_and(|parent| dom.is(parent, &["li"]))
        }
        // The heading of a block that folds is often a button; one beside the words of a heading does something.
        "button" if dom.children(id).any(|child| dom.is(child, &["p"])) => false,
        "button" => !dom.ancestors(id).take(2).any(|parent| {
            (dom.is(parent, &["h1", "h2", "h3", "h4", "h5", "h6", "summary", "dt"])
                || dom.attr(parent, "role") == Some("heading"))
                && !dom.children(parent).any(|beside| {
                    dom.text(beside).is_some_and(|text| text.chars().any(char::is_alphanumeric))
                })
        }),
        "dialog" => dom.attr(id, "open").is_none(),
        custom if custom.contains("-copy") || custom.contains("copy-") => true,
        tag => NEVER.contains(&tag),
    }
}

fn hiding(dom: &Dom, sheet: &Sheet, id: NodeId, tag: &str) -> Option<Hiding> {
    if matches!(tag, "html" | "body") {
        return None;
    }
    let formula = tag == "mjx-assistive-mml" || dom.attr(id, "class").is_some_and(is_formula);
    if formula {
        return None;
    }
    if dom.attr(id, "hidden").is_some_and(|value| !value.eq_ignore_ascii_case("until-found")) {
        return Some(Hiding::Declared);
    }
    if dom.attr(id, "aria-hidden").is_some_and(|value| value.eq_ignore_ascii_case("true"))
        && !spoken::stands_for_spoken_words(dom, id)
    {
        return Some(Hiding::Declared);
    }
    if dom.attr(id, "class").is_some_and(hidden_by_class) {
        return Some(Hiding::Name);
    }
    sheet.looks_of(dom, id).hides().then_some(Hiding::Style)
}

/// Wrappers that hide the readable form of a formula behind a drawn one.
fn is_formula(classes: &str) -> bool {
    classes.split_ascii_whitespace().any(|class| {
        class.starts_with("mwe-math-mathml")
            || class == "katex-mathml"
            || class == "mjx-assistive-mml"
    })
}

impl<'d> Cleaning<'d> {
    /// Starts from what is invisible.
    pub(crate) fn new(dom: &'d Dom, dropped: Vec<bool>) -> Self {
        Self { dom, dropped }
    }

    /// Marks what surrounds the content.
    pub(crate) fn run(&mut self) {
        let measure = Measure::of(self.dom, &self.dropped);
        let total = measure.letters(0).max(1);
        self.by_names(&measure, total);
        self.headings_by_names(&measure);
        self.labels_of_fields();
        self.forms(&measure, total);
        let measure = Measure::of(self.dom, &self.dropped);
        self.by_headings(&measure, total);
        let measure = Measure::of(self.dom, &self.dropped);
        self.small_blocks(&measure);
    }

    fn by_names(&mut self, measure: &Measure, total: usize) {
        let mut walk = self.dom.subtree(0);
        while let Some(id) = walk.next() {
            let Some(tag) = self.dom.tag(id) else { continue };
            if self.dropped[id] || matches!(tag, "pre" | "code" | "math") {
                walk.leave(id);
                continue;
            }
            if self.surrounds(id, tag, measure, total) {
                self.dropped[id] = true;
                walk.leave(id);
            }
        }
    }

    fn surrounds(&self, id: NodeId, tag: &str, measure: &Measure, total: usize) -> bool {
        let dom = self.dom;
        let share = measure.letters(id) * 100 / total;
        if matches!(tag, "html" | "body" | "main" | "h1")
            || dom.attr(id, "role") == Some("main")
            || dom.attr(id, "itemprop") == Some("articleBody")
        {
            return false;
        }
        let role = dom.attr(id, "role").unwrap_or_default().to_ascii_lowercase();
        let named = words(dom, id);
        let much = share > TOO_MUCH && measure.plain(id) > 400
            || measure.prose(id) > 400
                && measure.prose(id) * 100 / measure.prose(0).max(1) > TOO_MUCH
                && !is_about_consent(&named);
        if dom.attr(id, "itemtype").is_some_and(|kind| kind.ends_with("/BreadcrumbList")) {
            return !much;
        }
        if tag == "nav"
            || ROLES.contains(&role.as_str()) && !(tag == "header" && self.holds_title(id))
        {
            return !much || measure.link_share(id) > 60;
        }
        match tag {
            "header" if self.is_page_level(id) && !self.holds_title(id) => return !much,
            "footer" if self.is_page_level(id) => return !much,
            "footer" if !self.inside(id, &["blockquote", "figure"]) && thin_footer(measure, id) => {
                return true;
            }
            "aside" if self.is_surrounding_aside(id, measure) => return !much,
            "div" | "section" | "ul"
                if role == "complementary" && self.is_surrounding_aside(id, measure) =>
            {
                return !much;
            }
            _ => {}
        }
        if named.is_empty() || matches!(tag, "h2" | "h3" | "h4" | "h5" | "h6") {
            return false;
        }
        let inline = !BLOCKS.contains(&tag);
        match naming(&named) {
            Naming::Plain => false,
            Naming::Surrounding if inline => self.is_small_extra(id, tag, &named, measure),
            Naming::Surrounding => {
                // What is named after its neighbour: the section of a table of contents, the text that buttons follow.
                let reads_like_text = measure.link_share(id) < 30
                    && !is_about_leading_on(&named)
                    && (measure.prose(id) > 300 || measure.prose(id) > 0 && holds_code(dom, id));
                !much && !reads_like_text && !self.has_main(id, measure)
            }
            Naming::Doubtful if inline => false,
            Naming::Doubtful => {
                let thin = measure.letters(id) <= THIN && !self.holds_heading(id)
                    || measure.link_share(id) >= 50 && measure.links(id) >= 2;
                thin && !much
                    && !self.holds_title(id)
                    && !holds_code(dom, id)
                    && !self.says_who_wrote(id, &named)
                    && !matches!(tag, "td" | "tr" | "table" | "tbody")
            }
        }
    }

    /// Whether a head or foot says who wrote a text, and when.
    fn says_who_wrote(&self, id: NodeId, named: &[String]) -> bool {
        const WHO: &[&str] = &["author", "byline", "username"];
        let dom = self.dom;
        let (mut who, mut when) = (false, false);
        for below in dom.subtree(id) {
            when |= dom.is(below, &["time", "relative-time"]);
            who |= dom.attr(below, "rel") == Some("author");
            if dom.attr(below, "class").is_some() {
                for word in words(dom, below) {
                    who |= WHO.contains(&word.as_str());
                    when |= word == "timestamp";
                }
            }
        }
        // Below a text stand words about its author as well, which nobody asked for.
        let is_named = |wanted: &str| named.iter().any(|word| word == wanted);
        is_named("header") && (who || when) || is_named("footer") && when
    }

    /// Inline elements only vanish where their name leaves no doubt.
    fn is_small_extra(&self, id: NodeId, tag: &str, named: &[String], measure: &Measure) -> bool {
        let sure = ["editsection", "backlink", "backlinks", "skiplink", "noprint"];
        if named.iter().any(|word| sure.contains(&word.as_str())) {
            return true;
        }
        let alone = self
            .dom
            .parent(id)
            .is_some_and(|parent| measure.letters(parent) == measure.letters(id));
        let edit = named
            .windows(2)
            .any(|two| matches!((two[0].as_str(), two[1].as_str()), ("skip", _) | ("edit", _)));
        tag == "span"
            && alone
            && measure.letters(id) > 0
            && !self.inside(id, &["p", "h1", "h2", "h3", "td", "th", "li"])
            || tag == "a" && edit
    }

    fn is_surrounding_aside(&self, id: NodeId, measure: &Measure) -> bool {
        let named = words(self.dom, id);
        if is_note(&named)
            || self
                .dom
                .attr(id, "role")
                .is_some_and(|role| matches!(role, "note" | "doc-footnote" | "doc-tip"))
        {
            return false;
        }
        if !self.inside(id, &["article", "main"]) && !self.inside_main_role(id) {
            return true;
        }
        measure.link_share(id) >= 40 || measure.letters(id) < 20
    }

    /// Whether nothing of a text's own structure is around an element.
    fn is_page_level(&self, id: NodeId) -> bool {
        !self.inside(id, &["article", "main", "section", "figure", "blockquote"])
            && !self.inside_main_role(id)
    }

    fn inside_main_role(&self, id: NodeId) -> bool {
        self.dom.ancestors(id).any(|parent| self.dom.attr(parent, "role") == Some("main"))
    }

    fn inside(&self, id: NodeId, tags: &[&str]) -> bool {
        self.dom.ancestors(id).any(|parent| self.dom.is(parent, tags))
    }

    fn holds_heading(&self, id: NodeId) -> bool {
        self.dom.subtree(id).any(|below| self.dom.is(below, &["h1", "h2", "h3", "h4"]))
    }

    /// Whether the heading of the page is inside: an `h1` that is not the name of the site, linked to its start.
    fn holds_title(&self, id: NodeId) -> bool {
        let dom = self.dom;
        dom.subtree(id).any(|below| {
            dom.is(below, &["h1"])
                && !self.dropped[below]
                && !dom.subtree(below).any(|link| {
                    dom.attr(link, "href").is_some_and(|href| {
                        matches!(href, "/" | "./" | "index.html" | "/index.html" | "#")
                            || href.split_once("://").is_some_and(|(_, rest)| {
                                rest.trim_end_matches('/').split('/').count() == 1
                            })
                    })
                })
        })
    }

    /// Whether the content itself is inside, by an element that says so.
    fn has_main(&self, id: NodeId, measure: &Measure) -> bool {
        self.dom.subtree(id).any(|below| {
            self.dom.is(below, &["main"])
                || self.dom.is(below, &["h1"]) && measure.letters(below) > 0
        })
    }

    /// Forms that ask for an address, a password or a search word, with the words around them.
    fn forms(&mut self, measure: &Measure, total: usize) {
        const ASKS: &[&str] = &["email", "password", "search"];
        let dom = self.dom;
        let forms: Vec<NodeId> =
            dom.subtree(0).filter(|&id| dom.is(id, &["form"]) && !self.dropped[id]).collect();
        for form in forms {
            let asks = dom.subtree(form).any(|field| {
                dom.is(field, &["input"])
                    && dom
                        .attr(field, "type")
                        .is_some_and(|kind| ASKS.contains(&kind.to_ascii_lowercase().as_str()))
            });
            // A letter to somebody, with rules for it.
            let writes = dom.subtree(form).any(|field| dom.is(field, &["textarea"]));
            let most = if writes { 1_200 } else { 400 };
            if !asks && !writes && !self.can_be_filled_in(form) {
                continue;
            }
            if measure.letters(form) > most || !asks && !writes && measure.letters(form) > 80 {
                continue;
            }
            self.dropped[form] = true;
            let mut block = form;
            while let Some(parent) = dom.parent(block) {
                let small =
                    measure.letters(parent) < 350 && measure.letters(parent) * 100 / total < 25;
                if !small
                    || !self.is_about_signing_up(parent)
                    || dom.is(parent, &["body", "main", "article", "html"])
                    || self.has_main(parent, measure)
                {
                    break;
                }
                self.dropped[parent] = true;
                block = parent;
            }
            self.drop_heading_of(block, measure);
        }
    }

    /// Old pages hold whole texts in forms that nobody could send.
    fn can_be_filled_in(&self, form: NodeId) -> bool {
        self.dom.subtree(form).any(|field| {
            self.dom.is(field, &["button", "select"])
                || self.dom.is(field, &["input"])
                    && !self
                        .dom
                        .attr(field, "type")
                        .is_some_and(|kind| kind.eq_ignore_ascii_case("hidden"))
        })
    }

    /// The heading right before a form goes with it, if nothing else follows.
    fn drop_heading_of(&mut self, form: NodeId, measure: &Measure) {
        let dom = self.dom;
        let before = std::iter::successors(dom.previous_sibling(form), |&before| {
            dom.previous_sibling(before)
        })
        .find(|&before| measure.letters(before) > 0);
        let Some(heading) =
            before.filter(|&before| dom.is(before, &["h2", "h3", "h4", "h5", "h6"]))
        else {
            return;
        };
        if self.next_block(form, measure).is_none_or(|next| dom.is(next, &["h1", "h2", "h3"])) {
            self.dropped[heading] = true;
        }
    }

    fn is_about_signing_up(&self, id: NodeId) -> bool {
        const SAYS: &[&str] = &[
            "newsletter",
            "subscribe",
            "sign up",
            "inbox",
            "e-mail",
            "email",
            "log in",
            "anmelden",
            "abonnieren",
        ];
        let text = self.plain_text(id).to_lowercase();
        SAYS.iter().any(|word| text.contains(word))
    }

    fn by_headings(&mut self, measure: &Measure, total: usize) {
        let dom = self.dom;
        let headings: Vec<NodeId> = dom
            .subtree(0)
            .filter(|&id| {
                let bold = dom.is(id, &["p", "div", "strong", "b", "span", "dt", "summary"])
                    && measure.letters(id) < 40;
                dom.is(id, &["h2", "h3", "h4", "h5", "h6"])
                    || dom.attr(id, "role") == Some("heading")
                    || bold
            })
            .collect();
        for heading in headings {
            if self.is_dropped(heading) || !is_surrounding_heading(&self.plain_text(heading)) {
                continue;
            }
            self.drop_section(heading, measure, total);
        }
    }

    fn drop_section(&mut self, heading: NodeId, measure: &Measure, total: usize) {
        /// Letters in paragraphs that teasers do not have.
        const A_TEXT: usize = 900;
        let dom = self.dom;
        let fragments = self.plain_text(heading).trim().eq_ignore_ascii_case("contents");
        let mut block = heading;
        // Upwards, as long as the heading comes first and the block stays small.
        while let Some(parent) = dom.parent(block) {
            let first = std::iter::successors(dom.previous_sibling(block), |&before| {
                dom.previous_sibling(before)
            })
            .all(|before| measure.letters(before) == 0);
            let share = measure.letters(parent) * 100 / total;
            // Some texts begin with an invitation to sign up.
            let holds_a_text = measure.prose(parent) > A_TEXT
                && measure.prose(parent) > measure.prose(block) + A_TEXT;
            if !first
                || holds_a_text
                || share > 35
                || dom.is(parent, &["body", "main", "html"])
                || self.has_main(parent, measure)
            {
                break;
            }
            block = parent;
        }
        let leads_elsewhere = |id: NodeId| measure.link_share(id) >= 40 && measure.links(id) > 0;
        if block != heading && !dom.is(heading, &["strong", "b", "span"]) {
            let teasers = measure.links(block) >= 2 || measure.letters(block) < 300;
            if teasers && (!fragments || self.only_fragments(block)) {
                self.dropped[block] = true;
                return;
            }
            block = heading;
        }
        if dom.is(heading, &["p", "div", "strong", "b", "span", "dt", "summary"])
            && block == heading
        {
            // Not a heading by its element: only with a list of links right behind it.
            let next = self.next_block(heading, measure);
            if next.is_some_and(|next| dom.is(next, &["ul", "ol", "div"]) && leads_elsewhere(next))
            {
                self.dropped[heading] = true;
                if let Some(next) = next {
                    self.dropped[next] = true;
                }
            }
            return;
        }
        let mut after = self.next_block(block, measure);
        if fragments && !after.is_some_and(|next| self.only_fragments(next)) {
            return;
        }
        let mut found = after.is_none();
        let mut dropping = vec![block];
        while let Some(next) = after {
            let heading_next = dom.is(next, &["h1", "h2", "h3", "h4", "h5", "h6", "hr"]);
            if heading_next || !leads_elsewhere(next) && measure.letters(next) > 120 {
                break;
            }
            if !leads_elsewhere(next) && found && dom.is(next, &["p"]) {
                break;
            }
            found |= leads_elsewhere(next);
            dropping.push(next);
            after = self.next_block(next, measure);
        }
        if found || dropping.len() == 1 && after.is_none() {
            for id in dropping {
                self.dropped[id] = true;
            }
        }
    }

    fn only_fragments(&self, id: NodeId) -> bool {
        let mut links =
            self.dom.subtree(id).filter_map(|link| self.dom.attr(link, "href")).peekable();
        links.peek().is_some() && links.all(|href| href.starts_with('#'))
    }

    fn next_block(&self, id: NodeId, measure: &Measure) -> Option<NodeId> {
        std::iter::successors(self.dom.next_sibling(id), |&next| self.dom.next_sibling(next)).find(
            |&next| {
                self.dom.tag(next).is_some()
                    && (measure.letters(next) > 0 || self.dom.is(next, &["hr"]))
                    && !self.dropped[next]
            },
        )
    }

    fn is_dropped(&self, id: NodeId) -> bool {
        self.dropped[id] || self.dom.ancestors(id).any(|parent| self.dropped[parent])
    }

    /// Labels of advertisements, rows of buttons, teasers in the middle of a text, lines about rights.
    fn small_blocks(&mut self, measure: &Measure) {
        let dom = self.dom;
        let mut walk = dom.subtree(0);
        while let Some(id) = walk.next() {
            let Some(tag) = dom.tag(id) else { continue };
            if self.dropped[id] || matches!(tag, "pre" | "code" | "math") {
                walk.leave(id);
                continue;
            }
            if tag == "a"
                && (self.leads_around_the_page(id)
                    || self.is_lone_action(id)
                    || self.is_switch(id, measure))
            {
                self.dropped[id] = true;
                walk.leave(id);
                continue;
            }
            if tag == "span"
                && measure.letters(id) <= THIN
                && self.is_lone(id)
                && naming(&words(dom, id)) > Naming::Plain
            {
                self.dropped[id] = true;
                walk.leave(id);
                continue;
            }
            let block = matches!(
                tag,
                "div"
                    | "p"
                    | "ul"
                    | "ol"
                    | "section"
                    | "span"
                    | "small"
                    | "li"
                    | "center"
                    | "footer"
                    | "td"
            );
            let letters = measure.letters(id);
            if !block || letters == 0 || letters > 600 {
                continue;
            }
            if self.is_noise(id, tag, measure) {
                self.dropped[id] = true;
                walk.leave(id);
            }
        }
    }

    /// A link on a line of its own that only does something.
    fn is_lone_action(&self, id: NodeId) -> bool {
        let is_button = |id: NodeId| {
            self.dom.is(id, &["a"])
                && !self.dom.subtree(id).any(|below| self.dom.is(below, &["img"]))
                && {
                    let text = self.plain_text(id);
                    is_action(&text) && text.parse::<u32>().is_err()
                }
        };
        is_button(id) && self.is_lone_beside(id, is_button)
    }

    /// A link to nowhere that is called like a switch: it opens a menu, chooses a tab.
    fn is_switch(&self, id: NodeId, measure: &Measure) -> bool {
        let nowhere = self.dom.attr(id, "href").is_some_and(|href| {
            let href = href.trim();
            href == "#"
                || href.get(..11).is_some_and(|start| start.eq_ignore_ascii_case("javascript:"))
        });
        nowhere && measure.letters(id) <= THIN && naming(&words(self.dom, id)) > Naming::Plain
    }

    /// Whether nothing stands beside an element on its line.
    fn is_lone(&self, id: NodeId) -> bool {
        self.is_lone_beside(id, |_| false)
    }

    /// The same where some elements do not count.
    fn is_lone_beside(&self, id: NodeId, does_not_count: impl Fn(NodeId) -> bool) -> bool {
        /// A row of buttons is not longer.
        const LONGEST_ROW: usize = 30;
        let dom = self.dom;
        let beside = |next: fn(&Dom, NodeId) -> Option<NodeId>| {
            std::iter::successors(next(dom, id), move |&other| next(dom, other))
                .filter(|&other| {
                    !self.dropped[other]
                        && (dom.tag(other).is_some()
                            || dom.text(other).is_some_and(|text| !text.trim().is_empty()))
                })
                .take(LONGEST_ROW)
                .find(|&other| !does_not_count(other))
        };
        let is_edge = |other: Option<NodeId>| {
            other.is_none_or(|other| {
                dom.is(other, BLOCKS)
                    || dom.is(other, &["h1", "h2", "h3", "h4", "h5", "h6", "br", "pre"])
            })
        };
        let holder = dom.parent(id).is_some_and(|parent| {
            dom.is(
                parent,
                &["div", "section", "article", "header", "footer", "main", "body", "figure", "td"],
            )
        });
        holder && is_edge(beside(Dom::previous_sibling)) && is_edge(beside(Dom::next_sibling))
    }

    /// Links that only move the reader: past the menu, up to the top.
    fn leads_around_the_page(&self, id: NodeId) -> bool {
        const SAYS: &[&str] = &[
            "skip to ",
            "jump to ",
            "scroll to ",
            "skip past ",
            "back to top",
            "return to top",
            "go to top",
            "skip nav",
        ];
        self.dom.attr(id, "href").is_some_and(|href| href.starts_with('#')) && {
            let text = self.plain_text(id).to_lowercase();
            let text = text.trim_start_matches(|letter: char| !letter.is_alphanumeric());
            SAYS.iter().any(|start| text.starts_with(start))
        }
    }

    fn is_noise(&self, id: NodeId, tag: &str, measure: &Measure) -> bool {
        let text = self.plain_text(id);
        let text = text.trim();
        if is_label(text)
            && tag != "td"
            && tag != "li"
            && !(tag == "span" && self.inside(id, &["p", "li", "td", "h1", "h2", "h3"]))
        {
            return true;
        }
        let lower = text.to_lowercase();
        let in_text = self.inside(id, &["article", "main"]) || self.inside_main_role(id);
        if !in_text && letters_about_cookies(&lower) && tag != "li" && tag != "span" {
            return true;
        }
        let rights = lower.starts_with('©')
            || lower.starts_with("copyright ©")
            || lower.starts_with("(c) ")
            || lower.starts_with("powered by ")
            || lower.starts_with("proudly powered by ")
            || RIGHTS.iter().any(|words| lower.contains(words));
        if rights
            && text.chars().count() < 250
            && matches!(tag, "div" | "p" | "footer" | "small" | "center" | "td")
            && !self.inside(id, &["article"])
        {
            return true;
        }
        if matches!(tag, "div" | "p" | "section") && is_question_to_the_reader(&lower) {
            return true;
        }
        if matches!(tag, "span" | "td" | "small") || measure.links(id) == 0 {
            return false;
        }
        let teaser = [
            "read more:",
            "read also:",
            "also read:",
            "related:",
            "more on this:",
            "see also our",
            "don't miss:",
            "watch:",
            "more:",
            "read next:",
            "recommended:",
            "lesen sie auch",
            "lies auch",
            "mehr zum thema",
            "lire aussi",
            "à lire aussi",
            "lea también",
            "lee también",
            "lea más",
            "leia também",
            "leggi anche",
            "lees ook",
            "czytaj też",
            "czytaj także",
            "читайте также",
        ];
        if tag == "p"
            && teaser.iter().any(|start| lower.starts_with(start))
            && measure.link_share(id) >= 60
        {
            return true;
        }
        self.is_row_of_actions(id, measure)
    }

    /// Whether a block holds links that only do something, and perhaps a word about them.
    fn is_row_of_actions(&self, id: NodeId, measure: &Measure) -> bool {
        let dom = self.dom;
        if measure.plain(id) > 24 {
            return false;
        }
        let mut actions = 0;
        let mut walk = dom.subtree(id);
        while let Some(below) = walk.next() {
            if self.dropped[below] {
                walk.leave(below);
            } else if dom.is(below, &["a"]) && measure.letters(below) > 0 {
                if !is_action(&self.plain_text(below)) {
                    return false;
                }
                actions += 1;
                walk.leave(below);
            } else if dom.is(below, &["img", "h1", "h2", "h3", "table", "pre", "math"]) {
                return false;
            }
        }
        if actions == 0 {
            return false;
        }
        let around: String = {
            let mut text = self.plain_text_without_links(id).to_lowercase();
            text.retain(|letter| letter.is_alphanumeric() || letter == ' ');
            text.trim().to_owned()
        };
        let numbers_only = dom
            .subtree(id)
            .filter(|&link| dom.is(link, &["a"]))
            .all(|link| self.plain_text(link).trim().parse::<u32>().is_ok());
        if numbers_only && (actions < 2 || self.inside(id, &["p", "li", "td", "dd", "sup"])) {
            return false;
        }
        around.is_empty()
            || is_action(&around)
            || [
                "share this",
                "share on",
                "share via",
                "page",
                "pages",
                "go to page",
                "follow us on",
                "follow",
                "tags",
            ]
            .iter()
            .any(|word| around.starts_with(word))
            || around == "code"
            || around.chars().all(|letter| letter.is_numeric() || letter == ' ')
    }

    /// The visible text, unbroken.
    pub(crate) fn plain_text(&self, id: NodeId) -> String {
        self.collect(id, false)
    }

    fn plain_text_without_links(&self, id: NodeId) -> String {
        self.collect(id, true)
    }

    fn collect(&self, id: NodeId, without_links: bool) -> String {
        let mut text = String::new();
        let mut walk = self.dom.subtree(id);
        while let Some(below) = walk.next() {
            if self.dropped[below] && below != id || without_links && self.dom.is(below, &["a"]) {
                walk.leave(below);
            } else if let Some(letters) = self.dom.text(below) {
                text.push_str(letters);
            } else if !text.ends_with(' ') {
                let inline = self.dom.is(
                    below,
                    &[
                        "b", "i", "em", "strong", "span", "a", "code", "font", "mark", "small",
                        "sup", "sub", "wbr",
                    ],
                );
                if !inline {
                    text.push(' ');
                }
            }
        }
        let mut plain = String::with_capacity(text.len());
        for word in text.split_whitespace() {
            if !plain.is_empty() {
                plain.push(' ');
            }
            plain.push_str(word);
        }
        plain
    }
}

fn holds_code(dom: &Dom, id: NodeId) -> bool {
    dom.subtree(id).any(|below| dom.is(below, &["pre", "table", "math"]))
}

fn thin_footer(measure: &Measure, id: NodeId) -> bool {
    measure.link_share(id) >= 40 || measure.letters(id) < 30
}

fn letters_about_cookies(text: &str) -> bool {
    let about = text.contains("cookie");
    let asks = [
        "accept",
        "consent",
        "agree",
        "preferences",
        "we use",
        "uses cookies",
        "got it",
        "privacy policy",
        "reject",
        "akzeptieren",
        "zustimmen",
        "einwillig",
        "verwendet cookies",
        "verwenden cookies",
        "accepter",
        "aceptar",
        "accetta",
        "aceitar",
        "akkoord",
    ];
    about && asks.iter().any(|word| text.contains(word))
}

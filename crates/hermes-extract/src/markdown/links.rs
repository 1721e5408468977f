//! Addresses of links and pictures.

use super::{Line, Writer};
use crate::dom::NodeId;

/// What a link may lead to. The rest acts inside the page or carries its target inside.
const SCHEMES: &[&str] = &[
    "http", "https", "mailto", "tel", "ftp", "sms", "xmpp", "irc", "ircs", "news", "geo", "magnet",
    "sip", "gemini", "git", "ssh",
];
/// Where pages keep the address of a picture that is loaded later.
const LATER: &[&str] = &[
    "data-src",
    "data-original",
    "data-lazy-src",
    "data-lazy",
    "data-url",
    "data-image",
    "data-hi-res-src",
    "data-full-src",
];
const LATER_SETS: &[&str] = &["data-srcset", "data-lazy-srcset", "srcset"];
/// Names of pictures that only keep a place.
const PLACEHOLDERS: &[&str] = &[
    "placeholder",
    "spacer",
    "blank.",
    "pixel.",
    "1x1",
    "transparent.",
    "clear.gif",
    "loading.",
    "lazy.",
    "dot.gif",
    "dot_clear",
    "shim.gif",
    "trans.gif",
    "grey.gif",
];

impl Writer<'_> {
    /// The address of a link, complete; nothing for what is no address.
    pub(super) fn link_of(&self, id: NodeId) -> Option<String> {
        let href = self.dom.attr(id, "href")?.trim();
        let url = self.base.join(href).ok()?;
        // Complete as it is: the slash behind a bare host is the parser's, not the page's.
        let address = match url.as_str().strip_suffix('/') {
            Some(bare) if bare == href => bare,
            _ => url.as_str(),
        };
        SCHEMES.contains(&url.scheme()).then(|| in_brackets(address))
    }

    pub(super) fn picture(&self, id: NodeId, line: &mut Line) {
        let alt = crate::title::collapsed(self.dom.attr(id, "alt").unwrap_or_default());
        let class = self.dom.attr(id, "class").unwrap_or_default();
        if class.contains("emoji") || class.contains("smiley") || class.contains("smilie") {
            return line.raw(&alt);
        }
        if class.contains("mwe-math") {
            return;
        }
        if self.is_decoration(id, &alt) {
            return;
        }
        match self.picture_address(id) {
            Some(address) => {
                let alt = alt.replace('[', "\\[").replace(']', "\\]");
                line.raw(&format!("![{alt}]({address})"));
            }
            None if !alt.is_empty() => line.raw(&alt),
            None => {}
        }
    }

    /// Rules, bullets and counters: too small to show anything.
    fn is_decoration(&self, id: NodeId, alt: &str) -> bool {
        let size = |name: &str| {
            self.dom
                .attr(id, name)
                .and_then(|value| value.trim().trim_end_matches("px").parse::<u32>().ok())
        };
        let (width, height) = (size("width"), size("height"));
        let least = width.unwrap_or(u32::MAX).min(height.unwrap_or(u32::MAX));
        let most = width.unwrap_or(u32::MAX).max(height.unwrap_or(u32::MAX));
        let silent = alt.is_empty() || alt.chars().all(|letter| !letter.is_alphanumeric());
        least <= 3 || silent && (least <= 12 || most <= 32)
    }

    fn picture_address(&self, id: NodeId) -> Option<String> {
        let source = self.dom.attr(id, "src").unwrap_or_default().trim();
        let placeholder =
            source.is_empty() || source.starts_with("data:") || source.starts_with("about:") || {
                let lower = source.to_ascii_lowercase();
                let file = lower.rsplit('/').next().unwrap_or_default();
                PLACEHOLDERS.iter().any(|name| file.contains(name))
            };
        if !placeholder {
            return self.complete(source);
        }
        let later = LATER
            .iter()
            .find_map(|name| self.dom.attr(id, name))
            .map(str::trim)
            .filter(|later| !later.is_empty());
        if let Some(later) = later {
            return self.complete(later);
        }
        let set_of = |place: NodeId| {
            LATER_SETS.iter().find_map(|name| self.dom.attr(place, name)).and_then(largest)
        };
        let sets = self.dom.parent(id).filter(|&parent| self.dom.is(parent, &["picture"]));
        let in_picture = || {
            sets.and_then(|parent| {
                self.dom
                    .children(parent)
                    .filter(|&child| self.dom.is(child, &["source"]))
                    .find_map(set_of)
            })
        };
        if let Some(address) = set_of(id).or_else(in_picture) {
            return self.complete(address);
        }
        // The picture for readers without scripts stands right behind.
        let behind =
            std::iter::successors(self.dom.next_sibling(id), |&next| self.dom.next_sibling(next))
                .find(|&next| self.dom.tag(next).is_some())
                .filter(|&next| self.dom.is(next, &["noscript"]));
        let picture = behind.and_then(|behind| {
            self.dom.subtree(behind).find(|&below| self.dom.is(below, &["img"]))
        });
        if let Some(address) = picture.and_then(|picture| self.dom.attr(picture, "src")) {
            return self.complete(address);
        }
        // Data is kept for now: a placeholder takes its place later, with the text that stands for it.
        let real =
            source.starts_with("data:image/") && source.len() > 200 && !source.contains("svg");
        real.then(|| source.to_owned())
    }

    fn complete(&self, address: &str) -> Option<String> {
        let url = self.base.join(address.trim()).ok()?;
        matches!(url.scheme(), "http" | "https").then(|| in_brackets(url.as_str()))
    }
}

/// The largest picture of a `srcset`.
fn largest(set: &str) -> Option<&str> {
    let mut best: Option<(f64, &str)> = None;
    for candidate in set.split(", ").flat_map(|part| part.split(",\n")) {
        let mut words = candidate.trim().trim_end_matches(',').split_ascii_whitespace();
        let Some(address) = words.next().filter(|address| !address.starts_with("data:")) else {
            continue;
        };
        let size = words
            .next()
            .and_then(|size| size.trim_end_matches(['w', 'x']).parse().ok())
            .unwrap_or(1.0);
        if best.is_none_or(|(known, _)| size > known) {
            best = Some((size, address));
        }
    }
    best.map(|(_, address)| address)
}

/// An address that can stand between round brackets: its own ones must come in pairs.
fn in_brackets(address: &str) -> String {
    let mut open = 0i32;
    let paired = address.bytes().all(|byte| {
        open += i32::from(byte == b'(') - i32::from(byte == b')');
        open >= 0
    });
    if paired && open == 0 {
        address.to_owned()
    } else {
        address.replace('(', "%28").replace(')', "%29")
    }
}

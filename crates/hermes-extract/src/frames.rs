//! Pages made of frames: what they say to readers without frames, and where the frames are.

use std::fmt::Write as _;

use crate::dom::Dom;

/// Most frames that are named; a page has a handful.
const MOST_FRAMES: usize = 50;

/// A page without frames in place of a page that is nothing but frames: its words for those who see none, and a list of
/// links to what would be in the frames.
pub(crate) fn without_frames(dom: &Dom) -> Option<String> {
    dom.subtree(0).find(|&id| dom.is(id, &["frameset"]))?;
    let text_of = |tag: &str| -> String {
        let Some(id) = dom.subtree(0).find(|&id| dom.is(id, &[tag])) else { return String::new() };
        dom.subtree(id).filter_map(|below| dom.text(below)).collect()
    };
    let mut page =
        format!("<title>{}</title>{}<ul>", escaped(&text_of("title")), text_of("noframes"));
    let frames = dom.subtree(0).filter(|&id| dom.is(id, &["frame"]));
    for (address, id) in
        frames.filter_map(|id| Some((dom.attr(id, "src")?.trim(), id))).take(MOST_FRAMES)
    {
        let name = dom
            .attr(id, "title")
            .or_else(|| dom.attr(id, "name"))
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .unwrap_or(address);
        let _ = write!(page, "<li>Frame: <a href=\"{}\">{}</a>", escaped(address), escaped(name));
    }
    page.push_str("</ul>");
    Some(page)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use url::Url;

    use crate::page;

    #[test]
    fn a_page_of_frames_says_where_they_lead() {
        let page = "<html><head><title>Bees &amp; us</title></head><frameset cols=\"1,*\">\
            <frame src=\"menu.html\" title=\"Menu\"><frame src=\"main.html\" name=\"main\">\
            <noframes><body><h1>Bees</h1><p>We meet on Tuesday. <a href=\"main.html\">Read on</a></body></noframes></frameset></html>";
        let read = page::html(page, &Url::parse("https://site.example/").unwrap()).unwrap();
        assert_eq!(
            (read.title.as_str(), read.markdown.as_str()),
            (
                "Bees",
                "# Bees\n\nWe meet on Tuesday. [Read on](https://site.example/main.html)\n\n\
                 - Frame: [Menu](https://site.example/menu.html)\n\
                 - Frame: [main](https://site.example/main.html)"
            )
        );
    }
}

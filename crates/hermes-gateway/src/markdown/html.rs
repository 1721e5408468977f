//! A document as HTML of a few harmless tags, for Matrix and e-mail. Whatever the model wrote as HTML comes out as text.

use std::fmt::Write as _;

use super::document::{Document, DocumentBlock, Inline, ListPoint};

/// A document as HTML: only tags and addresses that a chat may show.
#[must_use]
pub fn html(document: &Document) -> String {
    let mut out = String::new();
    blocks(&document.blocks, &mut out);
    out
}

/// Text as it stands in HTML.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

fn blocks(all: &[DocumentBlock], out: &mut String) {
    for block in all {
        match block {
            DocumentBlock::Paragraph(text) => wrap("p", text, out),
            DocumentBlock::Heading { level, text } => {
                wrap(&format!("h{}", (*level).clamp(1, 6)), text, out);
            }
            DocumentBlock::Code { language, text } => {
                let class = match language.is_empty() {
                    true => String::new(),
                    false => format!(" class=\"language-{}\"", escape(language)),
                };
                let _ = write!(out, "<pre><code{class}>{}</code></pre>", escape(text));
            }
            DocumentBlock::Quote(inner) => {
                out.push_str("<blockquote>");
                blocks(inner, out);
                out.push_str("</blockquote>");
            }
            DocumentBlock::List { start, items } => list(*start, items, out),
            DocumentBlock::Table(table) => {
                out.push_str("<table><thead><tr>");
                table.header.iter().for_each(|cell| wrap("th", cell, out));
                out.push_str("</tr></thead><tbody>");
                for row in &table.rows {
                    out.push_str("<tr>");
                    row.iter().for_each(|cell| wrap("td", cell, out));
                    out.push_str("</tr>");
                }
                out.push_str("</tbody></table>");
            }
            DocumentBlock::Rule => out.push_str("<hr>"),
        }
    }
}

fn list(start: Option<u64>, items: &[ListPoint], out: &mut String) {
    let tag = if start.is_some() { "ol" } else { "ul" };
    match start.filter(|start| *start != 1) {
        Some(start) => _ = write!(out, "<{tag} start=\"{start}\">"),
        None => _ = write!(out, "<{tag}>"),
    }
    for item in items {
        out.push_str("<li>");
        match item.checked {
            Some(true) => out.push_str("☑ "),
            Some(false) => out.push_str("☐ "),
            None => {}
        }
        match item.blocks.as_slice() {
            // A point of one paragraph is no paragraph.
            [DocumentBlock::Paragraph(text), rest @ ..] => {
                inlines(text, out);
                blocks(rest, out);
            }
            all => blocks(all, out),
        }
        out.push_str("</li>");
    }
    let _ = write!(out, "</{tag}>");
}

fn wrap(tag: &str, text: &[Inline], out: &mut String) {
    let _ = write!(out, "<{tag}>");
    inlines(text, out);
    let _ = write!(out, "</{tag}>");
}

fn inlines(all: &[Inline], out: &mut String) {
    for inline in all {
        match inline {
            Inline::Text(text) => out.push_str(&escape(text)),
            Inline::Code(text) => _ = write!(out, "<code>{}</code>", escape(text)),
            Inline::Strong(inner) => wrap("strong", inner, out),
            Inline::Emphasis(inner) => wrap("em", inner, out),
            Inline::Strike(inner) => wrap("del", inner, out),
            Inline::Link { url, text } if may_link(url) => {
                let _ = write!(out, "<a href=\"{}\">", escape(url));
                inlines(text, out);
                out.push_str("</a>");
            }
            Inline::Link { url, text } => {
                inlines(text, out);
                let _ = write!(out, " ({})", escape(url));
            }
            Inline::Image { url, alt } => {
                let alt = if alt.is_empty() { url } else { alt };
                inlines(
                    &[Inline::Link { url: url.clone(), text: vec![Inline::Text(alt.clone())] }],
                    out,
                );
            }
            Inline::SoftBreak | Inline::HardBreak => out.push_str("<br>"),
        }
    }
}

fn may_link(url: &str) -> bool {
    ["http://", "https://", "mailto:", "matrix:"].iter().any(|begin| url.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_model_wrote_as_html_is_text_and_addresses_are_harmless() {
        let page = html(&Document::parse(
            "<b onclick=x>a</b> [l](javascript:x) **s** [m](https://e.org/?a&b)",
        ));
        assert_eq!(
            page,
            "<p>&lt;b onclick=x&gt;a&lt;/b&gt; l (javascript:x) <strong>s</strong> \
             <a href=\"https://e.org/?a&amp;b\">m</a></p>"
        );
    }
}

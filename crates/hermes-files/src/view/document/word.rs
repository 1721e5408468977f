//! Word documents: the paragraphs of the main text, one line each.

use super::rendering::Rendering;
use super::xml::{Xml, XmlNode};
use super::zipped::Zipped;

/// The paragraphs in the order of the document, those of tables included.
pub(super) fn text(bytes: &[u8]) -> Option<String> {
    let mut zipped = Zipped::open(bytes)?;
    let mut xml = Xml::new(zipped.part("word/document.xml")?);
    let mut rendering = Rendering::default();
    // A text box stands inside a paragraph and has paragraphs of its own.
    let mut open: Vec<String> = Vec::new();
    // `tab` also occurs outside of runs, where it defines a tab stop.
    let mut runs = 0_usize;
    let mut in_text = false;
    let mut skipped = 0_usize;
    loop {
        match xml.next()? {
            XmlNode::Open(element) if skipped > 0 || is_hidden(element.name()) => skipped += 1,
            XmlNode::Close(_) if skipped > 0 => skipped -= 1,
            XmlNode::Text(_) if skipped > 0 => {}
            XmlNode::Open(element) => match (element.name(), open.last_mut()) {
                ("p", _) => open.push(String::new()),
                ("r", _) => runs += 1,
                ("t", _) => in_text = true,
                ("tab", Some(paragraph)) if runs > 0 => paragraph.push('\t'),
                ("br" | "cr", Some(paragraph)) if runs > 0 => paragraph.push('\n'),
                _ => {}
            },
            XmlNode::Close(name) => match name.as_str() {
                "p" => rendering.line(&open.pop()?),
                "r" => runs = runs.saturating_sub(1),
                "t" => in_text = false,
                _ => {}
            },
            XmlNode::Text(text) => {
                if let (true, Some(paragraph)) = (in_text, open.last_mut()) {
                    paragraph.push_str(&text);
                }
            }
            XmlNode::End => return Some(rendering.finish()),
        }
        if rendering.is_full() {
            return Some(rendering.finish());
        }
    }
}

/// Parts that repeat text standing elsewhere: the second form of a drawing for old programs, and
/// the place a tracked move has left.
fn is_hidden(name: &str) -> bool {
    matches!(name, "Fallback" | "moveFrom")
}

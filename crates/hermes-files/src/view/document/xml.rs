//! XML as a plain sequence of openings, closings and text.

use std::io::BufRead;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

/// One step through a document. Names come without their namespace prefix.
pub(super) enum XmlNode<'a> {
    /// An element begins; an empty one is closed by the next node.
    Open(Element<'a>),
    /// The element with this name ends.
    Close(String),
    /// Text, with references resolved.
    Text(String),
    /// The document is over.
    End,
}

/// An opening tag.
pub(super) struct Element<'a>(BytesStart<'a>);

impl Element<'_> {
    /// Its name.
    pub(super) fn name(&self) -> &str {
        self.0.local_name().into_inner()
    }

    /// The value of an attribute, by its name without prefix.
    pub(super) fn attribute(&self, name: &str) -> Option<String> {
        let mut attributes = self.0.attributes();
        // Without the search for duplicates, which takes quadratic time.
        let mut attributes = attributes.with_checks(false).flatten();
        let found = attributes.find(|one| one.key.local_name().into_inner() == name)?;
        Some(found.normalized_value(XmlVersion::Implicit1_0).ok()?.into_owned())
    }
}

/// Reads nodes.
pub(super) struct Xml<R> {
    reader: Reader<R>,
    buffer: Vec<u8>,
}

impl<R: BufRead> Xml<R> {
    pub(super) fn new(source: R) -> Self {
        let mut reader = Reader::from_reader(source);
        reader.config_mut().expand_empty_elements = true;
        Self { reader, buffer: Vec::new() }
    }

    /// The next node; `None` when the document is damaged.
    pub(super) fn next(&mut self) -> Option<XmlNode<'_>> {
        self.buffer.clear();
        Some(match self.reader.read_event_into(&mut self.buffer).ok()? {
            Event::Start(start) | Event::Empty(start) => XmlNode::Open(Element(start)),
            Event::End(end) => XmlNode::Close(end.local_name().into_inner().to_owned()),
            Event::Text(text) => XmlNode::Text(text.xml10_content().into_owned()),
            Event::CData(text) => XmlNode::Text(text.xml10_content().into_owned()),
            Event::GeneralRef(reference) => XmlNode::Text(resolve(&reference)?),
            Event::Eof => XmlNode::End,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {
                XmlNode::Text(String::new())
            }
        })
    }
}

/// The text of `&name;` or `&#number;`. Entities a document declares for itself are damage: office
/// files have none, and they are how XML is made to explode.
fn resolve(reference: &quick_xml::events::BytesRef<'_>) -> Option<String> {
    if let Some(character) = reference.resolve_char_ref().ok()? {
        return Some(character.to_string());
    }
    quick_xml::escape::resolve_predefined_entity(reference).map(str::to_owned)
}

//! What the snapshot of a document says of single nodes, as far as the accessibility tree does not.

use std::collections::HashMap;

use serde::Deserialize;

/// Styles that are asked for, in this order.
pub(super) const STYLES: [&str; 3] = ["cursor", "visibility", "display"];
const CURSOR: usize = 0;
const VISIBILITY: usize = 1;
const DISPLAY: usize = 2;

#[derive(Deserialize)]
pub(super) struct DomAnswer {
    documents: Vec<RawDocument>,
    strings: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawDocument {
    frame_id: i64,
    nodes: RawNodes,
    layout: RawLayout,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawNodes {
    #[serde(default)]
    parent_index: Vec<i64>,
    #[serde(default)]
    node_name: Vec<i64>,
    #[serde(default)]
    backend_node_id: Vec<i64>,
    #[serde(default)]
    attributes: Vec<Vec<i64>>,
    #[serde(default)]
    input_checked: Places,
    #[serde(default)]
    is_clickable: Places,
    #[serde(default)]
    content_document_index: PlacesWithValues,
}

#[derive(Default, Deserialize)]
struct Places {
    #[serde(default)]
    index: Vec<usize>,
}

#[derive(Default, Deserialize)]
struct PlacesWithValues {
    #[serde(default)]
    index: Vec<usize>,
    #[serde(default)]
    value: Vec<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawLayout {
    #[serde(default)]
    node_index: Vec<usize>,
    #[serde(default)]
    styles: Vec<Vec<i64>>,
}

/// Why an element that is no control can be used all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interest {
    /// A script waits for clicks on it. It may do so for what is inside.
    Listens,
    /// The pointer changes over it, and not over what is around it.
    Pointer,
    /// It can have the focus.
    Focusable,
    /// What stands in it can be changed.
    Editable,
}

/// A box or a button that a label stands for, because it is not shown itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HiddenControl {
    pub(super) role: &'static str,
    pub(super) checked: bool,
    pub(super) disabled: bool,
}

/// The documents of one process, by the numbers of their nodes.
#[derive(Default)]
pub(super) struct DomFacts {
    documents: Vec<Document>,
    strings: Vec<String>,
    places: HashMap<i64, (usize, usize)>,
}

struct Document {
    frame: String,
    raw: RawNodes,
    /// For each node its place in the layout.
    shown: HashMap<usize, usize>,
    styles: Vec<Vec<i64>>,
    clickable: std::collections::HashSet<usize>,
    checked: std::collections::HashSet<usize>,
    frames: HashMap<usize, usize>,
}

impl DomFacts {
    pub(super) fn new(answer: DomAnswer) -> Self {
        let DomAnswer { documents, strings } = answer;
        let mut places = HashMap::new();
        let documents: Vec<Document> = documents
            .into_iter()
            .enumerate()
            .map(|(number, RawDocument { frame_id, nodes, layout })| {
                for (at, node) in nodes.backend_node_id.iter().enumerate() {
                    places.insert(*node, (number, at));
                }
                let shown = layout.node_index.iter().enumerate().map(|(at, node)| (*node, at));
                let within = &nodes.content_document_index;
                let frames = within.index.iter().copied().zip(within.value.iter().copied());
                Document {
                    frame: string(&strings, frame_id).to_owned(),
                    // A text and its element share no place: the first is the element's own box.
                    shown: shown.rev().collect(),
                    styles: layout.styles,
                    clickable: nodes.is_clickable.index.iter().copied().collect(),
                    checked: nodes.input_checked.index.iter().copied().collect(),
                    frames: frames.collect(),
                    raw: nodes,
                }
            })
            .collect();
        Self { documents, strings, places }
    }

    /// The frames whose documents these are; the first is the one that was asked for.
    pub(super) fn frames(&self) -> impl Iterator<Item = &str> {
        self.documents.iter().map(|document| document.frame.as_str())
    }

    /// The frame whose document is shown inside an element.
    pub(super) fn frame_inside(&self, node: i64) -> Option<&str> {
        let (document, at) = self.place(node)?;
        let inside = document.frames.get(&at)?;
        self.documents.get(*inside).map(|document| document.frame.as_str())
    }

    fn place(&self, node: i64) -> Option<(&Document, usize)> {
        let (document, at) = self.places.get(&node)?;
        Some((&self.documents[*document], *at))
    }

    /// The name of an element, in capitals.
    pub(super) fn element_name(&self, node: i64) -> &str {
        match self.place(node) {
            Some((document, at)) => self.name_at(document, at),
            None => "",
        }
    }

    fn name_at(&self, document: &Document, at: usize) -> &str {
        document.raw.node_name.get(at).map_or("", |name| string(&self.strings, *name))
    }

    pub(super) fn attribute(&self, node: i64, name: &str) -> Option<&str> {
        let (document, at) = self.place(node)?;
        self.attribute_at(document, at, name)
    }

    fn attribute_at<'s>(&'s self, document: &Document, at: usize, name: &str) -> Option<&'s str> {
        let pairs = document.raw.attributes.get(at)?;
        let found = pairs.chunks_exact(2).find(|pair| string(&self.strings, pair[0]) == name)?;
        Some(string(&self.strings, found[1]))
    }

    fn style_at(&self, document: &Document, at: usize, style: usize) -> Option<&str> {
        let place = document.shown.get(&at)?;
        let value = document.styles.get(*place)?.get(style)?;
        Some(string(&self.strings, *value))
    }

    /// Whether a node breaks the line that texts before and after it stand in.
    pub(super) fn is_block(&self, node: i64) -> bool {
        let Some((document, at)) = self.place(node) else { return false };
        let display = self.style_at(document, at, DISPLAY);
        display.is_some_and(|display| !display.starts_with("inline") && display != "contents")
    }

    /// Why an element can be used that is no control; none if it cannot, or is not shown.
    pub(super) fn interest(&self, node: i64) -> Option<Interest> {
        let (document, at) = self.place(node)?;
        if matches!(self.name_at(document, at), "HTML" | "BODY" | "#document" | "LABEL" | "FORM") {
            return None;
        }
        let visibility = self.style_at(document, at, VISIBILITY)?;
        if visibility != "visible" {
            return None;
        }
        let editable = self.attribute_at(document, at, "contenteditable");
        if matches!(editable, Some("" | "true" | "plaintext-only")) {
            return Some(Interest::Editable);
        }
        if self.style_at(document, at, CURSOR) == Some("pointer")
            && !self.pointer_around(document, at)
        {
            return Some(Interest::Pointer);
        }
        if document.clickable.contains(&at) {
            return Some(Interest::Listens);
        }
        let tab = self.attribute_at(document, at, "tabindex")?.trim();
        tab.parse::<i32>().is_ok_and(|tab| tab >= 0).then_some(Interest::Focusable)
    }

    fn pointer_around(&self, document: &Document, at: usize) -> bool {
        let mut above = parent(document, at);
        while let Some(at) = above {
            if let Some(cursor) = self.style_at(document, at, CURSOR) {
                return cursor == "pointer";
            }
            above = parent(document, at);
        }
        false
    }

    /// The radio button or checkbox that a label stands for, if that is not shown itself.
    pub(super) fn hidden_control(&self, label: i64) -> Option<HiddenControl> {
        let (document, at) = self.place(label)?;
        if self.name_at(document, at) != "LABEL" {
            return None;
        }
        let control = match self.attribute_at(document, at, "for") {
            Some(id) => self.input_with_id(document, id)?,
            None => self.input_inside(document, at)?,
        };
        let role = match self.attribute_at(document, control, "type") {
            Some("radio") => "radio",
            Some("checkbox") => "checkbox",
            _ => return None,
        };
        let hidden = match self.style_at(document, control, VISIBILITY) {
            Some(visibility) => visibility != "visible",
            None => true,
        };
        hidden.then(|| HiddenControl {
            role,
            checked: document.checked.contains(&control),
            disabled: self.attribute_at(document, control, "disabled").is_some(),
        })
    }

    fn input_with_id(&self, document: &Document, id: &str) -> Option<usize> {
        (0..document.raw.node_name.len()).find(|at| {
            self.name_at(document, *at) == "INPUT"
                && self.attribute_at(document, *at, "id") == Some(id)
        })
    }

    /// The first input below a node. Nodes are listed parents first, so those below follow it directly.
    fn input_inside(&self, document: &Document, top: usize) -> Option<usize> {
        let below = |mut at: usize| {
            while let Some(above) = parent(document, at) {
                if above == top {
                    return true;
                }
                if above < top {
                    return false;
                }
                at = above;
            }
            false
        };
        (top + 1..document.raw.node_name.len())
            .take_while(|at| below(*at))
            .find(|at| self.name_at(document, *at) == "INPUT")
    }
}

fn parent(document: &Document, at: usize) -> Option<usize> {
    document.raw.parent_index.get(at).and_then(|parent| usize::try_from(*parent).ok())
}

fn string(strings: &[String], at: i64) -> &str {
    usize::try_from(at).ok().and_then(|at| strings.get(at)).map_or("", String::as_str)
}

//! The tree of a page: one vector of nodes that know their neighbours by number.
//!
//! The parser is html5ever, so that broken markup becomes the tree a browser would show. Two bounds of our own keep
//! hostile pages cheap: elements below a certain depth become siblings instead of children (as browsers do), and reading
//! stops where the stack of open elements grows without end, because each further tag would search all of it.

use std::borrow::Cow;
use std::cell::RefCell;

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, LocalName, Namespace, QualName, TokenizerResult, local_name};

/// The number of a node.
pub(crate) type NodeId = usize;
/// No node.
const NONE: NodeId = usize::MAX;
/// The deepest level of the tree; what is deeper moves up to it.
const DEEPEST: u32 = 200;
/// How many elements may be open inside each other before the rest of the page is left unread.
const MOST_OPEN: u32 = 1_000;
/// How much is given to the parser before the bound above is looked at again.
const PIECE: usize = 4 << 10;
/// Attributes of one tag after which the page is not read on: the parser compares each with all before it.
const MOST_ATTRIBUTES: usize = 1_000;

/// One node and its neighbours.
struct Node {
    parent: NodeId,
    first: NodeId,
    last: NodeId,
    before: NodeId,
    after: NodeId,
    depth: u32,
    /// How deep it would be without the bound of the tree.
    open: u32,
    content: Content,
}

enum Content {
    Element { name: QualName, attributes: Vec<Attribute> },
    Text(StrTendril),
    Other,
}

/// A page as a tree. Node 0 is the document.
pub(crate) struct Dom {
    nodes: Vec<Node>,
}

impl Dom {
    /// Reads a page; everything is a page.
    pub(crate) fn parse(html: &str) -> Self {
        let html = &html[..sane_length(html)];
        let sink = Sink {
            dom: RefCell::new(Self { nodes: vec![node(Content::Other)] }),
            anchors: RefCell::default(),
        };
        let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
        let tokens = Tokens { tree: TreeBuilder::new(sink, options), carried: RefCell::default() };
        let tokenizer = Tokenizer::new(tokens, TokenizerOpts::default());
        let input = BufferQueue::default();
        let mut rest = html;
        while !rest.is_empty() {
            let end = rest.floor_char_boundary(PIECE.min(rest.len())).max(1);
            let (piece, after) = rest.split_at(end);
            input.push_back(StrTendril::from(piece));
            while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
            rest = after;
            let sink = &tokenizer.sink.tree.sink;
            if sink.dom.borrow().nodes.last().is_some_and(|node| node.open > MOST_OPEN) {
                break;
            }
        }
        tokenizer.end();
        tokenizer.sink.unlink_carried();
        tokenizer.sink.tree.sink.finish()
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The name of an element; nothing for text and the rest.
    pub(crate) fn tag(&self, id: NodeId) -> Option<&str> {
        match &self.nodes[id].content {
            Content::Element { name, .. } => Some(&name.local),
            _ => None,
        }
    }

    /// Whether a node is an element with one of these names.
    pub(crate) fn is(&self, id: NodeId, tags: &[&str]) -> bool {
        self.tag(id).is_some_and(|tag| tags.contains(&tag))
    }

    /// The letters of a text node.
    pub(crate) fn text(&self, id: NodeId) -> Option<&str> {
        match &self.nodes[id].content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of an attribute.
    pub(crate) fn attr(&self, id: NodeId, wanted: &str) -> Option<&str> {
        match &self.nodes[id].content {
            Content::Element { attributes, .. } => attributes
                .iter()
                .find(|attribute| &*attribute.name.local == wanted)
                .map(|attribute| &*attribute.value),
            _ => None,
        }
    }

    pub(crate) fn parent(&self, id: NodeId) -> Option<NodeId> {
        some(self.nodes[id].parent)
    }

    pub(crate) fn first_child(&self, id: NodeId) -> Option<NodeId> {
        some(self.nodes[id].first)
    }

    pub(crate) fn next_sibling(&self, id: NodeId) -> Option<NodeId> {
        some(self.nodes[id].after)
    }

    pub(crate) fn previous_sibling(&self, id: NodeId) -> Option<NodeId> {
        some(self.nodes[id].before)
    }

    /// The children, in order.
    pub(crate) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.first_child(id), |&child| self.next_sibling(child))
    }

    /// The parents, from the nearest on.
    pub(crate) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.parent(id), |&parent| self.parent(parent))
    }

    /// A node and everything below it, in the order of the document.
    pub(crate) fn subtree(&self, root: NodeId) -> Subtree<'_> {
        Subtree { dom: self, root, next: Some(root) }
    }

    fn push(&mut self, content: Content) -> NodeId {
        self.nodes.push(node(content));
        self.nodes.len() - 1
    }

    fn detach(&mut self, id: NodeId) {
        let Node { parent, before, after, .. } = self.nodes[id];
        if parent == NONE {
            return;
        }
        match some(before) {
            Some(before) => self.nodes[before].after = after,
            None => self.nodes[parent].first = after,
        }
        match some(after) {
            Some(after) => self.nodes[after].before = before,
            None => self.nodes[parent].last = before,
        }
        let node = &mut self.nodes[id];
        (node.parent, node.before, node.after) = (NONE, NONE, NONE);
    }

    fn append(&mut self, parent: NodeId, id: NodeId) {
        self.detach(id);
        self.nodes[id].open = self.nodes[parent].open + 1;
        let mut parent = parent;
        while self.nodes[parent].depth >= DEEPEST {
            parent = self.nodes[parent].parent;
        }
        let last = self.nodes[parent].last;
        let depth = self.nodes[parent].depth + 1;
        let node = &mut self.nodes[id];
        (node.parent, node.before, node.depth) = (parent, last, depth);
        match some(last) {
            Some(last) => self.nodes[last].after = id,
            None => self.nodes[parent].first = id,
        }
        self.nodes[parent].last = id;
    }

    fn insert_before(&mut self, sibling: NodeId, id: NodeId) {
        self.detach(id);
        let Node { parent, before, depth, open, .. } = self.nodes[sibling];
        if parent == NONE {
            return;
        }
        let node = &mut self.nodes[id];
        (node.parent, node.before, node.after) = (parent, before, sibling);
        (node.depth, node.open) = (depth, open);
        match some(before) {
            Some(before) => self.nodes[before].after = id,
            None => self.nodes[parent].first = id,
        }
        self.nodes[sibling].before = id;
    }

    /// Adds letters to a text node that is there; says whether it was one.
    fn extend_text(&mut self, id: NodeId, letters: &StrTendril) -> bool {
        match self.nodes.get_mut(id).map(|node| &mut node.content) {
            Some(Content::Text(text)) => {
                text.push_tendril(letters);
                true
            }
            _ => false,
        }
    }
}

fn node(content: Content) -> Node {
    Node {
        parent: NONE,
        first: NONE,
        last: NONE,
        before: NONE,
        after: NONE,
        depth: 0,
        open: 0,
        content,
    }
}

fn some(id: NodeId) -> Option<NodeId> {
    (id != NONE).then_some(id)
}

/// How far a page is read: up to a tag with so many attributes that only malice wrote it.
///
/// Programs, styles and comments are passed over: `a<b` in a program is no tag. Inside of drawings and formulas the parser
/// reads programs like anything else, so there they count.
fn sane_length(html: &str) -> usize {
    let bytes = html.as_bytes();
    let (mut at, mut foreign) = (0, 0_usize);
    while let Some(open) = bytes[at..].iter().position(|&byte| byte == b'<') {
        let start = at + open;
        at = start + 1;
        let rest = &bytes[at..];
        if rest.starts_with(b"!--") {
            at = past(bytes, at, b"-->");
            continue;
        }
        if foreign > 0 && rest.starts_with(b"![CDATA[") {
            at = past(bytes, at, b"]]>");
            continue;
        }
        if is_named(rest, b"/svg") || is_named(rest, b"/math") {
            foreign = foreign.saturating_sub(1);
        }
        if !rest.first().is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        foreign += usize::from(is_named(rest, b"svg") || is_named(rest, b"math"));
        let raw: Option<&[u8]> = match foreign {
            0 if is_named(rest, b"script") => Some(b"</script"),
            0 if is_named(rest, b"style") => Some(b"</style"),
            _ => None,
        };
        let (mut gaps, mut quote, mut gap, mut last) = (0, None, false, b' ');
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            match quote {
                Some(open) if byte == open => quote = None,
                Some(_) => {}
                None => match byte {
                    b'>' => break,
                    b'"' | b'\'' if last == b'=' => quote = Some(byte),
                    _ if byte.is_ascii_whitespace() || byte == b'/' => gap = true,
                    _ if gap => {
                        gap = false;
                        gaps += 1;
                    }
                    _ => {}
                },
            }
            if !byte.is_ascii_whitespace() {
                last = byte;
            }
        }
        if gaps > MOST_ATTRIBUTES {
            return start;
        }
        if let Some(end) = raw {
            at = past(bytes, at, end);
        }
    }
    bytes.len()
}

/// Whether a tag with this name begins here.
fn is_named(rest: &[u8], name: &[u8]) -> bool {
    rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
        && rest.get(name.len()).is_none_or(|after| !after.is_ascii_alphanumeric() && *after != b'-')
}

/// The place behind the next occurrence of some bytes, or the end.
fn past(bytes: &[u8], from: usize, wanted: &[u8]) -> usize {
    let mut at = from;
    while let Some(found) = bytes[at..].iter().position(|byte| *byte == wanted[0]) {
        at += found;
        if bytes[at..].get(..wanted.len()).is_some_and(|here| here.eq_ignore_ascii_case(wanted)) {
            return at + wanted.len();
        }
        at += 1;
    }
    bytes.len()
}

/// The walk of [`Dom::subtree`].
pub(crate) struct Subtree<'d> {
    dom: &'d Dom,
    root: NodeId,
    next: Option<NodeId>,
}

impl Subtree<'_> {
    /// Leaves out what is below a node that was just handed out.
    pub(crate) fn leave(&mut self, id: NodeId) {
        self.next = self.beyond(id);
    }

    fn beyond(&self, id: NodeId) -> Option<NodeId> {
        let mut id = id;
        while id != self.root {
            if let Some(next) = self.dom.next_sibling(id) {
                return Some(next);
            }
            id = self.dom.parent(id)?;
        }
        None
    }
}

impl Iterator for Subtree<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let id = self.next?;
        self.next = self.dom.first_child(id).or_else(|| self.beyond(id));
        Some(id)
    }
}

/// The way of tags into the tree. A link that is never closed is carried by the parser into everything behind it, up to
/// the next link; browsers show that, but nobody meant it.
struct Tokens {
    tree: TreeBuilder<NodeId, Sink>,
    /// Links that were carried on since the last one began.
    carried: RefCell<Vec<NodeId>>,
}

impl Tokens {
    fn unlink_carried(&self) {
        let mut dom = self.tree.sink.dom.borrow_mut();
        for id in self.carried.borrow_mut().drain(..) {
            if let Content::Element { attributes, .. } = &mut dom.nodes[id].content {
                attributes.clear();
            }
        }
    }
}

impl TokenSink for Tokens {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeId> {
        let kind = match &token {
            Token::TagToken(Tag { kind, name, .. }) if *name == local_name!("a") => Some(*kind),
            _ => None,
        };
        let result = self.tree.process_token(token, line);
        let mut made = self.tree.sink.anchors.take();
        match kind {
            // Somebody closed it: then it was meant to go so far.
            Some(TagKind::EndTag) => self.carried.borrow_mut().clear(),
            Some(TagKind::StartTag) => {
                // The last one made is the link itself.
                made.pop();
                self.carried.borrow_mut().append(&mut made);
                self.unlink_carried();
            }
            None => self.carried.borrow_mut().append(&mut made),
        }
        result
    }

    fn end(&self) {
        self.tree.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.tree.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// What the parser builds the tree with.
struct Sink {
    dom: RefCell<Dom>,
    /// The links that were made for the tag at hand.
    anchors: RefCell<Vec<NodeId>>,
}

/// The name of an element, taken out of the tree.
#[derive(Debug)]
struct OwnedName {
    ns: Namespace,
    local: LocalName,
}

impl ElemName for OwnedName {
    fn ns(&self) -> &Namespace {
        &self.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.local
    }
}

impl TreeSink for Sink {
    type Handle = NodeId;
    type Output = Dom;
    type ElemName<'a> = OwnedName;

    fn finish(self) -> Dom {
        self.dom.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        0
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> OwnedName {
        match &self.dom.borrow().nodes[*target].content {
            Content::Element { name, .. } => {
                OwnedName { ns: name.ns.clone(), local: name.local.clone() }
            }
            _ => OwnedName { ns: Namespace::default(), local: LocalName::default() },
        }
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        _: ElementFlags,
    ) -> NodeId {
        let is_link = name.local == local_name!("a");
        let id = self.dom.borrow_mut().push(Content::Element { name, attributes });
        if is_link {
            self.anchors.borrow_mut().push(id);
        }
        id
    }

    fn create_comment(&self, _: StrTendril) -> NodeId {
        self.dom.borrow_mut().push(Content::Other)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> NodeId {
        self.dom.borrow_mut().push(Content::Other)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        let mut dom = self.dom.borrow_mut();
        let id = match child {
            NodeOrText::AppendNode(id) => id,
            NodeOrText::AppendText(letters) => {
                let last = dom.nodes[*parent].last;
                if dom.extend_text(last, &letters) {
                    return;
                }
                dom.push(Content::Text(letters))
            }
        };
        dom.append(*parent, id);
    }

    fn append_based_on_parent_node(
        &self,
        element: &NodeId,
        previous: &NodeId,
        child: NodeOrText<NodeId>,
    ) {
        if self.dom.borrow().parent(*element).is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        *target
    }

    fn same_node(&self, one: &NodeId, other: &NodeId) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &NodeId, new: NodeOrText<NodeId>) {
        let mut dom = self.dom.borrow_mut();
        let id = match new {
            NodeOrText::AppendNode(id) => id,
            NodeOrText::AppendText(letters) => {
                let before = dom.nodes[*sibling].before;
                if dom.extend_text(before, &letters) {
                    return;
                }
                dom.push(Content::Text(letters))
            }
        };
        dom.insert_before(*sibling, id);
    }

    fn add_attrs_if_missing(&self, target: &NodeId, more: Vec<Attribute>) {
        if let Content::Element { attributes, .. } =
            &mut self.dom.borrow_mut().nodes[*target].content
        {
            for attribute in more {
                if attributes.iter().all(|there| there.name != attribute.name) {
                    attributes.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.dom.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        let mut dom = self.dom.borrow_mut();
        while let Some(child) = dom.first_child(*node) {
            dom.append(*new_parent, child);
        }
    }
}

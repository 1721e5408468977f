//! Where things stand in a YAML text: its comments, and the lines each top-level key occupies.
//!
//! Positions come from the same parser that reads the values, so both always agree on what is a
//! comment and what is a `#` inside a string.

use std::ops::Range;

use serde_saphyr::granit_parser::{self, Event, Parser, StructureStyle};

/// The layout of one document.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// Every comment with its `#`, in order.
    pub(crate) comments: Vec<String>,
    /// What the document consists of.
    pub(crate) root: Root,
}

/// The shape of a document's top level.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum Root {
    /// Nothing but comments and blank lines.
    #[default]
    Empty,
    /// One `key: value` under the other.
    Block(Vec<Entry>),
    /// `{key: value}`; the bytes from brace to brace.
    Flow(Range<usize>),
    /// A shape with no simple line structure (explicit `?` keys, a list, a scalar).
    Other,
}

/// One top-level key with its value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    /// Whole lines, from the key's first byte on its line up to and including the line break
    /// after the value's last line. Comments above the key are outside.
    pub(crate) lines: Range<usize>,
    /// How many spaces stand before the key.
    pub(crate) indent: usize,
}

impl Layout {
    /// Looks at a text that [`super::parse`] accepts; `None` if the parser disagrees.
    pub(crate) fn of(text: &str) -> Option<Layout> {
        let options = granit_parser::options! {
            emit_comments: true,
            max_buffered_comment_events: usize::MAX,
        };
        let mut walk = Walk { text, ..Walk::default() };
        for next in Parser::new_from_str_with_options(text, options) {
            let (event, span) = next.ok()?;
            walk.event(&event, span.byte_range()?)?;
        }
        Some(walk.finish())
    }
}

/// Bookkeeping while the events of a document pass by.
#[derive(Default)]
struct Walk<'t> {
    text: &'t str,
    layout: Layout,
    depth: usize,
    /// Where the flow mapping at the top began.
    flow_start: Option<usize>,
    /// The entry being read: its key, where that begins, where its content ends so far.
    open: Option<(String, usize, usize)>,
    /// Inside the top mapping a key is expected next (else a value).
    key_next: bool,
    /// The top level cannot be described by lines.
    odd: bool,
}

impl Walk<'_> {
    fn event(&mut self, event: &Event<'_>, range: Range<usize>) -> Option<()> {
        match event {
            Event::Comment(..) => self.layout.comments.push(self.text.get(range)?.to_string()),
            Event::MappingStart(style, ..) if self.depth == 0 => {
                self.depth = 1;
                self.key_next = true;
                if *style == StructureStyle::Flow {
                    self.flow_start = Some(range.start);
                } else {
                    self.layout.root = Root::Block(Vec::new());
                }
            }
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                self.node(None, &range);
                self.depth += 1;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                self.depth = self.depth.checked_sub(1)?;
                self.extend(&range);
                if self.depth == 0 {
                    self.close();
                    if let Some(start) = self.flow_start {
                        self.layout.root = Root::Flow(start..range.end);
                    }
                }
            }
            Event::Scalar(value, ..) => self.node(Some(value), &range),
            Event::Alias(..) => self.node(None, &range),
            _ => {}
        }
        Some(())
    }

    /// A node begins: a key or a value of the top mapping, or something deeper.
    fn node(&mut self, scalar: Option<&str>, range: &Range<usize>) {
        match self.depth {
            // An absent document is reported as an empty scalar.
            0 => self.odd |= !range.is_empty() || scalar.is_none(),
            1 if self.key_next => {
                self.close();
                match scalar {
                    Some(key) => self.open = Some((key.to_string(), range.start, range.end)),
                    None => self.odd = true,
                }
                self.key_next = false;
            }
            1 => {
                self.extend(range);
                self.key_next = true;
            }
            _ => self.extend(range),
        }
    }

    /// Content of the open entry reaches at least to the end of `range`. Ends of block
    /// collections are empty ranges at the beginning of whatever follows, and say nothing.
    fn extend(&mut self, range: &Range<usize>) {
        if let Some((.., end)) = &mut self.open
            && !range.is_empty()
        {
            *end = (*end).max(range.end);
        }
    }

    /// The open entry is complete.
    fn close(&mut self) {
        let Some((key, start, end)) = self.open.take() else { return };
        let Root::Block(entries) = &mut self.layout.root else { return };
        match entry_lines(self.text, start, end) {
            Some((lines, indent)) => entries.push(Entry { key, lines, indent }),
            None => self.odd = true,
        }
    }

    fn finish(mut self) -> Layout {
        if self.odd {
            self.layout.root = Root::Other;
        }
        self.layout
    }
}

/// Widens content to whole lines; `None` if something else stands before the key on its line.
fn entry_lines(text: &str, start: usize, end: usize) -> Option<(Range<usize>, usize)> {
    let before = text.get(..start)?;
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    // A byte order mark is not part of the first line.
    let line_start = if before[line_start..].starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        line_start
    };
    let margin = before.get(line_start..)?;
    if !margin.bytes().all(|byte| byte == b' ') {
        return None;
    }
    // A block scalar's range includes the blank lines behind it, which nobody would call part of
    // the setting.
    let end = start + text.get(start..end)?.trim_end().len();
    let line_end = text.get(end..)?.find('\n').map_or(text.len(), |at| end + at + 1);
    Some((line_start..line_end, margin.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of each entry, by key.
    fn entries(text: &str) -> Vec<(String, &str)> {
        match Layout::of(text).unwrap().root {
            Root::Block(entries) => entries.into_iter().map(|e| (e.key, &text[e.lines])).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn finds_the_lines_of_every_key() {
        let text = "\u{feff}# top\r\na: 1 # one\r\n\r\nb:\r\n  # in b\r\n  x: 'é' # q\r\n# z\r\nc: |\r\n  text\r\n  # no\r\n\r\n# after\r\nd: {a: 1,\r\n b: 2} # flow\r\ne:\r\nf:\r\n- a\r\n- b: 1\r\n  # in f\r\n\"g\": &x\r\n  h: *x";
        let text = text.replace("*x", "x");
        let found = entries(&text);
        let expected = [
            ("a", "a: 1 # one\r\n"),
            ("b", "b:\r\n  # in b\r\n  x: 'é' # q\r\n"),
            ("c", "c: |\r\n  text\r\n  # no\r\n"),
            ("d", "d: {a: 1,\r\n b: 2} # flow\r\n"),
            ("e", "e:\r\n"),
            ("f", "f:\r\n- a\r\n- b: 1\r\n"),
            ("g", "\"g\": &x\r\n  h: x"),
        ];
        assert_eq!(found, expected.map(|(key, lines)| (key.to_string(), lines)));
    }

    #[test]
    fn a_mark_before_the_first_key_is_outside() {
        assert_eq!(entries("\u{feff}a: 1\n"), [("a".to_string(), "a: 1\n")]);
    }

    #[test]
    fn an_indented_top_level_is_noticed() {
        let Root::Block(found) = Layout::of("  a: 1\n  b: 2\n").unwrap().root else { panic!() };
        assert_eq!(found[1], Entry { key: "b".into(), lines: 7..14, indent: 2 });
    }

    #[test]
    fn tells_comments_from_hashes_in_text() {
        let text = "# one\na: 'x # y' # two\nb: |\n  # text\n# three\nc: http://x/#y\n";
        assert_eq!(Layout::of(text).unwrap().comments, ["# one", "# two", "# three"]);
    }

    #[test]
    fn recognises_other_shapes() {
        let root = |text| Layout::of(text).unwrap().root;
        for empty in ["", "# c\n", "---\n", "\n\n"] {
            assert_eq!(root(empty), Root::Empty, "{empty:?}");
        }
        assert_eq!(root("# c\n{a: 1} # d\n"), Root::Flow(4..10));
        for other in ["- a\n", "text\n", "? a\n: b\n", "? [a]\n: b\n"] {
            assert_eq!(root(other), Root::Other, "{other:?}");
        }
    }

    #[test]
    fn many_comments_in_a_row_are_no_problem() {
        let text = format!("a:\n{}  b: 1\n", "  # c\n".repeat(500));
        assert_eq!(Layout::of(&text).unwrap().comments.len(), 500);
    }
}

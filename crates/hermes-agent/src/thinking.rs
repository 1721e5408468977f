//! Thinking that a model writes into its answer, taken out of it.
//!
//! Some models put their thoughts between tags in the text (`<think>…</think>` and its kin), and some
//! servers leave a `<tool_call>` there that they should have read. [`ThinkingFilter`] takes an answer piece by
//! piece as it streams and gives back what is to be shown and what was thought; [`split`] does the same
//! with a whole answer. Both go through the same machine, so what was shown while it streamed is what is
//! stored in the end, however the pieces were cut.
//!
//! The rules:
//!
//! * `think`, `thinking`, `reasoning`, `thought` and `REASONING_SCRATCHPAD`, in any case, open and
//!   close thinking; any of them closes any other, because models mix them up;
//! * what is in `<tool_call>` is neither shown nor thought;
//! * a tag that is never closed reaches to the end;
//! * a closing tag on its own is dropped;
//! * a tag right behind a quote or a backtick is somebody writing about tags, and stays;
//! * white space before the first visible character is dropped.
//!
//! Time is linear in the text and at most one tag's length is held back.

/// What a tag stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThinkingTag {
    /// Thinking.
    Thinking,
    /// Thinking of the kind whose missing end means that the answer was cut.
    Scratchpad,
    /// A call that should not be in the text.
    ToolCall,
}

/// The names, in lower case. `reasoning_scratchpad` is the longest.
const TAGS: &[(&str, ThinkingTag)] = &[
    ("think", ThinkingTag::Thinking),
    ("thinking", ThinkingTag::Thinking),
    ("reasoning", ThinkingTag::Thinking),
    ("thought", ThinkingTag::Thinking),
    ("reasoning_scratchpad", ThinkingTag::Scratchpad),
    ("tool_call", ThinkingTag::ToolCall),
];

/// An answer taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThinkingSplit {
    /// What is shown.
    pub visible: String,
    /// What was thought, without the tags.
    pub reasoning: String,
    /// The tag that was still open at the end.
    pub unclosed: Option<ThinkingTag>,
}

/// Takes a whole answer apart.
///
/// ```
/// let split = hermes_agent::thinking::split("<think>2+2</think>\n\nFour.");
/// assert_eq!((split.visible.as_str(), split.reasoning.as_str()), ("Four.", "2+2"));
/// ```
#[must_use]
pub fn split(text: &str) -> ThinkingSplit {
    let mut filter = ThinkingFilter::default();
    let mut all = filter.push(text);
    let unclosed = filter.inside;
    let rest = filter.finish();
    all.visible.push_str(&rest.visible);
    all.reasoning.push_str(&rest.reasoning);
    ThinkingSplit { visible: all.visible, reasoning: all.reasoning, unclosed }
}

/// What a piece of an answer holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThinkingPieces {
    /// To be shown.
    pub visible: String,
    /// Thought.
    pub reasoning: String,
}

/// Takes an answer apart while it streams.
#[derive(Debug, Default)]
pub struct ThinkingFilter {
    /// The tag we are in.
    inside: Option<ThinkingTag>,
    /// A `<` and what followed it, as long as that may become a tag.
    pending: String,
    /// The last character before `pending`, as far as it was visible.
    before: Option<char>,
    /// Whether anything but white space was shown.
    begun: bool,
}

impl ThinkingFilter {
    /// For the rest of an answer that was cut off: white space at its beginning belongs to the text.
    #[must_use]
    pub fn of_rest() -> Self {
        Self { begun: true, ..Self::default() }
    }

    /// Takes the next piece and gives what is certain by now.
    pub fn push(&mut self, piece: &str) -> ThinkingPieces {
        let mut out = ThinkingPieces::default();
        let mut rest = piece;
        while !rest.is_empty() {
            if self.pending.is_empty() {
                let plain = rest.find('<').unwrap_or(rest.len());
                self.emit(&rest[..plain], &mut out);
                rest = &rest[plain..];
                if !rest.is_empty() {
                    self.pending.push('<');
                    rest = &rest[1..];
                }
                continue;
            }
            let Some(next) = rest.chars().next() else { break };
            if next == '<' {
                // No tag holds a second `<`: what was held back is text, and a new try begins.
                self.release(&mut out);
                continue;
            }
            self.pending.push(next);
            rest = &rest[next.len_utf8()..];
            if next == '>' {
                self.tag(&mut out);
            } else if !may_become_tag(&self.pending) {
                self.release(&mut out);
            }
        }
        out
    }

    /// The end of the answer: gives what was held back.
    pub fn finish(mut self) -> ThinkingPieces {
        let mut out = ThinkingPieces::default();
        self.release(&mut out);
        out
    }

    /// `pending` ends in `>`: a tag of ours, or text.
    fn tag(&mut self, out: &mut ThinkingPieces) {
        let Some((tag, closes)) = read_tag(&self.pending) else { return self.release(out) };
        match self.inside {
            Some(open)
                if closes && (open == ThinkingTag::ToolCall) == (tag == ThinkingTag::ToolCall) =>
            {
                self.inside = None;
                self.before = None;
                self.pending.clear();
            }
            None if !self.before.is_some_and(|c| matches!(c, '`' | '"' | '\'')) => {
                if !closes {
                    self.inside = Some(tag);
                }
                self.pending.clear();
            }
            _ => self.release(out),
        }
    }

    /// What was held back is no tag.
    fn release(&mut self, out: &mut ThinkingPieces) {
        let text = std::mem::take(&mut self.pending);
        self.emit(&text, out);
    }

    fn emit(&mut self, text: &str, out: &mut ThinkingPieces) {
        match self.inside {
            Some(ThinkingTag::ToolCall) => {}
            Some(ThinkingTag::Thinking | ThinkingTag::Scratchpad) => out.reasoning.push_str(text),
            None => {
                let text = if self.begun { text } else { text.trim_start() };
                if let Some(last) = text.chars().next_back() {
                    self.begun = true;
                    self.before = Some(last);
                    out.visible.push_str(text);
                }
            }
        }
    }
}

/// The tag's meaning, and whether it closes.
fn read_tag(text: &str) -> Option<(ThinkingTag, bool)> {
    let inner = text.strip_prefix('<')?.strip_suffix('>')?;
    let (name, closes) = match inner.strip_prefix('/') {
        Some(name) => (name, true),
        None => (inner, false),
    };
    let (_, tag) = TAGS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    Some((*tag, closes))
}

fn may_become_tag(text: &str) -> bool {
    let name = text.trim_start_matches('<');
    let name = name.strip_prefix('/').unwrap_or(name).as_bytes();
    TAGS.iter().any(|(known, _)| {
        known.as_bytes().get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
    })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn visible(text: &str) -> String {
        split(text).visible
    }

    #[test]
    fn every_kind_of_tag_in_any_case_is_taken_out() {
        for name in ["think", "THINKING", "Reasoning", "thought", "REASONING_SCRATCHPAD"] {
            let split = split(&format!("A<{name}>x < y</{name}>B"));
            assert_eq!(
                (split.visible.as_str(), split.reasoning.as_str()),
                ("AB", "x < y"),
                "{name}"
            );
        }
        assert_eq!(visible("A<tool_call>{\"name\": 1}</tool_call>B"), "AB");
    }

    #[test]
    fn an_unclosed_tag_reaches_to_the_end_and_is_named() {
        let cut = split("Sure.<REASONING_SCRATCHPAD>hm");
        assert_eq!((cut.visible.as_str(), cut.reasoning.as_str()), ("Sure.", "hm"));
        assert_eq!(cut.unclosed, Some(ThinkingTag::Scratchpad));
        assert_eq!(split("fine").unclosed, None);
    }

    #[test]
    fn a_closing_tag_on_its_own_is_dropped_and_kinds_may_be_mixed() {
        assert_eq!(visible("</think>Hello"), "Hello");
        assert_eq!(visible("<think>a</thinking>b"), "b");
        assert_eq!(visible("<tool_call>a</think>b"), "");
    }

    #[test]
    fn writing_about_tags_stays_readable() {
        for text in
            ["Use `<think>` and `</think>`.", "\"<tool_call>\"", "a < b > c", "<thinker>", "<b>"]
        {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn no_blank_lines_are_left_where_thinking_was_at_the_start() {
        assert_eq!(visible(" \n<think>x</think>\n\nAnswer\n"), "Answer\n");
    }

    #[test]
    fn long_hostile_text_takes_linear_time() {
        let text = "<think".repeat(300_000) + &"<<<<".repeat(300_000);
        assert_eq!(visible(&text), text);
    }

    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("<think>"),
            Just("</think>"),
            Just("<TOOL_CALL>"),
            Just("</tool_call>"),
            Just("<reasoning_scratchpad>"),
            Just("</Thought>"),
            Just("<"),
            Just("</"),
            Just(">"),
            Just("think"),
            Just("`"),
            Just("\""),
            Just(" "),
            Just("\n"),
            Just("é"),
            Just("word"),
        ];
        vec(piece, 0..14).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn streaming_gives_the_same_as_the_whole(text in text(), cuts in vec(any::<prop::sample::Index>(), 0..6)) {
            let mut at: Vec<usize> = cuts
                .iter()
                .map(|cut| cut.index(text.len() + 1))
                .filter(|cut| text.is_char_boundary(*cut))
                .chain([0, text.len()])
                .collect();
            at.sort_unstable();
            let mut filter = ThinkingFilter::default();
            let mut streamed = ThinkingSplit { unclosed: split(&text).unclosed, ..ThinkingSplit::default() };
            for cut in at.windows(2) {
                let pieces = filter.push(&text[cut[0]..cut[1]]);
                streamed.visible += &pieces.visible;
                streamed.reasoning += &pieces.reasoning;
            }
            let rest = filter.finish();
            streamed.visible += &rest.visible;
            streamed.reasoning += &rest.reasoning;
            prop_assert_eq!(streamed, split(&text));
        }

        #[test]
        fn text_without_tags_is_left_alone(text in "[a-z <>/`\n]{0,40}") {
            prop_assume!(!text.contains("<think") && !text.contains("</think"));
            prop_assert_eq!(visible(&text), text.trim_start());
        }
    }
}

//! The text of one walk, and what the rules ask it and tell it.

use std::borrow::Cow;
use std::ops::Range;

use super::{RedactMode, mask, secret_documents, terminal};

/// What a mode does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RedactRules {
    /// Whether values are hidden because of the name they are assigned to.
    pub(super) names: Names,
    /// What remains of a hidden value.
    pub(super) remains: Remains,
    /// Whether query parameters of URLs are looked at.
    pub(super) queries: Queries,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    Guess,
    Ignore,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remains {
    Ends,
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Queries {
    Look,
    Pass,
}

impl RedactRules {
    pub(super) fn of(mode: RedactMode<'_>) -> Self {
        let full = Self { names: Names::Guess, remains: Remains::Ends, queries: Queries::Pass };
        match mode {
            RedactMode::Full => full,
            RedactMode::UrlCredentials => Self { queries: Queries::Look, ..full },
            RedactMode::CodeFile => Self { names: Names::Ignore, ..full },
            RedactMode::FileRead => {
                Self { names: Names::Ignore, remains: Remains::Nothing, ..full }
            }
            RedactMode::Terminal { command } if terminal::prints_environment(command) => full,
            RedactMode::Terminal { .. } => Self { names: Names::Ignore, ..full },
        }
    }

    /// Whether the text may be source code.
    pub(super) fn code(self) -> bool {
        self.names == Names::Ignore
    }

    /// What stands for a value.
    pub(super) fn hide(self, value: &str) -> Cow<'static, str> {
        match self.remains {
            Remains::Ends => mask::shorten(value),
            Remains::Nothing => mask::MASK.into(),
        }
    }
}

/// Where the next `-----END …PRIVATE KEY…-----` stands: searched once, not once for each beginning.
#[derive(Default)]
pub(super) struct KeyEnds {
    pub(super) searched_from: usize,
    pub(super) found: Option<Option<(usize, usize)>>,
}

/// The text, what has been decided about it, and what the rules remember between hits.
pub(super) struct SecretScan<'t> {
    pub(super) text: &'t str,
    pub(super) rules: RedactRules,
    /// Everything before is decided.
    done: usize,
    output: String,
    copied: usize,
    /// The line that was last asked about, and whether a URL is in it.
    line: (Range<usize>, bool),
    /// End of the last URL whose query was looked at.
    pub(super) url_end: usize,
    /// End of the last table that was read.
    pub(super) table_end: usize,
    /// The last line that was looked at and is no line of headings.
    pub(super) plain_line: Range<usize>,
    /// A part of the last line in which no value stands that [`nearby`](super::nearby) looks for.
    pub(super) plain_near: Range<usize>,
    pub(super) key_ends: KeyEnds,
    /// The documents with secrets, once somebody asked for them.
    secret_documents: Option<Vec<Range<usize>>>,
}

impl<'t> SecretScan<'t> {
    pub(super) fn new(text: &'t str, rules: RedactRules) -> Self {
        Self {
            text,
            rules,
            done: 0,
            output: String::new(),
            copied: 0,
            line: (0..0, false),
            url_end: 0,
            table_end: 0,
            plain_line: 0..0,
            plain_near: 0..0,
            key_ends: KeyEnds::default(),
            secret_documents: None,
        }
    }

    /// The text with everything hidden, if anything is.
    pub(super) fn finish(mut self) -> Option<String> {
        if self.copied == 0 {
            return None;
        }
        self.output.push_str(&self.text[self.copied..]);
        Some(self.output)
    }

    pub(super) fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    /// The byte at a position, or zero beyond the end.
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes().get(at).copied().unwrap_or(0)
    }

    /// The byte before a position, or zero at the start.
    pub(super) fn byte_before(&self, at: usize) -> u8 {
        at.checked_sub(1).map_or(0, |before| self.byte(before))
    }

    /// Where undecided text begins.
    pub(super) fn done(&self) -> usize {
        self.done
    }

    /// Puts something in place of a part of the text.
    pub(super) fn replace(&mut self, range: Range<usize>, with: &str) {
        self.output.push_str(&self.text[self.copied..range.start]);
        self.output.push_str(with);
        self.copied = range.end;
        self.done = range.end;
    }

    /// Leaves a part of the text as it is, against all other rules.
    pub(super) fn keep(&mut self, range: Range<usize>) {
        self.done = self.done.max(range.end);
    }

    /// Hides a value, unless it is hidden already.
    pub(super) fn hide(&mut self, range: Range<usize>) {
        let value = &self.text[range.clone()];
        if mask::is_masked(value) {
            self.keep(range);
        } else {
            let hidden = self.rules.hide(value);
            self.replace(range, &hidden);
        }
    }

    /// Whether the line around a position has a URL in it.
    pub(super) fn line_has_url(&mut self, at: usize) -> bool {
        if !self.line.0.contains(&at) {
            let bytes = self.bytes();
            let start = memchr::memrchr(b'\n', &bytes[self.line.0.end.min(at)..at])
                .map_or(self.line.0.end.min(at), |newline| self.line.0.end.min(at) + newline + 1);
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end + 1);
            let has_url = memchr::memmem::find(&bytes[start..end], b"://").is_some();
            self.line = (start..end, has_url);
        }
        self.line.1
    }

    /// Whether a position lies in a document that holds secrets.
    pub(super) fn in_secret_document(&mut self, at: usize) -> bool {
        let text = self.text;
        let documents =
            self.secret_documents.get_or_insert_with(|| secret_documents::documents(text));
        let next = documents.partition_point(|document| document.end <= at);
        documents.get(next).is_some_and(|document| document.contains(&at))
    }

    /// From a position, the end of the bytes that pass a test.
    pub(super) fn run_end(&self, from: usize, test: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes().get(from..).unwrap_or_default();
        from + rest.iter().position(|&byte| !test(byte)).unwrap_or(rest.len())
    }

    /// The same, at most so many bytes.
    pub(super) fn run_end_within(
        &self,
        from: usize,
        most: usize,
        test: impl Fn(u8) -> bool,
    ) -> usize {
        let rest = self.bytes().get(from..).unwrap_or_default();
        let rest = &rest[..rest.len().min(most)];
        from + rest.iter().position(|&byte| !test(byte)).unwrap_or(rest.len())
    }

    /// Up to a position, the start of the bytes that pass a test, at most so many.
    pub(super) fn run_start(&self, to: usize, most: usize, test: impl Fn(u8) -> bool) -> usize {
        let from = to.saturating_sub(most);
        let before = &self.bytes()[from..to];
        from + before.iter().rposition(|&byte| !test(byte)).map_or(0, |at| at + 1)
    }
}

/// White space and control characters.
pub(super) fn is_blank(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7f
}

/// Blanks within a line.
pub(super) fn is_gap(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// What words and names are made of; every part of a character beyond ASCII counts.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// What keys and tokens are made of.
pub(super) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

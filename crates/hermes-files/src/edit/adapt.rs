//! The replacement as it is written into one place of the file.
//!
//! The caller's replacement is written to fit the caller's quotation. Where the file has the
//! quoted text in another shape, the replacement is taken over line by line: lines it shares
//! with the quotation stay as the file has them, bytes and all; other lines get the file's
//! indentation and, where the quotation differed from the file only in look-alike characters,
//! the file's characters. Every line break is spelled as the one it replaces, or as the nearest.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::align::{LineOrigin, align};
use super::blank::{indent, is_blank, trim, trim_end, trim_start};
use super::escapes::{drifted, resolve_tabs};
use super::indent::IndentMap;
use super::preserve::preserve;
use super::quote::Quote;
use super::search::QuoteMatch;
use super::strategy::MatchStrategy;
use super::text::{LineEnding, Text, lf_only};

/// What to write over which span of the LF text.
pub(super) struct Adaptation {
    pub(super) span: Range<usize>,
    pub(super) bytes: Vec<u8>,
}

/// The place has no backslash before quotes, quotation and replacement do.
pub(super) struct Drift;

/// Writes one replacement into any number of places.
pub(super) struct Adapter<'a> {
    text: &'a Text<'a>,
    strategy: MatchStrategy,
    quote: Quote<'a>,
    old: &'a str,
    new: Cow<'a, str>,
    /// How the replacement itself breaks lines, for a file that has no line break.
    own_ending: LineEnding,
    /// The last replacement with tabs resolved, and how its lines go with the quotation's.
    last: Option<Lines>,
}

/// A replacement taken apart. Holds its own text, since that can depend on the place.
struct Lines {
    new: String,
    origins: Vec<LineOrigin>,
    /// The last line break of the replacement stands for that of the quotation.
    shares_terminator: bool,
}

impl<'a> Adapter<'a> {
    pub(super) fn new(text: &'a Text<'a>, found: &'a QuoteMatch<'_>, new: &'a str) -> Self {
        let own_ending = if new.contains("\r\n") { LineEnding::CrLf } else { LineEnding::Lf };
        let new = match &found.escapes {
            Some(escapes) => Cow::Owned(lf_only(&escapes.resolve(new)).into_owned()),
            None => lf_only(new),
        };
        let quote = Quote::new(&found.old);
        Self { text, strategy: found.strategy, quote, old: &found.old, new, own_ending, last: None }
    }

    /// The patch for one place. It reaches back no further than `floor`, where the patch before
    /// it ended.
    pub(super) fn patch(&mut self, span: Range<usize>, floor: usize) -> Result<Adaptation, Drift> {
        let literal =
            matches!(self.strategy, MatchStrategy::Exact | MatchStrategy::EscapeNormalized);
        let matched = &self.text.lf()[span.clone()];
        if self.strategy != MatchStrategy::Exact && drifted(self.old, &self.new, matched) {
            return Err(Drift);
        }
        let lines = self.take_lines(matched);
        let patch = if literal {
            self.literal(&lines, span)
        } else {
            self.fitted(&lines, self.whole_indent(span, floor))
        };
        self.last = Some(lines);
        Ok(patch)
    }

    /// The lines of the replacement for this place, made anew only if the place asks for it.
    fn take_lines(&mut self, matched: &[u8]) -> Lines {
        let new = resolve_tabs(&self.new, matched);
        if let Some(last) = self.last.take().filter(|last| last.new == *new) {
            return last;
        }
        let shares_terminator = self.quote.terminated && new.ends_with('\n');
        let new = new.into_owned();
        let origins = align(&self.quote.lines, &split(&new, shares_terminator));
        Lines { new, origins, shares_terminator }
    }

    /// The replacement as written; only its line breaks are the file's.
    fn literal(&self, lines: &Lines, span: Range<usize>) -> Adaptation {
        let mut new = split(&lines.new, lines.shares_terminator);
        let mut bytes = Vec::with_capacity(lines.new.len());
        if lines.shares_terminator {
            new.push(b"");
        }
        let endings = self.endings(&span, &lines.origins);
        join(&mut bytes, new.into_iter().map(Cow::Borrowed), endings);
        Adaptation { span, bytes }
    }

    /// The replacement fitted to what the file has at this place.
    fn fitted(&self, lines: &Lines, span: Range<usize>) -> Adaptation {
        let core = self.without_terminator(span);
        // The quotation's last line break stands for that of its last line, if there is one.
        let follows = self.text.lf().get(core.end) == Some(&b'\n');
        let terminated = self.quote.terminated && follows;
        let span = core.start..core.end + usize::from(terminated);
        if lines.new.is_empty() {
            return Adaptation { span, bytes: Vec::new() };
        }
        let place = AdaptedSpan::new(self.text.lf(), core, &self.quote.lines);
        let new = split(&lines.new, lines.shares_terminator);
        let last = new.len() - 1;
        let fitted = new.iter().zip(&lines.origins).enumerate().map(|(at, (line, origin))| {
            if at == last && line.is_empty() && !lines.shares_terminator {
                // Not a line, but what follows the last line break.
                return Cow::Borrowed(*line);
            }
            place.fit(at, line, *origin)
        });
        let mut bytes = Vec::with_capacity(lines.new.len());
        let terminator = (terminated && lines.shares_terminator).then_some(Cow::Borrowed(&b""[..]));
        let endings = self.endings(&span, &lines.origins);
        join(&mut bytes, fitted.chain(terminator), endings);
        Adaptation { span, bytes }
    }

    /// The span with the indent before it, if there is nothing else before it on its line.
    fn whole_indent(&self, span: Range<usize>, floor: usize) -> Range<usize> {
        let start = self.text.line_start(span.start);
        // From the end, so that the many places on one long line do not each walk all of it.
        let before = trim_end(&self.text.lf()[start..span.start]);
        if before.is_empty() && start >= floor { start..span.end } else { span }
    }

    /// The span without the line break that the quotation's own last one matched, if any.
    fn without_terminator(&self, span: Range<usize>) -> Range<usize> {
        let breaks = memchr::memchr_iter(b'\n', &self.text.lf()[span.clone()]).count();
        let extra = breaks + 1 > self.quote.lines.len();
        span.start..span.end - usize::from(extra)
    }

    /// The line break after each line of the replacement.
    fn endings<'s>(
        &'s self,
        span: &Range<usize>,
        origins: &'s [LineOrigin],
    ) -> impl Iterator<Item = LineEnding> + use<'s> {
        let near = self.text.ending_near(span.start).unwrap_or(self.own_ending);
        let replaced: Vec<_> = memchr::memchr_iter(b'\n', &self.text.lf()[span.clone()])
            .map(|lf| self.text.ending_at(span.start + lf))
            .collect();
        let mut last = near;
        origins.iter().map(move |origin| {
            last = replaced.get(origin.near()).copied().unwrap_or(last);
            last
        })
    }
}

/// A place whose text differs from the quotation, line by line.
struct AdaptedSpan<'p> {
    quoted: &'p [&'p [u8]],
    actual: Vec<&'p [u8]>,
    known: Known<'p>,
    /// `None` if the indentation agrees.
    indents: Option<IndentMap<'p>>,
    /// Whether the place begins in the middle of a line of the file.
    mid_line: bool,
}

impl<'p> AdaptedSpan<'p> {
    fn new(text: &'p [u8], span: Range<usize>, quoted: &'p [&'p [u8]]) -> Self {
        let mid_line = span.start > 0 && text[span.start - 1] != b'\n';
        let actual: Vec<_> = text[span].split(|byte| *byte == b'\n').collect();
        // A first line that begins in the middle of the file's line shows no indent.
        let pairs = quoted.iter().zip(&actual).enumerate().skip(usize::from(mid_line));
        let indents = IndentMap::learn(pairs.map(|(at, (old, file))| (at, *old, *file)));
        Self { quoted, actual, known: Known::new(quoted), indents, mid_line }
    }

    /// A line of the replacement as it is to be written here.
    fn fit<'l>(&'l self, at: usize, line: &'l [u8], origin: LineOrigin) -> Cow<'l, [u8]> {
        if let Some(same) = self.known.same(line, origin) {
            return Cow::Borrowed(self.actual[same]);
        }
        let kept = match origin {
            LineOrigin::Instead(old) => {
                preserve(trim(self.quoted[old]), trim(self.actual[old]), trim(line))
            }
            _ => None,
        };
        let margin = match &self.indents {
            Some(map) if !(is_blank(line) || self.mid_line && at == 0) => {
                Cow::Owned(map.translate(indent(line), origin.near()))
            }
            _ => Cow::Borrowed(indent(line)),
        };
        let body = trim_start(line);
        let tail = &body[trim_end(body).len()..];
        let body = kept.as_deref().unwrap_or(trim_end(body));
        Cow::Owned([margin.as_ref(), body, tail].concat())
    }
}

/// The lines of the quotation by their text, for lines that the replacement moved.
struct Known<'a>(HashMap<&'a [u8], Vec<usize>>);

impl<'a> Known<'a> {
    fn new(quoted: &[&'a [u8]]) -> Self {
        let mut known: HashMap<_, Vec<_>> = HashMap::new();
        for (number, line) in quoted.iter().enumerate().filter(|(_, line)| !is_blank(line)) {
            known.entry(*line).or_default().push(number);
        }
        Self(known)
    }

    /// The line of the quotation that this line of the replacement is: by its origin, or else
    /// the nearest of those with its text.
    fn same(&self, line: &[u8], origin: LineOrigin) -> Option<usize> {
        if let LineOrigin::Same(number) = origin {
            return Some(number);
        }
        let numbers = self.0.get(line)?;
        let after = numbers.partition_point(|number| *number < origin.near());
        let around = numbers[after.saturating_sub(1)..].iter().take(2).copied();
        around.min_by_key(|number| number.abs_diff(origin.near()))
    }
}

/// The lines of a replacement, without the empty one after a line break that is not its own.
fn split(new: &str, shares_terminator: bool) -> Vec<&[u8]> {
    let new = if shares_terminator { new.strip_suffix('\n').unwrap_or(new) } else { new };
    new.as_bytes().split(|byte| *byte == b'\n').collect()
}

/// Writes lines with line breaks between them.
fn join<'l>(
    bytes: &mut Vec<u8>,
    lines: impl Iterator<Item = Cow<'l, [u8]>>,
    mut endings: impl Iterator<Item = LineEnding>,
) {
    for (at, line) in lines.enumerate() {
        if at > 0 {
            bytes.extend_from_slice(endings.next().unwrap_or(LineEnding::Lf).bytes());
        }
        bytes.extend_from_slice(&line);
    }
}

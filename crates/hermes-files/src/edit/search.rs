//! The chain of strategies: from literal to approximate, the first that finds anything decides.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use memchr::memmem;

use super::ReplaceScope;
use super::anchor::anchored;
use super::error::MAX_LISTED_LINES;
use super::escapes::Escapes;
use super::fold::fold;
use super::occurrences::{Occurrences, Overlap, literal, literal_if};
use super::quote::Quote;
use super::spacing::{LineKey, single_spaced};
use super::strategy::MatchStrategy;
use super::text::{Text, lf_only};
use super::view::NormalizedView;
use super::windows::windows;

/// Where and how the quotation was found.
pub(super) struct QuoteMatch<'q> {
    pub(super) strategy: MatchStrategy,
    /// Spans of the LF text. Where whole lines match, without the last line break.
    pub(super) hits: Occurrences,
    /// The quotation as it was found: with escapes resolved, if that was the way.
    pub(super) old: Cow<'q, str>,
    /// The escapes to resolve in the replacement too.
    pub(super) escapes: Option<Escapes>,
}

/// A search in one text; what several strategies need is made once.
pub(super) struct QuoteSearch<'t> {
    text: &'t Text<'t>,
    scope: ReplaceScope,
    folded: OnceCell<NormalizedView<'t>>,
}

impl<'t> QuoteSearch<'t> {
    pub(super) fn new(text: &'t Text<'t>, scope: ReplaceScope) -> Self {
        Self { text, scope, folded: OnceCell::new() }
    }

    /// Tries every strategy.
    pub(super) fn find<'q>(&self, old: &'q str) -> Option<QuoteMatch<'q>> {
        let quote = Quote::new(old);
        let direct =
            |(strategy, hits)| QuoteMatch { strategy, hits, old: old.into(), escapes: None };
        if let Some(hits) = some(self.exact(old)) {
            return Some(direct((MatchStrategy::Exact, hits)));
        }
        if quote.is_blank() {
            return None;
        }
        let words_agree = self.words_may_agree(&quote);
        (words_agree.then(|| self.by_blanks(&quote)).flatten().map(direct))
            .or_else(|| self.by_escapes(old))
            .or_else(|| self.by_look(&quote).map(direct))
            .or_else(|| words_agree.then(|| self.by_spacing(&quote)).flatten().map(direct))
            .or_else(|| self.by_anchors(&quote).map(direct))
    }

    /// Whether a quotation is found without guessing at escapes or similarity. Used to tell
    /// a quotation with stray backslashes from one that is plainly wrong.
    pub(super) fn first_close_match(&self, old: &str) -> Option<usize> {
        let quote = Quote::new(old);
        let hits = some(self.exact(old)).or_else(|| {
            if quote.is_blank() {
                return None;
            }
            let found = self.by_blanks(&quote).or_else(|| self.by_look(&quote));
            found.map(|(_, hits)| hits)
        })?;
        hits.spans.first().map(|span| span.start)
    }

    fn exact(&self, old: &str) -> Occurrences {
        literal(self.text.lf(), old.as_bytes(), self.keep())
    }

    fn words_may_agree(&self, quote: &Quote<'_>) -> bool {
        let word = quote.longest_word();
        word.is_empty() || memmem::find(self.text.lf(), word).is_some()
    }

    fn by_blanks(&self, quote: &Quote<'_>) -> Option<(MatchStrategy, Occurrences)> {
        let trimmed = self.whole_lines(self.text.lf(), &quote.lines, LineKey::Trimmed, self.scope);
        if let Some(hits) = trimmed {
            return Some((MatchStrategy::LineTrimmed, hits));
        }
        let view = single_spaced(self.text.lf());
        let old = single_spaced(quote.text.as_bytes());
        let hits = self.in_view(&view, old.bytes())?;
        Some((MatchStrategy::WhitespaceNormalized, hits))
    }

    fn by_escapes<'q>(&self, old: &str) -> Option<QuoteMatch<'q>> {
        let escapes = Escapes::in_text(old)?;
        let resolved = escapes.resolve(old);
        let resolved = lf_only(&resolved).into_owned();
        if Quote::new(&resolved).is_blank() {
            return None;
        }
        let hits = some(self.exact(&resolved))?;
        let strategy = MatchStrategy::EscapeNormalized;
        Some(QuoteMatch { strategy, hits, old: Cow::Owned(resolved), escapes: Some(escapes) })
    }

    fn by_look(&self, quote: &Quote<'_>) -> Option<(MatchStrategy, Occurrences)> {
        let (view, old) = (self.folded(), quote.folded());
        if view.pieces().is_empty() && old == quote.text.as_bytes() {
            return None;
        }
        let hits = self.in_view(view, old).or_else(|| {
            let lines: Vec<_> = old.split(|byte| *byte == b'\n').take(quote.lines.len()).collect();
            self.whole_lines(view.bytes(), &lines, LineKey::Trimmed, self.scope)
        })?;
        Some((MatchStrategy::UnicodeNormalized, hits))
    }

    fn by_spacing(&self, quote: &Quote<'_>) -> Option<(MatchStrategy, Occurrences)> {
        let lines = |key| self.whole_lines(self.text.lf(), &quote.lines, key, ReplaceScope::One);
        let hits = lines(LineKey::Collapsed).or_else(|| lines(LineKey::Tight))?;
        Some((MatchStrategy::SpacingCollapsed, hits))
    }

    fn by_anchors(&self, quote: &Quote<'_>) -> Option<(MatchStrategy, Occurrences)> {
        let windows = anchored(self.folded().bytes(), quote)?;
        let hits = some(windows)?.map(|lines| self.text.lines_span(lines));
        Some((MatchStrategy::BlockAnchor, hits))
    }

    fn folded(&self) -> &NormalizedView<'t> {
        self.folded.get_or_init(|| fold(self.text.lf()))
    }

    fn in_view(&self, view: &NormalizedView<'_>, old: &[u8]) -> Option<Occurrences> {
        some(literal_if(view.bytes(), old, self.keep(), |copy| view.source(copy)))
    }

    /// Windows of whole lines in a text that has the lines of ours.
    fn whole_lines(
        &self,
        text: &[u8],
        wanted: &[&[u8]],
        key: LineKey,
        scope: ReplaceScope,
    ) -> Option<Occurrences> {
        let overlap = match scope {
            ReplaceScope::One => Overlap::Count,
            ReplaceScope::All => Overlap::Skip,
        };
        let hits = some(windows(text, wanted, key, self.keep(), overlap))?;
        Some(hits.map(|lines: Range<usize>| self.text.lines_span(lines)))
    }

    /// Places needed: all, or enough to list in an error.
    fn keep(&self) -> usize {
        match self.scope {
            ReplaceScope::One => MAX_LISTED_LINES,
            ReplaceScope::All => usize::MAX,
        }
    }
}

fn some(hits: Occurrences) -> Option<Occurrences> {
    (hits.count > 0).then_some(hits)
}

//! A file as the rules read it.
//!
//! One text, folded, in which everything that belongs together stands on one line: a command with its
//! continuations, a paragraph with its wraps, a call with its arguments. Each such line is a
//! [`Statement`] with the place it was found in. What a reader could be shown or told in another
//! spelling (spaced letters, encoded text, a comment) is added behind as statements of its own, so
//! that one pass over one text is all the matching there is.

use std::ops::Range;

use super::document::Language;

/// Where a statement stands, and so how much it weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatementContext {
    /// Text for readers.
    Prose,
    /// Something that runs, or that the reader is told to run.
    Code,
    /// Code below a heading that speaks of attacks: shown, or only said to be.
    Described,
    /// Something shown: quoted, tested, warned of.
    Example,
    /// Text that a page would not show.
    Hidden,
    /// Text that had to be decoded first.
    Decoded,
}

#[derive(Clone, Debug)]
pub(super) struct Statement {
    /// Its bytes in [`Reading::text`].
    pub(super) range: Range<usize>,
    pub(super) place: StatementContext,
    pub(super) language: Language,
}

/// A fenced block or a whole program.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) statements: Range<usize>,
    pub(super) place: StatementContext,
    pub(super) language: Language,
}

#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) text: String,
    pub(super) statements: Vec<Statement>,
    pub(super) regions: Vec<Region>,
    /// Inline code inside prose, ascending.
    pub(super) inline: Vec<Range<usize>>,
    /// Where the items of lists begin, ascending.
    pub(super) items: Vec<usize>,
    /// Where the text of a line of the file begins, ascending.
    lines: Vec<(usize, usize)>,
    open: Option<(usize, StatementContext, Language)>,
}

impl Reading {
    /// The line of the file that a byte of the text comes from.
    pub(super) fn line_at(&self, at: usize) -> usize {
        let index = self.lines.partition_point(|&(start, _)| start <= at);
        index.checked_sub(1).map_or(1, |index| self.lines[index].1)
    }

    pub(super) fn is_inline(&self, range: &Range<usize>) -> bool {
        let index = self.inline.partition_point(|span| span.start <= range.start);
        index.checked_sub(1).is_some_and(|index| self.inline[index].end >= range.end)
    }

    /// The inline code that a place of the text lies in.
    pub(super) fn inline_around(&self, at: usize) -> Option<Range<usize>> {
        let index = self.inline.partition_point(|span| span.start <= at).checked_sub(1)?;
        self.inline.get(index).filter(|span| at <= span.end).cloned()
    }

    /// Where items begin inside a range, counted from its start.
    pub(super) fn items_in(&self, range: &Range<usize>) -> Vec<usize> {
        let from = self.items.partition_point(|&item| item < range.start);
        let inside = self.items[from..].iter().take_while(|&&item| item < range.end);
        inside.map(|item| item - range.start).collect()
    }

    pub(super) fn region_text(&self, region: &Region) -> &str {
        let statements = &self.statements[region.statements.clone()];
        match (statements.first(), statements.last()) {
            (Some(first), Some(last)) => &self.text[first.range.start..last.range.end],
            _ => "",
        }
    }

    /// How much the open statement holds.
    pub(super) fn open_length(&self) -> usize {
        self.open.map_or(0, |(start, ..)| self.text.len() - start)
    }

    pub(super) fn open_text(&self) -> &str {
        self.open.map_or("", |(start, ..)| &self.text[start..])
    }

    /// Adds to the open statement, or begins one.
    pub(super) fn push(
        &mut self,
        line: usize,
        text: &str,
        place: StatementContext,
        language: Language,
    ) {
        if self.open.is_none() {
            self.open = Some((self.text.len(), place, language));
        } else if !self.text.ends_with(' ') {
            self.text.push(' ');
        }
        self.lines.push((self.text.len(), line));
        self.text.push_str(text);
    }

    /// Adds to the open statement without a blank.
    pub(super) fn push_on(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(super) fn close(&mut self) {
        if let Some((start, place, language)) = self.open.take() {
            self.statements.push(Statement { range: start..self.text.len(), place, language });
            self.text.push('\n');
        }
    }

    /// A statement of its own.
    pub(super) fn add(
        &mut self,
        line: usize,
        text: &str,
        place: StatementContext,
        language: Language,
    ) {
        self.close();
        self.push(line, text, place, language);
        self.close();
    }

    /// Everything from the statement `first` on is one region.
    pub(super) fn region_from(
        &mut self,
        first: usize,
        place: StatementContext,
        language: Language,
    ) {
        self.close();
        if first < self.statements.len() {
            let statements = first..self.statements.len();
            self.regions.push(Region { statements, place, language });
        }
    }
}

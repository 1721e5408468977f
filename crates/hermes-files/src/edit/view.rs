//! A changed copy of a text that remembers which of its stretches came from where.
//!
//! Strategies that disregard something (runs of blanks, typographic characters) search in such a
//! copy and take the hits back to the text. Only stretches that differ are remembered, so a copy
//! of plain ASCII costs nothing but the copy.

use std::borrow::Cow;
use std::ops::Range;

/// A stretch of the copy that differs from its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ViewPiece {
    /// Where it lies in the copy.
    pub(super) copy: Range<usize>,
    /// Where what it stands for lies in the source.
    pub(super) source: Range<usize>,
}

/// A copy with its way back.
#[derive(Debug)]
pub(super) struct NormalizedView<'a> {
    bytes: Cow<'a, [u8]>,
    pieces: Vec<ViewPiece>,
}

impl<'a> NormalizedView<'a> {
    /// The view of a text that needs no change.
    pub(super) fn same(source: &'a [u8]) -> Self {
        Self { bytes: Cow::Borrowed(source), pieces: Vec::new() }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn pieces(&self) -> &[ViewPiece] {
        &self.pieces
    }

    /// What a stretch of the copy stands for; `None` if it begins or ends inside a piece, where
    /// the source has no corresponding place.
    pub(super) fn source(&self, copy: Range<usize>) -> Option<Range<usize>> {
        Some(self.source_offset(copy.start)?..self.source_offset(copy.end)?)
    }

    fn source_offset(&self, offset: usize) -> Option<usize> {
        let next = self.pieces.partition_point(|piece| piece.copy.start <= offset);
        let Some(piece) = next.checked_sub(1).map(|last| &self.pieces[last]) else {
            return Some(offset);
        };
        if offset == piece.copy.start {
            Some(piece.source.start)
        } else {
            offset.checked_sub(piece.copy.end).map(|beyond| piece.source.end + beyond)
        }
    }
}

/// Builds a [`NormalizedView`] from left to right. Nothing is copied before the first difference.
pub(super) struct Copyist<'a> {
    source: &'a [u8],
    bytes: Vec<u8>,
    pieces: Vec<ViewPiece>,
    /// How much of the source the copy covers.
    done: usize,
}

impl<'a> Copyist<'a> {
    pub(super) fn new(source: &'a [u8]) -> Self {
        Self { source, bytes: Vec::new(), pieces: Vec::new(), done: 0 }
    }

    /// Everything up to the stretch is as in the source, the stretch becomes `text`.
    pub(super) fn replace(&mut self, source: Range<usize>, text: &[u8]) {
        if self.pieces.is_empty() {
            self.bytes.reserve(self.source.len());
        }
        self.bytes.extend_from_slice(&self.source[self.done..source.start]);
        let start = self.bytes.len();
        self.bytes.extend_from_slice(text);
        self.done = source.end;
        self.pieces.push(ViewPiece { copy: start..self.bytes.len(), source });
    }

    pub(super) fn finish(mut self) -> NormalizedView<'a> {
        if self.pieces.is_empty() {
            return NormalizedView::same(self.source);
        }
        self.bytes.extend_from_slice(&self.source[self.done..]);
        NormalizedView { bytes: Cow::Owned(self.bytes), pieces: self.pieces }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_back_except_from_inside_a_piece() {
        let mut copyist = Copyist::new("a—b…".as_bytes());
        copyist.replace(1..4, b"--");
        copyist.replace(5..8, b"...");
        let view = copyist.finish();
        assert_eq!(view.bytes(), b"a--b...");
        assert_eq!(view.source(0..1), Some(0..1));
        assert_eq!(view.source(1..3), Some(1..4));
        assert_eq!(view.source(3..7), Some(4..8));
        assert_eq!(view.source(0..2), None);
        assert_eq!(view.source(5..7), None);
    }
}

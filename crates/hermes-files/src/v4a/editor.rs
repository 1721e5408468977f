//! Applying hunks to one file.
//!
//! The file stays as it is; hunks only collect edits (these lines give way to those), so places
//! and line numbers always mean the file as it was. The new bytes are put together once, copying
//! everything between the edits verbatim.

use super::hint::{HintTrouble, Preference, hinted_line};
use super::indent::{IndentLevel, Indents};
use super::keep::keep_typography;
use super::lines::SourceLines;
use super::patch::{Hunk, HunkLine, Marker};
use super::strategy::{LineStrategy, trim};
use std::cell::OnceCell;
use std::ops::Range;

pub(super) mod locate;

use locate::{HunkLocation, Miss, locate};

/// Where one hunk was applied, and how its place was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedHunk {
    /// Where it begins in the patch text, from 1.
    pub patch_line: usize,
    /// First changed line of the file as it was, from 1.
    pub file_line: usize,
    /// How its lines were found; `None` for pure additions, which look for none.
    pub strategy: Option<LineStrategy>,
    /// Lines of the old file that are gone, context not counted.
    pub removed: usize,
    /// Lines of the new file, context not counted.
    pub added: usize,
}

/// A file with the changes decided so far.
pub(super) struct HunkEditor<'a> {
    lines: SourceLines<'a>,
    /// A number for each line, equal for lines that any strategy takes for the same.
    kinds: OnceCell<Vec<u64>>,
    /// By position; they never overlap.
    edits: Vec<Edit>,
    /// Behind the last line changed: the next hunk is expected from here on.
    cursor: usize,
}

struct Edit {
    old: Range<usize>,
    new: Vec<NewLine>,
    final_newline: FinalNewline,
}

struct NewLine {
    text: Vec<u8>,
    ending: &'static [u8],
}

/// What an edit at the end of the file says about the newline there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FinalNewline {
    /// As the file has it.
    Keep,
    /// The old last line is marked as lacking it, the new one is not.
    Put,
    /// The new last line is marked as lacking it.
    Drop,
}

impl<'a> HunkEditor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            lines: SourceLines::new(bytes),
            kinds: OnceCell::new(),
            edits: Vec::new(),
            cursor: 0,
        }
    }

    /// The same with lines up to `cursor` already gone through by earlier hunks.
    pub(super) fn from_line(bytes: &'a [u8], cursor: usize) -> Self {
        Self { cursor, ..Self::new(bytes) }
    }

    /// Whether any change was decided.
    pub(super) fn has_edits(&self) -> bool {
        !self.edits.is_empty()
    }

    /// Where the cursor stands in the file after all edits.
    pub(super) fn cursor_after(&self) -> usize {
        let above = self.edits.iter().filter(|edit| edit.old.end <= self.cursor);
        let (gone, new) =
            above.fold((0, 0), |(gone, new), edit| (gone + edit.old.len(), new + edit.new.len()));
        self.cursor + new - gone
    }

    /// The line of the file as it was that a line of the file after all edits stands at, both from 1.
    pub(super) fn line_before(&self, line: usize) -> usize {
        let (mut old, mut new) = (0, 0);
        for edit in &self.edits {
            let untouched = edit.old.start - old;
            if line <= new + untouched {
                break;
            }
            (old, new) = (edit.old.start, new + untouched);
            if line <= new + edit.new.len() {
                return old + 1;
            }
            (old, new) = (edit.old.end, new + edit.new.len());
        }
        old + line.saturating_sub(new)
    }

    pub(super) fn lines(&self) -> &SourceLines<'a> {
        &self.lines
    }

    /// One number for each line; different numbers mean that no strategy takes the lines for the
    /// same. Reckoned once, it rules out nearly all of a file at the price of a scan over numbers.
    pub(super) fn kinds(&self) -> &[u64] {
        self.kinds.get_or_init(|| {
            (0..self.lines.len()).map(|line| LineStrategy::kind(self.lines.text(line))).collect()
        })
    }

    pub(super) fn cursor(&self) -> usize {
        self.cursor
    }

    /// Decides one hunk that changes something.
    pub(super) fn apply(&mut self, hunk: &Hunk) -> Result<AppliedHunk, Miss> {
        let (edits, strategy) = if hunk.old_lines().next().is_some() {
            let place = locate(self, hunk)?;
            (self.replacements(hunk, &place), Some(place.strategy))
        } else {
            (vec![self.addition(hunk)?], None)
        };
        let count = |marker| hunk.lines.iter().filter(|line| line.marker == marker).count();
        let file_line = edits.first().map_or(0, |edit| edit.old.start) + 1;
        for edit in edits {
            self.insert(edit);
        }
        Ok(AppliedHunk {
            patch_line: hunk.line,
            file_line,
            strategy,
            removed: count(Marker::Remove),
            added: count(Marker::Add),
        })
    }

    /// Whether changing `span` would get into the way of a decided edit.
    pub(super) fn touches(&self, span: Range<usize>) -> bool {
        self.edits.iter().any(|edit| edit.old.start < span.end && span.start < edit.old.end)
    }

    /// The last lines above the cursor as they read now, at most `count`.
    pub(super) fn tail(&self, count: usize) -> Vec<&[u8]> {
        let mut tail = Vec::new();
        let mut line = self.cursor;
        let mut edits = self.edits.iter().rev().peekable();
        while tail.len() < count {
            if let Some(edit) = edits.next_if(|edit| edit.old.end == line) {
                tail.extend(edit.new.iter().rev().map(|new| new.text.as_slice()));
                line = edit.old.start;
            } else if line > 0 {
                line -= 1;
                tail.push(self.lines.text(line));
            } else {
                break;
            }
        }
        tail.truncate(count);
        tail.reverse();
        tail
    }

    /// The bytes of the file after all edits.
    pub(super) fn finish(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.lines.mark().len() + self.lines.body().len());
        out.extend_from_slice(self.lines.mark());
        let mut done = 0;
        for edit in &self.edits {
            let untouched = self.lines.raw(done..edit.old.start);
            out.extend_from_slice(untouched);
            done = edit.old.end;
            let Some((last, others)) = edit.new.split_last() else { continue };
            let at_end = edit.old.start == self.lines.len();
            if at_end && !untouched.is_empty() && self.lines.lacks_final_newline() {
                out.extend_from_slice(last.ending);
            }
            for line in others {
                out.extend_from_slice(&line.text);
                out.extend_from_slice(line.ending);
            }
            out.extend_from_slice(&last.text);
            if !(self.ends_file(edit) && self.drops_newline(edit)) {
                out.extend_from_slice(last.ending);
            }
        }
        out.extend_from_slice(self.lines.raw(done..self.lines.len()));
        out
    }

    /// Whether the last line of the new file comes from this edit.
    fn ends_file(&self, edit: &Edit) -> bool {
        edit.old.end == self.lines.len()
            && self.edits.last().is_some_and(|last| std::ptr::eq(last, edit))
    }

    fn drops_newline(&self, edit: &Edit) -> bool {
        match edit.final_newline {
            FinalNewline::Keep => self.lines.lacks_final_newline(),
            FinalNewline::Put => false,
            FinalNewline::Drop => true,
        }
    }

    /// The edit for a hunk with nothing but new lines.
    fn addition(&self, hunk: &Hunk) -> Result<Edit, Miss> {
        let at = self.addition_line(hunk)?;
        let ending = self.lines.ending_near(at);
        let text = |line: &HunkLine| line.text.clone().into_bytes();
        let new = hunk.lines.iter().map(|line| NewLine { text: text(line), ending }).collect();
        // Whole lines are appended; nothing in the patch speaks of a last one that is not.
        let final_newline = match final_newline(&hunk.lines) {
            FinalNewline::Keep => FinalNewline::Put,
            said => said,
        };
        Ok(Edit { old: at..at, new, final_newline })
    }

    /// Behind the hinted line; without hint where a header with no old lines (`-5,0`) says, or at
    /// the end.
    fn addition_line(&self, hunk: &Hunk) -> Result<usize, Miss> {
        let end = self.lines.len();
        if hunk.at_end {
            return Ok(end);
        }
        let near = hunk.range.map(|range| range.start.saturating_sub(1));
        let preference = Preference { cursor: self.cursor, near };
        match hinted_line(&self.lines, &hunk.hints, preference) {
            Some(Ok(line)) if self.touches(line..line + 1) => {
                let hint = hunk.hints.last().cloned().unwrap_or_default();
                Err(Miss::Hint(HintTrouble::Missing(hint)))
            }
            Some(Ok(line)) => Ok(line + 1),
            Some(Err(trouble)) => Err(Miss::Hint(trouble)),
            None => Ok(match hunk.range {
                Some(range) if range.len == 0 && !self.touches(range.start..range.start) => {
                    range.start.min(end)
                }
                _ => end,
            }),
        }
    }

    /// One edit for each run of `-` and `+` lines.
    fn replacements(&self, hunk: &Hunk, place: &HunkLocation) -> Vec<Edit> {
        let lines = &hunk.lines[place.lines.clone()];
        let stretches = self.stretches(lines, place.start);
        let indents = Indents::new(&match place.strategy {
            LineStrategy::Exact | LineStrategy::TrailingWhitespace => Vec::new(),
            LineStrategy::Trimmed | LineStrategy::Unicode => self.levels(lines, place.start),
        });
        let final_newline = final_newline(lines);
        stretches
            .into_iter()
            .map(|(run, old)| {
                let changed = &lines[run.clone()];
                let removed: Vec<_> =
                    changed.iter().filter(|line| line.marker == Marker::Remove).collect();
                let added =
                    run.clone().filter(|&index| lines[index].marker == Marker::Add).enumerate();
                let new = added
                    .map(|(rank, index)| {
                        let text = &lines[index].text;
                        let quoted =
                            removed.get(rank).filter(|_| place.strategy == LineStrategy::Unicode);
                        let kept = quoted
                            .and_then(|quoted| self.typography(quoted, old.start + rank, text));
                        let text = indents.translate(index, kept.as_deref().unwrap_or(text));
                        NewLine { text: text.into_owned(), ending: self.ending(&old, rank) }
                    })
                    .collect();
                Edit { old, new, final_newline }
            })
            .collect()
    }

    /// Runs of changed lines in the hunk with the lines of the file they replace.
    fn stretches(&self, lines: &[HunkLine], start: usize) -> Vec<(Range<usize>, Range<usize>)> {
        let mut stretches: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        let mut at = start;
        for (index, line) in lines.iter().enumerate() {
            if line.marker != Marker::Context {
                match stretches.last_mut().filter(|(run, _)| run.end == index) {
                    Some((run, _)) => run.end += 1,
                    None => stretches.push((index..index + 1, at..at)),
                }
            }
            if line.marker != Marker::Add {
                at += 1;
            }
            if line.marker == Marker::Remove
                && let Some((_, old)) = stretches.last_mut()
            {
                old.end = at;
            }
        }
        stretches
    }

    fn levels<'s>(&'s self, lines: &'s [HunkLine], start: usize) -> Vec<IndentLevel<'s>> {
        let old = lines.iter().enumerate().filter(|(_, line)| line.marker != Marker::Add);
        old.zip(start..)
            .filter_map(|((index, line), at)| {
                IndentLevel::new(index, line.marker, &line.text, self.lines.text(at))
            })
            .collect()
    }

    /// The added text in the file's typography, with the indentation the patch gave it.
    fn typography(&self, quoted: &HunkLine, line: usize, added: &str) -> Option<String> {
        let file = std::str::from_utf8(trim(self.lines.text(line))).ok()?;
        let body = added.trim_start();
        let kept = keep_typography(quoted.text.trim(), file, body)?;
        Some(format!("{}{kept}", &added[..added.len() - body.len()]))
    }

    /// New lines end like the ones they replace, or like their neighbours.
    fn ending(&self, old: &Range<usize>, rank: usize) -> &'static [u8] {
        let replaced = old.clone().nth(rank).or_else(|| old.clone().last());
        match replaced.map(|line| self.lines.ending(line)) {
            Some(ending) if !ending.is_empty() => ending,
            _ => self.lines.ending_near(old.end),
        }
    }

    fn insert(&mut self, edit: Edit) {
        self.cursor = self.cursor.max(edit.old.end);
        let key = |edit: &Edit| (edit.old.start, edit.old.end);
        let at = self.edits.partition_point(|other| key(other) <= key(&edit));
        self.edits.insert(at, edit);
    }
}

fn final_newline(lines: &[HunkLine]) -> FinalNewline {
    let marked = |marker| lines.iter().any(|line| line.marker == marker && line.no_newline);
    if lines.iter().rfind(|line| line.marker == Marker::Add).is_some_and(|line| line.no_newline) {
        FinalNewline::Drop
    } else if marked(Marker::Remove) || marked(Marker::Context) {
        FinalNewline::Put
    } else {
        FinalNewline::Keep
    }
}

#[cfg(test)]
mod tests;

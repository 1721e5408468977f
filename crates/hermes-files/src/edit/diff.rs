//! A unified diff of two versions of a file, for people and models to read.
//!
//! What the versions have in common at both ends is skipped by comparing bytes, so the cost of a
//! small change in a large file is about that of reading both. The search for common lines in
//! between is bounded: a diff of very different texts may not be the shortest, but is right.

use std::fmt::Write as _;

use memchr::{memchr, memchr_iter, memrchr};
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

/// A diff is cut after about so many bytes, with a note.
pub const MAX_DIFF_BYTES: usize = 64 * 1024;
/// Lines are shown up to so many characters.
const MAX_DIFF_LINE_CHARS: usize = 2_000;
/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// The changes from `before` to `after`; empty if there are none.
///
/// Lines end at LF. Bytes that are not UTF-8 are shown as U+FFFD.
pub fn unified_diff(before: &[u8], after: &[u8], path: &str) -> String {
    if before == after {
        return String::new();
    }
    let window = Window::new(before, after);
    let (old, new) = (split(window.before), split(window.after));
    let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
    let path = shown_path(path);
    let mut diff = format!("--- a/{path}\n+++ b/{path}\n");
    let mut left_out = 0;
    for hunk in group_diff_ops(ops, CONTEXT) {
        if diff.len() < MAX_DIFF_BYTES {
            push_header(&mut diff, &hunk, window.line);
        }
        for op in hunk {
            left_out += push_op(&mut diff, op, &old, &new);
        }
    }
    if left_out > 0 {
        let _ = writeln!(diff, "... diff cut here; {left_out} more changed lines are not shown");
    }
    diff
}

/// The part of both versions that holds every change, with context.
struct Window<'a> {
    before: &'a [u8],
    after: &'a [u8],
    /// Lines before it.
    line: usize,
}

impl<'a> Window<'a> {
    fn new(before: &'a [u8], after: &'a [u8]) -> Self {
        let prefix = line_start(before, common_prefix(before, after));
        let (old, new) = (&before[prefix..], &after[prefix..]);
        let suffix = whole_lines(old, new, common_suffix(old, new));

        let mut start = prefix;
        for _ in 0..CONTEXT {
            start = line_start(before, start.saturating_sub(1));
        }
        let mut context = 0;
        let rest = &before[before.len() - suffix..];
        for _ in 0..CONTEXT {
            context += memchr(b'\n', &rest[context..]).map_or(rest.len() - context, |lf| lf + 1);
        }
        Self {
            before: &before[start..before.len() - suffix + context],
            after: &after[start..after.len() - suffix + context],
            line: memchr_iter(b'\n', &before[..start]).count(),
        }
    }
}

fn line_start(text: &[u8], at: usize) -> usize {
    memrchr(b'\n', &text[..at]).map_or(0, |lf| lf + 1)
}

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 4096;
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK));
    let equal = BLOCK * blocks.take_while(|(a, b)| a == b).count();
    equal + a[equal..].iter().zip(&b[equal..]).take_while(|(a, b)| a == b).count()
}

fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 4096;
    let blocks = a.rchunks_exact(BLOCK).zip(b.rchunks_exact(BLOCK));
    let equal = BLOCK * blocks.take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - equal], &b[..b.len() - equal]);
    equal + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// How much of a common end is whole lines in both.
fn whole_lines(a: &[u8], b: &[u8], suffix: usize) -> usize {
    let begins_line = |text: &[u8]| match text[..text.len() - suffix].last() {
        Some(byte) => *byte == b'\n',
        None => true,
    };
    if begins_line(a) && begins_line(b) {
        return suffix;
    }
    memchr(b'\n', &a[a.len() - suffix..]).map_or(0, |lf| suffix - lf - 1)
}

fn split(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

fn push_header(diff: &mut String, hunk: &[DiffOp], skipped: usize) {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { return };
    let range = |start: usize, end: usize| {
        let (start, length) = (skipped + start, end - start);
        match length {
            // A range without lines is named after the line before it.
            0 => format!("{start},0"),
            1 => format!("{}", start + 1),
            _ => format!("{},{length}", start + 1),
        }
    };
    let old = range(first.old_range().start, last.old_range().end);
    let new = range(first.new_range().start, last.new_range().end);
    let _ = writeln!(diff, "@@ -{old} +{new} @@");
}

/// Appends the lines of an operation as far as there is room; returns how many changed lines
/// there was no room for.
fn push_op(diff: &mut String, op: DiffOp, old: &[&[u8]], new: &[&[u8]]) -> usize {
    let (tag, old_range, new_range) = op.as_tag_tuple();
    if tag == DiffTag::Equal {
        for line in &old[old_range] {
            push_line(diff, ' ', line);
        }
        return 0;
    }
    let removed = old[old_range].iter().filter(|line| !push_line(diff, '-', line)).count();
    let added = new[new_range].iter().filter(|line| !push_line(diff, '+', line)).count();
    removed + added
}

/// Appends a line; `false` if there is no room.
fn push_line(diff: &mut String, sign: char, line: &[u8]) -> bool {
    if diff.len() >= MAX_DIFF_BYTES {
        return false;
    }
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    // Four bytes a character at most, so what is cut off here would not be shown anyway.
    let shown = String::from_utf8_lossy(&text[..text.len().min(4 * MAX_DIFF_LINE_CHARS)]);
    let end = shown.char_indices().nth(MAX_DIFF_LINE_CHARS).map_or(shown.len(), |(at, _)| at);
    diff.push(sign);
    diff.push_str(&shown[..end]);
    if end < shown.len() || text.len() > 4 * MAX_DIFF_LINE_CHARS {
        let _ = write!(diff, "… [line of {} bytes cut]", text.len());
    }
    diff.push('\n');
    if text.len() == line.len() {
        diff.push_str("\\ No newline at end of file\n");
    }
    true
}

/// The path without a leading slash (it follows one) and on one line.
fn shown_path(path: &str) -> String {
    let path = path.trim_start_matches('/');
    path.chars()
        .flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] })
        .collect()
}

#[cfg(test)]
mod tests;

//! One pass over a file: lines outside the window are counted, lines inside are kept.

use std::io::{self, Read};

use memchr::{memchr, memchr_iter};

use super::WindowRequest;
use super::rows::Rows;

/// Bytes read at a time: large enough for few system calls, small enough to stay in the
/// processor's cache between being copied and being counted.
const BUFFER_BYTES: usize = 128 * 1024;
/// Bytes of the first read; most files end in it.
const FIRST_BYTES: usize = 8 * 1024;

/// What a whole pass has seen.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Totals {
    /// Lines, a last one without a newline included.
    pub(super) lines: usize,
    /// Bytes.
    pub(super) bytes: u64,
}

/// Where a pass begins and where it may end.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScanPass {
    /// Number of the line the reader stands in, counted from 0.
    pub(super) line: usize,
    /// Where it may end.
    pub(super) until: ScanUntil,
}

impl ScanPass {
    /// All of a file.
    pub(super) fn whole() -> Self {
        Self { line: 0, until: ScanUntil::End }
    }
}

/// Where a pass may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScanUntil {
    /// With the file: the rest of the lines is to be counted.
    End,
    /// With the window: the lines were counted before.
    WindowEnds,
}

/// Reads on, putting the lines of the window into `rows`.
pub(super) fn scan(
    reader: &mut impl Read,
    request: &WindowRequest,
    rows: &mut Rows,
    pass: ScanPass,
) -> io::Result<Totals> {
    let first = request.offset - 1;
    let end = first.saturating_add(request.limit);
    let mut buffer = vec![0; FIRST_BYTES];
    // Whole lines so far, which is also the number of the current one, counted from 0.
    let mut line = pass.line;
    let mut bytes = 0;
    let mut at_line_start = true;
    loop {
        if bytes >= FIRST_BYTES as u64 {
            buffer.resize(BUFFER_BYTES, 0);
        }
        let mut chunk = match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => &buffer[..count],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        bytes += chunk.len() as u64;
        at_line_start = chunk.ends_with(b"\n");
        while !chunk.is_empty() {
            if line < first {
                chunk = skip_to_line(chunk, &mut line, first);
            } else if (line >= end || rows.is_full()) && pass.until == ScanUntil::WindowEnds {
                return Ok(Totals { lines: line, bytes });
            } else if line >= end || rows.is_full() {
                line += memchr_iter(b'\n', chunk).count();
                break;
            } else if let Some(length) = memchr(b'\n', chunk) {
                rows.push(&chunk[..length]);
                line += 1;
                rows.end_line(line);
                chunk = &chunk[length + 1..];
            } else {
                rows.push(chunk);
                break;
            }
        }
    }
    if !at_line_start {
        line += 1;
        if (first..end).contains(&(line - 1)) && !rows.is_full() {
            rows.end_line(line);
        }
    }
    Ok(Totals { lines: line, bytes })
}

/// What follows after the newlines up to line `target`, or nothing when they are not all here.
fn skip_to_line<'a>(chunk: &'a [u8], line: &mut usize, target: usize) -> &'a [u8] {
    let missing = target - *line;
    let count = memchr_iter(b'\n', chunk).count();
    if count < missing {
        *line += count;
        return &[];
    }
    *line = target;
    memchr_iter(b'\n', chunk).nth(missing - 1).map_or(&[], |last| &chunk[last + 1..])
}

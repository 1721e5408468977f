//! What a window says about the parts it does not show.

use super::WindowRequest;
use super::rows::{Collected, LongLine};

/// A file larger than this deserves a narrower window.
pub(super) const LARGE_FILE_BYTES: u64 = 512_000;
/// A window of more lines than this is wide.
pub(super) const WIDE_WINDOW_LINES: usize = 200;
/// Long lines named one by one; further ones are only counted.
const MAX_NAMED_LINES: usize = 5;

/// Which lines are shown and where to read on; nothing when the end of the file is shown.
pub(super) fn of_range(
    request: &WindowRequest,
    rows: &Collected,
    total_lines: usize,
) -> Option<String> {
    if rows.count == 0 {
        return (request.offset > 1).then(|| {
            format!("The file has {total_lines} lines; offset={} is past its end.", request.offset)
        });
    }
    let last = request.offset.saturating_add(rows.count - 1);
    let shown = match rows.count {
        1 => format!("Showing line {last} of {total_lines}"),
        _ => format!("Showing lines {}-{last} of {total_lines}", request.offset),
    };
    let next = last.saturating_add(1);
    let has_more = last < total_lines;
    match (rows.budget_hit, has_more) {
        (false, false) => None,
        (false, true) => Some(format!("{shown}. Read on with offset={next}.")),
        (true, true) => Some(format!(
            "{shown}: the limit of {} characters was reached. Read on with offset={next}.",
            request.max_chars
        )),
        (true, false) => {
            Some(format!("{shown}: the limit of {} characters was reached.", request.max_chars))
        }
    }
}

/// Advice to whoever takes wide windows of a large file.
pub(super) fn of_size(
    request: &WindowRequest,
    file_size: u64,
    truncated: bool,
) -> Option<&'static str> {
    let wide = request.limit > WIDE_WINDOW_LINES;
    (truncated && wide && file_size > LARGE_FILE_BYTES).then_some(
        "This is a large file. Find the place with search_files first, then read only the lines \
         around it with offset and limit.",
    )
}

/// Which lines were cut and how to see the rest of them.
pub(super) fn of_long_lines(request: &WindowRequest, lines: &[LongLine]) -> Option<String> {
    let first = lines.first()?;
    let named: Vec<String> = lines
        .iter()
        .take(MAX_NAMED_LINES)
        .map(|long| format!("{} ({} characters)", long.line, long.chars))
        .collect();
    let further = match lines.len().saturating_sub(MAX_NAMED_LINES) {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    let from = request.skipped_chars() + 1;
    Some(format!(
        "Cut to columns {from}-{}: line {}{further}. See the rest with column={}, for example \
         offset={} limit=1 column={}.",
        first.next_column - 1,
        named.join(", "),
        first.next_column,
        first.line,
        first.next_column,
    ))
}

//! From patch text to [`Patch`].
//!
//! One pass over the lines. Blank lines and fences are held back until it is known what follows
//! them: in front of a header, an `@@` or the end they are decoration; in front of another body
//! line they are content. Everything else is decided by the line itself and the section it stands
//! in. The first line that fits nowhere ends the parse: guessing further would report errors that
//! are only echoes of it.

use super::header::{self, Header, HeaderAnchor, anchor, climbs, header, is_fence};
use super::patch::{Hunk, HunkLine, Marker, Patch, PatchAction, PatchOperation};

const NO_NEWLINE: &str = "\\ No newline";

/// Why a patch cannot be read, and at which of its lines.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("patch line {line}: {trouble}")]
pub struct ParseError {
    /// Line in the patch text, from 1.
    pub line: usize,
    /// What keeps the line from being a part of a patch.
    pub trouble: ParseProblem,
}

/// What is wrong with a patch line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseProblem {
    /// No operation in the whole text.
    #[error(
        "no file operation found; expected a header such as `*** Update File: PATH`, \
         `*** Add File: PATH`, `*** Delete File: PATH` or `*** Move File: SRC -> DST`"
    )]
    NoOperation,
    /// A `***` line that is none of the headers.
    #[error(
        "unknown header `{0}`; expected `*** Update File:`, `*** Add File:`, `*** Delete File:`, \
         `*** Move File: SRC -> DST`, `*** Move to:`, `*** End of File` or `*** End Patch` \
         (a line of the file itself needs a leading blank, `+` or `-`)"
    )]
    UnknownHeader(String),
    /// A header that needs a path and has none.
    #[error("`{0}` names no path")]
    NoPath(&'static str),
    /// A move without arrow or with one end missing.
    #[error("expected `*** Move File: SRC -> DST` with both paths")]
    BadMove,
    /// A path with a `..` component.
    #[error("the path `{0}` contains `..`, which patches must not use; write it without")]
    Climbs(String),
    /// `*** Move to:` where no update is open, or a second one.
    #[error("`*** Move to: PATH` belongs once below a `*** Update File:` header")]
    StrayMoveTo,
    /// `*** End of File` where no hunk is open.
    #[error("`*** End of File` belongs at the end of a hunk of a `*** Update File:` section")]
    StrayEndOfFile,
    /// A line of a new file without `+`.
    #[error("expected a line beginning with `+` in the new file, or a header; found `{0}`")]
    UnprefixedAdd(String),
    /// Text where only a header may stand.
    #[error("expected a `***` header; found `{0}`")]
    StrayLine(String),
}

impl ParseProblem {
    fn at(self, line: usize) -> ParseError {
        ParseError { line, trouble: self }
    }
}

/// Longest piece of a line quoted in an error.
const QUOTED_CHARS: usize = 80;

/// Reads the text of a patch.
///
/// # Errors
/// The first line that is neither part of the format nor covered by its lenient points.
pub fn parse(text: &str) -> Result<Patch, ParseError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let rows: Vec<&str> =
        text.split('\n').map(|row| row.strip_suffix('\r').unwrap_or(row)).collect();
    let padding = Padding::of(&rows);
    let rows: Vec<&str> = rows.into_iter().map(|row| padding.cut(row)).collect();
    let begin = rows.iter().position(|row| header(row.trim_start()) == Some(Header::Begin));
    let last = rows.iter().rposition(|row| !row.trim().is_empty());
    let mut parser = Parser {
        operations: Vec::new(),
        section: if begin.is_some() { Section::Between } else { Section::Prose },
        held: Vec::new(),
    };
    for (index, &row) in rows.iter().enumerate().skip(begin.map_or(0, |begin| begin + 1)) {
        let line = index + 1;
        let ends = Some(index) == last && header(row.trim_start()) == Some(Header::End);
        let is_marker = ends || padding.is_of_headers() || !parser.is_in_hunk();
        let row = if is_marker { unpadded(row) } else { row };
        match header(row) {
            Some(Header::End) => break,
            Some(header) => parser.header(line, row, header).map_err(|trouble| trouble.at(line))?,
            None => parser.body(line, row)?,
        }
    }
    parser.close();
    if parser.operations.is_empty() {
        return Err(ParseProblem::NoOperation.at(1));
    }
    Ok(Patch { operations: parser.operations })
}

/// How far a patch is moved to the right.
///
/// Blanks in front of a `***` or `@@` line are no part of it where no line of a file can stand. Inside of a
/// hunk such a line is context that happens to look like a marker, unless no marker of the patch stands at
/// the beginning of its line.
struct Padding<'a> {
    /// Blanks that every line begins with.
    of_all: &'a str,
    are_headers_padded: bool,
}

impl<'a> Padding<'a> {
    fn of(rows: &[&'a str]) -> Self {
        let none = Self { of_all: "", are_headers_padded: false };
        let markers = || rows.iter().filter(|row| is_operation(row.trim_start()));
        if markers().next().is_none() || markers().any(|row| is_operation(row)) {
            return none;
        }
        let blanks = |row: &'a str| &row[..row.len() - row.trim_start_matches([' ', '\t']).len()];
        let texts = || rows.iter().copied().filter(|row| !row.trim().is_empty() && !is_fence(row));
        let shared = texts().map(blanks).min_by_key(|blanks| blanks.len()).unwrap_or_default();
        let of_all = if texts().all(|row| row.starts_with(shared)) { shared } else { "" };
        Self { of_all, are_headers_padded: true }
    }

    fn cut(&self, row: &'a str) -> &'a str {
        row.strip_prefix(self.of_all).unwrap_or(row)
    }

    fn is_of_headers(&self) -> bool {
        self.are_headers_padded
    }
}

/// Whether a line is the header of an operation.
fn is_operation(row: &str) -> bool {
    matches!(
        header(row),
        Some(Header::Add(_) | Header::Update(_) | Header::Delete(_) | Header::Move(_))
    )
}

/// The line without the blanks in front of a marker; any other line as it is.
fn unpadded(row: &str) -> &str {
    let bare = row.trim_start();
    let is_marker =
        matches!(header(bare), Some(header) if header != Header::Unknown) || anchor(bare).is_some();
    if is_marker { bare } else { row }
}

/// What the lines being read belong to.
enum Section {
    /// Text in front of the first header of a patch without `*** Begin Patch`: ignored.
    Prose,
    /// Right after a frame line or an operation without body.
    Between,
    /// Below a delete, where the removed lines may be quoted.
    Deleted,
    Add,
    Update {
        /// The hunk being collected, not yet part of the operation.
        hunk: Option<Hunk>,
    },
}

/// A line whose meaning depends on what follows.
enum Held<'a> {
    Blank,
    /// With its line number.
    Fence(usize, &'a str),
}

struct Parser<'a> {
    operations: Vec<PatchOperation>,
    section: Section,
    held: Vec<Held<'a>>,
}

impl<'a> Parser<'a> {
    /// Whether a line of a file may come next that looks like anything.
    fn is_in_hunk(&self) -> bool {
        matches!(self.section, Section::Update { hunk: Some(_) })
    }

    fn header(&mut self, line: usize, row: &str, header: Header<'_>) -> Result<(), ParseProblem> {
        self.held.clear();
        let (action, section) = match header {
            // Repeated frame lines separate nothing.
            Header::Begin | Header::End => return Ok(()),
            Header::Unknown => return Err(ParseProblem::UnknownHeader(quote(row))),
            Header::MoveTo(path) => return self.move_to(path),
            Header::EndOfFile => return self.end_of_file(),
            Header::Add(path) => {
                let path = checked(path, "*** Add File:")?;
                (PatchAction::Add { path, lines: Vec::new(), final_newline: true }, Section::Add)
            }
            Header::Update(path) => {
                let path = checked(path, "*** Update File:")?;
                let action = PatchAction::Update { path, move_to: None, hunks: Vec::new() };
                (action, Section::Update { hunk: None })
            }
            Header::Delete(path) => {
                (PatchAction::Delete { path: checked(path, "*** Delete File:")? }, Section::Deleted)
            }
            Header::Move(paths) => {
                let (from, to) = header::move_ends(paths)
                    .filter(|(from, to)| !from.is_empty() && !to.is_empty())
                    .ok_or(ParseProblem::BadMove)?;
                let (from, to) = (checked(from, "*** Move File:")?, checked(to, "*** Move File:")?);
                (PatchAction::Move { from, to }, Section::Between)
            }
        };
        self.close();
        self.operations.push(PatchOperation { line, action });
        self.section = section;
        Ok(())
    }

    fn move_to(&mut self, path: &str) -> Result<(), ParseProblem> {
        let path = checked(path, "*** Move to:")?;
        match (&self.section, self.operations.last_mut().map(|last| &mut last.action)) {
            (Section::Update { .. }, Some(PatchAction::Update { move_to, .. }))
                if move_to.is_none() =>
            {
                *move_to = Some(path);
                Ok(())
            }
            _ => Err(ParseProblem::StrayMoveTo),
        }
    }

    fn end_of_file(&mut self) -> Result<(), ParseProblem> {
        match &mut self.section {
            Section::Update { hunk: Some(hunk) } => {
                hunk.at_end = true;
                self.end_hunk();
                Ok(())
            }
            // A new file ends where its lines end; saying so is no mistake.
            Section::Add => Ok(()),
            _ => Err(ParseProblem::StrayEndOfFile),
        }
    }

    fn body(&mut self, line: usize, row: &'a str) -> Result<(), ParseError> {
        if row.is_empty() {
            self.held.push(Held::Blank);
            return Ok(());
        }
        if is_fence(row) {
            self.held.push(Held::Fence(line, row));
            return Ok(());
        }
        match self.section {
            Section::Prose => Ok(()),
            Section::Deleted if row.starts_with(['-', '@']) || row.starts_with(NO_NEWLINE) => {
                Ok(())
            }
            Section::Between | Section::Deleted => {
                Err(ParseProblem::StrayLine(quote(row)).at(line))
            }
            Section::Add => self.added(line, row),
            Section::Update { .. } => {
                self.updated(line, row);
                Ok(())
            }
        }
    }

    fn added(&mut self, line: usize, row: &str) -> Result<(), ParseError> {
        let held = std::mem::take(&mut self.held);
        let Some(PatchOperation { action: PatchAction::Add { lines, final_newline, .. }, .. }) =
            self.operations.last_mut()
        else {
            return Err(ParseProblem::StrayLine(quote(row)).at(line));
        };
        if row.starts_with(NO_NEWLINE) {
            *final_newline = false;
            return Ok(());
        }
        let text = row
            .strip_prefix('+')
            .ok_or_else(|| ParseProblem::UnprefixedAdd(quote(row)).at(line))?;
        for held in held {
            match held {
                Held::Blank => lines.push(String::new()),
                Held::Fence(..) if lines.is_empty() => {}
                Held::Fence(line, fence) => {
                    return Err(ParseProblem::UnprefixedAdd(quote(fence)).at(line));
                }
            }
        }
        lines.push(text.to_owned());
        *final_newline = true;
        Ok(())
    }

    fn updated(&mut self, line: usize, row: &str) {
        let held = std::mem::take(&mut self.held);
        if let Some(anchor) = anchor(row) {
            self.start_hunk(line, anchor);
            return;
        }
        let Section::Update { hunk: open } = &mut self.section else { return };
        if row.starts_with(NO_NEWLINE) {
            if let Some(last) = open.as_mut().and_then(|hunk| hunk.lines.last_mut()) {
                last.no_newline = true;
            }
            return;
        }
        // Blank lines between a header and the first line of a hunk without `@@` are decoration.
        let begun = open.is_some();
        let hunk = open.get_or_insert_with(|| Hunk { line, ..Hunk::default() });
        for held in held {
            match held {
                Held::Blank if begun => hunk.lines.push(context("")),
                Held::Fence(_, fence) if !hunk.lines.is_empty() => hunk.lines.push(context(fence)),
                Held::Blank | Held::Fence(..) => {}
            }
        }
        let (marker, text) = match row.as_bytes().first() {
            Some(b'+') => (Marker::Add, &row[1..]),
            Some(b'-') => (Marker::Remove, &row[1..]),
            Some(b' ') => (Marker::Context, &row[1..]),
            _ => (Marker::Context, row),
        };
        hunk.lines.push(HunkLine { marker, text: text.to_owned(), no_newline: false });
    }

    /// Opens a hunk at an `@@` line. `@@` lines that follow each other directly name the place
    /// from the outside in (class, then method), so they make one hunk.
    fn start_hunk(&mut self, line: usize, anchor: HeaderAnchor) {
        let mut hints = match &mut self.section {
            Section::Update { hunk: Some(open) } if open.lines.is_empty() => {
                std::mem::take(&mut open.hints)
            }
            _ => Vec::new(),
        };
        self.end_hunk();
        hints.extend(anchor.hints);
        let hunk = Hunk { line, hints, range: anchor.range, ..Hunk::default() };
        self.section = Section::Update { hunk: Some(hunk) };
    }

    fn end_hunk(&mut self) {
        if let Section::Update { hunk } = &mut self.section
            && let Some(hunk) = hunk.take()
            && !hunk.lines.is_empty()
            && let Some(PatchAction::Update { hunks, .. }) =
                self.operations.last_mut().map(|last| &mut last.action)
        {
            hunks.push(hunk);
        }
    }

    fn close(&mut self) {
        self.end_hunk();
        self.section = Section::Between;
    }
}

fn context(text: &str) -> HunkLine {
    HunkLine { marker: Marker::Context, text: text.to_owned(), no_newline: false }
}

fn checked(path: &str, header: &'static str) -> Result<String, ParseProblem> {
    match path {
        "" => Err(ParseProblem::NoPath(header)),
        path if climbs(path) => Err(ParseProblem::Climbs(path.to_owned())),
        path => Ok(path.to_owned()),
    }
}

fn quote(row: &str) -> String {
    match row.char_indices().nth(QUOTED_CHARS) {
        Some((cut, _)) => format!("{}…", &row[..cut]),
        None => row.to_owned(),
    }
}

#[cfg(test)]
mod tests;

//! The shapes of single patch lines: `***` headers, `@@` lines, fences.

use super::patch::OldRange;

/// A line beginning with `***`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Header<'a> {
    Begin,
    End,
    EndOfFile,
    Add(&'a str),
    Update(&'a str),
    Delete(&'a str),
    Move(&'a str),
    MoveTo(&'a str),
    Unknown,
}

/// Reads a header; `None` for any line that does not begin with `***`.
pub(super) fn header(line: &str) -> Option<Header<'_>> {
    let rest = line.strip_prefix("***")?;
    let bare = |words| after_words(rest, words).is_some_and(|tail| tail.trim().is_empty());
    let value =
        |words| after_words(rest, words)?.trim_start().strip_prefix(':').map(|path| path.trim());
    Some(if bare(&["Begin", "Patch"]) {
        Header::Begin
    } else if bare(&["End", "Patch"]) {
        Header::End
    } else if bare(&["End", "of", "File"]) {
        Header::EndOfFile
    } else if let Some(path) = value(&["Add", "File"]) {
        Header::Add(path)
    } else if let Some(path) = value(&["Update", "File"]) {
        Header::Update(path)
    } else if let Some(path) = value(&["Delete", "File"]) {
        Header::Delete(path)
    } else if let Some(paths) = value(&["Move", "File"]) {
        Header::Move(paths)
    } else if let Some(path) = value(&["Move", "to"]) {
        Header::MoveTo(path)
    } else {
        Header::Unknown
    })
}

/// What follows the given words: blanks are free before the first, needed between two.
fn after_words<'a>(text: &'a str, words: &[&str]) -> Option<&'a str> {
    let mut rest = text;
    for (index, word) in words.iter().enumerate() {
        let trimmed = rest.trim_start();
        if index > 0 && trimmed.len() == rest.len() {
            return None;
        }
        rest = trimmed.strip_prefix(word)?;
    }
    Some(rest)
}

/// Both ends of `SRC -> DST`. An arrow with blanks around it wins over one inside a name.
pub(super) fn move_ends(paths: &str) -> Option<(&str, &str)> {
    let (from, to) = paths.split_once(" -> ").or_else(|| paths.split_once("->"))?;
    Some((from.trim(), to.trim()))
}

/// Whether a component of the path is `..`, with either kind of separator.
pub(super) fn climbs(path: &str) -> bool {
    path.split(['/', '\\']).any(|component| component == "..")
}

/// Whether the line opens or closes a Markdown code fence.
pub(super) fn is_fence(line: &str) -> bool {
    let info = line.strip_prefix("```").or_else(|| line.strip_prefix("~~~"));
    info.is_some_and(|info| !info.contains('`') && info.split_whitespace().count() <= 1)
}

/// What an `@@` line says about the place of its hunk.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct HeaderAnchor {
    pub(super) hints: Vec<String>,
    pub(super) range: Option<OldRange>,
}

/// Reads `@@`, `@@ hint`, `@@ hint @@`, `@@ -1,2 +1,3 @@ hint` and combinations of them; `None`
/// for any other line.
pub(super) fn anchor(line: &str) -> Option<HeaderAnchor> {
    let mut anchor = HeaderAnchor::default();
    for (index, piece) in line.strip_prefix("@@")?.split("@@").enumerate() {
        let mut piece = piece.trim();
        if index == 0
            && let Some((range, rest)) = old_range(piece)
        {
            anchor.range = Some(range);
            piece = rest;
        }
        if !piece.is_empty() {
            anchor.hints.push(piece.to_owned());
        }
    }
    Some(anchor)
}

/// The old range of `-a,b +c,d` and what follows it.
fn old_range(text: &str) -> Option<(OldRange, &str)> {
    let (old, rest) = text.split_once(char::is_whitespace)?;
    let rest = rest.trim_start();
    let (new, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let (start, len) = numbers(old.strip_prefix('-')?)?;
    numbers(new.strip_prefix('+')?)?;
    Some((OldRange { start, len }, rest.trim_start()))
}

fn numbers(text: &str) -> Option<(usize, usize)> {
    match text.split_once(',') {
        Some((start, len)) => Some((start.parse().ok()?, len.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_in_headers_are_free_but_case_is_not() {
        assert_eq!(header("***Update   File :  a b.txt "), Some(Header::Update("a b.txt")));
        assert_eq!(header("***  Begin\tPatch  "), Some(Header::Begin));
        assert_eq!(header("*** End of File"), Some(Header::EndOfFile));
        assert_eq!(header("*** update File: a"), Some(Header::Unknown));
        assert_eq!(header("*** UpdateFile: a"), Some(Header::Unknown));
        assert_eq!(header("*** Begin Patches"), Some(Header::Unknown));
        assert_eq!(header(" *** Update File: a"), None);
    }

    #[test]
    fn splits_moves_at_the_spaced_arrow() {
        assert_eq!(move_ends("a->b -> c"), Some(("a->b", "c")));
        assert_eq!(move_ends("a->c"), Some(("a", "c")));
        assert_eq!(move_ends("a c"), None);
    }

    #[test]
    fn only_whole_components_climb() {
        assert!(climbs("a/../b") && climbs("..") && climbs("a\\..\\b"));
        assert!(!climbs("a..b/...") && !climbs("a/.b"));
    }

    #[test]
    fn reads_every_form_of_anchor() {
        let read = |line| anchor(line).map(|anchor| (anchor.hints, anchor.range));
        let range = |start, len| Some(OldRange { start, len });
        let hints = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        assert_eq!(read("@@"), Some((hints(&[]), None)));
        assert_eq!(read("@@ fn a() @@"), Some((hints(&["fn a()"]), None)));
        assert_eq!(read("@@ fn a()"), Some((hints(&["fn a()"]), None)));
        assert_eq!(read("@@ -3,4 +3,5 @@"), Some((hints(&[]), range(3, 4))));
        assert_eq!(read("@@ -3 +3 @@ fn a()"), Some((hints(&["fn a()"]), range(3, 1))));
        assert_eq!(read("@@ -0,0 +1,5"), Some((hints(&[]), range(0, 0))));
        assert_eq!(read("@@ -x @@"), Some((hints(&["-x"]), None)));
        assert_eq!(read("@@ class A @@ def b"), Some((hints(&["class A", "def b"]), None)));
        assert_eq!(read(" @@"), None);
    }

    #[test]
    fn prose_in_backticks_is_no_fence() {
        assert!(is_fence("```") && is_fence("```diff") && is_fence("~~~ patch"));
        assert!(!is_fence("```inline``` code") && !is_fence("``") && !is_fence("``` two words"));
    }
}

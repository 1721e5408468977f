//! Tests of the whole matcher. Single behaviours are shown by the portable cases in the crate's
//! `tests/fixtures/replace`; here are properties of all of them, worst cases, and what the cases
//! cannot express.

mod properties;
mod worst_cases;

use super::*;

fn edit(content: &str, old: &str, new: &str) -> Result<(String, MatchStrategy), ReplaceError> {
    let edited = replace(content.as_bytes(), old, new, ReplaceScope::One)?;
    Ok((String::from_utf8(edited.bytes).unwrap(), edited.strategy))
}

#[test]
fn reports_where_it_changed_what() {
    let content = b"a\r\nx\r\nb\r\nx\r\nc\r\n";
    let edited = replace(content, "x\n", "one\ntwo\n", ReplaceScope::All).unwrap();
    assert_eq!(edited.bytes, b"a\r\none\r\ntwo\r\nb\r\none\r\ntwo\r\nc\r\n");
    let span = |first, last| LineSpan { first, last };
    assert_eq!(edited.count, 2);
    assert_eq!(
        edited.replacements,
        [
            Replacement { before: span(2, 2), after: span(2, 3) },
            Replacement { before: span(4, 4), after: span(5, 6) },
        ]
    );
}

#[test]
fn reports_a_deletion_at_its_line() {
    let edited = replace(b"a\nb\nc\n", "b\n", "", ReplaceScope::One).unwrap();
    assert_eq!(edited.replacements[0].after, LineSpan { first: 2, last: 2 });
}

#[test]
fn ambiguity_lists_the_first_lines_and_counts_all() {
    let error = replace("x\n".repeat(30).as_bytes(), "x", "y", ReplaceScope::One).unwrap_err();
    let ReplaceError::Ambiguous { count, lines, strategy } = error else { panic!("{error}") };
    assert_eq!((count, strategy), (30, MatchStrategy::Exact));
    assert_eq!(lines, (1..=10).collect::<Vec<_>>());
}

#[test]
fn a_miss_shows_the_closest_places() {
    let error = edit("fn one() {}\nfn two() {}\n", "fn ones() { }", "x").unwrap_err();
    let ReplaceError::NotFound { closest } = error else { panic!("{error}") };
    assert_eq!(closest[0].line, 1);
}

/// A quotation of `count = 1` once rewrote `count = 2`, because most letters agree.
#[test]
fn a_wrong_value_or_name_is_not_found() {
    for old in ["count = 1", "counts = 2", "count == 2", "count = -2"] {
        let error = edit("a\n    count = 2\nb\n", old, "x").unwrap_err();
        assert!(matches!(error, ReplaceError::NotFound { .. }), "{old}: {error}");
    }
}

#[test]
fn line_endings_alone_are_no_change() {
    assert_eq!(edit("a\nb\n", "a\r\nb", "a\nb"), Err(ReplaceError::NothingToDo));
}

#[test]
fn an_edit_that_comes_out_as_the_file_is_refused() {
    let error = edit("say “hi”\n", "say \"hi\"", "say “hi”").unwrap_err();
    assert_eq!(error, ReplaceError::NoEffect { line: 1 });
}

#[test]
fn loose_strategies_change_one_place_only() {
    let content = "f( a )\nx\n f(a )\n";
    let error = replace(content.as_bytes(), "f (a)", "g", ReplaceScope::All).unwrap_err();
    assert!(matches!(
        error,
        ReplaceError::Ambiguous { count: 2, strategy: MatchStrategy::SpacingCollapsed, .. }
    ));
}

/// With `replace_all`, windows of lines that share a line were all written, each over the last.
#[test]
fn overlapping_windows_are_replaced_once_and_counted_apart() {
    let content = b"  a\n  a\n  a\n";
    let error = replace(content, "a\na", "b", ReplaceScope::One).unwrap_err();
    assert!(matches!(error, ReplaceError::Ambiguous { count: 2, .. }));
    let edited = replace(content, "a\na", "b", ReplaceScope::All).unwrap();
    assert_eq!((edited.bytes.as_slice(), edited.count), (&b"  b\n  a\n"[..], 1));
}

#[test]
fn bytes_that_are_not_text_survive_beside_and_inside_lines() {
    let content = b"\xff\xfe\r\n  key = 1 \xc3\r\n\ttab\rcr\r\n";
    let edited = replace(content, "key  =  1", "key = 2", ReplaceScope::One).unwrap();
    assert_eq!(edited.bytes, b"\xff\xfe\r\n  key = 2 \xc3\r\n\ttab\rcr\r\n");
    assert_eq!(edited.strategy, MatchStrategy::WhitespaceNormalized);
}

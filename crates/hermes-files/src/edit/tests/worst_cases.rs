//! Input made to be slow. Each would take hours if some step were quadratic; what is tested is
//! that they end, and with the right answer.

use super::super::*;

/// Unoptimised code is slow enough with less; an hour it would still be.
const SIZE: usize = if cfg!(debug_assertions) { 1 << 18 } else { 10 << 20 };
/// Lines of a long quotation.
const LINES: usize = SIZE / 100;

fn miss(content: &[u8], old: &str) {
    for scope in [ReplaceScope::One, ReplaceScope::All] {
        let error = replace(content, old, "replacement", scope).unwrap_err();
        assert!(matches!(error, ReplaceError::NotFound { .. }), "{error}");
    }
}

#[test]
fn megabytes_of_one_line_repeated() {
    let content = "    the same line\n".repeat(SIZE / 18);
    miss(content.as_bytes(), &format!("{}the other line\n", "the same line\n".repeat(LINES)));
    miss(content.as_bytes(), &format!("the other line\n{}", "the same line\n".repeat(LINES)));
    let old = "the same line\n".repeat(LINES);
    let error = replace(content.as_bytes(), &old, "x\n", ReplaceScope::One).unwrap_err();
    let windows = SIZE / 18 - LINES + 1;
    assert!(matches!(error, ReplaceError::Ambiguous { count, .. } if count == windows), "{error}");
    let edited = replace(content.as_bytes(), &old, "x\n", ReplaceScope::All).unwrap();
    assert_eq!(edited.count, SIZE / 18 / LINES);
    assert!(edited.bytes.starts_with(b"    x\n    x\n"));
}

#[test]
fn megabytes_of_near_misses_for_the_last_strategy() {
    let content = "begin\nmiddle one\nmiddle two\nend\n".repeat(SIZE / 32);
    miss(content.as_bytes(), "begin\nmuddle onf\nmuddle twp\nend\n");
    let content = "begin of a line\n".repeat(SIZE / 16);
    miss(
        content.as_bytes(),
        &format!("{}begin of a lime\nbegin of a line\n", "begin of a line\n".repeat(LINES / 2)),
    );
}

#[test]
fn megabytes_without_a_line_break() {
    let content = "a b".repeat(SIZE / 3);
    miss(content.as_bytes(), &format!("{}c", "a b".repeat(LINES / 2)));
    miss(content.as_bytes(), "a\nb");
    let edited = replace(content.as_bytes(), "a  b", "a\nb", ReplaceScope::All).unwrap();
    assert_eq!(edited.count, SIZE / 3);
    assert_eq!(edited.bytes.len(), content.len());
    let ended = [content.as_bytes(), b"\r\n"].concat();
    let edited = replace(&ended, "a b", "a\nb", ReplaceScope::All).unwrap();
    assert_eq!(edited.bytes.len(), content.len() + SIZE / 3 + 2);
}

#[test]
fn megabytes_of_dashes_that_fold_to_the_same() {
    let content = "—".repeat(SIZE / 3);
    // An odd number of hyphens always ends inside a dash.
    miss(content.as_bytes(), &"-".repeat(LINES / 2 * 2 + 1));
    let error = replace(content.as_bytes(), &"-".repeat(LINES / 2 * 2), "x", ReplaceScope::One)
        .unwrap_err();
    assert!(matches!(error, ReplaceError::Ambiguous { .. }));
    let marks = format!("e{}", "\u{301}".repeat(SIZE / 8));
    miss(marks.as_bytes(), "é\u{302}");
}

#[test]
fn blanks_before_many_places_are_not_walked_for_each() {
    let content = format!("{}{}", " ".repeat(SIZE / 2), "a \tb;".repeat(SIZE / 10));
    let edited = replace(content.as_bytes(), "a b;", "c;", ReplaceScope::All).unwrap();
    assert_eq!(edited.count, SIZE / 10);
    assert!(edited.bytes.ends_with(b"  c;c;c;") || edited.bytes.ends_with(b"c;c;c;"));
}

#[test]
fn very_many_lines_replaced_by_as_many_others() {
    let old: String = (0..LINES).map(|n| format!("old {n}\n")).collect();
    let new: String = (0..LINES).map(|n| format!("  new {}\n", n * 7 % LINES)).collect();
    let edited =
        replace(old.replace("old", "\told").as_bytes(), &old, &new, ReplaceScope::One).unwrap();
    assert_eq!(edited.strategy, MatchStrategy::LineTrimmed);
    assert!(edited.bytes.starts_with(b"\t\tnew 0\n\t\tnew 7\n"));
    assert_eq!(edited.bytes.len(), new.len());
}

use super::*;
use proptest::prelude::*;

/// Applies a diff as `patch` would, without leniency.
fn apply(before: &str, diff: &str) -> String {
    let old: Vec<_> = before.split_inclusive('\n').collect();
    let (mut result, mut at) = (String::new(), 0);
    let mut lines = diff.split_inclusive('\n').skip(2).peekable();
    while let Some(line) = lines.next() {
        if let Some(range) = line.strip_prefix("@@ -") {
            let (start, length) = match range.split(' ').next().unwrap().split_once(',') {
                Some((start, length)) => (start.parse::<usize>().unwrap(), length.parse().unwrap()),
                None => (range.split(' ').next().unwrap().parse().unwrap(), 1),
            };
            let start = if length == 0 { start } else { start - 1 };
            result.extend(old[at..start].iter().copied());
            at = start;
            continue;
        }
        let mut text = &line[1..];
        if lines.peek().is_some_and(|next| next.starts_with('\\')) {
            lines.next();
            text = text.strip_suffix('\n').unwrap();
        }
        if !line.starts_with('+') {
            assert_eq!(old[at], text, "context and removed lines are the file's");
            at += 1;
        }
        if !line.starts_with('-') {
            result.push_str(text);
        }
    }
    result.extend(old[at..].iter().copied());
    result
}

fn texts() -> impl Strategy<Value = (String, String)> {
    let line = prop_oneof!["[ab]", Just(String::new()), Just("longer line".to_owned())];
    let text = proptest::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n"));
    (text, proptest::collection::vec((any::<prop::sample::Index>(), ".{0,3}"), 0..4)).prop_map(
        |(before, changes)| {
            let mut after = before.clone();
            for (index, text) in changes {
                after.insert_str(
                    index.index(after.len() + 1).min(after.len()),
                    &text.replace(|c: char| !c.is_ascii(), "\n"),
                );
            }
            (before, after)
        },
    )
}

proptest! {
    #[test]
    fn applying_the_diff_gives_the_new_text((before, after) in texts()) {
        prop_assert_eq!(&apply(&before, &unified_diff(before.as_bytes(), after.as_bytes(), "f")), &after);
        prop_assert_eq!(&apply(&after, &unified_diff(after.as_bytes(), before.as_bytes(), "f")), &before);
    }

    #[test]
    fn unrelated_texts_too(before in "[ab\n]{0,30}", after in "[abé\r\n]{0,30}") {
        let diff = unified_diff(before.as_bytes(), after.as_bytes(), "f");
        prop_assert_eq!(apply(&before, &diff), after);
    }

    #[test]
    fn any_bytes_are_shown(before in any::<Vec<u8>>(), after in any::<Vec<u8>>()) {
        prop_assert_eq!(unified_diff(&before, &after, "f").is_empty(), before == after);
    }
}

#[test]
fn looks_like_a_unified_diff() {
    let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12";
    let after = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n12\n";
    let expected = "--- a/dir/x.txt\n+++ b/dir/x.txt\n@@ -2,11 +2,11 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n 10\n 11\n-12\n\\ No newline at end of file\n+12\n";
    assert_eq!(unified_diff(before.as_bytes(), after.as_bytes(), "dir/x.txt"), expected);
}

#[test]
fn empty_sides_and_absolute_paths() {
    assert_eq!(
        unified_diff(b"", b"a\n", "/abs/x"),
        "--- a/abs/x\n+++ b/abs/x\n@@ -0,0 +1 @@\n+a\n"
    );
    assert_eq!(unified_diff(b"a\n", b"", "x\ny"), "--- a/x\\ny\n+++ b/x\\ny\n@@ -1 +0,0 @@\n-a\n");
    assert_eq!(unified_diff(b"a", b"a", "x"), "");
}

#[test]
fn a_small_change_far_into_a_large_file_names_its_lines() {
    let before = "some line of text\n".repeat(500_000);
    let mut after = before.clone();
    after.insert_str(before.len() / 2, "new\n");
    let diff = unified_diff(before.as_bytes(), after.as_bytes(), "big");
    assert!(diff.contains("@@ -249998,6 +249998,7 @@"), "{diff}");
    assert_eq!(diff.lines().count(), 10);
}

#[test]
fn large_changes_are_cut_with_a_note() {
    let before: String = (0..200_000).map(|n| format!("line {n}\n")).collect();
    let after = before.replace("line", "row");
    let diff = unified_diff(before.as_bytes(), after.as_bytes(), "big");
    assert!(diff.len() < MAX_DIFF_BYTES + 200);
    assert!(diff.ends_with("more changed lines are not shown\n"));
    let long = "x".repeat(3_000_000);
    let diff = unified_diff(long.as_bytes(), b"y", "big");
    assert!(diff.contains("… [line of 3000000 bytes cut]") && diff.len() < 5_000);
}

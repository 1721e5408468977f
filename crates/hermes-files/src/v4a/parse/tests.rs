use super::super::OldRange;
use super::*;

fn operations(text: &str) -> Vec<PatchAction> {
    parse(text).unwrap().operations.into_iter().map(|operation| operation.action).collect()
}

fn hunks(text: &str) -> Vec<Hunk> {
    match operations(&format!("*** Update File: f\n{text}")).swap_remove(0) {
        PatchAction::Update { hunks, .. } => hunks,
        other => panic!("{other:?}"),
    }
}

/// The lines of the only hunk, with their markers.
fn lines(text: &str) -> Vec<String> {
    let hunks = hunks(text);
    assert_eq!(hunks.len(), 1, "{hunks:?}");
    let mark = |line: &HunkLine| match line.marker {
        Marker::Context => ' ',
        Marker::Remove => '-',
        Marker::Add => '+',
    };
    hunks[0].lines.iter().map(|line| format!("{}{}", mark(line), line.text)).collect()
}

fn error(text: &str) -> (usize, String) {
    let error = parse(text).unwrap_err();
    (error.line, error.trouble.to_string())
}

#[test]
fn reads_every_operation_with_its_line() {
    let patch = parse(
        "*** Begin Patch\n*** Add File: a b\n+x\n*** Update File: c\n*** Move to: d\n@@\n-x\n+y\n\
         *** Delete File: e\n*** Move File: f -> g\n*** End Patch\n",
    )
    .unwrap();
    let lines: Vec<_> = patch.operations.iter().map(|operation| operation.line).collect();
    assert_eq!(lines, [2, 4, 9, 10]);
    assert_eq!(patch.paths(), ["a b", "c", "d", "e", "f", "g"]);
}

#[test]
fn text_around_the_frame_is_ignored() {
    let text = "Sure!\n*** Nonsense\n*** Begin Patch\n*** Delete File: a\n*** End Patch\n*** Delete File: b\n";
    assert_eq!(operations(text), [PatchAction::Delete { path: "a".into() }]);
    assert_eq!(
        operations("Here you go:\n\n*** Delete File: a"),
        [PatchAction::Delete { path: "a".into() }]
    );
}

#[test]
fn unknown_headers_are_errors_with_their_line() {
    let (line, text) = error("*** Begin Patch\n*** Update File: a\n-x\n*** Rename File: b\n");
    assert_eq!(line, 4);
    assert!(text.contains("`*** Rename File: b`") && text.contains("*** Update File:"), "{text}");
    assert_eq!(error("*** Upgrade File: a").0, 1);
    assert_eq!(error("*** Update File: a\n*** some banner ***").0, 2);
}

#[test]
fn new_files_take_prefixed_and_empty_lines_only() {
    let add = |lines: &[&str], final_newline| PatchAction::Add {
        path: "a".into(),
        lines: lines.iter().map(|&line| line.to_owned()).collect(),
        final_newline,
    };
    assert_eq!(operations("*** Add File: a\n+x\n\n+y\n\n\n"), [add(&["x", "", "y"], true)]);
    assert_eq!(operations("*** Add File: a\n"), [add(&[], true)]);
    assert_eq!(
        operations("*** Add File: a\n+x\n\\ No newline at end of file"),
        [add(&["x"], false)]
    );
    assert_eq!(operations("*** Add File: a\n```rust\n+x\n```\n"), [add(&["x"], true)]);
    assert_eq!(error("*** Add File: a\n+x\ny\n").0, 3);
    assert_eq!(
        error("*** Add File: a\n+x\n```\n+y\n"),
        (3, error("*** Add File: a\n```x\n+x\n```\n+y\n").1)
    );
}

#[test]
fn blank_lines_count_only_inside_a_hunk() {
    assert_eq!(lines("@@\n a\n\n-b\n\n\n*** End Patch"), [" a", " ", "-b"]);
    assert_eq!(lines("@@\n\n-b\n"), [" ", "-b"]);
    assert_eq!(lines("\n\n-b\n"), ["-b"]);
    assert_eq!(
        hunks("@@\n-a\n\n@@\n-b\n").iter().map(|hunk| hunk.lines.len()).collect::<Vec<_>>(),
        [1, 1]
    );
}

#[test]
fn unprefixed_lines_are_context() {
    assert_eq!(lines("def f():\n-    a\n\tb\n"), [" def f():", "-    a", " \tb"]);
}

#[test]
fn fences_at_the_edges_are_layout() {
    assert_eq!(lines("```diff\n@@\n```\n-a\n+b\n```\n\n```\n"), ["-a", "+b"]);
    assert_eq!(lines("@@\n-a\n```sh\n+b\n+```\n"), ["-a", " ```sh", "+b", "+```"]);
}

#[test]
fn carriage_returns_at_line_ends_are_dropped() {
    assert_eq!(lines("@@ x @@\r\n-a\r\n+b\rc\r\n\r\n"), ["-a", "+b\rc"]);
    assert_eq!(operations("*** Delete File: a\r\n"), [PatchAction::Delete { path: "a".into() }]);
}

#[test]
fn anchors_become_hints_and_ranges() {
    let found = hunks("@@ -3,2 +3,2 @@ fn a\n-x\n@@ class B\n\n@@ fn b @@\n-x\n@@\n-y\n");
    assert_eq!(found[0].range, Some(OldRange { start: 3, len: 2 }));
    assert_eq!((&*found[0].hints, found[0].line), (&["fn a".to_owned()][..], 2));
    assert_eq!(found[1].hints, ["class B", "fn b"]);
    assert_eq!(found[2].hints, Vec::<String>::new());
}

#[test]
fn the_end_of_file_marker_ends_its_hunk() {
    let found = hunks("@@\n-x\n+y\n*** End of File\n z\n+w\n");
    assert_eq!(found.iter().map(|hunk| hunk.at_end).collect::<Vec<_>>(), [true, false]);
    assert_eq!(error("*** Delete File: a\n*** End of File").0, 2);
}

#[test]
fn no_newline_markers_belong_to_the_line_above() {
    let found = hunks("@@\n-x\n\\ No newline at end of file\n+y\n");
    assert_eq!(
        found[0].lines.iter().map(|line| line.no_newline).collect::<Vec<_>>(),
        [true, false]
    );
}

#[test]
fn climbing_and_missing_paths_are_refused() {
    for patch in [
        "*** Add File: ../a",
        "*** Update File: a/../../b",
        "*** Delete File: ..",
        "*** Move File: a -> ../b",
        "*** Move File: ../a -> b",
        "*** Update File: a\n*** Move to: b/..",
    ] {
        assert!(error(patch).1.contains(".."), "{patch}");
    }
    assert!(error("*** Add File:  \n").1.contains("names no path"));
    assert!(error("*** Move File: a\n").1.contains("SRC -> DST"));
    assert!(error("*** Move File: a -> \n").1.contains("SRC -> DST"));
}

#[test]
fn text_without_operations_is_an_error() {
    for patch in ["", "\n\n", "hello", "*** Begin Patch\n*** End Patch"] {
        assert!(error(patch).1.contains("no file operation"), "{patch:?}");
    }
}

#[test]
fn stray_lines_are_errors() {
    assert_eq!(error("*** Begin Patch\n@@\n-x\n").0, 2);
    assert_eq!(error("*** Move File: a -> b\n-x\n").0, 2);
    assert_eq!(error("*** Delete File: a\n-quoted\n@@\nother\n").0, 4);
    assert!(error("*** Add File: a\n*** Move to: b\n").1.contains("Move to"));
    assert!(error("*** Update File: a\n*** Move to: b\n*** Move to: c\n").1.contains("once"));
}

#[test]
fn quotes_in_errors_are_short() {
    let long = format!("*** Add File: a\n{}", "é".repeat(500));
    assert!(error(&long).1.chars().count() < 200);
}

#[test]
fn padded_headers_and_markers_are_headers_and_markers() {
    let updated = |text: &str| match operations(text).as_slice() {
        [PatchAction::Update { path, hunks, .. }] => (path.clone(), hunks.len()),
        other => panic!("{text}: {other:?}"),
    };
    for text in [
        "*** Begin Patch\n  *** Update File: f\n@@\n-a\n+b\n*** End Patch",
        " *** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n *** End Patch \n",
        "  *** Begin Patch  \n  *** Update File: f\n  @@\n-a\n+b\n  *** End Patch",
        "\t*** Begin Patch\n\t*** Update File: f\n\t@@\n\t-a\n\t+b\n\t*** End Patch\n",
        "    *** Begin Patch\n    *** Update File: f\n    @@\n     x\n    -a\n    +b\n    *** End Patch\n",
        " *** Update File: f\n@@\n-a\n+b",
        "*** Update File: f\n-a\n+b\n *** End Patch\n\n",
    ] {
        assert_eq!(updated(text), ("f".to_owned(), 1), "{text}");
    }
    let two =
        " *** Begin Patch\n *** Update File: f\n @@\n-a\n+b\n *** Delete File: g\n *** End Patch";
    assert_eq!(parse(two).unwrap().paths(), ["f", "g"]);
    let moved = "*** Begin Patch\n*** Update File: f\n  *** Move to: g\n@@\n-a\n+b\n*** End Patch";
    assert_eq!(parse(moved).unwrap().paths(), ["f", "g"]);
    let added = "*** Begin Patch\n*** Add File: f\n+x\n  *** Delete File: g\n*** End Patch";
    assert_eq!(parse(added).unwrap().paths(), ["f", "g"]);
}

#[test]
fn context_that_looks_like_a_marker_stays_context() {
    assert_eq!(
        lines("@@\n *** Update File: x\n *** End Patch\n-a\n+b\n *** Delete File: y\n @@\n"),
        [" *** Update File: x", " *** End Patch", "-a", "+b", " *** Delete File: y", " @@"]
    );
}
